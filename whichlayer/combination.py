"""One representation out of many layers.

Every function takes the hidden states as one array or tensor of shape (L + 1, ..., hidden), as a
sequence of L + 1 arrays or tensors (such as a model's ``hidden_states``), or as
:class:`~whichlayer.activations.Activations`. Tensors give a tensor, everything else an array, such
as the (words, width) table that ``activations.features`` takes. Whole numbers become floats. Layer
indices mean what Python means by them: 0 is the embeddings' output, -1 the last block's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from torch import nn

from whichlayer.activations import Activations

States: TypeAlias = (
    "Activations | torch.Tensor | np.ndarray | Sequence[torch.Tensor] | Sequence[np.ndarray]"
)


def concat_layers(states: States, layers: Sequence[int]) -> torch.Tensor | np.ndarray:
    """The chosen layers side by side.

    Args:
        states: (L + 1, ..., hidden).
        layers: which, in the order they are to stand, such as ``[-4, -3, -2, -1]``.

    Returns:
        Shape (..., len(layers) * hidden): for four layers of BERT-base 4 * 768 = 3,072.

    Raises:
        IndexError: an index out of range. ValueError: no layer, or states of unlike shapes.
        TypeError: layers that aren't whole numbers, or states that aren't arrays of numbers.

    Source: Devlin et al. 2019, Table 7.
    """
    chosen = _choose(states, layers)
    if isinstance(chosen, torch.Tensor):
        return torch.cat(tuple(chosen), dim=-1)
    return np.concatenate(tuple(chosen), axis=-1)


def mean_layers(states: States, layers: Sequence[int] | None = None) -> torch.Tensor | np.ndarray:
    """The mean of the chosen layers (by default of all L + 1).

    Returns:
        Shape (..., hidden). Errors as for :func:`concat_layers`.
    """
    return _choose(states, layers).mean(0)


def sum_layers(states: States, layers: Sequence[int] | None = None) -> torch.Tensor | np.ndarray:
    """The sum of the chosen layers (by default of all L + 1): the mean times their number.

    Returns:
        Shape (..., hidden). Errors as for :func:`concat_layers`.

    Source: Devlin et al. 2019, Table 7.
    """
    return _choose(states, layers).sum(0)


def weighted_sum(
    states: States,
    weights: torch.Tensor | np.ndarray | Sequence[float],
    layers: Sequence[int] | None = None,
) -> torch.Tensor | np.ndarray:
    """Sum over layers of weight times state. The weights are used as they are: no softmax.

    Args:
        states: (L + 1, ..., hidden).
        weights: one per chosen layer. Gradients reach them if they are a tensor that wants
            gradients (then the states must be tensors too).
        layers: which layers the weights belong to; by default all, in order.

    Returns:
        Shape (..., hidden).

    Raises:
        ValueError: a wrong number of weights. Others as for :func:`concat_layers`.
    """
    chosen = _choose(states, layers)
    if isinstance(chosen, torch.Tensor):
        # as_tensor keeps a tensor and its gradient; torch.tensor(weights) would cut both off.
        weights = torch.as_tensor(weights, dtype=chosen.dtype, device=chosen.device)
    else:
        if isinstance(weights, torch.Tensor):
            if weights.requires_grad:
                raise ValueError(
                    "The weights want gradients, which can't pass through an array: give the "
                    "states as a tensor, or weights.detach()."
                )
            weights = weights.cpu().float().numpy()
        weights = np.asarray(weights, dtype=chosen.dtype)
    if tuple(weights.shape) != (len(chosen),):
        raise ValueError(
            f"{len(chosen)} layers need {len(chosen)} weights in one row; the weights have the "
            f"shape {tuple(weights.shape)}."
        )
    return (weights.reshape(-1, *[1] * (chosen.ndim - 1)) * chosen).sum(0)


class ScalarMix(nn.Module):
    """A learnable mix of layers: gamma * sum_k softmax(w)_k * h_k.

    For a BERT-base's 13 states it has 14 parameters: 13 weights and gamma.

    Args:
        mixture_size: the number of states to mix, L + 1.
        do_layer_norm: normalise each vector of each layer over its hidden dimensions before
            mixing (Ba et al. 2016, without gain and bias). AllenNLP's module takes one mean and
            variance over a whole batch instead, so that there a sentence's output depends on its
            neighbours; here it doesn't.
        initial_scalar_parameters: the weights before the softmax; zeros (equal weights) if not
            given.
        trainable: whether the weights learn. gamma always does, as in AllenNLP.

    Attributes:
        scalar_parameters: (mixture_size,), before the softmax. They are not probabilities.
        gamma: (1,), a common factor.

    Raises:
        ValueError: a size below 1, or a wrong number of initial weights.

    Source: Peters et al. 2018, Eq. 1.
    """

    def __init__(
        self,
        mixture_size: int,
        do_layer_norm: bool = False,
        initial_scalar_parameters: Sequence[float] | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__()
        mixture_size = _whole(mixture_size, "mixture_size")
        if mixture_size < 1:
            raise ValueError(f"mixture_size={mixture_size}: at least one layer is needed.")
        initial = torch.zeros(mixture_size)
        if initial_scalar_parameters is not None:
            initial = torch.as_tensor(initial_scalar_parameters, dtype=torch.float32).clone()
        if initial.shape != (mixture_size,):
            raise ValueError(
                f"mixture_size={mixture_size} needs {mixture_size} initial weights, got "
                f"{tuple(initial.shape)}."
            )
        self.mixture_size = mixture_size
        self.do_layer_norm = do_layer_norm
        self.scalar_parameters = nn.Parameter(initial, requires_grad=trainable)
        self.gamma = nn.Parameter(torch.ones(1))

    @property
    def weights(self) -> torch.Tensor:
        """softmax(scalar_parameters): (mixture_size,), positive, summing to one."""
        return torch.softmax(self.scalar_parameters, dim=0)

    def forward(self, states: States) -> torch.Tensor:
        """(mixture_size, ..., hidden) -> (..., hidden)."""
        stacked = torch.as_tensor(_stack(states), device=self.gamma.device)
        if len(stacked) != self.mixture_size:
            raise ValueError(
                f"This ScalarMix was made for {self.mixture_size} states and was given "
                f"{len(stacked)}. An encoder with L blocks has L + 1."
            )
        if self.do_layer_norm:
            stacked = nn.functional.layer_norm(stacked, stacked.shape[-1:])
        return self.gamma * weighted_sum(stacked, self.weights)

    def extra_repr(self) -> str:
        return f"mixture_size={self.mixture_size}, do_layer_norm={self.do_layer_norm}"


def _stack(states: States) -> torch.Tensor | np.ndarray:
    if isinstance(states, Activations):
        states = states.vectors
    if isinstance(states, (torch.Tensor, np.ndarray)):
        stacked = states
    else:
        if isinstance(states, str) or not hasattr(states, "__iter__"):
            raise TypeError(
                f"States must be activations, an array, a tensor or a sequence of such, one per "
                f"layer, not a {type(states).__name__}."
            )
        states = tuple(states)
        if not states:
            raise ValueError("There are no hidden states.")
        for k, state in enumerate(states):
            if not isinstance(state, (torch.Tensor, np.ndarray)):
                raise TypeError(
                    f"State {k} is a {type(state).__name__}, not a tensor or an array. Of a "
                    "model's output pass the hidden_states."
                )
        if len({isinstance(state, torch.Tensor) for state in states}) > 1:
            raise TypeError("Some states are tensors and others arrays: make them all of one kind.")
        shapes = {tuple(state.shape) for state in states}
        if len(shapes) > 1:
            raise ValueError(f"The states have unlike shapes: {sorted(shapes)}.")
        tensors = isinstance(states[0], torch.Tensor)
        stacked = torch.stack(states) if tensors else np.stack(states)
    if stacked.ndim < 2 or not len(stacked):
        raise ValueError(f"States must be (L+1, ..., hidden), got {tuple(stacked.shape)}.")
    return _as_floats(stacked)


def _as_floats(stacked: torch.Tensor | np.ndarray) -> torch.Tensor | np.ndarray:
    # A mean of whole numbers isn't one, and weights cut to whole numbers are all 0.
    if isinstance(stacked, torch.Tensor):
        whole = not (stacked.is_floating_point() or stacked.is_complex())
        refused = stacked.is_complex() or stacked.dtype == torch.bool
    else:
        whole, refused = stacked.dtype.kind in "iu", stacked.dtype.kind not in "iuf"
    if refused:
        raise TypeError(f"States must be real numbers, not of the kind {stacked.dtype}.")
    if not whole:
        return stacked
    tensor = isinstance(stacked, torch.Tensor)
    return stacked.to(torch.get_default_dtype()) if tensor else stacked.astype(np.float64)


def _whole(value, what: str) -> int:
    # True would pass as 1, so that a mask would read as a list of layers 0 and 1.
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{what} must be a whole number, not {value!r}.")
    return number


def _choose(states: States, layers: Sequence[int] | None) -> torch.Tensor | np.ndarray:
    stacked = _stack(states)
    if layers is None:
        return stacked
    if isinstance(layers, str) or not hasattr(layers, "__iter__"):
        raise TypeError(f"layers={layers!r}: give a list of layers, such as [-2, -1].")
    layers = [_whole(layer, "A layer") for layer in layers]
    if not layers:
        raise ValueError("The list of layers is empty: name at least one.")
    for layer in layers:
        if not -len(stacked) <= layer < len(stacked):
            raise IndexError(
                f"Layer {layer} is out of range: there are {len(stacked)} states, 0 to "
                f"{len(stacked) - 1} (or -{len(stacked)} to -1)."
            )
    return stacked[layers]
