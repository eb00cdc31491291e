"""The vocabulary of the self-checks: what was seen, what should hold, and what to look at.

A check is a function marked with :func:`check`, and its body a list of properties: each gets a value
(:func:`call`, :func:`things`, :func:`number`, :func:`require_shape`, :func:`keyed`, :func:`one_of`)
and says what must be true of it (:func:`require`, :func:`refuses`, :func:`untouched`,
:func:`seed_decides`). The first that doesn't hold ends the check.
"""

from __future__ import annotations

import contextlib
import functools
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


def check(*properties: str):
    """Mark a check: it says what it has checked, and never stops with anything but CheckFailed.

    Args:
        properties: what holds once the check has run through, in a few words each.
    """

    def mark(function):
        @functools.wraps(function)
        def checked(*answers, **named_answers):
            try:
                function(*answers, **named_answers)
            except CheckFailed:
                raise
            except Exception as error:
                # The answer is of a kind that no property below has foreseen.
                given = ", ".join(map(describe, answers)) or "nothing"
                raise CheckFailed(
                    f"what your answer gives can't be read: {type(error).__name__}: {error}",
                    "it is of the kind that the exercise asks for: tensors or arrays of numbers, of "
                    "the shapes named there",
                    f"call it yourself in a new cell, and print type and shape of what comes back "
                    f"(the check was given {given})",
                ) from error
            name = function.__name__.removeprefix("check_")
            print(f"{name}: right. Checked: {'; '.join(properties)}.")

        return checked

    return mark


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
    array = value
    try:
        if hasattr(array, "detach"):
            array = array.detach().cpu().double().numpy()  # NumPy has no bfloat16
        elif isinstance(array, list | tuple) and any(hasattr(part, "detach") for part in array):
            array = [as_array(part, what) for part in array]
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise CheckFailed(
            f"{what} is {describe(value)}",
            "it is a tensor, an array, or a list of numbers in which every row has the same length",
            "what your last line returns",
        ) from error


def number(value, what: str = "the result", look_at: str = "what your last line returns") -> float:
    """One number, also where it stands in a tensor or array of one. Raises CheckFailed otherwise."""
    array = as_array(value, what)
    require(
        array.size == 1,
        seen=f"{what} is {describe(value)}",
        should="it is one number",
        look_at=look_at,
    )
    return float(array.reshape(()))


_COUNT = ("no", "one", "two", "three", "four", "five")


def things(value, *names: str) -> tuple:
    """As many things as there are names. Raises CheckFailed if something else came back."""
    several = isinstance(value, tuple | list) or bool(getattr(value, "shape", ()))
    require(
        several and len(value) == len(names),
        seen=f"what comes back is {describe(value)}",
        should=f"{_COUNT[len(names)]} things come back: {', '.join(names)}",
        look_at="the line with return",
    )
    return tuple(value)


def numbers(value, *names: str) -> np.ndarray:
    """As many numbers as there are names, as an array. Raises CheckFailed otherwise."""
    return np.array(
        [number(part, name) for part, name in zip(things(value, *names), names, strict=True)]
    )


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


def keyed(value, name: str, keys) -> dict:
    """A dictionary with at least these keys, all answered. Raises CheckFailed otherwise."""
    require_answered(value, name)
    require(
        isinstance(value, dict) and set(keys) <= set(value),
        seen=f"{name} is {describe(value)}"
        + (f" with the keys {sorted(map(str, value))}" if isinstance(value, dict) else ""),
        should=f"it is a dictionary with the keys {', '.join(map(repr, keys))}, as in the starter",
        look_at="the answer cell as you found it, with the names between quotes",
    )
    for key in keys:
        parts = value[key] if isinstance(value[key], tuple | list) else [value[key]]
        for part in parts:
            require_answered(part, f"{name}[{key!r}]")
    return value


def one_of(value, what: str, choices, *, exactly: bool = False) -> str:
    """The one of the choices that an answer names. Raises CheckFailed if it names none.

    Args:
        exactly: also small letters and no blanks around; otherwise these don't matter.
    """
    said = value if exactly else str(value).strip().lower()
    quoted = [f'"{choice}"' for choice in choices]
    require(
        isinstance(said, str) and said in choices,
        seen=f"{what} is {value!r}, which is none of the {_COUNT[len(choices)]} words",
        should=f"it is {', '.join(quoted[:-1])} or {quoted[-1]}",
        look_at=f"the {_COUNT[len(choices)]} answers of the exercise, as text, written just so: "
        "small letters, and the straight apostrophe of the keyboard",
    )
    return said


def read_decisions(decisions, questions: tuple[str, ...]) -> dict[str, str]:
    """The answers to these questions, in lower case. Raises CheckFailed unless each is one of three words."""
    keyed(decisions, "decisions", questions)
    choices = ("yes", "no", "not settled")
    return {q: one_of(decisions[q], f"your answer to {q!r}", choices) for q in questions}


def refuses(function, *args, what: str, should: str, look_at: str, otherwise: str = "") -> None:
    """Raise CheckFailed unless the function raises ValueError for these arguments.

    Args:
        what: names the arguments, as the subject of "... gives a result".
        otherwise: what to look at where it stops with another error; by default the same.
    """
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(*args)
    except ValueError as error:
        # NumPy's own complaint of `if array:` is no refusal.
        if "truth value of an array" not in str(error):
            return
        seen, look_at = f"{what} gives {type(error).__name__}: {error}", otherwise or look_at
    except Exception as error:
        seen, look_at = f"{what} gives {type(error).__name__}: {error}", otherwise or look_at
    else:
        scalar = isinstance(result, int | float | np.number)
        seen = f"{what} gives " + (f"the number {result:.1f}" if scalar else "a result")
    raise CheckFailed(seen, should, look_at)


@contextlib.contextmanager
def untouched(*arrays: np.ndarray):
    """Raise CheckFailed if one of the arrays holds other numbers at the end than at the beginning."""
    before = [array.copy() for array in arrays]
    yield
    require(
        all(
            np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
            for a, b in zip(arrays, before, strict=True)
        ),
        seen="after the call the arrays that were handed in are not what they were",
        should="the function leaves its inputs as they are: whoever calls it still needs them",
        look_at="does a line make another array, or change this one in place, as -=, /= and a shuffle do?",
    )


def seed_decides(run, what: str) -> None:
    """Raise CheckFailed unless one seed gives the same twice, and two seeds differ.

    Args:
        run: seed -> numbers that depend on what was drawn.
        what: what is drawn, such as "words".
    """
    once, again, other = (np.asarray(run(seed), dtype=float) for seed in (4, 4, 5))
    require(
        close(once, again, 1e-12),
        seen=f"two calls with the same seed give {_short(once)} and {_short(again)}",
        should="the same seed gives the same result",
        look_at="where the argument seed goes: does every random draw get it?",
    )
    require(
        not close(once, other, 1e-9),
        seen=f"with seed=4 and with seed=5 you return {_short(once)}",
        should=f"another seed draws other {what}",
        look_at="is the argument used, or is a number written down where it should stand?",
    )


def _short(array: np.ndarray) -> str:
    return ", ".join(f"{value:.4f}" for value in array.ravel()[:4])


def describe(value) -> str:
    """A value in a few words: its type, and its shape or text if that is short."""
    if hasattr(value, "shape"):
        return f"a {type(value).__name__} of shape {tuple(value.shape)}"
    text = repr(value)
    return f"a {type(value).__name__}" + (f", {text}" if len(text) <= 60 else "")
