"""The course's own treebank and sense file: valid, sound, varied, and hard enough to measure on."""

import collections
import itertools
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import conllu
import describe_treebank
import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from whichlayer.corpora import load_senses, load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.probing import Split, probe_layers

SPLITS = ("train", "dev", "test")
FOLDER = Path(str(resources.files("whichlayer") / "data" / "treebank"))


@pytest.fixture(scope="module")
def sentences():
    return load_treebank()


@pytest.fixture(scope="module")
def treebank(sentences):
    return {split: [s for s in sentences if s.part == split] for split in SPLITS}


@pytest.fixture(scope="module")
def parsed():
    """Every sentence with its full annotation, by split."""
    return {
        split: conllu.parse((FOLDER / f"{split}.conllu").read_text(encoding="utf-8"))
        for split in SPLITS
    }


def words_of(sentence):
    return [token for token in sentence if isinstance(token["id"], int)]


def documents(parsed):
    """(split, document id, genre, sentences) of every document."""
    found = []
    for split in SPLITS:
        for sentence in parsed[split]:
            about = sentence.metadata
            if "newdoc id" in about:
                found.append((split, about["newdoc id"], about["meta::genre"], []))
            found[-1][3].append(sentence)
    return found


def mentions(sentence):
    """(entity, type, form, first word, last word) of every mention in one sentence."""
    open_, out = [], []
    for token in words_of(sentence):
        closing = []
        for bracket in re.findall(
            r"\([^()]+\)?|[^()]+\)", (token["misc"] or {}).get("Entity") or ""
        ):
            if bracket.startswith("("):
                name, kind, head, form = bracket.strip("()").split("-")
                open_.append((name, kind, int(head), form, token["id"]))
            if bracket.endswith(")"):
                closing.append(bracket.strip("()").split("-")[0])
        for name in closing:
            at = max(i for i, m in enumerate(open_) if m[0] == name)
            name, kind, head, form, first = open_.pop(at)
            assert 1 <= head <= token["id"] - first + 1
            out.append((name, kind, form, first, token["id"]))
    assert not open_, sentence.metadata["sent_id"]
    return out


