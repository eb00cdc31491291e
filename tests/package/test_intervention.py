"""Changes inside the forward pass: they arrive, reach upwards only, and leave nothing behind."""

import numpy as np
import pytest
import torch
from test_probing import made_up

from whichlayer.bundled import BUNDLED
from whichlayer.corpora import Sentence, load_treebank, word_labels
from whichlayer.erasure import fit_eraser, random_eraser
from whichlayer.extraction import extract
from whichlayer.intervention import erased, intervene, patch_words
from whichlayer.models import load_encoder
from whichlayer.surprisal import surprisal

START = BUNDLED["smollm2"].reading["first_token"]


@pytest.fixture(scope="module", params=["minilm", "smollm2"])
def encoder(request):
    return load_encoder(request.param)


@pytest.fixture(scope="module")
def minilm():
    return load_encoder("minilm")


@pytest.fixture(scope="module")
def sentences():
    return load_treebank("dev")[:8]


@pytest.fixture(scope="module")
def plain(encoder, sentences):
    return extract(encoder, sentences, progress=False)


def hooks(encoder):
    return [
        (name, kind)
        for name, module in encoder.model.named_modules()
        for kind in ("_forward_hooks", "_forward_pre_hooks")
        if getattr(module, kind)
    ] + [name for name, module in encoder.model.named_modules() if "forward" in vars(module)]


@pytest.mark.parametrize("layer", [0, 4, -1])
def test_a_change_arrives_at_its_layer_and_reaches_upwards_only(encoder, sentences, plain, layer):
    before = hooks(encoder)
    with intervene(encoder, layer, lambda states, text: states + 1.0):
        changed = extract(encoder, sentences, progress=False)
    at = layer % encoder.num_states
    for k in range(at):
        assert (changed.layer(k) == plain.layer(k)).all()
    assert np.allclose(changed.layer(at), plain.layer(at) + 1, atol=1e-3)
    if at < encoder.num_layers:
        assert np.abs(changed.layer(at + 1) - plain.layer(at + 1)).max() > 1e-2
    assert hooks(encoder) == before
    again = extract(encoder, sentences, progress=False)
    assert (again.vectors == plain.vectors).all(), "something was left behind"


def test_a_change_that_changes_nothing_changes_no_bit(encoder, sentences, plain):
    with intervene(encoder, 2, lambda states, text: states):
        same = extract(encoder, sentences, progress=False)
    assert (same.vectors == plain.vectors).all()


def test_nothing_is_left_after_an_exception(minilm, sentences):
    before = hooks(minilm)

    def fails(states, text):
        raise RuntimeError("in the middle of it")

    with pytest.raises(RuntimeError, match="in the middle"), intervene(minilm, 3, fails):
        extract(minilm, sentences, progress=False)
    with pytest.raises(KeyError), intervene(minilm, 3, lambda states, text: states):
        raise KeyError
    with (
        pytest.raises(ValueError, match="must keep the shape"),
        intervene(minilm, 3, lambda states, text: states[:, :1]),
    ):
        extract(minilm, sentences, progress=False)
    assert hooks(minilm) == before


def test_changes_nest_the_outer_first(minilm, sentences):
    plain = extract(minilm, sentences, progress=False)
    with (
        intervene(minilm, 2, lambda states, text: states + 1),
        intervene(minilm, 2, lambda states, text: states * 2),
    ):
        both = extract(minilm, sentences, progress=False)
    assert np.allclose(both.layer(2), (plain.layer(2) + 1) * 2, atol=1e-4)


@pytest.mark.parametrize(("name", "unknown"), [("minilm", "\U00013000"), ("smollm2", None)])
def test_special_tokens_and_padding_are_no_text(name, unknown):
    encoder = load_encoder(name)
    seen = []

    def note(states, text):
        seen.append(text.clone())
        return states

    words = ["One", unknown or "two", "three"]
    with intervene(encoder, 1, note):
        extract(encoder, [Sentence(words), Sentence(["Short"])], feed="words", batch_size=2,
                first_token=START if name == "smollm2" else None)  # fmt: skip
    by_length = {int(row.sum()): row.tolist() for text in seen for row in text}
    first = [False]  # [CLS], or the start token
    last = [False] if name == "minilm" else []
    longest = max(by_length)
    assert by_length[longest] == first + [True] * longest + last
    assert longest >= 3, "the unknown token stands for text"
    short = by_length[min(by_length)]
    assert short[0] is False and sum(short) == min(by_length)


