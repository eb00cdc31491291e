"""Probes: right on made-up data with a known answer, honest, repeatable, and clear when misused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from whichlayer.extraction import Activations
from whichlayer.probing import Split, online_code_length, probe_layers, split_by


def made_up(n_sentences=60, length=5, seed=0):
    """Four layers: pure noise, the label half hidden, the label plain, the same again.

    Word types alternate between labels, so that look-up is no better than chance.
    """
    draw = np.random.default_rng(seed)
    n = n_sentences * length
    labels = draw.integers(3, size=n)
    signal = np.eye(3)[labels] @ draw.normal(size=(3, 8))
    noise = draw.normal(size=(4, n, 8))
    vectors = noise + np.array([0, 0.7, 3, 3])[:, None, None] * signal
    activations = Activations(
        vectors=vectors.astype(np.float32),
        words=tuple(f"w{i % 40}" for i in range(n)),
        sentence_ids=tuple(f"s{i // length}" for i in range(n)),
        document_ids=tuple(f"d{i // (length * 6)}" for i in range(n)),
        encoder="made up",
        pooling="first",
    )
    return activations, np.array(["N", "V", "A"])[labels]


@pytest.fixture(scope="module")
def data():
    return made_up()


@pytest.fixture(scope="module")
def result(data):
    return probe_layers(*data)


def test_the_profile_is_the_one_that_was_put_in(result):
    assert result.accuracy[0] < 0.5 < result.accuracy[1] < 0.95 < result.accuracy[2]
    assert result.best in (2, 3) and set(result.not_worse_than_best) == {2, 3}
    assert result.control_accuracy.shape == (3, 4)
    assert np.allclose(result.selectivity, result.accuracy - result.control_accuracy.mean(0))
    assert (result.control_accuracy < 0.6).all()


def test_each_layer_agrees_with_scikit_learns_own_pipeline(data, result):
    activations, labels = data
    split = split_by(activations, "sentence", seed=0)
    assert (result.n_train, result.n_test) == (len(split.train), len(split.test)) == (225, 75)
    for k, vectors in enumerate(activations.vectors):
        probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
        probe.fit(vectors[split.train], labels[split.train])
        named = probe.predict(vectors[split.test])
        assert (named == result.predictions[k]).mean() > 0.98
        truth = labels[split.test]
        assert result.macro_f1[k] == pytest.approx(
            f1_score(truth, result.predictions[k], average="macro")
        )


def test_layers_are_independent_of_each_other(data, result):
    activations, labels = data
    alone = Activations(
        activations.vectors[2:3], activations.words, activations.sentence_ids,
        activations.document_ids, "made up", "first",
    )  # fmt: skip
    only = probe_layers(alone, labels)
    assert only.accuracy[0] == result.accuracy[2]
    assert (only.accuracy_interval[0] == result.accuracy_interval[2]).all()


def test_same_numbers_on_every_run_and_for_two_jobs(data, result):
    for jobs in (1, 2):
        pd.testing.assert_frame_equal(probe_layers(*data, n_jobs=jobs).table(), result.table())


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """Trained once, tested on 200 fresh samples: the 90% interval must hold the long-run accuracy."""
    activations, labels = made_up(n_sentences=840, seed=1)
    layer = Activations(
        activations.vectors[1:2], activations.words, activations.sentence_ids,
        activations.document_ids, "made up", "first",
    )  # fmt: skip
    train, rest = np.arange(200), np.arange(200, len(labels))
    options = {"control_labelings": 0, "confidence": 0.9, "n_bootstrap": 300}
    truth = probe_layers(layer, labels, split=Split(train, [], rest), **options).accuracy[0]
    held = 0
    for i in range(40):
        part = rest[i * 100 : (i + 1) * 100]
        low, high = probe_layers(
            layer, labels, split=Split(train, [], part), **options
        ).accuracy_interval[0]
        held += low <= truth <= high
    assert 29 <= held <= 40  # 36 expected; fewer than 29 has a probability below 1 in 500


def test_resampling_is_by_sentence(data):
    """Copies of a word within a sentence add no information: the interval must not shrink."""
    activations, labels = data
    doubled = Activations(
        np.repeat(activations.vectors, 4, axis=1), tuple(np.repeat(activations.words, 4)),
        tuple(np.repeat(activations.sentence_ids, 4)), tuple(np.repeat(activations.document_ids, 4)),
        "made up", "first",
    )  # fmt: skip
    train, test = split_by(activations).train, split_by(activations).test
    once = probe_layers(activations, labels, split=Split(train, [], test), control_labelings=0)
    rows = np.concatenate([4 * test + i for i in range(4)])
    four = probe_layers(
        doubled, np.repeat(labels, 4), split=Split(4 * train, [], rows), control_labelings=0
    )
    assert np.allclose(once.accuracy_interval, four.accuracy_interval, atol=1e-9)
    assert np.allclose(once.macro_f1_interval, four.macro_f1_interval, atol=1e-9)


def test_baselines_by_hand():
    words = ["the", "cat", "the", "dog", "a", "cat", "saw", "THE", "saw", "zebra"]
    labels = ["D", "N", "D", "N", "D", "N", "N", "D", "V", "N"]
    activations = Activations(
        np.random.default_rng(0).normal(size=(2, 10, 3)).astype(np.float32), tuple(words),
        ("s1",) * 7 + ("s2",) * 3, ("d",) * 10, "x", "first",
    )  # fmt: skip
    result = probe_layers(activations, labels, split=Split(np.arange(7), [], np.arange(7, 10)))
    assert result.majority == pytest.approx(1 / 3)  # N is commonest in training
    assert result.lookup == pytest.approx(2 / 3)  # THE -> D right, saw -> N wrong, zebra -> N right
    assert (result.n_unseen, result.n_new_labels) == (1, 1)  # zebra; V
    assert np.isfinite(result.unseen_accuracy).all()


def test_a_class_that_training_never_saw_counts_as_an_error(data):
    activations, labels = data
    split = split_by(activations)
    changed = labels.astype(object).copy()
    changed[split.test[:10]] = "NEW"
    result = probe_layers(activations, changed, split=split, control_labelings=0)
    assert result.n_new_labels == 10 and "NEW" not in result.classes
    assert (result.accuracy <= 1 - 10 / len(split.test)).all()
    assert result.by_class(2).loc["NEW", "f1"] == 0


def test_c_is_chosen_on_the_dev_part_only(data):
    activations, labels = data
    split = split_by(activations, dev=0.2)
    grid = [1e-6, 0.1, 10.0]
    result = probe_layers(activations, labels, split=split, C=grid)
    assert set(result.C) <= set(grid) and (result.C[2:] > 1e-6).all()
    # labels of the test part can't change the choice
    scrambled = labels.copy()
    scrambled[split.test] = "N"
    assert (probe_layers(activations, scrambled, split=split, C=grid).C == result.C).all()
    with pytest.raises(ValueError, match="need a dev part"):
        probe_layers(activations, labels, split=split_by(activations), C=grid)


def test_test_words_never_enter_the_scaling(data):
    activations, labels = data
    split = split_by(activations)
    moved = activations.vectors.copy()
    moved[:, split.test[1:]] += 1000
    other = Activations(
        moved, activations.words, activations.sentence_ids, activations.document_ids, "x", "first"
    )
    first = [
        probe_layers(a, labels, split=split, control_labelings=0).predictions[:, 0]
        for a in (activations, other)
    ]
    assert (first[0] == first[1]).all()


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_splits_keep_units_whole(data, unit):
    activations, _ = data
    ids = np.array(getattr(activations, f"{unit}_ids"))
    split = split_by(activations, unit, test=0.3, dev=0.2, seed=3)
    parts = [set(ids[part]) for part in (split.train, split.dev, split.test)]
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]
    assert len(split.train) + len(split.dev) + len(split.test) == len(activations)
    again = split_by(activations, unit, test=0.3, dev=0.2, seed=3)
    assert (again.test == split.test).all()


def test_the_twin_is_probed_too(data):
    activations, labels = data
    noise = Activations(
        activations.vectors[[0, 0, 0, 0]], activations.words, activations.sentence_ids,
        activations.document_ids, "noise", "first",
    )  # fmt: skip
    result = probe_layers(activations, labels, twin=noise, control_labelings=0)
    assert result.twin_accuracy == pytest.approx([result.accuracy[0]] * 4)
    assert "random_twin" in result.table() and "control" not in result.table()
    assert np.isnan(result.selectivity).all()


def test_the_table_holds_what_belongs_together(result):
    table = result.table()
    assert list(table.index) == [0, 1, 2, 3] and table.index.name == "layer"
    for column in ["accuracy", "low", "high", "macro_f1", "seen", "unseen", "control", "selectivity", "majority", "lookup", "like_best", "C", "iterations"]:  # fmt: skip
        assert column in table, column
    assert ((table["low"] <= table["accuracy"]) & (table["accuracy"] <= table["high"])).all()
    by_class = result.by_class(2)
    assert by_class["n"].sum() == result.n_test and by_class["n"].is_monotonic_decreasing


def test_misuse_is_named(data):
    activations, labels = data
    with pytest.raises(ValueError, match="299 labels for 300 words"):
        probe_layers(activations, labels[:-1])
    with pytest.raises(ValueError, match="all have the label 'N'"):
        probe_layers(activations, ["N"] * 300)
    with pytest.raises(ValueError, match=r"Word 3 \('w3'\) has no label; 2 words"):
        probe_layers(activations, [None if i in (3, 5) else "N" for i in range(300)])
    with pytest.raises(ValueError, match="unit='word' is unknown"):
        probe_layers(activations, labels, split="word")
    with pytest.raises(ValueError, match="stands in two parts"):
        Split(np.arange(10), [], np.arange(5, 15))
    with pytest.raises(ValueError, match="test part is empty"):
        Split(np.arange(10), [], [])
    with pytest.raises(ValueError, match="beyond the 300"):
        probe_layers(activations, labels, split=Split(np.arange(10), [], [300]))
    bad = activations.vectors.copy()
    bad[2, 7, 0] = np.nan
    broken = Activations(
        bad, activations.words, activations.sentence_ids, activations.document_ids, "x", "first"
    )
    with pytest.raises(ValueError, match=r"word 7 \('w7'\) at layer 2 holds NaN"):
        probe_layers(broken, labels)
    few = Activations(activations.vectors[:, :5], *(t[:5] for t in (activations.words, activations.sentence_ids, activations.document_ids)), "x", "first")  # fmt: skip
    with pytest.raises(ValueError, match="1 documents can't be split"):
        split_by(few, "document")
    with pytest.raises(ValueError, match="not of the same words"):
        probe_layers(activations, labels, twin=few)


def test_boolean_masks_make_a_split():
    split = Split(np.array([True, False, True]), np.zeros(3, bool), np.array([False, True, False]))
    assert list(split.train) == [0, 2] and list(split.test) == [1] and len(split.dev) == 0


def test_missing_convergence_is_one_warning_that_names_the_layers(data):
    with pytest.warns(ConvergenceWarning, match="did not converge at layer 0, 1, 2, 3") as caught:
        result = probe_layers(*data, C=10.0, max_iter=2, control_labelings=0)
    assert len(caught) == 1 and not result.converged.any()


def test_code_length_is_that_of_guessing_for_noise_and_short_for_signal(data):
    activations, labels = data
    bits = online_code_length(activations, labels)
    uniform = len(labels) * np.log2(3)
    assert 0.95 < bits[0] / uniform < 1.4  # noise costs no less than guessing
    assert bits[0] > bits[1] > bits[2]
    assert bits[2] < 0.7 * uniform
    assert (online_code_length(activations, labels, n_jobs=2) == bits).all()


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
        assert online_code_length(activations, labels, seed=seed) == pytest.approx([4.0], abs=1e-3)


def test_code_length_refuses_a_single_class(data):
    with pytest.raises(ValueError, match="nothing to send"):
        online_code_length(data[0], ["N"] * 300)
