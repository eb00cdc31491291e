"""Words in, subword ids out, each word with the span of its subwords.

A tokenizer is always given running text, as it was in training, never a list of words: many of
them mark a word's beginning by the blank before it, and a list has none. The text is the sentence
as it was written, or its words joined by single blanks; in both, the characters of each word are
known, and a word's subwords are those that cover any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

# Words and punctuation as a corpus has them, and the same sentence as one writes it.
WITH_BLANKS = "the old dog , who was tired , did not jump ( he said so ) . It slept ."
AS_WRITTEN = "the old dog, who was tired, did not jump (he said so). It slept."

# Texts that are encoded in one call: enough for the tokenizer's threads, little enough in memory.
_AT_ONCE = 1000


class EncoderError(Exception):
    """What is common to all errors about encoders, and about what is given to them."""


class TokenizerUnsuitableError(EncoderError, ValueError):
    """A tokenizer cannot say which subword belongs to which word, or doesn't fit its model."""


class SentenceUnsuitableError(EncoderError, ValueError):
    """A sentence can't be given to an encoder as it is; the message names it and the word."""


@dataclass(frozen=True)
class Subwords:
    """A sentence as an encoder reads it.

    Attributes:
        ids: the subwords, special tokens not included.
        spans: for each word the positions in ``ids`` of its first and its last subword. Two words
            share a subword where the tokenizer doesn't part them ("do" and "n't" in "don't").
        own_from: where the sentence begins in ``ids``; what stands before is context.
        before: the special tokens before the sentence.
        after: the special tokens after it.
        types: token types of (before, sentence, after), or None where the tokenizer gives none.
    """

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    own_from: int = 0
    types: tuple[tuple[int, ...], int, tuple[int, ...]] | None = None


def check_tokenizer(tokenizer: Any) -> None:
    """Raise TokenizerUnsuitableError unless the tokenizer can say where in a text a subword is."""
    if not getattr(tokenizer, "is_fast", False):
        raise TokenizerUnsuitableError(
            f"{type(tokenizer).__name__} cannot say which subword belongs to which word "
            "(that needs a fast tokenizer). Choose a model that has a tokenizer.json, or convert "
            "this one with transformers' convert_slow_tokenizer."
        )


def encode(tokenizer: Any, texts: Sequence[str]) -> tuple[list, bool]:
    """The tokenizer's own encodings of texts, and whether it gives token types.

    What looks like a special token in a text is text: only the tokenizer's template adds them.

    Raises:
        TokenizerUnsuitableError: the tokenizer fails on the texts.
    """
    try:
        batch = tokenizer(
            list(texts), add_special_tokens=True, padding=False, truncation=False,
            split_special_tokens=True, verbose=False,
        )  # fmt: skip
        return list(batch.encodings), "token_type_ids" in batch
    except BaseException as error:  # the library's own panics are no Exceptions
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit)):
            raise
        detail = " ".join(str(error).split())[:200]
        raise TokenizerUnsuitableError(
            f"The tokenizer ({type(tokenizer).__name__}) fails on ordinary text: {detail}. Choose "
            "a model whose tokenizer takes plain sentences."
        ) from error


def template_of(encoding: Any) -> tuple[int, int]:
    """How many special tokens the tokenizer has put before and after a text."""
    mask = encoding.special_tokens_mask
    before = next((i for i, special in enumerate(mask) if not special), len(mask))
    after = next((i for i, special in enumerate(reversed(mask)) if not special), 0)
    return before, after


def minds_blanks(tokenizer: Any) -> bool:
    """Whether the blanks around punctuation change the subwords, so that the writer's matter."""
    (spread, written), _ = encode(tokenizer, [WITH_BLANKS, AS_WRITTEN])
    return spread.ids != written.ids


