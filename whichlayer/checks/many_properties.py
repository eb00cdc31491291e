"""Self-checks of the exercises on many properties at once."""

from __future__ import annotations

import numpy as np

from whichlayer.checks.report import (
    CheckFailed,
    as_array,
    call,
    check,
    close,
    keyed,
    number,
    numbers,
    one_of,
    refuses,
    require,
    require_shape,
    things,
    untouched,
)

__all__ = [
    "check_form_table_accuracy",
    "check_interval_of_difference",
    "check_order_of_properties",
    "check_share_of_errors_removed",
]


@check(
    "0 at layer 0, 1 where no error is left, below 0 after a loss",
    "many profiles, each by its own layer 0",
    "no errors at layer 0 is refused",
)
def check_share_of_errors_removed(function) -> None:
    """Exercise 6.1: 0 at layer 0, 1 without errors, below 0 after a loss; each profile by itself."""

    def shares(accuracy, look_at="every layer keeps its place, also layer 0"):
        array = np.array(accuracy, dtype=float)
        try:
            with untouched(array):
                result = call(function, array)
        except CheckFailed as failed:
            if "stopped with" not in failed.seen:
                raise
            raise CheckFailed(
                f"for accuracies of shape {array.shape}, {failed.seen}",
                "one profile of 7 layers has the shape (7,), three have (3, 7), and there may be more "
                "axes: layers are always the last one",
                "how you pick layer 0: does the layer 0 of each profile keep an axis of its own, and "
                "does it also work for the shape (7,), where there is no other axis?",
            ) from failed
        return require_shape(result, array.shape, "your result", look_at)

    paper = [0.6, 0.8, 0.9, 1.0, 0.4]
    seen = shares(paper)
    require(
        close(seen[0], 0),
        seen=f"at layer 0 you return {seen[0]:.3f}",
        should="it is 0 there: none of layer 0's errors is gone at layer 0",
        look_at="which layer's errors do you start from?",
    )
    require(
        seen[4] < 0,
        seen=f"for an accuracy of .4, after .6 at layer 0, you return {seen[4]:.3f}",
        should="a layer with more errors than layer 0 has a value below 0",
        look_at="do you cut off or hide losses, or measure from the lowest layer?",
    )
    require(
        close(seen[3], 1),
        seen=f"for an accuracy of 1, after .6 at layer 0, you return {seen[3]:.3f}",
        should="where no error is left, all of them are gone: 1",
        look_at="a share of what? Compare with the number of errors at layer 0",
    )
    require(
        close(seen, [0, 0.5, 0.75, 1, -0.5]),
        seen=f"for accuracies of {', '.join(f'{a:g}' for a in paper)} you return "
        f"{', '.join(f'{v:.3g}' for v in seen)}",
        should="of 40 errors in 100 words, 20, 30 and 40 are gone at layers 1, 2 and 3, and 20 have "
        "come at layer 4",
        look_at="is each layer compared with layer 0, or with the one before it, or with the best?",
    )
    draw = np.random.default_rng(6)
    for shape in ((3, 7), (7, 7), (2, 4, 13)):
        many = draw.uniform(0.3, 0.95, size=shape)
        together = shares(many, "each profile keeps its place, layers are the last axis")
        alone = np.array([shares(p) for p in many.reshape(-1, shape[-1])]).reshape(shape)
        require(
            close(together, alone),
            seen=f"for accuracies of shape {shape} a profile gets other values than it gets alone",
            should="each profile is measured by its own layer 0",
            look_at="along which axis do you look for layer 0? It is the last that holds the layers. And "
            "does the layer 0 of each profile keep an axis of its own, so that it stays with its profile?",
        )
    for what, accuracy in (
        ("a profile that begins at 1", np.array([1.0, 0.9, 0.8])),
        ("two profiles, of which one begins at 1", np.array([[0.5, 0.9], [1.0, 0.9]])),
    ):
        refuses(
            function, accuracy,
            what=what,
            should="where layer 0 makes no errors in a profile, ValueError says so",
            look_at="what do you divide by there? Test it before, for any of the profiles",
        )  # fmt: skip


