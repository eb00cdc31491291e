"""Self-checks of the exercises on probing code."""

from __future__ import annotations

import numpy as np

from whichlayer.checks.report import (
    as_array,
    call,
    check,
    close,
    describe,
    numbers,
    refuses,
    require,
    require_answered,
    require_shape,
    things,
    untouched,
)

__all__ = [
    "check_bits_by_block",
    "check_control_labels",
    "check_paired_interval",
    "check_prepare",
]


@check(
    "the first block is guessed",
    "minus log2 of each later word's chance",
    "summed block by block",
    "chances that can't be are refused",
)
def check_bits_by_block(function) -> None:
    """Exercise 4.1: the online code's bits, block by block."""

    def bits(chances, ends, n_tags, look_at="one sum for each block"):
        chances = np.array(chances, dtype=float)
        with untouched(chances):
            result = call(function, chances, list(ends), n_tags)
        return require_shape(result, (len(ends),), "your result", look_at)

    nothing = np.nan
    first = bits([nothing, nothing, 1, 1], [2, 4], 8)
    require(
        not np.isnan(first).any(),
        seen=f"where the first block's chances are NaN you return {_listed(first)}",
        should="no probe has given the first block a chance, so what stands there isn't used",
        look_at="the words before ends[0]: what do they cost?",
    )
    require(
        close(first[0], 6),
        seen=f"with 8 tags the first block, of 2 words, costs {first[0]:.3f} bits",
        should="each of its words is guessed among 8 tags: 3 bits a word",
        look_at="log2 of what, and how many times?",
    )
    require(
        not close(first, [6, 6]),
        seen="a first block of 6 bits, and a second one that the probe knew for sure, come back as 6, 6",
        should="each block's own bits come back; their sum is the code length",
        look_at="do you add up over all blocks so far?",
    )
    require(
        close(first[1], 0),
        seen=f"two words whose true tag had a chance of 1 cost {first[1]:.3f} bits",
        should="what the probe knew for sure costs nothing",
        look_at="the logarithm of the chance of the true tag, and its sign",
    )
    seen = bits([nothing, 0.5, 0.5, 0.5, 0.25], [1, 3, 5], 2)
    require(
        seen[1] > 0,
        seen=f"two words with a chance of one half cost {seen[1]:.3f} bits",
        should="a cost is above 0",
        look_at="the sign: the logarithm of a number below 1 is negative",
    )
    require(
        not close(seen[1], 2 * np.log(2)),
        seen=f"two words with a chance of one half cost {seen[1]:.3f}",
        should="a chance of one half costs one bit",
        look_at="which logarithm counts in bits?",
    )
    require(
        close(seen, [1, 2, 3]),
        seen=f"for chances of .5, .5, .5, .25 after a first block of one word, with blocks that end at 1, 3 "
        f"and 5, and two tags, you return {_listed(seen)}",
        should="the blocks cost 1, 1 + 1 and 1 + 2 bits",
        look_at="where does each block begin and end? And are bits summed over its words, or averaged?",
    )
    one = bits([nothing, nothing, nothing], [3], 4)
    require(
        close(one, [6]),
        seen=f"a text that is sent in one block of three words, with four tags, costs {_listed(one)} bits",
        should="all of it is guessed: 6 bits",
        look_at="what do your lines do where there is no second block?",
    )
    for what, bad in (("of 0", 0.0), ("above 1", 1.2), ("that is not a number", np.nan)):
        refuses(
            function, np.array([0.5, 0.5, bad, 0.5]), [2, 4], 3,
            what=f"a chance {what} after the first block",
            should="such a chance can't be paid for, and ValueError says so",
            look_at="test the chances of all later blocks before you take logarithms. A comparison with a "
            "NaN is never true",
        )  # fmt: skip


def _listed(numbers) -> str:
    return ", ".join(f"{value:.3g}" for value in numbers)


