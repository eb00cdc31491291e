"""Self-checks of the exercises on inter-layer similarity."""

from __future__ import annotations

import numpy as np

from whichlayer.checks.report import (
    call,
    check,
    close,
    describe,
    keyed,
    numbers,
    one_of,
    refuses,
    require,
    require_answered,
    require_shape,
    untouched,
)

__all__ = [
    "check_beside_twins",
    "check_cka_with_floor",
    "check_corrected_cosine",
    "check_debiased_cka",
]


@check(
    "words at right angles give 1, equal words 0",
    "chance is measured between the two layers",
    "lengths and order don't matter",
    "what can't be compared is refused",
)
def check_corrected_cosine(function) -> None:
    """Exercise 5.1: the mean cosine of a word with itself, less that of different words."""

    def value(x, y):
        return _one_number(function, x, y, "is it averaged over all words?")

    # Four words at right angles to each other, the same at both layers.
    apart = np.eye(4)
    seen = value(apart, apart)
    require(
        not close(seen, 0.75),
        seen="for four words at right angles, equal at both layers, you return 0.75",
        should="a word with itself has cosine 1, any two different words 0: the result is 1",
        look_at="does a word count among the 'other' words for itself?",
    )
    require(
        not close(seen, 0),
        seen="for four words at right angles, equal at both layers, you return 0",
        should="the result is a similarity, and 1 here: 1 for a word with itself, 0 for others",
        look_at="did you return a change, or subtract all from all?",
    )
    require(
        close(seen, 1),
        seen=f"for four words at right angles, equal at both layers, you return {seen:.4f}",
        should="a word with itself has cosine 1, any two different words 0: the result is 1",
        look_at="the cosines of different words: how many are there, and which are they?",
    )
    # All words alike, so that nothing tells a word from another.
    alike = np.ones((4, 1)) * [[1.0, 2.0, 2.0]]
    seen = value(alike, alike)
    require(
        close(seen, 0),
        seen=f"when all words have the same vector, you return {seen:.4f}",
        should="a word then resembles itself no more than it does any other: the result is 0",
        look_at="the second half of the formula: is the chance level taken off, and is its sum divided "
        "by n(n - 1)?",
    )
    # Layer x is spread out, layer y a single direction: chance within x is 0, between them .5.
    seen = value(apart, np.ones((4, 4)))
    require(
        close(seen, 0),
        seen=f"with four words at right angles at layer x and all alike at layer y, you return {seen:.4f}",
        should="each word has the cosine .5 with itself and with every other at the other layer, "
        "so the result is 0",
        look_at="the chance level compares word i at the one layer with word j at the *other* one",
    )
    draw = np.random.default_rng(5)
    for words in (2, 13):
        x = draw.normal(size=(words, 6)) + 0.5
        y = x + draw.normal(size=(words, 6))
        plain = value(x, y)
        scaled = value(x * draw.uniform(0.1, 9, size=(words, 1)), 3 * y)
        require(
            close(plain, scaled),
            seen=f"when words get longer or shorter, the result goes from {plain:.4f} to {scaled:.4f}",
            should="a cosine doesn't depend on the length of any vector",
            look_at="the division by the lengths: one length per word, at each layer",
        )
        require(
            close(plain, value(x, y)),
            seen="two calls with the same tables give different results",
            should="all pairs of different words count, and nothing is drawn at random",
            look_at="where does chance come in?",
        )
        # Turning all words together, at both layers, leaves every angle as it is.
        order = draw.permutation(words)
        turn = np.linalg.qr(draw.normal(size=(6, 6)))[0]
        require(
            close(plain, value(x[order] @ turn, y[order] @ turn)),
            seen="when the words come in another order at both layers, and both are turned alike, "
            "the result changes",
            should="only the angles between words count, and all pairs of different words",
            look_at="which pairs do you use? One shuffle, or one neighbour for each word, is not all pairs",
        )
        cosines = [
            [u @ v / np.sqrt((u @ u) * (v @ v)) for v in y] for u in x
        ]  # read off pair by pair
        own = np.mean([cosines[i][i] for i in range(words)])
        require(
            plain < own or words == 2,
            seen=f"{plain:.4f}, where a word's own mean cosine is {own:.4f}",
            should="what random pairs share is taken off",
            look_at="the sign of the second half of the formula",
        )
        other = np.mean([cosines[i][j] for i in range(words) for j in range(words) if i != j])
        require(
            close(plain, own - other),
            seen=f"for {words} words with mean cosine {own:.4f}, and {other:.4f} between different "
            f"words, you return {plain:.4f}",
            should="the result is the difference of these two",
            look_at="each half of the formula by itself: which one comes out different?",
        )
    for x, y, what in (
        (np.ones((4, 3)), np.ones((5, 3)), "4 words at one layer and 5 at the other"),
        (np.ones((1, 3)), np.ones((1, 3)), "a single word"),
    ):
        _refuses(function, x, y, what)


