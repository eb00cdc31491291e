"""Self-checks of the exercises on what is the probe's doing, and what the encoder's."""

from __future__ import annotations

import numpy as np

from whichlayer.checks.report import (
    as_array,
    call,
    check,
    close,
    describe,
    number,
    numbers,
    refuses,
    require,
    require_shape,
    seed_decides,
    untouched,
)

__all__ = [
    "check_enough_words",
    "check_growing_sets",
    "check_limit_rank",
    "check_two_sources",
]


@check(
    "sets of the sizes that were asked for, in their order",
    "document by document, words in their own order",
    "each larger set begins with the smaller ones",
    "the seed decides the order of the documents",
    "sizes that can't be had are refused",
)
def check_growing_sets(function) -> None:
    """Exercise 8.1: nested training sets of whole documents."""
    documents = np.array(list("aaaabbbbbbcccccddddddddeeeffff"))

    def sets(sizes, seed=0):
        with untouched(documents):
            result = call(function, documents, list(sizes), seed=seed)
        require(
            isinstance(result, list | tuple) and len(result) == len(sizes),
            seen=f"for {len(sizes)} sizes you return {describe(result)}",
            should="it is a list with one array of indices for each size",
            look_at="what your last line returns",
        )
        arrays = [as_array(one, "one of the sets") for one in result]
        for size, array in zip(sizes, arrays, strict=True):
            require(
                array.shape == (size,),
                seen=f"the set for the size {size} has the shape {array.shape}",
                should="it holds as many words as its size says, so its last document may be cut",
                look_at="do you stop at the end of a document, or at a number of words?",
            )
        return [array.astype(int) for array in arrays]

    (whole,) = sets([len(documents)])
    require(
        np.array_equal(np.sort(whole), np.arange(len(documents))),
        seen=f"the set of all {len(documents)} words holds {len(set(whole.tolist()))} different indices",
        should="each word stands in it once, as its index from 0",
        look_at="do you return indices of words, or something else?",
    )
    blocks = np.count_nonzero(np.r_[True, documents[whole][1:] != documents[whole][:-1]])
    require(
        blocks == 6,
        seen=f"the words of 6 documents stand in {blocks} stretches: "
        + "".join(documents[whole].tolist()),
        should="the words of one document stand together",
        look_at="what is shuffled, words or documents?",
    )
    for one in "abcdef":
        own = whole[documents[whole] == one]
        require(
            (np.diff(own) > 0).all(),
            seen=f"the words of document {one!r} come in the order {own.tolist()}",
            should="the words of a document keep their own order, as they would be annotated",
            look_at="are the words of a document shuffled, too?",
        )
    sizes = [12, 5, 30, 1]
    many = sets(sizes)
    for size, array in zip(sizes, many, strict=True):
        require(
            np.array_equal(array, many[2][:size]),
            seen=f"the set of {size} words isn't the beginning of that of 30",
            should="each larger set holds the smaller ones: there is one line of documents",
            look_at="is the order of the documents drawn once, or once for each size?",
        )
    require(
        np.array_equal(many[2], whole),
        seen="with the same seed, the whole line depends on which other sizes are asked for",
        should="the line depends on the documents and on the seed only",
        look_at="what is drawn before the order of the documents?",
    )
    # A document that is split over two places of the corpus is still one.
    back = np.array(list("aabbbaac"))
    with untouched(back):
        line = as_array(call(function, back, [8])[0], "the set").astype(int)
    require(
        np.count_nonzero(np.diff((back[line] == "a").astype(int))) <= 2
        and np.count_nonzero(np.r_[True, back[line][1:] != back[line][:-1]]) == 3,
        seen="a document that stands at two places of the corpus is taken for two: "
        + "".join(back[line].tolist()),
        should="words with the same document id are one document",
        look_at="how do you find the words of a document?",
    )
    firsts = {documents[sets([1], seed=seed)[0][0]] for seed in range(30)}
    require(
        len(firsts) > 2,
        seen=f"over 30 seeds the line always begins with document {' or '.join(sorted(firsts))}",
        should="the documents come in random order",
        look_at="is the order of the documents drawn, and does the seed reach the draw?",
    )
    seed_decides(lambda seed: sets([30], seed)[0], "orders")
    for bad in (0, 31):
        refuses(
            function, documents, [3, bad],
            what=f"a size of {bad}, of {len(documents)} words,",
            should="there is no such set, and ValueError says so",
            look_at="slices end quietly where the words do. Test the sizes before",
        )  # fmt: skip