@check(
    "no sentence in both parts",
    "each word in one",
    "scaled by the training words",
    "seeds",
)
def check_prepare(function) -> None:
    """Exercise 4.2: no sentence in both parts, scaling from training words only, seeds that count."""
    draw = np.random.default_rng(0)
    sentence_of = np.repeat(np.arange(40), draw.integers(2, 15, size=40))
    n = len(sentence_of)
    # Sentences differ much, so that it matters which of them a mean is taken over.
    features = draw.normal(size=(n, 3)) + (sentence_of[:, None] / 4) ** 2
    drawn = {}
    for share, seed in ((0.25, 0), (0.25, 1), (0.25, 2), (0.5, 0)):
        result = things(
            call(function, features.copy(), sentence_of.copy(), share, seed),
            "train", "test", "train_x", "test_x",
        )  # fmt: skip
        require(
            not any(np.asarray(part).dtype == bool for part in result[:2]),
            seen="train and test are masks of True and False",
            should="they hold the indices of words",
            look_at="np.flatnonzero, which makes indices of a mask",
        )
        train, test = (as_array(part, "train or test").ravel().astype(int) for part in result[:2])
        counts = np.bincount(np.concatenate([train, test]), minlength=n)
        require(
            len(counts) == n and (counts == 1).all(),
            seen=f"of {n} words {(counts[:n] == 0).sum()} are in no part and "
            f"{(counts > 1).sum()} more than once",
            should="each word is in exactly one of the two parts",
            look_at="whether train and test hold the indices of words, not of sentences",
        )
        both = np.intersect1d(sentence_of[train], sentence_of[test])
        require(
            not len(both),
            seen=f"{len(both)} of 40 sentences have words in training and in the test part",
            should="no sentence is in both parts",
            look_at="what is drawn: words or sentences?",
        )
        n_test = len(np.unique(sentence_of[test]))
        require(
            abs(n_test - 40 * share) <= 1,
            seen=f"with test_share={share}, {n_test} of 40 sentences test",
            should="that share of the sentences tests",
            look_at="what is drawn from: np.unique holds each sentence once, while a long sentence "
            "stands in sentence_of many times; and does test_share go in?"
            if abs(n_test - 40 * (1 - share)) > 1
            else "which of the two parts is which",
        )
        drawn[share, seed] = tuple(np.unique(sentence_of[test]))
        _check_scaled(features, train, test, result[2], result[3])
    require(
        len({drawn[0.25, seed] for seed in range(3)}) > 1,
        seen="the seeds 0, 1 and 2 draw the same test sentences",
        should="another seed draws others",
        look_at="where the seed goes in",
    )
    again = as_array(call(function, features, sentence_of, 0.5, 0)[1]).astype(int)
    require(
        tuple(np.unique(sentence_of[again])) == drawn[0.5, 0],
        seen="called twice with seed 0, it draws different test sentences",
        should="the same seed gives the same split",
        look_at="does every random draw get the seed?",
    )


def _check_scaled(features, train, test, train_x, test_x) -> None:
    hidden = features.shape[1]
    train_x = require_shape(train_x, (len(train), hidden), "train_x", "the rows that are returned")
    test_x = require_shape(test_x, (len(test), hidden), "test_x", "the rows that are returned")
    means, sds = train_x.mean(axis=0), train_x.std(axis=0)
    worst = int(np.argmax(np.abs(means) + np.abs(sds - 1)))
    mean, sd = means[worst], sds[worst]
    require(
        abs(mean) < 1e-3 and abs(sd - 1) < 0.01,
        seen=f"over the training words column {worst} has the mean {mean:.3f} and the standard "
        f"deviation {sd:.3f}",
        should="over the training words each column has the mean 0 and the standard deviation 1",
        look_at="which words the scaler is fitted on: do test words have a say in it? And has each "
        "column a mean of its own?",
    )
    known = features[train]
    expected = [
        (features[test] - known.mean(axis=0)) / known.std(axis=0, ddof=ddof) for ddof in (0, 1)
    ]
    require(
        any(
            close(train_x, (known - known.mean(axis=0)) / known.std(axis=0, ddof=ddof), 1e-3)
            for ddof in (0, 1)
        ),
        seen="the rows of train_x are scaled, but aren't those of the words in train, in that order",
        should="row i of train_x belongs to word train[i]",
        look_at="is train put in another order before or after its features are looked up?",
    )
    own = abs(test_x.mean(axis=0)).max() < 1e-3
    require(
        any(close(test_x, wanted, 1e-3) for wanted in expected),
        seen="the test words' features "
        + (
            "have the mean 0, as if they had been scaled by themselves"
            if own
            else "aren't scaled as the training words' are"
        ),
        should="the test words are scaled with the training words' mean and standard deviation",
        look_at="what fit gets and what transform gets: how often is the scaler fitted?",
    )


