"""Self-checks of the exercises on extracting hidden states."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import transformers

from whichlayer.checks.report import (
    as_array,
    call,
    check,
    close,
    describe,
    numbers,
    read_decisions,
    refuses,
    require,
    require_answered,
    require_shape,
    seed_decides,
)
from whichlayer.corpora import load_treebank
from whichlayer.models import load_encoder

__all__ = [
    "check_output_of_block",
    "check_sentence_vectors",
    "check_share_with_interval",
    "check_word_vectors",
]


@check("blocks of 12 and of 6", "0, -1 and one too many are refused")
def check_output_of_block(function) -> None:
    """Exercise 2.1: the output of block k is hidden state k, and other numbers are refused."""
    # Each state holds its own number, so that what comes back names itself.
    for num_blocks in (12, 6):
        states = tuple(torch.full((1, 3, 4), float(k)) for k in range(num_blocks + 1))
        for block in (1, 6, num_blocks):
            seen = require_shape(
                call(function, states, block),
                (1, 3, 4),
                f"what comes back for block {block} of {num_blocks}",
                "one hidden state comes back, whole: which of them?",
            )
            require(
                close(seen, states[block]),
                seen=f"for block {block} of {num_blocks} you return hidden state {seen.flat[0]:.0f}",
                should=f"the output of block {block} comes back, of shape (sentences, subwords, hidden)",
                look_at=f"which of the {num_blocks + 1} hidden states is the embedding output (layer 0)?",
            )
        for block in (0, num_blocks + 1, -1):
            written_down = "with 12 blocks all is right: is a number of blocks written down?"
            refuses(
                function, states, block,
                what=f"block {block} of {num_blocks}",
                should="a number that no block has raises ValueError",
                look_at="what Python does with this number as an index"
                if num_blocks == 12
                else written_down,
                otherwise="it stops already, but with another error: which should it be?"
                if num_blocks == 12
                else written_down,
            )  # fmt: skip


@check(
    "words of one, two and three subwords",
    "first (also where no pooling is named), last and mean",
    "7 and 13 states",
    "[CLS], [SEP] and [PAD] left out",
    "other poolings are refused",
)
def check_word_vectors(function) -> None:
    """Exercise 2.2: each word's vector comes from its own subwords, at 7 and at 13 states."""
    word_ids = [None, 0, 1, 1, 2, 2, 2, 3, None, None]
    # The square of a subword's position, plus 100 for each layer and 0.1 for each dimension: a value
    # names its position, and the mean of three differs from the mean of the outer two.
    places = torch.arange(len(word_ids), dtype=torch.float32) ** 2
    for num_states in (7, 13):
        layers = 100.0 * torch.arange(num_states)[:, None, None]
        states = places[None, :, None] + layers + 0.1 * torch.arange(5)
        pooled = {
            pooling: as_array(call(function, states, list(word_ids), pooling))
            for pooling in ("first", "last", "mean")
        }
        expected = {
            "first": [1.0, 4.0, 16.0, 49.0],
            "last": [1.0, 9.0, 36.0, 49.0],
            "mean": [1.0, 6.5, 77 / 3, 49.0],
        }
        for pooling, array in pooled.items():
            if array.ndim == 3 and array.shape[0] == num_states and array.shape[2] == 5:
                _require_four_words(array, expected[pooling], word_ids, pooling)
            require_shape(
                array,
                (num_states, 4, 5),
                f"the result for {num_states} states of {len(word_ids)} subwords and 5 dimensions, "
                f"in which four words stand (pooling={pooling!r}),",
                "along which axis the words are put side by side, and whether all layers are there",
            )
        for pooling, values in expected.items():
            _compare_words(pooled[pooling], np.array(values), pooling)
        default = as_array(call(function, states, list(word_ids)))
        same = [pooling for pooling in pooled if close(default, pooled[pooling])]
        require(
            "first" in same,
            seen="called without pooling, the function gives "
            + (f"what it gives with pooling={same[0]!r}" if same else "none of the three poolings"),
            should='without pooling it gives what it gives with pooling="first"',
            look_at="the first line of the function as the starter had it",
        )
    for pooling in ("median", None):
        refuses(
            function, states, list(word_ids), pooling,
            what=f"pooling={pooling!r}",
            should="a pooling that isn't one of the three raises ValueError",
            look_at="what happens when none of your conditions is true",
        )  # fmt: skip


