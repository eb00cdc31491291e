"""Self-checks of the exercises on combining layers."""

from __future__ import annotations

from functools import lru_cache
from types import FunctionType

import numpy as np
import torch
from torch import nn

from whichlayer.checks.report import (
    as_array,
    call,
    check,
    close,
    describe,
    keyed,
    one_of,
    require,
    require_shape,
    things,
)

__all__ = [
    "check_ScalarMix",
    "check_concat_layers",
    "check_fair_comparison",
    "check_mixes_of_tasks",
]


@check(
    "one to four layers, in their order, from the start and from the end",
    "states with two and three axes",
    "4 x 768 = 3,072",
)
def check_concat_layers(function) -> None:
    """Exercise 3.1: the layers asked for stand side by side, whole and in their order."""
    # Layer k's dimension d of any word holds 100 k + d, so that each number says where it is from.
    hidden = 4
    for words in ((3,), (2, 3)):
        states = tuple(
            (100.0 * k + torch.arange(hidden)).expand(*words, hidden).clone() for k in range(13)
        )
        for layers in ([-4, -3, -2, -1], [0, 12], [5, 2, 8], [7]):
            seen = require_shape(
                call(function, states, list(layers)),
                (*words, hidden * len(layers)),
                f"layers {layers} of states of shape {(*words, hidden)} put side by side",
                "which axis may get longer, and how long for this list? Which gives a new axis, "
                "stacking or concatenating?",
            )
            wanted = [k % 13 for k in layers]
            expected = torch.cat([states[k] for k in wanted], -1).numpy()
            row = seen.reshape(-1, hidden * len(layers))[0]
            from_layers = [round(float(number) // 100) for number in row]
            require(
                close(seen, expected),
                seen=f"for layers {wanted} of 13 the first word's numbers come from the layers "
                f"{from_layers}"
                + (
                    ""
                    if from_layers != [k for k in wanted for _ in range(hidden)]
                    else ", but not in their own order"
                ),
                should=f"first all {hidden} numbers of layer {wanted[0]}, then all of the next in "
                "the list, for each word",
                look_at="whether the layers stand in the order of the list, and whether a reshape "
                "has torn them apart or mixed words",
            )
    # Words differ here: a reshape can't hide behind equal rows.
    states = tuple(torch.arange(6.0).reshape(3, 2) + 10 * k for k in range(3))
    seen = as_array(call(function, states, [0, 2]))
    require(
        close(seen, np.concatenate([states[0], states[2]], axis=-1)),
        seen=f"the second word's vectors [2, 3] and [22, 23] became {seen[1].tolist()}",
        should="a row holds one word's layers and nothing of another word's",
        look_at="whether a reshape has mixed words",
    )
    wide = call(function, tuple(torch.zeros(1, 768) for _ in range(13)), [-4, -3, -2, -1])
    require_shape(wide, (1, 3072), "the last four of a BERT-base's states", "the hidden dimensions")


@check(
    "14 numbers learn for 13 states",
    "weights are positive and sum to one",
    "a new mix is the mean, for 3, 7 and 13 states",
    "gradients reach w and gamma",
    "layer norm takes each vector by itself",
)
def check_ScalarMix(module_class) -> None:
    """Exercise 3.2: 14 numbers learn; new it is the mean; weights sum to one; each vector normed alone."""
    mix = call(module_class, 13)
    require(
        isinstance(mix, nn.Module),
        seen=f"ScalarMix(13) is {describe(mix)}",
        should="it is an nn.Module",
        look_at="the line that begins with class",
    )
    names = dict(mix.named_parameters())
    for name, shape in (("w", (13,)), ("gamma", None)):
        value = getattr(mix, name, None)
        require(
            value is not None,
            seen=f"ScalarMix(13) has no attribute {name}",
            should="it has w and gamma, as in the table",
            look_at="the names behind self. in __init__",
        )
        shape_seen = tuple(getattr(value, "shape", ()))
        require(
            isinstance(value, torch.Tensor) and (name == "gamma" or value.ndim == 1),
            seen=f"{name} is {describe(value)}",
            should="w is one tensor of shape (num_states,), and gamma one number",
            look_at="whether it is one nn.Parameter, not a list of them, and has one axis only",
        )
        require(
            shape_seen == shape if shape else value.numel() == 1,
            seen=f"{name} has the shape {shape_seen}",
            should="w has one number for each of the 13 states, and gamma is one number",
            look_at="how many states an encoder with 12 blocks has",
        )
    count = sum(parameter.numel() for parameter in names.values())
    require(
        count == 14 and all(p.requires_grad for p in names.values()),
        seen=f"ScalarMix(13) has {count} numbers that an optimizer gets to see: "
        f"{', '.join(names) or 'none'}",
        should="13 weights and gamma, 14 numbers, are parameters that learn",
        look_at="what else is a parameter? The layer norm asked for here has none of its own"
        if count > 14
        else "what makes of an attribute something that parameters() finds",
    )
    start = _weights(mix)
    require(
        close(start, np.full(13, 1 / 13)),
        seen=f"the weights of a new mix of 13 are {np.round(start, 3).tolist()}, with the sum "
        f"{start.sum():.3f}",
        should="at first all are equal and sum to one",
        look_at="what w holds at first, and what happens to it on the way to weights",
    )
    first = as_array(mix.w, "w")
    require(
        close(first, np.zeros(13)),
        seen=f"w of a new mix is {np.round(first, 3).tolist()}",
        should="w is before the softmax, and holds zeros at first",
        look_at="which numbers are equal and sum to one: those before the softmax, or after?",
    )
    small = call(module_class, 2)
    with torch.no_grad():
        small.w.copy_(torch.tensor([0.0, float(np.log(3))]))
        small.gamma.fill_(2.0)
    seen = _weights(small)
    require(
        close(seen, [0.25, 0.75], 1e-4),
        seen=f"for w = [0, log 3] the weights are {np.round(seen, 4).tolist()}",
        should="they are exp(w) divided by its sum: 1/4 and 3/4",
        look_at="is there one softmax, over the states, no more and no less?",
    )
    states = torch.tensor([[[4.0, 0.0]], [[0.0, 4.0]]])
    seen = require_shape(
        _forward(small, states), (1, 2), "the mix of two states of (1, 2)", "which axis is summed"
    )
    require(
        close(seen, [[2.0, 6.0]], 1e-4),
        seen=f"with weights 1/4 and 3/4 and gamma 2, the states [4, 0] and [0, 4] become "
        f"{np.round(seen[0], 3).tolist()}",
        should="2 x (1/4 x [4, 0] + 3/4 x [0, 4]) = [2, 6]",
        look_at="is it normalised although do_layer_norm=False?"
        if close(seen, [[-1.0, 1.0]], 1e-2)
        else "are the weights after the softmax used, once, and does gamma multiply?",
    )
    for number, shape in ((13, (5, 4)), (7, (2, 3, 4)), (3, (2, 2, 2, 4))):
        random = torch.randn(number, *shape, generator=torch.Generator().manual_seed(number))
        for form, what in ((random, "one tensor"), (tuple(random), "a tuple")):
            new = call(module_class, number)
            seen = require_shape(
                _forward(new, form),
                shape,
                f"the mix of {number} states of shape {shape}, given as {what},",
                "how many axes your code takes for granted",
            )
            require(
                close(seen, random.mean(0), 1e-4),
                seen=f"a new mix of {number} states, given as {what}, isn't their mean",
                should="with equal weights and gamma 1 the mix is the mean of all states",
                look_at="are all the states in it, the embeddings too? What is summed, and with "
                "which weights?",
            )
    _check_gradients(module_class)
    _check_layer_norm(module_class)


def _weights(mix) -> np.ndarray:
    def weights():
        return mix.weights

    require(
        not isinstance(getattr(type(mix), "weights", None), FunctionType),
        seen="weights is a method, so that mix.weights gives no numbers without parentheses",
        should="weights is a property, as in the table",
        look_at="the line above def weights",
    )
    return require_shape(
        call(weights), tuple(mix.w.shape), "weights", "one weight for each of the states"
    )


def _forward(mix, states):
    def forward():
        return mix(states)

    return call(forward)


def _check_gradients(module_class) -> None:
    mix = call(module_class, 5)
    states = torch.randn(5, 6, 4, generator=torch.Generator().manual_seed(0))
    out = _forward(mix, states)
    reaches = isinstance(out, torch.Tensor) and out.requires_grad
    if reaches:
        out[..., 0].pow(2).sum().backward()
    for name in ("w", "gamma"):
        gradient = getattr(mix, name).grad
        require(
            reaches and gradient is not None and bool((gradient.abs() > 0).any()),
            seen=f"after backward() no gradient has reached {name}",
            should="the gradient of what comes out reaches w and gamma, so that they can learn",
            look_at="does anything on the way from the parameter to the result make a copy of it "
            "or a plain list or array?",
        )


def _check_layer_norm(module_class) -> None:
    states = torch.randn(4, 3, 6, generator=torch.Generator().manual_seed(1)) + 2
    normed = call(module_class, 4, do_layer_norm=True)
    count = sum(parameter.numel() for parameter in normed.parameters())
    require(
        count == 5,
        seen=f"ScalarMix(4, do_layer_norm=True) has {count} numbers that learn",
        should="it has 5, as without: layer_norm here has no parameters of its own",
        look_at="what does the normalising: a module with a gain and a bias, or two steps of "
        "arithmetic? The text above the exercise names a function",
    )
    together = as_array(_forward(normed, states))
    plain = as_array(_forward(call(module_class, 4), states))
    require(
        not close(together, plain, 1e-3),
        seen="with do_layer_norm=True the same comes out as without",
        should="each vector is normalised before mixing",
        look_at="where do_layer_norm is asked for in forward",
    )
    alone = as_array(_forward(normed, states[:, :1]))
    require(
        close(together[:1], alone, 1e-3),
        seen="with do_layer_norm=True the first word's result changes when the other two words of "
        "the batch are left out",
        should="a word's result doesn't depend on its neighbours",
        look_at="over which axes the mean and the standard deviation are taken",
    )
    one = call(module_class, 1, do_layer_norm=True)
    vector = as_array(_forward(one, states[:1]))
    require(
        np.abs(vector.mean(-1)).max() < 1e-3 and np.abs(vector.std(-1) - 1).max() < 0.12,
        seen=f"one layer normalised has vectors of mean {vector.mean(-1)[0]:.3f} and standard "
        f"deviation {vector.std(-1)[0]:.3f}",
        should="each normalised vector has the mean 0 and the standard deviation 1",
        look_at="the division is missing or is by something else"
        if np.abs(vector.mean(-1)).max() < 1e-3
        else "both steps: take away the mean, divide by the standard deviation",
    )
    longer = states.clone()
    longer[2] *= 10
    require(
        close(together, as_array(_forward(normed, longer)), 1e-2),
        seen="with do_layer_norm=True the result changes when one layer's vectors are made ten "
        "times as long",
        should="the length of a layer's vectors plays no part any more",
        look_at="is each layer's vector normalised before the sum, and not the sum?",
    )


@check(
    "zeros give the mean, also for one task",
    "two tasks worked out on paper",
    "the weights shown are those used",
    "gradients reach w",
)
def check_mixes_of_tasks(function) -> None:
    """Exercise 3.3: each task's weights sum to one over the layers, are used, shown, and can learn."""
    states = torch.randn(7, 3, 2, generator=torch.Generator().manual_seed(0))
    mixed, weights = things(call(function, states, torch.zeros(1, 7)), "mixed", "weights")
    mixed = require_shape(mixed, (1, 3, 2), "mixed for one task", "the axes of the einsum")
    require(
        close(mixed[0], states.mean(0), 1e-4),
        seen="with one task and w all zeros, mixed is "
        f"{_ratio(mixed[0], states.mean(0).numpy()):.2f} times the mean of the seven layers",
        should="equal weights that sum to one give the mean of the layers",
        look_at="along which axis the softmax makes the weights sum to one",
    )
    require_shape(weights, (1, 7), "weights", "one row for each task, one column for each layer")

    # On paper: exp(w) is [1, 3] and [4, 1].
    w = torch.log(torch.tensor([[1.0, 3.0], [4.0, 1.0]])).requires_grad_()
    states = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]]])
    mixed, shown = things(call(function, states, w), "mixed", "weights")
    expected = np.array([[0.25, 0.75], [0.8, 0.2]])
    seen = require_shape(mixed, (2, 1, 2), "mixed for two tasks", "the axes of the einsum")
    # The states are the unit vectors, so mixed holds the weights that were really used.
    require(
        close(seen[:, 0], expected, 1e-4),
        seen=f"with exp(w) = [1, 3] for one task and [4, 1] for another, the layers were multiplied "
        f"with {np.round(seen[:, 0], 3).tolist()}",
        should="each task's own weights sum to one over the layers, and don't depend on the other "
        "task's",
        look_at="which axis of w counts the layers, and whether there is exactly one softmax",
    )
    used = seen[:, 0]
    shown_array = require_shape(
        shown, (2, 2), "weights", "one row for each task, one column for each layer"
    )
    require(
        close(shown_array, used, 1e-4),
        seen=f"the states were multiplied with {np.round(used, 3).tolist()}, but the weights that "
        f"come back are {np.round(shown_array, 3).tolist()}, with rows that sum to "
        f"{np.round(shown_array.sum(1), 3).tolist()}",
        should="the weights that come back are those that the states were multiplied with",
        look_at="what is returned: before the softmax, or after?",
    )
    reaches = isinstance(mixed, torch.Tensor) and mixed.requires_grad
    if reaches:
        (mixed * torch.tensor([1.0, 2.0])).sum().backward()
    require(
        reaches and w.grad is not None and bool((w.grad.abs().sum(1) > 0).all()),
        seen="no gradient of mixed reaches w",
        should="w can learn: mixed.sum().backward() reaches every task's row",
        look_at="does anything on the way from w to mixed make a copy, a list or an array of it?",
    )