@check(
    "one label a type",
    "as common as the tags, without regard to the real one",
    "seeds",
)
def check_control_labels(function) -> None:
    """Exercise 4.3: one random label a type, as common as the tags, reproducible by the seed."""
    # One type in five is DET, but these come ten times each: 71% of the words, 20% of the types.
    kinds = ["DET" if i % 5 == 0 else "NOUN" for i in range(2000)]
    again = [i for i in range(0, 2000, 5) for _ in range(9)]
    words = [f"Form{i}" for i in range(2000)] + [f"form{i}" for i in again]
    tags = kinds + [kinds[i] for i in again]
    by_words = tags.count("DET") / len(tags)
    labels = _labels(function, words, tags, 0)
    seen = _labels(function, ["A", "b", "a", "B", "b"], ["X", "Y", "X", "Y", "X"], 1)
    same = {}
    for word, label in zip([*words, *"AbaBb"], [*labels, *seen], strict=True):
        same.setdefault(word.lower(), set()).add(label)
    torn = [form for form, found in same.items() if len(found) > 1]
    require(
        not torn,
        seen=f"{len(torn)} of {len(same)} types have more than one label, among them {torn[0]!r}"
        if torn
        else "",
        should="a type has the same label wherever it stands; upper and lower case are one type",
        look_at="how many labels are drawn, one for each word or one for each type, and what "
        "happens to upper case",
    )
    unknown = set(labels) - set(tags)
    require(
        not unknown,
        seen=f"there are labels that aren't tags, such as {sorted(unknown)[:1]}",
        should="labels are drawn from the tags",
        look_at="what is drawn from",
    )
    of_types, real = labels[:2000], np.array(kinds)
    share = (of_types == "DET").mean()
    among = [(of_types[real == tag] == "DET").mean() for tag in ("DET", "NOUN")]
    require(
        abs(among[0] - among[1]) < 0.15,
        seen=f"the label DET goes to {among[0]:.0%} of the types whose real tag is DET, and to "
        f"{among[1]:.0%} of those whose tag is NOUN",
        should="the real tag of a type plays no part in its label",
        look_at="is there a random draw, and what is looked up in it?",
    )
    require(
        abs(share - by_words) < 0.05,
        seen=f"{by_words:.0%} of the words are DET (and {np.mean(real == 'DET'):.0%} of the types), "
        f"and {share:.0%} of the types have the label DET",
        should="a tag is about as common among the types' labels as among the words",
        look_at="what is drawn from: the tags of all words, one tag of each type, or each tag once?",
    )
    require(
        (_labels(function, words, tags, 0) == labels).all(),
        seen="called twice with seed 0, it gives different labels",
        should="the same seed gives the same labels",
        look_at="does every random draw get the seed?",
    )
    require(
        (_labels(function, words, tags, 1) != labels).any(),
        seen="the seeds 0 and 1 give the same labels",
        should="another seed gives other labels",
        look_at="where the seed goes in",
    )


def _labels(function, words, tags, seed) -> np.ndarray:
    result = call(function, list(words), list(tags), seed)
    try:
        labels = [str(label) for label in result]
    except TypeError:
        labels = []
    require(
        len(labels) == len(words),
        seen=f"for {len(words)} words you return {describe(result)}",
        should="one label for each word",
        look_at="is there one for each type only? Each word needs its type's label",
    )
    return np.array(labels)


