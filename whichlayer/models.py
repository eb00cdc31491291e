"""Load a frozen encoder with its tokenizer, and make a randomly initialised twin of it.

An encoder with L transformer blocks gives L + 1 hidden states: index 0 is the output of the
embeddings, indices 1..L are the outputs of the blocks. No number of layers is written down here:
everything is read from the model's configuration.
"""

from __future__ import annotations

import contextlib
import copy
import os
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from packaging.version import Version

from whichlayer import bundled
from whichlayer.audition import (
    NO_LIMIT,
    Audition,
    EncoderUnsuitableError,
    audition,
    forward,
    missing_blocks,
)
from whichlayer.bundled import ModelUnavailableError
from whichlayer.tokenization import AS_WRITTEN, encode

# Whoever catches an encoder's errors finds them where encoders are loaded.
from whichlayer.tokenization import EncoderError as EncoderError
from whichlayer.tokenization import TokenizerUnsuitableError as TokenizerUnsuitableError

# What an audition says about batches, in words.
BATCHES = {
    "padded": "any sentences together",
    "equal lengths": "only sentences of one length together, since padding changes its states",
    "one by one": "one sentence at a time, since others in a batch change its states",
}


# Decoders whose vocabulary head, where it is tied, is the embeddings transposed and nothing else.
_HEAD_IS_EMBEDDINGS = {"gpt2", "llama", "qwen2", "qwen3"}


