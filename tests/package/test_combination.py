"""Combining layers: shapes, agreement with the formulas, gradients, and clear errors."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from whichlayer.combination import ScalarMix, concat_layers, mean_layers, sum_layers, weighted_sum


@pytest.fixture
def states():
    return torch.randn(13, 2, 5, 8, generator=torch.Generator().manual_seed(0))


def test_concatenation_of_the_last_four_of_a_bert_base():
    states = torch.zeros(13, 1, 3, 768)
    assert concat_layers(states, [-4, -3, -2, -1]).shape == (1, 3, 3072)


def test_order_and_negative_indices_are_pythons(states):
    out = concat_layers(states, [-1, 0])
    assert torch.equal(out[..., :8], states[12]) and torch.equal(out[..., 8:], states[0])
    assert torch.equal(mean_layers(states, [-13]), states[0])


@pytest.mark.parametrize("kind", ["tensor", "array", "tuple of tensors", "list of arrays"])
def test_every_kind_of_states_gives_the_same(states, kind):
    given = {
        "tensor": states,
        "array": states.numpy(),
        "tuple of tensors": tuple(states),
        "list of arrays": [s.numpy() for s in states],
    }[kind]
    tensor = "tensor" in kind
    for out, expected in [
        (concat_layers(given, [1, 2]), torch.cat([states[1], states[2]], -1)),
        (mean_layers(given), states.sum(0) / 13),
        (sum_layers(given, [3, 4]), states[3] + states[4]),
        (weighted_sum(given, [0.25, 0.75], [0, 12]), 0.25 * states[0] + 0.75 * states[12]),
    ]:
        assert isinstance(out, torch.Tensor if tensor else np.ndarray)
        assert np.allclose(np.asarray(out), expected.numpy(), atol=1e-5)


def test_gradients_reach_the_weights_of_a_weighted_sum(states):
    weights = torch.full((13,), 1 / 13, requires_grad=True)
    weighted_sum(states, weights).sum().backward()
    assert torch.allclose(weights.grad, states.sum(dim=(1, 2, 3)), atol=1e-4)


@pytest.mark.parametrize("function", [concat_layers, mean_layers, sum_layers])
@pytest.mark.parametrize("layer", [13, -14])
def test_a_layer_out_of_range_is_named(states, function, layer):
    with pytest.raises(IndexError, match=f"Layer {layer} is out of range: there are 13 states"):
        function(states, [layer])


def test_empty_lists_and_wrong_numbers_of_weights(states):
    with pytest.raises(ValueError, match="list of layers is empty"):
        concat_layers(states, [])
    with pytest.raises(ValueError, match="no hidden states"):
        mean_layers([])
    with pytest.raises(ValueError, match="13 layers need 13 weights"):
        weighted_sum(states, torch.ones(12))
    with pytest.raises(ValueError, match="2 layers need 2 weights"):
        weighted_sum(states, [1.0], [0, 1])
    with pytest.raises(ValueError, match="unlike shapes"):
        mean_layers([torch.zeros(2, 3), torch.zeros(2, 4)])
    with pytest.raises(ValueError, match="needs 13 initial weights"):
        ScalarMix(13, initial_scalar_parameters=[0.0] * 12)
    with pytest.raises(ValueError, match="made for 12 states and was given 13"):
        ScalarMix(12)(states)
    with pytest.raises(ValueError, match="at least one layer"):
        ScalarMix(0)


def test_scalar_mix_has_fourteen_parameters_for_a_bert_base():
    assert sum(p.numel() for p in ScalarMix(13).parameters()) == 14


def test_scalar_mix_starts_as_the_mean_and_its_weights_sum_to_one(states):
    mix = ScalarMix(13)
    assert torch.allclose(mix(states), states.mean(0), atol=1e-6)
    assert torch.allclose(mix.weights, torch.full((13,), 1 / 13))


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.floats(-3, 3), min_size=2, max_size=13),
    st.floats(-2, 2),
    st.booleans(),
    st.integers(0, 1000),
)
def test_scalar_mix_agrees_with_the_published_formula(raw, gamma, norm, seed):
    h = np.random.default_rng(seed).normal(size=(len(raw), 4, 6))
    mix = ScalarMix(len(raw), do_layer_norm=norm, initial_scalar_parameters=raw).double()
    with torch.no_grad():
        mix.gamma.fill_(gamma)
    raw = mix.scalar_parameters.detach().numpy()  # after rounding to float32
    s = np.exp(raw) / np.exp(raw).sum()
    if norm:
        normed = (h - h.mean(-1, keepdims=True)) / np.sqrt(h.var(-1, keepdims=True) + 1e-5)
    expected = gamma * sum(s[j] * (normed if norm else h)[j] for j in range(len(s)))
    assert np.allclose(mix(torch.from_numpy(h)).detach().numpy(), expected, atol=1e-6)


def test_scalar_mix_learns_and_only_what_it_may(states):
    for trainable in (True, False):
        mix = ScalarMix(13, trainable=trainable)
        mix(states).square().sum().backward()
        assert (mix.scalar_parameters.grad is not None) == trainable
        assert mix.gamma.grad is not None
        if trainable:
            assert mix.scalar_parameters.grad.abs().max() > 0


def test_scalar_mix_with_layer_norm_does_not_depend_on_batch_neighbours(states):
    mix = ScalarMix(13, do_layer_norm=True)
    assert torch.allclose(mix(states)[0], mix(states[:, :1])[0], atol=1e-6)
