"""Self-checks of the exercises on erasing and changing hidden states."""

from __future__ import annotations

import numpy as np
import torch

from whichlayer.checks.report import (
    CheckFailed,
    call,
    check,
    close,
    describe,
    keyed,
    number,
    require,
    require_shape,
    things,
    untouched,
)

__all__ = [
    "check_changing",
    "check_erase_by_projection",
    "check_harm_beyond_control",
    "check_share_removed",
]


@check(
    "every label has the mean of all",
    "one direction fewer is removed than there are labels",
    "what is removed stands at a right angle to what is left",
    "what becomes of a vector doesn't depend on its label",
)
def check_erase_by_projection(function) -> None:
    """Exercise 9.1: the space of the labels' means is projected out."""
    draw = np.random.default_rng(2)

    def erase(vectors, labels):
        vectors, labels = np.array(vectors, dtype=float), np.array(labels)
        with untouched(vectors):
            result = call(function, vectors, labels)
        return require_shape(result, vectors.shape, "your result", "one vector per word, as wide")

    for n, d, k in ((90, 8, 3), (40, 25, 2), (200, 9, 5)):
        at = np.r_[np.arange(k), draw.integers(k, size=n - k)]
        vectors = 5 + draw.normal(size=(n, d)) * draw.uniform(0.5, 4, d)
        vectors += 2 * draw.normal(size=(k, d))[at]
        seen = erase(vectors, np.array(list("vwxyz"))[at])
        means = np.stack([seen[at == one].mean(axis=0) for one in range(k)])
        apart = np.abs(means - means.mean(axis=0)).max()
        require(
            apart < 1e-6,
            seen=f"with {k} labels, the labels' means still lie up to {apart:.3f} apart",
            should="all labels have one mean: then there is nothing for a linear probe",
            look_at="are the means, the basis and the projection all of vectors with the mean of all taken "
            "off? And is the basis orthonormal?",
        )
        off = np.abs(means[0] - vectors.mean(axis=0)).max()
        require(
            off < 1e-6,
            seen=f"afterwards the mean of all is off by up to {off:.2f}",
            should="the mean of all stays where it was",
            look_at="what was taken off at the beginning has to be put back",
        )
        change = vectors - seen
        strength = np.linalg.svd(change, compute_uv=False)
        rank = int((strength > 1e-8 * strength.max()).sum())
        require(
            rank == k - 1,
            seen=f"with {k} labels, {rank} directions are removed",
            should=f"{k} means less their own mean span {k - 1} directions",
            look_at="how many singular values of the means are more than rounding?",
        )
        crossed = np.sum(change * (seen - vectors.mean(axis=0))) / np.sum(change**2)
        require(
            abs(crossed) < 1e-6,
            seen="what was removed isn't at a right angle to what is left",
            should="a projection takes out the whole part in these directions, and nothing else",
            look_at="each word loses its own part in these directions",
        )
    twins = draw.normal(size=(60, 6))
    twins[1] = twins[0]  # one vector, two labels
    twins[::2, 0] += 3
    twins[1, 0] += 3
    seen = erase(twins, np.array(["n", "v"] * 30))
    require(
        close(seen[0], seen[1]),
        seen="two words with the same vector and different labels become different vectors",
        should="what becomes of a vector depends on the vector only: of a new word nobody knows the label",
        look_at="each word loses its own part in the directions, not its label's mean",
    )


