"""Load a frozen encoder with its tokenizer, and make a randomly initialised twin of it.

An encoder with L transformer blocks gives L + 1 hidden states: index 0 is the output of the
embeddings, indices 1..L are the outputs of the blocks. No number of layers is written down here:
everything is read from the model's configuration.
"""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from packaging.version import Version

from whichlayer import bundled
from whichlayer.bundled import ModelUnavailableError

# Byte-level tokenizers mark a word's beginning by the space before it. Given words one by one,
# they must be told to act as if that space were there, or every word looks like a continuation.
_NEEDS_PREFIX_SPACE = {
    "bart", "bloom", "deberta", "gpt2", "gpt_neo", "gpt_neox", "gptj",
    "led", "longformer", "modernbert", "opt", "qwen2", "qwen3", "roberta",
}  # fmt: skip


# Decoders whose vocabulary head, where it is tied, is the embeddings transposed and nothing else.
_HEAD_IS_EMBEDDINGS = {"gpt2", "llama", "qwen2", "qwen3"}


class TokenizerUnsuitableError(ValueError):
    """A tokenizer cannot say which subword belongs to which word."""


@dataclass(frozen=True)
class Encoder:
    """A frozen model and the tokenizer it was trained with.

    Attributes:
        model: the transformer, in evaluation mode, its parameters not requiring gradients.
        tokenizer: a fast tokenizer (one that knows which word a subword comes from).
        name: what was asked for, as in :func:`load_encoder`.
    """

    model: torch.nn.Module
    tokenizer: transformers.PreTrainedTokenizerBase
    name: str

    @property
    def num_layers(self) -> int:
        """L, the number of transformer blocks."""
        return int(self.model.config.num_hidden_layers)

    @property
    def num_states(self) -> int:
        """L + 1, the number of hidden states: the embeddings' output and one for each block."""
        return self.num_layers + 1

    @property
    def hidden_size(self) -> int:
        """Width of a hidden state, in dimensions."""
        return int(self.model.config.hidden_size)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    @property
    def max_length(self) -> int:
        """The most subwords, special tokens included, that fit in one input."""
        limits = [self.tokenizer.model_max_length]
        positions = getattr(self.model.config, "max_position_embeddings", None)
        if positions:
            # RoBERTa-like models count positions from padding_idx + 1, so 514 rows hold 512.
            table = getattr(getattr(self.model, "embeddings", None), "position_embeddings", None)
            padding_idx = getattr(table, "padding_idx", None)
            limits.append(positions - (padding_idx + 1 if padding_idx is not None else 0))
        return int(min(limits))

    @property
    def lm_head(self) -> Callable[[torch.Tensor], torch.Tensor]:
        """The vocabulary head of a decoder: states (..., hidden) in, scores (..., vocabulary) out.

        Hidden state L has passed the model's final norm and goes in as it is: the softmax of its
        scores is what the model expects as the next subword. An earlier state goes through the
        norm first (``encoder.model.norm`` of a Llama-like model).

        Raises:
            ValueError: the encoder has no head, or one with weights of its own, which are not
                loaded.
        """
        config = self.model.config
        if config.model_type not in _HEAD_IS_EMBEDDINGS or not config.tie_word_embeddings:
            raise ValueError(
                f"{self.name!r} has no vocabulary head that is its embeddings: take a decoder "
                'with tied embeddings such as load_encoder("smollm2"), or load the whole model '
                "with transformers' AutoModelForCausalLM."
            )
        weight = self.model.get_input_embeddings().weight
        return lambda states: torch.nn.functional.linear(states, weight)

    def __repr__(self) -> str:
        return (
            f"Encoder({self.name!r}: {self.num_layers} blocks, {self.num_states} hidden states, "
            f"{self.hidden_size} dimensions)"
        )


