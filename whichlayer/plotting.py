"""The course's figures, in one style: on white, colour-blind safe, every axis labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

if TYPE_CHECKING:  # drawing needs no scikit-learn, which probing imports
    from whichlayer.probing import ProbeResult, ProfileOverC

# Okabe & Ito's palette, told apart with any common colour vision; yellow left out (too pale on
# white). Lines also differ by marker, so that nothing hangs on colour alone.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_DASHES = ("--", ":", "-.", (0, (1, 3)))

STYLE = {
    "figure.facecolor": "white",  # also in dark pages, where a figure stands on a white ground
    "figure.dpi": 110,
    "axes.prop_cycle": plt.cycler(color=COLOURS, marker=MARKERS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,  # or the grid's lines run over bars
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.markersize": 5,
    "image.cmap": "cividis",
}


def plot_layer_curve(
    values: Sequence[float] | np.ndarray,
    *,
    interval: np.ndarray | None = None,
    label: str | None = None,
    reference: Mapping[str, float] | None = None,
    title: str | None = None,
    ylabel: str | None = None,
    first_layer: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """One value per layer, as a line with its interval.

    Args:
        values: (layers,).
        interval: (layers, 2), low and high, drawn as a band.
        label: the line's name in the legend.
        reference: names and values of horizontal lines, such as baselines.
        title: says what the figure finds.
        ylabel: what is measured; ``"accuracy"`` if not given, unless the axes say already.
        first_layer: the index of the first value; 1 for values that belong to a step to a layer.
        ax: where to draw; a new figure if not given.

    Returns:
        The axes.

    Raises:
        ValueError: an interval of another shape.
    """
    values = np.asarray(values, dtype=float)
    layers = np.arange(first_layer, first_layer + len(values))
    with plt.rc_context(STYLE):
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
        (line,) = ax.plot(layers, values, label=label)
        if interval is not None:
            interval = np.asarray(interval, dtype=float)
            if interval.shape != (len(values), 2):
                raise ValueError(
                    f"{len(values)} values need an interval of shape ({len(values)}, 2)."
                )
            ax.fill_between(layers, *interval.T, color=line.get_color(), alpha=0.18, linewidth=0)
        for dash, (name, value) in zip(cycle(_DASHES), (reference or {}).items(), strict=False):
            ax.axhline(value, color="#555555", linestyle=dash, linewidth=1, marker="", label=name)
        _label(ax, xlabel="layer (0 = embeddings)", ylabel=ylabel or "accuracy")
        # A second curve on the same axes leaves what is written there, unless it is told otherwise.
        if ylabel is not None:
            ax.set_ylabel(ylabel)
        if title is not None:
            ax.set_title(title)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if label or reference:
            ax.legend(fontsize="small")
    return ax


def plot_profiles(
    results: Mapping[str, ProbeResult],
    *,
    baselines: Sequence[str] = ("lookup",),
    title: str | None = None,
    share_y: bool = True,
    columns: int | None = None,
) -> np.ndarray:
    """Small multiples: a panel for each result, with its interval and baselines.

    Filled markers are the layers that can't be told from the best; the others are hollow. Results
    on tables of features, which have no order, are drawn without a line from one to the next.

    Args:
        results: what was probed, and the result.
        baselines: names of baselines to draw, in the panels whose result has them.
        title: says what the figure finds.
        share_y: whether all panels have one scale. Heights are comparable only where the
            properties have like baselines, so the look-up line stands in each panel.
        columns: panels side by side; at most four by default.

    Returns:
        The axes, one for each result, in order.

    Raises:
        ValueError: no result.
    """
    if not results:
        raise ValueError("There is no result to draw.")
    columns = columns or min(4, len(results))
    rows = -(-len(results) // columns)
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(
            rows, columns, figsize=(max(5.2, 3.1 * columns), 0.5 + 3.0 * rows),
            sharey=share_y, squeeze=False, layout="constrained",
        )  # fmt: skip
        axes = grid.ravel()
        for ax in axes[len(results) :]:
            ax.remove()
        axes = axes[: len(results)]
        for i, (ax, (name, result)) in enumerate(zip(axes, results.items(), strict=True)):
            _draw_profile(ax, result, baselines)
            ax.set_title(name)
            if i % columns == 0:
                ax.set_ylabel("accuracy")
        if any(ax.get_legend_handles_labels()[1] for ax in axes):
            axes[0].legend(fontsize="small")
        if title is not None:
            figure.suptitle(title)
    return axes


def _draw_profile(ax: Axes, result: ProbeResult, baselines: Sequence[str]) -> None:
    at = np.arange(len(result.names))
    by_layer = all(isinstance(name, int) for name in result.names)
    low, high = result.accuracy_interval.T
    colour = COLOURS[0]
    if by_layer:
        ax.plot(at, result.accuracy, color=colour, marker="")
        ax.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)
    else:
        ax.vlines(at, low, high, color=colour, linewidth=1.5)
    like_best = np.array([name in result.not_worse_than_best for name in result.names])
    for chosen, fill in ((like_best, colour), (~like_best, "white")):
        ax.plot(
            at[chosen], result.accuracy[chosen], linestyle="", marker="o", color=colour,
            markerfacecolor=fill,
        )  # fmt: skip
    known = [name for name in baselines if name in result.baselines]
    for style, name in zip(cycle(_DASHES), known, strict=False):
        values = np.broadcast_to(result.baselines[name].accuracy, len(at))
        label = {"lookup": "look-up table"}.get(name, name)
        ax.plot(at, values, color="#555555", linestyle=style, linewidth=1, marker="", label=label)
    if by_layer:
        ax.set_xlabel("layer (0 = embeddings)")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        ax.set_xticks(at, result.names, rotation=30, ha="right")


def plot_over_C(profile: ProfileOverC, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """A profile for each strength of the penalty, from the strongest (darkest) to the weakest.

    Filled markers are the layers that can't be told from the best at that C.

    Args:
        profile: what :func:`~whichlayer.probing.profile_over_C` found.
        title: says what the figure finds.
        ax: where to draw; a new figure if not given.

    Returns:
        The axes.
    """
    at = np.arange(len(profile.names))
    colours = plt.get_cmap("cividis")(np.linspace(0, 0.85, len(profile.Cs)))
    with plt.rc_context(STYLE):
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
        for i, (C, colour, marker) in enumerate(
            zip(profile.Cs, colours, cycle(MARKERS), strict=False)
        ):
            values = profile.accuracy[i]
            ax.plot(
                at, values, color=colour, marker=marker, markerfacecolor="white", label=f"C = {C:g}"
            )
            chosen = [
                k for k, name in enumerate(profile.names) if name in profile.not_worse_than_best[i]
            ]
            ax.plot(at[chosen], values[chosen], color=colour, marker=marker, linestyle="")
        by_layer = all(isinstance(name, int) for name in profile.names)
        _label(ax, xlabel="layer (0 = embeddings)" if by_layer else "", ylabel="accuracy")
        if by_layer:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        else:
            ax.set_xticks(at, profile.names, rotation=30, ha="right")
        if title is not None:
            ax.set_title(title)
        ax.legend(fontsize="small")
    return ax


def _label(ax: Axes, *, xlabel: str, ylabel: str) -> None:
    """Label the axes that have no label yet."""
    if not ax.get_xlabel():
        ax.set_xlabel(xlabel)
    if not ax.get_ylabel():
        ax.set_ylabel(ylabel)


def plot_similarity(
    matrix: np.ndarray,
    *,
    title: str = "",
    label: str = "mean cosine",
    ax: Axes | None = None,
) -> Axes:
    """A layer-by-layer matrix as a heatmap, each value written in its cell.

    Args:
        matrix: (L + 1, L + 1).
        title: says what the figure finds.
        label: what is measured.
        ax: where to draw; a new figure if not given.

    Returns:
        The axes.

    Raises:
        ValueError: the matrix isn't square.
    """
    matrix = np.asarray(matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"A layer-by-layer matrix is square, got {matrix.shape}.")
    n = len(matrix)
    with plt.rc_context({**STYLE, "axes.grid": False}):
        if ax is None:
            size = 2.4 + 0.42 * n
            _, ax = plt.subplots(figsize=(size + 0.8, size), layout="constrained")
        ax.grid(False)  # also on axes that were made with one
        image = ax.imshow(matrix, vmin=min(0.0, matrix.min()), vmax=max(1.0, matrix.max()))
        ax.figure.colorbar(image, ax=ax, label=label, shrink=0.85)
        if n <= 13:  # with more layers the numbers would run into each other
            dark = image.norm(matrix) < 0.55
            for i in range(n):
                for j in range(n):
                    colour = "white" if dark[i, j] else "black"
                    text = f"{matrix[i, j]:.2f}"
                    ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=7)
        ticks = range(n) if n <= 13 else range(0, n, 2)
        ax.set(xticks=ticks, yticks=ticks, xlabel="layer (0 = embeddings)", ylabel="layer")
        if title:
            ax.set_title(title)
    return ax


def plot_mixing_weights(
    weights: Sequence[float] | np.ndarray,
    *,
    norms: Sequence[float] | np.ndarray | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """A ScalarMix's weights after the softmax, beside each layer's share of the sum.

    A small weight on a layer of long vectors can contribute more than a large weight on a layer
    of short ones, so where the norms are given the product of both is drawn too.

    Args:
        weights: (L + 1,), after the softmax, summing to one; ``mix.weights`` as it is, or numbers.
        norms: (L + 1,), mean length of the vectors of each layer.
        title: says what the figure finds.
        ax: where to draw; a new figure if not given.

    Returns:
        The axes.

    Raises:
        ValueError: weights that don't sum to one (before the softmax?), or another number of norms.
    """
    weights = _as_array(weights)
    if weights.ndim != 1:
        raise ValueError(f"The weights must be one per layer, in one row, got {weights.shape}.")
    if (weights < 0).any() or not np.isclose(weights.sum(), 1, atol=1e-3):
        raise ValueError(
            f"The weights sum to {weights.sum():.3f}, not to 1. A ScalarMix's scalar_parameters "
            "are before the softmax: pass mix.weights."
        )
    layers = np.arange(len(weights))
    with plt.rc_context(STYLE):
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
        if norms is None:
            ax.bar(layers, weights, color=COLOURS[0])
        else:
            norms = _as_array(norms)
            if norms.shape != weights.shape:
                raise ValueError(f"{len(weights)} weights need as many norms, got {norms.shape}.")
            share = weights * norms / (weights * norms).sum()
            ax.bar(layers - 0.2, weights, width=0.4, color=COLOURS[0], label="weight")
            ax.bar(
                layers + 0.2, share, width=0.4, color=COLOURS[1], hatch="//", edgecolor="white",
                label="weight x norm, as a share",
            )  # fmt: skip
            ax.legend(fontsize="small")
        ax.axhline(1 / len(weights), color="#555555", linestyle="--", linewidth=1, marker="")
        ax.set(xlabel="layer (0 = embeddings)", ylabel="share", xticks=layers)
        if title:
            ax.set_title(title)
    return ax


def _as_array(values) -> np.ndarray:
    """Numbers as an array; a tensor may be a parameter that is being trained."""
    return np.asarray(
        values.detach().cpu().float() if hasattr(values, "detach") else values, dtype=float
    )


def draw_encoder(num_layers: int = 6, *, title: str | None = None) -> np.ndarray:
    """A drawing of an encoder of BERT's kind: inside a block, and the stack with its hidden states.

    Left: a word's vector goes up the residual stream. Attention and the MLP each read it and add
    to it, and each sum is normalised. Right: the ``num_layers + 1`` places where it can be read.

    Args:
        num_layers: blocks in the stack, 1 to 12 (more can't be read on a page).
        title: what the drawing says.

    Returns:
        The two axes: the block, and the stack.

    Raises:
        ValueError: fewer than 1 block or more than 12.
    """
    if not 1 <= num_layers <= 12:
        raise ValueError(f"num_layers={num_layers}: 1 to 12 blocks can be drawn.")
    blue, red, green = COLOURS[:3]

    def box(ax, x, y, text, colour, width=2.6, height=0.8):
        ax.add_patch(
            plt.Rectangle(
                (x - width / 2, y - height / 2), width, height, facecolor="white",
                edgecolor=colour, linewidth=1.6, zorder=2,
            )
        )  # fmt: skip
        ax.text(x, y, text, ha="center", va="center", fontsize=9, zorder=3)

    def arrow(ax, start, end, colour="#333333"):
        ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": colour}, zorder=1)

    with plt.rc_context({**STYLE, "axes.grid": False}):
        figure, (inside, stack) = plt.subplots(
            1, 2, figsize=(8.6, 5.0), width_ratios=(1.45, 1), layout="constrained"
        )
        inside.set(xlim=(-1.6, 6.6), ylim=(-0.6, 9.6), title="Inside one block")
        arrow(inside, (0, -0.3), (0, 9.4), blue)
        for at, part, reads in (
            (1.4, "attention", "looks at the other words"),
            (5.4, "MLP", "looks at this word only"),
        ):
            arrow(inside, (0, at - 0.3), (1.3, at - 0.3), red)
            box(inside, 3.6, at - 0.3, f"{part}\n{reads}", red, width=4.6, height=1.1)
            inside.plot((3.6, 3.6), (at + 0.25, at + 1.1), color=red, linewidth=1, marker="")
            arrow(inside, (3.6, at + 1.1), (0.3, at + 1.1), red)
            box(inside, 0, at + 1.1, "+", red, width=0.6, height=0.6)
            box(inside, 0, at + 2.1, "norm", green, width=1.6, height=0.7)
        inside.text(0.2, -0.5, "a word's vector from below", fontsize=9, color=blue)
        inside.text(0.2, 8.9, "to the block above", fontsize=9, color=blue)
        height = 10.0 / (num_layers + 1)
        stack.set(xlim=(-2.0, 4.0), ylim=(-0.6, 10.4), title="The stack, and where to read")
        arrow(stack, (0, -0.4), (0, 10.2), blue)
        for k in range(num_layers + 1):
            bottom = k * height
            name = "embeddings" if k == 0 else f"block {k}"
            box(stack, 0, bottom + 0.35 * height, name, blue, height=0.55 * height)
            arrow(stack, (0, bottom + 0.82 * height), (1.9, bottom + 0.82 * height))
            stack.text(2.0, bottom + 0.82 * height, f"layer {k}", va="center", fontsize=9)
        for ax in (inside, stack):
            ax.set_axis_off()
        if title is not None:
            figure.suptitle(title)
    return np.array([inside, stack])
