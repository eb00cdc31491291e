"""How well does a decoder foretell its text? The surprisal of each subword."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from whichlayer.audition import evaluating, forward
from whichlayer.corpora import Sentence
from whichlayer.models import Encoder
from whichlayer.resampling import Bootstrap
from whichlayer.tokenization import Subwords, tokenize


@dataclass(frozen=True)
class Surprisal:
    """What :func:`surprisal` found, one entry for each subword that could be foretold.

    Attributes:
        nats: float64, (subwords,), minus the natural logarithm of the chance that it was given.
        ids: (subwords,), the subwords, as numbers of the vocabulary.
        sentence_ids, document_ids: (subwords,), where each stands.
    """

    nats: np.ndarray
    ids: np.ndarray
    sentence_ids: np.ndarray
    document_ids: np.ndarray

    def __repr__(self) -> str:
        return (
            f"Surprisal: {self.loss:.3f} nats a subword (perplexity {self.perplexity:.1f}) over "
            f"{len(self.nats):,} subwords"
        )

    def __len__(self) -> int:
        return len(self.nats)

    @property
    def loss(self) -> float:
        """The mean, in nats a subword."""
        return float(self.nats.mean())

    @property
    def perplexity(self) -> float:
        """e to the loss."""
        return math.exp(self.loss)

    def bootstrap(self, n: int = 1000, seed: int = 0) -> Bootstrap:
        """Draws of the documents (or sentences) that the subwords come from."""
        return Bootstrap.of(self.sentence_ids, self.document_ids, n=n, seed=seed)


@torch.inference_mode()
def surprisal(
    encoder: Encoder,
    sentences: Sequence[Sentence],
    *,
    first_token: str | None = None,
    context: str = "sentence",
) -> Surprisal:
    """Minus the log of the chance that a decoder gives each subword, from what stands before it.

    Args:
        encoder: a decoder whose vocabulary head is its embeddings (``encoder.lm_head``).
        sentences: what it reads.
        first_token: a token to put before each input, from which its first subword is foretold.
            Without one, the first subword isn't counted.
        context: ``"sentence"``, or ``"document"``: sentences of one document that stand one after
            another are read as one text, as far as the encoder's length allows.

    Returns:
        A :class:`Surprisal`.

    Raises:
        ValueError: the encoder has no such head.
        SentenceUnsuitableError: as for :func:`~whichlayer.extraction.extract`.
    """
    head = encoder.lm_head
    sentences = list(sentences)
    read = tokenize(encoder, sentences, first_token=first_token, context=context)
    found = []
    with evaluating(encoder.model):
        for subwords, members in _read_at_once(zip(sentences, read, strict=True)):
            ids = (*subwords.before, *subwords.ids, *subwords.after)
            states = forward(encoder.model, [ids], name=encoder.name)[-1][0]
            for sentence, begin, end in members:
                # The subword at i is foretold by the state at i - 1.
                begin, end = (len(subwords.before) + place for place in (max(begin, 0), end))
                begin = max(begin, 1)
                chances = head(states[begin - 1 : end - 1]).float().log_softmax(-1)
                own = torch.tensor(ids[begin:end], dtype=torch.long, device=chances.device)
                nats = -chances.gather(1, own[:, None])[:, 0]
                found.append((sentence, nats.double().cpu().numpy(), own.cpu().numpy()))
    sizes = [len(nats) for _, nats, _ in found]
    return Surprisal(
        nats=np.concatenate([nats for _, nats, _ in found]),
        ids=np.concatenate([ids for _, _, ids in found]),
        sentence_ids=np.repeat([sentence.id for sentence, _, _ in found], sizes),
        document_ids=np.repeat([sentence.document_id for sentence, _, _ in found], sizes),
    )


def _read_at_once(
    read: Iterator[tuple[Sentence, Subwords]],
) -> Iterator[tuple[Subwords, list[tuple[Sentence, int, int]]]]:
    """Inputs, and for each the sentences it holds with where their subwords begin and end.

    A sentence whose context is exactly the input before it makes that input longer, so that a
    document runs once and not once a sentence.
    """
    current, members = None, []
    for sentence, subwords in read:
        goes_on = (
            current is not None
            and subwords.own_from == len(current.ids) > 0
            and subwords.ids[: subwords.own_from] == current.ids
        )
        if not goes_on:
            if current is not None:
                yield current, members
            members = []
        current = subwords
        members.append((sentence, subwords.own_from, len(subwords.ids)))
    if current is not None:
        yield current, members
