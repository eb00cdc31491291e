"""A small assignment that needs no torch, in a checkout of its own, and ways to hand it in."""

import copy
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = "01_small"
SOURCE = '''# ---
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
# # Exercises: small

# %%
import math

# %% [markdown]
# ## Exercise 1.1: Mean

# %% role="answer"
# EXERCISE 1.1: mean
def mean(values):
    """The mean."""
    ### BEGIN SOLUTION
    return sum(values) / len(values)
    ### END SOLUTION


# %% role="check"
assert mean([1, 3]) == 2, "public"

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
_secret_4711 = [1, 2, 6]
assert mean(_secret_4711) == 3, "The mean of three numbers is a third of their sum."
assert mean([4711]) == 4711, "The mean of one number is that number."
### END HIDDEN TESTS

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
import os

_secret_4712 = int(os.environ.get("WHICHLAYER_SEED", "3"))
assert mean(range(_secret_4712)) == (_secret_4712 - 1) / 2, "Anything with a length is allowed."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 1.2: Spread, with a fault to mend

# %% role="answer"
# EXERCISE 1.2: spread
def spread(values):
    ### BEGIN SOLUTION
    centre = mean(values)
    return math.sqrt(mean([(v - centre) ** 2 for v in values]))
    ### STARTER
    # centre = sum(values)
    # return math.sqrt(sum([(v - centre) ** 2 for v in values]))
    ### END SOLUTION


# %% role="check"
assert spread([1, 1]) == 0

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
_secret_4713 = [1, 3]
assert spread(_secret_4713) == 1, "Two numbers that differ by two have spread one."
### END HIDDEN TESTS

# %%
GIVEN = 7

# %% role="answer"
# EXERCISE 1.3: choice
### BEGIN SOLUTION
choice = GIVEN * 6
### END SOLUTION

# %% role="check"
assert choice > 0

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
_secret_4714 = 42
assert choice == _secret_4714, "Look at what is asked for."
### END HIDDEN TESTS

# %% [markdown] role="essay" points=4
# **EXERCISE 1.4: why**
#
# ### BEGIN SOLUTION
# Because the numbers say so.
# ### END SOLUTION
'''


def code(text, **more):
    return {
        "cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None,
    } | more  # fmt: skip


def text(text, **more):
    return {"cell_type": "markdown", "source": text, "metadata": {}} | more


def content(cells, **metadata):
    """A notebook file of these cells."""
    return json.dumps(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    ).encode()


class Handed:
    """The cells of a solved notebook, to be damaged."""

    def __init__(self, student, solution):
        answers = {cell.id: cell.source for cell in solution.cells}
        self.cells = copy.deepcopy([dict(cell) for cell in student.cells])
        for cell in self.cells:
            if cell["id"].startswith("answer"):
                cell["source"] = answers[cell["id"]]

    def place(self, id):
        return next(k for k, cell in enumerate(self.cells) if cell.get("id") == id)

    def answer(self, number, source):
        """Answer an exercise in another way."""
        self.cells[self.place(f"answer-{number.replace('.', '-')}")]["source"] = source
        return self

    def __getitem__(self, id):
        return self.cells[self.place(id)]

    def content(self):
        return content(self.cells)