@check(
    "in pairs",
    "whole sentences",
    "by words",
    "95%",
    "the layers like the best, of 20 and of all sentences",
)
def check_paired_interval(function, of_20, of_all, right, sentence_of) -> None:
    """Exercise 4.4: sentences drawn in pairs, weighted by words; and the layers that are like the best."""
    # Half of the sentences are easy, for both; a is right in one word more, in each of them.
    units = np.repeat(np.arange(40), 10)
    place = np.tile(np.arange(10), 40)
    n_right = np.where(units % 2 == 0, 9, 1)
    a, b = place < n_right, place < n_right - 1
    low, high = _interval(function, a, b, units)
    require(
        not close([low, high], [-0.1, -0.1], 0.005),
        seen=f"where a is right in one word of ten more than b, the interval is {low:+.3f} to "
        f"{high:+.3f}",
        should="how far a is ahead of b is above 0 if a is the better one",
        look_at="which of the two is taken away from the other",
    )
    require(
        high - low < 0.2,
        seen=f"where a is right in one word more than b in each sentence of ten words, the interval "
        f"is {low:+.3f} to {high:+.3f}",
        should="the difference is 0.1 in every draw of sentences, so both ends are 0.1, however much "
        "the sentences differ",
        look_at="are a and b looked at on the same draw, and is the interval that of their "
        "difference?",
    )
    require(
        not close([low, high], [10, 10], 0.05),
        seen=f"where a is right in one word of ten more than b, the interval is {low:.1f} to "
        f"{high:.1f}",
        should="a difference of accuracies is 0.1 there",
        look_at="in what it is counted: a share, not points",
    )
    require(
        close([low, high], [0.1, 0.1], 0.005),
        seen=f"where a is right in one word more than b in each sentence of ten words, the interval "
        f"is {low:+.3f} to {high:+.3f}",
        should="the difference is 0.1 in every draw of sentences, so both ends are 0.1, however much "
        "the sentences differ",
        look_at="what is drawn: words or whole sentences? And is each draw's sum of differences "
        "divided by its number of words?",
    )
    # Sentences of 2 to 40 words: how many words a draw has is up to chance.
    lengths = np.tile(np.arange(2, 41, 2), 2)
    units = np.repeat(np.arange(40), lengths)
    low, high = _interval(function, np.ones(len(units), bool), np.zeros(len(units), bool), units)
    require(
        close([low, high], [1, 1], 1e-6),
        seen=f"where a is right at every word and b at none, and sentences have 2 to 40 words, the "
        f"interval is {low:.2f} to {high:.2f}",
        should="a is ahead by exactly 1 in every draw",
        look_at="which number of words each draw's sum is divided by: that of this very draw?",
    )
    # In some sentences a is right throughout, in the others b.
    units = np.repeat(np.arange(40), 10)
    a = units % 2 == 0
    low, high = _interval(function, a, ~a, units)
    width = 2 * 1.96 / np.sqrt(40)
    require(
        high - low > 0.6 * width,
        seen=f"where all words of a sentence go the same way, the interval of 40 sentences with 10 "
        f"words each is {high - low:.2f} wide",
        should=f"40 sentences that each say +1 or -1 leave an uncertainty of about {width:.2f}",
        look_at="what is drawn: words or whole sentences? With or without replacement?",
    )
    require(
        0.9 * width < high - low < 1.12 * width,
        seen=f"the interval of 40 sentences that each say +1 or -1 is {high - low:.3f} wide",
        should=f"a 95% interval is about {width:.3f} wide here",
        look_at="which quantiles of the differences bound the middle 95%, and how many sentences "
        "each draw has",
    )
    # Short sentences favour a, long ones neither: counted by words a is hardly ahead.
    lengths = np.where(np.arange(40) % 2 == 0, 1, 99)
    units = np.repeat(np.arange(40), lengths)
    low, high = _interval(function, lengths[units] == 1, np.zeros(len(units), bool), units)
    require(
        high < 0.1,
        seen=f"where a is ahead in 20 sentences of one word, and in none of 20 sentences of 99 words, "
        f"the interval is {low:.3f} to {high:.3f}",
        should="accuracy is the share of all drawn words, so a is ahead by about 20 of 2,000 words",
        look_at="are means of sentences averaged? A long sentence counts for more words than a "
        "short one",
    )
    once, again = (_interval(function, right[0], right[1], sentence_of) for _ in range(2))
    require(
        close(once, again, 1e-12),
        seen="called twice with the same seed, it gives two intervals",
        should="the same seed gives the same interval",
        look_at="does the random draw get the seed?",
    )
    units = np.repeat(np.arange(40), 10)
    luck = np.random.default_rng(0).random((2, 400)) < 0.5
    ends = {
        draws: [_interval(function, *luck, units, draws=draws, seed=s)[0] for s in range(12)]
        for draws in (10, 500)
    }
    require(
        len(set(ends[500])) > 1 or len(set(ends[10])) > 1,
        seen="twelve seeds give the same interval",
        should="another seed draws other sentences",
        look_at="where the seed goes in: does the random draw get the one that is handed over?",
    )
    require(
        np.std(ends[10]) > 1.8 * np.std(ends[500]),
        seen="over twelve seeds the lower end is no steadier with draws=500 (standard deviation "
        f"{np.std(ends[500]):.4f}) than with draws=10 ({np.std(ends[10]):.4f})",
        should="with more draws less is left to chance",
        look_at="does draws set the number of resamples?",
    )
    for layers, name, where, slack in (
        (of_20, "like_best_of_20", sentence_of < 20, 0.005),
        (of_all, "like_best_of_all", sentence_of >= 0, 0.003),
    ):
        _check_like_best(layers, name, right[:, where], sentence_of[where], slack)


