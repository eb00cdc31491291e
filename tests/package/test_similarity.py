"""Similarity between layers: golden values, invariances, and what each measure can't see."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from whichlayer.activations import Activations, Features
from whichlayer.similarity import (
    anisotropy,
    cka_floor,
    cka_matrix,
    consecutive_cosine,
    cosine_matrix,
    linear_cka,
)


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(4, 50, 6))


def test_linear_cka_golden_values():
    """The values in Kornblith et al.'s own notebook, as recorded in the field."""
    np.random.seed(1337)
    x = np.random.randn(100, 10)
    y = np.random.randn(100, 10) + x
    assert f"{linear_cka(x, y, debiased=False):.5f}" == "0.55761"
    assert f"{linear_cka(x, y, debiased=True):.5f}" == "0.51346"


def test_debiased_cka_agrees_with_gram_matrices_written_out():
    draw = np.random.default_rng(1)
    x, y = draw.normal(size=(30, 5)), draw.normal(size=(30, 7))

    def hsic(a, b):  # Song et al. 2012, Eq. 5, word by word
        n = len(a)
        k, l = a @ a.T, b @ b.T  # noqa: E741
        np.fill_diagonal(k, 0)
        np.fill_diagonal(l, 0)
        one = np.ones(n)
        return (
            np.trace(k @ l)
            + (one @ k @ one) * (one @ l @ one) / ((n - 1) * (n - 2))
            - 2 / (n - 2) * (one @ k @ l @ one)
        ) / (n * (n - 3))

    x, y = x - x.mean(0), y - y.mean(0)
    assert linear_cka(x, y) == pytest.approx(
        hsic(x, y) / np.sqrt(hsic(x, x) * hsic(y, y)), abs=1e-10
    )


def test_cka_sees_no_rotation_no_common_scale_and_no_shift(vectors):
    x = vectors[0]
    rotation, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(6, 6)))
    for debiased in (True, False):
        assert linear_cka(x, 3 * x @ rotation + 5, debiased=debiased) == pytest.approx(1)
    stretched = x * np.array([100, 1, 1, 1, 1, 1])
    assert linear_cka(x, stretched) < 0.9  # not every invertible map is invisible


def test_the_floor_is_zero_only_when_debiased():
    draw = np.random.default_rng(3)
    x, y = draw.normal(size=(100, 80)), draw.normal(size=(100, 80))
    assert cka_floor(x, y, debiased=False) > 0.3
    assert abs(cka_floor(x, y, debiased=True)) < 0.02


def test_cka_matrix_is_symmetric_with_ones(vectors):
    matrix = cka_matrix(vectors)
    assert np.array_equal(matrix, matrix.T) and (np.diag(matrix) == 1).all()
    assert matrix[2, 1] == pytest.approx(linear_cka(vectors[1], vectors[2]))


def test_cosines_by_hand():
    # two words; layer 1 turns the first by 90 degrees and only stretches the second
    vectors = np.array([[[1.0, 0], [0, 2]], [[0, 3.0], [0, 5]], [[0, -3.0], [0, 5]]])
    assert consecutive_cosine(vectors) == pytest.approx([0.5, 0.0])
    assert cosine_matrix(vectors) == pytest.approx(
        np.array([[1, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]])
    )


def test_anisotropy_of_a_sphere_and_of_a_cone():
    draw = np.random.default_rng(0)
    sphere = draw.normal(size=(2000, 20))
    cone = sphere + 3
    low, high = anisotropy(np.stack([sphere, cone]))
    assert abs(low) < 0.01 and 0.85 < high < 0.95  # 9 / (9 + 1) for the cone


def test_anisotropy_never_pairs_a_word_with_itself_and_repeats_by_seed(vectors):
    two = np.array([[[1.0, 0], [0, 1]]])
    assert anisotropy(two) == pytest.approx([0])
    assert (anisotropy(vectors, seed=1) == anisotropy(vectors, seed=1)).all()
    assert (anisotropy(vectors, seed=1) != anisotropy(vectors, seed=2)).any()


@pytest.mark.parametrize("function", [consecutive_cosine, cosine_matrix, anisotropy])
def test_bad_vectors_are_refused(function, vectors):
    with pytest.raises(ValueError, match=r"\(L\+1, words, hidden\)"):
        function(vectors[0])
    with pytest.raises(ValueError, match="NaN"):
        function(np.where(vectors > 2, np.nan, vectors))
    vectors[2, 7] = 0
    with pytest.raises(ValueError, match="Word 7 has a vector of length zero at layer 2"):
        function(vectors)


def test_bad_representations_are_refused(vectors):
    x = vectors[0]
    with pytest.raises(ValueError, match="50 and 49 words"):
        linear_cka(x, x[:-1])
    with pytest.raises(ValueError, match="3 words are too few"):
        linear_cka(x[:3], x[:3])
    with pytest.raises(ValueError, match="no variance"):
        linear_cka(x, np.ones((50, 2)))
    with pytest.raises(ValueError, match="at least two"):
        anisotropy(vectors[:, :1])
    with pytest.raises(ValueError, match="two layers"):
        consecutive_cosine(vectors[:1])


