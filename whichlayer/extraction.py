"""Words in, hidden states of every layer out, each word with its own vector.

An encoder sees subwords; a corpus annotates words. :func:`extract` runs the encoder over whole
sentences and pools the subwords of each word, batch by batch, so that what is kept is one vector
per word and layer and never the subword states of a whole corpus.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from whichlayer.activations import Activations
from whichlayer.corpora import Sentence
from whichlayer.models import Encoder
from whichlayer.storage import FolderStore, MemoryStore

# Below this many sentences a progress bar is only noise.
_PROGRESS_FROM = 2000

# A sentence joins a batch only if it fills at least this share of the longest one's length: on a
# CPU padding costs as much as text (measured: .85 is the fastest, by 5% over no such limit).
_LEAST_FILLED = 0.85


def extract(
    encoder: Encoder,
    sentences: Sequence[Sentence | Sequence[str]],
    pooling: str = "first",
    *,
    batch_size: int = 32,
    too_long: str = "error",
    no_subword: str = "error",
    to: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Activations:
    """Hidden states of every layer for every word.

    Args:
        encoder: a loaded encoder.
        sentences: :class:`~whichlayer.corpora.Sentence` objects or lists of words. A plain string
            is refused: splitting it again would shift every label after the first punctuation.
        pooling: ``"first"`` or ``"last"`` subword of each word, or the ``"mean"`` of all of them.
        batch_size: sentences per batch. Sentences of like length go together, so that little is
            padded; the result doesn't depend on it (to about 1e-6 in float32).
        too_long: what to do with a sentence of more subwords than the encoder can take:
            ``"error"``, or ``"window"``, which reads it in windows that overlap by half and takes
            each word from the window in which it has the most context on its narrower side.
        no_subword: what to do with a word that the tokenizer drops entirely (a lone control or
            zero-width character): ``"error"``, or ``"unknown"``, which stands the tokenizer's
            unknown token in for it.
        to: a new folder to write to as the work goes on, for corpora that don't fit in memory;
            the result is then memory-mapped.
        progress: show a progress bar; by default only from 2,000 sentences on.

    Returns:
        :class:`Activations` with ``vectors`` of shape (L + 1, words, hidden), float32, in corpus
        order.

    Raises:
        TypeError: a sentence is a plain string.
        ValueError: no sentences, an empty sentence, a sentence that is too long, a word without
            a subword, an unknown option. The message names the sentence and the word.
        FileExistsError: the folder ``to`` exists already.
    """
    _one_of("pooling", pooling, ("first", "last", "mean"))
    _one_of("too_long", too_long, ("error", "window"))
    _one_of("no_subword", no_subword, ("error", "unknown"))
    corpus = [_as_sentence(sentence, i) for i, sentence in enumerate(sentences)]
    if not corpus:
        raise ValueError("There are no sentences to extract from.")
    subwords = [_subwords_by_word(encoder, sentence, no_subword) for sentence in corpus]
    first_row = np.cumsum([0, *map(len, corpus)])
    pieces = [
        piece
        for i, sentence in enumerate(corpus)
        for piece in _pieces(encoder, sentence, subwords[i], int(first_row[i]), too_long)
    ]
    shape = (encoder.num_states, int(first_row[-1]), encoder.hidden_size)
    store = MemoryStore(shape) if to is None else FolderStore(Path(to), shape)
    try:
        for batch in _batches(pieces, batch_size, progress):
            for layer, states in enumerate(_hidden_states(encoder, [p.ids for p in batch])):
                vectors = _pool_words(states, batch, pooling)
                at = 0
                for piece in batch:
                    store.write(layer, piece.row, vectors[at : at + len(piece.spans)])
                    at += len(piece.spans)
        about = {
            "words": tuple(word for sentence in corpus for word in sentence.words),
            "sentence_ids": tuple(s.id for s in corpus for _ in s.words),
            "document_ids": tuple(s.document_id for s in corpus for _ in s.words),
            "encoder": encoder.name,
            "pooling": pooling,
        }
        return Activations(vectors=store.finish(about), **about)
    except BaseException:
        store.discard()
        raise


def extract_sentences(
    encoder: Encoder,
    sentences: Sequence[Sentence | Sequence[str]],
    pooling: str = "cls",
    *,
    batch_size: int = 32,
    progress: bool | None = None,
) -> np.ndarray:
    """One vector per sentence and layer.

    Args:
        encoder: a loaded encoder.
        sentences: :class:`~whichlayer.corpora.Sentence` objects or lists of words.
        pooling: ``"cls"``, the state of the first special token (not the pooler's output);
            ``"mean"`` or ``"max"`` over all subwords of the sentence including the special
            tokens, as sentence-transformers does. Padding never enters.
        batch_size: sentences per batch; the result doesn't depend on it.
        progress: show a progress bar; by default only from 2,000 sentences on.

    Returns:
        float32, shape (L + 1, sentences, hidden).

    Raises:
        TypeError, ValueError: as for :func:`extract`; also ``"cls"`` with a tokenizer that has no
        such token.
    """
    _one_of("pooling", pooling, ("cls", "mean", "max"))
    corpus = [_as_sentence(sentence, i) for i, sentence in enumerate(sentences)]
    if not corpus:
        raise ValueError("There are no sentences to extract from.")
    if pooling == "cls" and encoder.tokenizer.cls_token_id is None:
        raise ValueError(
            f"{encoder.name} puts no [CLS]-like token before a sentence. Use pooling='mean'."
        )
    pieces = []
    for row, sentence in enumerate(corpus):
        subwords = _subwords_by_word(encoder, sentence, "error")
        (piece,) = _pieces(encoder, sentence, subwords, row, "error")
        if pooling == "cls" and piece.ids[0] != encoder.tokenizer.cls_token_id:
            raise ValueError(f"{encoder.name} doesn't begin an input with [CLS]. Use 'mean'.")
        pieces.append(piece)
    out = np.empty((encoder.num_states, len(corpus), encoder.hidden_size), dtype=np.float32)
    for batch in _batches(pieces, batch_size, progress):
        rows = [piece.row for piece in batch]
        lengths = [len(piece.ids) for piece in batch]
        for layer, states in enumerate(_hidden_states(encoder, [p.ids for p in batch])):
            states = states.float()
            if pooling == "cls":
                out[layer, rows] = states[:, 0].cpu().numpy()
                continue
            for row, length, sentence_states in zip(rows, lengths, states, strict=True):
                real = sentence_states[:length]
                pooled = real.mean(dim=0) if pooling == "mean" else real.amax(dim=0)
                out[layer, row] = pooled.cpu().numpy()
    return out


@dataclass(frozen=True)
class _Piece:
    """What one row of a batch holds: a sentence, or a window of one.

    ``spans`` gives, for each word that is taken from this piece, the positions of its first and
    last subword in ``ids``; ``row`` is where the first of these words goes in the result.
    """

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    row: int


def _one_of(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{what}={value!r} is unknown: choose one of {', '.join(choices)}.")


def _as_sentence(sentence: Sentence | Sequence[str], index: int) -> Sentence:
    if isinstance(sentence, str):
        raise TypeError(
            f"Sentence {index} is a plain string. Pass its words, as the corpus has them: "
            f"{sentence.split()[:3]} ..."
        )
    if not isinstance(sentence, Sentence):
        sentence = Sentence(tuple(sentence), id=f"s{index}", document_id=f"s{index}")
    if not sentence.words:
        raise ValueError(f"Sentence {sentence.id!r} (number {index}) has no words: leave it out.")
    return sentence


def _subwords_by_word(encoder: Encoder, sentence: Sentence, no_subword: str) -> list[list[int]]:
    """The subword ids of each word, without special tokens."""
    encoded = encoder.tokenizer(
        list(sentence.words), is_split_into_words=True, add_special_tokens=False, verbose=False
    )
    by_word: list[list[int]] = [[] for _ in sentence.words]
    for subword_id, word in zip(encoded["input_ids"], encoded.word_ids(), strict=True):
        by_word[word].append(subword_id)
    for position, (word, ids) in enumerate(zip(sentence.words, by_word, strict=True)):
        if ids:
            continue
        if no_subword == "error" or encoder.tokenizer.unk_token_id is None:
            raise ValueError(
                f"The tokenizer of {encoder.name} makes no subword of word {position} ({word!r}) "
                f"of sentence {sentence.id!r}. Clean the text, or pass no_subword='unknown'."
            )
        ids.append(encoder.tokenizer.unk_token_id)
    return by_word


def _pieces(
    encoder: Encoder, sentence: Sentence, subwords: list[list[int]], row: int, too_long: str
) -> Iterator[_Piece]:
    before, after = _special_ids(encoder)
    budget = encoder.max_length - len(before) - len(after)
    sizes = [len(ids) for ids in subwords]

    def piece(start: int, stop: int, keep_from: int, keep_to: int) -> _Piece:
        ids, spans = list(before), []
        for word in range(start, stop):
            if keep_from <= word < keep_to:
                spans.append((len(ids), len(ids) + sizes[word] - 1))
            ids.extend(subwords[word])
        return _Piece((*ids, *after), tuple(spans), row + keep_from)

    if sum(sizes) <= budget:
        yield piece(0, len(sizes), 0, len(sizes))
        return
    if too_long == "error" or max(sizes) > budget:
        longest = max(range(len(sizes)), key=sizes.__getitem__)
        what = (
            f"word {longest} ({sentence.words[longest][:30]!r}...) alone has {sizes[longest]}"
            if sizes[longest] > budget
            else f"it has {sum(sizes)}"
        )
        raise ValueError(
            f"Sentence {sentence.id!r} is too long for {encoder.name}, which takes {budget} "
            f"subwords besides the special tokens: {what}. Split it"
            + ("." if sizes[longest] > budget else ", or pass too_long='window'.")
        )
    windows = _windows(sizes, budget)
    # The border between two windows is the middle of what they share.
    borders = [0]
    for (_, stop), (next_start, _) in pairwise(windows):
        borders.append((next_start + stop) // 2)
    borders.append(len(sizes))
    for (start, stop), keep_from, keep_to in zip(windows, borders, borders[1:], strict=False):
        yield piece(start, stop, keep_from, keep_to)


def _windows(sizes: Sequence[int], budget: int) -> list[tuple[int, int]]:
    """Word ranges of at most ``budget`` subwords that overlap by about half."""
    windows, start = [], 0
    while True:
        stop, used = start, 0
        while stop < len(sizes) and used + sizes[stop] <= budget:
            used += sizes[stop]
            stop += 1
        windows.append((start, stop))
        if stop == len(sizes):
            return windows
        half, following = 0, start
        while half + sizes[following] <= used // 2:
            half += sizes[following]
            following += 1
        start = max(following, start + 1)


def _special_ids(encoder: Encoder) -> tuple[list[int], list[int]]:
    """The special tokens that the tokenizer puts before and after a single sentence."""
    tokenizer = encoder.tokenizer
    plain = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a")["input_ids"]
    for at in range(len(full) - len(plain) + 1):
        if full[at : at + len(plain)] == plain:
            return full[:at], full[at + len(plain) :]
    raise ValueError(f"The special tokens of {encoder.name} could not be determined.")


def _batches(
    pieces: Sequence[_Piece], batch_size: int, progress: bool | None
) -> Iterator[list[_Piece]]:
    if batch_size < 1:
        raise ValueError(f"batch_size={batch_size}: at least 1 is needed.")
    # Longest first: if memory doesn't suffice, that shows at once and not after an hour.
    by_length = sorted(pieces, key=lambda piece: -len(piece.ids))
    show = len(pieces) >= _PROGRESS_FROM if progress is None else progress
    with tqdm(total=len(pieces), unit=" sentences", disable=not show, mininterval=0.5) as bar:
        while by_length:
            shortest = _LEAST_FILLED * len(by_length[0].ids)
            size = next(
                (i for i, p in enumerate(by_length[:batch_size]) if len(p.ids) < shortest),
                min(batch_size, len(by_length)),
            )
            batch, by_length = by_length[:size], by_length[size:]
            yield batch
            bar.update(size)


@torch.inference_mode()
def _hidden_states(encoder: Encoder, rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, ...]:
    """L + 1 tensors of shape (batch, subwords, hidden)."""
    longest = max(map(len, rows))
    ids = torch.full((len(rows), longest), encoder.tokenizer.pad_token_id, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    output = encoder.model(
        input_ids=ids.to(encoder.device),
        attention_mask=mask.to(encoder.device),
        output_hidden_states=True,
    )
    return output.hidden_states


def _pool_words(states: torch.Tensor, batch: Sequence[_Piece], pooling: str) -> np.ndarray:
    """(batch, subwords, hidden) -> float32 (words of the batch, hidden)."""
    width = states.shape[1]
    spans = np.array(
        [(i * width + a, i * width + b) for i, p in enumerate(batch) for a, b in p.spans]
    )
    flat = states.reshape(-1, states.shape[-1])
    first, last = torch.from_numpy(spans.T.copy()).to(states.device)
    if pooling == "first":
        pooled = flat[first].float()
    elif pooling == "last":
        pooled = flat[last].float()
    else:
        # Sum by offset within the word: few words have many subwords, so few passes are needed.
        flat, count = flat.float(), last - first + 1
        pooled = flat[first]
        for offset in range(1, int(count.max())):
            longer = (count > offset).nonzero().squeeze(1)
            pooled[longer] += flat[first[longer] + offset]
        pooled /= count.unsqueeze(1)
    return pooled.cpu().numpy()
