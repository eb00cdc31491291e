"""Every word gets its own vector, whatever the tokenizer, the batch and the length."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from whichlayer.corpora import Sentence
from whichlayer.extraction import Activations, extract, extract_sentences
from whichlayer.models import load_encoder

HARD = [
    ["Mr.", "Oduya", "did", "n't", "re-open", "the", "follow", "-", "up", "case", "."],
    [
        "$",
        "12.50",
        ",",
        "e-mail",
        "me",
        "(",
        "a.m.",
        ")",
        "\u2014",
        "naïve",
        "CAFÉ",
        "日本語",
        "😀",
    ],
    ["x"],
    ["unbelievably", "antidisestablishmentarianism", "'s", "''", "``", "..."],
]


@pytest.fixture(params=["minilm", "bert_folder", "roberta_folder", "llama_folder"])
def any_encoder(request):
    value = request.getfixturevalue(request.param)
    return value if request.param == "minilm" else load_encoder(value)


def by_hand(encoder, words, pooling):
    """One sentence, alone, from running text: the subwords that cover a word's characters."""
    text = " ".join(words)
    inputs = encoder.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = encoder.model(**inputs, output_hidden_states=True).hidden_states
    out = []
    for state in states:
        rows, start = [], 0
        for word in words:
            stop = start + len(word)
            at = [i for i, (a, b) in enumerate(offsets) if a < stop and b > start]
            picked = {"first": at[:1], "last": at[-1:], "mean": at}[pooling]
            rows.append(state[0, picked].float().mean(0).numpy())
            start = stop + 1
        out.append(np.stack(rows))
    return np.stack(out)


@pytest.mark.parametrize("pooling", ["first", "last", "mean"])
def test_vectors_are_those_of_the_encoder_by_hand(any_encoder, pooling):
    sentences = [words[:8] for words in HARD]
    activations = extract(any_encoder, sentences, pooling)
    assert activations.vectors.shape == (
        any_encoder.num_states, sum(map(len, sentences)), any_encoder.hidden_size,
    )  # fmt: skip
    assert activations.vectors.dtype == np.float32
    expected = np.concatenate([by_hand(any_encoder, s, pooling) for s in sentences], axis=1)
    assert np.allclose(activations.vectors, expected, atol=1e-5)


def test_words_labels_and_vectors_stay_together(any_encoder):
    """Layer 0 of a word of one subword shows its identity, so a shift would show."""
    activations = extract(any_encoder, HARD)
    assert activations.words == tuple(w for s in HARD for w in s)
    assert activations.sentence_ids == tuple(f"s{i}" for i, s in enumerate(HARD) for _ in s)
    for row in range(3):
        alone = extract(any_encoder, [HARD[0][: row + 1]]).vectors[0, row]
        assert np.allclose(activations.vectors[0, row], alone, atol=1e-5)


@pytest.mark.parametrize("batch_size", [1, 2, 7, 100])
def test_batch_size_order_and_neighbours_do_not_matter(any_encoder, toy_corpus, batch_size):
    sentences = [[w.lower() for w in s.words] for s in toy_corpus[:10]] + [s[:6] for s in HARD]
    expected = extract(any_encoder, sentences, batch_size=3)
    assert np.allclose(
        extract(any_encoder, sentences, batch_size=batch_size).vectors, expected.vectors, atol=1e-5
    )
    backwards = extract(any_encoder, sentences[::-1], batch_size=batch_size)
    at, ends = 0, np.cumsum([len(s) for s in sentences])
    for sentence, end in list(zip(sentences, ends, strict=True))[::-1]:
        found = backwards.vectors[:, at : at + len(sentence)]
        assert np.allclose(found, expected.vectors[:, end - len(sentence) : end], atol=1e-5)
        at += len(sentence)


def test_half_precision_weights_give_float32_vectors(bert_folder):
    exact = extract(load_encoder(bert_folder), HARD).vectors
    for dtype in (torch.bfloat16, torch.float16):
        rough = extract(load_encoder(bert_folder, dtype=dtype), HARD, pooling="mean").vectors
        assert rough.dtype == np.float32 and np.isfinite(rough).all()
    rough = extract(load_encoder(bert_folder, dtype=torch.bfloat16), HARD).vectors
    assert 1e-4 < np.abs(rough - exact).max() < 0.2


