"""The live page's modules, outside a browser, against Python and PyTorch."""
# ruff: noqa: RUF001 - look-alike characters are what is tested

import base64
import json
import random
from pathlib import Path

import numpy as np
import pack_encoder
import pytest
import torch
import transformers

from whichlayer.bundled import BUNDLED
from whichlayer.corpora import load_treebank

APP = Path(__file__).parents[2] / "book" / "live" / "app"

# What a tokenizer may stumble over, by kind.
ODD = [
    "", " ", "\t\n", "a", "...", "?!", "'", "\u2019", "don't", "DON'T STOP", "O'Brien's e-mail",
    "naïve café Señor Ångström", "Ελλάδα ΟΔΟΣ οδός", "İstanbul ıssız", "straße STRASSE ẞ",
    "Привет, мир! Ёлка й", "日本語の文章です。", "中文 mixed with English", "한국어 문장", "ภาษาไทย", "हिन्दी में",
    "العربية مع تشكيل مُحَمَّد", "עברית עם נִקּוּד", "Tiếng Việt có dấu", "e\u0301 combining e\u0301\u0323", "ﬁ ligature ﬀ",
    "😀 smile", "👍🏽👩‍👩‍👧‍👦", "flag 🇫🇷", "text\u200bzero\u200dwidth\ufeff", "soft\u00adhyphen", "non\u00a0breaking\u3000space",
    "a\x00b\x07c\ufffdd", "line\u2028separator", "form\ffeed", "$5.00 + 3% = £4 ± ½", "x² + y₂ ≠ ∞", "#tag @you a_b a/b\\c",
    "http://example.org/?q=1&r=2", "me@example.org", "1,234.56 7:30 15th", "…—–-―", "«guillemets» „low“ ‚single‘",
    "[CLS ] [ SEP]", "x" * 99, "x" * 100, "x" * 101, "pneumonoultramicroscopicsilicovolcanoconiosis" * 2,
    "antidisestablishmentarianism", "𝒜𝓁𝓅𝒽𝒶 𝟘𝟙", "𠀀𪜀", "ȧ̧ƀ", "ABC\u0130DEF",
]  # fmt: skip


def texts():
    """More than 300, of all kinds and mixed with each other."""
    plain = [s.text for s in load_treebank("dev")] + [s.text for s in load_treebank("train")[:60]]
    draw = random.Random(0)
    pieces = [word for text in ODD for word in text.split(" ")] + plain[0].split()
    mixed = ["".join(draw.choices(pieces + [" "] * 40, k=draw.randint(3, 20))) for _ in range(120)]
    return [*ODD, *plain, *mixed]


def test_the_tokenizer_gives_what_the_python_tokenizer_gives(run_modules, minilm):
    wanted = texts()
    assert len(wanted) >= 300
    expected = minilm.tokenizer(wanted, add_special_tokens=False, verbose=False)["input_ids"]
    found = run_modules("encode", texts=wanted)
    differing = [t for t, a, b in zip(wanted, found, expected, strict=True) if a != b]
    assert not differing


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't know.", ["I", "do", "n't", "know", "."]),
        ("We can\u2019t, won\u2019t!", ["We", "ca", "n\u2019t", ",", "wo", "n\u2019t", "!"]),
        ("Rosa's dogs' beds", ["Rosa", "'s", "dogs", "'", "beds"]),
        ("You cannot, they've", ["You", "can", "not", ",", "they", "'ve"]),
        ("Mr. Fox left at 3:40 p.m. for 1,200 miles.",
         ["Mr.", "Fox", "left", "at", "3:40", "p.m.", "for", "1,200", "miles", "."]),
        ('"Well-known," he said...', ['"', "Well", "-", "known", ",", '"', "he", "said", "..."]),
        ("the semi-final", ["the", "semi-final"]),
        ("'quoted'", ["'", "quoted", "'"]),
        ("👍🏽 ok", ["👍🏽", "ok"]),
        ("", []),
    ],
)  # fmt: skip
def test_words_are_split_as_the_treebank_splits_them(run_modules, text, words):
    assert run_modules("words", texts=[text]) == [words]


