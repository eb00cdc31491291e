"""Self-checks of the exercises on extracting hidden states."""

from __future__ import annotations

import torch

from whichlayer.checks.report import as_array, call, close, passed, require

__all__ = ["check_output_of_block"]


def check_output_of_block(function) -> None:
    """Exercise 2.1: the output of block k is hidden state k, and other numbers are refused."""
    # Each state holds its own number, so that what comes back names itself.
    states = tuple(torch.full((1, 3, 4), float(k)) for k in range(13))
    for block in (1, 6, 12):
        seen = as_array(call(function, states, block))
        require(
            close(seen, states[block]),
            seen=f"for block {block} of 12 you return hidden state {seen.flat[0]:.0f}",
            should=f"the output of block {block} comes back, of shape (sentences, subwords, hidden)",
            look_at="which of the 13 hidden states is the embedding output (layer 0)?",
        )
    for block in (0, 13, -1):
        try:
            function(states, block)
        except ValueError:
            continue
        except Exception as error:
            seen = f"block {block} of 12 gives {type(error).__name__}: {error}"
        else:
            seen = f"block {block} of 12 gives a result"
        require(
            False,
            seen=seen,
            should="a number that no block has raises ValueError",
            look_at="what Python does with this number as an index",
        )
    passed("output_of_block", "blocks 1, 6 and 12 of 12", "0, 13 and -1 are refused")