@check(
    "variance about the mean",
    "directions of any length and angle",
    "a direction that is a mix of others adds nothing",
)
def check_share_removed(function) -> None:
    """Exercise 9.2: the share of variance in a space."""

    def share(vectors, directions):
        vectors, directions = np.array(vectors, dtype=float), np.array(directions, dtype=float)
        with untouched(vectors, directions):
            return number(call(function, vectors, directions), "the share")

    # Variance 16 along the first axis, 4 along the second, 1 along the third.
    corners = np.array([[4, 2, 1], [4, -2, -1], [-4, 2, -1], [-4, -2, 1]], dtype=float)
    first = share(corners, [[1, 0, 0]])
    require(
        not close(first, 5 / 21),
        seen=f"of variances 16, 4 and 1, removing the first leaves a share of {first:.3f}",
        should="what is asked for is the share that is gone, 16/21",
        look_at="the share removed, or the share left?",
    )
    require(
        close(first, 16 / 21),
        seen=f"of variances 16, 4 and 1 along three axes, the first is said to hold {first:.3f}",
        should=f"it holds 16/21 = {16 / 21:.3f}",
        look_at="squares of what, over squares of what?",
    )
    moved = share(corners + np.array([30.0, -7, 2]), [[1, 0, 0]])
    require(
        close(moved, 16 / 21),
        seen=f"the same vectors moved to another place have a share of {moved:.3f}",
        should="variance is measured about the mean, so the place doesn't matter",
        look_at="is the mean taken off first?",
    )
    long = share(corners, [[25.0, 0, 0]])
    require(
        close(long, 16 / 21),
        seen=f"a direction 25 times as long holds a share of {long:.3f}",
        should="a direction's length doesn't matter",
        look_at="do you project onto directions of length 1?",
    )
    askew = share(corners, [[1.0, 0, 0], [1.0, 1.0, 0]])
    require(
        close(askew, 20 / 21),
        seen=f"two directions at an angle, in the plane of the first two axes, hold {askew:.3f}",
        should=f"the space they span is that plane, with {20 / 21:.3f}",
        look_at="directions that aren't at right angles share a part, which must not count twice",
    )
    again = share(corners, [[1.0, 0, 0], [0, 1, 0], [1, 1, 0], [2, 0, 0]])
    require(
        close(again, 20 / 21),
        seen=f"four directions of one plane hold {again:.3f}",
        should=f"they span the plane and no more: {20 / 21:.3f}",
        look_at="a basis of four directions for a plane of two: what are the others?",
    )
    everything = share(corners, np.eye(3))
    require(
        close(everything, 1),
        seen=f"all three axes together hold {everything:.3f}",
        should="they hold everything: 1",
        look_at="what do you divide by?",
    )


class _Pair(torch.nn.Module):
    """Gives out a tuple, as many blocks do."""

    def forward(self, x):
        return 3 * x, x - 1, "and more"


@check(
    "changed inside, as before afterwards",
    "the first of a tuple is changed, the rest stays",
    "nothing is left after an exception",
    "hooks that were there stay",
)
def check_changing(manager) -> None:
    """Exercise 9.3: a context manager around a forward hook."""
    x = torch.tensor([[1.0, -2.0], [0.5, 4.0]])
    plain, pair = torch.nn.Linear(2, 2), _Pair()
    calls: list[int] = []
    plain.register_forward_hook(lambda *_: calls.append(1))

    def inside(module, change, body=None):
        """What the module gives out within, or what the body returns."""
        context = call(manager, module, change)
        require(
            hasattr(context, "__enter__") and hasattr(context, "__exit__"),
            seen=f"changing(...) gives {describe(context)}, which `with` can't use",
            should="it is a context manager",
            look_at="the line @contextlib.contextmanager above the function, and a yield in it",
        )
        try:
            with torch.no_grad(), context:
                return body() if body else module(x)
        except (CheckFailed, ZeroDivisionError):
            raise
        except Exception as error:
            raise CheckFailed(
                f"running the module inside stops with {type(error).__name__}: {error}",
                "the module runs, and its output is changed",
                "what does your hook get for this module, a tensor or a tuple? And what does it return?",
            ) from error

    with torch.no_grad():
        before, first = plain(x), pair(x)[0]
    changed = inside(plain, lambda y: y + 100)
    require(
        isinstance(changed, torch.Tensor) and close(changed.numpy(), before.numpy() + 100),
        seen="inside, what the module gives out is not what change makes of it",
        should="it is change(output)",
        look_at="does the hook return something? What it returns takes the output's place",
    )
    with torch.no_grad():
        after = plain(x)
    require(
        torch.equal(after, before),
        seen="after the with block the output is still changed",
        should="it is as before",
        look_at="is the hook removed after the yield?",
    )
    both = inside(pair, lambda y: -y)
    require(
        isinstance(both, tuple) and len(both) == 3,
        seen=f"a module that gives out three things gives {describe(both)} inside",
        should="it still gives three things, of which the first is changed",
        look_at="what does the hook return where the output is a tuple?",
    )
    require(
        torch.equal(both[0], -first) and torch.equal(both[1], x - 1) and both[2] == "and more",
        seen="of a tuple, not the first entry alone is changed",
        should="the first is change(first), and the others stay",
        look_at="which entries does change get?",
    )
    try:
        inside(plain, lambda y: y * 0, body=lambda: 1 / 0)
    except ZeroDivisionError:
        pass
    else:
        raise CheckFailed(
            "an exception in the with block is swallowed",
            "it goes on to whoever wrote the block: an experiment that failed must not look done",
            "do you catch exceptions? try and finally suffice",
        )
    with torch.no_grad():
        after = plain(x)
    require(
        torch.equal(after, before),
        seen="after an exception in the with block the output is still changed",
        should="it is as before, whatever happened inside",
        look_at="which lines run when an exception is raised at the yield?",
    )
    seen = len(calls)
    with torch.no_grad():
        plain(x)
    require(
        len(calls) == seen + 1 and len(plain._forward_hooks) == 1,
        seen=f"the module had one hook before, and has {len(plain._forward_hooks)} now",
        should="hooks that somebody else put there stay, and none is added",
        look_at="do you remove your own hook by its handle, or all hooks?",
    )
    require(
        not pair._forward_hooks and "forward" not in vars(plain) and "forward" not in vars(pair),
        seen="something is left on the module",
        should="it is as it was",
        look_at="what did you set on it, and where is it taken back?",
    )


