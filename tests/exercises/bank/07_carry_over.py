# %% exercise="7.1" right="weights by hand"
def at_relative_depth(accuracy, depths):
    accuracy, depths = np.asarray(accuracy), np.asarray(depths, float)
    if np.isnan(depths).any() or depths.min() < 0 or depths.max() > 1:
        raise ValueError("depths from 0 to 1 only")
    place = depths * (accuracy.shape[-1] - 1)
    low = np.minimum(place.astype(int), accuracy.shape[-1] - 2)
    part = place - low
    return (1 - part) * accuracy[..., low] + part * accuracy[..., low + 1]


# %% exercise="7.1" right="a loop over profiles"
def at_relative_depth(accuracy, depths):
    if not all(0 <= d <= 1 for d in depths):
        raise ValueError
    layers = [k / (accuracy.shape[-1] - 1) for k in range(accuracy.shape[-1])]
    rows = [np.interp(depths, layers, p) for p in accuracy.reshape(-1, len(layers))]
    return np.array(rows).reshape(*accuracy.shape[:-1], len(depths))


# %% exercise="7.1" right="scipy"
from scipy.interpolate import make_interp_spline


def at_relative_depth(accuracy, depths):
    if ((depths < 0) | (depths > 1) | np.isnan(depths)).any():
        raise ValueError("outside of the stack")
    layers = np.linspace(0, 1, accuracy.shape[-1])
    return make_interp_spline(layers, accuracy, k=1, axis=-1)(depths)


# %% exercise="7.1" right="recursion, returns lists"
def at_relative_depth(accuracy, depths):
    if any(not 0 <= d <= 1 for d in depths):
        raise ValueError
    if np.ndim(accuracy) > 1:
        return [at_relative_depth(a, depths) for a in accuracy]
    return list(np.interp(depths, np.linspace(0, 1, len(accuracy)), accuracy))


# %% exercise="7.1" wrong="layers counted from 1 to L+1" says="how many blocks have five layers|run evenly from 0 to 1"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    n = accuracy.shape[-1]
    of_layer = np.arange(1, n + 1) / n
    return np.apply_along_axis(lambda p: np.interp(depths, of_layer, p), -1, accuracy)


# %% exercise="7.1" wrong="divided by L+1" says="four blocks between them"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    n = accuracy.shape[-1]
    return np.apply_along_axis(lambda p: np.interp(depths, np.arange(n) / n, p), -1, accuracy)


# %% exercise="7.1" wrong="the nearest layer" says="nearest layer"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    place = np.round(depths * (accuracy.shape[-1] - 1)).astype(int)
    return accuracy[..., place]


# %% exercise="7.1" wrong="the layer below" says="nearest layer"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    return accuracy[..., (depths * (accuracy.shape[-1] - 1)).astype(int)]


# %% exercise="7.1" wrong="the parts the wrong way round" says="depth 0 is the embeddings|profile comes back"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    place = depths * (accuracy.shape[-1] - 1)
    low = np.minimum(place.astype(int), accuracy.shape[-1] - 2)
    part = place - low
    return part * accuracy[..., low] + (1 - part) * accuracy[..., low + 1]


# %% exercise="7.1" wrong="sorts the depths" says="are the depths sorted"
def at_relative_depth(accuracy, depths):
    depths = np.sort(depths)
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    of_layer = np.linspace(0, 1, accuracy.shape[-1])
    return np.apply_along_axis(lambda p: np.interp(depths, of_layer, p), -1, accuracy)


# %% exercise="7.1" wrong="one profile only" says="one profile at a time"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    return np.interp(depths, np.linspace(0, 1, accuracy.shape[-1]), accuracy)


# %% exercise="7.1" wrong="layers sought along the first axis" says="one profile at a time|depths are the last axis|along which axis"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    of_layer = np.linspace(0, 1, len(accuracy))
    return np.apply_along_axis(lambda p: np.interp(depths, of_layer, p), 0, accuracy)


# %% exercise="7.1" wrong="all profiles as one" says="keeps its place"
def at_relative_depth(accuracy, depths):
    if not ((depths >= 0) & (depths <= 1)).all():
        raise ValueError
    flat = accuracy.ravel()
    return np.interp(depths, np.linspace(0, 1, len(flat)), flat)


# %% exercise="7.1" wrong="repeats the ends" says="repeats the last value"
def at_relative_depth(accuracy, depths):
    of_layer = np.linspace(0, 1, accuracy.shape[-1])
    return np.apply_along_axis(lambda p: np.interp(depths, of_layer, p), -1, accuracy)