def test_token_types_of_a_single_sentence_are_zero(minilm):
    inputs = minilm.tokenizer(["one", "two"], is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        zeros = minilm.model(**{**inputs, "token_type_ids": torch.zeros_like(inputs["input_ids"])})
    assert np.allclose(
        extract(minilm, [["one", "two"]]).vectors[-1], zeros.last_hidden_state[0, 1:3], atol=1e-5
    )


def test_a_plain_string_is_refused(minilm):
    for function in (extract, extract_sentences):
        with pytest.raises(TypeError, match="Sentence 1 is a plain string. Pass its words"):
            function(minilm, [["fine"], "not fine"])


def test_empty_corpus_and_empty_sentence_are_named(minilm):
    with pytest.raises(ValueError, match="no sentences"):
        extract(minilm, [])
    with pytest.raises(ValueError, match="'b' .number 1. has no words"):
        extract(minilm, [Sentence(("a",), id="a"), Sentence((), id="b")])


@pytest.mark.parametrize("word", ["", " ", "\u00ad", "\u200b", "\x00"])
def test_a_word_without_a_subword_is_named_and_never_shifts(minilm, word):
    sentence = Sentence(("a", word, "b"), id="odd")
    with pytest.raises(ValueError, match="no subword of word 1 .* of sentence 'odd'"):
        extract(minilm, [sentence])
    replaced = extract(minilm, [sentence], no_subword="unknown").vectors
    ids = minilm.tokenizer.convert_tokens_to_ids(["[CLS]", "a", "[UNK]", "b", "[SEP]"])
    with torch.no_grad():
        states = minilm.model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    assert np.allclose(replaced, torch.cat(states)[:, 1:4].numpy(), atol=1e-5)


def test_a_sentence_too_long_is_named(bert_folder):
    encoder = load_encoder(bert_folder)
    with pytest.raises(ValueError, match="'long' is too long .* takes 62 subwords .* it has 70"):
        extract(encoder, [Sentence(("the",) * 70, id="long")])
    with pytest.raises(ValueError, match="word 1 .* alone has"):
        extract(encoder, [["the", "o" * 90]], too_long="window")


def test_exactly_the_longest_input_fits(bert_folder):
    encoder = load_encoder(bert_folder)
    assert len(extract(encoder, [["the"] * 62])) == 62


@pytest.mark.parametrize("n", [63, 70, 124, 200, 333])
def test_windows_give_every_word_a_vector_with_context(bert_folder, n):
    encoder = load_encoder(bert_folder)
    words = [TEXT_WORDS[i % len(TEXT_WORDS)] for i in range(n)]
    activations = extract(encoder, [words, ["the", "fox"]], too_long="window")
    assert activations.words == (*words, "the", "fox")
    assert np.isfinite(activations.vectors).all() and (activations.vectors != 0).any(axis=-1).all()
    # layer 0 shows the word's identity: it must be nearer to its own word elsewhere than to others
    subword = [encoder.tokenizer([w], is_split_into_words=True, add_special_tokens=False)["input_ids"][0] for w in words]  # fmt: skip
    table = encoder.model.embeddings.word_embeddings.weight.numpy()
    similarity = activations.vectors[0, :n] @ (table - table.mean(0)).T
    top = np.argsort(-similarity, axis=1)[:, :3]
    assert np.mean([s in t for s, t in zip(subword, top, strict=True)]) > 0.9


TEXT_WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "lazy",
    "dog",
    "back",
    "stories",
    "about",
]


def test_windows_leave_short_sentences_as_they_were(bert_folder):
    encoder = load_encoder(bert_folder)
    plain = extract(encoder, [["the", "fox"]]).vectors
    assert np.allclose(extract(encoder, [["the", "fox"]], too_long="window").vectors, plain)


@pytest.mark.parametrize(
    "options", [{"pooling": "cls"}, {"too_long": "cut"}, {"no_subword": "skip"}, {"batch_size": 0}]
)
def test_unknown_options_are_named(minilm, options):
    with pytest.raises(ValueError, match=f"{next(iter(options))}="):
        extract(minilm, [["a"]], **options)


def test_save_load_and_memory_map(minilm, toy_corpus, tmp_path):
    activations = extract(minilm, toy_corpus)
    activations.save(tmp_path / "a")
    for memory_map in (False, True):
        loaded = Activations.load(tmp_path / "a", memory_map=memory_map)
        assert isinstance(loaded.vectors, np.memmap) == memory_map
        assert (loaded.vectors == activations.vectors).all()
        assert loaded.words == activations.words and loaded.document_ids == activations.document_ids
        assert (loaded.encoder, loaded.pooling) == ("minilm", "first")
    np.load(tmp_path / "a" / "vectors.npy", allow_pickle=False)
    json.loads((tmp_path / "a" / "words.json").read_text(encoding="utf-8"))


