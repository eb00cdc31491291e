"""Sentences, the toy corpus, CoNLL-U reading, and the download of UD English EWT."""

import copy
import dataclasses
import hashlib
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest

from whichlayer import corpora
from whichlayer.corpora import (
    CorpusFormatError,
    CorpusUnavailableError,
    Sentence,
    load_toy_corpus,
    load_ud_english_ewt,
    read_conllu,
    with_ids,
    word_labels,
)

CONLLU = """# newdoc id = d1
# sent_id = d1-1
# text = Don't stop, vámonos.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp|VerbForm=Fin\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tstop\tstop\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4\t,\t,\tPUNCT\t,\t_\t5\tpunct\t_\t_
5\tvámonos\tir\tVERB\tVB\t_\t3\tparataxis\t_\tSpaceAfter=No
5.1\tnosotros\tnosotros\tPRON\tPRP\t_\t_\t_\t_\t_
6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# sent_id = d1-2
1\tYes\tyes\tINTJ\tUH\t_\t0\troot:x\t_\t_
"""


@pytest.fixture
def file(tmp_path):
    def write(text, name="corpus.conllu"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_sentence_cannot_be_changed():
    sentence = Sentence(["a", "b"], {"upos": ["X", "Y"]}, "s1", "d1")
    assert sentence.words == ("a", "b") and sentence.labels["upos"] == ("X", "Y")
    with pytest.raises(dataclasses.FrozenInstanceError):
        sentence.words = ()
    with pytest.raises(TypeError):
        sentence.labels["upos"] = ()


def test_a_sentence_survives_pickling_copying_and_hashing():
    sentence = Sentence(("a",), {"upos": ("X",)}, "s1", "d1", "a", "dev")
    assert pickle.loads(pickle.dumps(sentence)) == sentence == copy.deepcopy(sentence)
    assert len({sentence, copy.deepcopy(sentence)}) == 1


def test_a_sentence_refuses_a_string_and_labels_of_another_length():
    with pytest.raises(TypeError, match="not one string"):
        Sentence("a b")
    with pytest.raises(ValueError, match="'s1' has 2 words but 1 labels in 'upos'"):
        Sentence(("a", "b"), {"upos": ("X",)}, "s1")


@pytest.mark.parametrize(
    ("words", "labels", "what"),
    [
        (None, {}, "must be a sequence of words, not None .NoneType."),
        (5, {}, "must be a sequence of words, not 5 .int."),
        (["a", None], {}, "Word 1 of sentence 's1' is None .NoneType.. A word is text"),
        ([("dogs", "NOUN")], {}, r"Word 0 of sentence 's1' is \('dogs', 'NOUN'\) .tuple."),
        ([b"a"], {}, "Word 0 of sentence 's1' is b'a' .bytes"),
        (["a", "b"], {"upos": "XY"}, "labels 'upos' of sentence 's1' must be a sequence"),
        (["a"], {"upos": None}, "labels 'upos' of sentence 's1' must be a sequence"),
        (["a"], ["X"], "must map the name of a layer to its labels"),
    ],
)
def test_what_is_no_word_or_no_label_is_named(words, labels, what):
    with pytest.raises(TypeError, match=what):
        Sentence(words, labels, "s1")


@pytest.mark.parametrize("name", ["id", "document_id", "text", "part"])
def test_ids_and_text_are_text(name):
    with pytest.raises(TypeError, match=f"Sentence.{name} must be text, not 3 .int."):
        Sentence(["a"], **{name: 3})


def test_sentences_without_an_id_are_told_apart():
    bare, named = Sentence(["a"]), Sentence(["a"], id="s2", document_id="d")
    found = with_ids([bare, named, bare])
    assert [s.id for s in found] == ["s0", "s2", "s2'"]
    assert [s.document_id for s in found] == ["s0", "d", "s2'"]
    assert found[1] is named and with_ids(found) == found
    assert with_ids([Sentence(["a"], id="s2")])[0].document_id == "s2"


def test_two_different_sentences_with_one_id_are_refused():
    one, other = Sentence(["a"], id="1", text="A!"), Sentence(["b"], id="1")
    assert [s.id for s in with_ids([one, one])] == ["1", "1"]
    with pytest.raises(ValueError, match="have the id '1'.*'A!' and 'b'"):
        with_ids([one, other])


def test_toy_corpus_is_what_the_course_says_it_is():
    corpus = load_toy_corpus()
    tags = word_labels(corpus, "tag")
    assert len(corpus) == 20 and len(tags) == 145
    assert set(tags) == {"NOUN", "VERB", "ADJ", "DET", "PREP", "ADV", "CONJ", "PRON"}
    forms = {(w.lower(), t) for s in corpus for w, t in zip(s.words, s.labels["tag"], strict=True)}
    ambiguous = {w for w, _ in forms if sum(v == w for v, _ in forms) > 1}
    assert ambiguous >= {"light", "long", "watch", "walk", "leaves"}


def test_conllu_multiword_tokens_and_empty_nodes(file):
    first, second = read_conllu(file(CONLLU))
    assert first.words == ("Do", "n't", "stop", ",", "vámonos", ".")
    assert first.labels["head"] == (3, 3, 0, 5, 3, 3)
    assert first.labels["feats"][0] == "Mood=Imp|VerbForm=Fin"
    assert (first.id, first.document_id, first.text) == ("d1-1", "d1", "Don't stop, vámonos.")
    assert second.labels["deprel"] == ("root:x",) and second.labels["udeprel"] == ("root",)
    assert second.document_id == "d1"


def test_conllu_without_a_document_is_named_after_the_file(file):
    text = CONLLU.split("\n", 1)[1]
    assert {s.document_id for s in read_conllu(file(text, "tales.conllu"))} == {"tales"}


def test_conllu_with_windows_line_ends_and_no_last_newline(file):
    windows = read_conllu(file(CONLLU.rstrip().replace("\n", "\r\n")))
    assert windows == read_conllu(file(CONLLU))


def _with_line(number, line):
    lines = CONLLU.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "text", "what"),
    [
        (7, _with_line(7, "3 stop stop VERB VB _ 0 root _ _"), "1 tab-separated columns"),
        (7, _with_line(7, "3\tstop\tstop\tVERB\tVB\t_\tx\troot\t_\t_"), "x"),
        (7, _with_line(7, "x\tstop\tstop\tVERB\tVB\t_\t0\troot\t_\t_"), "x"),
        (7, _with_line(7, "4\tstop\tstop\tVERB\tVB\t_\t0\troot\t_\t_"), "word 4 where 3"),
        (7, _with_line(7, "3\tstop\tstop\tVERB\tVB\t_\t9\troot\t_\t_"), "the head is 9"),
        (7, _with_line(7, "3\tstop\tstop\tVERB\tVB\t_\t_\t_\t_\t_"), "has no HEAD"),
        (7, _with_line(7, "3\tstop\t\tVERB\tVB\t_\t0\troot\t_\t_"), "column LEMMA is empty"),
        (7, _with_line(7, "_\tstop\tstop\tVERB\tVB\t_\t0\troot\t_\t_"), "ID is '_'"),
        (7, _with_line(7, "3\tstop\tstop\tVERB\tVB\t_\t" + "9" * 5000 + "\troot\t_\t_"), "'999"),
        (13, _with_line(13, "# sent_id = d1-1"), "'d1-1' is that of the sentence at line 1"),
        (13, _with_line(14, "# nothing here"), "without words"),
    ],
)
def test_a_malformed_line_is_named_by_file_and_line(file, line, text, what):
    path = file(text)
    with pytest.raises(CorpusFormatError) as error:
        read_conllu(path)
    assert str(error.value).startswith(f"{path}, line {line}:")
    assert what in str(error.value)