@check(
    "accuracies weighted by words, on each resample",
    "test: the mean variance over resamples, draw by draw",
    "training: the spread over draws",
    "n - 1 for both",
)
def check_two_sources(function) -> None:
    """Exercise 8.2: standard deviations over test resamples and over training draws."""

    def sources(right, words, times):
        right, words, times = (np.array(x, dtype=float) for x in (right, words, times))
        with untouched(right, words, times):
            return numbers(call(function, right, words, times), "test", "training")

    words = [10, 90]
    times = [[1, 1], [2, 0], [0, 2]]
    same = sources([[5, 81], [5, 81]], words, times)
    expected = np.std([0.86, 0.5, 0.9], ddof=1)
    require(
        not close(same, [0, expected]),
        seen=f"two draws with the same counts give test {same[0]:.3f} and training {same[1]:.3f}",
        should="the training text made no difference here; test comes first",
        look_at="the order of what you return",
    )
    require(
        close(same[1], 0),
        seen=f"two draws with the same counts give a training spread of {same[1]:.3f}",
        should="it is 0: whichever documents were drawn, the accuracy was the same",
        look_at="over which axis do you take the spread?",
    )
    require(
        not close(same[0], np.std([0.7, 0.5, 0.9], ddof=1)),
        seen=f"documents of 10 and 90 words, of which 5 and 81 are named right, give test {same[0]:.3f}",
        should="a resample's accuracy counts words: .86, .5 and .9 here, not a mean of documents' shares",
        look_at="what do you divide by what, and when?",
    )
    require(
        not close(same[0], np.std([0.86, 0.5, 0.9])),
        seen=f"three resamples with the accuracies .86, .5 and .9 give test {same[0]:.4f}",
        should="the variance of a few is taken with n - 1",
        look_at="ddof, in every variance and standard deviation",
    )
    require(
        close(same[0], expected),
        seen=f"three resamples with the accuracies .86, .5 and .9 give test {same[0]:.4f}",
        should=f"their standard deviation is {expected:.4f}",
        look_at="right @ times.T counts the words named right in each resample. How many words are there? And "
        "is the variance taken draw by draw?",
    )
    equal = [50, 50]
    spread = sources([[40, 40], [30, 30], [35, 35]], equal, [[1, 1], [2, 0], [0, 2]])
    require(
        close(spread[0], 0) or spread[0] > 0.051,
        seen="three draws, each as good on one document as on the other, have a test spread of "
        f"{spread[0]:.3f}",
        should="which documents are tested made no difference: 0",
        look_at="is the variance over resamples taken draw by draw?",
    )
    require(
        close(spread[0], 0),
        seen="three draws, each as good on one document as on the other, have a test spread of "
        f"{spread[0]:.3f}",
        should="which documents are tested made no difference: 0",
        look_at="are draws and resamples thrown together before the variance is taken?",
    )
    require(
        close(spread[1], 0.1),
        seen=f"accuracies of .8, .6 and .7 after three draws have a training spread of {spread[1]:.4f}",
        should="their standard deviation, with n - 1, is .1",
        look_at="which accuracies go in, and ddof",
    )
    # One draw is better on the first document, the other on the second: their mean never moves.
    crossed = sources([[50, 30], [30, 50]], equal, [[1, 1], [2, 0], [0, 2]])
    require(
        not close(crossed[0], 0),
        seen="two draws, each much better on one of two documents, have a test spread of 0",
        should="each of the two probes would look better or worse with the test text",
        look_at="is the mean over the draws taken before the variance over the resamples?",
    )
    require(
        close(crossed[0], 0.2),
        seen=f"two draws with accuracies of .8, 1 and .6 on three resamples, have a test spread of {crossed[0]:.4f}",
        should="each has a variance of .04, so their mean is .04, and its root .2",
        look_at="variances are averaged, and the root is taken last",
    )
    uneven = sources([[50, 50], [30, 50]], equal, [[1, 1], [2, 0], [0, 2]])
    require(
        close(uneven[0], np.sqrt((0 + 0.04) / 2)),
        seen=f"one draw with a variance of 0 and one with .04 have a test spread of {uneven[0]:.4f}",
        should="the mean variance is .02, and its root .1414",
        look_at="are variances averaged, or standard deviations?",
    )


