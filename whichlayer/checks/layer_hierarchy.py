"""Self-checks of the exercises on layer hierarchy."""

from __future__ import annotations

import numpy as np

from whichlayer.checks.report import (
    as_array,
    call,
    check,
    close,
    number,
    numbers,
    read_decisions,
    refuses,
    require,
    require_shape,
    seed_decides,
    untouched,
)

__all__ = [
    "check_block_that_turns_most",
    "check_difference_with_interval",
    "check_expected_layer",
    "check_layer_similarity",
]


@check(
    "the example on paper",
    "a layer that takes away",
    "6, 12 and 24 blocks",
    "no gain is refused",
)
def check_expected_layer(function) -> None:
    """Exercise 1.1: gains weigh the layers 1 to L, negative ones too; no gain is an error."""
    # Worked on paper; each shows another slip most clearly.
    seen = number(call(function, [60, 70, 70, 80]))
    if close(seen, 1.0):
        look_at = (
            "the number of the layer that made the first gain (layer 0 has no gain), and does the sum "
            "reach layer L?"
        )
    elif close(seen, 440 / 280) or close(seen, (70 + 140 + 240) / 280) or close(seen, 450 / 220):
        look_at = "the weights: the scores themselves, or what each layer has added to them?"
    elif close(seen, 0.5):
        look_at = (
            "what the sum is divided by (does the score of layer 0 belong to the gains?), and does the "
            "sum reach layer L?"
        )
    elif close(seen, 40.0):
        look_at = "the lower half of the fraction"
    else:
        look_at = "the example in the text: write its three gains and its layers side by side"
    require(
        close(seen, 2.0),
        seen=f"for the scores 60, 70, 70, 80 you return {seen:.3f}",
        should="it is 2: the average of 1 and 3, which have gained alike",
        look_at=look_at,
    )
    seen = number(call(function, [60, 80, 70, 80]))
    require(
        close(seen, 1.5),
        seen=f"for the scores 60, 80, 70, 80 you return {seen:.3f}",
        should="the gains are 20, -10 and 10, and the loss counts as a loss: 1.5",
        look_at="what becomes of the minus sign in your sum and below it",
    )
    for num_layers in (6, 12, 24):
        for layer in (1, num_layers):
            scores = [50.0] * layer + [90.0] * (num_layers + 1 - layer)
            seen = number(call(function, scores))
            require(
                close(seen, layer),
                seen=f"where layer {layer} of {num_layers} makes the whole gain, you return {seen:.3f}",
                should=f"the average is that layer, {layer}",
                look_at="how many layers your sum goes over: is a number of layers written down?",
            )
    for scores in ([80, 85, 80], [80, 85, 79]):
        refuses(
            function, scores,
            what=f"a call with the scores {scores}",
            should="where the last score isn't above the first, ValueError is raised",
            look_at="which two scores decide this, and whether equal ones are caught too",
        )  # fmt: skip


