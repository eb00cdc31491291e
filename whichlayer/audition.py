"""Whether an encoder is fit to have its hidden states read, found out by running it.

No list of model names is kept: a few sentences are run, in several ways, and what comes out
decides. What is found is an :class:`Audition`, which ``print(encoder)`` shows; an encoder of which
no true states can be had is refused here, once, and not by odd numbers later.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from whichlayer.tokenization import (
    AS_WRITTEN,
    WITH_BLANKS,
    EncoderError,
    TokenizerUnsuitableError,
    check_tokenizer,
    encode,
    minds_blanks,
    template_of,
)

# Subwords of the inputs that are tried, special tokens not included, where the encoder takes so
# many. Attention in chunks or blocks shows at some lengths only, so there are several.
_LENGTHS = (5, 11, 22, 38)

# Two runs are the same if they differ by less than this many units in the last place, relative to
# a state's size: rounding through a few dozen blocks stays below it, padding that leaks doesn't.
_ROUNDING = 200

NO_LIMIT = 10**9


class EncoderUnsuitableError(EncoderError, ValueError):
    """No true hidden states of text can be had from a model; the message says why."""


@dataclass(frozen=True)
class Audition:
    """What was found out about an encoder when it was loaded.

    Attributes:
        num_states: L + 1, the hidden states that it hands out.
        hidden_size: their width.
        max_length: the most subwords, special tokens included, of one input.
        embedding_rows: for how many subwords it has an embedding; None if it doesn't say.
        minds_blanks: whether the blanks around punctuation change its subwords. If so, sentences
            are given as they were written.
        batching: ``"padded"``, or what the states depend on otherwise: ``"equal lengths"`` (only
            sentences of one length go together) or ``"one by one"``.
        causal: whether a subword's state depends on what stands before it only.
        final_norm: whether the last hidden state is not the last block's own output but that
            output after one more layer, as a rule a norm; None if the last block wasn't found.
        last_block: the name of the last block within the model, or None.
        before: what the model was before its first run, if a run leaves it otherwise (some switch
            to another attention for good when they first see a short text); it is put back
            before each run. None for nearly all models.
    """

    num_states: int
    hidden_size: int
    max_length: int
    embedding_rows: int | None
    minds_blanks: bool
    batching: str
    causal: bool
    final_norm: bool | None
    last_block: str | None
    before: list | None = field(default=None, repr=False, compare=False)


def audition(
    model: torch.nn.Module,
    tokenizer: Any,
    name: str,
    *,
    missing: Mapping[str, torch.Tensor] | None = None,
    computed: Callable[[Collection[str]], Collection[str]] = lambda keys: (),
) -> Audition:
    """Try an encoder.

    Args:
        model: in evaluation mode.
        tokenizer: its tokenizer.
        name: what errors call it.
        missing: names and values of the weights that were not in its file, and are random now
            or were computed.
        computed: says which of some missing weights are computed; it is asked only about those
            that the hidden states depend on.

    Raises:
        TokenizerUnsuitableError: the tokenizer has no word alignment, knows no words, or is that
            of another model.
        EncoderUnsuitableError: the model can't be run on text, hands out no hidden states for
            each subword, is random at each run, or has weights that are missing or no numbers.
    """
    check_tokenizer(tokenizer)
    rows = _embedding_rows(model)
    _check_vocabulary(tokenizer, rows, name)
    limit = _declared_limit(model, tokenizer)
    probes, types = _probes(tokenizer, rows, limit, name)
    with evaluating(model), torch.inference_mode():
        return _try(model, tokenizer, name, probes, types, rows, limit, missing or {}, computed)


def _try(model, tokenizer, name, probes, types, rows, limit, missing, computed) -> Audition:
    *shorter, long = probes
    before, versions = snapshot(model), _versions(model)

    def run(*inputs: Sequence[int], **options):
        if changes_itself:
            restore(before)
        with_types = [types(len(row)) for row in inputs] if types else None
        return forward(model, inputs, with_types, name=name, **options)

    changes_itself = False
    alone_shorter = [run(probe) for probe in shorter[:1]]
    changes_itself = _changed(before) and versions == _versions(model)
    with _watching(model) as seen:
        alone = run(long)
    changes_itself |= _changed(before) and versions == _versions(model)
    _check_states(alone, len(long), name, _blocks_declared(model))
    _check_weights(model, name, missing, computed, lambda: run(long))
    if not all(torch.isfinite(state).all() for state in alone):
        raise EncoderUnsuitableError(
            f"{name} gives states that are no finite numbers. Load it in another precision "
            "(dtype=torch.float32), or choose another copy of it."
        )
    if not _same(alone, run(long)):
        raise EncoderUnsuitableError(
            f"{name} gives other states each time that it reads the same text, even in evaluation "
            "mode: what would be measured is chance. Choose another model, or one without random "
            "hashing or sampling."
        )
    if seen.starts_late(alone):
        raise EncoderUnsuitableError(
            f"The first of the hidden states of {name} is no output of the embeddings but of its "
            "first block, so they can't be numbered as layers 0 to L are. Choose a model that "
            "hands out its embeddings' output first."
        )
    last_block, block = seen.last_block(alone)
    another = next((i for i in long if i != long[-1]), long[-1])
    other = (*long[:-1], another)
    alone_shorter += [run(probe) for probe in shorter[1:]]
    padded = run(long, other, *shorter)
    fits = _same(alone, padded, 0) and all(
        _same(states, padded, row) for row, states in enumerate(alone_shorter, 2)
    )
    if fits:
        # Which attention such a model takes may hang on a longer text beside a short one.
        batching = "equal lengths" if changes_itself else "padded"
    else:
        together = run(long, other)
        batching = "equal lengths" if _same(alone, together, 0) else "one by one"
    changed = padded if fits else run(other)
    earlier = [state[:, :-1] for state in alone]
    causal = _same(earlier, [state[1 if fits else 0 :] for state in changed], 0)
    if changes_itself:
        restore(before)
    limit = min([x for x in (limit, *seen.positions) if x], default=NO_LIMIT)
    return Audition(
        num_states=len(alone),
        hidden_size=alone[0].shape[-1],
        max_length=limit,
        embedding_rows=rows,
        minds_blanks=minds_blanks(tokenizer),
        batching=batching,
        causal=causal,
        final_norm=None if block is None else not _same([block], [alone[-1]]),
        last_block=last_block,
        before=before if changes_itself else None,
    )


def forward(
    model: torch.nn.Module,
    rows: Sequence[Sequence[int]],
    types: Sequence[Sequence[int]] | None = None,
    *,
    name: str,
    last_block: str | None = None,
) -> tuple[torch.Tensor, ...]:
    """The hidden states of a batch: L + 1 tensors of shape (batch, subwords, hidden).

    Args:
        model: in evaluation mode.
        rows: subword ids of each input; shorter ones are padded on the right and masked.
        types: their token types.
        name: what errors call the model.
        last_block: name of a module whose output stands in for the last state.

    Raises:
        EncoderUnsuitableError: the model fails, or hands out no hidden states.
    """
    longest = max(map(len, rows))
    device = next(model.parameters()).device
    accepts = inspect.signature(model.forward).parameters
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    pad = getattr(getattr(model, "config", None), "pad_token_id", None)
    if isinstance(pad, int) and 0 <= pad < (_embedding_rows(model) or 0):
        ids.fill_(pad)  # masked anyway, but some models look for it
    inputs = {"input_ids": ids, "attention_mask": torch.zeros_like(ids)}
    if types is not None and "token_type_ids" in accepts:
        inputs["token_type_ids"] = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        inputs["attention_mask"][i, : len(row)] = 1
        if "token_type_ids" in inputs:
            inputs["token_type_ids"][i, : len(row)] = torch.tensor(types[i])
    if "attention_mask" not in accepts:
        del inputs["attention_mask"]
    options = {"output_hidden_states": True, "return_dict": True, "use_cache": False}
    takes_all = any(p.kind is p.VAR_KEYWORD for p in accepts.values())
    options = {k: v for k, v in options.items() if k in accepts or (takes_all and k != "use_cache")}
    caught: list[torch.Tensor] = []
    handle = None
    if last_block is not None:
        handle = model.get_submodule(last_block).register_forward_hook(
            lambda module, args, output: caught.append(_first_tensor(output))
        )
    try:
        output = model(**{k: v.to(device) for k, v in inputs.items()}, **options)
    except Exception as error:  # of as many kinds as there are models
        if isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError)) or "memory" in str(error):
            raise
        detail = " ".join(str(error).split())[:160]
        raise EncoderUnsuitableError(
            f"{name} can't be run on {longest} subwords of plain text ({type(error).__name__}: "
            f"{detail}). Choose an encoder that takes text and nothing else."
        ) from error
    finally:
        if handle is not None:
            handle.remove()
    states = getattr(output, "hidden_states", None)
    if states is None:
        states = getattr(output, "encoder_hidden_states", None)
    if not states:
        raise EncoderUnsuitableError(
            f"{name} hands out no hidden states. Choose a model that does "
            "(output_hidden_states=True in transformers)."
        )
    return (*states[:-1], caught[-1]) if caught else tuple(states)


@contextlib.contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Evaluation mode for a while: whatever was in training mode is so again afterwards."""
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True