@check(
    "rows with the mean 0",
    "the nearest weights of that rank",
    "the largest rank names what the full probe names",
    "ranks that can't be had are refused",
)
def check_limit_rank(function) -> None:
    """Exercise 8.3: centred over the labels, then the leading singular directions."""

    def limited(weights, rank):
        weights = np.array(weights, dtype=float)
        with untouched(weights):
            result = call(function, weights, rank)
        return require_shape(result, weights.shape, "your result", "the shape stays (d, labels)")

    draw = np.random.default_rng(3)
    weights = draw.normal(size=(20, 5)) + 6 * draw.normal(size=(20, 1))
    centred = weights - weights.mean(axis=1, keepdims=True)
    strength = np.linalg.svd(centred, compute_uv=False)
    for rank in (1, 2, 4):
        seen = limited(weights, rank)
        found = int(np.linalg.matrix_rank(seen, tol=1e-8))
        require(
            found <= rank,
            seen=f"for rank={rank} your weights have the rank {found}",
            should="the rank is at most the one that is asked for",
            look_at="how many singular values are kept?",
        )
        require(
            np.abs(seen.mean(axis=1)).max() < 1e-8,
            seen=f"for rank={rank} the rows of your weights have means of up to "
            f"{np.abs(seen.mean(axis=1)).max():.3f}",
            should="each row has the mean 0 over the labels: what all labels share names none of them",
            look_at="over which axis is the mean taken off, and is it taken off before the rank is limited?",
        )
        missed = float(np.square(seen - centred).sum())
        least = float(np.square(strength[rank:]).sum())
        require(
            missed < least + 1e-6,
            seen=f"for rank={rank} the squared distance from the centred weights is {missed:.2f}",
            should=f"weights of that rank come as near as {least:.2f}",
            look_at="which singular values are the largest, and does what you put together have all three "
            "parts of the decomposition?",
        )
    vectors = draw.normal(size=(300, 20))
    same = (vectors @ limited(weights, 4)).argmax(axis=1) == (vectors @ weights).argmax(axis=1)
    require(
        same.all(),
        seen=f"with 5 labels and rank 4, {np.count_nonzero(~same)} of 300 words get another label",
        should="4 numbers tell 5 labels apart, so nothing changes",
        look_at="is the mean taken off before the decomposition?",
    )
    wide = draw.normal(size=(4, 9))
    require(
        int(np.linalg.matrix_rank(limited(wide, 6), tol=1e-8)) <= 4,
        seen="4 dimensions and rank=6 give weights of more than rank 4",
        should="there are only 4 dimensions, so all of them are kept",
        look_at="what happens where there are fewer singular values than rank says?",
    )
    for bad in (0, 5):
        refuses(
            function, weights, bad,
            what=f"rank={bad} with 5 labels",
            should="ranks run from 1 to 4, and ValueError says so",
            look_at="test the rank before anything else",
        )  # fmt: skip


@check(
    "the smallest recorded size from which on 18 of 20 studies agree",
    "None where there is no such size",
)
def check_enough_words(enough_words) -> None:
    """Exercise 8.4: how many words each of five statements needs, on the recorded curves."""
    expected = {
        "relation: 3 ahead of 0": 400,
        "relation: 3 ahead of 2": 3200,
        "relation: 2 ahead of 0": 400,
        "relation, network: 3 ahead of 0": 1600,
        "part of speech: 2 ahead of 3": None,
    }
    require(
        isinstance(enough_words, dict) and set(expected) <= set(enough_words),
        seen=f"enough_words is {describe(enough_words)}",
        should="it is a dictionary with the five statements as keys, as in the starter",
        look_at="the answer cell as you found it, with the names between quotes",
    )
    for statement in expected:
        _require_not_dots(enough_words[statement], f"enough_words[{statement!r}]")
    seen = {
        s: None if enough_words[s] is None else number(enough_words[s], f"the size of {s!r}")
        for s in expected
    }
    sizes = (100, 200, 400, 800, 1600, 3200, 6400)
    for statement, size in seen.items():
        require(
            size is None or size in sizes,
            seen=f"for {statement!r} you say {size:g}" if size is not None else "",
            should=f"it is one of the recorded sizes, {', '.join(map(str, sizes))}, or None",
            look_at="do you return a size, or a count of sizes or of studies?",
        )
    never = "part of speech: 2 ahead of 3"
    require(
        seen[never] is None,
        seen=f"for {never!r} you say {seen[never]}",
        should="at every larger size, too, 18 of 20 studies must agree; here they do with few words and "
        "don't with many, so there is no such size",
        look_at="what happens at the sizes above the one you found?",
    )
    dips = "relation: 2 ahead of 0"
    require(
        seen[dips] != 100,
        seen=f"for {dips!r} you say 100",
        should="with 200 words fewer than 18 of 20 studies agree, so 100 isn't enough from there on",
        look_at="do you stop at the first size at which it holds?",
    )
    for statement, size in expected.items():
        own = seen[statement]
        if size is None:
            continue
        require(
            own is not None,
            seen=f"for {statement!r} you say None",
            should="there is a size from which on 18 of 20 studies put that layer ahead",
            look_at="which column counts the studies that put the first layer ahead? And is 18 of 20 enough?",
        )
        require(
            own >= size,
            seen=f"for {statement!r} you say {own:g}, where fewer than 18 of 20 studies put that layer ahead",
            should="at the size itself and at all larger ones 18 of 20 agree",
            look_at="which share is 18 of 20, and is the column the one of the layer that is named first?",
        )
        require(
            own <= size,
            seen=f"for {statement!r} you say {own:g}, but a smaller size will do",
            should="it is the smallest size from which on 18 of 20 studies agree",
            look_at="18 of 20 is enough: is it 'at least', or 'more than'? And does the walk go on to the last size that holds?",
        )


def _require_not_dots(value, name: str) -> None:
    require(
        value is not ...,
        seen=f"{name} is not answered yet",
        should="it holds a number of words, or None",
        look_at="the answer cell: put your value in place of the dots, and run the cell",
    )