@dataclass(frozen=True)
class Encoder:
    """A frozen model and the tokenizer it was trained with, found fit to be read.

    Attributes:
        model: the transformer, its parameters not requiring gradients.
        tokenizer: a fast tokenizer (one that knows where in a text a subword is).
        name: what was asked for, as in :func:`load_encoder`.
        audition: what was found out by running it, an
            :class:`~whichlayer.audition.Audition`; ``print(encoder)`` shows it.

    Raises:
        EncoderUnsuitableError, TokenizerUnsuitableError: no true states can be had; see
            :func:`whichlayer.audition.audition`.
    """

    model: torch.nn.Module
    tokenizer: transformers.PreTrainedTokenizerBase
    name: str
    audition: Audition = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.audition is None:
            found = audition(self.model, self.tokenizer, self.name)
            object.__setattr__(self, "audition", found)

    @property
    def num_layers(self) -> int:
        """L, the number of transformer blocks."""
        return self.audition.num_states - 1

    @property
    def num_states(self) -> int:
        """L + 1, the number of hidden states: the embeddings' output and one for each block."""
        return self.audition.num_states

    @property
    def hidden_size(self) -> int:
        """Width of a hidden state, in dimensions."""
        return self.audition.hidden_size

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    @property
    def max_length(self) -> int:
        """The most subwords, special tokens included, that fit in one input."""
        return self.audition.max_length

    @property
    def final_norm(self) -> bool | None:
        """Whether the last hidden state has gone through one more layer, as a rule a norm.

        If so, ``extract(..., last_state="block")`` gives the last block's own output instead.
        None if that couldn't be found out.
        """
        return self.audition.final_norm

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

    def __str__(self) -> str:
        found = self.audition
        last = {
            True: "the last block's output after a final norm",
            False: "the last block's own output",
            None: "not found out whether the last block's own output",
        }[found.final_norm]
        sees = "what stands before it" if found.causal else "the whole sentence"
        limit = f"{found.max_length:,}" if found.max_length < NO_LIMIT else "no limit known"
        given = "as they were written" if found.minds_blanks else "as words with blanks between"
        lines = [
            repr(self),
            f"  last state: {last}",
            f"  a word sees: {sees}",
            f"  sentences are given: {given}",
            f"  longest input, in subwords: {limit}",
            f"  batches: {BATCHES[found.batching]}",
        ]
        if found.before is not None:
            lines.append("  changes itself as it runs: put back before each run")
        return "\n".join(lines)


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
        TokenizerUnsuitableError: the tokenizer has no word alignment, or isn't that of the model.
        EncoderUnsuitableError: no true hidden states can be had: weights are missing or no
            numbers, the model takes more than text or keeps no state for each subword, ...

    Warns:
        UserWarning: sentences of different lengths can't be read together, which takes longer.

    Weights are read as safetensors only and no remote code is run.
    """
    name = os.fspath(name)
    options = {"attn_implementation": attn_implementation} if attn_implementation else {}
    # transformers 5 calls the argument dtype; before 4.56 only torch_dtype was known.
    new_name = Version(transformers.__version__) >= Version("4.56")
    options["dtype" if new_name else "torch_dtype"] = dtype
    if name in bundled.OWN_FORMAT:
        with _quietly():
            model, tokenizer = bundled.load(name, **options)
        model = model.to(device).eval().requires_grad_(False)
        return Encoder(model=model, tokenizer=tokenizer, name=name)
    in_package = name in bundled.BUNDLED
    source = str(bundled.weights_of(name).parent) if in_package else _folder_or_hub_name(name)
    stage = "configuration"
    try:
        with _quietly():
            config = transformers.AutoConfig.from_pretrained(source, trust_remote_code=False)
            stage = "tokenizer"
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                source, use_fast=True, trust_remote_code=False
            )
            stage = "model"
            # Weights of a wrong shape are passed over here, to be named below.
            model, report = transformers.AutoModel.from_pretrained(
                source, config=config, use_safetensors=True, trust_remote_code=False,
                output_loading_info=True, ignore_mismatched_sizes=True, **options,
            )  # fmt: skip
    except BaseException as error:  # of many kinds; the tokenizers' panics are no Exceptions
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit)):
            raise
        raise ModelUnavailableError(_explain(name, source, stage, error)) from error
    _check_tokenizer_files(tokenizer, source, name)
    part = _text_part(model).to(device)
    missing = _missing(model, part, report, name)
    part.eval().requires_grad_(False)
    found = audition(
        part, tokenizer, repr(name), missing=missing, computed=lambda keys: _computed(model, keys)
    )
    left_out = missing_blocks(report["unexpected_keys"], set(model.state_dict()))
    if left_out:
        raise EncoderUnsuitableError(
            f"The weights of {name!r} hold blocks that its configuration leaves out ("
            f"{', '.join(left_out[:2])}, ...). Set the number of blocks in config.json right, or "
            "save the model again with model.save_pretrained(folder)."
        )
    if found.batching != "padded":
        warnings.warn(
            f"{name!r} is given {BATCHES[found.batching]}. extract sees to it, and takes longer.",
            stacklevel=2,
        )
    return Encoder(model=part, tokenizer=tokenizer, name=name, audition=found)


def _missing(model, part, report: dict, name: str) -> dict[str, torch.Tensor]:
    """The weights of the part that were not in the file; a wrong shape is refused."""
    here = {id(weight) for weight in part.parameters()}
    weights = {key: weight for key, weight in model.named_parameters() if id(weight) in here}
    for key, in_file, in_model in sorted(report["mismatched_keys"]):
        if key in weights:
            raise EncoderUnsuitableError(
                f"The configuration of {name!r} isn't that of its weights: {key} has the shape "
                f"{list(in_file)} in the file and should have {list(in_model)}. Set config.json "
                "right, or save the model again with model.save_pretrained(folder)."
            )
    return {key: weights[key] for key in sorted(report["missing_keys"]) if key in weights}


def _computed(model: torch.nn.Module, keys: Collection[str]) -> set[str]:
    """Which weights are no weights but tables that the configuration determines (sinusoids, say).

    They are the same in a model built anew, without all being one number as biases are.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        fresh = dict(type(model)(copy.deepcopy(model.config)).named_parameters())
    ours = dict(model.named_parameters())
    return {
        key
        for key in keys
        if key in fresh
        and ours[key].unique().numel() > 1
        and torch.equal(ours[key].float().cpu(), fresh[key].float())
    }


def _text_part(model: torch.nn.Module) -> torch.nn.Module:
    """The part of a model that reads text, where it has others: an encoder beside a decoder, ..."""

    def part(name: str) -> torch.nn.Module | None:
        found = getattr(model, name, None)
        return found if isinstance(found, torch.nn.Module) else None

    if part("encoder") is not None and part("decoder") is not None:
        return model.encoder
    return part("text_model") or part("language_model") or model