@check(
    "the commonest label of each form, in lower case",
    "new forms get training's commonest label",
    "nothing comes from the test",
)
def check_form_table_accuracy(function) -> None:
    """Exercise 6.2: forms in lower case, the table from training alone, every test word counted."""

    def score(train, test):
        words, labels = zip(*train, strict=True)
        test_words, test_labels = zip(*test, strict=True)
        result = call(function, list(words), list(labels), list(test_words), list(test_labels))
        share = number(result, "your result", "it is one share, not one per word")
        require(
            0 <= share <= 1,
            seen=f"your result is {share:g}",
            should="it is a share, from 0 to 1",
            look_at="what the count of right words is divided by",
        )
        return share

    train = [("saw", "VERB"), ("saw", "VERB"), ("saw", "NOUN"), ("red", "ADJ"), ("tree", "NOUN")]
    train += [("house", "NOUN"), ("cat", "NOUN")]
    seen = score(train, [("saw", "VERB"), ("red", "ADJ"), ("saw", "NOUN"), ("tree", "NOUN")])
    require(
        not close(seen, 0),
        seen="of four known test words the table gets three right, and you return 0",
        should="each form gets the label that it carries most often in training",
        look_at="print what the table names for saw: is it a label, or a list of (label, count)?",
    )
    require(
        not close(seen, 1),
        seen="a form with two labels in the test is named right both times: you return 1",
        should="a table names one label for a form, so one of the two is wrong",
        look_at="does a word count as right if its form ever carried the label? Or is the test's own "
        "label looked up?",
    )
    require(
        close(seen, 0.75),
        seen=f"of four known test words the table gets three right, and you return {seen:g}",
        should="each form gets the label that it carries most often in training",
        look_at="a form with several labels: which one do you keep, the first, the last, or the "
        "commonest?",
    )
    order = [train[i] for i in (2, 0, 1, 3, 4, 5, 6)]
    for shuffled in (order, order[::-1]):
        seen = score(shuffled, [("saw", "VERB"), ("red", "ADJ")])
        require(
            close(seen, 1),
            seen="when the training words come in another order, the table names another label",
            should="each form gets the label that it carries most often in training",
            look_at="do you keep the first or the last label of a form instead of counting?",
        )
    seen = score([("The", "DET"), ("red", "ADJ"), ("Red", "ADJ")], [("the", "DET"), ("RED", "ADJ")])
    require(
        close(seen, 1),
        seen=f"with The in training and the in the test, you return {seen:g} for words that the table "
        "knows",
        should="a form is the word in lower case, in training and test",
        look_at="where do words become keys of the table, and where are they looked up?",
    )
    train_lower = [("the", "DET"), ("red", "ADJ"), ("red", "ADJ")]
    seen = score(train_lower, [("The", "DET"), ("Red", "ADJ")])
    require(
        close(seen, 1),
        seen=f"with the in training and The in the test, you return {seen:g} for words that the table "
        "knows",
        should="a form is the word in lower case, in training and test",
        look_at="where are test words looked up: in which spelling?",
    )
    mixed = [("saw", "NOUN"), ("red", "ADJ"), ("tree", "NOUN"), ("ship", "NOUN"), ("green", "ADJ")]
    seen = score(train, mixed)
    where = f"of three known and two new forms the table should name three right, and you return {seen:.3g}"
    require(
        not (close(seen, 2 / 3) or close(seen, 0.4)),
        seen=where,
        should="a form that training never showed gets the commonest label of training, and counts",
        look_at="what becomes of forms that aren't in the table? Is what they get a label, or a list of "
        "(label, count)?",
    )
    require(
        seen < 0.7,
        seen=where,
        should="the table comes from training alone",
        look_at="do test words or test labels get into the counts?",
    )
    require(
        close(seen, 0.6),
        seen=where,
        should="new forms get training's commonest label, and all test words count",
        look_at="what becomes of forms that aren't in the table, and what do you divide by?",
    )
    # In the test another label is commonest than in training.
    seen = score(train, [("ship", "ADJ"), ("boat", "ADJ"), ("green", "ADJ"), ("go", "NOUN")])
    require(
        close(seen, 0.25),
        seen=f"four new forms, one of which carries training's commonest label: you return {seen:.3g}",
        should="the label for new forms is the commonest one of the training words",
        look_at="whose labels do you count for it: training's words, the table's forms, or the test's?",
    )
    # Counted by words, B leads; counted by forms, A.
    by_words = [("x", "B")] * 5 + [("p", "A"), ("q", "A"), ("r", "A")]
    seen = score(by_words, [("new", "B"), ("x", "B")])
    require(
        close(seen, 1),
        seen="a new form gets the label that most forms carry, not the one that most words carry",
        should="the commonest label of all in training counts every word",
        look_at="what do you count for the fallback: words, or entries of the table?",
    )