def align(words: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Where each word stands in a text: (first character, character after the last).

    None where the text isn't the words with blanks between some of them.
    """
    spans, at = [], 0
    for word in words:
        while at < len(text) and text[at].isspace():
            at += 1
        if not word.strip() or not text.startswith(word, at):
            return None
        spans.append((at, at + len(word)))
        at += len(word)
    return None if text[at:].strip() else spans


def join(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The words with a blank between them, and where each stands; one of blanks only stands nowhere."""
    spans, at = [], 0
    for word in words:
        if word.strip():
            spans.append((at, at + len(word)))
            at += len(word) + 1
        else:
            spans.append((at, at))
    return " ".join(word for word in words if word.strip()), spans


def tokenize(
    encoder: Any,
    sentences: Sequence[Any],
    *,
    feed: str = "auto",
    no_subword: str = "error",
    first_token: str | None = None,
    context: str = "sentence",
) -> Iterator[Subwords]:
    """The subwords of each sentence.

    Args:
        encoder: an :class:`~whichlayer.models.Encoder`.
        sentences: sentences with ``words``, ``text``, ``id`` and ``document_id``.
        feed: ``"text"``, ``"words"`` (joined by blanks) or ``"auto"``, as in ``extract``.
        no_subword: ``"error"`` or ``"unknown"``, as in ``extract``.
        first_token: a token to put before each input.
        context: ``"sentence"``, or ``"document"``: the sentences of the same document that come
            right before it stand before it, as far as the encoder's length allows.

    Raises:
        SentenceUnsuitableError: a word has no subword or becomes a special token, or the text of
            a sentence isn't its words.
        TokenizerUnsuitableError: a subword has no row in the model's table of embeddings.
    """
    lead = _first_token_id(encoder, first_token)
    special = _markup_ids(encoder.tokenizer)
    written = feed == "text" or (feed == "auto" and encoder.audition.minds_blanks)
    texts = [_text_of(sentence, feed, written) for sentence in sentences]
    for group in _groups(sentences, context):
        yield from _tokenize_group(encoder, group, sentences, texts, no_subword, lead, special)


def _groups(sentences: Sequence[Any], context: str) -> Iterator[list[list[int]]]:
    """Lists of texts to encode at once; a text is a list of sentences that are read as one."""
    texts: list[list[int]] = []
    for i, sentence in enumerate(sentences):
        follows = (
            context == "document"
            and texts
            and sentence.document_id
            and sentences[texts[-1][-1]].document_id == sentence.document_id
        )
        if follows:
            texts[-1].append(i)
            continue
        if len(texts) >= _AT_ONCE:
            yield texts
            texts = []
        texts.append([i])
    if texts:
        yield texts


def _text_of(sentence: Any, feed: str, written: bool) -> tuple[str, list[tuple[int, int]]]:
    joined, spans = join(sentence.words)
    if not written or sentence.text == joined:
        return joined, spans
    own = align(sentence.words, sentence.text)
    if own is not None:
        return sentence.text, own
    if feed == "text":
        raise SentenceUnsuitableError(
            f"The text of sentence {sentence.id!r} ({sentence.text[:40]!r}...) isn't its words "
            "with blanks between some of them. Mend one of the two, or pass feed='words'."
        )
    return joined, spans


def _tokenize_group(
    encoder: Any,
    group: Sequence[Sequence[int]],
    sentences: Sequence[Any],
    texts: Sequence[tuple[str, list[tuple[int, int]]]],
    no_subword: str,
    lead: tuple[int, ...],
    special: frozenset[int],
) -> Iterator[Subwords]:
    encodings, has_types = encode(
        encoder.tokenizer, [" ".join(texts[i][0] for i in members) for members in group]
    )
    limit = encoder.max_length
    for members, encoding in zip(group, encodings, strict=True):
        n_before, n_after = template_of(encoding)
        stop = len(encoding.ids) - n_after
        all_ids = encoding.ids
        before, after = tuple(all_ids[:n_before]), tuple(all_ids[stop:])
        ids, offsets = all_ids[n_before:stop], encoding.offsets[n_before:stop]
        types = None
        if has_types:
            kinds = encoding.type_ids
            inner = kinds[n_before] if stop > n_before else 0
            types = (tuple(kinds[:n_before]), inner, tuple(kinds[stop:]))
        if lead and before[:1] != lead:
            before = lead + before
            types = types and ((types[1], *types[0]), *types[1:])
        shift = at = 0
        for i in members:
            text, characters = texts[i]
            spans = _spans(offsets, [(a + shift, b + shift) for a, b in characters], at)
            shift += len(text) + 1
            end = at
            while end < len(offsets) and offsets[end][0] < shift - 1:
                end += 1
            if i == members[-1]:
                end = len(ids)
            begin = max(0, end - limit)
            begin = min(begin, at)
            own = ids[begin:end]
            _check_ids(encoder, sentences[i], own[at - begin :], spans, at, special)
            yield _complete(
                encoder, sentences[i], no_subword,
                Subwords(
                    ids=tuple(own),
                    spans=tuple((a - begin, b - begin) if b >= a else (a, b) for a, b in spans),
                    before=before, after=after, own_from=at - begin, types=types,
                ),
            )  # fmt: skip
            at = end


def _spans(
    offsets: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]], at: int
) -> list[tuple[int, int]]:
    """First and last subword that cover a character of each word; (0, -1) where none does."""
    spans = []
    for start, stop in words:
        while at < len(offsets) and offsets[at][1] <= start:
            at += 1
        first, last, i = 0, -1, at
        while i < len(offsets) and offsets[i][0] < stop and start < stop:
            begin, end = offsets[i]
            if end > begin and end > start:
                first, last = (i if last < 0 else first), i
            i += 1
        spans.append((first, last))
    return spans


