"""Loading encoders: what is right, and the one clear error for each thing that can be wrong."""

import json
import shutil

import pytest
import torch
import transformers

from whichlayer.extraction import extract
from whichlayer.models import (
    ModelUnavailableError,
    TokenizerUnsuitableError,
    load_encoder,
    random_twin,
)


def test_minilm_is_frozen_in_evaluation_mode_and_float32(minilm):
    assert (minilm.num_layers, minilm.num_states, minilm.hidden_size) == (6, 7, 384)
    assert minilm.max_length == 512
    assert not minilm.model.training
    assert all(p.dtype == torch.float32 and not p.requires_grad for p in minilm.model.parameters())


def test_two_runs_are_equal(minilm, toy_corpus):
    first, second = (extract(minilm, toy_corpus[:3]).vectors for _ in range(2))
    assert (first == second).all()


def test_loading_prints_nothing(capfd, bert_folder):
    load_encoder(bert_folder)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_a_local_folder_of_another_size(bert_folder):
    encoder = load_encoder(bert_folder)
    assert (encoder.num_states, encoder.hidden_size, encoder.max_length) == (4, 64, 64)


def test_roberta_positions_leave_room_for_the_padding_index(roberta_folder):
    assert load_encoder(roberta_folder).max_length == 64  # 66 rows, two of them never used


def test_half_precision_on_request(bert_folder):
    encoder = load_encoder(bert_folder, dtype=torch.bfloat16)
    assert next(encoder.model.parameters()).dtype == torch.bfloat16
    assert extract(encoder, [["the", "fox"]]).vectors.dtype.name == "float32"


def test_attentions_are_there_when_eager_attention_is_asked_for(bert_folder):
    encoder = load_encoder(bert_folder, attn_implementation="eager")
    inputs = encoder.tokenizer("the fox", return_tensors="pt")
    attentions = encoder.model(**inputs, output_attentions=True).attentions
    assert len(attentions) == encoder.num_layers
    assert all(a is not None for a in attentions)


def test_random_twin_differs_everywhere_that_is_random_and_repeats_by_seed(minilm):
    twin, again, other = random_twin(minilm, 0), random_twin(minilm, 0), random_twin(minilm, 1)
    trained = dict(minilm.model.named_parameters())
    for name, weight in twin.model.named_parameters():
        assert torch.equal(weight, dict(again.model.named_parameters())[name])
        if name.endswith("weight") and "LayerNorm" not in name:
            assert not torch.allclose(weight, trained[name], atol=1e-3), name
            assert not torch.equal(weight, dict(other.model.named_parameters())[name]), name
    assert not twin.model.training and twin.num_states == minilm.num_states
    assert not any(p.requires_grad for p in twin.model.parameters())


def test_random_twin_leaves_the_global_random_state_alone(minilm):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    random_twin(minilm, 0)
    assert torch.equal(torch.rand(1), expected)


def test_unreachable_hub_says_what_to_do(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(
        ModelUnavailableError, match="could not be had from the Hugging Face Hub"
    ) as e:
        load_encoder("nobody/no-such-model")
    assert 'load_encoder("minilm")' in str(e.value)


@pytest.mark.parametrize("path", ["./nowhere", "~/nowhere/else", "a/b/c"])
def test_missing_folder(path):
    with pytest.raises(ModelUnavailableError, match="There is no folder"):
        load_encoder(path)


def test_folder_without_a_model_names_what_is_missing(tmp_path):
    with pytest.raises(ModelUnavailableError, match="config.json and .*safetensors not found"):
        load_encoder(tmp_path)


def test_folder_with_pickled_weights_only_is_refused(bert_folder, tmp_path):
    folder = tmp_path / "pickled"
    shutil.copytree(bert_folder, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelUnavailableError, match="safetensors not found"):
        load_encoder(folder)


def test_damaged_weights_are_one_clear_error(bert_folder, tmp_path):
    folder = tmp_path / "damaged"
    shutil.copytree(bert_folder, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelUnavailableError, match="could not be loaded as an encoder"):
        load_encoder(folder)


def test_remote_code_is_not_run(bert_folder, tmp_path):
    folder = tmp_path / "remote"
    shutil.copytree(bert_folder, folder)
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "not_a_known_type"
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text("raise SystemExit('remote code was run')")
    with pytest.raises(ModelUnavailableError):
        load_encoder(folder)


def test_tokenizer_without_word_alignment(monkeypatch, bert_folder):
    class Slow:
        is_fast = False

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda *a, **k: Slow())
    with pytest.raises(TokenizerUnsuitableError, match="which subword belongs to which word"):
        load_encoder(bert_folder)


def test_one_class_catches_whatever_an_encoder_is_refused_for():
    from whichlayer.extraction import SentenceUnsuitableError
    from whichlayer.models import EncoderError, EncoderUnsuitableError

    refusals = (ModelUnavailableError, TokenizerUnsuitableError, EncoderUnsuitableError)
    for refusal in (*refusals, SentenceUnsuitableError):
        assert issubclass(refusal, EncoderError)
    with pytest.raises(EncoderError, match="There is no folder"):
        load_encoder("./nowhere")