def _ratio(seen: np.ndarray, expected: np.ndarray) -> float:
    return float((seen * expected).sum() / (expected**2).sum())


@check(
    "three tables of one width",
    "the PCA saw training words only, of the last four layers",
    "intervals of the paired difference",
    "verdicts that follow from them",
)
def check_fair_comparison(
    tables, intervals, verdicts, vectors, split, names_right, sentence_of
) -> None:
    """Exercise 3.4: tables of one width, PCA on training words, paired intervals, verdicts from them."""
    for value, name in ((tables, "tables"), (intervals, "intervals"), (verdicts, "verdicts")):
        keyed(value, name, ("mean", "narrowed", *(("middle",) if name == "tables" else ())))
    words, width = vectors.shape[1:]
    found = {
        name: require_shape(
            table,
            (words, width),
            f"the table {name!r}",
            "every table has all words, and all have the width of one layer: a wider one gives its "
            "probe more weights",
        )
        for name, table in ((name, tables[name]) for name in ("middle", "mean", "narrowed"))
    }
    require(
        close(found["middle"], vectors[3], 1e-4),
        seen="the table 'middle' isn't layer 3",
        should="it holds the vectors of layer 3",
        look_at="which index layer 3 has",
    )
    require(
        close(found["mean"], np.mean(vectors[-4:], axis=0), 1e-4),
        seen="the table 'mean' isn't the mean of the last four states",
        should=f"it is the mean of the states that end with number {len(vectors) - 1}",
        look_at="which states are in the mean, and over which axis it is taken",
    )
    _check_narrowed(found["narrowed"], vectors, split)

    right = {name: as_array(names_right(table)) for name, table in found.items()}
    for name in ("mean", "narrowed"):
        ahead = np.bincount(sentence_of, right[name] - right["middle"])
        low, high = _check_interval(name, intervals[name], ahead, right, sentence_of)
        verdict = one_of(
            verdicts[name],
            f"the verdict of {name!r}",
            ("better", "worse", "can't tell"),
            exactly=True,
        )
        allowed = "better" if low > 0 else "worse" if high < 0 else "can't tell"
        require(
            verdict == allowed,
            seen=f"your interval of {name!r} is {low:+.4f} to {high:+.4f}, and your verdict is "
            f"{verdict!r}",
            should='"better" or "worse" only where the interval leaves 0 out, else "can\'t tell"',
            look_at="on which side of 0 each end of the interval lies",
        )