def _require_four_words(array: np.ndarray, expected: list, word_ids: list, pooling: str) -> None:
    found = array[0, :, 0]
    missing = [
        w for w, value in enumerate(expected) if not np.isclose(found, value, atol=1e-3).any()
    ]
    seen = f"{array.shape[1]} words for a sentence of four (word_ids {word_ids}), with pooling={pooling!r}"
    look_at = "how you count the words, and how you tell None from a word's number"
    if len(missing) == 1:
        seen += f"; word {missing[0]} is missing"
    if missing == [0]:
        look_at = "how you tell None from a word's number: what is the truth value of 0?"
    elif missing == [3]:
        look_at = "did you count one too few? The last word's number isn't the number of words"
    elif array.shape[1] == 5:
        look_at = "[CLS], [SEP] and [PAD] belong to no word: what do you do where None stands?"
    require(
        array.shape[1] == 4,
        seen=seen,
        should="every word has a vector, from word 0 to the last one, and nothing else has",
        look_at=look_at,
    )


def _named(value: float) -> str:
    """A value of layer 0, with the position whose square it is, if there is one."""
    place = round(np.sqrt(max(value, 0.0)))
    if abs(value - place**2) > 1e-2:
        return f"{value:.2f}"
    return f"{place**2} (= {place}²): that is the subword at position {place}"


def _compare_words(array: np.ndarray, expected: np.ndarray, pooling: str) -> None:
    names = ("a word of one subword", "a word of two", "a word of three", "the last word")
    dims = 0.1 * np.arange(array.shape[2])
    for layer, row in enumerate(array):
        for word, name in enumerate(names):
            off = row[word] - 100.0 * layer - dims - expected[word]
            if np.abs(off).max() < 2e-2:
                continue
            # What the layer and the dimension have added is taken off again.
            dim = int(np.abs(off).argmax())
            value = expected[word] + off[dim]
            look_at = (
                "which positions belong to the word, by word_ids; its number isn't its position"
            )
            if np.ptp(row[word]) < 1e-3:
                look_at = (
                    "all dimensions hold one value: did the mean go over the hidden dimensions too?"
                )
            elif word == 2 and abs(value - 26.0) < 1e-2:
                look_at = "the word's middle subword: does it count in your mean?"
            elif (
                pooling == "mean"
                and word == 1
                and np.allclose(row[word], 2 * (expected[word] + 100.0 * layer + dims), atol=2e-2)
            ):
                look_at = "whether you take the mean or the sum of a word's subwords"
            elif pooling == "mean" and word == 2 and abs(value - 28.25) < 1e-2:
                look_at = "a mean of means: does each of three subwords weigh the same?"
            elif pooling == "first" and abs(value - (1, 9, 36, 49)[word]) < 1e-2:
                look_at = "you give the last subword's vector: is something overwritten on the way?"
            elif pooling == "last" and abs(value - (1, 4, 16, 49)[word]) < 1e-2:
                look_at = "you give the first subword's vector: which index reaches the last one?"
            elif layer > 0:
                look_at = f"layer 0 is right, layer {layer} isn't: what do you do along the layers?"
            require(
                False,
                seen="the subword at position p holds p² (and 100 more for each layer, 0.1 more for "
                f"each dimension, which is taken off here). {name.capitalize()}, at layer {layer} and "
                f"dimension {dim}, with pooling={pooling!r}, has {_named(value)}",
                should=f"it has {_named(expected[word])}; a word's vector is that of its first "
                "subword, of its last, or the mean over all of its own subwords, each with the same "
                "weight",
                look_at=look_at,
            )


@lru_cache(maxsize=1)
def _tokenizer():
    return load_encoder("minilm").tokenizer


