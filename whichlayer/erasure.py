"""Take out of vectors what a linear probe could read of a property: linear concept erasure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.optimize

from whichlayer.activations import Activations, Features
from whichlayer.classifier import checked_labels

# Directions of less than this share of the largest variance are rounding, and are left alone.
_LEAST_VARIANCE = 1e-6
# Singular values below this share of the largest are rounding: they carry nothing of the labels.
_LEAST_COVARIANCE = 1e-8
# Powers of the covariance from which a draw may lean to the directions that vary least or most.
_STEEPEST = 8.0


@dataclass(frozen=True)
class Eraser:
    """A map that takes a subspace out of vectors: ``x - projection @ (x - mean)``.

    Attributes:
        mean: float64, (hidden,), of the vectors it was fitted on; it stays where it is.
        projection: float64, (hidden, hidden), onto what is taken out.
        rank: how many directions that are.
    """

    mean: np.ndarray
    projection: np.ndarray
    rank: int

    def __repr__(self) -> str:
        return f"Eraser({self.rank} of {len(self.mean)} directions)"

    def __call__(self, vectors):
        """Vectors (..., hidden), an array or a tensor, without what is taken out; of the same type.

        Raises:
            ValueError: vectors of another width.
        """
        if vectors.shape[-1] != len(self.mean):
            raise ValueError(
                f"The eraser was fitted on vectors of width {len(self.mean)}, these have "
                f"{vectors.shape[-1]}."
            )
        if hasattr(vectors, "detach"):
            mean, projection = (vectors.new_tensor(part) for part in (self.mean, self.projection.T))
            return vectors - (vectors - mean) @ projection
        erased = vectors - (vectors - self.mean) @ self.projection.T
        return erased.astype(vectors.dtype, copy=False)

    def apply(self, activations: Activations, layer: int) -> Activations:
        """The activations with the vectors of one layer erased; the others are as they were."""
        vectors = activations.vectors.copy()
        vectors[layer] = self(activations.layer(layer))
        return replace(activations, vectors=vectors)

    def removed_variance(self, vectors: np.ndarray) -> float:
        """The share of the vectors' variance that is gone; vectors of shape (words, hidden)."""
        centred = np.asarray(vectors, dtype=float) - np.mean(vectors, axis=0, dtype=float)
        moved = (centred @ self.projection.T).ravel()
        after = centred.ravel() - moved
        return float(1 - after @ after / (centred.ravel() @ centred.ravel()))


def fit_eraser(features: Activations | Features, labels: Sequence, layer: int | str) -> Eraser:
    """The least change after which no linear probe does better than without the vectors (LEACE).

    On the words that it was fitted on, each label's mean vector is then the mean of all, so that a
    linear probe *trained on these words*, by any loss that is convex, does best by naming what is
    commonest. On other words something is left, the more the fewer words it was fitted on. And
    what isn't linear isn't touched.

    Args:
        features: the words to fit on, activations or named tables.
        labels: one per word.
        layer: which layer's vectors, or which table.

    Returns:
        An :class:`Eraser` of at most (number of labels - 1) directions.

    Raises:
        TypeError, ValueError: as for :func:`~whichlayer.probing.probe_layers`; a single label.

    Source: Belrose et al. 2023, Theorem 4.2, with the covariance as it is: their package shrinks it
    unless told ``shrinkage=False``.
    """
    labels = checked_labels(features, labels)
    classes, at = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"All words have the label {str(classes[0])!r}: there is nothing to erase."
        )
    mean, centred, whiten, colour = _whitening(features.layer(layer))
    is_label = np.eye(len(classes))[at]
    shared = centred.T @ (is_label - is_label.mean(axis=0)) / len(centred)
    directions, strength, _ = np.linalg.svd(whiten @ shared, full_matrices=False)
    directions = directions[:, strength > _LEAST_COVARIANCE * strength.max()]
    return _eraser(mean, directions, whiten, colour)


def random_eraser(
    features: Activations | Features,
    rank: int,
    layer: int | str,
    *,
    variance: float | None = None,
    seed: int = 0,
) -> Eraser:
    """As many directions, drawn at random: what erasing does that has nothing to do with a label.

    Sixteen directions drawn evenly hold little of the vectors' variance; those in which a property
    can be read often hold more. To remove as much variance as an eraser does, the draw must lean to
    the directions in which the vectors vary most: a normal draw whose covariance is a power of
    theirs, the power being what gives the share that is asked for.

    Args:
        features, layer: as for :func:`fit_eraser`.
        rank: how many directions, 1 to hidden.
        variance: the share of variance to be removed, as ``eraser.removed_variance`` measures it on
            the same vectors; None to draw evenly.
        seed: seeds the draw.

    Raises:
        ValueError: a rank out of range, or a share of variance that so many directions can't hold.
    """
    mean, _, whiten, colour = _whitening(features.layer(layer))
    if not 1 <= rank <= len(mean):
        raise ValueError(f"rank={rank}: 1 to {len(mean)} directions can be taken out.")
    drawn = np.random.default_rng(seed).normal(size=(len(mean), rank))
    if variance is None:
        return _eraser(mean, np.linalg.qr(drawn)[0], whiten, colour)
    spread, axes = np.linalg.eigh(colour)  # the symmetric root of the covariance
    spread = np.maximum(spread / spread.max(), 1e-12)
    share = spread**2 / np.sum(spread**2)

    def directions(power: float) -> np.ndarray:
        return np.linalg.qr(spread[:, None] ** power * drawn)[0]

    def too_much(power: float) -> float:
        return float(share @ np.square(directions(power)).sum(axis=1)) - variance

    least, most = too_much(-_STEEPEST) + variance, too_much(_STEEPEST) + variance
    if not least <= variance <= most:
        raise ValueError(
            f"variance={variance}: {rank} directions of this draw can hold from {least:.4f} to "
            f"{most:.4f} of it."
        )
    power = scipy.optimize.brentq(too_much, -_STEEPEST, _STEEPEST, xtol=1e-10)
    return _eraser(mean, axes @ directions(power), whiten, colour)


def _eraser(
    mean: np.ndarray, directions: np.ndarray, whiten: np.ndarray, colour: np.ndarray
) -> Eraser:
    """From orthonormal directions of the whitened space."""
    return Eraser(mean, colour @ directions @ directions.T @ whiten, directions.shape[1])


def _whitening(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The mean, the centred vectors, the map to unit variance in each direction, and the way back."""
    vectors = np.asarray(vectors, dtype=float)
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    variance, directions = np.linalg.eigh(centred.T @ centred / len(centred))
    kept = variance > _LEAST_VARIANCE * variance.max()
    root, directions = np.sqrt(variance[kept]), directions[:, kept]
    return mean, centred, (directions / root) @ directions.T, (directions * root) @ directions.T
