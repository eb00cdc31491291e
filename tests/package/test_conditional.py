"""Conditional probing: nothing from a copy, everything from the label itself, by hand with scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from test_probing import made_up

from whichlayer.activations import Activations
from whichlayer.conditional import conditional_probing
from whichlayer.splits import split_by


@pytest.fixture(scope="module")
def study():
    """Layer 0 knows whether a label is N; layer 1 is a copy, 2 tells V from A only, 3 is noise."""
    activations, labels = made_up()
    draw = np.random.default_rng(1)
    vectors = 0.05 * draw.normal(size=(4, len(labels), 6))
    vectors[0, :, 0] += labels == "N"
    vectors[1] = vectors[0]
    vectors[2, :, 1] += np.where(labels == "N", draw.integers(2, size=len(labels)), labels == "V")
    ids = (activations.words, activations.sentence_ids, activations.document_ids)
    return Activations(vectors.astype(np.float32), *ids, "made up", "first"), labels


@pytest.fixture(scope="module")
def found(study):
    split = split_by(study[0], "document", seed=0)
    return conditional_probing(*study, split=split, C=10.0), split


def test_a_copy_adds_nothing_and_what_is_missing_adds_all_that_is_missing(found):
    result, _ = found
    copy, rest, noise = result.added_bits.difference
    assert result.layers == (1, 2, 3) and result.given == 0
    assert copy == pytest.approx(0, abs=1e-3) and result.added_accuracy.difference[0] == 0
    # V or A is one bit for two words in three, and layer 0 doesn't know it
    open_ = result.surprise_alone.mean()
    assert 0.6 < open_ < 0.85
    assert rest == pytest.approx(open_, abs=0.1) and result.accuracy[1] > 0.98
    assert noise < 0.02
    assert result.errors_removed[1] > 0.95
    assert result.added_bits.settled[1] and not result.added_accuracy.settled[2]


def test_layer_two_alone_reads_less_than_the_embeddings_and_adds_all_the_same(study, found):
    """What a difference of two layers' own accuracies can't show."""
    result, split = found
    alone = conditional_probing(*study, given=2, layers=[2], split=split, C=10.0).accuracy_alone
    assert alone < 0.72 and result.accuracy[1] > 0.98


def test_accuracy_and_bits_by_hand(study, found):
    (activations, labels), (result, split) = study, found
    for row, k in enumerate((0, 1, 2, 3)):
        both = np.hstack([activations.layer(0), activations.layer(k)])
        scaler = StandardScaler().fit(both[split.train])
        probe = LogisticRegression(C=10.0, tol=1e-8, max_iter=5000)
        probe.fit(scaler.transform(both[split.train]), labels[split.train])
        chances = 0.99 * probe.predict_proba(scaler.transform(both[split.test])) + 0.01 / 3
        gold = np.searchsorted(probe.classes_, labels[split.test])
        surprise = -np.log2(chances[np.arange(len(gold)), gold])
        seen = result.surprise_alone if row == 0 else result.surprise[row - 1]
        assert np.allclose(seen, surprise, atol=0.02)
        correct = result.correct_alone if row == 0 else result.correct[row - 1]
        assert (correct == (chances.argmax(axis=1) == gold)).mean() > 0.98


def test_intervals_draw_whole_documents_and_hold_at_once(found):
    result, _ = found
    added = result.added_bits
    assert added.unit == "document" and added.n_compared == 3
    by_word = result.surprise_alone - result.surprise
    assert np.allclose(added.difference, by_word.mean(axis=1))
    single = np.quantile(result.bootstrap.mean(by_word[1]), [0.025, 0.975])
    assert added.low[1] < single[0] and added.high[1] > single[1]
    table = result.table()
    assert list(table.index) == [1, 2, 3]
    assert np.allclose(table["bits"], added.difference)
    assert np.allclose(table["added, low"], result.added_accuracy.low)


def test_a_label_that_training_never_showed_has_a_finite_price(study):
    activations, labels = study
    split = split_by(activations, "document", seed=0)
    labels = labels.astype(object)
    labels[split.test[0]] = "X"
    result = conditional_probing(activations, labels, split=split, layers=[1])
    assert result.surprise[0, 0] == pytest.approx(np.log2(4 / 0.01))
    assert not result.correct[0, 0]


def test_c_is_chosen_by_the_surprise_on_the_dev_part(study):
    split = split_by(study[0], "document", dev=0.2, seed=0)
    grid = [1e-5, 0.1, 10.0]
    each = [conditional_probing(*study, split=split, C=C).surprise for C in grid]
    chosen = conditional_probing(*study, split=split, C=grid)
    for row, C in enumerate(chosen.C):
        assert np.allclose(chosen.surprise[row], each[grid.index(C)][row], atol=0.02)
    assert chosen.C[1] == 10.0  # the label lies open: the freest probe is the least surprised
    assert (conditional_probing(*study, split=split, n_jobs=2).correct.shape) == (
        3,
        len(split.test),
    )


def test_misuse_is_named(study):
    activations, labels = study
    for wrong in ({"given": 4}, {"layers": [1, 9]}):
        with pytest.raises(ValueError, match="There is no layer [49]: they run from 0 to 3"):
            conditional_probing(activations, labels, **wrong)
    with pytest.raises(ValueError, match="No layer to set beside"):
        conditional_probing(activations, labels, layers=[])
    with pytest.raises(ValueError, match="need a dev part"):
        split = split_by(activations, "document", seed=0)
        conditional_probing(activations, labels, split=split, C=[0.1, 1])
    with pytest.raises(TypeError, match="Activations are probed, not ndarray"):
        conditional_probing(activations.vectors, labels)
    with pytest.raises(ValueError, match="all have one label"):
        conditional_probing(activations, ["N"] * len(labels))