def test_nearly_every_word_of_the_treebank_is_split_off(run_modules):
    sentences = load_treebank("train") + load_treebank("dev")
    found = run_modules("words", texts=[s.text for s in sentences])
    same = sum(list(s.words) == words for s, words in zip(sentences, found, strict=True))
    assert same / len(sentences) > 0.98


def states_of(run_modules, sentences, width, states, tmp_path, **options):
    to = tmp_path / "states.bin"
    engine = run_modules("states", sentences=sentences, to=str(to), **options)
    flat, found = np.fromfile(to, "<f4"), []
    for ids in sentences:
        size = states * len(ids) * width
        found.append(flat[:size].reshape(states, len(ids), width))
        flat = flat[size:]
    assert not len(flat)
    return found, engine


def cosines(a, b):
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


@pytest.fixture(scope="module")
def reference(minilm):
    """Sentences of several lengths, up to the page's limit, and PyTorch's states for them."""
    text = [s.text for s in load_treebank("dev")[:20]]
    sentences = minilm.tokenizer([*text, "", "word"])["input_ids"]
    long = minilm.tokenizer(" ".join(text))["input_ids"]
    sentences.append([*long[:127], long[-1]])
    with torch.no_grad():
        states = [
            np.stack([s[0].numpy() for s in output.hidden_states])
            for output in (
                minilm.model(torch.tensor([ids]), output_hidden_states=True) for ids in sentences
            )
        ]
    return sentences, states


@pytest.mark.parametrize("simd", [True, False])
def test_the_packed_encoder_is_near_pytorch(run_modules, reference, tmp_path, simd):
    sentences, expected = reference
    if not simd:  # many times slower
        sentences, expected = sentences[-8:], expected[-8:]
    found, engine = states_of(run_modules, sentences, 384, 7, tmp_path, simd=simd)
    assert engine == ("WebAssembly SIMD" if simd else "JavaScript")
    worst = min(cosines(a, b).min() for a, b in zip(found, expected, strict=True))
    print(f"worst cosine ({engine}): {worst:.4f}")
    assert worst >= 0.995


def test_numpy_computes_what_the_browser_computes(run_modules, packed, reference, tmp_path):
    sentences, _ = reference
    found, _ = states_of(run_modules, sentences, 384, 7, tmp_path, simd=True)
    computed = pack_encoder.PackedEncoder(packed).hidden_states(sentences)
    for a, b in zip(found, computed, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-4)


@pytest.mark.parametrize("simd", [True, False])
def test_the_arithmetic_is_exact_where_nothing_is_rounded(run_modules, bert_folder, tmp_path, simd):
    model = transformers.AutoModel.from_pretrained(bert_folder).eval()
    vocabulary = [f"t{i}" for i in range(model.config.vocab_size)]
    tensors = {name: value.numpy() for name, value in model.state_dict().items()}
    path = tmp_path / "small.bin"
    path.write_bytes(pack_encoder.pack(tensors, model.config.to_dict(), vocabulary, quantise=False))
    draw = np.random.default_rng(0)
    sentences = [draw.integers(0, len(vocabulary), size=n).tolist() for n in (1, 2, 3, 7, 16, 64)]
    found, _ = states_of(run_modules, sentences, 64, 4, tmp_path, pack=path, simd=simd)
    for ids, states in zip(sentences, found, strict=True):
        with torch.no_grad():
            output = model(torch.tensor([ids]), output_hidden_states=True)
        expected = np.stack([state[0].numpy() for state in output.hidden_states])
        assert np.abs(states - expected).max() < 1e-4


def test_the_weights_sum_is_the_packages():
    assert BUNDLED["minilm"].sha256 == pack_encoder.SHA256
    assert BUNDLED["minilm"].package == pack_encoder.PACKAGE