def _small_bert(num_layers: int) -> torch.nn.Module:
    """A tiny BERT with random weights, the same each time, the caller's random state untouched."""
    config = transformers.BertConfig(
        hidden_size=16, num_hidden_layers=num_layers, num_attention_heads=2, intermediate_size=32
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return transformers.BertModel(config)


@check(
    "all L + 1 layers of 6 and of 12 blocks",
    "two calls agree, also after training mode",
    "alone it is the mean over all subwords",
    "padding doesn't matter",
)
def check_sentence_vectors(function) -> None:
    """Exercise 2.3: the same at each call, whatever the neighbours, at all L + 1 layers."""
    tokenizer = _tokenizer()
    short, long = (
        ["Rain", "."],
        ["Somebody", "unwrapped", "the", "grandmother", "'s", "clock", "yesterday", "."],
    )
    for num_layers in (6, 12):
        model = _small_bert(num_layers).eval()
        seen = as_array(call(function, tokenizer, model, [short]))
        require(
            seen.ndim != 3 or seen.shape[0] != num_layers,
            seen=f"{num_layers} vectors for one sentence from a model of {num_layers} blocks",
            should="there is one for each hidden state, layers 0 to L",
            look_at="which of the hidden states your function passes over",
        )
        require_shape(
            seen,
            (num_layers + 1, 1, 16),
            f"the result for one sentence, {num_layers} blocks and 16 dimensions",
            "the order of the axes in the docstring, and over which of them the mean goes",
        )

    model = _small_bert(3).train()
    first = as_array(call(function, tokenizer, model, [short]))
    model.train()
    second = as_array(call(function, tokenizer, model, [short]))
    require(
        close(first, second),
        seen="a model that was in training mode gives two different results in two calls; the "
        f"largest difference is {np.abs(first - second).max():.2f}",
        should="two calls with the same sentences give the same vectors",
        look_at="the chapter's section on the forgotten switch; inference mode is another thing",
    )

    model = _small_bert(3).eval()
    inputs = tokenizer([short], is_split_into_words=True, return_tensors="pt")
    with torch.inference_mode():
        states = model(**inputs, output_hidden_states=True).hidden_states
    alone = as_array(call(function, tokenizer, model, [short]))[:, 0]
    plain = np.array([state[0].mean(dim=0).numpy() for state in states])
    require(
        close(alone, plain, 1e-4),
        seen="for a sentence alone, without any padding, the result isn't the mean over all "
        f"{states[0].shape[1]} subwords (largest difference {np.abs(alone - plain).max():.2f})",
        should="where nothing is padded, it is the plain mean, [CLS] and [SEP] among the subwords",
        look_at="which subwords you leave out, and by what you divide",
    )
    together = as_array(call(function, tokenizer, model, [short, long]))[:, 0]
    lengths = [np.linalg.norm(v, axis=-1).mean() for v in (together, alone)]
    shares_direction = all(
        close(t / np.linalg.norm(t), a / np.linalg.norm(a), 1e-3)
        for t, a in zip(together, alone, strict=True)
    )
    if shares_direction:
        look_at = "by what you divide the sum: how many subwords does this sentence have?"
    elif close(together[0], alone[0], 1e-4):
        look_at = "what the model itself is told of the padding: layer 0 is right, others aren't"
    else:
        look_at = "over which positions the mean goes: what stands in the attention mask of the short row?"
    require(
        close(together, alone, 1e-4),
        seen="beside a longer sentence, a short one gets another vector: mean length "
        f"{lengths[0]:.2f} instead of {lengths[1]:.2f}, largest difference "
        f"{np.abs(together - alone).max():.2f}",
        should="a sentence's vector doesn't depend on which sentences stand beside it",
        look_at=look_at,
    )


@check(
    "the share is over sentences, the draws over documents",
    "with replacement, from the 2.5th to the 97.5th percentile",
    "as many draws as asked for; another seed, another interval",
    "damaged fits the dev part",
    "the decisions follow from the interval",
)
def check_share_with_interval(function, damaged, decisions) -> None:
    """Exercise 2.4: the bootstrap takes whole documents; damage and decisions are the data's."""
    _check_bootstrap(function)
    _check_damaged(damaged)
    _check_decisions(decisions)


def _check_bootstrap(function) -> None:
    def three(*args, **kwargs):
        return numbers(call(function, *args, **kwargs), "share", "low end", "high end")

    # Two documents of unlike size, mixed; one damaged all over, the other not at all.
    documents = ["a", "b", "a", "a", "a", "b", "a", "a", "a", "a"]
    damaged = [name == "b" for name in documents]
    share, low, high = three(damaged, documents, draws=2000)
    require(
        close(share, 0.2),
        seen=f"where 2 of 10 sentences are damaged, the share is {share:.3f}",
        should="it is the share of damaged sentences among all sentences",
        look_at="a share lies between 0 and 1: is this a count, or percent?"
        if share > 1
        else "what is counted: sentences, or documents (here two, of 8 and of 2 sentences)?",
    )
    require(
        max(abs(low), abs(high)) < 1.0001,
        seen=f"the interval of a share goes from {low:.2f} to {high:.2f}",
        should="a share lies between 0 and 1, and so do the ends of its interval",
        look_at="what each draw gives: a share, not a count, and not in percent",
    )
    require(
        high - low > 1e-9,
        seen=f"of two very unlike documents the interval is {low:.2f} to {high:.2f}, without width",
        should="a draw may hold one document twice and the other not at all",
        look_at="is each draw made with replacement, and is each another one? Or do the percentiles "
        "that you take go from 0 to 1, where numpy counts them from 0 to 100?",
    )
    require(
        close(low, 0) and close(high, 1),
        seen="one document of 8 sentences is undamaged and one of 2 is damaged all over: your "
        f"interval goes from {low:.2f} to {high:.2f}",
        should="it reaches from 0 to 1, since half of the draws hold one document twice",
        look_at="what is drawn: sentences, or whole documents?",
    )
    # Documents of two sizes, so that the mean of shares isn't the share.
    sizes = np.where(np.arange(45) % 3 == 0, 12, 2)
    documents = np.repeat([f"d{i:02d}" for i in range(45)], sizes).tolist()
    damaged = np.repeat(np.arange(45) % 3 == 0, sizes).tolist()
    share, low, high = three(damaged, documents, draws=3000)
    require(
        low < share < high and low > 0.5,
        seen=f"where the share is {share:.2f}, your interval goes from {low:.2f} to {high:.2f}",
        should="the interval lies around the share of sentences",
        look_at="step 2: one share over all sentences of the documents drawn, not a mean of shares",
    )
    documents = np.repeat([f"d{i:02d}" for i in range(60)], 5).tolist()
    damaged = np.repeat(np.arange(60) % 3 == 0, 5).tolist()
    _, low, high = three(damaged, documents, draws=3000)
    width = 2 * 1.96 * np.sqrt(2 / 9 / 60)
    require(
        abs(high - low - width) < 0.11 * width,
        seen=f"with 60 documents your interval is {high - low:.3f} wide, from {low:.3f} to {high:.3f}",
        should="95 of 100 shares drawn lie in it, as many below it as above "
        f"(here about {width:.2f} wide)",
        look_at="how many documents a draw has, and which percentiles you take (from 0 to 100?)",
    )
    # Of documents of many sizes no two unseeded runs have the same percentiles.
    sizes = np.arange(1, 46)
    documents = np.repeat([f"d{i:02d}" for i in range(45)], sizes).tolist()
    damaged = np.repeat(np.arange(45) % 3 == 0, sizes).tolist()
    share, low, high = three(damaged, documents, draws=1, seed=4)
    require(
        high - low < 1e-9 and abs(low - share) > 1e-9,
        seen=f"with draws=1 the interval goes from {low:.4f} to {high:.4f}, around {share:.4f}",
        should="one draw gives one share, that of the documents drawn, and both ends lie there",
        look_at="where the argument draws goes, and whether the ends are percentiles of the shares drawn",
    )
    seed_decides(lambda seed: three(damaged, documents, draws=60, seed=seed)[1:], "documents")


def _check_damaged(damaged) -> None:
    require_answered(damaged, "damaged")
    sentences, tokenizer = load_treebank("dev"), _tokenizer()
    try:
        seen = np.array([bool(value) for value in damaged])
    except (TypeError, ValueError):
        seen = None
    require(
        seen is not None and len(seen) == len(sentences),
        seen=f"damaged is {describe(damaged)}"
        + ("" if seen is None else f" with {len(seen)} entries"),
        should=f"it has True or False for each of the {len(sentences)} sentences",
        look_at="is it a list over the sentences, or something counted already?",
    )
    truth = np.array([_comes_back_changed(tokenizer, s.words) for s in sentences])
    require(
        not seen.all(),
        seen="by your list, every sentence is damaged",
        should="some sentences come back word for word",
        look_at="print both sides of your comparison for one sentence: are they of one type?",
    )
    require(
        not (seen == ~truth).all(),
        seen="every entry of damaged is the opposite of what it should be",
        should="damaged is True where the words come back changed",
        look_at="the sign of your comparison: equal, or not equal?",
    )
    wrong = np.flatnonzero(seen != truth)
    require(
        not len(wrong),
        seen=f"{len(wrong)} of {len(sentences)} sentences are judged otherwise than the tokenizer "
        f"does, the first of them: {' '.join(sentences[wrong[0]].words[:12]) if len(wrong) else ''}",
        should="damaged is True exactly where the tokenizer's words are not the corpus's",
        look_at="compare words_the_tokenizer_sees for this sentence with its words, one by one",
    )


def _comes_back_changed(tokenizer, words) -> bool:
    text = " ".join(words)
    joined = tokenizer(text)
    spans = {tuple(joined.word_to_chars(i)) for i in joined.word_ids() if i is not None}
    return [text[start:end] for start, end in sorted(spans)] != list(words)


def _check_decisions(decisions) -> None:
    expected = {
        "more than one sentence in twenty": (
            "yes",
            "twenty is .05",
            "where the low end of the interval lies",
        ),
        "more than one sentence in four": (
            "not settled",
            "four is .25",
            "the interval, not the share alone: can a number inside it be ruled out?",
        ),
    }
    said = read_decisions(decisions, tuple(expected))
    for question, (answer, share, look_at) in expected.items():
        require(
            said[question] == answer,
            seen=f"to {question!r} you answer {said[question]!r}",
            should="the answer is what both ends of your interval for the dev part allow, and one in "
            + share,
            look_at=look_at,
        )