@check(
    "1 for a copy, near 0 for unrelated tables",
    "the example worked on paper",
    "a known value on 100 words",
    "too few words are refused",
)
def check_debiased_cka(function) -> None:
    """Exercise 5.2: the formula's values, its invariances, and near 0 where nothing is shared."""

    def value(x, y):
        return _one_number(function, x, y, "the last line")

    def copy_has_one(table, what):
        own = value(table, table)
        seen = f"the CKA of {what} with itself comes out as {own:.4f}"
        require(
            np.isfinite(own),
            seen=seen,
            should="it is 1",
            look_at="the shape of K, words by words; and H(K, K), which stands under a root: print its "
            "three terms for the example",
        )
        require(
            not close(own, -1),
            seen=seen + ": H(K, K) came out negative",
            should="it is 1, and H(K, K) is above 0",
            look_at="print the three terms of H(K, K) for the example, and set them beside those in "
            "the text: 2, 2/3 and -2",
        )
        require(
            close(own, 1),
            seen=seen,
            should="it is 1",
            look_at="what H is divided by: the same H of each side with itself, under a root",
        )

    four, other = [[0.0], [0], [1], [1]], [[0.0], [1], [0], [1]]
    paper = value(four, other)
    if not close(paper, -0.5):
        copy_has_one(four, "the example's X")
    seen = f"for the four words of the exercise's example you get {paper:.4f}"
    require(
        not close(paper, 0),
        seen=seen + ", as the plain form does and as the trace alone does",
        should="it is -1/2",
        look_at="the diagonals of K and L: are they 0 when you use them, in both parts of the fraction? "
        "And are all three terms of H there?",
    )
    require(
        close(paper, -0.5),
        seen=seen,
        should="it is -1/2",
        look_at="print the three terms of H for the example, for K with L and for K with K: which one "
        "differs from those in the text? (They differ if you centre first; then compare the sums.)",
    )
    draw = np.random.default_rng(2)
    x = draw.normal(size=(30, 5))
    copy_has_one(x, "a table of 30 words")
    for words, dimensions in ((30, 60), (50, 50)):
        nothing = np.mean(
            [
                value(draw.normal(size=(words, dimensions)), draw.normal(size=(words, dimensions)))
                for _ in range(20)
            ]
        )
        require(
            abs(nothing) < 0.1,
            seen=f"unrelated random tables of {words} words and {dimensions} dimensions get "
            f"{nothing:.2f} on average",
            should="the debiased form is near 0 where nothing is shared",
            look_at="the diagonals of K and L: are they 0 when you use them, in both parts of the "
            "fraction?",
        )
    moved = value(x + 3, x[:, ::-1] * 2)
    require(
        close(moved, 1, 1e-4),
        seen=f"a copy with its dimensions in another order, moved and twice as long, gets {moved:.4f}",
        should="it gets 1",
        look_at="the sums over K and L: do they take in every word?",
    )
    # Reference values from an independent implementation.
    legacy = np.random.RandomState(1337)
    x = legacy.randn(100, 10)
    y = legacy.randn(100, 10) + x
    golden = value(x, y)
    require(
        close(golden, 0.51346, 2e-5),
        seen=f"for 100 words whose values are known from elsewhere you get {golden:.5f}"
        + (", which is the plain form's value" if close(golden, 0.55761, 2e-5) else ""),
        should="the debiased form gives 0.51346",
        look_at="the three terms of H, and the numbers of words in their denominators",
    )
    for x, y, what in (
        (np.eye(3), np.eye(3), "three words"),
        (
            draw.normal(size=(6, 2)),
            draw.normal(size=(5, 2)),
            "6 words on one side and 5 on the other",
        ),
    ):
        _refuses(function, x, y, what)