def test_nothing_is_overwritten_and_a_missing_folder_is_named(minilm, tmp_path):
    extract(minilm, [["a"]]).save(tmp_path / "a")
    with pytest.raises(FileExistsError, match="is not overwritten"):
        extract(minilm, [["b"]], to=tmp_path / "a")
    assert Activations.load(tmp_path / "a").words == ("a",)
    with pytest.raises(FileNotFoundError, match="holds no activations"):
        Activations.load(tmp_path / "none")


def test_extraction_to_disk_gives_the_same(minilm, toy_corpus, tmp_path):
    on_disk = extract(minilm, toy_corpus, to=tmp_path / "sub" / "toy", batch_size=4)
    assert isinstance(on_disk.vectors, np.memmap)
    assert np.allclose(on_disk.vectors, extract(minilm, toy_corpus).vectors, atol=1e-5)
    assert sorted(p.name for p in (tmp_path / "sub").iterdir()) == ["toy"]


@pytest.fixture
def deep_folder(minilm, tmp_path):
    """As many numbers a word as MiniLM's seven states, made in a fraction of the time."""
    config = BertConfig(
        vocab_size=len(minilm.tokenizer), hidden_size=128, num_hidden_layers=20,
        num_attention_heads=1, intermediate_size=128, max_position_embeddings=512,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BertModel(config).save_pretrained(tmp_path / "deep")
    minilm.tokenizer.save_pretrained(tmp_path / "deep")
    return tmp_path / "deep"


def test_memory_stays_flat_as_a_corpus_on_disk_grows(ewt_folder, deep_folder, tmp_path):
    """Eight times the words, and the peak may grow by the word list but not by the vectors."""
    script = (
        "import resource, sys; from whichlayer.corpora import load_ud_english_ewt;"
        "from whichlayer.extraction import extract; from whichlayer.models import load_encoder;"
        "n, to = int(sys.argv[1]), sys.argv[2];"
        "e = load_encoder(sys.argv[3]); s = load_ud_english_ewt('dev');"
        "extract(e, s[:200], progress=False); a = extract(e, s[:n], to=to, progress=False);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, a.vectors.nbytes / 2**20)"
    )
    peaks, sizes = [], []
    for n in (200, 1600):
        done = subprocess.run(
            [sys.executable, "-c", script, str(n), str(tmp_path / str(n)), str(deep_folder)],
            capture_output=True, text=True, check=True,
            env={**os.environ, "WHICHLAYER_DATA": str(ewt_folder)},
        )  # fmt: skip
        peak, size = map(float, done.stdout.split())
        peaks.append(peak)
        sizes.append(size)
    assert sizes[1] - sizes[0] > 150
    assert peaks[1] - peaks[0] < 0.5 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_sentence_vectors_ignore_padding(minilm, toy_corpus, pooling):
    together = extract_sentences(minilm, toy_corpus, pooling)
    assert together.shape == (7, 20, 384) and together.dtype == np.float32
    for i, sentence in enumerate(toy_corpus[:5]):
        inputs = minilm.tokenizer(
            list(sentence.words), is_split_into_words=True, return_tensors="pt"
        )
        with torch.no_grad():
            states = torch.cat(minilm.model(**inputs, output_hidden_states=True).hidden_states)
        pooled = {"cls": states[:, 0], "mean": states.mean(1), "max": states.amax(1)}[pooling]
        assert np.allclose(together[:, i], pooled.numpy(), atol=1e-5)


def test_sentence_mean_is_the_models_own_sentence_embedding(minilm, toy_corpus):
    """all-MiniLM-L6-v2 is published with mean pooling and a final normalisation."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from whichlayer import bundled

    model = sentence_transformers.SentenceTransformer(
        str(bundled.weights_of("minilm").parent), device="cpu"
    )
    theirs = model.encode([" ".join(s.words) for s in toy_corpus[:5]])
    ours = extract_sentences(minilm, toy_corpus[:5], "mean")[-1]
    ours = ours / np.linalg.norm(ours, axis=1, keepdims=True)
    assert np.allclose(ours, theirs, atol=1e-4)


def test_cls_is_refused_where_there_is_none(llama_folder):
    with pytest.raises(ValueError, match=r"no \[CLS\]-like token"):
        extract_sentences(load_encoder(llama_folder), [["a"]], "cls")
    assert extract_sentences(load_encoder(llama_folder), [["the"]], "mean").shape == (3, 1, 32)
