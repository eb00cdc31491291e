"""Code length: guessing for noise, short for signal, by hand where that can be done."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from test_probing import made_up

from whichlayer.activations import Activations
from whichlayer.code_length import online_code_length


@pytest.fixture(scope="module")
def data():
    return made_up()


def test_code_length_is_that_of_guessing_for_noise_and_short_for_signal(data):
    activations, labels = data
    code = online_code_length(activations, labels)
    assert code.uniform == pytest.approx(len(labels) * np.log2(3))
    assert 0.95 < code.bits[0] / code.uniform < 1.4  # noise costs no less than guessing
    assert code.bits[0] > code.bits[1] > code.bits[2]
    assert code.bits[2] < 0.7 * code.uniform
    assert (online_code_length(activations, labels, n_jobs=2).bits == code.bits).all()


def test_several_orders_are_averaged_and_their_range_is_told(data):
    activations, labels = data
    code = online_code_length(activations, labels, orders=3, seed=5)
    alone = [online_code_length(activations, labels, orders=1, seed=5 + i).bits for i in range(3)]
    assert np.allclose(code.by_order, alone) and np.allclose(code.bits, np.mean(alone, axis=0))
    assert np.allclose(code.range[:, 0], np.min(alone, axis=0))
    assert np.allclose(code.spread, np.std(alone, axis=0, ddof=1))
    table = code.table()
    assert ((table["low"] <= table["kilobits"]) & (table["kilobits"] <= table["high"])).all()
    assert np.allclose(table["compression"] * code.bits, code.uniform)
    assert code.unit == "document"


def test_code_length_of_the_first_block_and_of_a_class_not_met():
    """By hand: 4 words, 2 classes. Blocks end after 1, 2 and 4 words; one class is met at first."""
    activations = Activations(
        np.zeros((1, 4, 2), dtype=np.float32), tuple("abcd"), tuple("wxyz"), tuple("wxyz"), "x", "first",
    )  # fmt: skip
    for seed in range(5):
        order = np.argsort(np.random.default_rng(seed).permutation(4))
        labels = np.empty(4, dtype=object)
        labels[order] = ["A", "B", "A", "B"]  # in the order of sending
        # word 1: 1 bit; word 2 after one class: uniform, 1 bit; words 3, 4 by a probe on constant
        # vectors, which knows one A and one B: 1 bit each
        code = online_code_length(activations, labels, orders=1, seed=seed)
        assert code.bits == pytest.approx([4.0], abs=1e-3)


def test_blocks_end_with_a_sentence(data):
    """One long sentence holds half the words: it is sent in one piece, before any probe has seen it."""
    activations, _ = data
    labels = np.array(["A", "B"])[np.arange(300) % 2]
    ids = tuple("long" if i < 290 else f"s{i}" for i in range(300))
    vectors = np.eye(2, dtype=np.float32)[np.arange(300) % 2][None]  # the label lies open
    whole = Activations(vectors, activations.words, ids, ("d",) * 300, "x", "first")
    code = online_code_length(whole, labels, C=100.0, orders=4)
    # cut in blocks, 290 words of an open label would cost some 30 bits
    assert code.by_order.min() < 290 < code.by_order.max()


def test_c_is_chosen_on_the_block_before(data):
    activations, labels = data
    grid = [1e-6, 0.1]
    weak, strong, both = (online_code_length(activations, labels, C=C).bits for C in (*grid, grid))
    assert strong[2] < 0.8 * weak[2] and both[2] < 1.25 * strong[2]
    assert weak[0] < strong[0] and both[0] < strong[0]


def test_misuse_is_named(data):
    with pytest.raises(ValueError, match="nothing to send"):
        online_code_length(data[0], ["N"] * 300)
    with pytest.raises(ValueError, match="orders=0"):
        online_code_length(*data, orders=0)
    with pytest.raises(ValueError, match="one or more positive numbers"):
        online_code_length(*data, C=[])


def test_any_classifier_with_probabilities_can_send(data):
    """scikit-learn's own regression, scaled in a pipeline, is the course's probe."""
    activations, labels = data
    probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    ours = online_code_length(activations, labels, C=0.01, orders=2)
    theirs = online_code_length(activations, labels, probe=probe, orders=2)
    assert np.allclose(ours.by_order, theirs.by_order, rtol=0.01)
    assert theirs.uniform == ours.uniform and not hasattr(probe[-1], "coef_")
    with pytest.raises(TypeError, match="gives no probabilities"):
        online_code_length(activations, labels, probe=LinearSVC())