ALL_LAYERS = [consecutive_cosine, cosine_matrix, anisotropy, cka_matrix]


@pytest.mark.parametrize("function", ALL_LAYERS)
def test_activations_and_tensors_give_what_their_vectors_give(function, vectors):
    vectors = vectors.astype(np.float32)
    ids = tuple(map(str, range(50)))
    activations = Activations(vectors, ids, ids, ids, "some encoder", "first")
    expected = function(vectors)
    assert np.array_equal(function(activations), expected)
    assert np.array_equal(function(torch.from_numpy(vectors).requires_grad_()), expected)
    half = function(torch.from_numpy(vectors).to(torch.bfloat16))
    assert np.allclose(half, expected, atol=0.02)


@pytest.mark.parametrize("function", [linear_cka, cka_floor])
def test_one_representation_is_asked_for_and_activations_hold_many(function, vectors):
    ids = tuple(map(str, range(50)))
    activations = Activations(vectors, ids, ids, ids, "some encoder", "first")
    with pytest.raises(
        ValueError, match=r"4 layers.*pass activations.layer\(k\), or .* cka_matrix"
    ):
        function(activations, vectors[0])
    with pytest.raises(ValueError, match=r"pass activations.layer\(k\)"):
        function(vectors[0], activations)
    tensors = [torch.from_numpy(v).requires_grad_() for v in vectors[:2]]
    assert function(*tensors) == function(*vectors[:2])


def test_tables_of_any_width_are_compared_by_cka_and_not_by_cosine(vectors):
    ids = tuple(map(str, range(50)))
    tables = {"narrow": vectors[0][:, :2], "whole": vectors[0], "next": vectors[1]}
    features = Features(tables, ids, ids, ids)
    matrix = cka_matrix(features)
    assert matrix.shape == (3, 3)
    assert matrix[0, 2] == pytest.approx(linear_cka(tables["narrow"], tables["next"]), abs=1e-6)
    for function in (consecutive_cosine, cosine_matrix, anisotropy):
        with pytest.raises(ValueError, match="share one space.*cka_matrix"):
            function(features)
    with pytest.raises(ValueError, match="3 tables.*features.layer"):
        linear_cka(features, vectors[0])


@pytest.mark.parametrize("function", ALL_LAYERS)
@pytest.mark.parametrize(
    ("given", "error", "what"),
    [
        (np.ones((3, 4)), ValueError, r"\(L\+1, words, hidden\), got \(3, 4\)"),
        (np.ones((3, 0, 4)), ValueError, r"\(L\+1, words, hidden\), got \(3, 0, 4\)"),
        (np.float64(1), ValueError, r"\(L\+1, words, hidden\), got \(\)"),
        ("vectors", TypeError, "an array of numbers, not a str"),
        (None, TypeError, "an array of numbers, not a NoneType"),
        ([[[1.0], [2.0, 3.0]]], TypeError, "an array of numbers, not a list"),
        (np.full((3, 9, 4), np.inf), ValueError, "NaN or infinite"),
    ],
)
def test_what_are_no_vectors_is_named(function, given, error, what):
    with pytest.raises(error, match=what):
        function(given)


@pytest.mark.parametrize("debiased", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("value", [0, 1, 7.3, 1e6])
def test_a_constant_has_no_cka(debiased, dtype, value, vectors):
    """Not even where centring leaves rounding behind, of which all would be alike."""
    rows = np.tile(np.linspace(value, 2 * value, 5), (50, 1)).astype(dtype)
    noisy = rows * (1 + np.finfo(np.float32).eps * (np.arange(50)[:, None] % 2))
    cases = [rows] if dtype != "float32" else [rows, noisy.astype(dtype)]
    for constant in cases:
        for pair in ((constant, constant), (constant, vectors[0]), (vectors[0], constant)):
            with pytest.raises(ValueError, match="no variance"):
                linear_cka(*pair, debiased=debiased)


def test_a_small_spread_around_a_large_mean_is_variance(vectors):
    far = vectors[0] + 1e5
    assert linear_cka(far, vectors[0]) == pytest.approx(1)


@pytest.mark.parametrize("number", [0, -1])
def test_nothing_to_average_is_refused(number, vectors):
    with pytest.raises(ValueError, match=f"n_pairs={number}: at least one"):
        anisotropy(vectors, n_pairs=number)
    with pytest.raises(ValueError, match=f"n_shuffles={number}: at least one"):
        cka_floor(vectors[0], vectors[1], n_shuffles=number)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 12), st.integers(1, 5), st.integers(1, 7), st.integers(0, 10**6))
def test_biased_cka_lies_between_0_and_1_and_is_symmetric(words, width, other, seed):
    draw = np.random.default_rng(seed)
    x, y = draw.normal(size=(words, width)), draw.normal(size=(words, other))
    value = linear_cka(x, y, debiased=False)
    assert 0 <= value <= 1 + 1e-12
    assert value == pytest.approx(linear_cka(y, x, debiased=False))
