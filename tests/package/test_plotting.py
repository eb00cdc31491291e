"""The course's figures: what is drawn is what was given, labelled, and told apart without colour."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from test_probing import made_up

from whichlayer.combination import ScalarMix
from whichlayer.plotting import (
    COLOURS,
    draw_encoder,
    plot_layer_curve,
    plot_mixing_weights,
    plot_over_C,
    plot_profiles,
    plot_similarity,
)
from whichlayer.probing import probe_layers, profile_over_C


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_a_curve_draws_its_values_interval_and_references():
    values = [0.5, 0.8, 0.7]
    interval = np.array([[0.4, 0.6], [0.7, 0.9], [0.6, 0.8]])
    ax = plot_layer_curve(
        values, interval=interval, label="x", reference={"majority": 0.2}, title="t"
    )
    assert np.allclose(ax.lines[0].get_xydata(), [[0, 0.5], [1, 0.8], [2, 0.7]])
    assert ax.collections[0].get_paths()[0].get_extents().ymin == pytest.approx(0.4)
    assert ax.lines[1].get_ydata()[0] == 0.2
    assert ax.get_xlabel() == "layer (0 = embeddings)" and ax.get_ylabel() == "accuracy"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["x", "majority"]
    assert ax.figure.get_facecolor() == (1, 1, 1, 1)


def test_two_curves_differ_in_colour_and_in_marker():
    ax = plot_layer_curve([1, 2], label="a")
    plot_layer_curve([2, 1], label="b", ax=ax)
    first, second = ax.lines
    assert first.get_color() != second.get_color() and first.get_marker() != second.get_marker()


def test_a_second_curve_leaves_the_labels_that_are_there():
    ax = plot_layer_curve([1, 2], ylabel="mean cosine", title="first")
    ax.set_xlabel("step")
    plot_layer_curve([2, 1], ax=ax)
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title(loc="left")) == (
        "mean cosine",
        "step",
        "first",
    )
    plot_layer_curve([2, 1], ax=ax, ylabel="cosine", title="second")
    assert ax.get_ylabel() == "cosine" and ax.get_title(loc="left") == "second"


@pytest.fixture(scope="module")
def results():
    activations, labels = made_up()
    by_layer = probe_layers(activations, labels, split="sentence", control_labelings=0)
    tables = {"noise": activations.layer(0), "signal": activations.layer(3)}
    by_name = probe_layers(
        activations.features(tables), labels, split="sentence", control_labelings=0
    )
    return {"tag": by_layer, "mixes": by_name}


def test_small_multiples_of_results(results):
    axes = plot_profiles(results, title="t", baselines=("lookup", "majority"))
    assert [ax.get_title(loc="left") for ax in axes] == ["tag", "mixes"]
    first, second = axes
    result = results["tag"]
    curve, like_best, others, lookup, majority = first.lines
    assert np.allclose(curve.get_ydata(), result.accuracy)
    assert list(like_best.get_xdata()) == list(result.not_worse_than_best) == [2, 3]
    assert list(others.get_xdata()) == [0, 1] and others.get_markerfacecolor() == "white"
    assert like_best.get_markerfacecolor() != "white"
    assert (lookup.get_ydata() == result.lookup).all()
    assert (majority.get_ydata() == result.majority).all()
    band = first.collections[0].get_paths()[0].get_extents()
    assert band.ymin == pytest.approx(result.accuracy_interval.min())
    assert band.ymax == pytest.approx(result.accuracy_interval.max())
    # tables have no order: no line from one to the next
    assert [t.get_text() for t in second.get_xticklabels()] == ["noise", "signal"]
    assert [line.get_linestyle() for line in second.lines[:2]] == ["None", "None"]
    assert first.get_ylabel() == "accuracy" and first.get_ylim() == second.get_ylim()
    with pytest.raises(ValueError, match="no result"):
        plot_profiles({})


def test_many_results_fill_rows_and_leave_no_empty_panel(results):
    axes = plot_profiles({str(i): results["tag"] for i in range(5)}, columns=3)
    assert len(axes) == 5 == len(axes[0].figure.axes)
    assert [bool(ax.get_ylabel()) for ax in axes] == [True, False, False, True, False]


def test_a_profile_for_each_c():
    activations, labels = made_up()
    profile = profile_over_C(activations, labels, split="sentence", Cs=[1e-4, 0.01, 1.0])
    ax = plot_over_C(profile, title="t")
    curves = [line for line in ax.lines if line.get_linestyle() == "-"]
    assert np.allclose([line.get_ydata() for line in curves], profile.accuracy)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "C = 0.0001",
        "C = 0.01",
        "C = 1",
    ]
    filled = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [tuple(line.get_xdata()) for line in filled] == list(profile.not_worse_than_best)


def test_steps_between_layers_can_begin_at_one():
    ax = plot_layer_curve([0.9, 0.8], first_layer=1)
    assert list(ax.lines[0].get_xdata()) == [1, 2]


def test_similarity_writes_each_value_legibly():
    matrix = np.array([[1.0, 0.25], [0.25, 1.0]])
    ax = plot_similarity(matrix, title="t")
    assert [t.get_text() for t in ax.texts] == ["1.00", "0.25", "0.25", "1.00"]
    for text, value in zip(ax.texts, matrix.ravel(), strict=True):
        ground = ax.images[0].cmap(ax.images[0].norm(value))[:3]
        assert contrast(matplotlib.colors.to_rgb(text.get_color()), ground) > 4.5


def test_a_large_similarity_matrix_stays_readable():
    ax = plot_similarity(np.eye(25))
    assert not ax.texts and len(ax.get_xticks()) == 13


def test_mixing_weights_beside_their_shares():
    ax = plot_mixing_weights([0.5, 0.5], norms=[1.0, 3.0])
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx([0.5, 0.5, 0.25, 0.75])
    # a mix's own weights, which are being trained
    ax = plot_mixing_weights(torch.nn.Parameter(torch.full((4,), 0.25)))
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([0.25] * 4)


def test_misuse_is_named():
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        plot_layer_curve([1, 2], interval=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="square"):
        plot_similarity(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="before the softmax"):
        plot_mixing_weights([0.1, -0.4, 2.0])
    with pytest.raises(ValueError, match="as many norms"):
        plot_mixing_weights([0.5, 0.5], norms=[1.0])


def test_line_colours_stand_out_on_white():
    for colour in COLOURS:
        assert contrast(matplotlib.colors.to_rgb(colour), (1, 1, 1)) > 2, colour


def contrast(a, b):
    """The contrast ratio of WCAG 2."""

    def luminance(rgb):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_weights_of_a_mix_that_learns_are_drawn_as_they_are():
    for kind in (torch.float32, torch.bfloat16):
        ax = plot_mixing_weights(ScalarMix(4).weights.to(kind))
        assert [bar.get_height() for bar in ax.patches] == [0.25] * 4
    with pytest.raises(ValueError, match="sum to 0.000, not to 1.*pass mix.weights"):
        plot_mixing_weights(ScalarMix(4).scalar_parameters)
    with pytest.raises(ValueError, match="in one row, got"):
        plot_mixing_weights(np.full((2, 2), 0.25))


def test_a_heatmap_has_no_grid_over_it_on_axes_that_were_made_with_one():
    with plt.rc_context({"axes.grid": True}):
        _, ax = plt.subplots()
    plot_similarity(np.eye(3), ax=ax)
    assert not any(line.get_visible() for line in ax.get_xgridlines() + ax.get_ygridlines())


@pytest.mark.parametrize("blocks", [1, 6, 12])
def test_the_drawing_has_a_place_to_read_after_the_embeddings_and_each_block(blocks):
    inside, stack = draw_encoder(blocks, title="t")
    texts = [text.get_text() for text in stack.texts]
    assert [t for t in texts if t.startswith("layer")] == [f"layer {k}" for k in range(blocks + 1)]
    assert [t for t in texts if t.startswith("block")] == [f"block {k + 1}" for k in range(blocks)]
    parts = [text.get_text().split("\n")[0] for text in inside.texts]
    assert [p for p in parts if p in ("attention", "+", "norm", "MLP")] == [
        "attention", "+", "norm", "MLP", "+", "norm",
    ]  # fmt: skip


def test_a_stack_that_no_page_can_show_is_refused():
    for blocks in (0, 13):
        with pytest.raises(ValueError, match="1 to 12 blocks"):
            draw_encoder(blocks)