def random_twin(encoder: Encoder, seed: int = 0, *, keep_embeddings: bool = False) -> Encoder:
    """The same architecture with fresh random weights: what the architecture alone gives.

    The model is built anew from the configuration. Calling ``init_weights()`` on the loaded model
    would not do: transformers marks loaded weights as initialised and leaves them as they are.

    Args:
        encoder: the encoder to imitate.
        seed: seeds the weights; the same seed gives the same twin. The global random state is
            left as it was.
        keep_embeddings: keep the weights that layer 0 is made of, so that only the blocks are
            random.

    Returns:
        An :class:`Encoder` in evaluation mode with the same tokenizer, precision and device.

    Raises:
        EncoderUnsuitableError: the configuration makes another architecture than the encoder's
            (one whose blocks were taken out by hand, say).

    Source: random-weight baselines as in Conneau et al. 2018 and Tenney et al. 2019.
    """
    config = copy.deepcopy(getattr(encoder.model, "config", None))
    if config is None:
        raise EncoderUnsuitableError(
            f"{encoder.name} has no configuration of its own to build a random twin from. Choose "
            "a model whose encoder has one."
        )
    reference = next(encoder.model.parameters())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = type(encoder.model)(config)
    if _shapes(model) != _shapes(encoder.model):  # a part may be made only with its whole
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = _text_part(transformers.AutoModel.from_config(config))
    if _shapes(model) != _shapes(encoder.model):
        raise EncoderUnsuitableError(
            f"{encoder.name} is not what its configuration says (blocks taken out or added?), so "
            "it has no random twin. Set encoder.model.config to what the model is."
        )
    model = model.to(device=reference.device, dtype=reference.dtype).eval().requires_grad_(False)
    if keep_embeddings:
        kept = _weights_of_layer_0(encoder)
        model.load_state_dict(kept, strict=False)
    kind = f"random {seed}, embeddings kept" if keep_embeddings else f"random {seed}"
    return Encoder(model=model, tokenizer=encoder.tokenizer, name=f"{encoder.name} ({kind})")


def _shapes(model: torch.nn.Module) -> dict[str, torch.Size]:
    return {name: weight.shape for name, weight in model.named_parameters()}


def _weights_of_layer_0(encoder: Encoder) -> dict[str, torch.Tensor]:
    """The weights that hidden state 0 depends on: those that a gradient from it reaches."""
    (encoding,), _ = encode(encoder.tokenizer, [AS_WRITTEN])
    model = copy.deepcopy(encoder.model).requires_grad_(True)
    weights = dict(model.named_parameters())
    with torch.enable_grad():
        states = forward(model, [encoding.ids[: encoder.max_length]], name=encoder.name)
        reached = torch.autograd.grad(
            states[0].float().square().sum(), list(weights.values()), allow_unused=True
        )
    return {
        name: weight.detach()
        for (name, weight), gradient in zip(weights.items(), reached, strict=True)
        if gradient is not None
    }


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
def _quietly() -> Iterator[None]:
    """No bar, which would litter a notebook, and no warnings: the audition looks for itself."""
    logging = transformers.utils.logging
    shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()


def _check_tokenizer_files(tokenizer, source: str, name: str) -> None:
    """Refuse a folder without a tokenizer, for which transformers makes up a tiny vocabulary."""
    folder = Path(source)
    if not folder.is_dir() or (folder / "tokenizer.json").is_file():
        return
    names = dict(getattr(tokenizer, "vocab_files_names", {}))
    names.pop("tokenizer_file", None)
    missing = [file for file in names.values() if not (folder / file).is_file()]
    if missing or (not names and not any(folder.glob("*.model"))):
        raise ModelUnavailableError(
            f"The folder {name!r} holds a model but no tokenizer: "
            f"{' and '.join(['tokenizer.json', *missing])} not found. Save it there with "
            "tokenizer.save_pretrained(folder)."
        )


def _explain(name: str, source: str, stage: str, error: BaseException) -> str:
    detail = " ".join(str(error).split())
    if Path(source).is_dir():
        return (
            f"The folder {name!r} could not be loaded as an encoder: its {stage} can't be read "
            f"({type(error).__name__}: {detail[:160]}). Save it again with "
            f"{stage.replace('configuration', 'config')}.save_pretrained(folder), or choose "
            "another model."
        )
    detail = detail[:300]
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
