"""The self-checks, handed things that no exercise asks for: each says so, none stops with a traceback."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from whichlayer import checks
from whichlayer.checks import CheckFailed
from whichlayer.checks.report import (
    as_array,
    check,
    keyed,
    number,
    numbers,
    one_of,
    refuses,
    require,
    seed_decides,
    things,
    untouched,
)

CHECKS = {name: getattr(checks, name) for name in dir(checks) if name.startswith("check_")}
OF_NUMBERS = {
    "bfloat16": torch.ones(2, 2, dtype=torch.bfloat16),
    "bfloat16 in a list": [torch.ones(2, dtype=torch.bfloat16), torch.ones(1)],
    "half precision that learns": torch.ones(3, dtype=torch.float16, requires_grad=True),
    "no elements": torch.empty(0),
    "no rows": np.empty((0, 3)),
    "no columns": torch.empty(2, 0, 4),
    "no axes": np.array(1.0),
    "no axes, a tensor": torch.tensor(2, dtype=torch.bfloat16),
    "NumPy's number": np.float32(3),
    "Python's number": 7,
    "whole numbers": np.arange(4),
    "NaN": np.full((2, 3), np.nan),
    "infinite": float("inf"),
}
OTHERS = {
    "text": "0.5",
    "bytes": b"ab",
    "a dictionary": {"mean": 1},
    "an empty dictionary": {},
    "a set": {1, 2},
    "nothing in a list": [],
    "None in a tuple": (None, None),
    "three texts": ("a", "b", "c"),
    "rows of unlike length": [[1.0], [2.0, 3.0]],
    "four odd things": (np.ones(3), "x", None, torch.empty(0)),
    "two odd things": (torch.ones(3, 3, dtype=torch.bfloat16), {}),
    "complex": np.ones((2, 2), dtype=complex),
    "objects": np.array([None, "a"], dtype=object),
    "a generator": (i for i in range(3)),
    "a class": dict,
    "a table": pd.DataFrame({"a": [1, 2]}),
    "a sparse tensor": torch.eye(2).to_sparse(),
    "a truth value": True,
    "a module": nn.Linear(2, 2),
}


def refusal(check, *answers):
    with pytest.raises(CheckFailed) as failed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(*answers)
    return str(failed.value)


def others_of(check, value):
    """A check's other answers, all alike."""
    return [value] * (len(inspect.signature(check).parameters) - 1)


@pytest.mark.parametrize("name", CHECKS)
def test_odd_answers_are_refused_in_words(name):
    for kind, odd in {**OF_NUMBERS, **OTHERS}.items():
        others = others_of(CHECKS[name], odd)
        said = refusal(CHECKS[name], lambda *a, odd=odd, **k: odd, *others)
        if kind in OF_NUMBERS:  # what a mistake gives, so the message says which property it lacks
            assert "can't be read" not in said, (kind, said)
        refusal(CHECKS[name], odd, *others)


class Mix(nn.Module):
    """Right in all but what comes out."""

    out = None

    def __init__(self, num_states, do_layer_norm=False):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(num_states))
        self.gamma = nn.Parameter(torch.ones(1))

    @property
    def weights(self):
        return torch.softmax(self.w, 0)

    def forward(self, states):
        return self.out


def test_a_mix_that_gives_odd_things_is_refused_in_words(monkeypatch):
    for odd in (*OF_NUMBERS.values(), *OTHERS.values()):
        monkeypatch.setattr(Mix, "out", odd)
        said = refusal(checks.check_ScalarMix, Mix)
        assert "Seen: the mix of two states" in said or "is a" in said


def test_a_right_answer_in_half_precision_is_right(capsys):
    def output_of_block(hidden_states, block):
        if not 1 <= block < len(hidden_states):
            raise ValueError(block)
        return hidden_states[block].bfloat16()

    checks.check_output_of_block(output_of_block)
    said = capsys.readouterr().out
    assert said.startswith("output_of_block: right. Checked: blocks of 12 and of 6; 0, -1")


def test_an_error_of_the_check_s_own_is_told_as_what_could_not_be_read(capsys):
    @check("it is even")
    def check_even(value):
        require(value % 2 == 0, seen=f"{value}", should="it is even", look_at="it")

    check_even(4)
    assert capsys.readouterr().out == "even: right. Checked: it is even.\n"
    assert "Seen: 3\n  Should hold: it is even" in refusal(check_even, 3)
    assert "can't be read: TypeError" in refusal(check_even, None)
    assert not capsys.readouterr().out


def test_numbers_of_every_kind_are_read():
    for value in (2, 2.0, np.float32(2), torch.tensor([2.0], dtype=torch.bfloat16), [[2]]):
        assert number(value) == 2.0 and as_array(value).dtype == np.float64
    assert as_array([torch.tensor(1.0, requires_grad=True), 2]).tolist() == [1, 2]
    assert numbers((1, torch.tensor(2)), "low", "high").tolist() == [1, 2]
    assert numbers(np.array([1, 2]), "low", "high").tolist() == [1, 2]
    assert things([{}, "b"], "a", "b") == ({}, "b")
    assert "high is a str, 'x'" in refusal(numbers, (1, "x"), "low", "high")
    for value in ((1, 2, 3), "ab", {1: 2, 3: 4}, np.array(1.0), None):
        assert "two things come back: low, high" in refusal(numbers, value, "low", "high")


def test_answers_with_names_are_read_or_what_is_missing_is_named():
    assert keyed({"a": 1, "b": (2, 3), "c": 4}, "pairs", ("a", "b"))["c"] == 4
    assert "pairs is a dict" in refusal(keyed, {"a": 1}, "pairs", ("a", "b"))
    for unanswered in (..., None, (1, ...)):
        assert "pairs['b'] is not answered yet" in refusal(
            keyed, {"a": 1, "b": unanswered}, "pairs", ("a", "b")
        )
    assert one_of(" Yes", "it", ("yes", "no")) == "yes"
    said = refusal(one_of, 5, "it", ("yes", "no"))
    assert 'it is 5, which is none of the two words\n  Should hold: it is "yes" or "no"' in said
    with pytest.raises(CheckFailed, match="it is 'Yes', which is none"):
        one_of("Yes", "it", ("yes", "no"), exactly=True)


def test_a_refusal_is_a_value_error_of_one_s_own():
    words = {"what": "a zero", "should": "ValueError", "look_at": "here", "otherwise": "there"}

    def raises(error):
        def function(value):
            raise error

        return function

    refuses(raises(ValueError("no zero")), 0, **words)
    for function, seen, look_at in [
        (lambda v: v, "a zero gives the number 0.0", "here"),
        (lambda v: [v], "a zero gives a result", "here"),
        (raises(KeyError("k")), "a zero gives KeyError: 'k'", "there"),
        (
            lambda v: bool(np.ones(2)),
            "a zero gives ValueError: The truth value of an array",
            "there",
        ),
    ]:
        with pytest.raises(CheckFailed) as failed:
            refuses(function, 0, **words)
        assert failed.value.seen.startswith(seen) and failed.value.look_at == look_at


def test_what_is_changed_in_place_and_what_a_seed_does():
    table = np.array([1.0, np.nan])
    with untouched(table):
        table + 1
    with pytest.raises(CheckFailed, match="not what they were"), untouched(table):
        table += 1
    seed_decides(lambda seed: [seed], "words")
    unseeded = iter(range(3))
    assert "give 0.0000 and 1.0000" in refusal(seed_decides, lambda seed: [next(unseeded)], "words")
    assert "another seed draws other words" in refusal(seed_decides, lambda seed: [7.0], "words")
