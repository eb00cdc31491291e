"""The recorded studies say what the package measures, and refuse what isn't there."""

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from whichlayer.corpora import load_treebank, word_labels
from whichlayer.erasure import fit_eraser
from whichlayer.extraction import extract
from whichlayer.learning_curve import learning_curve
from whichlayer.models import load_encoder
from whichlayer.probing import Split, probe_layers
from whichlayer.recorded_studies import (
    STUDIED,
    load_added,
    load_capacity,
    load_code_lengths,
    load_effects,
    load_erasure,
    load_learning_curves,
    load_removed_variance,
    load_spoilt,
)

LAYER = 2


@pytest.fixture(scope="module")
def treebank():
    return load_treebank()


@pytest.fixture(scope="module")
def measured(treebank):
    """One layer, and the embeddings."""
    activations = extract(load_encoder("minilm"), treebank, progress=False)
    return activations.features({"0": activations.layer(0), "2": activations.layer(LAYER)})


def test_the_nearest_centroid_measured_again_is_the_recorded_one(treebank, measured):
    labels, split = word_labels(treebank, "upos"), Split.of(treebank)
    again = probe_layers(measured, labels, split=split, probe=NearestCentroid())
    recorded = load_capacity("part of speech")["nearest centroid"]
    for row, layer in ((0, 0), (1, LAYER)):
        assert np.mean(again.predictions[row] == recorded.predictions[layer]) > 0.999
        control = again.control_correct[:, row] == recorded.control_correct[:, layer]
        assert control.mean() > 0.999
        assert again.seen_selectivity[row] == pytest.approx(
            recorded.seen_selectivity[layer], abs=0.002
        )
    assert (again.seen == recorded.seen).all() and (again.truth == recorded.truth).all()


def test_a_draw_of_the_learning_curve_measured_again_is_the_recorded_one(treebank, measured):
    labels, split = word_labels(treebank, "upos"), Split.of(treebank)
    recorded = load_learning_curves("part of speech")["linear"]
    again = learning_curve(measured, labels, split=split, sizes=recorded.sizes[:3], draws=2)
    # The order of the documents is drawn once a draw, whatever the sizes are.
    assert np.abs(again.by_draw - recorded.by_draw[:3, :2][..., [0, LAYER]]).max() < 0.002
    assert (again.documents == recorded.documents[:3, :2]).all()
    assert recorded.bootstrap.unit == "document" and recorded.bootstrap.n_units == 13


def test_an_erased_layer_measured_again_is_the_recorded_one(treebank, measured):
    labels, split = word_labels(treebank, "upos"), Split.of(treebank)
    train = measured.select(split.train)
    eraser = fit_eraser(train, labels[split.train], "2")
    share = eraser.removed_variance(train.layer("2"))
    assert share == pytest.approx(load_removed_variance("minilm")[LAYER], abs=1e-6)
    after = eraser(measured.layer("2").astype(float))
    relation = word_labels(treebank, "udeprel")
    features = type(measured)(
        {"after": after}, measured.words, measured.sentence_ids, measured.document_ids
    )
    again = probe_layers(features, relation, split=split, control_labelings=0)
    recorded = load_erasure("layer")["dependency relation/erased/linear"]
    assert np.mean(again.predictions[0] == recorded.predictions[LAYER]) > 0.995


def test_every_study_has_what_its_description_names():
    for property_ in STUDIED:
        capacity = load_capacity(property_)
        assert list(capacity) == [
            "nearest centroid", "nearest neighbours", "rank 2", "rank 8", "linear", "MLP 32", "MLP 256",
        ]  # fmt: skip
        assert all(r.control_correct.shape == (3, 7, 3201) for r in capacity.values())
        assert set(capacity["linear"].C) <= {0.001, 0.01, 0.1}
        assert all(r.chosen is not None for name, r in capacity.items() if name != "linear")
        curves = load_learning_curves(property_)
        assert list(curves) == ["linear", "nearest neighbours", "MLP 32", "drawn anew"]
        assert curves["linear"].right.shape == (7, 20, 7, 13)
        assert curves["drawn anew"].sizes[-1] == 7514
        lengths = load_code_lengths(property_)
        assert list(lengths) == ["linear", "MLP 32", "control task"]
        assert all(code.by_order.shape == (5, 7) for code in lengths.values())
        assert load_added(property_).layers == (1, 2, 3, 4, 5, 6)
        spoilt = load_spoilt(property_)
        assert list(spoilt) == [
            "all weights random", "embeddings kept", "weights shuffled", "words shuffled",
        ]  # fmt: skip
        assert all(len(results) == 3 for results in spoilt.values())
    layers = load_erasure("layer")
    assert layers["part of speech/erased/MLP 32"].accuracy.shape == (7,)
    assert {"plain/500", "shrunken/3500", "own", "as it was"} <= set(load_erasure("other words"))
    assert "erased/5/dependency relation" in load_erasure("pass")
    hidden = load_erasure("hidden")
    assert hidden["as it was"].n_test == 1200 and hidden["as it was"].n_train == 1600
    assert set(load_erasure("decoder")) == {"part of speech/as it was", "part of speech/10"}
    for of, n in (("neighbours", 813), ("sense", 528), ("patched", 528)):
        values, draws = load_effects(of)
        assert {len(v) for v in values.values()} == {n} and len(draws.unit_ids) == n
    values, draws = load_effects("decoder")
    assert draws.n_units == 13 and {len(v) for v in values.values()} == {len(draws.unit_ids)}
    assert set(load_removed_variance("smollm2")) == {1, 5, 10, 15, 20, 25, 29}


def test_what_is_not_recorded_is_named():
    for load in (
        load_capacity, load_learning_curves, load_code_lengths, load_added, load_spoilt,
    ):  # fmt: skip
        with pytest.raises(ValueError, match="there is part of speech, dependency relation"):
            load("word sense")
    with pytest.raises(ValueError, match="there is layer, other words"):
        load_erasure("sense")
    with pytest.raises(ValueError, match="there is neighbours, sense"):
        load_effects("layer")
    with pytest.raises(ValueError, match="there is minilm, smollm2"):
        load_removed_variance("e5")
