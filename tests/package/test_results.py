"""The recorded figures are what can be measured, the published ones what the papers print."""

import numpy as np
import pytest

from whichlayer.corpora import load_ud_english_ewt, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import Split, probe_layers
from whichlayer.results import load_ewt_profiles, load_published

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
