"""The nine properties, on sentences whose labels one can read off."""

import numpy as np
import pytest

from whichlayer.corpora import Sentence, load_senses, load_treebank, word_labels
from whichlayer.properties import sense_words, word_properties


@pytest.fixture
def sentence():
    words = ("Yesterday", "she", "quietly", "told", "Kim", "the", "whole", "story", ".")
    labels = {
        "upos": ["NOUN", "PRON", "ADV", "VERB", "PROPN", "DET", "ADJ", "NOUN", "PUNCT"],
        "udeprel": ["obl", "nsubj", "advmod", "root", "iobj", "det", "amod", "obj", "punct"],
        "head": [4, 4, 4, 0, 4, 8, 8, 4, 4],
        "entity": ["O", "O", "O", "O", "person", "O", "O", "O", "O"],
        "role": ["time", "agent", "O", "O", "recipient", "O", "O", "theme", "O"],
    }
    return Sentence(words, labels, id="a", document_id="d")


def test_each_property_of_one_sentence(sentence):
    found = {name: list(labels) for name, labels in word_properties([sentence]).items()}
    assert found == {
        "word length (long?)": [
            "long", "short", "long", "short", "short", "short", "short", "short", "short",
        ],
        "capital": ["capital", "none", "none", "none", "capital", "none", "none", "none", "none"],
        "content or function": [
            "content", "function", "content", "content", "content", "function", "content",
            "content", "function",
        ],
        "part of speech": list(sentence.labels["upos"]),
        "dependency relation": list(sentence.labels["udeprel"]),
        "where the head is": [
            "near right", "near right", "near right", "root", "near left", "near right",
            "near right", "far left", "far left",
        ],
        "named entity": list(sentence.labels["entity"]),
        "semantic role": list(sentence.labels["role"]),
    }  # fmt: skip


def test_a_head_more_than_three_words_to_the_right_is_far(sentence):
    labels = {**sentence.labels, "head": [5, 5, 5, 5, 0, 5, 5, 5, 5]}
    (first, second, *_) = word_properties([Sentence(sentence.words, labels)])["where the head is"]
    assert (first, second) == ("far right", "near right")


def test_positions_begin_anew_with_each_sentence(sentence):
    once, twice = (word_properties([sentence] * n)["where the head is"] for n in (1, 2))
    assert list(twice) == [*once, *once]


def test_every_word_of_the_treebank_has_all_eight():
    treebank = load_treebank("dev")
    found = word_properties(treebank)
    assert len(found) == 8
    assert {len(labels) for labels in found.values()} == {sum(map(len, treebank))}
    assert set(found["where the head is"]) == {
        "root", "far left", "near left", "far right", "near right",
    }  # fmt: skip


def test_sense_words_are_the_ambiguous_ones():
    senses = load_senses()
    at, found, lemmas = sense_words(senses)
    assert len(at) == len(senses) == 528
    assert all(sense.startswith(lemma + ".") for sense, lemma in zip(found, lemmas, strict=True))
    assert len(set(found)) == 24 and len(set(lemmas)) == 12
    assert (np.delete(word_labels(senses, "sense"), at) == "O").all()


def test_a_corpus_without_senses_is_refused():
    with pytest.raises(ValueError, match="No word of these sentences has a sense"):
        sense_words([Sentence(("a",), {"sense": ("O",), "lemma": ("O",)})])
