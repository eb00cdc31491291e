"""Each word's subwords are those that cover its characters in running text, for every tokenizer."""

from types import SimpleNamespace

import numpy as np
import pytest
import tiny_encoders
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from whichlayer.corpora import Sentence
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.tokenization import (
    EncoderError,
    SentenceUnsuitableError,
    TokenizerUnsuitableError,
    align,
    minds_blanks,
    tokenize,
)

WORDS = st.lists(
    st.one_of(
        st.sampled_from(["The", "fox", "n't", "e-mails", ",", ".", "café", "日本語", "😀", "1999"]),
        st.text(
            st.characters(blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Mn", "Cn", "Cf")),
            min_size=1,
            max_size=6,
        ),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module", params=tiny_encoders.TOKENIZERS)
def tokenizer(request):
    return tiny_encoders.TOKENIZERS[request.param]()


def encoder_with(tokenizer, minds=True, rows=None, limit=100):
    """What tokenize() reads of an encoder."""
    audition = SimpleNamespace(minds_blanks=minds, embedding_rows=rows)
    return SimpleNamespace(tokenizer=tokenizer, name="tiny", audition=audition, max_length=limit)


def positions(words, text):
    """Where the words stand in a text, counted out by hand."""
    out, at = [], 0
    for word in words:
        at = text.index(word, at)
        out.append((at, at + len(word)))
        at += len(word)
    return out


@settings(max_examples=40, deadline=None)
@given(words=WORDS, blanks=st.lists(st.sampled_from(["", " "]), min_size=12, max_size=12))
@pytest.mark.parametrize("feed", ["words", "text"])
def test_a_words_subwords_are_those_that_cover_its_characters(tokenizer, words, blanks, feed):
    joined = " ".join(words)
    text = "".join(w + b for w, b in zip(words, blanks, strict=False)).strip()
    sentence = Sentence(tuple(words), id="x", text=text)
    read = joined if feed == "words" else text
    expected = tokenizer(read, return_offsets_mapping=True, return_special_tokens_mask=True)
    try:
        (found,) = tokenize(encoder_with(tokenizer), [sentence], feed=feed)
    except SentenceUnsuitableError as error:
        assert "makes no subword of" in str(error)  # without bytes or an unknown token
        return
    assert [*found.before, *found.ids, *found.after] == expected["input_ids"]
    n = len(found.before)
    for (start, stop), (first, last) in zip(positions(words, read), found.spans, strict=True):
        cover = [
            i
            for i, (a, b) in enumerate(expected["offset_mapping"])
            if a < stop and b > start and not expected["special_tokens_mask"][i]
        ]
        assert (first + n, last + n) == (cover[0], cover[-1])


@settings(max_examples=100, deadline=None)
@given(words=WORDS, blanks=st.lists(st.text(" \t\n\u00a0", max_size=3), min_size=13, max_size=13))
def test_words_are_found_in_a_text_with_any_blanks(words, blanks):
    text, spans = blanks[12], []
    for word, blank in zip(words, blanks, strict=False):
        spans.append((len(text), len(text) + len(word)))
        text += word + blank
    assert align(words, text) == spans
    assert align(words, text + "z") is None
    assert align([*words, "z"], text) is None


def test_who_minds_blanks():
    minds = {name: minds_blanks(make()) for name, make in tiny_encoders.TOKENIZERS.items()}
    careless = {"wordpiece", "wordpiece, cased"}
    assert {name for name, minded in minds.items() if not minded} == careless


def test_text_is_fed_where_blanks_matter_and_it_is_the_words():
    tokenizer = tiny_encoders.byte_level()
    whole = Sentence(("She", "said", ":", "do", "n't"), id="a", text="She said: don't")
    other = Sentence(("She", "said"), id="b", text="She has said")

    def ids(text):
        return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])

    def fed(minds, feed="auto"):
        encoder = encoder_with(tokenizer, minds)
        return [subwords.ids for subwords in tokenize(encoder, [whole, other], feed=feed)]

    assert fed(True) == [ids("She said: don't"), ids("She said")]
    assert fed(False) == fed(True, "words") == [ids("She said : do n't"), ids("She said")]
    with pytest.raises(SentenceUnsuitableError, match="text of sentence 'b' .* isn't its words"):
        fed(True, "text")


def test_a_special_token_in_a_text_is_text_or_refused():
    wordpiece = encoder_with(tiny_encoders.wordpiece(), False)
    (found,) = tokenize(wordpiece, [Sentence(("a", "[SEP]", "b"), id="x")])
    sep = wordpiece.tokenizer.sep_token_id
    assert sep not in found.ids and found.after == (sep,) and found.spans[1][1] > found.spans[1][0]
    words = encoder_with(tiny_encoders.whole_words())
    with pytest.raises(SentenceUnsuitableError, match=r"Word 1 .* would become the special token"):
        list(tokenize(words, [Sentence(("fox", "[SEP]", "dog"), id="x")]))


def test_special_tokens_come_from_the_template_even_where_they_occur_as_text():
    """A full stop that ends each input is cut off neither too often nor too seldom."""
    tokenizer = tiny_encoders.whole_words(single="[CLS] $A [SEP] [SEP]")
    (found,) = tokenize(encoder_with(tokenizer), [Sentence((".", "fox", "."), id="x")])
    assert len(found.before) == 1 and len(found.after) == 2 and len(found.ids) == 3
    stop = tokenizer.convert_tokens_to_ids(".")
    tokenizer = tiny_encoders.whole_words(single="[CLS] $A .")
    (found,) = tokenize(encoder_with(tokenizer), [Sentence((".", "fox", "."), id="x")])
    assert found.ids == (stop, tokenizer.convert_tokens_to_ids("fox"), stop)
    assert found.after == (stop,) and found.spans == ((0, 0), (1, 1), (2, 2))


def test_a_word_without_a_subword_and_no_unknown_token():
    tokenizer = tiny_encoders.byte_level({"bos": "<s>"}, "<s> $A")
    sentence = Sentence(("fox", "  ", "dog"), id="x")
    for no_subword in ("error", "unknown"):
        with pytest.raises(SentenceUnsuitableError, match="has no unknown token to stand in"):
            list(tokenize(encoder_with(tokenizer), [sentence], no_subword=no_subword))


def test_an_unknown_token_stands_in_where_the_word_was():
    tokenizer = tiny_encoders.wordpiece()
    words = ("\u00ad", "fox", "", "\u200b", "dog", " ")
    encoder = encoder_with(tokenizer, False)
    (found,) = tokenize(encoder, [Sentence(words, id="x")], no_subword="unknown")
    unknown = tokenizer.unk_token_id
    assert [found.ids[a] == unknown for a, _ in found.spans] == [1, 0, 1, 1, 0, 1]
    starts = [a for a, _ in found.spans]
    assert starts == sorted(set(starts))
    kept = [i for i in found.ids if i != unknown]
    assert kept == tokenizer("fox dog", add_special_tokens=False)["input_ids"]


def test_a_subword_without_an_embedding_is_named():
    tokenizer = tiny_encoders.wordpiece()
    rows = len(tokenizer)
    tokenizer.add_tokens(["zebra"])
    encoder = encoder_with(tokenizer, False, rows)
    assert len(list(tokenize(encoder, [Sentence(("fox",), id="x")]))) == 1
    with pytest.raises(TokenizerUnsuitableError, match="'zebra' .in sentence 'x'. the number"):
        list(tokenize(encoder, [Sentence(("fox", "zebra"), id="x")]))
    assert issubclass(TokenizerUnsuitableError, EncoderError)


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny-llama")
    return tiny_encoders.save(folder, "llama", tiny_encoders.metaspace())


def run_by_hand(encoder, ids):
    with torch.no_grad():
        states = encoder.model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    return torch.cat(states).numpy()


def test_a_first_token_stands_before_each_input(llama):
    encoder = load_encoder(llama)
    ids = encoder.tokenizer("the fox")["input_ids"]
    with_eos = run_by_hand(encoder, [encoder.tokenizer.eos_token_id, *ids])
    found = extract(encoder, [["the", "fox"]], first_token="</s>").vectors
    assert np.allclose(found[:, 0], with_eos[:, 2], atol=1e-5)
    plain = extract(encoder, [["the", "fox"]]).vectors
    assert not np.allclose(found, plain, atol=1e-2)
    assert (extract(encoder, [["the", "fox"]], first_token="<s>").vectors == plain).all()
    with pytest.raises(SentenceUnsuitableError, match="no token of .* It has '<s>', '</s>'"):
        extract(encoder, [["the"]], first_token="<nothing>")


def test_a_document_stands_before_its_sentences_as_far_as_it_fits(llama):
    encoder = load_encoder(llama)
    texts = ["The fox jumps.", "She said: don't!", "The lazy dog."] * 8
    words = [("The", "fox", "jumps", "."), ("She", "said", ":", "do", "n't", "!")]
    words = [*words, ("The", "lazy", "dog", ".")] * 8
    document = [
        Sentence(w, id=f"s{i}", document_id="d", text=t)
        for i, (w, t) in enumerate(zip(words, texts, strict=True))
    ]
    alone = Sentence(("The", "dog", "."), id="x", document_id="e", text="The dog.")
    found = extract(encoder, [*document, alone], context="document")
    row = 0
    for i, sentence in enumerate(document):
        text = " ".join(texts[: i + 1])
        before = len(text) - len(texts[i])
        encoded = encoder.tokenizer(text, return_offsets_mapping=True)
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        cut = max(0, len(ids) - encoder.max_length)
        ids, offsets = [ids[0], *ids[1 + cut :]], [offsets[0], *offsets[1 + cut :]]
        states = run_by_hand(encoder, ids)
        for start, stop in positions(sentence.words, texts[i]):
            a, b = before + start, before + stop
            at = next(k for k, (p, q) in enumerate(offsets) if p < b and q > a)
            assert np.allclose(found.vectors[:, row], states[:, at], atol=1e-4), (i, sentence)
            row += 1
    assert cut > 20  # the last ones did not fit whole
    assert np.allclose(found.vectors[:, row:], extract(encoder, [alone]).vectors, atol=1e-5)
