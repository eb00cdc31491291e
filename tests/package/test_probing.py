"""Probes: right on made-up data with a known answer, honest, repeatable, and clear when misused."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from whichlayer.activations import Activations
from whichlayer.corpora import Sentence
from whichlayer.probing import Split, probe_layers, profile_over_C, split_by
from whichlayer.profiles import compare
from whichlayer.resampling import interval
from whichlayer.splits import stratified_folds


def made_up(n_sentences=60, length=5, seed=0):
    """Four layers: pure noise, the label half hidden, the label plain, the same again.

    Word types alternate between labels, so that look-up is no better than chance.
    """
    draw = np.random.default_rng(seed)
    n = n_sentences * length
    labels = draw.integers(3, size=n)
    signal = np.eye(3)[labels] @ draw.normal(size=(3, 8))
    noise = draw.normal(size=(4, n, 8))
    vectors = noise + np.array([0, 0.7, 3, 3])[:, None, None] * signal
    activations = Activations(
        vectors=vectors.astype(np.float32),
        words=tuple(f"w{i % 40}" for i in range(n)),
        sentence_ids=tuple(f"s{i // length}" for i in range(n)),
        document_ids=tuple(f"d{i // (length * 6)}" for i in range(n)),
        encoder="made up",
        pooling="first",
    )
    return activations, np.array(["N", "V", "A"])[labels]


@pytest.fixture(scope="module")
def data():
    return made_up()


@pytest.fixture(scope="module")
def result(data):
    return probe_layers(*data, split="sentence")


def test_the_profile_is_the_one_that_was_put_in(result):
    assert result.accuracy[0] < 0.5 < result.accuracy[1] < 0.95 < result.accuracy[2]
    assert result.best in (2, 3) and set(result.not_worse_than_best) == {2, 3}
    assert result.control_accuracy.shape == (3, 4)
    assert np.allclose(result.selectivity, result.accuracy - result.control_accuracy.mean(0))
    assert (result.control_accuracy < 0.6).all()


def test_each_layer_agrees_with_scikit_learns_own_pipeline(data, result):
    activations, labels = data
    split = split_by(activations, "sentence", seed=0)
    assert (result.n_train, result.n_test) == (len(split.train), len(split.test)) == (225, 75)
    for k, vectors in enumerate(activations.vectors):
        probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000, tol=1e-7))
        probe.fit(vectors[split.train], labels[split.train])
        named = probe.predict(vectors[split.test])
        assert (named == result.predictions[k]).all()
        truth = labels[split.test]
        assert result.macro_f1[k] == pytest.approx(
            f1_score(truth, result.predictions[k], average="macro")
        )


def test_two_classes_are_penalised_as_scikit_learn_does_it(data):
    activations, labels = data
    two = np.where(labels == labels[0], "one", "other")
    split = split_by(activations, "sentence", seed=0)
    for C in (0.001, 0.1):
        found = probe_layers(activations, two, split=split, C=C, control_labelings=0)
        for k, vectors in enumerate(activations.vectors):
            probe = make_pipeline(StandardScaler(), LogisticRegression(C=C, tol=1e-7))
            probe.fit(vectors[split.train], two[split.train])
            assert (probe.predict(vectors[split.test]) == found.predictions[k]).all(), (C, k)


def test_layers_are_independent_of_each_other(data, result):
    activations, labels = data
    alone = activations.features({"alone": activations.layer(2)})
    only = probe_layers(alone, labels, split="sentence")
    assert only.names == ("alone",) and only.best == "alone"
    assert only.accuracy[0] == result.accuracy[2]
    assert (only.accuracy_interval[0] == result.accuracy_interval[2]).all()


def test_same_numbers_on_every_run_and_for_two_jobs(data, result):
    for jobs in (1, 2):
        pd.testing.assert_frame_equal(
            probe_layers(*data, split="sentence", n_jobs=jobs).table(), result.table()
        )


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """Trained once, tested on 200 fresh samples: the 90% interval must hold the long-run accuracy."""
    activations, labels = made_up(n_sentences=840, seed=1)
    layer = Activations(
        activations.vectors[1:2], activations.words, activations.sentence_ids,
        activations.sentence_ids, "made up", "first",
    )  # fmt: skip
    train, rest = np.arange(200), np.arange(200, len(labels))
    options = {"control_labelings": 0, "confidence": 0.9, "n_bootstrap": 300}
    truth = probe_layers(layer, labels, split=Split(train, [], rest), **options).accuracy[0]
    held = 0
    for i in range(40):
        part = rest[i * 100 : (i + 1) * 100]
        low, high = probe_layers(
            layer, labels, split=Split(train, [], part), **options
        ).accuracy_interval[0]
        held += low <= truth <= high
    assert 29 <= held <= 40  # 36 expected; fewer than 29 has a probability below 1 in 500


def test_resampling_is_by_sentence(data):
    """Copies of a word within a sentence add no information: the interval must not shrink."""
    activations, labels = data
    doubled = Activations(
        np.repeat(activations.vectors, 4, axis=1), tuple(np.repeat(activations.words, 4)),
        tuple(np.repeat(activations.sentence_ids, 4)), tuple(np.repeat(activations.document_ids, 4)),
        "made up", "first",
    )  # fmt: skip
    split = split_by(activations, "sentence")
    train, test = split.train, split.test
    once = probe_layers(activations, labels, split=Split(train, [], test), control_labelings=0)
    rows = np.concatenate([4 * test + i for i in range(4)])
    four = probe_layers(
        doubled, np.repeat(labels, 4), split=Split(4 * train, [], rows), control_labelings=0
    )
    assert np.allclose(once.accuracy_interval, four.accuracy_interval, atol=1e-9)
    assert np.allclose(once.macro_f1_interval, four.macro_f1_interval, atol=1e-9)


def test_baselines_by_hand():
    words = ["the", "cat", "the", "dog", "a", "cat", "saw", "THE", "saw", "zebra"]
    labels = ["D", "N", "D", "N", "D", "N", "N", "D", "V", "N"]
    activations = Activations(
        np.random.default_rng(0).normal(size=(2, 10, 3)).astype(np.float32), tuple(words),
        ("s1",) * 7 + ("s2",) * 3, ("d",) * 10, "x", "first",
    )  # fmt: skip
    with pytest.warns(UserWarning, match="from 1 sentence: too few to be trusted"):
        result = probe_layers(activations, labels, split=Split(np.arange(7), [], np.arange(7, 10)))
    assert result.majority == pytest.approx(1 / 3)  # N is commonest in training
    assert result.lookup == pytest.approx(2 / 3)  # THE -> D right, saw -> N wrong, zebra -> N right
    assert (result.n_unseen, result.n_new_labels) == (1, 1)  # zebra; V
    assert np.isfinite(result.unseen_accuracy).all()


def test_a_class_that_training_never_saw_counts_as_an_error(data):
    activations, labels = data
    split = split_by(activations, "sentence")
    changed = labels.astype(object).copy()
    changed[split.test[:10]] = "NEW"
    result = probe_layers(activations, changed, split=split, control_labelings=0)
    assert result.n_new_labels == 10 and "NEW" not in result.classes
    assert (result.accuracy <= 1 - 10 / len(split.test)).all()
    assert result.by_class(2).loc["NEW", "f1"] == 0


def test_c_is_chosen_on_the_dev_part_only(data):
    activations, labels = data
    split = split_by(activations, "sentence", dev=0.2)
    grid = [1e-6, 0.1, 10.0]
    result = probe_layers(activations, labels, split=split, C=grid)
    assert set(result.C) <= set(grid) and (result.C[2:] > 1e-6).all()
    # labels of the test part can't change the choice
    scrambled = labels.copy()
    scrambled[split.test] = "N"
    assert (probe_layers(activations, scrambled, split=split, C=grid).C == result.C).all()
    with pytest.raises(ValueError, match="need a dev part"):
        probe_layers(activations, labels, split=split_by(activations, "sentence"), C=grid)


def test_test_words_never_enter_the_scaling(data):
    activations, labels = data
    split = split_by(activations, "sentence")
    moved = activations.vectors.copy()
    moved[:, split.test[1:]] += 1000
    other = Activations(
        moved, activations.words, activations.sentence_ids, activations.document_ids, "x", "first"
    )
    first = [
        probe_layers(a, labels, split=split, control_labelings=0).predictions[:, 0]
        for a in (activations, other)
    ]
    assert (first[0] == first[1]).all()


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_splits_keep_units_whole(data, unit):
    activations, _ = data
    ids = np.array(getattr(activations, f"{unit}_ids"))
    split = split_by(activations, unit, test=0.3, dev=0.2, seed=3)
    parts = [set(ids[part]) for part in (split.train, split.dev, split.test)]
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]
    assert len(split.train) + len(split.dev) + len(split.test) == len(activations)
    again = split_by(activations, unit, test=0.3, dev=0.2, seed=3)
    assert (again.test == split.test).all()


def test_baselines_are_an_open_list_and_choose_their_own_c(data):
    activations, labels = data
    split = split_by(activations, "sentence", dev=0.2)
    flat, plain = (
        Activations(
            activations.vectors[rows], activations.words, activations.sentence_ids,
            activations.document_ids, "noise", "first",
        )
        for rows in ([0, 0, 0, 0], [2, 2, 2, 2])
    )  # fmt: skip
    rule = np.where(np.arange(300) % 3, labels, "N")  # right in two of three, and by chance
    baselines = {"flat": flat, "seeds": [flat, plain], "rule": rule,
                 "table": activations.features({"one": activations.layer(3)})}  # fmt: skip
    grid = [1e-6, 0.01, 1.0]
    result = probe_layers(
        activations, labels, split=split, C=grid, baselines=baselines, control_labelings=0
    )
    found = result.baselines
    assert found["flat"].accuracy == pytest.approx([result.accuracy[0]] * 4)
    assert found["flat"].C.tolist() == [[result.C[0]] * 4] != [list(result.C)]
    mean = (result.accuracy[0] + result.accuracy[2]) / 2
    assert found["seeds"].accuracy == pytest.approx([mean] * 4)
    assert found["seeds"].spread[0] == pytest.approx(
        np.std([result.accuracy[0], result.accuracy[2]], ddof=1)
    )
    assert found["rule"].accuracy == pytest.approx([(rule == labels)[split.test].mean()])
    assert found["table"].accuracy == pytest.approx([result.accuracy[3]])
    table = result.table()
    assert {"flat", "seeds", "seeds_sd", "rule", "table", "majority", "lookup"} <= set(table)
    assert "flat_sd" not in table and "control" not in table
    assert np.isnan(result.selectivity).all()
    # compared at its own layer, on the same draws
    assert result.compare(0, "flat").difference == 0
    assert result.compare(3, "table").difference == 0
    gain = result.compare(2, "lookup")
    assert gain.difference == pytest.approx(result.accuracy[2] - result.lookup) and gain.settled
    with pytest.raises(ValueError, match="'lookup': that name is taken"):
        probe_layers(activations, labels, split=split, baselines={"lookup": flat})
    with pytest.raises(ValueError, match="has 3 layers or tables, but 4 are probed"):
        fewer = Activations(
            activations.vectors[:3], activations.words, activations.sentence_ids,
            activations.document_ids, "x", "first",
        )  # fmt: skip
        probe_layers(activations, labels, split=split, baselines={"twin": fewer})
    with pytest.raises(ValueError, match="'rule' names 299 labels for 300 words"):
        probe_layers(activations, labels, split=split, baselines={"rule": rule[:-1]})


def test_layers_are_compared_on_the_same_draws(result):
    one = result.compare(3, 1)
    draws = result.draws
    assert one.difference == pytest.approx(result.accuracy[3] - result.accuracy[1])
    assert (one.low, one.high) == pytest.approx(tuple(interval(draws[3] - draws[1], 0.95, 15)))
    assert one.settled and (one.unit, one.n_units, one.n_compared) == ("sentence", 15, 1)
    assert "layer 3 - layer 1: +0." in str(one) and "15 sentences" in str(one)
    # several at once: wider than one by one, and the opposite of the opposite
    all_ = result.compare(-1)
    assert all_.what == tuple(f"layer 3 - layer {k}" for k in range(3))
    assert all_.high[1] - all_.low[1] > one.high - one.low
    back = result.compare([0, 1, 2], 3)
    assert np.allclose(back.difference, -all_.difference) and np.allclose(back.low, -all_.high)
    assert list(all_.table()["settled"]) == list(all_.settled) == [True, True, False]
    with pytest.raises(KeyError, match="no layer 7; there is 0, 1, 2, 3"):
        result.compare(7, 1)
    with pytest.raises(ValueError, match="2 can't be compared with 3"):
        result.compare([0, 1], [1, 2, 3])


def test_results_are_compared_on_the_same_words_only(data, result):
    activations, labels = data
    other = np.where(labels == "N", "N", "other")
    easier = probe_layers(activations, other, split="sentence", control_labelings=0)
    both = compare(easier, result)
    assert both.n_compared == 4 and np.allclose(both.difference, easier.accuracy - result.accuracy)
    only = compare(easier, result, 1)
    assert only.difference == pytest.approx(both.difference[1]) and only.low > both.low[1]
    table = activations.features({"mean": activations.vectors.mean(axis=0)})
    mix = probe_layers(table, labels, split="sentence", control_labelings=0)
    assert compare(mix, result).what[2] == "layer 2: first - second"
    elsewhere = probe_layers(activations, labels, split="sentence", seed=1, control_labelings=0)
    with pytest.raises(ValueError, match="aren't on the same test words"):
        compare(result, elsewhere)


def test_a_profile_over_c_is_the_profiles_one_by_one(data):
    activations, labels = data
    split = split_by(activations, "sentence")
    Cs = [1e-5, 0.01, 1.0]
    profile = profile_over_C(activations, labels, split=split, Cs=Cs[::-1])
    assert profile.Cs.tolist() == Cs
    for i, C in enumerate(Cs):
        alone = probe_layers(activations, labels, split=split, C=C, control_labelings=0)
        assert np.abs(profile.accuracy[i] - alone.accuracy).max() <= 1 / 75
        if i:
            assert profile.not_worse_than_best[i] == alone.not_worse_than_best
            assert np.allclose(profile.accuracy_interval[i], alone.accuracy_interval, atol=0.02)
    assert list(profile.table().index) == Cs and {0, 3, "best", "like_best"} <= set(profile.table())
    last_above_first = profile.compare(-1, 0)
    assert last_above_first.n_compared == 3 and last_above_first.settled[1:].all()
    assert last_above_first.difference == pytest.approx(
        profile.accuracy[:, 3] - profile.accuracy[:, 0]
    )


def test_features_are_probed_by_name(data):
    activations, labels = data
    tables = {"wide": np.concatenate(activations.vectors, axis=1), "narrow": activations.layer(0)}
    result = probe_layers(activations.features(tables), labels, split="sentence")
    assert result.names == ("wide", "narrow") and result.best == "wide"
    assert result.not_worse_than_best == ("wide",) and result.compare("wide", "narrow").settled
    assert list(result.table().index) == ["wide", "narrow"]
    assert result.by_class("wide")["n"].sum() == 75
    with pytest.raises(KeyError, match="no middle; there is wide, narrow"):
        result.by_class("middle")


def test_rounding_noise_is_not_blown_up():
    """A dimension that varies in its last digits only must not be scaled to count like others."""
    draw = np.random.default_rng(0)
    n = 600
    labels = np.array(["N", "V"])[draw.integers(2, size=n)]
    vectors = draw.normal(size=(2, n, 6)).astype(np.float32)
    # at layer 1 noise of a hundred-millionth gives the label away
    vectors[1, :, 5] = 1e-8 * ((labels == "N") + 0.1 * draw.normal(size=n))
    activations = Activations(
        vectors, tuple(f"w{i}" for i in range(n)), tuple(f"s{i // 6}" for i in range(n)),
        ("d",) * n, "x", "first",
    )  # fmt: skip
    result = probe_layers(activations, labels, split="sentence", control_labelings=0)
    assert (result.accuracy < 0.62).all()
    vectors[1, :, 5] *= 1e8
    result = probe_layers(activations, labels, split="sentence", control_labelings=0)
    assert result.accuracy[1] > 0.95


def test_documents_are_drawn_where_the_split_kept_them_together(data):
    activations, labels = data
    with pytest.warns(UserWarning, match="from 2 documents: too few"):
        by_document = probe_layers(activations, labels, split="document", control_labelings=0)
    with pytest.warns(UserWarning):
        by_default = probe_layers(activations, labels, control_labelings=0)
    assert (by_document.unit, by_document.n_units, by_document.trustworthy) == (
        "document",
        2,
        False,
    )
    assert by_default.n_test == by_document.n_test == 60
    by_sentence = probe_layers(activations, labels, split="sentence", control_labelings=0)
    assert (by_sentence.unit, by_sentence.n_units, by_sentence.trustworthy) == (
        "sentence",
        15,
        True,
    )
    by_word = probe_layers(
        activations,
        labels,
        split=Split(range(0, 300, 2), [], range(1, 300, 2)),
        control_labelings=0,
    )
    assert (by_word.unit, by_word.n_units) == ("word", 150)


def test_sentences_without_ids_are_drawn_word_by_word_not_as_one(data):
    activations, labels = data
    nameless = Activations(
        activations.vectors, activations.words, ("",) * 300, ("",) * 300, "x", "first"
    )
    result = probe_layers(
        nameless, labels, split=Split(range(200), [], range(200, 300)), control_labelings=0
    )
    assert result.unit == "word" and (np.diff(result.accuracy_interval[:2], axis=1) > 0.1).all()
    with pytest.raises(ValueError, match="1 sentence can't be split .* needs an id of its own"):
        probe_layers(nameless, labels)


def test_one_unit_makes_no_layer_win(data):
    activations, labels = data
    with pytest.warns(UserWarning, match="too few to be trusted"):
        result = probe_layers(
            activations, labels, split=Split(range(290), [], range(290, 295)), control_labelings=0
        )
    assert result.not_worse_than_best == (0, 1, 2, 3) and np.isnan(result.accuracy_interval).all()
    assert not result.compare(3, 0).settled and "too few" in repr(result)


def test_seen_selectivity_leaves_out_words_whose_control_label_nobody_can_know(data):
    activations, labels = data
    result = probe_layers(activations, labels, split="sentence")
    seen = np.isin(
        result.test_words, np.array(activations.words)[split_by(activations, "sentence").train]
    )
    assert 0 < seen.sum() <= 75
    correct = result.predictions == result.truth
    assert result.seen_selectivity == pytest.approx(
        correct[:, seen].mean(axis=1) - result.control_seen_accuracy.mean(axis=0)
    )
    assert "seen_selectivity" in result.table()


def test_a_corpus_brings_its_split(data):
    sentences = [
        Sentence(["a", "b"], {}, "1", part="train"), Sentence(["c"], {}, "2", part="dev"),
        Sentence(["d", "e", "f"], {}, "3", part="test"),
    ]  # fmt: skip
    split = Split.of(sentences)
    assert [list(p) for p in (split.train, split.dev, split.test)] == [[0, 1], [2], [3, 4, 5]]
    with pytest.raises(ValueError, match="split is of 6 words, but there are 300"):
        probe_layers(*data, split=split)
    with pytest.raises(ValueError, match="Sentence 'x' is of no part"):
        Split.of([*sentences, Sentence(["g"], {}, "x")])


def test_the_table_holds_what_belongs_together(result):
    table = result.table()
    assert list(table.index) == [0, 1, 2, 3] and table.index.name == "layer"
    for column in ["accuracy", "low", "high", "macro_f1", "seen", "unseen", "control", "selectivity", "majority", "lookup", "like_best", "C", "iterations"]:  # fmt: skip
        assert column in table, column
    assert ((table["low"] <= table["accuracy"]) & (table["accuracy"] <= table["high"])).all()
    by_class = result.by_class(2)
    assert by_class["n"].sum() == result.n_test and by_class["n"].is_monotonic_decreasing


def test_misuse_is_named(data):
    activations, labels = data
    with pytest.raises(ValueError, match="299 labels for 300 words"):
        probe_layers(activations, labels[:-1])
    with pytest.raises(ValueError, match="all have the label 'N'"):
        probe_layers(activations, ["N"] * 300)
    with pytest.raises(ValueError, match=r"Word 3 \('w3'\) has no label; 2 words"):
        probe_layers(activations, [None if i in (3, 5) else "N" for i in range(300)])
    with pytest.raises(ValueError, match="unit='word' is unknown"):
        probe_layers(activations, labels, split="word")
    with pytest.raises(ValueError, match="stands in two parts"):
        Split(np.arange(10), [], np.arange(5, 15))
    with pytest.raises(ValueError, match="test part is empty"):
        Split(np.arange(10), [], [])
    with pytest.raises(ValueError, match="beyond the 300"):
        probe_layers(activations, labels, split=Split(np.arange(10), [], [300]))
    bad = activations.vectors.copy()
    bad[2, 7, 0] = np.nan
    broken = Activations(
        bad, activations.words, activations.sentence_ids, activations.document_ids, "x", "first"
    )
    with pytest.raises(ValueError, match=r"word 7 \('w7'\) at layer 2 holds NaN"):
        probe_layers(broken, labels)
    few = Activations(activations.vectors[:, :5], *(t[:5] for t in (activations.words, activations.sentence_ids, activations.document_ids)), "x", "first")  # fmt: skip
    with pytest.raises(ValueError, match="1 document can't be split"):
        split_by(few, "document")
    with pytest.raises(ValueError, match="'twin' is not of the same words"):
        probe_layers(activations, labels, baselines={"twin": few})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": []}, "one or more positive numbers"),
        ({"C": 0}, "one or more positive numbers"),
        ({"C": [0.01, -1]}, "one or more positive numbers"),
        ({"C": float("nan")}, "one or more positive numbers"),
        ({"C": "small"}, "isn't a number"),
        ({"n_bootstrap": 0}, "n_bootstrap=0"),
        ({"n_bootstrap": 12.5}, "n_bootstrap=12.5"),
        ({"confidence": 95}, "isn't between 0 and 1"),
        ({"confidence": -1}, "isn't between 0 and 1"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"control_labelings": -1}, "control_labelings=-1"),
    ],
)
def test_options_out_of_range_are_named(data, options, message):
    with pytest.raises(ValueError, match=message):
        probe_layers(*data, **options)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("N" * 300, "not a str"),
        ({str(i): "N" for i in range(300)}, "not a dict"),
        (np.full((300, 2), "N"), r"got the shape \(300, 2\)"),
        ([["N"], ["V"]] * 150, "Word 0 .'w0'. has several labels"),
    ],
)
def test_labels_that_are_not_one_a_word_are_named(data, labels, message):
    with pytest.raises(TypeError, match=message):
        probe_layers(data[0], labels)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_label_of_any_kind_is_named(data, missing):
    labels = data[1].astype(object)
    labels[7] = missing
    with pytest.raises(ValueError, match=r"Word 7 \('w7'\) has no label; 1 words"):
        probe_layers(data[0], labels)


def test_masks_make_a_split_and_know_how_many_words_there_are(data):
    split = Split(np.array([True, False, True]), np.zeros(3, bool), np.array([False, True, False]))
    assert list(split.train) == [0, 2] and list(split.test) == [1] and len(split.dev) == 0
    with pytest.raises(ValueError, match="split is of 3 words, but there are 300"):
        probe_layers(*data, split=split)


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ((range(400), [], [-1]), ValueError, "test part: word -1 is negative"),
        (([0.0, 1.0], [], [2]), TypeError, "train part: .* not by values such as"),
        (("train", [], [2]), ValueError, "one row of values"),
        (([0, 0], [], [1]), ValueError, "named twice"),
        (([True, False], [], [False, True, True]), ValueError, "different lengths: 2, 3"),
        (([[0, 1]], [], [2]), ValueError, "one row of values"),
        (([True, True], [], [True, False]), ValueError, "two parts"),
    ],
)
def test_a_split_that_cannot_be_meant_is_refused(parts, error, message):
    with pytest.raises(error, match=message):
        Split(*parts)


@pytest.mark.parametrize(
    "shares", [{"test": -1}, {"test": 0}, {"test": 1.5}, {"dev": -0.1}, {"dev": 1}]
)
def test_shares_out_of_range_are_refused(data, shares):
    with pytest.raises(ValueError, match="shares of the units"):
        split_by(data[0], **shares)


def test_missing_convergence_is_one_warning_that_names_the_layers(data):
    with pytest.warns(ConvergenceWarning, match="did not converge at layer 0, 1, 2, 3") as caught:
        result = probe_layers(*data, split="sentence", C=10.0, max_iter=2, control_labelings=0)
    assert len(caught) == 1 and not result.converged.any()


def test_a_result_keeps_what_was_named_and_computes_the_rest_once(result):
    assert result.draws is result.draws
    other = dataclasses.replace(result, predictions=np.tile(result.truth, (len(result.names), 1)))
    assert (other.accuracy == 1).all() and (result.accuracy < 1).any()
    assert (other.seen_accuracy == 1).all() and (other.macro_f1_interval == 1).all()
    assert other.not_worse_than_best == other.names


def test_stratified_folds_test_every_word_once_with_each_label_in_each():
    labels = np.repeat(["a", "b", "c"], [10, 15, 5])
    folds = stratified_folds(labels, seed=3)
    assert sorted(np.concatenate([split.test for split in folds])) == list(range(30))
    for split in folds:
        assert len(split.train) + len(split.test) == 30 and not len(split.dev)
        assert np.unique(labels[split.test], return_counts=True)[1].tolist() == [2, 3, 1]
    again = stratified_folds(labels, seed=3)
    assert all((a.test == b.test).all() for a, b in zip(folds, again, strict=True))
    for n_folds, given in ((1, labels), (6, labels), (5, [])):
        with pytest.raises(ValueError, match=f"n_folds={n_folds}: there must be two or more"):
            stratified_folds(given, n_folds)


def test_a_given_classifier_names_what_it_names_by_itself_and_is_chosen_on_dev(data):
    activations, labels = data
    split = split_by(activations, "sentence", dev=0.2, seed=0)
    near, far = KNeighborsClassifier(5), KNeighborsClassifier(61)
    alone = probe_layers(activations, labels, split=split, probe=near)
    assert alone.chosen.tolist() == [0] * 4 and np.isnan(alone.C).all()
    for k, vectors in enumerate(activations.vectors):
        probe = KNeighborsClassifier(5).fit(vectors[split.train], labels[split.train])
        assert (probe.predict(vectors[split.test]) == alone.predictions[k]).all()
    both = probe_layers(activations, labels, split=split, probe=[far, near])
    for k, vectors in enumerate(activations.vectors):
        fitted = [clone(p).fit(vectors[split.train], labels[split.train]) for p in (far, near)]
        best = np.argmax([p.score(vectors[split.dev], labels[split.dev]) for p in fitted])
        assert both.chosen[k] == best
        assert (fitted[best].predict(vectors[split.test]) == both.predictions[k]).all()
    assert "chosen" in both.table() and "C" not in both.table()
    assert not hasattr(near, "classes_"), "the classifier that was given is left as it was"


def test_a_classifier_that_draws_gives_the_same_numbers_again(data):
    probe = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    first, second, other = (
        probe_layers(*data, split="sentence", probe=probe, control_labelings=1, seed=seed)
        for seed in (0, 0, 1)
    )
    assert (first.predictions == second.predictions).all()
    assert (first.control_correct == second.control_correct).all()
    split = split_by(data[0], "sentence", seed=0)
    same_split = [
        probe_layers(*data, split=split, probe=probe, seed=seed).predictions for seed in (0, 1)
    ]
    assert (same_split[0] != same_split[1]).any()
    assert other.predictions.shape == first.predictions.shape


@pytest.mark.parametrize(
    ("probe", "error", "message"),
    [
        (KNeighborsClassifier, TypeError, "made with its options"),
        (LinearRegression(), TypeError, "no classifier"),
        ("knn", TypeError, "no classifier"),
        ([], ValueError, "no classifier to train"),
        ([KNeighborsClassifier(1), KNeighborsClassifier(3)], ValueError, "need a dev part"),
    ],
)
def test_what_is_no_classifier_is_refused(data, probe, error, message):
    split = split_by(data[0], "sentence", seed=0)
    with pytest.raises(error, match=message):
        probe_layers(*data, split=split, probe=probe)


def test_selectivity_has_intervals_on_the_same_draws(data):
    result = probe_layers(*data, split="sentence")
    assert result.selectivity_draws.shape == result.draws.shape
    for of, seen in (("selectivity", np.ones_like(result.seen)), ("seen_selectivity", result.seen)):
        draws = getattr(result, f"{of}_draws")
        # The first draw, word by word.
        times = result.bootstrap.times[0][np.unique(result.bootstrap.unit_ids, return_inverse=1)[1]]
        weight = times * seen
        right = (result.predictions == result.truth) @ weight / weight.sum()
        control = result.control_correct.mean(axis=0) @ weight / weight.sum()
        assert np.allclose(draws[:, 0], right - control)
        low, high = getattr(result, f"{of}_interval").T
        assert (low < getattr(result, of)).all() and (getattr(result, of) < high).all()
    without = probe_layers(*data, split="sentence", control_labelings=0)
    assert np.isnan(without.selectivity_draws).all()
