"""Words in, hidden states of every layer out, each word with its own vector.

An encoder sees subwords; a corpus annotates words. :func:`extract` runs the encoder over whole
sentences and pools the subwords of each word, batch by batch, so that what is kept is one vector
per word and layer and never the subword states of a whole corpus.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from whichlayer.activations import Activations
from whichlayer.audition import (
    EncoderUnsuitableError,
    evaluating,
    forward,
    restore,
)
from whichlayer.corpora import Sentence, with_ids
from whichlayer.models import Encoder
from whichlayer.storage import FolderStore, MemoryStore
from whichlayer.tokenization import SentenceUnsuitableError, Subwords, tokenize

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
    feed: str = "auto",
    first_token: str | None = None,
    context: str = "sentence",
    last_state: str = "model",
    batch_size: int = 32,
    too_long: str = "error",
    no_subword: str = "error",
    to: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Activations:
    """Hidden states of every layer for every word.

    Args:
        encoder: a loaded encoder. It is run in evaluation mode, whatever mode its model is in.
        sentences: :class:`~whichlayer.corpora.Sentence` objects or lists of words. A plain string
            is refused: splitting it again would shift every label after the first punctuation.
        pooling: ``"first"`` or ``"last"`` subword of each word, or the ``"mean"`` of all of them.
            A word's subwords are those that cover any of its characters.
        feed: ``"text"`` gives the encoder each sentence as it was written (``Sentence.text``);
            ``"words"`` gives its words joined by single blanks; ``"auto"`` gives the text where
            blanks change the tokenizer's subwords (``encoder.audition.minds_blanks``) and the
            text is the sentence's words, and the words otherwise.
        first_token: a token such as ``"<|endoftext|>"`` to put before each input, for decoders,
            whose first token takes up attention that has nowhere else to go.
        context: ``"sentence"``, or ``"document"``, which puts the sentences of the same document
            that come right before a sentence before it, as many of their subwords as fit. Vectors
            are those of the sentence's own words in either case.
        last_state: ``"model"``, the last hidden state as the model hands it out, or ``"block"``,
            the last block's own output. They differ where ``encoder.final_norm`` is true.
        batch_size: sentences per batch. Sentences of like length go together, so that little is
            padded; the result doesn't depend on it (to about 1e-6 in float32).
        too_long: what to do with a sentence of more subwords than the encoder can take:
            ``"error"``, or ``"window"``, which reads it in windows that overlap by half and takes
            each word from the window in which it has the most context on its narrower side.
        no_subword: what to do with a word that the tokenizer drops entirely (a lone control or
            zero-width character): ``"error"``, or ``"unknown"``, which stands the tokenizer's
            unknown token in for it.
        to: a new folder to write to as the work goes on, for corpora that don't fit in memory;
            the result is then memory-mapped. After an interruption the same call goes on where
            it stopped.
        progress: show a progress bar; by default only from 2,000 sentences on.

    Returns:
        :class:`Activations` with ``vectors`` of shape (L + 1, words, hidden), float32, in corpus
        order. Sentences without an id get one of their own (``"s0"``, ``"s1"``, ...), those
        without a document are documents of their own.

    Raises:
        TypeError: a sentence is a plain string, or a word is no string.
        SentenceUnsuitableError: a ValueError: an empty sentence, one that is too long, a word
            without a subword or that would become a special token. The message names both.
        TokenizerUnsuitableError, EncoderUnsuitableError: the encoder fails on the corpus.
        ValueError: no sentences, two different ones with one id, an unknown option, ids that
            can't be written.
        FileExistsError: the folder ``to`` exists already.
        OSError: the disk is full; what was done is kept, and the same call goes on there.
    """
    _one_of("pooling", pooling, ("first", "last", "mean"))
    _one_of("feed", feed, ("auto", "words", "text"))
    _one_of("context", context, ("sentence", "document"))
    _one_of("last_state", last_state, ("model", "block"))
    _one_of("too_long", too_long, ("error", "window"))
    _one_of("no_subword", no_subword, ("error", "unknown"))
    _check_batch_size(batch_size)
    if to is not None and not isinstance(to, (str, os.PathLike)):
        raise TypeError(f"to={to!r}: a folder's path is needed.")
    hook = _last_block(encoder) if last_state == "block" else None
    corpus = _as_corpus(sentences)
    first_row = np.cumsum([0, *map(len, corpus)])
    read = tokenize(
        encoder, corpus, feed=feed, no_subword=no_subword, first_token=first_token, context=context
    )
    pieces = [
        piece
        for i, subwords in enumerate(read)
        for piece in _pieces(encoder, corpus[i], subwords, int(first_row[i]), too_long)
    ]
    batches = _batches(pieces, batch_size, encoder.audition.batching)
    shape = (encoder.num_states, int(first_row[-1]), encoder.hidden_size)
    about = {
        "words": tuple(str(word) for sentence in corpus for word in sentence.words),
        "sentence_ids": tuple(s.id for s in corpus for _ in s.words),
        "document_ids": tuple(s.document_id for s in corpus for _ in s.words),
        "encoder": encoder.name,
        "pooling": pooling,
    }
    if to is None:
        store = MemoryStore(shape)
    else:
        options = (pooling, last_state, about["sentence_ids"], about["document_ids"])
        store = FolderStore(Path(to), shape, about, _fingerprint(encoder, batches, options))
    try:
        with _Reader(encoder, hook) as reader:
            shown = _with_progress(batches, store.done, progress)
            for number, batch in enumerate(shown, store.done + 1):
                for layer, states in enumerate(reader.hidden_states(batch)):
                    vectors = _pool_words(states, batch, pooling)
                    if not np.isfinite(vectors.sum()) and not np.isfinite(vectors).all():
                        raise _not_finite(encoder, vectors, batch, corpus, first_row, layer)
                    at = 0
                    for piece in batch:
                        store.write(layer, piece.row, vectors[at : at + len(piece.spans)])
                        at += len(piece.spans)
                store.commit(number)
        return Activations(vectors=store.finish(), **about)
    except OSError as error:
        store.suspend()
        if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", None)):
            raise OSError(
                error.errno,
                f"The disk that holds {to} is full. Make room and make the same call again: it "
                "goes on where it stopped",
            ) from error
        raise
    except BaseException:
        store.suspend()
        raise


def extract_sentences(
    encoder: Encoder,
    sentences: Sequence[Sentence | Sequence[str]],
    pooling: str = "cls",
    *,
    feed: str = "auto",
    batch_size: int = 32,
    no_subword: str = "error",
    progress: bool | None = None,
) -> np.ndarray:
    """One vector per sentence and layer.

    Args:
        encoder: a loaded encoder.
        sentences: :class:`~whichlayer.corpora.Sentence` objects or lists of words.
        pooling: ``"cls"``, the state of the first special token (not the pooler's output);
            ``"mean"`` or ``"max"`` over all subwords of the sentence including the special
            tokens, as sentence-transformers does. Padding never enters.
        feed, no_subword: as for :func:`extract`.
        batch_size: sentences per batch; the result doesn't depend on it.
        progress: show a progress bar; by default only from 2,000 sentences on.

    Returns:
        float32, shape (L + 1, sentences, hidden).

    Raises:
        TypeError, ValueError: as for :func:`extract`; also ``"cls"`` with a tokenizer that has no
        such token.
    """
    _one_of("pooling", pooling, ("cls", "mean", "max"))
    _one_of("feed", feed, ("auto", "words", "text"))
    _one_of("no_subword", no_subword, ("error", "unknown"))
    _check_batch_size(batch_size)
    corpus = _as_corpus(sentences)
    cls = encoder.tokenizer.cls_token_id
    if pooling == "cls" and cls is None:
        raise ValueError(
            f"{encoder.name} puts no [CLS]-like token before a sentence. Use pooling='mean'."
        )
    pieces = []
    for row, subwords in enumerate(tokenize(encoder, corpus, feed=feed, no_subword=no_subword)):
        (piece,) = _pieces(encoder, corpus[row], subwords, row, None)
        if pooling == "cls" and piece.ids[0] != cls:
            raise ValueError(
                f"{encoder.name} doesn't begin an input with its [CLS]-like token. "
                "Use pooling='mean'."
            )
        pieces.append(piece)
    out = np.empty((encoder.num_states, len(corpus), encoder.hidden_size), dtype=np.float32)
    batches = _batches(pieces, batch_size, encoder.audition.batching)
    with _Reader(encoder) as reader:
        for batch in _with_progress(batches, 0, progress):
            rows = [piece.row for piece in batch]
            lengths = [len(piece.ids) for piece in batch]
            for layer, states in enumerate(reader.hidden_states(batch)):
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
    types: tuple[int, ...] | None
    spans: tuple[tuple[int, int], ...]
    row: int


def _one_of(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{what}={value!r} is unknown: choose one of {', '.join(choices)}.")


def _check_batch_size(batch_size: int) -> None:
    if isinstance(batch_size, bool) or not isinstance(batch_size, (int, np.integer)):
        raise TypeError(f"batch_size={batch_size!r}: a whole number is needed.")
    if batch_size < 1:
        raise ValueError(f"batch_size={batch_size}: at least 1 is needed.")


def _last_block(encoder: Encoder) -> str | None:
    """The module whose output is the last block's, or None where the last state is that already."""
    if encoder.final_norm is None:
        raise EncoderUnsuitableError(
            f"In {encoder.name} the last block couldn't be found, so its own output can't be had. "
            "Leave last_state='model'."
        )
    return encoder.audition.last_block if encoder.final_norm else None


def _as_corpus(sentences: Sequence[Sentence | Sequence[str]]) -> list[Sentence]:
    """The sentences, each with an id."""
    if isinstance(sentences, (str, Sentence)):
        raise TypeError("Pass a list of sentences; a single one goes into a list: [sentence].")
    if not isinstance(sentences, Iterable) or isinstance(sentences, (Set, Mapping)):
        raise TypeError(f"Pass a list of sentences, not a {type(sentences).__name__}.")
    corpus = [_as_sentence(sentence, i) for i, sentence in enumerate(sentences)]
    if not corpus:
        raise ValueError("There are no sentences to extract from.")
    return with_ids(corpus)


def _as_sentence(sentence: Sentence | Sequence[str], index: int) -> Sentence:
    if isinstance(sentence, str):
        raise TypeError(
            f"Sentence {index} is a plain string. Pass its words, as the corpus has them: "
            f"{sentence.split()[:3]} ..."
        )
    if not isinstance(sentence, Sentence):
        if not isinstance(sentence, Iterable) or isinstance(sentence, (Set, Mapping, bytes)):
            raise TypeError(
                f"Sentence {index} is {sentence!s:.60}, no list of words. Pass Sentence objects "
                "or lists of strings."
            )
        words = tuple(sentence)
        _check_words(words, index)
        sentence = Sentence(words)
    else:
        _check_words(sentence.words, sentence.id or index)
    if not sentence.words:
        raise SentenceUnsuitableError(
            f"Sentence {sentence.id!r} (number {index}) has no words: leave it out."
        )
    return sentence


def _check_words(words: Sequence[str], sentence: str | int) -> None:
    for position, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(
                f"Word {position} of sentence {sentence!r} is {word!s:.60}, no string. Pass words "
                "only; labels go into Sentence(words, labels)."
            )
    try:
        "".join(words).encode("utf-8")
    except UnicodeEncodeError:
        bad = next(i for i, word in enumerate(words) if not _is_text(word))
        raise SentenceUnsuitableError(
            f"Word {bad} ({words[bad]!r}) of sentence {sentence!r} holds half a character (a lone "
            "surrogate). Read the corpus again with the right encoding."
        ) from None


def _is_text(word: str) -> bool:
    try:
        return bool(word.encode("utf-8")) or True
    except UnicodeEncodeError:
        return False


def _pieces(
    encoder: Encoder, sentence: Sentence, subwords: Subwords, row: int, too_long: str | None
) -> Iterator[_Piece]:
    before, after, spans = subwords.before, subwords.after, subwords.spans
    budget = encoder.max_length - len(before) - len(after)

    def piece(start: int, stop: int, keep_from: int, keep_to: int) -> _Piece:
        """Subwords from start to stop, of which some words are taken."""
        ids = (*before, *subwords.ids[start:stop], *after)
        types = None
        if subwords.types is not None:
            first, inner, last = subwords.types
            types = (*first, *[inner] * (stop - start), *last)
        shift = len(before) - start
        kept = tuple((a + shift, b + shift) for a, b in spans[keep_from:keep_to])
        return _Piece(ids, types, kept, row + keep_from)

    total, own_from = len(subwords.ids), subwords.own_from
    if total - own_from <= budget:
        yield piece(max(0, total - budget), total, 0, len(spans))
        return
    # Word w's share of the sentence reaches from begins[w] to ends[w]; what stands between two
    # words (a blank's own subword) goes with the second.
    ends = [b + 1 for _, b in spans[:-1]] + [total]
    begins = [own_from] + [min(spans[w][0], ends[w - 1]) for w in range(1, len(spans))]
    sizes = [end - begin for begin, end in zip(begins, ends, strict=True)]
    if too_long != "window" or max(sizes) > budget:
        longest = max(range(len(sizes)), key=sizes.__getitem__)
        alone = sizes[longest] > budget
        what = (
            f"word {longest} ({sentence.words[longest][:30]!r}...) alone has {sizes[longest]}"
            if alone
            else f"it has {total - own_from}"
        )
        raise SentenceUnsuitableError(
            f"Sentence {sentence.id!r} is too long for {encoder.name}, which takes {budget} "
            f"subwords besides the special tokens: {what}. Split it"
            + ("." if alone or too_long is None else ", or pass too_long='window'.")
        )
    windows = _windows(begins, ends, budget)
    # The border between two windows is the middle of what they share.
    borders = [0]
    for (_, stop), (next_start, _) in pairwise(windows):
        borders.append((next_start + stop) // 2)
    borders.append(len(sizes))
    for (start, stop), keep_from, keep_to in zip(windows, borders, borders[1:], strict=False):
        yield piece(begins[start], ends[stop - 1], keep_from, keep_to)


def _windows(begins: Sequence[int], ends: Sequence[int], budget: int) -> list[tuple[int, int]]:
    """Word ranges of at most ``budget`` subwords that overlap by about half."""
    windows, start = [], 0
    while True:
        stop = start
        while stop < len(ends) and ends[stop] - begins[start] <= budget:
            stop += 1
        windows.append((start, stop))
        if stop == len(ends):
            return windows
        used, following = ends[stop - 1] - begins[start], start
        while ends[following] - begins[start] <= used // 2:
            following += 1
        start = max(following, start + 1)


def _batches(pieces: Sequence[_Piece], batch_size: int, batching: str) -> list[list[_Piece]]:
    """The pieces in batches, the longest first: if memory doesn't suffice, that shows at once."""
    least = 1.0 if batching == "equal lengths" else _LEAST_FILLED
    batch_size = 1 if batching == "one by one" else batch_size
    batches: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: -len(piece.ids)):
        batch = batches[-1] if batches else None
        if batch and len(batch) < batch_size and len(piece.ids) >= least * len(batch[0].ids):
            batch.append(piece)
        else:
            batches.append([piece])
    return batches


def _with_progress(
    batches: Sequence[list[_Piece]], done: int, progress: bool | None
) -> Iterator[list[_Piece]]:
    """The batches that are left to do."""
    total = sum(map(len, batches))
    show = total >= _PROGRESS_FROM if progress is None else progress
    with tqdm(total=total, unit=" sentences", disable=not show, mininterval=0.5) as bar:
        bar.update(sum(map(len, batches[:done])))
        for batch in batches[done:]:
            yield batch
            bar.update(len(batch))


def _fingerprint(encoder: Encoder, batches: Sequence[list[_Piece]], options: tuple) -> str:
    """A name for exactly this work: the weights, what is read, in which batches, and how."""
    digest = hashlib.sha256(repr((encoder.name, str(encoder.audition), options)).encode())
    for name, weight in encoder.model.named_parameters():
        total = float(weight.detach().sum(dtype=torch.float64))
        some = weight.detach().flatten()[:8].tolist()
        digest.update(repr((name, tuple(weight.shape), str(weight.dtype), total, some)).encode())
    for batch in batches:
        for piece in batch:
            digest.update(repr((piece.ids, piece.types, piece.spans, piece.row)).encode())
        digest.update(b"|")
    return digest.hexdigest()


class _Reader:
    """An encoder in evaluation mode, and as it was again afterwards."""

    def __init__(self, encoder: Encoder, last_block: str | None = None) -> None:
        self.encoder, self.last_block = encoder, last_block
        self.before = encoder.audition.before
        self.evaluating = evaluating(encoder.model)

    def __enter__(self) -> _Reader:
        self.evaluating.__enter__()
        return self

    def __exit__(self, *error) -> None:
        self.evaluating.__exit__(*error)
        if self.before is not None:
            restore(self.before)

    @torch.inference_mode()
    def hidden_states(self, batch: Sequence[_Piece]) -> tuple[torch.Tensor, ...]:
        """L + 1 tensors of shape (batch, subwords, hidden)."""
        if self.before is not None:
            restore(self.before)
        types = [p.types for p in batch] if batch[0].types is not None else None
        return forward(
            self.encoder.model, [p.ids for p in batch], types,
            name=self.encoder.name, last_block=self.last_block,
        )  # fmt: skip


def _not_finite(encoder, vectors, batch, corpus, first_row, layer) -> EncoderUnsuitableError:
    word = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
    rows = [piece.row + i for piece in batch for i in range(len(piece.spans))]
    sentence = corpus[int(np.searchsorted(first_row, rows[word], side="right")) - 1]
    return EncoderUnsuitableError(
        f"{encoder.name} gives numbers that are not finite at layer {layer} in sentence "
        f"{sentence.id!r}. Load it with dtype=torch.float32, or leave the sentence out."
    )


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
