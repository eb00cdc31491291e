"""What a self-check says: what was seen, what should hold, and what to look at."""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import traceback
import warnings

import numpy as np


class CheckFailed(AssertionError):
    """A check that doesn't hold yet.

    Args:
        seen: what the student's answer did, with its values or shapes.
        should: what should hold instead, as a property; never the answer's code.
        look_at: where to look, as a question or a pointer into the chapter.
    """

    def __init__(self, seen: str, should: str, look_at: str) -> None:
        self.seen, self.should, self.look_at = seen, should, look_at
        super().__init__(f"Not yet.\n  Seen: {seen}\n  Should hold: {should}\n  Look at: {look_at}")

    def _render_traceback_(self) -> list[str]:
        # IPython shows this instead of a traceback, which would lead into the check's own code.
        return str(self).split("\n")


def require(condition: object, *, seen: str, should: str, look_at: str) -> None:
    """Raise CheckFailed with this text unless the condition holds."""
    if not condition:
        raise CheckFailed(seen, should, look_at)


def call(function, *args, **kwargs):
    """What the student's function returns. Raises CheckFailed if it isn't there, stops or gives None.

    What the function prints or warns of is not shown again at each of a check's calls.
    """
    name = getattr(function, "__name__", "the answer")
    if not callable(function):
        raise CheckFailed(
            f"what was handed to the check is {describe(function)}, not a function",
            "the check gets the function itself",
            "the call below your answer: the function's name stands there without parentheses",
        )
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            result = function(*args, **kwargs)
    except NotImplementedError as error:
        raise CheckFailed(
            f"{name} is not written yet",
            "it returns its result",
            "the line with raise NotImplementedError(): your code goes in its place",
        ) from error
    except CheckFailed:
        raise
    except Exception as error:
        inputs = [describe(value) for value in args]
        inputs += [f"{key}={describe(value)}" for key, value in kwargs.items()]
        raise CheckFailed(
            f"{name} stopped with {type(error).__name__}: {error}{_line_of(error)}",
            "it runs through for "
            + (" and ".join(inputs) if inputs else "a call without arguments"),
            "make such inputs in a new cell, call it yourself, and look at the shapes on the way",
        ) from error
    if result is None:
        raise CheckFailed(
            f"{name} returned None",
            "it returns its result",
            "is there a return at the end of every way through it?",
        )
    return result


def _line_of(error: Exception) -> str:
    """The student's own line at which an error arose, for the message; empty if it isn't known."""
    place = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        # A cell's code has a name of its own; a library's has a file that exists.
        if not os.path.isfile(name) or "ipykernel" in name:
            place = (name, number)
    line = linecache.getline(*place).strip() if place else ""
    return f", at the line `{line}`" if line else ""


def as_array(value, what: str = "the result") -> np.ndarray:
    """A tensor, array, number or list of numbers as float64. Raises CheckFailed for anything else."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CheckFailed(
            f"{what} is {describe(value)}",
            "it is a tensor, an array, or a list of numbers in which every row has the same length",
            "what your last line returns",
        ) from error


def require_shape(value, shape: tuple[int, ...], what: str, look_at: str) -> np.ndarray:
    """The value as an array of this shape. Raises CheckFailed if it has another."""
    array = as_array(value, what)
    require(
        array.shape == tuple(shape),
        seen=f"{what} has the shape {array.shape}",
        should=f"it has the shape {tuple(shape)}",
        look_at=look_at,
    )
    return array


def close(seen, expected, tolerance: float = 1e-5) -> bool:
    """True if two arrays have one shape and agree within the tolerance, absolute and relative."""
    seen, expected = np.asarray(seen, float), np.asarray(expected, float)
    return seen.shape == expected.shape and bool(
        np.allclose(seen, expected, rtol=tolerance, atol=tolerance)
    )


def require_answered(value, name: str) -> None:
    """Raise CheckFailed where a value is still the starter's `...` or None."""
    require(
        value is not ... and value is not None,
        seen=f"{name} is not answered yet",
        should=f"{name} holds your answer",
        look_at="the answer cell: put your value in place of the dots, and run the cell",
    )


def read_decisions(decisions, questions: tuple[str, ...]) -> dict[str, str]:
    """The answers to these questions, in lower case. Raises CheckFailed unless each is one of three words."""
    require(
        isinstance(decisions, dict) and set(questions) <= set(decisions),
        seen=f"decisions is {describe(decisions)}",
        should=f"it has an answer to all {len(questions)} questions, under the names that the starter gave",
        look_at="the answer cell as you found it",
    )
    said = {}
    for question in questions:
        require_answered(decisions[question], f"decisions[{question!r}]")
        said[question] = str(decisions[question]).strip().lower()
        require(
            said[question] in ("yes", "no", "not settled"),
            seen=f"to {question!r} you answer {decisions[question]!r}",
            should='it is "yes", "no" or "not settled"',
            look_at="the three answers of the exercise, as text",
        )
    return said


def describe(value) -> str:
    """A value in a few words: its type, and its shape or text if that is short."""
    if hasattr(value, "shape"):
        return f"a {type(value).__name__} of shape {tuple(value.shape)}"
    text = repr(value)
    return f"a {type(value).__name__}" + (f", {text}" if len(text) <= 60 else "")


def passed(name: str, *properties: str) -> None:
    """Say that a check went through, and what was checked."""
    print(f"{name}: right. Checked: {'; '.join(properties)}.")