def test_an_altered_encoder_is_refused(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    monkeypatch.setattr(pack_encoder, "model_folder", lambda: tmp_path)
    with pytest.raises(pack_encoder.EncoderMissingError, match="are not those of all-MiniLM-L6-v2"):
        pack_encoder.pack_minilm()


def test_the_packed_file_is_small_and_holds_the_vocabulary(packed, minilm):
    assert len(packed) < 23.5e6
    vocabulary = pack_encoder.PackedEncoder(packed).vocabulary
    by_id = sorted(minilm.tokenizer.get_vocab().items(), key=lambda item: item[1])
    assert vocabulary == [subword for subword, _ in by_id]


def test_what_was_recorded_is_of_this_encoder_and_these_sentences(packed, run_modules, minilm):
    """If this fails, run build_tools/record_live_probes.py."""
    import record_live_probes

    files = {name: json.loads((APP / name).read_text(encoding="utf-8"))
             for name in ("probes.json", "recorded.json", "neighbours.json")}  # fmt: skip
    for name, content in files.items():
        assert content["encoder_sha256"] == pack_encoder.hashlib.sha256(packed).hexdigest(), name
        assert (APP / name).stat().st_size < 400_000
    examples = files["recorded.json"]["examples"]
    assert [[s["text"] for s in e["sentences"]] for e in examples] == [
        e["sentences"] for e in record_live_probes.EXAMPLES
    ]
    test = load_treebank("test")
    assert files["probes.json"]["measured"]["words"] == sum(map(len, test))
    found = record_live_probes.neighbours(minilm.tokenizer, test)
    assert json.loads(json.dumps(found)) == files["neighbours.json"]["sentences"]


def test_a_dimension_of_rounding_noise_decides_nothing_on_the_page():
    """Its scaling is folded into the probe, where noise scaled to variance 1 would weigh most."""
    import record_live_probes

    draw = np.random.default_rng(0)
    labels = {
        "train": draw.choice(["NOUN", "VERB"], 400),
        "dev": draw.choice(["NOUN", "VERB"], 100),
    }
    vectors = {}
    for part, tags in labels.items():
        is_noun = (tags == "NOUN").astype(float)
        table = draw.normal(size=(1, len(tags), 5))
        table[0, :, 0] += 2 * is_noun
        table[0, :, 4] = 1e-7 * is_noun  # tells all, in digits that no page would reproduce
        vectors[part] = table.astype(np.float32)
    probes = record_live_probes.train(vectors, labels)
    (layer,) = probes["layers"]
    codes = np.frombuffer(base64.b64decode(layer["codes"]), "<i2").reshape(-1, probes["width"])
    weights = codes * np.array(layer["scales"])[:, None]
    x = vectors["dev"][0]
    named = x @ weights.T + layer["bias"]
    x[:, 4] += 1e-6 * draw.choice([-1, 1], len(x))
    assert np.abs(x @ weights.T + layer["bias"] - named).max() < 0.05
    assert np.abs(weights[:, 0]).max() > 0.5


def test_the_probes_do_on_the_test_split_what_the_page_says(packed):
    """If this fails, run build_tools/record_live_probes.py --keep-probes."""
    import record_live_probes

    probes = json.loads((APP / "probes.json").read_text(encoding="utf-8"))
    again = record_live_probes.accuracies(packed, probes, load_treebank("test"))
    recorded = probes["measured"]
    for count in ("sentences", "words", "aligned", "contracted"):
        assert again[count] == recorded[count]
    # A word or two may be read otherwise where a processor rounds otherwise.
    assert np.abs(np.array(again["accuracy"]) - recorded["accuracy"]).max() < 0.002
    # The middle reads best, the ends worst, as chapter 4 finds.
    accuracy = recorded["accuracy"]
    assert accuracy.index(max(accuracy)) in (2, 3, 4)
    assert min(accuracy[2:4]) > max(accuracy[0], accuracy[-1]) + 0.03


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (["The bat flew between trees.", "He swung the bat between matches."], ["bat", "bat", True]),
        (["It is there.", "Is that so?"], ["is", "Is", True]),  # nothing better is shared
        (["Birds fly.", "We sat outside."], ["Birds", "outside", False]),  # a full stop is no word
        (["Is it?", "\u2026"], ["Is", "\u2026", False]),
        (["They shouldn't have waited."], ["waited", False]),
    ],
)  # fmt: skip
def test_the_words_to_begin_with(run_modules, pair, words):
    assert run_modules("likely", pairs=[pair]) == [words]


def test_numbers_leave_the_page_as_csv(run_modules):
    rows = [["layer", 'a "word", quoted'], [0, 0.123456789], [1, -1]]
    assert run_modules("csv", rows=rows) == 'layer,"a ""word"", quoted"\n0,0.123457\n1,-1\n'