@check(
    "a property against itself gives 0 to 0",
    "whole documents are drawn",
    "b less a, at 95%",
    "undefined resamples are left out",
)
def check_interval_of_difference(function) -> None:
    """Exercise 6.3: both properties on the same resamples, of whole documents."""

    def last(accuracy):
        return accuracy[..., -1]

    def interval(a, b, ids, measure=last, n=2000, seed=0):
        result = call(function, a, b, np.asarray(ids).astype(str), measure, n, seed)
        return tuple(numbers(result, "low", "high"))

    draw = np.random.default_rng(3)
    ids = np.repeat(np.arange(15), draw.integers(2, 9, size=15))
    a = draw.random((4, len(ids))) < [[0.5], [0.6], [0.7], [0.6]]
    low, high = interval(a, a.copy(), ids)
    require(
        close([low, high], [0, 0]),
        seen=f"a property compared with itself gets the interval {low:.3f} to {high:.3f}",
        should="it gets 0 to 0: no resample can tell it from itself",
        look_at="are both properties counted on the same resamples?",
    )
    # Eight documents of 25 words, each all right or all wrong: eighths of a binomial number.
    ids = np.repeat(list("abcdefgh"), 25)
    nothing = np.zeros((3, 200), dtype=bool)
    half = np.tile(np.repeat([1, 0, 1, 0, 1, 0, 1, 0], 25).astype(bool), (3, 1))
    low, high = interval(nothing, half, ids, n=5000)
    require(
        high > 0,
        seen=f"b is right where a is wrong, and the interval is {low:.3f} to {high:.3f}",
        should="the interval is that of b's number less a's",
        look_at="the order of the difference",
    )
    require(
        high - low > 0.3,
        seen=f"eight documents of 25 words, half of them read by b and none by a: the interval is "
        f"{low:.3f} to {high:.3f}",
        should="the words of a document go together, so there are eight units and the interval is wide",
        look_at="what is drawn: documents, or words?",
    )
    require(
        close([low, high], [0.125, 0.875], 1e-3),
        seen=f"for eight documents, of which b reads four and a none, the interval is {low:.3f} to "
        f"{high:.3f}",
        should="95% of the resamples lie between its ends, with as many documents drawn as there are",
        look_at="the two quantiles, and how many units are drawn, with replacement",
    )
    # What the measure is handed shows what was drawn: four documents of 5 words give quarters.
    handed = []

    def keeping(accuracy):
        handed.append(as_array(accuracy, "what your function hands to measure")[..., -1].ravel())
        return last(accuracy)

    four = np.repeat(["k", "l", "m", "n"], 5)
    two = np.tile(np.isin(four, ["k", "m"]), (3, 1))
    interval(two, two, four, keeping, n=300)
    drawn = np.concatenate(handed) if handed else np.zeros(1)
    off = np.abs(4 * drawn - np.round(4 * drawn))
    require(
        off.max() < 1e-6,
        seen="for four documents of like length, two of them right and two wrong in every word, a "
        f"resample has the accuracy {drawn[off.argmax()]:.3f}",
        should="four documents are drawn each time, so it is 0, 1/4, 1/2, 3/4 or 1",
        look_at="how many units are there to draw from: one for each document, or also some without "
        "any word? Print len(units)",
    )
    uneven = draw.random((2, 4, 60)) < 0.6
    lengths = np.repeat(np.arange(12), np.tile([3, 5, 7], 4)).astype(str)
    ends = {interval(*uneven, lengths, n=100, seed=seed) for seed in (0, 1, 2)}
    require(
        len(ends) > 1,
        seen="three different seeds give the very same interval",
        should="the seed decides the resamples",
        look_at="what the random generator is made from",
    )
    # Where a is wrong b is right, so that the two go up and down against each other.
    low, high = interval(half, ~half, ids, n=5000)
    require(
        close([low, high], [-0.75, 0.75], 1e-3),
        seen=f"of eight documents b reads the four that a doesn't: the interval is {low:.3f} to {high:.3f}",
        should="a resample that is good for the one is bad for the other, so the difference varies "
        "twice as much as either",
        look_at="is the difference taken draw by draw, and then its quantiles? Or are the ends of two "
        "intervals subtracted?",
    )
    # b gets one word more in every document, whose lengths differ.
    ids = np.repeat(np.arange(10), 6)
    base = draw.random((3, 60)) < 0.4
    base[:, ::6] = False
    more = base.copy()
    more[:, ::6] = True
    low, high = interval(base, more, ids)
    require(
        close([low, high], [1 / 6, 1 / 6]),
        seen=f"b reads one word of six more in every document, and the interval is {low:.3f} to "
        f"{high:.3f}",
        should="the difference is 1/6 in every resample",
        look_at="is the difference taken draw by draw, and then the quantiles? Or are the ends of two "
        "intervals subtracted?",
    )
    # Long and short documents: each word counts the same.
    ids = np.repeat(["a", "b", "c", "d"], [1, 1, 1, 97])
    long = np.tile(ids == "d", (3, 1))
    low, high = interval(np.zeros((3, 100), dtype=bool), long, ids, n=1000)
    require(
        low == 0 and high > 0.97,
        seen=f"b reads one document of 97 words and not those of one word: {low:.3f} to {high:.3f}",
        should="accuracy is the share of right words among those drawn",
        look_at="what is divided by what: words, or a mean of each document's share?",
    )

    # The measure sums up a profile; the profile's layers must get to it, and some have none.
    def sometimes(accuracy):
        with np.errstate(all="ignore"):
            value = accuracy[..., 0] * 0 + accuracy.argmax(axis=-1)
            return np.where(accuracy[..., 0] > 0.4, value, np.nan)

    ids = np.repeat(np.arange(12), 5)
    first = draw.random((4, 60)) < [[0.4], [0.6], [0.5], [0.2]]
    low, high = interval(first, first.copy(), ids, sometimes)
    require(
        close([low, high], [0, 0]),
        seen=f"where the measure is NaN in some resamples, the interval is {low} to {high}",
        should="those resamples are left out",
        look_at="how the quantiles treat NaN",
    )


