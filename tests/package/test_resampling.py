"""The bootstrap: the right units, the same draws for all, and intervals that hold as often as they say."""

import numpy as np
import pytest

from whichlayer.resampling import (
    Bootstrap,
    Comparison,
    interval,
    not_worse_than_best,
    simultaneous_intervals,
)

SENTENCES = ["s1", "s1", "s2", "s3", "s4", "s4"]
DOCUMENTS = ["a", "a", "a", "b", "b", "c"]


def test_the_coarsest_unit_that_the_split_kept_together_is_drawn():
    def unit(test, others, documents=DOCUMENTS, sentences=SENTENCES):
        found = Bootstrap.of(sentences, documents, test=np.array(test), others=np.array(others))
        return found.unit, found.n_units

    assert unit([3, 4, 5], [0, 1, 2]) == ("document", 2)
    assert unit([2, 3, 4, 5], [0, 1]) == ("sentence", 3)
    assert unit([1, 2, 3], [0, 4, 5]) == ("word", 3)
    assert unit([2, 3, 4, 5], [0, 1], documents=[""] * 6) == ("sentence", 3)
    assert unit([3, 4, 5], [0, 1, 2], [""] * 6, [""] * 6) == ("word", 3)
    # every sentence a document of its own: that is a draw by sentence
    assert unit([2, 3], [0, 1], documents=SENTENCES) == ("sentence", 2)


def test_units_are_drawn_whole():
    found = Bootstrap.of(SENTENCES, DOCUMENTS, n=2000)
    assert str(found) == "3 documents: too few to be trusted"
    assert found.times.shape == (2000, 3) and (found.times.sum(axis=1) == 3).all()
    assert found.times.mean(axis=0) == pytest.approx(np.ones(3), abs=0.1)
    # the same name of a sentence in two documents is two sentences
    again = Bootstrap.of(["1", "2", "1", "2"], ["a", "a", "b", "b"])
    assert (again.unit, again.n_units) == ("document", 2)


def test_means_are_over_the_words_of_each_draw():
    found = Bootstrap.of(SENTENCES, [""] * 6, n=300, seed=4)
    values = np.array([[1.0, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1]])
    drawn = found.mean(values)
    lengths = np.array([2, 1, 1, 2])
    for r in range(0, 300, 37):
        times = np.repeat(found.times[r], lengths)  # words, by sentence
        assert drawn[:, r] == pytest.approx((values * times).sum(axis=1) / times.sum())
    assert (found.mean(values[1]) == drawn[1]).all()
    assert (Bootstrap.of(SENTENCES, [""] * 6, n=300, seed=4).mean(values) == drawn).all()
    with pytest.raises(ValueError, match="Values for 5 words; 6 are drawn"):
        found.mean(values[:, :5])


def test_an_interval_is_between_the_quantiles():
    draws = np.arange(1001.0)
    assert interval(draws, 0.9) == pytest.approx([50, 950])
    assert interval(np.stack([draws, -draws]), 0.9)[1] == pytest.approx([-950, -50])
    # from 13 units: t with 12 degrees of freedom has 2.5% beyond 2.1788, times the root of 13/12 is
    # 2.2678, beyond which a normal has 1.167%
    assert interval(draws, 0.95, 13) == pytest.approx([11.67, 988.33], abs=0.01)
    assert interval(draws, 0.95, 100_000) == pytest.approx([25, 975], abs=0.01)
    for wrong in (95, 0, 1, -1):
        with pytest.raises(ValueError, match="between 0 and 1"):
            interval(draws, wrong)


def study(draw, true, n_documents, between=1.0, sentences=12):
    """Scores of layers on sentences of documents: (layers, words), and the ids."""
    layers = len(true)
    shared = draw.normal(size=(1, n_documents, 1))  # a hard document is hard for all
    own = draw.normal(size=(layers, n_documents, 1))
    noise = draw.normal(size=(layers, n_documents, sentences))
    values = np.asarray(true)[:, None, None] + 0.5 * shared + between * 0.3 * own + noise
    documents = np.repeat(np.arange(n_documents), sentences).astype(str)
    return values.reshape(layers, -1), np.arange(n_documents * sentences).astype(str), documents