@pytest.mark.parametrize("split", SPLITS)
def test_the_official_validator_finds_no_error(split):
    command = [
        str(Path(sys.executable).with_name("udvalidate")),
        "--lang", "en", "--level", "5", "--coref", "--max-err", "0", str(FOLDER / f"{split}.conllu"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "PASSED" in done.stdout + done.stderr


def test_all_sentences_are_the_parts_one_after_another_each_knowing_its_own(sentences):
    assert sentences == load_treebank("train") + load_treebank("dev") + load_treebank("test")
    assert [s.part for s in sentences] == sorted((s.part for s in sentences), key=SPLITS.index)
    for split in SPLITS:
        in_file = (FOLDER / f"{split}.conllu").read_text(encoding="utf-8").count("# sent_id")
        assert {s.part for s in load_treebank(split)} == {split}
        assert sum(s.part == split for s in sentences) == in_file
    assert len({s.id for s in sentences}) == len(sentences)
    with pytest.raises(ValueError, match="no part 'validation'"):
        load_treebank("validation")


def test_size_and_sentence_length(sentences):
    lengths = np.array([len(s) for s in sentences])
    assert len(sentences) >= 640 and lengths.sum() >= 8500
    assert len({s.document_id for s in sentences}) >= 40
    assert 12 <= lengths.mean() <= 18
    assert (lengths > 35).sum() >= 5


def test_splits_are_by_document_in_about_60_15_25_and_hold_many_genres(parsed, treebank):
    where, genres = collections.defaultdict(set), collections.defaultdict(set)
    for split, document, genre, _ in documents(parsed):
        where[document].add(split)
        genres[split].add(genre)
    assert all(len(found) == 1 for found in where.values())
    assert len(genres["train"]) >= 14 and len(genres["dev"]) >= 7 and len(genres["test"]) >= 12
    words = {split: sum(map(len, treebank[split])) for split in SPLITS}
    shares = {split: words[split] / sum(words.values()) for split in SPLITS}
    assert 0.55 < shares["train"] < 0.65
    assert 0.11 < shares["dev"] < 0.19
    assert 0.21 < shares["test"] < 0.29


def test_no_sentence_stands_twice_and_few_are_built_alike(sentences):
    texts = [s.text.lower() for s in sentences if len(s) > 3]
    assert len(set(texts)) == len(texts)
    patterns = [s.labels["upos"] for s in sentences if len(s) > 5]
    counts = collections.Counter(patterns)
    alike = sum(n for n in counts.values() if n > 1)
    assert alike / len(sentences) <= 0.02


def test_vocabulary_is_varied_and_ambiguous(treebank, sentences):
    tags = collections.defaultdict(set)
    for s in sentences:
        for word, tag in zip(s.words, s.labels["upos"], strict=True):
            tags[word.lower()].add(tag)
    assert len(tags) >= 2300
    assert sum(len(found) > 1 for found in tags.values()) >= 150
    known = {w.lower() for s in treebank["train"] for w in s.words}
    test_words = [w.lower() for s in treebank["test"] for w in s.words]
    assert np.mean([w not in known for w in test_words]) >= 0.20


def test_every_tree_is_a_tree(sentences):
    for s in sentences:
        heads = s.labels["head"]
        assert heads.count(0) == 1, s.id
        for word in range(1, len(s) + 1):
            seen = set()
            while word:
                assert word not in seen, s.id
                seen.add(word)
                word = heads[word - 1]


def test_text_is_the_words_with_their_spacing(sentences):
    for s in sentences:
        assert s.text.replace(" ", "") == "".join(s.words).replace(" ", ""), s.id


def test_entities_coreference_and_roles_are_sound_and_many(parsed):
    named = pairs = roles = 0
    for _, _, _, document in documents(parsed):
        types, clusters = {}, collections.Counter()
        for sentence in document:
            words = words_of(sentence)
            for entity, kind, form, first, last in mentions(sentence):
                assert 1 <= first <= last <= len(words)
                assert types.setdefault(entity, kind) == kind
                named += form == "named"
                # a pronoun or nominal mention and what it points back to
                pairs += form != "named" and clusters[entity] > 0
                clusters[entity] += 1
            verbs = {t["id"] for t in words if t["upos"] == "VERB"}
            for token in words:
                for pair in filter(None, ((token["misc"] or {}).get("Role") or "").split(",")):
                    predicate, role = pair.split(":")
                    assert int(predicate) in verbs and int(predicate) != token["id"]
                    assert re.fullmatch(r"ARG[0-5]|ARGM-[A-Z]{3}", role), role
                    roles += 1
    assert named >= 500 and pairs >= 350 and roles >= 1000, (named, pairs, roles)


def test_word_level_layers_agree_with_the_brackets(parsed, treebank):
    for split in SPLITS:
        for tree, s in zip(parsed[split], treebank[split], strict=True):
            expected = ["O"] * len(s)
            for _, kind, form, first, last in sorted(mentions(tree), key=lambda m: m[3] - m[4]):
                if form == "named":
                    expected[first - 1 : last] = [kind] * (last - first + 1)
            assert list(s.labels["entity"]) == expected, s.id


@pytest.fixture(scope="module")
def profiles(minilm, sentences):
    """UPOS and relation probed: trained on train, tested on test."""
    activations, split = extract(minilm, sentences), Split.of(sentences)
    return {
        layer: probe_layers(
            activations, word_labels(sentences, layer), split=split, control_labelings=0
        )
        for layer in ("upos", "udeprel")
    }


def test_the_layer_profile_has_the_shape_that_it_has_on_real_text(profiles):
    upos, relation = profiles["upos"], profiles["udeprel"]
    assert upos.best in (1, 2, 3) and relation.best >= upos.best
    for result in (upos, relation):
        low, _ = result.accuracy_interval[result.best]
        for other in (0, result.accuracy.size - 1):
            assert other not in result.not_worse_than_best
            assert low > result.accuracy[other]
    assert upos.accuracy.max() < 0.975 and upos.lookup < 0.90


@pytest.fixture(scope="module")
def senses():
    groups = collections.defaultdict(list)
    for s in load_senses():
        (at,) = [i for i, sense in enumerate(s.labels["sense"]) if sense != "O"]
        groups[s.labels["lemma"][at]].append((s, at, s.labels["sense"][at]))
    return groups


def test_twelve_words_with_twenty_sentences_a_sense(senses):
    assert len(senses) == 12
    for lemma, examples in senses.items():
        counts = collections.Counter(sense for _, _, sense in examples)
        assert len(counts) >= 2 and min(counts.values()) >= 20, (lemma, counts)
        for s, at, _ in examples:
            assert s.words[at].lower().startswith(lemma[:3]), s.id
    texts = [s.text for examples in senses.values() for s, _, _ in examples]
    assert len(set(texts)) == len(texts)


# What may return: scikit-learn's function words, clitics, and marks.
FUNCTION_WORDS = ENGLISH_STOP_WORDS | {"n't", "'s", "did", "didn't", "does", "don't"}


def test_no_content_word_returns_within_a_sense(senses):
    for examples in senses.values():
        by_sense = collections.defaultdict(collections.Counter)
        for s, at, sense in examples:
            content = {w.lower() for i, w in enumerate(s.words) if i != at and w[0].isalpha()}
            by_sense[sense].update(content - FUNCTION_WORDS)
        for sense, counts in by_sense.items():
            (word, n), = counts.most_common(1)  # fmt: skip
            assert n <= 3, f"{word!r} stands in {n} sentences of {sense}"


def _cue_accuracy(examples, texts):
    model = make_pipeline(CountVectorizer(binary=True, token_pattern=r"\S+"), MultinomialNB())
    truth = [sense for _, _, sense in examples]
    return cross_val_score(model, texts, truth, cv=LeaveOneOut()).mean()


def test_no_sense_is_told_by_a_cue_word(senses):
    sentence, window = [], []
    for examples in senses.values():
        rest = [" ".join(w for i, w in enumerate(s.words) if i != at) for s, at, _ in examples]
        near = [
            " ".join(f"{i - at}:{s.words[i]}" for i in (at - 1, at + 1) if 0 <= i < len(s.words))
            for s, at, _ in examples
        ]
        sentence.append(_cue_accuracy(examples, rest))
        window.append(_cue_accuracy(examples, near))
    assert np.mean(sentence) < 0.50, sentence
    assert np.mean(window) < 0.50, window


def test_senses_use_the_target_alike(senses):
    """Neither the place in the sentence nor the number gives a sense away."""
    for lemma, examples in senses.items():
        place = collections.defaultdict(list)
        for s, at, sense in examples:
            place[sense].append(at / len(s.words))
        for a, b in itertools.combinations(place.values(), 2):
            assert abs(np.mean(a) - np.mean(b)) < 0.2, lemma


def test_the_page_reports_the_counts_of_the_files():
    treebank = describe_treebank.read()
    page = describe_treebank.PAGE.read_text(encoding="utf-8")
    assert describe_treebank.insert(page, describe_treebank.table(treebank)) == page
    assert "<!-- counts -->\n| count of |" in page