@check(
    "three intervals",
    "each verdict follows from its interval",
    "resamples without an expected layer are left out (for adjective more than a third: see the "
    "next cell)",
)
def check_order_of_properties(order_of_properties) -> None:
    """Exercise 6.4: three paired intervals of expected layers, and what they decide."""
    # What the intervals are for MiniLM on the course's treebank, with room for another processor
    # and other resamples.
    bands = {
        "verb, subject": ((0.12, 0.42), (0.7, 1.06)),
        "subject, object": ((-0.6, -0.25), (0.2, 0.58)),
        "adjective, verb": ((-2, -0.1), (0.1, 2)),
    }
    keyed(order_of_properties, "order_of_properties", bands)
    for pair, (low_band, high_band) in bands.items():
        *ends, verdict = things(order_of_properties[pair], "low", "high", "verdict")
        low, high = (number(end, f"an end of the interval for {pair!r}") for end in ends)
        require(
            np.isfinite([low, high]).all(),
            seen=f"for {pair!r} the interval is {low} to {high}",
            should="both ends are numbers",
            look_at="resamples in which a profile has no rise have no expected layer: leave them out",
        )
        first, second = pair.split(", ")
        verdict = one_of(verdict, f"the verdict for {pair!r}", (first, second, "open"))
        require(
            low < high,
            seen=f"for {pair!r} the interval is {low:.2f} to {high:.2f}",
            should="the lower end comes first, and they differ",
            look_at="which quantile is which",
        )
        said = first if low > 0 else second if high < 0 else "open"
        require(
            verdict == said,
            seen=f"for {pair!r} the interval is {low:.2f} to {high:.2f}, and the verdict {verdict!r}",
            should="the verdict follows from the interval of the second's number less the first's",
            look_at="does the interval reach 0? If not, which of the two has the smaller expected "
            "layer?",
        )
        flipped = high_band[0] < -low < high_band[1] and low_band[0] < -high < low_band[1]
        require(
            not (flipped and pair == "verb, subject"),
            seen=f"for {pair!r} the interval is {low:.2f} to {high:.2f}",
            should="it is that of the second property's expected layer less the first's",
            look_at="the sign: which property did you hand over first?",
        )
        require(
            low_band[0] < low < low_band[1] and high_band[0] < high < high_band[1],
            seen=f"for {pair!r} the interval is {low:.2f} to {high:.2f}",
            should="it is the 95% interval of the difference of two expected layers",
            look_at="is it one interval of the difference, or made of two intervals' ends? And is the "
            "measure that of expected layers, for these two properties?",
        )
