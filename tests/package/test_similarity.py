"""Similarity between layers: golden values, invariances, and what each measure can't see."""

import numpy as np
import pytest

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