@check(
    "three differences in nats a subword, from the mean of three controls",
    "intervals over documents, both conditions on the same resample",
    "the layer at which the harm stands out most",
)
def check_harm_beyond_control(harm_beyond_control, stands_out_at) -> None:
    """Exercise 9.4: what erasing costs beyond as large a wound, at three layers of SmolLM2."""
    expected = {
        1: (0.991, 0.925, 1.052), 10: (0.962, 0.887, 1.032), 29: (0.293, 0.250, 0.339),
    }  # fmt: skip
    keyed(harm_beyond_control, "harm_beyond_control", expected)
    rises = {1: 2.381, 10: 1.482, 29: 0.706}
    for layer, (difference, low, high) in expected.items():
        given = things(harm_beyond_control[layer], "difference", "low", "high")
        seen, seen_low, seen_high = (number(x, f"a number of layer {layer}") for x in given)
        require(
            abs(seen) < 50,
            seen=f"at layer {layer} the difference is {seen:,.0f}",
            should="it is in nats a subword",
            look_at="the totals are sums over a document: how many subwords are there?",
        )
        require(
            abs(seen - rises[layer]) > 0.005,
            seen=f"at layer {layer} the difference is {seen:.3f}, which is what the loss rises by",
            should="it is what the erasure costs beyond its control",
            look_at="from what is the control subtracted?",
        )
        require(
            abs(seen + difference) > 0.01,
            seen=f"at layer {layer} the difference is {seen:.3f}",
            should="it says how much more the erasure costs, so it is above 0 where the erasure costs more",
            look_at="what is subtracted from what?",
        )
        require(
            abs(seen - difference) < 0.01,
            seen=f"at layer {layer} the difference is {seen:.3f}",
            should="it is the erased loss less the mean of the three controls of that layer, summed over all "
            "documents, through all subwords",
            look_at="how many draws of the control go in, are they those of equal variance, and are they "
            "those of this layer?",
        )
        require(
            seen_low < seen < seen_high,
            seen=f"at layer {layer} the interval runs from {seen_low:.3f} to {seen_high:.3f}",
            should="it holds the difference, with its lower end first",
            look_at="which percentiles are these, and of what?",
        )
        require(
            abs(seen_low - low) < 0.015 and abs(seen_high - high) < 0.015,
            seen=f"at layer {layer} the interval runs from {seen_low:.3f} to {seen_high:.3f}",
            should="it holds the middle 95% of the differences on the 1,000 resamples",
            look_at="are both conditions taken on the same resample? Is each resample's sum divided by its own "
            "number of subwords? And are documents drawn, with resamples?",
        )
    layer = number(stands_out_at, "stands_out_at", "one of the three layers")
    require(
        layer == 1,
        seen=f"stands_out_at is {layer:g}",
        should="it is the layer at which the erasure costs most beyond its control",
        look_at="the three differences",
    )
