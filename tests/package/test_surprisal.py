"""Surprisal: that of transformers' own language model, subword by subword, once a document."""

import numpy as np
import pytest
import torch

from whichlayer.bundled import BUNDLED
from whichlayer.corpora import Sentence, load_treebank
from whichlayer.models import load_encoder
from whichlayer.surprisal import surprisal

START = BUNDLED["smollm2"].reading["first_token"]
DOCUMENT = load_treebank("dev")[0].document_id


@pytest.fixture(scope="module")
def decoder():
    return load_encoder("smollm2")


def by_hand(decoder, text):
    ids = torch.tensor([decoder.tokenizer(START + text)["input_ids"]])
    with torch.no_grad():
        chances = decoder.lm_head(decoder.model(ids).last_hidden_state)[0].log_softmax(-1)
    return -chances[:-1].gather(1, ids[0, 1:, None])[:, 0].numpy(), ids[0, 1:].numpy()


def test_a_document_is_read_once_and_whole(decoder):
    document = [s for s in load_treebank("dev") if s.document_id == DOCUMENT][:6]
    runs = []
    handle = decoder.model.layers[0].register_forward_hook(lambda *_: runs.append(1))
    found = surprisal(decoder, document, first_token=START, context="document")
    handle.remove()
    assert len(runs) == 1
    nats, ids = by_hand(decoder, " ".join(s.text for s in document))
    assert (found.ids == ids).all() and np.allclose(found.nats, nats, atol=1e-4)
    assert list(dict.fromkeys(found.sentence_ids)) == [s.id for s in document]
    assert found.loss == pytest.approx(nats.mean(), abs=1e-5)
    assert found.perplexity == pytest.approx(np.exp(nats.mean()), rel=1e-5)
    alone = surprisal(decoder, document, first_token=START)
    assert found.loss < alone.loss - 0.2 and len(found) == len(alone)


def test_sentences_by_themselves_and_without_a_start(decoder):
    two = load_treebank("dev")[:2]
    alone = surprisal(decoder, two, first_token=START)
    pieces = [by_hand(decoder, s.text) for s in two]
    assert np.allclose(alone.nats, np.concatenate([nats for nats, _ in pieces]), atol=1e-4)
    without = surprisal(decoder, two)
    assert len(without) == len(alone) - 2, "the first subword of each has nothing before it"
    assert repr(alone).startswith("Surprisal: ") and f"{len(alone)} subwords" in repr(alone)


def test_documents_are_what_is_drawn(decoder):
    part = load_treebank("dev")
    other = next(s for s in part if s.document_id != DOCUMENT)
    found = surprisal(decoder, [*part[:2], other], first_token=START, context="document")
    assert found.bootstrap().unit == "document" and found.bootstrap().n_units == 2


def test_an_encoder_without_a_head_is_refused():
    with pytest.raises(ValueError, match="no vocabulary head"):
        surprisal(load_encoder("minilm"), [Sentence(["One", "two"])])
