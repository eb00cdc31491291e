"""An encoder gives what is read from it by hand, or is refused by name when it is loaded."""

import json
import shutil
import warnings

import numpy as np
import pytest
import tiny_encoders
import torch
import transformers
from safetensors.torch import load_file, save_file
from tiny_encoders import by_hand, save

from whichlayer.audition import EncoderUnsuitableError
from whichlayer.extraction import extract
from whichlayer.models import (
    Encoder,
    ModelUnavailableError,
    TokenizerUnsuitableError,
    load_encoder,
    random_twin,
)
from whichlayer.tokenization import EncoderError

SENTENCES = [
    ["The", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "."],
    ["Unbelievable", "stories", ",", "naïve", "cafés"],
    ["A"],
    ["She", "said", ":", "do", "n't", "!"],
    ["the", "harbour", "dog", "said", "fox", "stories"] * 4,
]

# Tokenizer, final norm, causal, batching, settings.
FIT = {
    "bert": ("wordpiece", False, False, "padded", {}),
    "distilbert": ("wordpiece", False, False, "padded", {}),
    "albert": ("wordpiece", False, False, "padded", {}),
    "roberta": ("byte level", False, False, "padded", {"pad_token_id": 1}),
    "xlm-roberta": ("unigram", False, False, "padded", {"pad_token_id": 1}),
    "mpnet": ("wordpiece", False, False, "padded", {}),
    "modernbert": ("byte level", True, False, "padded", {"local_attention": 8}),
    "longformer": ("byte level", False, False, "padded", {"attention_window": [8, 8]}),
    "fnet": ("unigram", False, False, "equal lengths", {}),
    "big_bird": (
        "unigram", False, False, "equal lengths",
        {"attention_type": "block_sparse", "block_size": 4, "num_random_blocks": 1},
    ),
    # Its blocks hold (subwords, batch, hidden), so that the last one isn't recognised.
    "xlnet": ("unigram", None, False, "padded", {}),
    "t5": ("unigram", True, False, "padded", {}),
    "bart": ("byte level", False, False, "padded", {"pad_token_id": 1}),
    "mbart": ("unigram", True, False, "padded", {"pad_token_id": 1}),
    "gpt2": ("byte level with prefix", True, True, "padded", {}),
    "llama": ("metaspace", True, True, "padded", {}),
    "mistral": ("metaspace first", True, True, "padded", {"sliding_window": 4}),
}  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A tiny folder of a type; each is made once."""
    made = {}

    def folder(model_type, tokenizer=None, **settings):
        key = (model_type, tokenizer, str(settings))
        if key not in made:
            name = tokenizer or FIT[model_type][0]
            settings = {**(FIT[model_type][4] if model_type in FIT else {}), **settings}
            path = tmp_path_factory.mktemp(model_type)
            made[key] = save(path, model_type, tiny_encoders.TOKENIZERS[name](), **settings)
        return made[key]

    return folder


def expected_of(folder, sentences=SENTENCES):
    """By hand, on the words with blanks between; a fresh model for each, as some change themselves."""
    out = []
    for words in sentences:
        ends = np.cumsum([len(word) + 1 for word in words])
        spans = [(end - 1 - len(word), end - 1) for end, word in zip(ends, words, strict=True)]
        out.append(by_hand(folder, [" ".join(words)], [spans]))
    return np.concatenate(out, axis=1)


@pytest.mark.parametrize("model_type", FIT)
def test_states_are_those_read_by_hand_whatever_the_batch(folders, model_type):
    folder = folders(model_type)
    _, final_norm, causal, batching, _ = FIT[model_type]
    expected = expected_of(folder)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        encoder = load_encoder(folder)
    said = [str(one.message) for one in said if "is given only sentences" in str(one.message)]
    assert len(said) == (batching != "padded")
    assert (encoder.num_layers, encoder.hidden_size) == (2, 32)
    assert encoder.final_norm is final_norm
    assert (encoder.audition.causal, encoder.audition.batching) == (causal, batching)
    for batch_size in (1, 2, 32):
        found = extract(encoder, SENTENCES, batch_size=batch_size).vectors
        assert np.allclose(found, expected, atol=1e-4), np.abs(found - expected).max()
    assert (encoder.audition.before is not None) == (model_type == "big_bird")


@pytest.mark.parametrize("tokenizer", tiny_encoders.TOKENIZERS)
@pytest.mark.parametrize("model_type", ["roberta", "llama"])
def test_every_tokenizer_gives_the_same_as_running_text(folders, model_type, tokenizer):
    folder = folders(model_type, tokenizer)
    found = extract(load_encoder(folder), SENTENCES, no_subword="unknown").vectors
    if tokenizer == "unigram":  # its unknown token covers several words
        assert np.isfinite(found).all()
    assert np.allclose(found, expected_of(folder), atol=1e-4)


def test_print_shows_what_was_found(minilm, folders):
    assert repr(minilm) == "Encoder('minilm': 6 blocks, 7 hidden states, 384 dimensions)"
    assert str(minilm).splitlines() == [
        repr(minilm),
        "  last state: the last block's own output",
        "  a word sees: the whole sentence",
        "  sentences are given: as words with blanks between",
        "  longest input, in subwords: 512",
        "  batches: any sentences together",
    ]
    shown = str(load_encoder(folders("llama")))
    assert "after a final norm" in shown and "what stands before it" in shown
    assert "only sentences of one length" in str(load_encoder(folders("fnet")))
    assert "put back before each run" in str(load_encoder(folders("big_bird")))


@pytest.mark.parametrize("model_type", ["llama", "gpt2", "t5", "bert"])
def test_the_last_blocks_own_output_is_what_its_final_norm_takes(folders, model_type):
    encoder = load_encoder(folders(model_type))
    last = extract(encoder, SENTENCES).vectors[-1]
    block = extract(encoder, SENTENCES, last_state="block").vectors
    norms = {"llama": "norm", "gpt2": "ln_f", "t5": "final_layer_norm"}
    if model_type == "bert":
        assert (block[-1] == last).all()
        return
    norm = getattr(encoder.model, norms[model_type])
    with torch.no_grad():
        again = norm(torch.from_numpy(block[-1])).numpy()
    assert np.allclose(again, last, atol=1e-5) and not np.allclose(block[-1], last, atol=0.1)
    assert (block[:-1] == extract(encoder, SENTENCES).vectors[:-1]).all()


def test_training_mode_does_not_enter_and_is_left_as_it_was(folders):
    encoder = load_encoder(folders("bert"))
    expected = extract(encoder, SENTENCES).vectors
    encoder.model.train()
    encoder.model.encoder.layer[1].eval()
    modes = [module.training for module in encoder.model.modules()]
    assert (extract(encoder, SENTENCES).vectors == expected).all()
    assert [module.training for module in encoder.model.modules()] == modes and any(modes)


def test_configurations_that_change_what_a_model_returns_change_nothing(folders, tmp_path):
    expected = extract(load_encoder(folders("bert")), SENTENCES).vectors
    folder = altered(folders("bert"), tmp_path, lambda c: c.update(return_dict=False))
    assert (extract(load_encoder(folder), SENTENCES).vectors == expected).all()


@pytest.mark.parametrize("model_class", ["T5EncoderModel", "UMT5EncoderModel", "MT5EncoderModel"])
def test_folders_of_an_encoder_without_its_decoder(tmp_path, model_class):
    model_class = getattr(transformers, model_class)
    model_type = model_class.config_class.model_type
    tokenizer = tiny_encoders.unigram()
    folder = save(tmp_path / "a", model_type, tokenizer, model_class)
    model = model_class.from_pretrained(folder)
    text = " ".join(SENTENCES[3])
    spans = [(0, 3), (4, 8), (9, 10), (11, 13), (14, 17), (18, 19)]
    expected = by_hand(folder, [text], [spans], model)
    encoder = load_encoder(folder)
    assert np.allclose(extract(encoder, [SENTENCES[3]]).vectors, expected, atol=1e-5)
    twin = random_twin(encoder, 1)
    assert twin.num_states == 3 and not np.allclose(
        extract(twin, [SENTENCES[3]]).vectors, expected, atol=0.1
    )


def test_limits_are_those_of_the_tables_whatever_the_files_say(folders, tmp_path):
    assert load_encoder(folders("xlnet")).max_length == 100  # its -1 means no limit
    folder = shutil.copytree(folders("roberta"), tmp_path / "a")
    edit(folder / "tokenizer_config.json", lambda c: c.update(model_max_length=10**30))
    encoder = load_encoder(folder)
    assert encoder.max_length == 118  # 120 rows, counted from the padding index on
    words = ["fox"] * 115
    assert len(encoder.tokenizer(" ".join(words))["input_ids"]) == 118
    assert len(extract(encoder, [words])) == 115
    with pytest.raises(EncoderError, match="too long"):
        extract(encoder, [["fox"] * 120])


def edit(file, change):
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    file.write_text(json.dumps(data), encoding="utf-8")


def altered(folder, tmp_path, config=None, weights=None):
    """A copy of a folder with another configuration or other weights."""
    copy = shutil.copytree(folder, tmp_path / "altered")
    if config:
        edit(copy / "config.json", config)
    if weights:
        tensors = load_file(copy / "model.safetensors")
        tensors = weights(tensors) or tensors
        save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    return copy


def without(*names):
    return lambda tensors: {
        key: value for key, value in tensors.items() if not any(name in key for name in names)
    }


def with_nan(name):
    return lambda tensors: tensors[name].view(-1)[7:8].fill_(float("nan")) and None


BROKEN_WEIGHTS = {
    "module prefix": (
        lambda t: {f"module.{key}": value for key, value in t.items()},
        "lack embeddings.LayerNorm.bias, .* would draw at random",
    ),
    "a block": (without("layer.1."), "lack encoder.layer.1.attention.*13 more"),
    "one bias": (without("layer.0.output.dense.bias"), "lack encoder.layer.0.output.dense.bias, w"),
    "embeddings": (without("word_embeddings"), "lack embeddings.word_embeddings.weight"),
    "not a number": (
        with_nan("encoder.layer.1.output.dense.weight"),
        "not finite, in encoder.layer.1.output.dense.weight",
    ),
    "not a number in a rare word": (
        with_nan("embeddings.word_embeddings.weight"),
        "not finite, in embeddings.word_embeddings.weight",
    ),
}


@pytest.mark.parametrize("what", BROKEN_WEIGHTS)
def test_missing_and_broken_weights_are_named(folders, tmp_path, what):
    change, match = BROKEN_WEIGHTS[what]
    with pytest.raises(EncoderUnsuitableError, match=match):
        load_encoder(altered(folders("bert"), tmp_path, weights=change))


def test_weights_that_the_states_do_not_depend_on_may_be_missing(folders, tmp_path):
    folder = altered(folders("bert"), tmp_path, weights=without("pooler"))
    assert (
        extract(load_encoder(folder), SENTENCES).vectors
        == extract(load_encoder(folders("bert")), SENTENCES).vectors
    ).all()


def test_a_table_that_is_computed_and_never_saved_may_be_missing(tmp_path):
    """Marian's positions are sinusoids; transformers leaves them out of its files."""
    tokenizer = tiny_encoders.unigram()
    folder = save(tmp_path / "a", "marian", tokenizer, transformers.MarianMTModel)
    found = extract(load_encoder(folder), SENTENCES).vectors
    assert np.allclose(found, expected_of(folder), atol=1e-4)