@check(
    "moving the cloud changes nothing",
    "a copy has 1",
    "the floor is that of ten shuffles of the words",
    "inputs are left alone",
)
def check_cka_with_floor(function) -> None:
    """Exercise 5.3: the value ignores where the cloud stands, the floor shuffles whole words."""

    def both(x, y, seed=0):
        return numbers(call(function, x, y, seed), "value", "floor")

    draw = np.random.default_rng(8)
    x = draw.normal(size=(60, 4)) @ np.diag([3.0, 2, 1, 1]) + 1
    y = np.c_[x @ draw.normal(size=(4, 4)), x[:, 0]] + 0.2 * draw.normal(size=(60, 5))
    with untouched(x, y):
        value, floor = both(x, y)
    shift = np.array([0, 7.0, 0, 0])
    moved, _ = both(x + shift, y)
    require(
        close(value, moved),
        seen=f"with 7 added to one dimension of all words the value goes from {value:.4f} to {moved:.4f}",
        should="moving all words together changes nothing",
        look_at="which mean does centre take off: that of each dimension over the words, or "
        "another one?",
    )
    require(
        not close(value, floor, 1e-6),
        seen=f"value and floor are both {value:.4f}",
        should="the floor is what is left when each word of one side stands beside another word of "
        "the other",
        look_at="after the shuffle, are the partners still the same? And is it words that are "
        "shuffled?",
    )
    copy, _ = both(x, 4 * x)
    require(
        close(copy, 1),
        seen=f"a table and a copy of it four times as long have the value {copy:.4f}",
        should="the value is 1",
        look_at="the denominator",
    )
    stretched, _ = both(x, x * [5.0, 1, 1, 1])
    require(
        stretched < 0.999,
        seen=f"a copy with one dimension stretched has the value {stretched:.4f}",
        should="CKA sees the stretching of a single dimension (the chapter shows it)",
        look_at="is more done to the tables than taking off a mean?",
    )
    floors = [both(x, y, seed)[1] for seed in range(40)]
    require(
        np.std(floors) > 0,
        seen="every seed gives the same floor",
        should="the seed decides the shuffles",
        look_at="where the random generator is made",
    )
    a, b = x - x.mean(0), y - y.mean(0)
    # The mean over all orders of the words is known exactly.
    scale = np.linalg.norm(a.T @ a) * np.linalg.norm(b.T @ b)
    expected = np.square(a).sum() * np.square(b).sum() / 59 / scale
    require(
        abs(np.mean(floors) - expected) < 0.2 * expected,
        seen=f"over 40 seeds the floor is {np.mean(floors):.4f} on average",
        should=f"whole words in a random order give about {expected:.4f} here",
        look_at="what is shuffled: rows as a whole, all of them, and anew each time?",
    )
    # A mean of ten varies about a third as much as one shuffle does.
    single = [np.square(b[draw.permutation(60)].T @ a).sum() / scale for _ in range(400)]
    require(
        np.std(floors) < 0.65 * np.std(single),
        seen=f"from seed to seed the floor varies by {np.std(floors):.4f} (standard deviation), and a "
        f"single shuffle by {np.std(single):.4f}",
        should="the mean over ten shuffles varies about a third as much as one of them",
        look_at="how many shuffles go into the floor, and is each a new one?",
    )
    require(
        close(value, np.trace(a @ a.T @ b @ b.T) / scale),
        seen=f"the value is {value:.4f}",
        should="it agrees with the chapter's formula on centred tables",
        look_at="the numerator: which two tables are multiplied? Or centre: does it take off more than the "
        "mean of each dimension?",
    )