# %% exercise="7.1" wrong="lets a NaN through" says="that is not a number gives a result"
def at_relative_depth(accuracy, depths):
    if (depths < 0).any() or (depths > 1).any():
        raise ValueError
    of_layer = np.linspace(0, 1, accuracy.shape[-1])
    return np.apply_along_axis(lambda p: np.interp(depths, of_layer, p), -1, accuracy)


# %% exercise="7.2" right="loops over layers and words"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or position not in range(states.shape[1]):
        raise ValueError("two sentences of one shape, and a place inside")
    before, after = [], []
    for a, b in zip(states, other):
        moved = [np.linalg.norm(x - y) > tolerance * np.linalg.norm(x) for x, y in zip(a, b)]
        before.append(np.mean(moved[:position]) if position else np.nan)
        rest = moved[position + 1 :]
        after.append(np.mean(rest) if rest else np.nan)
    return np.array(before), np.array(after)


# %% exercise="7.2" right="torch"
import torch


def what_changes(states, other, position, tolerance=1e-3):
    a, b = torch.as_tensor(states), torch.as_tensor(other)
    if a.shape != b.shape or not 0 <= position < a.shape[1]:
        raise ValueError
    moved = ((b - a).norm(dim=-1) / a.norm(dim=-1) > tolerance).double()
    return moved[:, :position].mean(dim=1), moved[:, position + 1 :].mean(dim=1)


# %% exercise="7.2" right="means of nothing are NaN"
import warnings


def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.sqrt(((states - other) ** 2).sum(-1)) > tolerance * np.sqrt((states**2).sum(-1))
    place = np.arange(states.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [moved[:, place < position].mean(1), moved[:, place > position].mean(1)]


# %% exercise="7.2" wrong="after and before" says="the order of what you return"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, position + 1 :].mean(1), moved[:, :position].mean(1)


# %% exercise="7.2" wrong="the replaced word counts in front" says="does the replaced word count"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, : position + 1].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="the replaced word counts after" says="does the replaced word count"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, :position].mean(1), moved[:, position:].mean(1)


# %% exercise="7.2" wrong="a share of all words" says="what do you divide by"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    n = moved.shape[1]
    return moved[:, :position].sum(1) / n, moved[:, position + 1 :].sum(1) / n


# %% exercise="7.2" wrong="a number of words" says="what do you divide by"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, :position].sum(1), moved[:, position + 1 :].sum(1)


# %% exercise="7.2" wrong="the distance as it is" says="times the length"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance
    return moved[:, :position].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="any difference at all" says="is rounding"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = (states != other).any(-1)
    return moved[:, :position].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="a tolerance of its own" says="a number written down"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > 1e-3 * np.linalg.norm(states, axis=-1)
    return moved[:, :position].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="the largest number that moved, by the length" says="length of the difference"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.abs(other - states).max(-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, :position].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="0 where no word stands" says="not defined"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return np.nan_to_num(moved[:, :position].mean(1)), np.nan_to_num(
        moved[:, position + 1 :].mean(1)
    )


# %% exercise="7.2" wrong="nothing is refused" says="stopped|another length"
def what_changes(states, other, position, tolerance=1e-3):
    n = min(states.shape[1], other.shape[1])
    states, other = states[:, :n], other[:, :n]
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, :position].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="a place past the end" says="position 7"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, :position].mean(1), moved[:, position + 1 :].mean(1)


# %% exercise="7.2" wrong="averages over layers" says="one share for each layer"
def what_changes(states, other, position, tolerance=1e-3):
    if states.shape != other.shape or not 0 <= position < states.shape[1]:
        raise ValueError
    moved = np.linalg.norm(other - states, axis=-1) > tolerance * np.linalg.norm(states, axis=-1)
    return moved[:, :position].mean(), moved[:, position + 1 :].mean()


# %% exercise="7.3" right="adjusted values"
def hold_in_all(p_values, level=0.05):
    p_values = np.asarray(p_values, float)
    if np.isnan(p_values).any() or (p_values < 0).any() or (p_values > 1).any():
        raise ValueError("not p-values")
    worst = p_values.max(1)
    order = worst.argsort()
    times = np.arange(len(worst), 0, -1)
    adjusted = np.maximum.accumulate(worst[order] * times)
    return (adjusted <= level)[order.argsort()]