@pytest.mark.parametrize(
    "change, match",
    [
        ({"num_hidden_layers": 3}, "lack encoder.layer.2.attention"),
        ({"num_hidden_layers": 1}, "hold blocks that its configuration leaves out .encoder.layer"),
        ({"max_position_embeddings": 200}, r"position_embeddings.* shape \[120, 32\] .* \[200, 32"),
        ({"intermediate_size": 48}, "configuration of .* isn't that of its weights"),
    ],
)
def test_a_configuration_that_is_not_that_of_the_weights(folders, tmp_path, change, match):
    with pytest.raises(EncoderUnsuitableError, match=match):
        load_encoder(altered(folders("bert"), tmp_path, config=lambda c: c.update(change)))


@pytest.mark.parametrize("model_type", ["bert", "roberta", "t5", "gpt2", "llama", "xlm-roberta"])
def test_a_folder_without_a_tokenizer(folders, tmp_path, model_type):
    folder = shutil.copytree(folders(model_type), tmp_path / "a")
    for file in folder.glob("*token*"):
        file.unlink()
    with pytest.raises(ModelUnavailableError, match=r"no tokenizer|its tokenizer can't be read"):
        load_encoder(folder)


def test_a_vocabulary_without_words(folders):
    encoder = load_encoder(folders("bert"))
    made_up = transformers.BertTokenizer()  # what transformers gives where the files are missing
    with pytest.raises(TokenizerUnsuitableError, match="knows no words at all"):
        Encoder(encoder.model, made_up, "made up")