def _complete(encoder: Any, sentence: Any, no_subword: str, subwords: Subwords) -> Subwords:
    """Stand the unknown token in for words without a subword, or refuse the sentence."""
    if all(last >= 0 for _, last in subwords.spans):
        return subwords
    unknown = encoder.tokenizer.unk_token_id
    ids, spans, inserted = list(subwords.ids), [], 0
    end = subwords.own_from - 1
    for position, (first, last) in enumerate(subwords.spans):
        if last >= 0:
            spans.append((first + inserted, last + inserted))
            end = last + inserted
            continue
        if no_subword == "error" or unknown is None:
            way_out = (
                "Clean the text, or pass no_subword='unknown'."
                if unknown is not None
                else "Clean the text: this tokenizer has no unknown token to stand in for it."
            )
            raise SentenceUnsuitableError(
                f"The tokenizer of {encoder.name} makes no subword of word {position} "
                f"({sentence.words[position]!r}) of sentence {sentence.id!r}. {way_out}"
            )
        end += 1
        ids.insert(end, unknown)
        spans.append((end, end))
        inserted += 1
    return Subwords(
        tuple(ids), tuple(spans), subwords.before, subwords.after, subwords.own_from, subwords.types
    )


def _check_ids(
    encoder: Any,
    sentence: Any,
    own: Sequence[int],
    spans: Sequence[tuple[int, int]],
    at: int,
    special: frozenset[int],
) -> None:
    rows = encoder.audition.embedding_rows
    if rows is not None and own and max(own) >= rows:
        worst = max(own)
        raise TokenizerUnsuitableError(
            f"The tokenizer of {encoder.name} gives {encoder.tokenizer.convert_ids_to_tokens(worst)!r} "
            f"(in sentence {sentence.id!r}) the number {worst}, but the model has embeddings for "
            f"{rows} subwords only. Load the tokenizer that the model was trained with, or train "
            "the model after model.resize_token_embeddings(len(tokenizer))."
        )
    if special.isdisjoint(own):
        return
    bad = next(i for i, subword in enumerate(own, at) if subword in special)
    word = next((w for w, (a, b) in enumerate(spans) if a <= bad <= b), 0)
    raise SentenceUnsuitableError(
        f"Word {word} ({sentence.words[word]!r}) of sentence {sentence.id!r} would become the "
        f"special token {encoder.tokenizer.convert_ids_to_tokens(own[bad - at])!r} of "
        f"{encoder.name}. Write it another way, or leave the sentence out."
    )


def _markup_ids(tokenizer: Any) -> frozenset[int]:
    """Special tokens that are no words of a language, such as ``[SEP]`` or ``</s>``.

    A tokenizer may also declare a full stop to be special; in a text it is a full stop. The
    unknown token stands for what it is.
    """
    specials = zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=False)
    return frozenset(
        number
        for token, number in specials
        if number is not None
        and number != tokenizer.unk_token_id
        and len(token) > 2
        and not token[0].isalnum()
        and not token[-1].isalnum()
    )


def _first_token_id(encoder: Any, token: str | None) -> tuple[int, ...]:
    if token is None:
        return ()
    number = encoder.tokenizer.convert_tokens_to_ids(token)
    if number is None or (
        number == encoder.tokenizer.unk_token_id and token != encoder.tokenizer.unk_token
    ):
        tokenizer = encoder.tokenizer
        known = [t for t in (tokenizer.bos_token, tokenizer.cls_token, tokenizer.eos_token) if t]
        raise SentenceUnsuitableError(
            f"first_token={token!r} is no token of {encoder.name}. "
            + (f"It has {', '.join(map(repr, dict.fromkeys(known)))}." if known else "")
        )
    return (number,)