def test_a_file_that_is_not_utf8_or_empty(file):
    with pytest.raises(CorpusFormatError, match="line 2: not UTF-8"):
        read_conllu(file(b"# newdoc id = a\n# text = caf\xe9\n"))
    with pytest.raises(CorpusFormatError, match="holds no sentence"):
        read_conllu(file(""))


def test_word_labels_names_the_sentence_and_what_it_has():
    with pytest.raises(KeyError, match="'toy-01' has no labels 'upos'; it has tag"):
        word_labels(load_toy_corpus(), "upos")


@pytest.mark.parametrize(
    ("labels", "error", "what"),
    [
        (["X", None], ValueError, "Word 1 .'b'. of 's1' has no label 'sense', but None"),
        (["X", pd.NA], ValueError, "Word 1 .'b'. of 's1' has no label 'sense', but <NA>"),
        ([1.5, float("nan")], ValueError, "has no label 'sense', but nan"),
        ([pd.NaT, "X"], ValueError, "Word 0 .'a'. of 's1' has no label"),
        ([[1, 2], [3, 4]], ValueError, "Word 0 .'a'. of 's1' has several labels 'sense'"),
        (np.ones((2, 2)), ValueError, "Word 0 .'a'. of 's1' has several labels 'sense'"),
        (["X", 3], TypeError, "Some labels 'sense' are text and others numbers"),
    ],
)
def test_a_word_has_one_label(labels, error, what):
    with pytest.raises(error, match=what):
        word_labels([Sentence(["a", "b"], {"sense": labels}, "s1")], "sense")


def test_labels_keep_their_kind():
    sentence = Sentence(["a", "b"], {"n": np.array([1, 2]), "x": (0.5, 1), "b": (True, False)})
    assert word_labels([sentence], "n").tolist() == [1, 2]
    assert word_labels([sentence], "x").tolist() == [0.5, 1.0]
    assert word_labels([sentence], "b").dtype == bool