def _check_interval(name, interval, ahead, right, sentence_of) -> np.ndarray:
    """The interval's ends, once they have been found near those of 20,000 paired resamples."""
    n_words = np.bincount(sentence_of)
    n = len(n_words)
    drawn = np.random.default_rng(1).integers(n, size=(20_000, n))
    total = n_words[drawn].sum(axis=1)
    paired = _bounds(ahead[drawn].sum(axis=1) / total)
    width = paired[1] - paired[0]
    # With 20,000 draws an end lies within .04 of the width; a 90% interval's ends are .08 off.
    room = 0.04 * width + 1e-4
    seen = require_shape(
        interval, (2,), f"the interval of {name!r}", "two numbers: its low and high end"
    )
    text = f"your interval of {name!r} is {seen[0]:+.4f} to {seen[1]:+.4f}"
    require(
        not (np.abs(seen + paired[::-1]).max() < 0.1 * width < np.abs(seen - paired).max()),
        seen=f"{text}, as if the middle layer had been compared with {name!r}",
        should="how far the combination is ahead: below 0 if it is behind",
        look_at="which of the two is taken away from the other",
    )
    require(
        seen[0] <= seen[1] and np.abs(seen).max() < 0.3,
        seen=text,
        should="it bounds a difference of two accuracies, as shares, the lower end first",
        look_at="of what the quantiles are taken, and in which order",
    )
    off = np.abs(seen - paired).max()
    if off > room:
        sums = {key: np.bincount(sentence_of, right[key])[drawn].sum(1) for key in (name, "middle")}
        unpaired = _bounds(sums[name] / total - np.roll(sums["middle"] / total, 1))
        narrow = _bounds(ahead[drawn].sum(axis=1) / total, 0.05)
        require(
            seen[1] - seen[0] < 1.3 * width,
            seen=f"{text}, {seen[1] - seen[0]:.3f} wide; an interval of unpaired draws is about "
            f"{unpaired[1] - unpaired[0]:.3f} wide",
            should="both tables are tested on the same drawn sentences, which takes away the luck "
            "that they share",
            look_at="are the sentences drawn once and used in pairs, and the quantiles taken of the "
            "difference?",
        )
        require(
            np.abs(seen - narrow).max() > room,
            seen=f"{text}, which is about the middle 90% of the differences",
            should="a 95% interval leaves one draw in forty out on either side",
            look_at="which two quantiles are taken",
        )
        require(
            False,
            seen=f"{text}; its ends are up to {off / width:.0%} of an interval's width away from "
            f"those of many paired resamples of these {n} test sentences",
            should="with 20,000 draws each end lies within about 4% of the width",
            look_at="how many draws there are; are whole sentences drawn, not words; and is each "
            "draw's sum of differences divided by the number of words in that very draw?",
        )
    return seen


