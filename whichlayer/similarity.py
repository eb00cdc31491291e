"""How much do layers differ? Cosine between layers, anisotropy, and centred kernel alignment.

Where the vectors of all layers are asked for, :class:`~whichlayer.activations.Activations`, an
array or a tensor may be given; where those of one layer are, an array or a tensor, such as
``activations.layer(k)``.
"""

from __future__ import annotations

import copy

import numpy as np

from whichlayer.activations import Activations, Features


def consecutive_cosine(vectors: Activations | np.ndarray) -> np.ndarray:
    """Mean cosine between a word's vector at one layer and at the next.

    Args:
        vectors: (L + 1, words, hidden).

    Returns:
        (L,): entry k compares layer k with layer k + 1. One minus it is called "change".

    Raises:
        ValueError: fewer than two layers, no words, NaN, or a vector of length zero.
        TypeError: what is given isn't numbers.
    """
    unit = _unit(vectors)
    if len(unit) < 2:
        raise ValueError("At least two layers are needed to compare.")
    return np.einsum("kwh,kwh->kw", unit[:-1], unit[1:]).mean(axis=1)


def cosine_matrix(vectors: Activations | np.ndarray) -> np.ndarray:
    """Mean cosine between a word's vectors at every two layers.

    Args:
        vectors: (L + 1, words, hidden).

    Returns:
        (L + 1, L + 1), symmetric, ones on the diagonal. Errors as :func:`consecutive_cosine`.
    """
    unit = _unit(vectors)
    flat = unit.reshape(len(unit), -1)
    return flat @ flat.T / unit.shape[1]


def anisotropy(
    vectors: Activations | np.ndarray, *, n_pairs: int = 10_000, seed: int = 0
) -> np.ndarray:
    """Mean cosine of random pairs of different words, layer by layer: the cosine of nothing.

    Subtract it from a mean cosine before reading that as similarity.

    Args:
        vectors: (L + 1, words, hidden), at least two words.
        n_pairs: how many pairs are drawn; the same pairs at each layer.
        seed: seeds the draw.

    Returns:
        (L + 1,). Errors as :func:`consecutive_cosine`.

    Source: Ethayarajh 2019, Section 3.3.
    """
    unit = _unit(vectors)
    words = unit.shape[1]
    if words < 2:
        raise ValueError("Anisotropy compares words with each other: at least two are needed.")
    _require_some(n_pairs, "n_pairs")
    draw = np.random.default_rng(seed)
    left = draw.integers(words, size=n_pairs)
    right = (left + draw.integers(1, words, size=n_pairs)) % words  # never the word itself
    return np.array([np.einsum("wh,wh->w", u[left], u[right]).mean() for u in unit])


def linear_cka(x: np.ndarray, y: np.ndarray, *, debiased: bool = True) -> float:
    """Linear centred kernel alignment of two representations of the same words.

    1 for copies that differ by a rotation and one common scale. The biased form grows with the
    number of dimensions per word and is far from 0 for unrelated data; the debiased form is near
    0 there, whatever the size.

    Args:
        x: (words, dimensions).
        y: (words, other dimensions), the same words in the same order.
        debiased: use the unbiased estimator of HSIC; needs at least 4 words.

    Raises:
        ValueError: unlike numbers of words, too few, NaN, or a representation without variance
            (one whose spread is only that of rounding counts as without).
        TypeError: what is given isn't numbers.

    Source: Kornblith et al. 2019, Section 3 (linear CKA); Song et al. 2012, Eq. 5 (unbiased HSIC).
    """
    return _cka(_Centred(x), _Centred(y), debiased)


def cka_matrix(
    vectors: Activations | Features | np.ndarray, *, debiased: bool = True
) -> np.ndarray:
    """:func:`linear_cka` between every two layers: (L + 1, words, hidden) -> (L + 1, L + 1).

    Features give one row and column per table, in the order of their names, whatever the widths.
    Errors as for :func:`linear_cka`.
    """
    tables = vectors.tables.values() if isinstance(vectors, Features) else _layers(vectors)
    centred = [_Centred(table) for table in tables]
    states = len(centred)
    matrix = np.ones((states, states))
    for i in range(states):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = _cka(centred[i], centred[j], debiased)
    return matrix


def cka_floor(
    x: np.ndarray, y: np.ndarray, *, debiased: bool = True, n_shuffles: int = 10, seed: int = 0
) -> float:
    """What :func:`linear_cka` gives when the words of ``y`` are shuffled, on average.

    A value of CKA means something only as far as it lies above this floor.

    Args:
        x, y: as in :func:`linear_cka`.
        debiased: as in :func:`linear_cka`.
        n_shuffles: how many random orders are averaged.
        seed: seeds them.

    Errors as for :func:`linear_cka`; a ValueError too where nothing is to be shuffled.
    """
    _require_some(n_shuffles, "n_shuffles")
    x, y, draw = _Centred(x), _Centred(y), np.random.default_rng(seed)
    orders = (draw.permutation(len(y.kept)) for _ in range(n_shuffles))
    return float(np.mean([_cka(x, y.in_order(order), debiased) for order in orders]))