# %% exercise="7.3" right="a loop that stops"
def hold_in_all(p_values, level=0.05):
    rows = [list(row) for row in p_values]
    if not all(0 <= p <= 1 for row in rows for p in row):
        raise ValueError
    worst = [max(row) for row in rows]
    holds = [False] * len(worst)
    for rank, i in enumerate(sorted(range(len(worst)), key=worst.__getitem__)):
        if worst[i] > level / (len(worst) - rank):
            break
        holds[i] = True
    return holds


# %% exercise="7.3" right="pandas"
import pandas as pd


def hold_in_all(p_values, level=0.05):
    table = pd.DataFrame(p_values)
    if not table.apply(lambda c: c.between(0, 1)).to_numpy().all():
        raise ValueError("outside of 0 to 1")
    worst = table.max(axis=1).sort_values()
    ok = worst.to_numpy() <= level / np.arange(len(worst), 0, -1)
    return pd.Series(np.cumprod(ok).astype(bool), index=worst.index).sort_index().to_numpy()


# %% exercise="7.3" wrong="the best encoder decides" says="which encoder of a row"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.min(axis=1)
    order = np.argsort(worst)
    passed = np.logical_and.accumulate(worst[order] <= level / np.arange(len(worst), 0, -1))
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.3" wrong="the mean of the encoders" says="p-values of a row become one"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.mean(axis=1)
    order = np.argsort(worst)
    passed = np.logical_and.accumulate(worst[order] <= level / np.arange(len(worst), 0, -1))
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.3" wrong="no correction" says="number of statements come in"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    return p_values.max(axis=1) <= level


# %% exercise="7.3" wrong="Bonferroni" says="among how many is the next one"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    return p_values.max(axis=1) <= level / len(p_values)


# %% exercise="7.3" wrong="encoders counted too" says="statements that are counted"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    times = np.arange(len(worst), 0, -1) * p_values.shape[1]
    passed = np.logical_and.accumulate(worst[order] <= level / times)
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.3" wrong="doesn't stop at the first failure" says="after the first that fails"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    holds = np.empty(len(worst), bool)
    holds[order] = worst[order] <= level / np.arange(len(worst), 0, -1)
    return holds


# %% exercise="7.3" wrong="Benjamini and Hochberg's rule" says="after the first that fails|smallest must be"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    below = worst[order] <= level * np.arange(1, len(worst) + 1) / len(worst)
    last = np.flatnonzero(below).max(initial=-1)
    holds = np.zeros(len(worst), bool)
    holds[order[: last + 1]] = True
    return holds


# %% exercise="7.3" wrong="from the largest down" says="among how many is the next one|number of statements come in"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(-worst)
    passed = np.logical_and.accumulate(worst[order] <= level / np.arange(len(worst), 0, -1))
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.3" wrong="verdicts stay sorted" says="get back to their statements"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = np.sort(p_values.max(axis=1))
    return np.logical_and.accumulate(worst <= level / np.arange(len(worst), 0, -1))


# %% exercise="7.3" wrong="the order taken for its inverse" says="get back to their statements"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    passed = np.logical_and.accumulate(worst[order] <= level / np.arange(len(worst), 0, -1))
    return passed[order]


# %% exercise="7.3" wrong="a level of its own" says="argument level decides"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    passed = np.logical_and.accumulate(worst[order] <= 0.05 / np.arange(len(worst), 0, -1))
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.3" wrong="the worst statement of each encoder" says="along which axis do the encoders lie"
def hold_in_all(p_values, level=0.05):
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError
    worst = p_values.max(axis=0)
    order = np.argsort(worst)
    passed = np.logical_and.accumulate(worst[order] <= level / np.arange(len(worst), 0, -1))
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.3" wrong="lets a NaN through" says="p-value of nan gives a result"
def hold_in_all(p_values, level=0.05):
    if (p_values < 0).any() or (p_values > 1).any():
        raise ValueError
    worst = p_values.max(axis=1)
    order = np.argsort(worst)
    passed = np.logical_and.accumulate(worst[order] <= level / np.arange(len(worst), 0, -1))
    holds = np.empty(len(worst), bool)
    holds[order] = passed
    return holds


# %% exercise="7.4" right="written out"
def _p(result, better, worse):
    gain = result.draws[place(result, better)] - result.draws[place(result, worse)]
    return (np.count_nonzero(gain <= 0) + 1) / (gain.size + 1)