@pytest.mark.parametrize("between", [0.0, 1.0, 4.0])
def test_few_documents_give_intervals_that_hold_as_often_as_they_say(between):
    """Whether documents don't differ, differ, or differ much; plain percentiles hold less often."""
    draw = np.random.default_rng(0)
    held, plain, times = 0, 0, 300
    for i in range(times):
        values, sentences, documents = study(draw, [0.0, 0.0], 13, between)
        found = Bootstrap.of(sentences, documents, n=400, seed=i)
        draws = found.mean(values[1] - values[0])
        low, high = interval(draws, n_units=found.n_units)
        held += low <= 0 <= high
        low, high = interval(draws)
        plain += low <= 0 <= high
    assert 0.92 <= held / times <= 0.98
    assert plain < held


@pytest.mark.parametrize("n_documents", [13, 60])
def test_the_truly_best_is_kept_and_the_clearly_worse_is_not(n_documents):
    """Equal layers: each of them is truly best. And one that lies far below."""
    draw = np.random.default_rng(1)
    kept, worse, times = 0, 0, 300
    for i in range(times):
        values, sentences, documents = study(draw, [0, 0, 0, 0, 0, 0, -1.0], n_documents)
        found = Bootstrap.of(sentences, documents, n=200, seed=i)
        chosen = not_worse_than_best(values.mean(axis=1), found.mean(values), 0.95, found.n_units)
        assert chosen[values.mean(axis=1).argmax()]
        kept += chosen[i % 6]  # the one that we declare the best
        worse += chosen[6]
    assert kept / times >= 0.93 and worse / times <= 0.05


def test_layers_that_agree_on_every_word_cannot_be_told_apart():
    draw = np.random.default_rng(0)
    values = np.repeat(draw.normal(size=(1, 40)), 3, axis=0)
    values[2] -= 5
    found = Bootstrap.of(np.arange(40).astype(str), [""] * 40)
    assert not_worse_than_best(values.mean(axis=1), found.mean(values)).tolist() == [
        True,
        True,
        False,
    ]


def test_simultaneous_intervals_hold_all_at_once():
    draw = np.random.default_rng(2)
    together, alone, times = 0, 0, 300
    for i in range(times):
        values = draw.normal(size=(8, 60))
        found = Bootstrap.of(np.arange(60).astype(str), [""] * 60, n=300, seed=i)
        draws = found.mean(values)
        low, high = simultaneous_intervals(values.mean(axis=1), draws).T
        together += ((low <= 0) & (high >= 0)).all()
        low, high = interval(draws).T
        alone += ((low <= 0) & (high >= 0)).all()
    assert together / times >= 0.9 and alone / times < 0.75


def test_a_comparison_reads_as_a_sentence():
    found = Bootstrap.of([f"s{i}" for i in range(12)], [""] * 12)
    values = np.linspace(0.05, 0.15, 12)[None]
    one = Comparison.of(["a - b"], values.mean(axis=1), found.mean(values), found)
    assert isinstance(one.difference, float) and one.settled is True and len(one) == 1
    text = str(one)
    assert text.startswith("a - b: +0.100 [+0.0") and "], settled" in text
    assert text.endswith("(95% interval, from 12 sentences)")
    two = Comparison.of(["x", "y"], np.array([0.1, 0.0]), found.mean(values - [[0], [0.1]]), found)
    assert two.settled.tolist() == [True, False] and "for all 2 at once" in str(two)
    few = Bootstrap.of(["s1", "s2"], ["", ""])
    doubted = Comparison.of(["z"], np.array([0.5]), few.mean(np.array([[0.0, 1.0]])), few)
    assert not doubted.trustworthy and "2 sentences: too few to be trusted" in str(doubted)