class _Centred:
    """A representation with its mean taken off, and what every comparison asks of it, found once."""

    def __init__(self, x):
        table = _matrix(x)
        # Many layers are kept at once, so in no more memory than they came in.
        self.kept = table if _numbers(x, "x").dtype == np.float64 else table.astype(np.float32)
        table = self.table
        self.diagonal = np.square(table).sum(axis=1)  # of the words-by-words Gram matrix
        # Row sums of the Gram matrix, its diagonal removed.
        self.rows = table @ table.sum(axis=0) - self.diagonal
        self._own = {}  # by debiased

    @property
    def table(self) -> np.ndarray:
        """float64, (words, dimensions)."""
        return self.kept.astype(np.float64, copy=False)

    def in_order(self, order: np.ndarray) -> _Centred:
        """The same words in another order, which changes nothing of its HSIC with itself."""
        other = copy.copy(self)
        other.kept = self.kept[order]
        other.diagonal, other.rows = self.diagonal[order], self.rows[order]
        return other

    def own(self, debiased: bool) -> float:
        """The HSIC of the representation with itself."""
        if debiased not in self._own:
            self._own[debiased] = _hsic(self, self, debiased)
        return self._own[debiased]


def _cka(x: _Centred, y: _Centred, debiased: bool) -> float:
    n, other = len(x.kept), len(y.kept)
    if n != other:
        raise ValueError(f"{n} and {other} words: both must describe the same words.")
    if n < (4 if debiased else 2):
        raise ValueError(f"{n} words are too few.")
    norm = x.own(debiased) * y.own(debiased)
    if norm <= 0:
        raise ValueError(
            f"For {n} words the unbiased estimate of a representation's own HSIC isn't "
            "positive, so CKA isn't defined: take more words, or debiased=False."
        )
    return float(_hsic(x, y, debiased) / np.sqrt(norm))


def _hsic(x: _Centred, y: _Centred, debiased: bool) -> float:
    """Song et al. 2012, Eq. 5, for linear kernels and without a words-by-words matrix."""
    # Both are centred, so this is the trace of the product of the two centred Gram matrices.
    trace = np.square(x.table.T @ y.table).sum()
    if not debiased:
        return float(trace)
    n = len(x.kept)
    trace -= x.diagonal @ y.diagonal
    both = x.rows.sum() * y.rows.sum() / ((n - 1) * (n - 2))
    mixed = 2 * (x.rows @ y.rows) / (n - 2)
    return float((trace + both - mixed) / (n * (n - 3)))


def _require_some(number: int, name: str) -> None:
    if number < 1:
        raise ValueError(f"{name}={number}: at least one is needed.")


def _numbers(values, what: str) -> np.ndarray:
    """An array of numbers, of the kind that was given; tensors too, also those that learn."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        # NumPy has no bfloat16.
        values = values.float() if values.element_size() == 2 else values
        values = values.numpy()
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unlike length
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} must be an array of numbers, not a {type(values).__name__}.")
    return array


def _table(x) -> np.ndarray:
    if isinstance(x, Activations):
        raise ValueError(
            f"Activations hold {x.num_states} layers, one representation each: pass "
            "activations.layer(k), or compare all layers with cka_matrix(activations)."
        )
    if isinstance(x, Features):
        raise ValueError(
            f"Features hold {len(x.names)} tables, one representation each: pass "
            "features.layer(name), or compare all with cka_matrix(features)."
        )
    x = _numbers(x, "A representation")
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"A representation must be (words, dimensions), got {x.shape}.")
    if not np.isfinite(x).all():
        raise ValueError("A representation holds NaN or infinite values.")
    return x


def _matrix(x) -> np.ndarray:
    x = _table(x)
    precision = np.finfo(np.float64 if x.dtype == np.float64 else np.float32).eps
    x = x.astype(np.float64)
    centred = x - x.mean(axis=0)
    # What is left of a constant after centring is rounding, of which CKA would make a 1.
    if np.linalg.norm(centred) <= 8 * precision * np.linalg.norm(x):
        raise ValueError("A representation has no variance: CKA is not defined for it.")
    return centred


def _layers(vectors) -> np.ndarray:
    if isinstance(vectors, Activations):
        vectors = vectors.vectors
    if isinstance(vectors, Features):
        raise ValueError(
            "The tables of Features need not share one space, so cosines between them say nothing: "
            "compare them with cka_matrix(features)."
        )
    vectors = _numbers(vectors, "The vectors")
    if vectors.ndim != 3 or 0 in vectors.shape:
        raise ValueError(f"Vectors must be (L+1, words, hidden), got {vectors.shape}.")
    return vectors


def _unit(vectors) -> np.ndarray:
    vectors = _layers(vectors).astype(np.float64)
    if not np.isfinite(vectors).all():
        raise ValueError("The vectors hold NaN or infinite values.")
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not lengths.all():
        layer, word, _ = np.argwhere(lengths == 0)[0]
        raise ValueError(f"Word {word} has a vector of length zero at layer {layer}.")
    return vectors / lengths
