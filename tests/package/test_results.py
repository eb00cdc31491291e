"""The recorded figures are what can be measured, the published ones what the papers print."""

from pathlib import Path

import numpy as np
import pytest

from whichlayer.corpora import load_treebank, load_ud_english_ewt, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import Split, probe_layers
from whichlayer.profiles import compare
from whichlayer.properties import word_properties
from whichlayer.results import (
    load_encoder_profiles,
    load_encoder_similarity,
    load_ewt_profiles,
    load_profiles_over_C,
    load_published,
)

ROOT = Path(__file__).parents[2]

REFERENCE = {  # from the course's reference measurements: first subword, C = 0.01
    "part of speech": [0.870, 0.904, 0.931, 0.931, 0.920, 0.889, 0.828],
    "dependency relation": [0.628, 0.690, 0.768, 0.787, 0.759, 0.703, 0.625],
}


@pytest.mark.parametrize("name", REFERENCE)
def test_recorded_ewt_profiles_are_the_reference_measurements(name):
    profiles = load_ewt_profiles()
    recorded = profiles.loc[profiles["property"] == name, "accuracy"]
    assert np.abs(recorded - REFERENCE[name]).max() < 0.005


def test_a_layer_of_the_ewt_profiles_measured_again_is_the_recorded_one(
    ewt_folder, tmp_path, monkeypatch
):
    """One of all. That the others come from the same code and data, tests/project/test_records.py says."""
    monkeypatch.setenv("WHICHLAYER_DATA", str(ewt_folder))
    train, test = load_ud_english_ewt("dev")[:1000], load_ud_english_ewt("test")
    encoder, layer = load_encoder("minilm"), 1
    # No block hangs on those above it, and they would take most of the time.
    encoder.model.encoder.layer = encoder.model.encoder.layer[:layer]
    encoder.model.config.num_hidden_layers = layer
    for part in (encoder.model, encoder.tokenizer):
        part.save_pretrained(tmp_path)
    activations = extract(load_encoder(str(tmp_path)), train + test)
    assert len(activations.vectors) == layer + 1
    n_train = sum(map(len, train))
    result = probe_layers(
        activations.features({f"layer {layer}": activations.layer(layer)}),
        word_labels(train + test, "upos"),
        split=Split(
            train=np.arange(n_train),
            dev=np.array([], int),
            test=np.arange(n_train, len(activations)),
        ),
        C=0.01,
    )
    (measured,) = result.table().to_dict("records")
    profiles = load_ewt_profiles()
    chosen = (profiles["property"] == "part of speech") & (profiles["layer"] == layer)
    (recorded,) = profiles[chosen].to_dict("records")
    for column in ("accuracy", "low", "high", "macro_f1", "seen", "unseen", "majority", "lookup"):
        assert abs(measured[column] - recorded[column]) < 0.005, column
    counts = (result.n_train, result.n_test, result.n_unseen)
    assert counts == tuple(recorded[name] for name in ("n_train", "n_test", "n_unseen"))


@pytest.fixture(scope="module", params=["minilm", "e5", "smollm2"])
def recorded(request):
    return request.param, load_encoder_profiles(request.param)


def test_the_recorded_profiles_hold_nine_properties_of_every_state(recorded):
    name, profiles = recorded
    assert list(profiles) == [*word_properties(load_treebank()), "word sense"]
    states = {"minilm": 7, "e5": 13, "smollm2": 31}[name]
    for property_, r in profiles.items():
        assert r.names == tuple(range(states))
        senses = property_ == "word sense"
        assert (r.n_test, r.unit, r.n_units) == (
            (528, "noun", 12) if senses else (3201, "document", 13)
        )
        assert set(r.C) <= ({0.01} if senses else {0.001, 0.01, 0.1})
        assert r.majority <= r.lookup or senses
        assert r.compare(r.best, "random twin").settled, property_
        assert len(r.table()) == states and str(r.best) in repr(r)


def test_recorded_profiles_are_on_the_same_words_in_every_encoder(recorded):
    _, profiles = recorded
    ours = load_encoder_profiles("minilm")
    for property_, r in profiles.items():
        if r.names == ours[property_].names:
            assert not compare(r, ours[property_]).difference.any()
        assert (r.truth == ours[property_].truth).all()
        assert (r.bootstrap.times == ours[property_].bootstrap.times).all()


def test_a_decoders_words_are_recorded_at_other_places_too():
    last = load_encoder_profiles("smollm2")
    for where in ("first subword", "next word"):
        elsewhere = load_encoder_profiles("smollm2", where)
        assert list(elsewhere) == ["part of speech", "dependency relation", "where the head is"]
        for property_, r in elsewhere.items():
            assert r.accuracy.max() < last[property_].accuracy.max()
            assert "random twin" not in r.baselines
    with pytest.raises(ValueError, match="Of 'e5' nothing .* 'next word'; there is no other place"):
        load_encoder_profiles("e5", "next word")
    with pytest.raises(ValueError, match="at the 'end'; there is first subword, next word"):
        load_encoder_profiles("smollm2", "end")