def load_encoder(
    name: str | os.PathLike[str] = "minilm",
    *,
    dtype: torch.dtype = torch.float32,
    device: str | torch.device = "cpu",
    attn_implementation: str | None = None,
) -> Encoder:
    """Load a pretrained encoder, frozen and in evaluation mode.

    Args:
        name: ``"minilm"`` for the bundled all-MiniLM-L6-v2 (6 blocks, 384 dimensions; distilled
            from a larger BERT-like model and tuned for sentence similarity; no download); ``"e5"``
            for multilingual-e5-small (12 blocks, 384 dimensions; trained for retrieval in many
            languages) or ``"smollm2"`` for SmolLM2-135M-Instruct (a decoder of 30 blocks and 576
            dimensions), both with 4-bit weights from a package of their own; a name on the Hugging
            Face Hub such as ``"bert-base-uncased"``; or a local folder that holds
            ``config.json``, a tokenizer and ``*.safetensors``.
        dtype: the precision of the weights. Hidden states are handed out as float32 in any case.
        device: where to put the weights.
        attn_implementation: passed to transformers; ``"eager"`` where attention maps are wanted,
            since the default implementation leaves them empty.

    Returns:
        An :class:`Encoder`.

    Raises:
        ModelUnavailableError: the package is missing or altered, the folder holds no model, or
            the hub cannot give it. Another model is never loaded in its place.
        TokenizerUnsuitableError: the tokenizer has no word alignment.

    Weights are read as safetensors only and no remote code is run.
    """
    name = os.fspath(name)
    options = {"attn_implementation": attn_implementation} if attn_implementation else {}
    # transformers 5 calls the argument dtype; before 4.56 only torch_dtype was known.
    new_name = Version(transformers.__version__) >= Version("4.56")
    options["dtype" if new_name else "torch_dtype"] = dtype
    if name in bundled.OWN_FORMAT:
        with _without_progress_bar():
            model, tokenizer = bundled.load(name, **options)
        model = model.to(device).eval().requires_grad_(False)
        return Encoder(model=model, tokenizer=tokenizer, name=name)
    in_package = name in bundled.BUNDLED
    source = str(bundled.weights_of(name).parent) if in_package else _folder_or_hub_name(name)
    try:
        config = transformers.AutoConfig.from_pretrained(source, trust_remote_code=False)
        tokenizer = _load_tokenizer(source, config)
        with _without_progress_bar():
            model = transformers.AutoModel.from_pretrained(
                source, config=config, use_safetensors=True, trust_remote_code=False, **options
            )
    except TokenizerUnsuitableError:
        raise
    except Exception as error:  # transformers, the hub and safetensors raise many kinds
        raise ModelUnavailableError(_explain(name, source, error)) from error
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    model = model.to(device).eval().requires_grad_(False)
    return Encoder(model=model, tokenizer=tokenizer, name=name)


def random_twin(encoder: Encoder, seed: int = 0) -> Encoder:
    """The same architecture with fresh random weights: what the architecture alone gives.

    The model is built anew from the configuration. Calling ``init_weights()`` on the loaded model
    would not do: transformers marks loaded weights as initialised and leaves them as they are.

    Args:
        encoder: the encoder to imitate.
        seed: seeds the weights; the same seed gives the same twin. The global random state is
            left as it was.

    Returns:
        An :class:`Encoder` in evaluation mode with the same tokenizer, precision and device.

    Source: random-weight baselines as in Conneau et al. 2018 and Tenney et al. 2019.
    """
    config = copy.deepcopy(encoder.model.config)
    reference = next(encoder.model.parameters())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = type(encoder.model)(config)
    model = model.to(device=reference.device, dtype=reference.dtype).eval().requires_grad_(False)
    return Encoder(model=model, tokenizer=encoder.tokenizer, name=f"{encoder.name} (random {seed})")


def _folder_or_hub_name(name: str) -> str:
    folder = Path(name).expanduser()
    looks_like_path = name.startswith((".", "~", os.sep)) or name.count("/") > 1 or "\\" in name
    if not folder.is_dir():
        if looks_like_path:
            raise ModelUnavailableError(
                f"There is no folder {name!r}. Give the folder that holds config.json, the "
                'tokenizer and *.safetensors, or use load_encoder("minilm").'
            )
        return name
    missing = [
        what
        for what, there in [
            ("config.json", (folder / "config.json").is_file()),
            ("*.safetensors", any(folder.glob("*.safetensors"))),
        ]
        if not there
    ]
    if missing:
        raise ModelUnavailableError(
            f"The folder {name!r} holds no model: {' and '.join(missing)} not found. Save one "
            "with model.save_pretrained(folder) and tokenizer.save_pretrained(folder)."
        )
    return str(folder)


@contextlib.contextmanager
def _without_progress_bar() -> Iterator[None]:
    """Reading weights from disk takes a second; its bar would only litter a notebook."""
    logging = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _load_tokenizer(source: str, config):
    options = {}
    if config.model_type in _NEEDS_PREFIX_SPACE:
        options["add_prefix_space"] = True
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        source, use_fast=True, trust_remote_code=False, **options
    )
    if not tokenizer.is_fast:
        raise TokenizerUnsuitableError(
            f"{type(tokenizer).__name__} cannot say which subword belongs to which word "
            "(word_ids() needs a fast tokenizer). Choose a model that has a tokenizer.json, or "
            "convert this one with transformers' convert_slow_tokenizer."
        )
    if tokenizer.pad_token is None:
        # Decoder-only models often have none. Padded positions are masked, so any token serves.
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    tokenizer.padding_side = "right"
    return tokenizer


def _explain(name: str, source: str, error: Exception) -> str:
    detail = " ".join(str(error).split())[:300]
    if Path(source).is_dir():
        return f"The folder {name!r} could not be loaded as an encoder: {detail}"
    if "safetensors" in detail and "does not appear to have" in detail:
        return (
            f"{name!r} has no safetensors weights on the hub, and other formats are not read "
            f"because they can run code. Choose a model that has them. ({detail})"
        )
    return (
        f"{name!r} could not be had from the Hugging Face Hub. Check the spelling and the "
        "connection (HF_HUB_OFFLINE must not be set), give a local folder, or use "
        f'load_encoder("minilm"), which needs no download. ({detail})'
    )
