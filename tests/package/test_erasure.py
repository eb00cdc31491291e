"""Erasure: nothing linear is left on the words it was fitted on, and as little as possible is changed."""

import numpy as np
import pytest
import torch
from concept_erasure import LeaceEraser
from sklearn.linear_model import LogisticRegression
from test_probing import made_up

from whichlayer.erasure import Eraser, fit_eraser, random_eraser


@pytest.fixture(scope="module")
def data():
    return made_up(n_sentences=120)


@pytest.fixture(scope="module")
def eraser(data):
    return fit_eraser(*data, layer=2)


def test_a_linear_probe_is_left_with_what_is_commonest(data, eraser):
    """Its loss is that of the labels' shares, to 1e-6: no direction says anything of them."""
    activations, labels = data
    assert (
        LogisticRegression().fit(activations.layer(2), labels).score(activations.layer(2), labels)
        > 0.9
    )
    erased = eraser(activations.layer(2).astype(float))
    probe = LogisticRegression(C=1e6, tol=1e-12, max_iter=10_000).fit(erased, labels)
    chances = probe.predict_proba(erased)
    at = np.searchsorted(probe.classes_, labels)
    share = np.bincount(at) / len(at)
    assert -np.log(chances[np.arange(len(at)), at]).mean() == pytest.approx(
        -(share * np.log(share)).sum(), abs=1e-6
    )
    means = [erased[labels == label].mean(axis=0) for label in np.unique(labels)]
    assert np.allclose(means, erased.mean(axis=0), atol=1e-10)
    assert eraser.rank == 2 and repr(eraser) == "Eraser(2 of 8 directions)"


def test_no_smaller_change_does_it(data):
    """Theorem 4.2 by trial: other maps that even the means out move the vectors further."""
    activations, labels = data
    x = activations.layer(2) * np.array([1, 8, 1, 1, 4, 1, 1, 1], dtype=float)
    eraser = fit_eraser(activations.features({"stretched": x}), labels, "stretched")
    least = np.square(eraser(x) - x).sum(axis=1).mean()
    means = np.stack([x[labels == label].mean(axis=0) for label in np.unique(labels)])
    centred = means - x.mean(axis=0)
    spread, _, _ = np.linalg.svd(centred.T, full_matrices=False)
    orthogonal = spread[:, :2] @ spread[:, :2].T  # the orthogonal projection onto the means' plane
    moved = (x - x.mean(axis=0)) @ orthogonal.T
    after = x - moved
    assert np.allclose(
        [after[labels == c].mean(axis=0) for c in np.unique(labels)], after.mean(axis=0)
    )
    assert least < 0.99 * np.square(moved).sum(axis=1).mean()


def test_a_second_time_changes_nothing_and_the_mean_stays(data, eraser):
    x = data[0].layer(2).astype(float)
    once = eraser(x)
    assert np.allclose(eraser(once), once, atol=1e-10)
    assert np.allclose(once.mean(axis=0), x.mean(axis=0), atol=1e-10)


def test_arrays_and_tensors_of_any_shape_are_the_same_and_keep_their_type(data, eraser):
    x = data[0].layer(2)
    tensor = torch.from_numpy(x).reshape(4, -1, 8)
    erased = eraser(tensor)
    assert erased.dtype == torch.float32 and erased.shape == tensor.shape
    assert np.allclose(erased.reshape(-1, 8).numpy(), eraser(x), atol=1e-5)
    assert eraser(x).dtype == np.float32
    with pytest.raises(ValueError, match="fitted on vectors of width 8, these have 5"):
        eraser(np.zeros((2, 5)))


def test_one_layer_of_activations_is_erased_and_the_given_ones_stay(data, eraser):
    activations, _ = data
    before = activations.vectors.copy()
    after = eraser.apply(activations, 2)
    assert (activations.vectors == before).all()
    assert np.allclose(after.layer(2), eraser(before[2])) and after.words == activations.words
    assert (after.vectors[[0, 1, 3]] == before[[0, 1, 3]]).all()


def test_a_direction_without_variance_is_left_alone():
    activations, labels = made_up()
    flat = activations.layer(2).copy()
    flat[:, 3] = 5.0
    features = activations.features({"flat": flat})
    erased = fit_eraser(features, labels, "flat")(flat)
    assert np.allclose(erased[:, 3], 5) and np.isfinite(erased).all()


def test_random_directions_take_out_their_share_and_leave_the_label(data):
    activations, labels = data
    x = activations.layer(2).astype(float)
    drawn = [random_eraser(activations, 2, 2, seed=seed) for seed in range(40)]
    assert np.mean([one.removed_variance(x) for one in drawn]) == pytest.approx(2 / 8, abs=0.06)
    left = drawn[0](x)
    assert LogisticRegression().fit(left, labels).score(left, labels) > 0.6
    assert not np.allclose(drawn[0].projection, drawn[1].projection)
    again = random_eraser(activations, 2, 2, seed=0)
    assert (again.projection == drawn[0].projection).all() and again.rank == 2
    everything = random_eraser(activations, 8, 2)
    assert everything.removed_variance(x) == pytest.approx(1)
    for rank in (0, 9):
        with pytest.raises(ValueError, match="1 to 8 directions"):
            random_eraser(activations, rank, 2)


def test_the_removed_share_of_variance_by_hand():
    x = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    onto_first = Eraser(np.zeros(2), np.diag([1.0, 0.0]), 1)
    assert onto_first.removed_variance(x) == pytest.approx(8 / 10)


def test_a_single_label_can_not_be_erased(data):
    with pytest.raises(ValueError, match="nothing to erase"):
        fit_eraser(data[0], ["N"] * len(data[0]), 2)


def test_it_is_the_reference_implementation_without_its_shrinkage(data):
    activations, labels = data
    at = np.unique(labels, return_inverse=True)[1]
    for k in (1, 2):
        x = torch.from_numpy(activations.layer(k).astype(float))
        one_hot = torch.nn.functional.one_hot(torch.from_numpy(at))
        theirs = LeaceEraser.fit(x, one_hot.double(), shrinkage=False, svd_tol=1e-4)
        ours = fit_eraser(activations, labels, k)
        assert np.allclose(theirs(x).numpy(), ours(x.numpy()), atol=1e-9)


def test_random_directions_can_take_out_as_much_variance_as_an_eraser():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(400, 20)) * np.linspace(0.2, 4, 20)
    activations = made_up(n_sentences=80)[0]
    features = activations.features({"uneven": x})
    for variance in (0.02, 0.1, 0.3, 0.36):
        eraser = random_eraser(features, 3, "uneven", variance=variance, seed=1)
        assert eraser.removed_variance(x) == pytest.approx(variance, abs=1e-8)
        assert eraser.rank == 3 and np.linalg.matrix_rank(eraser.projection) == 3
        assert np.allclose(eraser(eraser(x)), eraser(x), atol=1e-8)
    other = random_eraser(features, 3, "uneven", variance=0.3, seed=2)
    assert not np.allclose(
        other.projection, random_eraser(features, 3, "uneven", variance=0.3).projection
    )
    with pytest.raises(ValueError, match="3 directions of this draw can hold from"):
        random_eraser(features, 3, "uneven", variance=0.95)
