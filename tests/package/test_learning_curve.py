"""Learning curves: nested draws of documents, the same probes as by hand, and two sources of spread."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from test_probing import made_up

from whichlayer.learning_curve import learning_curve
from whichlayer.probing import Split, probe_layers, split_by

pytestmark = pytest.mark.filterwarnings("ignore:The test words come from:UserWarning")


@pytest.fixture(scope="module")
def data():
    return made_up(n_sentences=180)


@pytest.fixture(scope="module")
def split(data):
    return split_by(data[0], "document", dev=0.1, seed=0)


@pytest.fixture(scope="module")
def curve(data, split):
    return learning_curve(*data, split=split, sizes=[400, 40, 120], draws=6)


def test_more_words_read_better_and_rows_keep_their_order(curve):
    assert curve.sizes == (40, 120, 400) and curve.names == (0, 1, 2, 3)
    assert curve.by_draw.shape == (3, 6, 4) and curve.accuracy.shape == (3, 4)
    assert curve.accuracy[0, 1] < curve.accuracy[2, 1]
    assert (curve.accuracy[:, 2] > curve.accuracy[:, 1]).all()
    assert (curve.spread[0] >= 0).all() and curve.spread[0, 1] > curve.spread[2, 1]
    assert (curve.documents[0] <= curve.documents[2]).all()


def test_each_draw_is_the_probe_on_the_first_words_of_a_line_of_documents(data, split):
    activations, labels = data
    few = learning_curve(*data, split=split, sizes=[50, 150], draws=2, seed=3)
    draw = np.random.default_rng(3)
    documents = np.asarray(activations.document_ids)
    names = np.unique(documents[split.train])
    for i in range(2):
        order = draw.permutation(names)
        line = np.concatenate([split.train[documents[split.train] == name] for name in order])
        for at, size in enumerate((50, 150)):
            by_hand = probe_layers(
                activations, labels, split=Split(line[:size], split.dev, split.test)
            )
            assert np.allclose(few.by_draw[at, i], by_hand.accuracy)
            assert few.documents[at, i] == len(set(documents[line[:size]]))


def test_all_the_words_can_be_drawn_anew_with_replacement_only(data, split):
    n = len(split.train)
    whole = learning_curve(*data, split=split, sizes=[n], draws=3)
    anew = learning_curve(*data, split=split, sizes=[n], draws=3, with_replacement=True)
    assert np.ptp(whole.by_draw, axis=1).max() < 0.01 < np.ptp(anew.by_draw, axis=1).max()
    assert (whole.documents == whole.documents[0, 0]).all()
    assert (anew.documents < whole.documents[0, 0]).all()


def test_the_two_sources_by_hand(curve):
    units = np.unique(curve.bootstrap.unit_ids, return_inverse=True)[1]
    words, times = np.bincount(units), curve.bootstrap.times
    for second in (None, 0):
        values = curve.right[:, :, 2] - (0 if second is None else curve.right[:, :, second])
        found = curve.sources(2, second)
        for at, size in enumerate(curve.sizes):
            draws = [[t @ row / (t @ words) for t in times] for row in values[at]]
            assert found.loc[size, "test"] == pytest.approx(
                np.sqrt(np.mean([np.var(d, ddof=1) for d in draws]))
            )
            plain = values[at].sum(axis=1) / words.sum()
            assert found.loc[size, "training"] == pytest.approx(plain.std(ddof=1))
            assert found.loc[size, "mean"] == pytest.approx(plain.mean())
            assert found.loc[size, "both"] == pytest.approx(np.std(draws, ddof=1))


def test_told_apart_counts_the_studies_whose_own_interval_settles_it(data, split, curve):
    apart = curve.told_apart(2, 0)
    assert (apart["first"] == 1).all() and (apart["open"] == 0).all()
    assert (curve.told_apart(0, 2)["second"] == 1).all()
    few = learning_curve(*data, split=split, sizes=[60], draws=5, seed=1)
    share = few.told_apart(2, 1)["first"].loc[60]
    settled = []
    draw = np.random.default_rng(1)
    documents = np.asarray(data[0].document_ids)
    for _ in range(5):
        order = draw.permutation(np.unique(documents[split.train]))
        line = np.concatenate([split.train[documents[split.train] == name] for name in order])
        study = probe_layers(*data, split=Split(line[:60], split.dev, split.test), seed=1)
        settled.append(study.compare(2, 1).low > 0)
    assert share == pytest.approx(np.mean(settled))


def test_any_classifier_is_curved(data, split):
    near = KNeighborsClassifier(3)
    found = learning_curve(*data, split=split, sizes=[50], draws=2, probe=near)
    assert found.accuracy[0, 2] > found.accuracy[0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [10_000]}, "whole numbers from 2 to"),
        ({"sizes": []}, "whole numbers from 2 to"),
        ({"sizes": [1, 50]}, "whole numbers from 2 to"),
        ({"draws": 1}, "two or more"),
        ({"draws": 2.5}, "two or more"),
    ],
)
def test_misuse_is_named(data, split, options, message):
    with pytest.raises(ValueError, match=message):
        learning_curve(*data, split=split, **{"sizes": [50], "draws": 2, **options})


def test_a_draw_with_a_single_label_is_named(data, split):
    labels = np.where(np.arange(len(data[0])) == split.train[-1], "rare", "usual")
    labels[split.test[0]] = "rare"
    with pytest.raises(ValueError, match="raise the smallest of sizes"):
        learning_curve(data[0], labels, split=split, sizes=[5], draws=3)
    with pytest.raises(KeyError, match="no row 9"):
        learning_curve(*data, split=split, sizes=[50], draws=2).sources(9)
