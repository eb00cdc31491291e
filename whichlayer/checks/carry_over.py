"""Self-checks of the exercises on what carries over from one encoder to others."""

from __future__ import annotations

import numpy as np

from whichlayer.checks.report import (
    CheckFailed,
    as_array,
    call,
    check,
    close,
    describe,
    keyed,
    number,
    refuses,
    require,
    require_shape,
    things,
    untouched,
)

__all__ = [
    "check_at_relative_depth",
    "check_carries_over",
    "check_hold_in_all",
    "check_what_changes",
]


@check(
    "each layer at its relative depth, straight lines between",
    "depths in any order, many profiles at once",
    "depths outside of 0 to 1 are refused",
)
def check_at_relative_depth(function) -> None:
    """Exercise 7.1: layer k of L at k/L, straight lines between layers, for any number of profiles."""

    def read(accuracy, depths, look_at="one value for each depth, in the order of the depths"):
        accuracy, depths = np.array(accuracy, dtype=float), np.array(depths, dtype=float)
        try:
            with untouched(accuracy, depths):
                result = call(function, accuracy, depths)
        except CheckFailed as failed:
            if "stopped with" not in failed.seen:
                raise
            raise CheckFailed(
                f"for accuracies of shape {accuracy.shape} and {len(depths)} depths, {failed.seen}",
                "one profile has the shape (L+1,), and there may be axes before it: layers are always "
                "the last one",
                "does it work for one profile alone, and for a table of them? np.interp takes one "
                "profile at a time",
            ) from failed
        shape = (*accuracy.shape[:-1], len(depths))
        return require_shape(result, shape, "your result", look_at)

    profile = [0.6, 0.8, 0.9, 0.5, 0.7]
    at_layers = read(profile, [0, 0.25, 0.5, 0.75, 1])
    require(
        close(at_layers[[0, -1]], [0.6, 0.7]),
        seen=f"at the depths 0 and 1 of a profile that runs from .6 to .7 you return "
        f"{at_layers[0]:.3f} and {at_layers[-1]:.3f}",
        should="depth 0 is the embeddings, and depth 1 is the last layer",
        look_at="how many blocks have five layers? Layer k of L blocks stands at k/L",
    )
    require(
        close(at_layers, profile),
        seen="five layers, read at the depths 0, 1/4, 1/2, 3/4 and 1, are "
        + ", ".join(f"{value:.3f}" for value in at_layers),
        should="these are the depths of the layers themselves, so the profile comes back",
        look_at="the depths that you give the layers: do they run evenly from 0 to 1? Five layers have "
        "four blocks between them",
    )
    between = read(profile, [0.125, 0.6875])
    require(
        not (close(between[0], 0.6) or close(between[0], 0.8)),
        seen=f"halfway between layers of .6 and .8 you return {between[0]:.3f}",
        should="between two layers it is the straight line that joins them",
        look_at="do you take the nearest layer?",
    )
    require(
        close(between, [0.7, 0.6]),
        seen="at the depths 1/8 and 11/16 of .6, .8, .9, .5, .7 you return "
        + ", ".join(f"{value:.3f}" for value in between),
        should="the first lies halfway between layers 0 and 1; the second has gone three quarters of the "
        "way from layer 2 to layer 3",
        look_at="between which two layers does the depth lie, and how far from the first?",
    )
    backwards = read(profile, [1, 0.5, 0])
    require(
        close(backwards, [0.7, 0.9, 0.6]),
        seen="for the depths 1, 1/2, 0 you return "
        + ", ".join(f"{value:.3f}" for value in backwards),
        should="the values come in the order of the depths",
        look_at="are the depths sorted on the way, or is their order taken from somewhere else?",
    )
    draw = np.random.default_rng(7)
    for shape in ((3, 7), (7, 7), (2, 4, 13)):
        many = draw.uniform(0.3, 0.95, size=shape)
        depths = draw.uniform(size=5)
        together = read(many, depths, "each profile keeps its place, depths are the last axis")
        alone = np.array([read(p, depths) for p in many.reshape(-1, shape[-1])])
        require(
            close(together, alone.reshape(together.shape)),
            seen=f"for accuracies of shape {shape} a profile gets other values than it gets alone",
            should="each profile is read by itself",
            look_at="along which axis do the layers lie?",
        )
    for what, bad in (("below 0", -0.1), ("above 1", 1.5), ("that is not a number", np.nan)):
        refuses(
            function, np.array(profile), np.array([0.5, bad]),
            what=f"a depth {what}",
            should="there is no layer outside of 0 to 1, and ValueError says so",
            look_at="np.interp repeats the last value out there, and a comparison with a NaN is never "
            "true. Test the depths before, all of them",
        )  # fmt: skip