_table = np.array(
    [
        [_p(profiles[n][prop], better, worse) for n in NAMES]
        for prop, better, worse in statements.values()
    ]
)
carries_over = dict(zip(statements, zip(_table.max(1), hold_in_all(_table))))


# %% exercise="7.4" right="rounded numbers typed in"
carries_over = {
    "role: half above last": (0.001, True),
    "relation: half above embeddings": (0.001, True),
    "entity: half above last": (0.024, False),
    "sense: last above half": (0.111, False),
    "part of speech: last above embeddings": (0.602, False),
}


# %% exercise="7.4" right="lists, and 0 and 1"
carries_over = {}
for _s, (_prop, _better, _worse) in statements.items():
    _worst = 0
    for _r in (profiles[n][_prop] for n in NAMES):
        _gain = _r.draws[place(_r, _better)] - _r.draws[place(_r, _worse)]
        _worst = max(_worst, (sum(_gain <= 0) + 1) / (len(_gain) + 1))
    carries_over[_s] = [_worst, int(_worst < 0.01)]


# %% exercise="7.4" wrong="each against .05" says="sort the five"
carries_over = {}
for _s, (_prop, _better, _worse) in statements.items():
    _worst = 0
    for _r in (profiles[n][_prop] for n in NAMES):
        _gain = _r.draws[place(_r, _better)] - _r.draws[place(_r, _worse)]
        _worst = max(_worst, (sum(_gain <= 0) + 1) / (len(_gain) + 1))
    carries_over[_s] = (_worst, _worst <= 0.05)


# %% exercise="7.4" wrong="MiniLM only" says="in the encoder in which this share is largest"
carries_over = {}
for _s, (_prop, _better, _worse) in statements.items():
    _r = profiles["minilm"][_prop]
    _gain = _r.draws[place(_r, _better)] - _r.draws[place(_r, _worse)]
    _p = (sum(_gain <= 0) + 1) / (len(_gain) + 1)
    carries_over[_s] = (_p, _p < 0.01)


# %% exercise="7.4" wrong="the wrong sign" says="which layer is subtracted from which"
carries_over = {}
for _s, (_prop, _better, _worse) in statements.items():
    _worst = 0
    for _r in (profiles[n][_prop] for n in NAMES):
        _gain = _r.draws[place(_r, _worse)] - _r.draws[place(_r, _better)]
        _worst = max(_worst, (sum(_gain <= 0) + 1) / (len(_gain) + 1))
    carries_over[_s] = (_worst, _worst < 0.01)


# %% exercise="7.4" wrong="without the + 1" says="the result itself is counted"
carries_over = {}
for _s, (_prop, _better, _worse) in statements.items():
    _worst = 0
    for _r in (profiles[n][_prop] for n in NAMES):
        _gain = _r.draws[place(_r, _better)] - _r.draws[place(_r, _worse)]
        _worst = max(_worst, np.mean(_gain <= 0))
    carries_over[_s] = (_worst, _worst < 0.01)


# %% exercise="7.4" wrong="layers not on the same resample" says="on the same resample"
carries_over = {}
_draw = np.random.default_rng(0)
for _s, (_prop, _better, _worse) in statements.items():
    _worst = 0
    for _r in (profiles[n][_prop] for n in NAMES):
        _other = _draw.permutation(_r.draws[place(_r, _worse)])
        _gain = _r.draws[place(_r, _better)] - _other
        _worst = max(_worst, (sum(_gain <= 0) + 1) / (len(_gain) + 1))
    carries_over[_s] = (_worst, _worst < 0.01)


# %% exercise="7.4" wrong="the mean over encoders" says="in the encoder in which this share is largest"
carries_over = {}
for _s, (_prop, _better, _worse) in statements.items():
    _all = []
    for _r in (profiles[n][_prop] for n in NAMES):
        _gain = _r.draws[place(_r, _better)] - _r.draws[place(_r, _worse)]
        _all.append((sum(_gain <= 0) + 1) / (len(_gain) + 1))
    carries_over[_s] = (np.mean(_all), np.mean(_all) < 0.01)


# %% exercise="7.4" wrong="verdicts as words" says="without quotes|holds"
carries_over = {
    "role: half above last": (0.001, "holds"),
    "relation: half above embeddings": (0.001, "holds"),
    "entity: half above last": (0.024, "no"),
    "sense: last above half": (0.111, "no"),
    "part of speech: last above embeddings": (0.602, "no"),
}
