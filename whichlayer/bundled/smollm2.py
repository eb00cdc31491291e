"""SmolLM2-135M-Instruct, a Llama-like decoder, with 4-bit weights from a GGUF file.

The blocks' matrices have four bits a weight (Q4_1), the embeddings, which are the vocabulary head
as well, eight (Q8_0).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import transformers
from packaging.version import Version
from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE
from transformers import LlamaConfig, LlamaModel, PreTrainedTokenizerFast

from whichlayer.bundled.gguf import Gguf

MODEL = LlamaModel

_OF_BLOCK = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_SPECIAL = 3  # the kind of token that text never holds


def read(path: Path) -> tuple[LlamaConfig, dict[str, torch.Tensor], PreTrainedTokenizerFast]:
    """Configuration, weights by the names of a ``LlamaModel``, and tokenizer."""
    file = Gguf(path)
    return _config(file.meta), _weights(file), _tokenizer(file.meta)


def _config(meta: dict) -> LlamaConfig:
    base = meta["llama.rope.freq_base"]
    # transformers 5 has moved the base of the rotary positions.
    if Version(transformers.__version__) >= Version("5"):
        rotary = {"rope_parameters": {"rope_type": "default", "rope_theta": base}}
    else:
        rotary = {"rope_theta": base}
    return LlamaConfig(
        vocab_size=len(meta["tokenizer.ggml.tokens"]),
        hidden_size=meta["llama.embedding_length"],
        intermediate_size=meta["llama.feed_forward_length"],
        num_hidden_layers=meta["llama.block_count"],
        num_attention_heads=meta["llama.attention.head_count"],
        num_key_value_heads=meta["llama.attention.head_count_kv"],
        max_position_embeddings=meta["llama.context_length"],
        rms_norm_eps=meta["llama.attention.layer_norm_rms_epsilon"],
        tie_word_embeddings=True,
        bos_token_id=meta["tokenizer.ggml.bos_token_id"],
        eos_token_id=meta["tokenizer.ggml.eos_token_id"],
        # No token is only for padding; giving one here would set its embedding to zero in twins.
        architectures=["LlamaForCausalLM"],
        **rotary,
    )


def _weights(file: Gguf) -> dict[str, torch.Tensor]:
    heads = {
        "attn_q": file.meta["llama.attention.head_count"],
        "attn_k": file.meta["llama.attention.head_count_kv"],
    }
    weights = {
        "embed_tokens.weight": file.tensor("token_embd.weight"),
        "norm.weight": file.tensor("output_norm.weight"),
    }
    for block in range(file.meta["llama.block_count"]):
        for part, to in _OF_BLOCK.items():
            weight = file.tensor(f"blk.{block}.{part}.weight")
            if part in heads:
                weight = _halves_apart(weight, heads[part])
            weights[f"layers.{block}.{to}.weight"] = weight
    return {name: torch.from_numpy(weight) for name, weight in weights.items()}


def _halves_apart(weight: np.ndarray, heads: int) -> np.ndarray:
    """Undo llama.cpp's order of rows, which interleaves the halves of each head's rotary pairs."""
    half = weight.shape[0] // heads // 2
    paired = weight.reshape(heads, half, 2, weight.shape[1])
    return np.ascontiguousarray(paired.swapaxes(1, 2)).reshape(weight.shape)


def _tokenizer(meta: dict) -> PreTrainedTokenizerFast:
    tokens = meta["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in meta["tokenizer.ggml.merges"]]
    backend = Tokenizer(BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    # A word begins with the blank before it: every text gets one, and a word of a list is a text.
    # ByteLevel's own add_prefix_space would put one before each digit, since digits are split off.
    backend.normalizer = normalizers.Sequence(
        [normalizers.Prepend(" "), normalizers.Replace(Regex(r"\A  "), " ")]
    )
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    backend.decoder = decoders.ByteLevel()
    kinds = meta["tokenizer.ggml.token_type"]
    backend.add_special_tokens(
        [
            AddedToken(token, normalized=False, special=True)
            for token, kind in zip(tokens, kinds, strict=True)
            if kind == _SPECIAL
        ]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token=tokens[meta["tokenizer.ggml.bos_token_id"]],
        eos_token=tokens[meta["tokenizer.ggml.eos_token_id"]],
        unk_token=tokens[meta["tokenizer.ggml.unknown_token_id"]],
        pad_token=tokens[meta["tokenizer.ggml.padding_token_id"]],
        model_max_length=meta["llama.context_length"],
        padding_side="right",
        model_input_names=["input_ids", "attention_mask"],
    )