def test_a_tokenizer_of_another_model(folders):
    encoder = load_encoder(folders("bert"))
    with pytest.raises(TokenizerUnsuitableError, match="they don't belong together"):
        Encoder(encoder.model, tiny_encoders.byte_level(), "mixed")


def unfit(tmp_path, name):
    wordpiece, unigram = tiny_encoders.wordpiece, tiny_encoders.unigram
    if name == "vit":
        wordpiece().save_pretrained(tmp_path)
        config = transformers.ViTConfig(
            hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
            image_size=8, patch_size=4,
        )  # fmt: skip
        transformers.ViTModel(config).save_pretrained(tmp_path)
        return tmp_path
    settings = {
        "reformer": {
            "axial_pos_shape": [10, 12], "axial_pos_embds_dim": [16, 16], "attention_head_size": 16,
            "attn_layers": ["lsh", "local"], "feed_forward_size": 64, "num_buckets": 4,
            "lsh_attn_chunk_length": 4, "local_attn_chunk_length": 4, "is_decoder": False,
        },
        "canine": {"num_hash_buckets": 64, "local_transformer_stride": 8},
        "opt": {"word_embed_proj_dim": 16, "do_layer_norm_before": False, "ffn_dim": 64},
    }  # fmt: skip
    return save(tmp_path, name, unigram(), **settings.get(name, {}))


