"""The course's figures, in one style: on white, colour-blind safe, every axis labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

# Okabe & Ito's palette, told apart with any common colour vision; yellow left out (too pale on
# white). Lines also differ by marker, so that nothing hangs on colour alone.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

STYLE = {
    "figure.facecolor": "white",  # also in dark pages, where a figure stands on a white ground
    "figure.dpi": 110,
    "axes.prop_cycle": plt.cycler(color=COLOURS, marker=MARKERS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "axes.grid": True,
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
    title: str = "",
    ylabel: str = "accuracy",
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
        ylabel: what is measured.
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
        for dash, (name, value) in zip(
            cycle(("--", ":", "-.", (0, (1, 3)))), (reference or {}).items(), strict=False
        ):
            ax.axhline(value, color="#555555", linestyle=dash, linewidth=1, marker="", label=name)
        ax.set(xlabel="layer (0 = embeddings)", ylabel=ylabel)
        if title:
            ax.set_title(title)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if label or reference:
            ax.legend(fontsize="small")
    return ax


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
    if hasattr(weights, "detach"):  # mix.weights, which learns
        weights = weights.detach().cpu().float().numpy()
    weights = np.asarray(weights, dtype=float)
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
            norms = np.asarray(norms, dtype=float)
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