def test_ewt_is_the_same_with_other_line_ends_and_a_mark(monkeypatch, tmp_path):
    unix = CONLLU.encode()
    path = tmp_path / "en_ewt-ud-dev.conllu"
    monkeypatch.setenv("WHICHLAYER_DATA", str(tmp_path))
    monkeypatch.setitem(corpora.EWT_SHA256, "dev", hashlib.sha256(unix).hexdigest())
    path.write_bytes(unix)
    expected = load_ud_english_ewt("dev")
    for changed in (unix.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + unix):
        path.write_bytes(changed)
        assert load_ud_english_ewt("dev") == expected
    path.write_bytes(unix.replace(b"stop", b"step"))
    with pytest.raises(CorpusUnavailableError, match="damaged or of another release"):
        load_ud_english_ewt("dev")


def test_all_of_ewt_is_its_parts_each_sentence_knowing_its_own(monkeypatch, tmp_path):
    for part in ("train", "dev", "test"):
        data = CONLLU.replace("d1", part).encode()
        (tmp_path / f"en_ewt-ud-{part}.conllu").write_bytes(data)
        monkeypatch.setitem(corpora.EWT_SHA256, part, hashlib.sha256(data).hexdigest())
    monkeypatch.setenv("WHICHLAYER_DATA", str(tmp_path))
    found = load_ud_english_ewt()
    assert [s.part for s in found] == ["train"] * 2 + ["dev"] * 2 + ["test"] * 2
    assert [s.document_id for s in found] == [s.part for s in found]


def test_ewt_from_a_folder(monkeypatch, ewt_folder):
    monkeypatch.setenv("WHICHLAYER_DATA", str(ewt_folder))
    dev, test = load_ud_english_ewt("dev"), load_ud_english_ewt("test")
    assert (len(dev), sum(map(len, dev))) == (2001, 25147)
    assert (len(test), sum(map(len, test))) == (2077, 25094)
    assert {s.part for s in dev} == {"dev"} and {s.part for s in test} == {"test"}
    assert dev[0].text == "From the AP comes this story :"


def test_ewt_refuses_a_damaged_file(monkeypatch, ewt_folder, tmp_path):
    name = "en_ewt-ud-dev.conllu"
    shutil.copy(ewt_folder / name, tmp_path / name)
    (tmp_path / name).chmod(0o644)
    with (tmp_path / name).open("ab") as f:
        f.write(b"\n")
    monkeypatch.setenv("WHICHLAYER_DATA", str(tmp_path))
    with pytest.raises(CorpusUnavailableError, match="damaged or of another release"):
        load_ud_english_ewt("dev")


def test_ewt_missing_from_the_folder_and_unknown_split(monkeypatch, tmp_path):
    monkeypatch.setenv("WHICHLAYER_DATA", str(tmp_path))
    with pytest.raises(CorpusUnavailableError, match="there is no en_ewt-ud-dev.conllu in it"):
        load_ud_english_ewt("dev")
    with pytest.raises(ValueError, match="no part 'validation'"):
        load_ud_english_ewt("validation")


class _Server:
    """Serves one folder on localhost in the place of the public repository."""

    def __init__(self, folder):
        import functools
        import http.server
        import threading

        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        handler.log_message = lambda *a: None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def served(tmp_path, monkeypatch):
    """EWT_URL points at a folder of ours, and the cache at an empty one."""
    repository = tmp_path / "repository" / corpora.EWT_COMMIT
    repository.mkdir(parents=True)
    server = _Server(tmp_path / "repository")
    monkeypatch.setattr(corpora, "EWT_URL", server.url)
    monkeypatch.setattr(corpora.pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.delenv("WHICHLAYER_DATA", raising=False)
    yield repository
    server.server.shutdown()


def test_ewt_is_downloaded_once(served, monkeypatch, tmp_path):
    data = CONLLU.encode()
    (served / "en_ewt-ud-dev.conllu").write_bytes(data)
    monkeypatch.setitem(corpora.EWT_SHA256, "dev", hashlib.sha256(data).hexdigest())
    assert len(load_ud_english_ewt("dev")) == 2
    (served / "en_ewt-ud-dev.conllu").unlink()
    assert len(load_ud_english_ewt("dev")) == 2  # from the cache now


def test_a_damaged_download_is_refused_and_not_kept(served, tmp_path):
    (served / "en_ewt-ud-dev.conllu").write_bytes(CONLLU.encode()[:200])
    with pytest.raises(CorpusUnavailableError, match="what came is damaged"):
        load_ud_english_ewt("dev")
    assert not list((tmp_path / "cache").rglob("*.conllu"))


def test_no_connection_says_how_to_go_on(served, monkeypatch):
    monkeypatch.setattr(corpora, "EWT_URL", "http://127.0.0.1:9")
    with pytest.raises(CorpusUnavailableError, match="no connection.*WHICHLAYER_DATA"):
        load_ud_english_ewt("dev")