def snapshot(model: torch.nn.Module) -> list[tuple[torch.nn.Module, dict, dict, dict]]:
    """What a model might change about itself in a run: parts, buffers, and plain settings."""
    return [
        (module, _settings(module), dict(module._modules), dict(module._buffers))
        for module in model.modules()
    ]


def restore(before: Sequence[tuple[torch.nn.Module, dict, dict, dict]]) -> None:
    """Put a model back to what :func:`snapshot` has noted, but for its training mode."""
    for module, settings, modules, buffers in before:
        module.__dict__.update(settings)
        module._modules.clear()
        module._modules.update(modules)
        module._buffers.clear()
        module._buffers.update(buffers)


def missing_blocks(unexpected: Collection[str], known: Collection[str]) -> list[str]:
    """Weights of a file that belong to blocks which the configuration leaves out.

    They are those whose name, with a smaller number in it, is a name of the model.
    """
    known = set(known)
    # A file saved from a model with a head has the base model's names behind a prefix.
    tails = {re.sub(r"^[^.]*\.", "", k) for k in known} | known
    left_out = []
    for key in unexpected:
        for number in re.finditer(r"(?<=\.)\d+(?=\.)", key):
            smaller = key[: number.start()] + "0" + key[number.end() :]
            names = {smaller, smaller.partition(".")[2]}
            if int(number[0]) > 0 and names & (known | tails):
                left_out.append(key)
                break
    return sorted(left_out)