@check(
    "above every twin, below every twin, or within",
    "too few twins are refused",
    "both measures beside both kinds of twin",
    "the conclusion",
)
def check_beside_twins(function, beside, conclusion, ours, twins) -> None:
    """Exercise 5.4: where numbers lie beside several twins', what MiniLM's do, and what follows."""
    words = ("above", "below", "within")

    def where(values, runs):
        result = call(function, np.array(values, dtype=float), np.array(runs, dtype=float))
        one_row = isinstance(result, list | tuple) or getattr(result, "ndim", 0) == 1
        require(
            one_row and len(result) == len(values),
            seen=f"for {len(values)} numbers you return {describe(result)}",
            should="a list with one text for each number comes back",
            look_at="along which axis do the twins lie? It is the first",
        )
        return [one_of(text, f"an entry of your list, {text!r},", words) for text in result]

    runs = [[0.2, 0.2, 0.2, 0.2], [0.4, 0.4, 0.4, 0.4], [0.9, 0.9, 0.9, 0.9]]
    seen = where([0.95, 0.1, 0.3, 0.6], runs)
    require(
        seen[:2] == ["above", "below"],
        seen=f"for .95 and .1 beside twins of .2, .4 and .9 you say {seen[0]} and {seen[1]}",
        should="the first is larger than all of them, the second smaller than all",
        look_at="which comparison belongs to which word?",
    )
    require(
        seen[2:] == ["within", "within"],
        seen=f"for .3 and .6 beside twins of .2, .4 and .9 you say {seen[2]} and {seen[3]}",
        should="some twins are larger and some smaller: within",
        look_at="do you compare with every twin, or with their mean, or with one of them?",
    )
    seen = where([0.2, 0.9], [[0.2, 0.3], [0.5, 0.9], [0.4, 0.1]])
    require(
        seen == ["within", "within"],
        seen=f"for numbers that are equal to the lowest and to the highest twin you say {seen}",
        should="equal to one of them is within",
        look_at="the comparison: is it < or <=?",
    )
    seen = where([0.5, 0.5], [[0.1, 0.6], [0.2, 0.9]])
    require(
        seen == ["above", "below"],
        seen=f"for .5 and .5 beside (.1, .6) and (.2, .9) you say {seen}",
        should="each number is compared with the twins' number at the same place: .1 and .2, then .6 and .9",
        look_at="along which axis do you take the lowest and the highest?",
    )
    for what, wrong in (
        ("a single twin", np.ones((1, 3))),
        ("twins of two values", np.ones((4, 2))),
    ):
        refuses(
            function, np.ones(3), wrong,
            what=f"three numbers beside {what}",
            should="two twins or more with three values each are needed, and ValueError says so",
            look_at="the shape of runs, before you compare. NumPy stretches some shapes without a word",
        )  # fmt: skip
    keys = [(measure, kind) for measure in ours for kind in twins]
    keyed(beside, "beside", keys)
    for measure, kind in keys:
        given = beside[measure, kind]
        all_runs = np.array([run[measure] for run in twins[kind]])
        expected = where(ours[measure], all_runs)
        require(
            isinstance(given, list | tuple | np.ndarray) and [str(g) for g in given] == expected,
            seen=f"beside[{(measure, kind)!r}] is {given}",
            should="it is what your own beside_twins says of MiniLM's numbers beside the three twins of this "
            "kind",
            look_at="this measure, this kind of twin, and all three of its runs",
        )
    require_answered(conclusion, "conclusion")
    letter = one_of(conclusion, "conclusion", ("a", "b", "c", "d", "e"))
    hints = {
        "a": "the change of the twins in the print-out: is it 0?",
        "c": "random pairs beside the *other* kind of twin, which has learnt nothing at all",
        "d": "the six changes of the twins: is the last one larger than the others?",
        "e": "three twins of a kind were drawn. Do they differ much from each other?",
    }
    require(
        letter == "b",
        seen=f"the conclusion is {letter.upper()}",
        should="it is what all four lists allow, and no more",
        look_at=hints.get(letter, ""),
    )


def _one_number(function, x, y, look_at: str) -> float:
    """What the function returns for two tables, which it must leave as they are."""
    x, y = np.array(x, float), np.array(y, float)
    with untouched(x, y):
        result = call(function, x, y)
    return float(require_shape(result, (), "your result", look_at))


def _refuses(function, x, y, what: str) -> None:
    refuses(
        function, x, y,
        what=f"a comparison of {what}",
        should="what can't be compared raises ValueError",
        look_at="the docstring's last lines: test for this before computing",
    )  # fmt: skip
