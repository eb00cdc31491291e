"""Change hidden states inside the forward pass, and see what the layers above make of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from whichlayer.audition import EncoderUnsuitableError, evaluating, forward
from whichlayer.corpora import Sentence
from whichlayer.erasure import Eraser
from whichlayer.models import Encoder
from whichlayer.tokenization import AS_WRITTEN, encode, tokenize

# (states, text) -> states: of shape (inputs, subwords, hidden); ``text`` is True where a subword
# stands for text, and False at special tokens and padding.
Change = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

# A hieroglyph, which hardly any vocabulary has: a tokenizer that can't spell it gives its unknown
# token.
_UNHEARD_OF = "\U00013000"


@contextlib.contextmanager
def intervene(encoder: Encoder, layer: int, change: Change) -> Iterator[None]:
    """While this lasts, one hidden state is replaced wherever the encoder runs.

    All that runs the encoder sees it: ``extract``, ``surprisal``, a call of ``encoder.model``. The
    layers above work on the changed state; those below don't know of it. Several can be nested, of
    which the outer is applied first. Afterwards nothing is left, whatever was raised.

    Args:
        encoder: a loaded encoder.
        layer: which hidden state, 0 (the embeddings' output) to L; negative from the end.
        change: called with the states, (inputs, subwords, hidden), and a bool tensor (inputs,
            subwords) that is True where a subword of text stands; gives the new states. It must not
            change what it was given.

    Raises:
        ValueError: no such layer, or states of another shape than those given.
        EncoderUnsuitableError: the module that makes this state can't be told.
    """
    module = _module_of_state(encoder, layer)
    special = _special_ids(encoder)
    text: list[torch.Tensor] = []

    def look(model, args, given):
        ids = given.get("input_ids", args[0] if args else None)
        mask = given.get("attention_mask")
        text[:] = [~torch.isin(ids, special.to(ids.device))]
        if mask is not None:
            text[0] &= mask.bool()

    failed: list[BaseException] = []

    def replaced(states):
        try:
            new = change(states, text[0])
        except BaseException as error:
            failed.append(error)
            raise
        if new.shape != states.shape:
            failed.append(
                ValueError(
                    f"The change made states of shape {tuple(new.shape)} from "
                    f"{tuple(states.shape)}: it must keep the shape."
                )
            )
            raise failed[-1]
        return new

    looking = encoder.model.register_forward_pre_hook(look, with_kwargs=True)
    try:
        with _replacing(module, replaced):
            yield
    except EncoderUnsuitableError:
        # What fails in a forward pass is laid to the encoder; here the change is to blame.
        if failed:
            raise failed[-1] from None
        raise
    finally:
        looking.remove()


@contextlib.contextmanager
def _replacing(module: torch.nn.Module, change: Callable) -> Iterator[None]:
    """Change what a module gives out, before any hook on it (transformers' own too) sees it."""
    before = module.__dict__.get("forward")  # of an outer change; None as a rule
    run = module.forward

    def forward_changed(*args, **given):
        output = run(*args, **given)
        if isinstance(output, torch.Tensor):
            return change(output)
        return (change(output[0]), *output[1:])

    module.forward = forward_changed
    try:
        yield
    finally:
        if before is None:
            del module.forward
        else:
            module.forward = before


def erased(encoder: Encoder, layer: int, eraser: Eraser) -> contextlib.AbstractContextManager:
    """While this lasts, an eraser is applied to one hidden state of every subword of text.

    Special tokens stay as they are: no word was there to fit the eraser on, and some decoders keep
    very large values at their start token, which everything above relies on.

    Args, Raises: as for :func:`intervene`; an eraser of another width is a ValueError.
    """

    def change(states, text):
        return torch.where(text[..., None], eraser(states), states)

    return intervene(encoder, layer, change)


@torch.inference_mode()
def patch_words(
    encoder: Encoder,
    sentences: Sequence[Sentence],
    words: Sequence[int],
    layer: int = 0,
    states: np.ndarray | None = None,
    *,
    read: Sequence[int] | None = None,
    batch_size: int = 32,
) -> np.ndarray:
    """Put other states in the place of one word in each sentence, and read what becomes of the word.

    Args:
        encoder: a loaded encoder.
        sentences: sentences; one may stand there several times.
        words: for each, the position of the word whose state is replaced. A word of several
            subwords is replaced, and read, at its first; the others stay.
        layer: at which hidden state; negative from the end.
        states: (sentences, hidden), what is put there; None to read only, in the same batches, so
            that putting back what was read changes no bit.
        read: for each, the position of the word that is read; the one that is replaced, if not
            given.
        batch_size: sentences that run together.

    Returns:
        float32, (L + 1, sentences, hidden): the state of the word that is read at every layer.
        Layers below ``layer`` are as without the patch.

    Raises:
        ValueError: lists of different lengths, a sentence without that word, states of another
            shape, no such layer.

    Source: activation patching, an intervention on a mediator as in Vig et al. 2020.
    """
    sentences = list(sentences)
    words = _one_in_each(sentences, words)
    read = words if read is None else _one_in_each(sentences, read)
    shape = (len(sentences), encoder.hidden_size)
    if states is not None and np.shape(states) != shape:
        raise ValueError(f"States of shape {np.shape(states)} for {shape}: one for each sentence.")
    rows, at, read_at, types = [], [], [], []
    for subwords, word, wanted in zip(tokenize(encoder, sentences), words, read, strict=True):
        rows.append((*subwords.before, *subwords.ids, *subwords.after))
        at.append(len(subwords.before) + subwords.spans[word][0])
        read_at.append(len(subwords.before) + subwords.spans[wanted][0])
        if subwords.types is not None:
            first, inner, last = subwords.types
            types.append((*first, *[inner] * len(subwords.ids), *last))
    out = np.empty((encoder.num_states, *shape), dtype=np.float32)
    batch: list[int] = []  # what the change below looks at

    def change(given, text):
        changed = given.clone()
        new = torch.as_tensor(np.asarray(states)[batch]).to(given)
        changed[torch.arange(len(batch)), [at[i] for i in batch]] = new
        return changed

    # Sentences of like length run together, in an order that the patch has no part in.
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    size = 1 if encoder.audition.batching != "padded" else batch_size
    patch = contextlib.nullcontext() if states is None else intervene(encoder, layer, change)
    with evaluating(encoder.model), patch:
        for start in range(0, len(order), size):
            batch[:] = order[start : start + size]
            hidden = forward(
                encoder.model, [rows[i] for i in batch],
                [types[i] for i in batch] if types else None, name=encoder.name,
            )  # fmt: skip
            for k, state in enumerate(hidden):
                found = state[torch.arange(len(batch)), [read_at[i] for i in batch]]
                out[k, batch] = found.float().cpu().numpy()
    return out


def _one_in_each(sentences: Sequence[Sentence], words: Sequence[int]) -> list[int]:
    words = [int(word) for word in words]
    if len(words) != len(sentences):
        raise ValueError(f"{len(words)} words for {len(sentences)} sentences: give one for each.")
    for sentence, word in zip(sentences, words, strict=True):
        if not 0 <= word < len(sentence.words):
            raise ValueError(
                f"Sentence {sentence.id!r} has no word {word}: it has {len(sentence.words)}."
            )
    return words


def _special_ids(encoder: Encoder) -> torch.Tensor:
    """The special tokens that stand for no text. The unknown token does, where text can become it."""
    tokenizer = encoder.tokenizer
    (strange,), _ = encode(tokenizer, [_UNHEARD_OF])
    special = set(tokenizer.all_special_ids) - {tokenizer.mask_token_id}
    if tokenizer.unk_token_id in strange.ids:
        special.discard(tokenizer.unk_token_id)
    return torch.tensor(sorted(special), dtype=torch.long)


@torch.inference_mode()
def _module_of_state(encoder: Encoder, layer: int) -> torch.nn.Module:
    """The outermost module that gives out a hidden state and nothing else, found by running it."""
    n = encoder.num_states
    if not -n <= layer < n:
        raise ValueError(f"There is no layer {layer}: they run from 0 to {n - 1}.")
    (encoding,), _ = encode(encoder.tokenizer, [AS_WRITTEN])
    ids = encoding.ids[: encoder.max_length]
    outputs: list[tuple[torch.nn.Module, torch.Tensor]] = []

    def note(module, args, output):
        first = output[0] if isinstance(output, tuple) and output else output
        if isinstance(first, torch.Tensor):
            outputs.append((module, first.clone()))

    parts = [module for module in encoder.model.modules() if module is not encoder.model]
    with evaluating(encoder.model):
        handles = [module.register_forward_hook(note) for module in parts]
        try:
            states = forward(encoder.model, [ids], name=encoder.name)
        finally:
            for handle in handles:
                handle.remove()
        wanted = states[layer].clone()
        # Whole modules end after their parts, so the outermost comes last.
        makers = [
            module
            for module, output in outputs
            if output.shape == wanted.shape and torch.equal(output, wanted)
        ]
        if makers:
            with _replacing(makers[-1], torch.zeros_like):
                arrives = not forward(encoder.model, [ids], name=encoder.name)[layer].any()
            if arrives:
                return makers[-1]
    raise EncoderUnsuitableError(
        f"In {encoder.name} the module that makes hidden state {layer % n} can't be told, so "
        "nothing can be changed there. Choose another layer, or an encoder whose blocks give out "
        "their states."
    )