def _settings(module: torch.nn.Module) -> dict:
    plain = (str, int, float, bool, type(None))
    return {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, plain) and key != "training" and not key.startswith("_")
    }


def _changed(before: Sequence[tuple[torch.nn.Module, dict, dict, dict]]) -> bool:
    return any(
        _settings(module) != settings
        or any(module._modules.get(k) is not v for k, v in modules.items())
        or any(module._buffers.get(k) is not v for k, v in buffers.items())
        for module, settings, modules, buffers in before
    )


def _versions(model: torch.nn.Module) -> list[int]:
    return [parameter._version for parameter in model.parameters()]


def _first_tensor(output: Any) -> Any:
    if isinstance(output, (tuple, list)):
        return output[0] if output else None
    return output if isinstance(output, torch.Tensor) else next(iter(vars(output).values()), None)


class _Watch:
    """What went in and out of the model's parts in one run."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[torch.Tensor], Any]] = []
        self.positions: list[int] = []

    def last_block(self, states: Sequence[torch.Tensor]) -> tuple[str | None, torch.Tensor | None]:
        """The outermost part of a list that made something of the last state but one."""
        if len(states) < 2:
            return None, None
        found = [
            (name, output)
            for name, given, output in self.calls
            if isinstance(output, torch.Tensor)
            and output.shape == states[-1].shape
            and any(x.shape == states[-2].shape and torch.equal(x, states[-2]) for x in given)
        ]
        if not found:
            return None, None
        outermost = min(found, key=lambda call: call[0].count("."))
        return outermost

    def starts_late(self, states: Sequence[torch.Tensor]) -> bool:
        """Whether the first state is what a part of a list made of something of its shape."""
        return any(
            isinstance(output, torch.Tensor)
            and output.shape == states[0].shape
            and torch.equal(output, states[0])
            and any(x.shape == output.shape and not torch.equal(x, output) for x in given)
            for _, given, output in self.calls
        )


@contextlib.contextmanager
def _watching(model: torch.nn.Module) -> Iterator[_Watch]:
    watch, handles = _Watch(), []

    def block(name):
        def hook(module, args, kwargs, output):
            given = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
            watch.calls.append((name, given, _first_tensor(output)))

        return hook

    def table(module, args, kwargs):
        ids = next((x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)), None)
        if (
            ids is None
            or ids.dtype != torch.long
            or ids.numel() < 3
            or ids.numel() != ids.shape[-1]
        ):
            return
        row = ids.reshape(-1)
        # Numbers that rise by one are positions; the first may be a padding index further.
        if (row[1:] - row[:-1] == 1).all():
            watch.positions.append(module.num_embeddings - int(row[0]))

    words = _embedding_table(model)
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Embedding) and module is not words:
            handles.append(module.register_forward_pre_hook(table, with_kwargs=True))
        elif name.rpartition(".")[2].isdigit():
            handles.append(module.register_forward_hook(block(name), with_kwargs=True))
    try:
        yield watch
    finally:
        for handle in handles:
            handle.remove()


def _embedding_table(model: torch.nn.Module) -> torch.nn.Module | None:
    try:
        return model.get_input_embeddings()
    except Exception:  # models without a table of their own raise many kinds
        return None


def _embedding_rows(model: torch.nn.Module) -> int | None:
    weight = getattr(_embedding_table(model), "weight", None)
    return int(weight.shape[0]) if isinstance(weight, torch.Tensor) and weight.ndim == 2 else None


def _blocks_declared(model: torch.nn.Module) -> int | None:
    return getattr(getattr(model, "config", None), "num_hidden_layers", None)


def _declared_limit(model: torch.nn.Module, tokenizer: Any) -> int | None:
    """What the tokenizer and the configuration say; -1 and the like mean no limit."""
    config = getattr(model, "config", None)
    said = [
        getattr(tokenizer, "model_max_length", None),
        getattr(config, "max_position_embeddings", None),
    ]
    numbers = [int(x) for x in said if isinstance(x, (int, float)) and 0 < x < NO_LIMIT]
    return min(numbers, default=None)


def _check_vocabulary(tokenizer: Any, rows: int | None, name: str) -> None:
    size = tokenizer.vocab_size
    if rows is not None and size > rows:
        raise TokenizerUnsuitableError(
            f"The tokenizer of {name} has {size} subwords and the model embeddings for {rows}: "
            "they don't belong together. Load the tokenizer that the model was trained with."
        )
    (encoding,), _ = encode(tokenizer, [WITH_BLANKS])
    before, after = template_of(encoding)
    read = encoding.tokens[before : len(encoding.ids) - after]
    words = _wordlike(tokenizer.convert_ids_to_tokens(list(range(min(size, 300)))))
    # A vocabulary without an English word may be that of another language; one without any is
    # what transformers makes up where a tokenizer's files are missing.
    if len(words) < 3 and not _wordlike(read):
        raise TokenizerUnsuitableError(
            f"The tokenizer of {name} knows no words at all, only special tokens: its files "
            "(tokenizer.json, vocab.txt, ...) are missing. Save them beside the model with "
            "tokenizer.save_pretrained(folder)."
        )


def _wordlike(tokens: Sequence[str | None]) -> list[str]:
    """Those that hold something besides a blank's mark and aren't written as <...> or [...]."""
    return [
        token
        for token in tokens
        if token and token.strip("\u2581\u0120 ") and not (token[0] in "<[" and token[-1] in ">]")
    ]


def _probes(tokenizer: Any, rows: int | None, limit: int | None, name: str):
    """Inputs of several lengths, and a function that gives the token types of one so long."""
    text = f"{AS_WRITTEN} {WITH_BLANKS}"
    (encoding,), has_types = encode(tokenizer, [text])
    n_before, n_after = template_of(encoding)
    stop = len(encoding.ids) - n_after
    before, after = encoding.ids[:n_before], encoding.ids[stop:]
    content = [i for i in encoding.ids[n_before:stop] if rows is None or i < rows]
    if len(set(content)) < 8:
        special = {*tokenizer.all_special_ids}
        content = [
            i for i in range(min(rows or 100, tokenizer.vocab_size, 200)) if i not in special
        ]
        content = [content[i * 7 % len(content)] for i in range(_LENGTHS[-1])] if content else [0]
    if rows is not None and max((*before, *after), default=0) >= rows:
        raise TokenizerUnsuitableError(
            f"The tokenizer of {name} puts a special token around each sentence that the model has "
            f"no embedding for (it has {rows}). Load the tokenizer that it was trained with."
        )
    room = min((limit or NO_LIMIT) - n_before - n_after, _LENGTHS[-1])
    if room < 1:
        raise TokenizerUnsuitableError(
            f"{name} takes {limit} subwords at most, which leaves no room for a word besides its "
            f"{n_before + n_after} special tokens. Set tokenizer.model_max_length right in its files."
        )
    while len(content) < room:
        content = content + content
    kinds = encoding.type_ids

    def types(length: int) -> list[int]:
        inner = length - n_before - n_after
        return [*kinds[:n_before], *[kinds[n_before]] * inner, *kinds[stop:]]

    lengths = sorted({max(1, room * length // _LENGTHS[-1]) for length in _LENGTHS})
    return [[*before, *content[:n], *after] for n in lengths], types if has_types else None


def _check_states(
    states: Sequence[torch.Tensor], length: int, name: str, blocks: int | None
) -> None:
    shapes = [tuple(getattr(state, "shape", ())) for state in states]
    if len(states) < 2 or any(s != (1, length, shapes[0][-1]) for s in shapes):
        seen = ", ".join(str(list(s[1:])) for s in dict.fromkeys(shapes))
        raise EncoderUnsuitableError(
            f"{name} has no hidden state of one width for each subword after each block: for "
            f"{length} subwords it gives {len(shapes)} states of the shapes {seen}. Choose a model "
            "that keeps its subwords and its width from block to block."
        )
    if isinstance(blocks, int) and len(states) != blocks + 1:
        raise EncoderUnsuitableError(
            f"{name} has {blocks} blocks by its configuration, but hands out {len(states)} hidden "
            f"states where {blocks + 1} belong. Choose a model that gives one after each block."
        )


def _check_weights(model, name: str, missing: Mapping, computed, run) -> None:
    """Refuse weights that are random or no numbers, if the hidden states depend on them."""
    if missing:
        bad = [key for key in missing if _matters({key: missing[key]}, run)]
        bad = sorted(set(bad) - set(computed(bad))) if bad else []
        if bad:
            raise EncoderUnsuitableError(
                f"The weights of {name} lack {_some(bad)}, which transformers would draw at random. "
                "Save the whole model with model.save_pretrained(folder), with a configuration "
                "that fits it."
            )
    broken = {
        key: parameter
        for key, parameter in model.named_parameters()
        if parameter.is_floating_point() and not _finite(parameter)
    }
    bad = [key for key in broken if _matters({key: broken[key]}, run)]
    if bad:
        raise EncoderUnsuitableError(
            f"The weights of {name} hold numbers that are not finite, in {_some(bad)}. Take another "
            "copy of the model."
        )


def _some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
    return ", ".join(keys[:3]) + more


def _finite(values: torch.Tensor) -> bool:
    # A sum is the quickest look at all of them; only if it overflows is each looked at.
    return bool(torch.isfinite(values.sum())) or bool(torch.isfinite(values).all())


def _matters(parameters: Mapping[str, torch.Tensor], run) -> bool:
    """Whether the states change when these weights are no numbers."""
    kept = {key: value.detach().clone() for key, value in parameters.items()}
    try:
        for value in parameters.values():
            value.data.fill_(float("nan"))
        return not all(torch.isfinite(state).all() for state in run())
    finally:
        for key, value in parameters.items():
            value.data.copy_(kept[key])


def _same(
    states: Sequence[torch.Tensor], others: Sequence[torch.Tensor], row: int | None = None
) -> bool:
    """Whether states of one input are, but for rounding, a row of a batch's (padded) states."""
    for state, other in zip(states, others, strict=True):
        a = state.float()
        b = (other if row is None else other[row : row + 1])[:, : a.shape[1]].float()
        tolerance = min(0.1, _ROUNDING * torch.finfo(state.dtype).eps)
        if not ((a - b).abs() <= tolerance * (a.abs() + a.square().mean().sqrt())).all():
            return False
    return True