@check(
    "the share that changed on either side of the replaced word",
    "distances measured by the state's own length",
    "NaN where no word stands",
    "other shapes and places outside are refused",
)
def check_what_changes(function) -> None:
    """Exercise 7.2: which words in front of a replaced word, and after it, get another state."""

    def shares(states, other, position, **named):
        with untouched(states, other):
            parts = things(call(function, states, other, position, **named), "before", "after")
        return [
            require_shape(part, (len(states),), name, "one share for each layer")
            for name, part in zip(("before", "after"), parts, strict=True)
        ]

    draw = np.random.default_rng(8)
    states = draw.normal(size=(3, 7, 8))
    length = np.linalg.norm(states, axis=-1, keepdims=True)

    def moved(hit, by=0.1):
        return states + by * length * np.where(hit, 1.0, 0.0)[..., None] * np.eye(8)[0]

    hit = np.zeros((3, 7), dtype=bool)
    hit[:, 2] = True
    hit[1, 3:5] = True  # two of four after it
    hit[2, 0] = hit[2, 3:] = True  # one of two in front, all after it
    before, after = shares(states, moved(hit), 2)
    require(
        not (close(before, [0, 0.5, 1]) and close(after, [0, 0, 0.5])),
        seen="the shares in front and after come the wrong way round",
        should="what comes first is the share of words that stand before the replaced one",
        look_at="the order of what you return",
    )
    require(
        before[0] == 0 and after[0] == 0,
        seen=f"where only the replaced word has changed you return {before[0]:.2f} before it and "
        f"{after[0]:.2f} after it",
        should="nothing else has changed: 0 and 0",
        look_at="does the replaced word count on one of the sides?",
    )
    require(
        close(before, [0, 0, 0.5]) and close(after, [0, 0.5, 1]),
        seen=f"word 2 of seven is replaced. At layer 1 two of four words after it have changed, at layer "
        f"2 one of two before it and all after it; you return {before} before and {after} after",
        should="each is the share of the words on that side, layer by layer: 0, 0, .5 and 0, .5, 1",
        look_at="what do you divide by, and which words belong to a side? And has a word changed once its "
        "vector has moved, in whatever dimension?",
    )
    # The same relative movement in vectors a thousand times longer and shorter.
    for scale in (1e-3, 1e3):
        before, after = shares(scale * states, scale * moved(hit), 2)
        require(
            close(before, [0, 0, 0.5]) and close(after, [0, 0.5, 1]),
            seen=f"states {scale:g} times as long, moved by a tenth of their length, give other shares",
            should="the distance is measured by the length of the state itself",
            look_at="do you compare the distance with the tolerance, or with the tolerance times the "
            "length?",
        )
    tiny = moved(~hit, 1e-5)
    before, after = shares(states, tiny, 2)
    require(
        not before.any() and not after.any(),
        seen="states moved by a hundred thousandth of their length count as changed",
        should="so small a movement is rounding: with the default tolerance of .001 nothing has changed",
        look_at="the comparison with the tolerance",
    )
    before, after = shares(states, moved(hit), 2, tolerance=0.2)
    require(
        not before.any() and not after.any(),
        seen="with tolerance=0.2, states moved by a tenth of their length count as changed",
        should="the argument decides how much is a change",
        look_at="is the argument used, or is a number written down where it should stand?",
    )
    # Every number of a vector moves by less than the tolerance, the vector by more.
    wide = np.ones((2, 3, 400))
    before, after = shares(wide, wide + np.where(np.arange(400) % 2, 8e-4, -8e-4) * 2, 1)
    require(
        close(before, [1, 1]) and close(after, [1, 1]),
        seen="a vector of 400 ones, each changed by .0016, doesn't count as changed",
        should="its length is 20, and it has moved by .032: more than a thousandth of the length",
        look_at="is the distance the length of the difference?",
    )
    for position, empty in ((0, "before"), (6, "after")):
        seen = dict(zip(("before", "after"), shares(states, moved(hit), position), strict=True))
        require(
            np.isnan(seen[empty]).all(),
            seen=f"the replaced word is number {position} of 0 to 6, and the share {empty} it is "
            f"{seen[empty]}",
            should="no word stands there, so the share is not defined: NaN at each layer",
            look_at="what is the mean of no words at all?",
        )
    refuses(
        function, states, states[:, :5], 2,
        what="a second sentence of another length",
        should="the two must have one shape, and ValueError says so",
        look_at="test the shapes before you subtract",
    )  # fmt: skip
    for position in (7, -1):
        refuses(
            function, states, states.copy(), position,
            what=f"position {position} of a sentence with 7 words",
            should="places run from 0 to 6, and ValueError says so",
            look_at="Python slices past the end, and counts from the back, without a word. Test it before",
        )  # fmt: skip


