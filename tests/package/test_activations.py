"""Activations and features: chosen, put together and named without losing a word's units."""

import copy
import pickle

import numpy as np
import pytest
import torch

from whichlayer.activations import Activations, Features


@pytest.fixture
def activations():
    return Activations(
        np.arange(24, dtype=np.float32).reshape(2, 4, 3), ("a", "b", "c", "d"),
        ("s1", "s1", "s2", "s2"), ("x", "x", "x", "y"), "made up", "first",
    )  # fmt: skip


def test_words_are_selected_by_mask_or_index_with_their_units(activations):
    for words in ([True, False, False, True], [0, 3], np.array([0, 3]), range(0, 4, 3)):
        some = activations.select(words)
        assert (some.vectors == activations.vectors[:, [0, 3]]).all()
        assert (some.words, some.sentence_ids, some.document_ids) == (
            ("a", "d"), ("s1", "s2"), ("x", "y"),
        )  # fmt: skip
    assert activations.select([3, 0]).words == ("d", "a")
    assert (some.encoder, some.pooling) == ("made up", "first")


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ([True, False], ValueError, "mask of 2 values for 4 words"),
        ([0, 4], ValueError, "word 4 is beyond the 4"),
        ([-1], ValueError, "word -1 is negative"),
        ([0.0, 1.0], TypeError, "not by values such as"),
        (["a"], TypeError, "not by values such as"),
        ([1, 1], ValueError, "named twice"),
        ([[0, 1]], ValueError, "one row of values"),
        ([], ValueError, "No word is selected"),
        ([False] * 4, ValueError, "No word is selected"),
    ],
)
def test_words_that_cannot_be_meant_are_refused(activations, words, error, message):
    with pytest.raises(error, match=message):
        activations.select(words)


def test_layers_are_counted_from_either_end(activations):
    assert activations.names == (0, 1)
    assert (activations.layer(-1) == activations.vectors[1]).all()
    assert np.shares_memory(activations.layer(0), activations.vectors)
    for k in (2, -3):
        with pytest.raises(IndexError, match=f"no layer {k}: the layers are 0 to 1"):
            activations.layer(k)


def test_parts_are_put_one_after_another(activations):
    halves = activations.select([0, 1]), activations.select([2, 3])
    whole = Activations.concat(*halves)
    assert (whole.vectors == activations.vectors).all()
    assert whole.about() == activations.about()
    other = Activations(
        activations.vectors, activations.words, activations.sentence_ids,
        activations.document_ids, "another", "first",
    )  # fmt: skip
    with pytest.raises(ValueError, match="one encoder only .* 'made up' and 'another' differ"):
        Activations.concat(activations, other)
    with pytest.raises(ValueError, match="no activations"):
        Activations.concat()


def test_vectors_that_are_no_array_are_refused(activations):
    with pytest.raises(TypeError, match="NumPy array, not Tensor"):
        Activations(
            torch.zeros(2, 4, 3), activations.words, activations.sentence_ids,
            activations.document_ids, "x", "first",
        )  # fmt: skip


def test_features_keep_the_words_and_take_tables_of_any_width(activations):
    tables = {
        "mean": activations.vectors.mean(axis=0),
        "wide": torch.ones(4, 7, dtype=torch.bfloat16, requires_grad=True),
        "length": [[1], [2], [3], [4]],
    }
    features = activations.features(tables)
    assert features.names == ("mean", "wide", "length") and len(features) == 4
    assert [features.layer(n).shape[1] for n in features.names] == [3, 7, 1]
    assert all(features.layer(n).dtype == np.float32 for n in features.names)
    assert features.sentence_ids == activations.sentence_ids
    some = features.select([False, True, False, True])
    assert some.words == ("b", "d") and some.layer("length").tolist() == [[2], [4]]
    assert repr(features) == "Features of 4 words: mean (3), wide (7), length (1)"
    for again in (copy.deepcopy(features), pickle.loads(pickle.dumps(features))):
        assert again.names == features.names and (again.layer("mean") == tables["mean"]).all()
    with pytest.raises(KeyError, match="no table 'means'; there is mean, wide, length"):
        features.layer("means")


@pytest.mark.parametrize(
    ("tables", "error", "message"),
    [
        ({}, ValueError, "at least one table"),
        ([np.zeros((4, 2))], ValueError, "a mapping of names to tables"),
        ({"x": np.zeros((3, 2))}, ValueError, r"\(3, 2\); \(4, width\) is needed"),
        ({"x": np.zeros((2, 4, 3))}, ValueError, r"\(2, 4, 3\)"),
        ({"x": np.zeros((4, 0))}, ValueError, r"\(4, 0\)"),
        ({"x": [["a"]] * 4}, TypeError, "doesn't hold numbers"),
        ({1: np.zeros((4, 2))}, TypeError, "name of a table is text, not 1"),
    ],
)
def test_tables_that_do_not_fit_are_named(activations, tables, error, message):
    with pytest.raises(error, match=message):
        activations.features(tables)


def test_features_of_another_number_of_units_are_refused():
    with pytest.raises(ValueError, match="2 sentence_ids for 1 words"):
        Features({"x": np.zeros((1, 2))}, ("a",), ("s", "s"), ("d",))