@lru_cache(maxsize=1)  # a student checks again and again, always with the same vectors
def _eigen(data: bytes, shape: tuple[int, int]):
    """Eigenvalues, rising, and eigenvectors of the products of the table's rows."""
    table = np.frombuffer(data).reshape(shape)
    return np.linalg.eigh(table @ table.T)


def _check_narrowed(table: np.ndarray, vectors: np.ndarray, split) -> None:
    train, test = table[split.train], table[split.test]
    largest = train.std(axis=0).max()
    mean = np.abs(train.mean(axis=0)).max()
    require(
        mean > 1e-3 * largest or np.abs(test.mean(axis=0)).max() > 1e-3 * largest,
        seen="the columns of 'narrowed' have the mean 0 over the training words, and over the test "
        "words by themselves once more",
        should="one PCA, that of the training words, turns all words: only there is the mean 0",
        look_at="how often the PCA is fitted",
    )
    require(
        mean < 1e-3 * largest,
        seen="over the training words a column of 'narrowed' has a mean that is "
        f"{mean / largest:.3f} of a standard deviation away from 0",
        should="a PCA puts the mean of the words that it was fitted on at 0: the training words'",
        look_at="which words fit gets, and which transform",
    )
    related = np.abs(np.corrcoef(train[:, :20].T) - np.eye(20)).max()
    require(
        related < 0.05,
        seen=f"over the training words two columns of 'narrowed' correlate with {related:.2f}",
        should="the principal components of the training words are uncorrelated",
        look_at="whether these columns are components of a PCA of all four layers",
    )
    four = np.concatenate(vectors[-4:], axis=-1).astype(float)
    four = four - four[split.train].mean(axis=0)
    whole = four[split.train]
    # The components from the smaller side: there are fewer training words than dimensions.
    values, words = _eigen(whole.tobytes(), whole.shape)
    most = values[-table.shape[1] :].sum() / values.sum()
    columns, to_columns = np.linalg.qr(train)
    kept = ((columns.T @ whole) ** 2).sum() / (whole**2).sum()
    require(
        kept > 0.9985 * most,  # a randomised PCA has .9998
        seen=f"'narrowed' holds {kept:.2%} of the variance that the last four layers have side by "
        f"side over the training words; {table.shape[1]} components of theirs hold {most:.2%}",
        should="it holds as much of all four together as so few numbers can",
        look_at="which layers stood side by side before the PCA (the last four: none missing, none "
        "more), and whether the vectors went in as they are, unscaled",
    )
    first = whole.T @ words[:, -50:]  # (4 * hidden, 50): the first components, up to their length
    step = np.linalg.lstsq(to_columns, columns.T @ (whole @ first), rcond=None)[0]
    there = four[split.test] @ first
    missed = ((test @ step - there) ** 2).sum() / (there**2).sum()
    require(
        missed < 0.002,
        seen="the test words' rows of 'narrowed' aren't turned as the training words' are: "
        f"{min(missed, 1):.0%} of the first components is lost",
        should="the PCA of the training words turns the test words in the same way",
        look_at="how often the PCA is fitted, and which rows transform gets",
    )


def _bounds(values: np.ndarray, tail: float = 0.025) -> np.ndarray:
    return np.quantile(values, [tail, 1 - tail])
