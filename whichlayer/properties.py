"""The nine properties of words that the course probes, from a word's form to its sense."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whichlayer.corpora import Sentence, word_labels

# Parts of speech that carry content, as Universal Dependencies names them.
CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV")


# The ninth.
SENSE = "word sense"


def word_properties(sentences: Sequence[Sentence]) -> dict[str, np.ndarray]:
    """Eight properties of every word of an annotated corpus.

    Args:
        sentences: with the labels ``upos``, ``udeprel``, ``head``, ``entity`` and ``role``, such
            as :func:`~whichlayer.corpora.load_treebank` gives them.

    Returns:
        Name -> (words,), text, in the order in which a word's form says less and less of it:
        ``"word length (long?)"`` (more than five letters), ``"capital"`` (the first letter),
        ``"content or function"``, ``"part of speech"``, ``"dependency relation"`` (without its
        subtype), ``"where the head is"`` (root; near, up to three words away, or far; to the left
        or to the right), ``"named entity"`` and ``"semantic role"``.

    Raises:
        KeyError: a sentence lacks one of these labels.
    """
    words = [word for sentence in sentences for word in sentence.words]
    tags = word_labels(sentences, "upos")
    return {
        "word length (long?)": np.where([len(word) > 5 for word in words], "long", "short"),
        "capital": np.where([word[0].isupper() for word in words], "capital", "none"),
        "content or function": np.where(np.isin(tags, CONTENT), "content", "function"),
        "part of speech": tags,
        "dependency relation": word_labels(sentences, "udeprel"),
        "where the head is": _where_heads_are(sentences),
        "named entity": word_labels(sentences, "entity"),
        "semantic role": word_labels(sentences, "role"),
    }


def _where_heads_are(sentences: Sequence[Sentence]) -> np.ndarray:
    heads = word_labels(sentences, "head")
    position = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in sentences])
    distance = heads - position  # below 0: the head is to the left
    return np.select(
        [heads == 0, distance < -3, distance < 0, distance > 3],
        ["root", "far left", "near left", "far right"],
        "near right",
    )


def sense_words(sentences: Sequence[Sentence]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ninth property: the ambiguous words of a corpus, with their senses.

    Args:
        sentences: with the labels ``lemma`` and ``sense``, as
            :func:`~whichlayer.corpora.load_senses` gives them.

    Returns:
        Indices of the ambiguous words, their senses, and their lemmas: (ambiguous words,) each.

    Raises:
        KeyError: a sentence lacks these labels. ValueError: no word has a sense.
    """
    senses = word_labels(sentences, "sense")
    at = np.flatnonzero(senses != "O")
    if not len(at):
        raise ValueError("No word of these sentences has a sense.")
    return at, senses[at], word_labels(sentences, "lemma")[at]
