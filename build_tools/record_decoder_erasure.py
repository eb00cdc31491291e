"""Erase part of speech in a decoder, and see how much worse it foretells: what chapter 9 compares.

Recorded, for SmolLM2 and the treebank's test part: the loss, document by document, with part of speech
erased at several depths, and with controls; and what a probe reads before and after. `record.py` runs
this.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
from record_erasure import ERASED, PROBES, controls, named

from whichlayer.activations import Activations
from whichlayer.bundled import BUNDLED
from whichlayer.corpora import Sentence, load_treebank, word_labels
from whichlayer.erasure import Eraser, fit_eraser
from whichlayer.extraction import extract
from whichlayer.intervention import erased
from whichlayer.models import load_encoder
from whichlayer.splits import Split
from whichlayer.surprisal import surprisal

DEPTHS = (1, 5, 10, 15, 20, 25, 29)
READ_AGAIN = 10


def record(target: Path) -> None:
    arrays: dict[str, np.ndarray] = {}
    decoder, reading = load_encoder("smollm2"), BUNDLED["smollm2"].reading
    given = {key: reading[key] for key in ("first_token", "context")}
    kept = [s for s in load_treebank() if s.part in ("train", "test")]
    documents = _as_documents(kept)
    reading = {"pooling": reading["pooling"], "first_token": reading["first_token"]}
    activations = extract(decoder, documents, progress=False, **reading)
    labels, parts = word_labels(documents, "upos"), Split.of(documents)
    train, own = activations.select(parts.train), labels[parts.train]
    test = [s for s in kept if s.part == "test"]
    of = np.asarray(train.document_ids)
    follows = np.flatnonzero(of[1:] == of[:-1])  # the next word is of the same document
    before_next = train.select(follows)

    def keep(key: str) -> None:
        found = surprisal(decoder, test, **given)
        names, document = np.unique(found.document_ids, return_inverse=True)
        arrays[key] = np.bincount(document, weights=found.nats)
        arrays["subwords"], arrays["documents"] = np.bincount(document), names

    keep("loss/as it was")
    for k in DEPTHS:
        print(f"  layer {k} ...", flush=True)
        eraser = fit_eraser(train, own, k)
        variance = eraser.removed_variance(train.layer(k))
        arrays[f"removed variance/{k}"] = np.array(variance)
        kinds = [("erased", eraser), *controls(train, own, k, eraser.rank, variance)]
        kinds.append(("next word's", fit_eraser(before_next, own[follows + 1], k)))
        kinds.append(("leading directions", _leading(train, k, eraser.rank)))
        for kind, one in kinds:
            with erased(decoder, k, one):
                keep(f"loss/{kind}/{k}")
    print("  read again ...", flush=True)
    arrays[f"read/{ERASED}/as it was"] = named(activations, labels, parts, **PROBES["linear"])
    with erased(decoder, READ_AGAIN, fit_eraser(train, own, READ_AGAIN)):
        again = extract(decoder, documents, progress=False, **reading)
    arrays[f"read/{ERASED}/{READ_AGAIN}"] = named(again, labels, parts, **PROBES["linear"])
    with target.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _as_documents(sentences: list[Sentence]) -> list[Sentence]:
    """Each document as one long sentence. A decoder looks back only, so its states are the same as
    those of ``context="document"``, and every subword runs once."""
    whole = []
    for document, members in groupby(sentences, key=lambda sentence: sentence.document_id):
        members = list(members)
        whole.append(
            Sentence(
                words=[word for s in members for word in s.words],
                labels={"upos": [label for s in members for label in s.labels["upos"]]},
                id=document, document_id=document, part=members[0].part,
                text=" ".join(s.text for s in members),
            )
        )  # fmt: skip
    return whole


def _leading(train: Activations, layer: int, rank: int) -> Eraser:
    """Takes out the directions in which the vectors vary most."""
    vectors = train.layer(layer).astype(float)
    _, _, directions = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    return Eraser(vectors.mean(axis=0), directions[:rank].T @ directions[:rank], rank)
