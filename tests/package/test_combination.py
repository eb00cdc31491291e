"""Combining layers: shapes, agreement with the formulas, gradients, and clear errors."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from whichlayer.activations import Activations
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


def test_activations_give_a_table_of_words(states):
    vectors = states.reshape(13, 10, 8).numpy()
    ids = tuple("abcdefghij")
    activations = Activations(vectors, ids, ids, ids, "some encoder", "first")
    for function in (mean_layers, sum_layers, concat_layers):
        out = function(activations, [0, -1])
        assert isinstance(out, np.ndarray) and np.array_equal(out, function(vectors, [0, -1]))
    mix = ScalarMix(13)
    assert np.allclose(
        weighted_sum(activations, mix.weights.detach()), vectors.mean(axis=0), atol=1e-6
    )
    assert np.allclose(mix(activations).detach(), vectors.mean(axis=0), atol=1e-6)
    mix(activations).sum().backward()
    assert mix.scalar_parameters.grad.abs().max() > 0
    with pytest.raises(ValueError, match="want gradients.*weights.detach"):
        weighted_sum(activations, mix.weights)


@pytest.mark.parametrize("kind", [torch.tensor, np.array])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "int16"])
def test_whole_numbers_become_floats(kind, dtype):
    states = kind(
        [[[1, 2]], [[2, 4]], [[4, 7]]], dtype=getattr(torch if kind is torch.tensor else np, dtype)
    )
    assert np.asarray(weighted_sum(states, [0.5, 0.25, 0.25])).tolist() == [[2.0, 3.75]]
    assert np.allclose(np.asarray(mean_layers(states)), [[7 / 3, 13 / 3]])
    assert np.asarray(sum_layers(states)).tolist() == [[7.0, 13.0]]
    assert np.asarray(concat_layers(states, [2, 0])).tolist() == [[4.0, 7.0, 1.0, 2.0]]
    assert np.allclose(ScalarMix(3)(states).detach(), [[7 / 3, 13 / 3]])


@pytest.mark.parametrize(
    ("layers", "what"),
    [
        ([True, False, True], "whole number, not True"),
        (np.array([True, False, True]), "whole number, not .*True"),
        (torch.tensor([True, False, True]), "whole number, not tensor.True"),
        ([0.0], "whole number, not 0.0"),
        ([None], "whole number, not None"),
        ([[0, 1]], "whole number, not .0, 1."),
        (2, "layers=2: give a list of layers"),
        ("12", "layers='12': give a list of layers"),
    ],
)
@pytest.mark.parametrize("function", [concat_layers, mean_layers, sum_layers])
def test_layers_that_are_no_list_of_numbers_are_refused(states, function, layers, what):
    with pytest.raises(TypeError, match=what):
        function(states, layers)


def test_layers_may_be_any_whole_numbers(states):
    for layers in (np.array([1, 2]), torch.tensor([1, 2]), range(1, 3), (np.int64(1), 2)):
        assert torch.equal(mean_layers(states, layers), mean_layers(states, [1, 2]))


@pytest.mark.parametrize(
    ("states", "what"),
    [
        (torch.ones(3, 2, dtype=torch.bool), "real numbers, not of the kind torch.bool"),
        (np.ones((3, 2), dtype=bool), "real numbers, not of the kind bool"),
        (np.array([["a"], ["b"]]), "real numbers, not of the kind <U1"),
        (np.ones((3, 2), dtype=complex), "real numbers, not of the kind complex"),
        ({"last_hidden_state": torch.ones(1, 2)}, "State 0 is a str.*pass the hidden_states"),
        ([[1.0, 2.0], [3.0, 4.0]], "State 0 is a list"),
        (None, "one per layer, not a NoneType"),
        ("states", "one per layer, not a str"),
        ([torch.ones(2, 2), np.ones((2, 2))], "Some states are tensors and others arrays"),
    ],
)
def test_what_are_no_states_is_named(states, what):
    with pytest.raises(TypeError, match=what):
        mean_layers(states)
    with pytest.raises(TypeError, match=what):
        ScalarMix(3)(states)


@pytest.mark.parametrize("size", [13.0, True, "13", None])
def test_a_size_of_a_mix_is_a_whole_number(size):
    with pytest.raises(TypeError, match="mixture_size must be a whole number"):
        ScalarMix(size)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 6),
    st.lists(st.integers(0, 3), max_size=2),
    st.integers(1, 4),
    st.lists(st.integers(-6, 5), min_size=1, max_size=5),
    st.sampled_from(["float16", "float32", "float64", "int8", "int64"]),
)
def test_all_ways_of_combining_agree_for_any_shape(n, between, hidden, layers, dtype):
    layers = [k % n for k in layers]
    shape = (n, *between, hidden)
    states = np.random.default_rng(0).integers(-4, 5, size=shape).astype(dtype)
    chosen = states.astype(float)[layers]
    for form in (states, torch.from_numpy(states), list(states)):
        even = np.full(len(layers), 1 / len(layers))
        for out, expected in [
            (mean_layers(form, layers), chosen.mean(0)),
            (sum_layers(form, layers), chosen.sum(0)),
            (weighted_sum(form, even, layers), chosen.mean(0)),
            (concat_layers(form, layers), np.concatenate(list(chosen), axis=-1)),
        ]:
            assert np.allclose(np.asarray(out, dtype=float), expected, atol=0.02)


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