@pytest.mark.parametrize(
    "name, match",
    [
        ("vit", "can't be run on .* subwords of plain text"),
        ("reformer", "no hidden state of one width for each|other states each time"),
        ("canine", "no hidden state of one width for each subword"),
        ("opt", "no hidden state of one width for each subword"),
        ("mamba", "first of the hidden states of .* is no output of the embeddings"),
    ],
)
def test_models_whose_states_cannot_be_aligned_to_words(tmp_path, name, match):
    with pytest.raises(EncoderUnsuitableError, match=match):
        load_encoder(unfit(tmp_path / name, name))


def test_a_model_that_fails_on_one_sentence_later_is_named(folders):
    encoder = load_encoder(folders("bert"))
    with torch.no_grad():
        row = encoder.tokenizer("harbour", add_special_tokens=False)["input_ids"][0]
        encoder.model.embeddings.word_embeddings.weight[row] = torch.inf
    with pytest.raises(EncoderUnsuitableError, match="not finite at layer 0 in sentence 's1'"):
        extract(encoder, [["the", "fox"], ["the", "harbour"]])


def test_a_twin_may_keep_the_embeddings(folders):
    for model_type in ("bert", "llama", "t5"):
        encoder = load_encoder(folders(model_type))
        trained = extract(encoder, SENTENCES).vectors
        kept = extract(random_twin(encoder, 0, keep_embeddings=True), SENTENCES).vectors
        plain = extract(random_twin(encoder, 0), SENTENCES).vectors
        assert (kept[0] == trained[0]).all() and not np.allclose(plain[0], trained[0], atol=0.1)
        assert not np.allclose(kept[1], trained[1], atol=0.1)


def test_no_twin_of_a_model_that_is_not_its_configuration(folders):
    encoder = load_encoder(folders("bert"))
    encoder.model.encoder.layer = encoder.model.encoder.layer[:1]
    with pytest.raises(EncoderUnsuitableError, match="not what its configuration says"):
        random_twin(encoder)