def _interval(function, a, b, units, **settings) -> np.ndarray:
    pair = numbers(call(function, a, b, units, **settings), "low", "high")
    require(
        pair[0] <= pair[1],
        seen=f"low is {pair[0]:.3f} and high is {pair[1]:.3f}",
        should="low comes first",
        look_at="the order of what is returned",
    )
    return pair


def _check_like_best(layers, name, right, sentence_of, slack) -> None:
    require_answered(layers, name)
    try:
        named = sorted({int(layer) for layer in layers})
    except (TypeError, ValueError):
        named = None
    require(
        named is not None and all(0 <= k < len(right) for k in named),
        seen=f"{name} is {describe(layers)}",
        should=f"it is a list of layers, numbers from 0 to {len(right) - 1}",
        look_at="the comments in the starter",
    )
    accuracy = right.mean(axis=1)
    best = int(accuracy.argmax())
    require(
        best in named,
        seen=f"{name} is {named}; the highest accuracy, {accuracy[best]:.3f}, is at a layer that "
        "isn't in it",
        should="the best layer itself is always in the list",
        look_at="with which layer each is compared: the best one of these very test words",
    )
    n_words = np.bincount(sentence_of)
    n = len(n_words)
    times = np.random.default_rng(2).multinomial(n, np.full(n, 1 / n), size=2000)
    for k in range(len(right)):
        ahead = np.bincount(sentence_of, right[k].astype(float) - right[best])
        high = np.quantile(times @ ahead / (times @ n_words), 0.975)
        if k == best or abs(high) <= slack:  # another draw may decide otherwise
            continue
        require(
            (k in named) == (high >= 0),
            seen=f"{name} is {named}, {'with' if k in named else 'without'} layer {k}, which is "
            f"{accuracy[best] - accuracy[k]:.3f} behind the best; the upper end of the paired "
            f"interval of that difference lies {'below' if high < 0 else 'above'} 0",
            should="a layer belongs in the list if the interval of (layer minus best) reaches 0",
            look_at="is each layer compared with the best in pairs, and not by whether two "
            "intervals overlap, or by the accuracy alone?",
        )
