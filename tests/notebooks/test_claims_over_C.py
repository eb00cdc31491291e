"""What chapters 3 to 6 say of a best layer, an order or a fall holds with C of .001, .01 and .1.

The probes are recorded (`build_tools/record.py`), the chapters' own C among them, so that no notebook has to
run three times. What doesn't hold with every C is said to hang on C where it is said, and stands here too.
"""

import itertools

import numpy as np
import pytest

from whichlayer.resampling import interval
from whichlayer.results import load_added_over_C, load_ewt_over_C, load_profiles_over_C

GRAMMAR = ("part of speech", "dependency relation", "where the head is", "semantic role")
SETTINGS = (0.001, 0.01, 0.1)


@pytest.fixture(scope="module")
def layers():
    return load_profiles_over_C("layers")


@pytest.fixture(scope="module")
def ways():
    return load_profiles_over_C("ways")


def at(profile, C):
    return profile.Cs.tolist().index(C)


@pytest.mark.parametrize("name", GRAMMAR)
@pytest.mark.parametrize("C", SETTINGS)
def test_grammar_is_read_best_at_layers_2_to_3_and_falls_to_the_last(layers, name, C):
    """Chapters 4 and 6."""
    profile, row = layers[name], at(layers[name], C)
    assert profile.best[row] in (2, 3)
    assert set(profile.not_worse_than_best[row]) <= {2, 3, 4}
    for other in (0, 6):
        assert profile.compare(3, other).settled[row]


@pytest.mark.parametrize("C", SETTINGS)
def test_layer_2_is_among_the_best_for_part_of_speech_and_layer_3_alone_for_relation(layers, C):
    """Chapter 4."""
    tags, relation = layers["part of speech"], layers["dependency relation"]
    assert 2 in tags.not_worse_than_best[at(tags, C)]
    assert relation.not_worse_than_best[at(relation, C)] == (3,)


@pytest.mark.parametrize("C", SETTINGS)
def test_the_last_layer_is_among_the_best_for_none_of_the_eight(layers, C):
    """Chapter 6. Entity has its best layers at 3 to 5."""
    for name, profile in layers.items():
        like_best = profile.not_worse_than_best[at(profile, C)]
        assert 6 not in like_best, name
        assert set(like_best) & {2, 3}, name
    entity = layers["named entity"]
    assert entity.not_worse_than_best[at(entity, C)] == (3, 4, 5)


def test_whether_the_last_layer_lies_below_the_embeddings_hangs_on_c(layers):
    """Chapter 4 says so, of the treebank."""
    last = layers["part of speech"].compare(6, 0)
    assert (last.high[:2] < 0).all() and not last.settled[2:].any()


@pytest.mark.parametrize("C", SETTINGS)
@pytest.mark.parametrize("name", GRAMMAR[:2])
def test_the_first_steps_add_and_the_last_two_take_away(layers, name, C):
    """Chapter 5."""
    profile, row = layers[name], at(layers[name], C)
    steps = np.diff(profile.accuracy[row])
    assert steps[:2].min() > 0.01 and steps[-2:].max() < 0
    assert steps[1] > steps[2]
    assert profile.compare(6, 5).high[row] < 0


@pytest.mark.parametrize("C", SETTINGS)
def test_part_of_speech_comes_before_relation(layers, C):
    """Chapter 6, by the expected layer and by the centre of gravity."""

    def expected(accuracy):
        rise = np.diff(np.maximum.accumulate(accuracy, axis=-1), axis=-1)
        return (rise * np.arange(1, accuracy.shape[-1])).sum(axis=-1) / rise.sum(axis=-1)

    def gravity(accuracy):
        weight = accuracy - accuracy.min(axis=-1, keepdims=True)
        return (weight * np.arange(accuracy.shape[-1])).sum(axis=-1) / weight.sum(axis=-1)

    drawn = {}
    for name in GRAMMAR[:2]:
        profile = layers[name]
        right = (profile.predictions == profile.truth)[at(profile, C)]
        drawn[name] = profile.bootstrap.mean(right).T  # (draws, L+1)
    n_units = profile.bootstrap.n_units
    lows = {}
    for measure in (expected, gravity):
        later, earlier = (measure(drawn[name]) for name in GRAMMAR[1::-1])
        lows[measure.__name__] = interval(later - earlier, n_units=n_units)[0]
    assert min(lows.values()) > 0, lows


@pytest.mark.parametrize("C", SETTINGS)
def test_the_last_layer_and_the_last_four_are_behind_the_middle_one(ways, C):
    """Chapter 3."""
    for task in ("part of speech", "relation", "role"):
        found = ways[task]
        assert found.compare("last layer", "middle layer").high[at(found, C)] < 0, task
        assert found.accuracy[at(found, C)].argmin() == found.names.index("last layer"), task
    for task in ("relation", "role"):
        found = ways[task]
        four = found.compare("mean of the last four", "middle layer")
        assert four.high[at(found, C)] < 0, task


def test_a_single_mix_gets_ahead_with_the_strongest_penalty_and_not_of_its_control(ways):
    """Chapter 3 names it."""
    ahead = {
        (task, way, C)
        for (task, found), C in itertools.product(ways.items(), SETTINGS)
        for way in found.names[1:]
        if found.compare(way, "middle layer").low[at(found, C)] > 0
    }
    assert ahead == {("part of speech", "all, narrowed", 0.001)}
    tags = ways["part of speech"]
    assert not tags.compare("all, narrowed", "middle layer, narrowed").settled.any()


@pytest.mark.parametrize("C", SETTINGS)
def test_layer_3_adds_to_the_embeddings_and_no_order_by_form_is_left(C):
    """Chapter 6."""
    added = load_added_over_C()
    added = added[np.isclose(added["C"], C)].set_index("property")
    assert len(added) == 5 and (added["low"] > 0).all()
    for column in ("of the bits missing", "of the errors"):
        share = added[column]
        assert share["part of speech"] > share["dependency relation"] > share["semantic role"]


@pytest.mark.parametrize("C", [0.0001, 0.001, 0.01, 0.1, 1])
def test_web_text_says_the_same(C):
    """Chapter 4, of UD English EWT."""
    found = load_ewt_over_C()
    found = found[np.isclose(found["C"], C)]
    tags = found[found["property"] == "part of speech"].set_index("layer")
    relation = found[found["property"] == "dependency relation"].set_index("layer")
    assert tags["like_best"][2] and tags["last_minus_first_high"].max() < 0
    assert set(relation.index[relation["like_best"]]) == ({2} if C == 0.0001 else {3})