def test_an_eraser_in_the_pass_is_the_eraser_on_the_vectors(minilm, sentences):
    plain = extract(minilm, sentences, progress=False)
    eraser = fit_eraser(plain, word_labels(sentences, "upos"), 3)
    cls = []

    def note(states, text):
        cls.append(states[:, 0].clone())
        return states

    with intervene(minilm, 3, note):
        extract(minilm, sentences, progress=False)
    with erased(minilm, 3, eraser), intervene(minilm, 3, note):
        inside = extract(minilm, sentences, progress=False)
    assert np.allclose(inside.layer(3), eraser(plain.layer(3)), atol=1e-5)
    half = len(cls) // 2
    assert all(torch.equal(a, b) for a, b in zip(cls[:half], cls[half:], strict=True))
    wrong = random_eraser(made_up()[0], 2, 2)
    with (
        pytest.raises(ValueError, match="width 8, these have 384"),
        erased(minilm, 3, wrong),
    ):
        extract(minilm, sentences, progress=False)


@pytest.mark.parametrize("layer", [7, -8])
def test_a_layer_that_is_not_there_is_named(minilm, layer):
    with (
        pytest.raises(ValueError, match="they run from 0 to 6"),
        intervene(minilm, layer, lambda states, text: states),
    ):
        pass


def test_patching_in_what_stood_there_changes_no_bit(minilm, sentences):
    words = [i % len(s.words) for i, s in enumerate(sentences)]
    read = patch_words(minilm, sentences, words)
    extracted = extract(minilm, sentences, progress=False)
    starts = np.cumsum([0, *map(len, sentences)])[:-1]
    assert np.allclose(read, extracted.vectors[:, starts + words], atol=1e-4)
    for k in range(minilm.num_states):
        assert (patch_words(minilm, sentences, words, k, read[k]) == read).all()


def test_a_patch_is_what_is_read_there_and_leaves_the_layers_below(minilm, sentences):
    words = [0] * len(sentences)
    read = patch_words(minilm, sentences, words)
    other = read[3][::-1]
    patched = patch_words(minilm, sentences, words, 3, other)
    assert (patched[:3] == read[:3]).all() and np.allclose(patched[3], other, atol=1e-6)
    assert np.abs(patched[4] - read[4]).max() > 0.1
    assert (patched == patch_words(minilm, sentences, words, -4, other)).all()
    beside = patch_words(minilm, sentences, words, 3, other, read=[1] * len(sentences))
    plain = patch_words(minilm, sentences, [1] * len(sentences))
    assert (beside[:4] == plain[:4]).all() and np.abs(beside[4] - plain[4]).max() > 0.01
    in_ones = patch_words(minilm, sentences, words, 3, other, batch_size=1)
    assert np.allclose(in_ones, patched, atol=1e-4)


def test_misuse_of_a_patch_is_named(minilm, sentences):
    with pytest.raises(ValueError, match="1 words for 8 sentences"):
        patch_words(minilm, sentences, [0])
    with pytest.raises(ValueError, match="has no word 999"):
        patch_words(minilm, sentences, [999] * 8)
    with pytest.raises(ValueError, match="one for each sentence"):
        patch_words(minilm, sentences, [0] * 8, 3, np.zeros((12, 5)))


def test_erasing_makes_a_decoder_foretell_worse():
    decoder, few = load_encoder("smollm2"), load_treebank("dev")[:6]
    reading = {"first_token": START, "context": "document"}
    before = surprisal(decoder, few, **reading)
    activations = extract(decoder, few, progress=False, pooling="last", **reading)
    with erased(decoder, 10, fit_eraser(activations, word_labels(few, "upos"), 10)):
        after = surprisal(decoder, few, **reading)
    assert after.loss > before.loss + 0.1 and (after.ids == before.ids).all()
    assert surprisal(decoder, few, **reading).loss == before.loss