@check(
    "an example on paper",
    "ones on the diagonal, symmetric",
    "lengths and the order of words don't matter",
    "7 and 13 states",
)
def check_layer_similarity(function) -> None:
    """Exercise 1.2: the mean of the words' own cosines, whatever the vectors' lengths."""
    # Between the two layers one word keeps its direction and one turns by a right angle. The
    # lengths are unlike, so that long vectors must not count for more.
    small = np.array([[[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[5.0, 0.0, 0.0], [0.0, 0.0, 2.0]]])
    with untouched(small):
        seen = call(function, small)
    look_at = "whether it compares layers with layers, at all of them, and what the mean goes over"
    seen = require_shape(seen, (2, 2), "the result for 2 layers, 2 words and 3 dimensions", look_at)
    require(
        close(np.diag(seen), np.ones(2), 1e-4),
        seen=f"the diagonal is {np.round(np.diag(seen), 3).tolist()}",
        should="each layer has cosine 1 with itself",
        look_at=(
            "a sum where a mean should be?"
            if close(np.diag(seen), 2 * np.ones(2), 1e-4)
            else "which vector is compared with which word's, and what the dot product is divided by"
        ),
    )
    value = seen[0, 1]
    if close(value, 15 / np.sqrt(10 * 29), 1e-4):
        hint = "each word needs a cosine of its own, before anything is averaged or put together"
    else:
        hint = "the axis of your sums and lengths: they run over the hidden dimensions"
    require(
        close(value, 0.5, 1e-4),
        seen=f"one word keeps its direction, the other turns by a right angle, and their lengths are "
        f"unlike: the entry of the two layers is {value:.3f}",
        should="it is the mean of the two words' cosines, 1 and 0",
        look_at=hint,
    )
    opposite = np.array([[[1.0, 0.0], [-1.0, 0.2]], [[1.0, 0.5], [-1.0, 0.1]]])
    cosines = [
        a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
        for a, b in zip(opposite[0], opposite[1], strict=True)
    ]
    value = require_shape(call(function, opposite.copy()), (2, 2), "the result", look_at)[0, 1]
    require(
        close(value, np.mean(cosines), 1e-4),
        seen=f"two words with the cosines {cosines[0]:.3f} and {cosines[1]:.3f} give {value:.3f}",
        should=f"it is their mean, {np.mean(cosines):.3f}",
        look_at="the axes: every vector has a length of its own, along the hidden dimensions",
    )
    rng = np.random.default_rng(3)
    for num_states in (7, 13):
        vectors = rng.normal(size=(num_states, 5, 8))
        lengths = rng.uniform(0.1, 10, size=(num_states, 5, 1))
        plain = require_shape(
            call(function, vectors.copy()),
            (num_states, num_states),
            f"the result for {num_states} layers",
            "is a number of layers written down?",
        )
        scaled = as_array(call(function, vectors * lengths))
        require(
            close(plain, scaled, 1e-4),
            seen="vectors of the same directions and other lengths give other values (up to "
            f"{np.abs(plain - scaled).max():.2f} apart)",
            should="only the directions count",
            look_at="what each dot product is divided by",
        )
        require(
            np.abs(plain).max() < 1.0001,
            seen=f"the matrix has values up to {np.abs(plain).max():.2f}",
            should="a cosine lies from -1 to 1",
            look_at="what each dot product is divided by, and whether you take a mean or a sum",
        )
        require(
            close(plain, plain.T, 1e-4),
            seen=f"the entry of layers 0 and 1 is {plain[0, 1]:.2f}, that of layers 1 and 0 is "
            f"{plain[1, 0]:.2f}",
            should="layer i with j is the same as j with i",
            look_at="whether both halves of the matrix are filled",
        )
        order = rng.permutation(5)
        require(
            close(as_array(call(function, vectors[:, order].copy())), plain, 1e-4),
            seen="the same words in another order give other values",
            should="the order of the words doesn't matter",
            look_at="which word of one layer is compared with which of the other",
        )


def _path(num_layers: int, block: int) -> np.ndarray:
    """[CLS] of three sentences in the plane, two of them turned by one block, in opposite ways.

    Their mean doesn't turn there; it turns a little in block 2, by the third sentence. Block 1 (or
    the last, where block 1 turns) makes all vectors longer, which is no turn.
    """
    angles = np.zeros((num_layers + 1, 3))
    angles[block:] += np.array([1.2, -1.2, 0.0])
    angles[2:] += np.array([0.0, 0.0, 0.4])
    angles += np.array([0.1, -0.1, 0.0])
    path = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    path[_stretched(num_layers, block) :] *= 20.0
    return path


def _stretched(num_layers: int, block: int) -> int:
    return num_layers if block == 1 else 1


@check(
    "the first, the fourth and the last two blocks of 6 and of 12",
    "lengths don't matter",
    "sentences that turn in opposite directions",
    "every sentence counts, and none alone",
)
def check_block_that_turns_most(function) -> None:
    """Exercise 1.3: the block's number is right for every block of 6 and of 12, lengths aside."""
    for num_layers in (6, 12):
        for block in (4, 1, num_layers - 1, num_layers):
            seen = number(call(function, _path(num_layers, block)))
            if num_layers == 12:  # All blocks of 6 were named rightly.
                look_at = "with 6 blocks all is right: is a number of layers written down?"
            elif seen == block - 1:
                look_at = "where the change that block 1 makes stands in your list of changes, if it is there"
            elif block == num_layers:
                look_at = "is the step into the last layer among those you compare?"
            elif seen == block + 1 and block != 1:
                look_at = "whether you count one too many"
            elif seen == _stretched(num_layers, block):
                look_at = (
                    "this block makes the vectors longer without turning them: what is a turn?"
                )
            elif seen == 2 and block == 1:
                look_at = "is the step from layer 0 to layer 1 among those you compare?"
            elif seen == 2:
                look_at = "whether the mean over the sentences comes before or after the cosine"
            else:
                look_at = (
                    "which two layers you compare, and whether you look for much or for little"
                )
            require(
                seen == block,
                seen=f"where block {block} of {num_layers} turns the vectors most, you name {seen:g}",
                should="block k leads from layer k - 1 to layer k, and is named k",
                look_at=look_at,
            )
    _check_average_turn(function)


def _check_average_turn(function) -> None:
    # A minimum over the sentences sees the one that turns far.
    angles = np.zeros((7, 5))
    angles[2:, 3] += 1.5
    angles[3:] += 0.8
    seen = number(call(function, np.stack([np.cos(angles), np.sin(angles)], axis=-1)))
    require(
        seen == 3,
        seen="block 2 turns one of five sentences far and the others not at all, block 3 turns all "
        f"five by half as much: you name {seen:g}",
        should="the turn of a block is the average over the sentences, and that of block 3 is larger",
        look_at="what you take over the sentences: does one of them decide alone?",
    )
    # The median, and the sentence that turns least, see only the many that turn a little.
    angles = np.zeros((7, 5))
    angles[2:] += 0.5
    angles[4:, :2] += 1.5
    seen = number(call(function, np.stack([np.cos(angles), np.sin(angles)], axis=-1)))
    require(
        seen == 4,
        seen="block 4 turns two of five sentences far and the others not at all, block 2 turns all "
        f"five a little: you name {seen:g}",
        should="the turn of a block is the average over the sentences, and that of block 4 is larger",
        look_at="what you take over the sentences: does each of them count, the far ones too?",
    )


@check(
    "the mean difference",
    "a paired interval over words, from the 2.5th to the 97.5th percentile",
    "as many draws as asked for",
    "the same seed, the same interval; another seed, another one",
    "the decisions follow from the intervals",
)
def check_difference_with_interval(function, decisions) -> None:
    """Exercise 1.4: paired, over words, 95%; and the decisions that the data allow."""
    rng = np.random.default_rng(11)
    # Words differ by 5, layers by 1: only a paired comparison sees the latter.
    words = rng.normal(0, 5, size=100)
    gap = np.array([words, words + rng.normal(1, 0.6, size=100), words + 7.0])
    differences = gap[1] - gap[0]

    def three(*args, **kwargs):
        return numbers(call(function, *args, **kwargs), "mean difference", "low end", "high end")

    mean, low, high = three(gap, 1, 0, draws=3000)
    require(
        not close(mean, -differences.mean()),
        seen=f"a layer whose gap is wider by {differences.mean():.2f} has the difference {mean:.2f}",
        should="the difference is positive if the gap is wider at the first of the two layers",
        look_at="which layer is subtracted from which",
    )
    require(
        close(mean, differences.mean()),
        seen=f"the mean difference of 100 words is {differences.mean():.5f}, you return {mean:.5f}",
        should="the first number is the mean over the words of (gap at layer minus gap at other)",
        look_at="whether you return the estimate itself, from all words, each once: or is it the mean "
        "of the draws?",
    )
    require(
        low <= high,
        seen=f"the low end is {low:.3f}, the high end {high:.3f}",
        should="low comes before high",
        look_at="the order of what you return",
    )
    width = 2 * 1.96 * differences.std() / np.sqrt(100)
    ratio = (high - low) / width
    if high - low < 1e-9:
        look_at = "is each draw made with replacement, and is each another one?"
    elif ratio > 6:
        look_at = (
            "the words that you draw: is it the same ones at both layers, or do you draw twice; and "
            "do you take the mean of what is drawn?"
        )
    else:
        look_at = "how many words a draw has, and which percentiles you take (from 0 to 100?)"
    require(
        abs(ratio - 1) < 0.11,
        seen=f"with 100 words your interval goes from {low:.3f} to {high:.3f}",
        should=f"95 of 100 means drawn lie in it, as many below as above (here about {width:.2f} wide)",
        look_at=look_at,
    )
    mean, low, high = three(gap, 1, 0, draws=1, seed=4)
    require(
        high - low < 1e-9 and abs(low - mean) > 1e-9,
        seen=f"with draws=1 the interval goes from {low:.5f} to {high:.5f}, around {mean:.5f}",
        should="one draw gives one mean, that of the words drawn, and both ends lie there",
        look_at="where the argument draws goes, and whether the ends are percentiles of the means drawn",
    )
    seed_decides(lambda seed: three(gap, 1, 0, draws=60, seed=seed)[1:], "words")
    constant = three(gap, 2, 0)
    require(
        close(constant, [7, 7, 7]),
        seen="where every word's gap is wider by exactly 7, you return "
        f"{', '.join(f'{value:.2f}' for value in constant)}",
        should="whichever words are drawn, their mean difference is 7",
        look_at="whether the arguments layer and other are used, and the pairing of the words",
    )
    _check_decisions(decisions)


def _check_decisions(decisions) -> None:
    # Settled far from 0, or far from settled, whichever words are drawn.
    expected = {
        "senses: wider at layer 6 than at layer 5": "yes",
        "tags: wider at layer 3 than at layer 1": "yes",
        "tags: wider at layer 3 than at layer 4": "not settled",
    }
    said = read_decisions(decisions, tuple(expected))
    for statement, answer in expected.items():
        require(
            said[statement] == answer,
            seen=f"to {statement!r} you answer {said[statement]!r}",
            should='"yes" needs the whole interval above 0, "no" all of it below; an interval that '
            "holds 0 settles neither",
            look_at="the interval of this comparison: on which side of 0 do its two ends lie? (Which "
            "mean is larger in the sample doesn't decide.)",
        )