@check(
    "the worst encoder decides",
    "Holm's rule over the statements, up to the first failure",
    "verdicts in the order of the rows",
    "values outside of 0 to 1 are refused",
)
def check_hold_in_all(function) -> None:
    """Exercise 7.3: the largest p of a row, then Holm's rule over rows."""

    def verdicts(p_values, *level):
        p_values = np.array(p_values, dtype=float)
        with untouched(p_values):
            result = call(function, p_values, *level)
        seen = as_array(result, "your result")
        require(
            seen.shape == (len(p_values),) and np.isin(seen, (0, 1)).all(),
            seen=f"for {p_values.shape[0]} statements in {p_values.shape[1]} encoders you return "
            f"{describe(result)}",
            should="it is one True or False for each statement",
            look_at="along which axis do the encoders lie, and what does your last line return?",
        )
        return [bool(value) for value in seen]

    def agree(p_values, expected, *level, should, look_at):
        seen = verdicts(p_values, *level)
        require(
            seen == expected,
            seen=f"for {p_values}{f' at a level of {level[0]}' if level else ''} you return {seen}",
            should=should,
            look_at=look_at,
        )

    agree(
        [[0.001, 0.9], [0.9, 0.001]], [False, False],
        should="each fails in one of the encoders, so neither holds in all",
        look_at="which encoder of a row speaks for the whole row? Neither the best nor their mean",
    )  # fmt: skip
    agree(
        [[0.03, 0.04, 0.02]], [True],
        should="one statement needs no correction, however many encoders: its worst p is below .05",
        look_at="what do you divide the level by? It is the statements that are counted",
    )  # fmt: skip
    agree(
        [[0.02, 0.07, 0.03]], [False],
        should="the statement's p is that of its worst encoder, .07",
        look_at="how do the p-values of a row become one?",
    )  # fmt: skip
    agree(
        [[0.030], [0.020]], [True, True],
        should="the smaller is below .05/2, and then the other must be at most .05",
        look_at="with one statement passed, among how many is the next one?",
    )  # fmt: skip
    agree(
        [[0.04], [0.06]], [False, False],
        should="the smallest must be at most .05/2",
        look_at="does the number of statements come in? And with which one does the rule begin?",
    )  # fmt: skip
    agree(
        [[0.022], [0.020], [0.021]], [False, False, False],
        should="the smallest, .020, is above .05/3, so the rule stops there: none of them holds",
        look_at="what becomes of the statements after the first that fails?",
    )  # fmt: skip
    agree(
        [[0.2], [0.001], [0.9], [0.01]], [False, True, False, True],
        should="verdicts come in the order of the rows, not in that of the p-values",
        look_at="after sorting: how do the verdicts get back to their statements?",
    )  # fmt: skip
    agree(
        [[0.03], [0.02]], [False, False], 0.01,
        should="the argument level decides",
        look_at="is the argument used, or is .05 written down where it should stand?",
    )  # fmt: skip
    agree(
        [[0.025], [0.05]], [True, True],
        should="'at most' holds for equal numbers too: .025 is .05/2, and .05 is .05",
        look_at="the comparison: < or <=?",
    )  # fmt: skip
    for bad in (-0.1, 1.2, np.nan):
        refuses(
            function, np.array([[0.01, 0.02], [0.3, bad]]),
            what=f"a p-value of {bad:g}",
            should="p-values run from 0 to 1, and ValueError says so",
            look_at="which comparison does a NaN pass? None: so ask whether all values are inside",
        )  # fmt: skip


@check(
    "five p-values, each of its statement's worst encoder",
    "verdicts by Holm's rule for five statements",
)
def check_carries_over(carries_over) -> None:
    """Exercise 7.4: a p for each statement over three encoders, and what it decides."""
    # The p-values on the recorded resamples, with room for resamples of one's own.
    bands = {
        "role: half above last": (0, 0.003),
        "relation: half above embeddings": (0, 0.003),
        "entity: half above last": (0.017, 0.032),
        "sense: last above half": (0.08, 0.15),
        "part of speech: last above embeddings": (0.5, 0.7),
    }
    keyed(carries_over, "carries_over", bands)
    given = {s: things(carries_over[s], "p", "holds") for s in bands}
    p_values = {s: number(p, f"the p of {s!r}") for s, (p, _) in given.items()}
    for statement, p in p_values.items():
        low, high = bands[statement]
        require(
            p > 0,
            seen=f"the p of {statement!r} is {p:g}",
            should="with 1,000 resamples it can't be below 1/1001: the result itself is counted as one",
            look_at="the + 1 in (k + 1)/(n + 1)",
        )
        require(
            not low <= 1 - p <= high or low <= p <= high,
            seen=f"the p of {statement!r} is {p:.3f}",
            should="it counts the resamples that speak against the statement: a difference of 0 or less",
            look_at="which layer is subtracted from which, and which resamples are counted?",
        )
        require(
            low <= p <= high,
            seen=f"the p of {statement!r} is {p:.3f}",
            should="it is the share of resamples that speak against the statement, in the encoder in "
            "which this share is largest",
            look_at="all three encoders, the two layers, and both layers on the same resample",
        )
    expected = {s: bands[s][1] < 0.01 for s in bands}
    for statement, (_, holds) in given.items():
        said = bool(number(holds, f"the verdict on {statement!r}", "True or False, without quotes"))
        require(
            said == expected[statement],
            seen=f"{statement!r} has a p of {p_values[statement]:.3f} over three encoders, and your verdict "
            f"is {said}",
            should="the verdict is that of Holm's rule for five statements",
            look_at="sort the five by their p. What must the first, the second, the third be at most?",
        )