def test_recorded_similarities_have_a_row_for_every_state():
    for name, states in (("minilm", 7), ("e5", 13), ("smollm2", 31)):
        found = load_encoder_similarity(name)
        assert found["cosine"].shape == (states, states)
        assert np.allclose(np.diag(found["cosine"]), 1)
        assert found["anisotropy"].shape == (states,)
        assert ("cls cosine" in found) == (name != "smollm2")


@pytest.mark.parametrize("load", [load_encoder_profiles, load_encoder_similarity])
def test_an_encoder_of_which_nothing_is_recorded_is_named_with_what_there_is(load):
    with pytest.raises(ValueError, match="'bert-base-uncased'; there is minilm, e5, smollm2"):
        load("bert-base-uncased")


TENNEY = {  # BERT-large: F1 at 0, F1 with all, expected layer, centre; BERT-base: F1 at 0, with all, expected
    "part of speech": (88.5, 96.7, 3.39, 11.68, 88.4, 96.5, 1.76),
    "constituents": (73.6, 87.0, 3.79, 13.06, 75.2, 87.2, 2.38),
    "dependencies": (85.6, 95.5, 5.69, 13.75, 85.2, 95.2, 2.52),
    "entities": (90.6, 96.1, 4.64, 13.16, 89.9, 96.0, 2.42),
    "semantic roles": (81.3, 91.4, 6.54, 13.63, 79.5, 91.1, 2.59),
    "coreference": (80.5, 91.9, 9.47, 15.80, 80.0, 90.2, 3.62),
    "proto-roles (SPR1)": (77.7, 83.7, 9.93, 12.72, 77.8, 83.5, 4.29),
    "relations": (60.7, 84.2, 9.40, 12.83, 58.9, 82.9, 4.16),
}


def test_published_numbers_of_tenney_et_al():
    table = load_published("tenney2019pipeline").pivot(
        index="item", columns=["model", "measure"], values="value"
    )
    columns = [
        *(
            ("BERT-large", m)
            for m in ("F1 at layer 0", "F1 with all layers", "expected layer", "centre of gravity")
        ),
        *(("BERT-base", m) for m in ("F1 at layer 0", "F1 with all layers", "expected layer")),
    ]
    for task, values in TENNEY.items():
        assert tuple(table.loc[task, columns]) == values
    assert set(table.index) == set(TENNEY)


def test_published_numbers_of_devlin_et_al():
    table = load_published("devlin2019bert").set_index("item")["value"].to_dict()
    assert table == {
        "embeddings": 91.0, "last layer": 94.9, "second to last layer": 95.6,
        "weighted sum of all 12 layers": 95.5,
        "weighted sum of last four layers": 95.9,
        "concatenation of last four layers": 96.1, "fine-tuned": 96.4,
    }  # fmt: skip


def test_published_numbers_of_hewitt_and_liang():
    table = load_published("hewitt2019control").pivot(
        index="item", columns="measure", values="value"
    )
    assert list(table["linear probe: selectivity"]) == [26.0, 31.4, 20.6]
    assert list(table["linear probe: accuracy"]) == [97.2, 96.6, 96.3]
    assert list(table["MLP probe: selectivity"]) == [4.5, 8.8, 1.6]


def test_an_unknown_work_is_named_with_what_there_is():
    with pytest.raises(ValueError, match="from 'nobody2000'; there is devlin2019bert, hewitt"):
        load_published("nobody2000")


NAMED = {"named entities (NER)": "named entity"}


def test_the_page_for_those_in_a_hurry_gives_the_recorded_layers():
    text = (ROOT / "book" / "which_layer.md").read_text(encoding="utf-8")
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line]
    said = {
        (NAMED.get(row[0], row[0].removeprefix("syntax: ")), encoder): row[column]
        for row in rows
        for column, encoder in ((2, "minilm"), (3, "e5"), (4, "smollm2"))
        if row[column][:1].isdigit()
    }
    assert len(said) == 18
    recorded = {encoder: load_encoder_profiles(encoder) for encoder in ("minilm", "e5", "smollm2")}
    for (name, encoder), layers in said.items():
        like_best = recorded[encoder][name].not_worse_than_best
        ends = [int(end) for end in layers.split(" to ")]
        assert (ends[0], ends[-1]) == (like_best[0], like_best[-1]), (name, encoder)


def test_profiles_over_c_agree_with_those_whose_c_was_chosen():
    """Where a layer's chosen C is in the grid, the same probe named the same words."""
    chosen, over_C = load_encoder_profiles("minilm"), load_profiles_over_C("layers")
    assert set(over_C) == set(chosen) - {"word sense"}
    for name, profile in over_C.items():
        for k, C in enumerate(chosen[name].C):
            same = profile.predictions[profile.Cs.tolist().index(C), k]
            assert (same == chosen[name].predictions[k]).mean() > 0.995, (name, k)
        assert (profile.truth == chosen[name].truth).all()


def test_of_a_record_that_is_not_there_the_message_lists_those_that_are():
    with pytest.raises(ValueError, match="Nothing is recorded of 'words'; there is layers, ways"):
        load_profiles_over_C("words")
