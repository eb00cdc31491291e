# %% exercise="1.1" right="a loop"
def expected_layer(scores):
    gain = scores[-1] - scores[0]
    if gain <= 0:
        raise ValueError("no gain")
    total = 0
    for k in range(1, len(scores)):
        total += k * (scores[k] - scores[k - 1])
    return total / gain


# %% exercise="1.1" right="numpy average"
def expected_layer(scores):
    added = np.diff(np.asarray(scores, dtype=float))
    if not added.sum() > 0:
        raise ValueError("nothing to average")
    return np.average(np.arange(1, len(added) + 1), weights=added)


# %% exercise="1.1" right="summed by parts, torch"
import torch


def expected_layer(scores):
    s = torch.tensor(scores, dtype=torch.float64)
    if s[-1] <= s[0]:
        raise ValueError
    # sum of k * delta = L * s_L - (s_0 + ... + s_{L-1})
    return ((len(s) - 1) * s[-1] - s[:-1].sum()) / (s[-1] - s[0])


# %% exercise="1.1" right="zip and enumerate"
def expected_layer(scores):
    if max(scores[0], scores[-1]) == scores[0]:
        raise ValueError("the last layer is no better than the first")
    steps = [b - a for a, b in zip(scores[:-1], scores[1:])]
    return sum(k * d for k, d in enumerate(steps, start=1)) / sum(steps)


# %% exercise="1.1" wrong="counts the first gain as layer 0" says="layer 0 has no gain"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    added = np.diff(scores)
    return np.arange(len(added)) @ added / added.sum()


# %% exercise="1.1" wrong="weights by the scores: a centre of gravity" says="the scores themselves"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    return sum(k * s for k, s in enumerate(scores)) / sum(scores)


# %% exercise="1.1" wrong="takes the score of layer 0 for a gain" says="belong to the gains"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    added = np.diff(scores, prepend=0)
    return np.arange(len(scores)) @ added / added.sum()


# %% exercise="1.1" wrong="cuts losses off" says="minus sign"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    added = np.maximum(np.diff(scores), 0)
    return np.arange(1, len(scores)) @ added / added.sum()


# %% exercise="1.1" wrong="takes losses for gains" says="minus sign"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    added = np.abs(np.diff(scores))
    return np.arange(1, len(scores)) @ added / added.sum()


# %% exercise="1.1" wrong="doesn't divide" says="lower half of the fraction"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    return np.arange(1, len(scores)) @ np.diff(scores)


# %% exercise="1.1" wrong="the layer of the largest gain" says="three gains"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    return len(scores) - 1 - np.argmax(np.diff(scores)[::-1])


# %% exercise="1.1" wrong="refuses nothing" says="ValueError is raised"
def expected_layer(scores):
    added = np.diff(scores)
    return np.arange(1, len(scores)) @ added / (added.sum() or 1.0)


# %% exercise="1.1" wrong="divides by zero where scores are equal" says="equal ones are caught"
def expected_layer(scores):
    gain = scores[-1] - scores[0]
    if gain < 0:
        raise ValueError
    return sum(k * (scores[k] - scores[k - 1]) for k in range(1, len(scores))) / gain


# %% exercise="1.1" wrong="twelve layers written down" says="stopped with IndexError"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    return sum(k * (scores[k] - scores[k - 1]) for k in range(1, 13)) / (scores[-1] - scores[0])


# %% exercise="1.1" wrong="the sum stops before L" says="reach layer L"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    total = 0
    for k in range(1, len(scores) - 1):
        total += k * (scores[k] - scores[k - 1])
    return total / (scores[-1] - scores[0])


# %% exercise="1.1" wrong="both sums stop before L" says="reach layer L"
def expected_layer(scores):
    if scores[-1] <= scores[0]:
        raise ValueError
    total, gains = 0, 0
    for k in range(1, len(scores) - 1):
        total += k * (scores[k] - scores[k - 1])
        gains += scores[k] - scores[k - 1]
    return total / gains


# %% exercise="1.1" wrong="refuses no loss" says="gives the number 7.0"
def expected_layer(scores):
    added = np.diff(scores)
    if added.sum() == 0:
        raise ValueError
    return np.arange(1, len(scores)) @ added / added.sum()


# %% exercise="1.2" right="three loops"
def layer_similarity(vectors):
    n = len(vectors)
    result = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            cosines = []
            for w in range(vectors.shape[1]):
                a, b = vectors[i, w], vectors[j, w]
                cosines.append(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))
            result[i, j] = sum(cosines) / len(cosines)
    return result


# %% exercise="1.2" right="torch, broadcast"
import torch


def layer_similarity(vectors):
    v = torch.as_tensor(vectors)
    return torch.cosine_similarity(v[:, None], v[None], dim=-1).mean(-1)


# %% exercise="1.2" right="one matrix product of flattened unit vectors"
def layer_similarity(vectors):
    unit = vectors / np.sqrt((vectors**2).sum(-1))[..., None]
    flat = unit.reshape(len(unit), -1)
    return flat @ flat.T / vectors.shape[1]


# %% exercise="1.2" right="scikit-learn word by word"
from sklearn.metrics.pairwise import cosine_similarity


def layer_similarity(vectors):
    return np.mean([cosine_similarity(vectors[:, w]) for w in range(vectors.shape[1])], axis=0)


# %% exercise="1.2" right="a list of rows, one half mirrored"
def layer_similarity(vectors):
    unit = [v / np.linalg.norm(v, axis=1)[:, None] for v in vectors]
    n = len(unit)
    rows = [[1.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            rows[i][j] = rows[j][i] = float((unit[i] * unit[j]).sum(1).mean())
    return rows


# %% exercise="1.2" wrong="the cosine of the mean vectors" says="before anything is averaged"
def layer_similarity(vectors):
    mean = vectors.mean(axis=1)
    unit = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return unit @ unit.T


# %% exercise="1.2" wrong="all words flattened into one vector" says="a cosine of its own"
def layer_similarity(vectors):
    flat = vectors.reshape(len(vectors), -1)
    unit = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    return unit @ unit.T


# %% exercise="1.2" wrong="dot products without lengths" says="divided by"
def layer_similarity(vectors):
    return np.einsum("iwh,jwh->ij", vectors, vectors) / vectors.shape[1]


# %% exercise="1.2" wrong="a sum instead of the mean" says="a sum where a mean"
def layer_similarity(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.einsum("iwh,jwh->ij", unit, unit)


# %% exercise="1.2" wrong="every word with every other" says="which vector is compared with which"
def layer_similarity(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.einsum("iwh,jvh->ij", unit, unit) / vectors.shape[1] ** 2


# %% exercise="1.2" wrong="neighbouring layers only" says="the shape .1,."
def layer_similarity(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (unit[:-1] * unit[1:]).sum(-1).mean(-1)


# %% exercise="1.2" wrong="words against words" says="compares layers with layers"
def layer_similarity(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.einsum("kwh,kvh->kwv", unit, unit)


# %% exercise="1.2" wrong="lengths along the axis of words" says="a length of its own"
def layer_similarity(vectors):
    unit = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)
    return np.einsum("iwh,jwh->ij", unit, unit) / vectors.shape[1]


# %% exercise="1.2" wrong="one half of the matrix stays empty" says="both halves"
def layer_similarity(vectors):
    n = len(vectors)
    out = np.eye(n)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = vectors[i], vectors[j]
            out[i, j] = np.mean(
                (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
            )
    return out


# %% exercise="1.2" wrong="leaves out layer 0" says="the shape .1, 1."
def layer_similarity(vectors):
    v = vectors[1:]
    unit = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return np.einsum("iwh,jwh->ij", unit, unit) / v.shape[1]


# %% exercise="1.2" wrong="normalises in place" says="change this one in place"
def layer_similarity(vectors):
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.einsum("iwh,jwh->ijw", vectors, vectors).mean(-1)


# %% exercise="1.3" right="zip of neighbours"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    turns = [1 - (a * b).sum(-1).mean() for a, b in zip(unit[:-1], unit[1:])]
    return 1 + max(range(len(turns)), key=turns.__getitem__)


# %% exercise="1.3" right="a dictionary by block"
def block_that_turns_most(cls_vectors):
    num_blocks = len(cls_vectors) - 1
    turn = {}
    for block in range(1, num_blocks + 1):
        cosines = []
        for before, after in zip(cls_vectors[block - 1], cls_vectors[block]):
            cosines.append(before @ after / np.sqrt(before @ before) / np.sqrt(after @ after))
        turn[block] = 1 - sum(cosines) / len(cosines)
    return max(turn, key=turn.get)


# %% exercise="1.3" right="torch at once"
import torch


def block_that_turns_most(cls_vectors):
    v = torch.as_tensor(cls_vectors)
    return torch.cosine_similarity(v[1:], v[:-1], dim=-1).mean(1).argmin() + 1


# %% exercise="1.3" right="a zero for layer 0 in front"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=2)[:, :, None]
    changes = [-1.0]
    for k in range(1, len(unit)):
        changes.append(1 - np.einsum("sh,sh->s", unit[k], unit[k - 1]).mean())
    return np.argmax(changes)


# %% exercise="1.3" wrong="only the number mended" says="step into the last layer"
def block_that_turns_most(cls_vectors):
    layers = cls_vectors[:-1]
    changes = []
    for k in range(1, len(layers)):
        before, after = layers[k - 1], layers[k]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        changes.append(1 - ((before * after).sum(axis=1) / lengths).mean())
    return int(np.argmax(changes)) + 1


# %% exercise="1.3" wrong="only the last layer mended" says="change that block 1 makes stands"
def block_that_turns_most(cls_vectors):
    layers = cls_vectors
    changes = []
    for k in range(1, len(layers)):
        before, after = layers[k - 1], layers[k]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        changes.append(1 - ((before * after).sum(axis=1) / lengths).mean())
    return int(np.argmax(changes))


# %% exercise="1.3" wrong="the embeddings cut off instead" says="change that block 1 makes stands"
def block_that_turns_most(cls_vectors):
    layers = cls_vectors[1:]
    changes = []
    for k in range(1, len(layers)):
        before, after = layers[k - 1], layers[k]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        changes.append(1 - ((before * after).sum(axis=1) / lengths).mean())
    return int(np.argmax(changes)) + 1


# %% exercise="1.3" wrong="the embeddings cut off, block 1 never compared" says="step from layer 0 to layer 1"
def block_that_turns_most(cls_vectors):
    layers = cls_vectors[1:]
    changes = []
    for k in range(1, len(layers)):
        before, after = layers[k - 1], layers[k]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        changes.append(1 - ((before * after).sum(axis=1) / lengths).mean())
    return int(np.argmax(changes)) + 2


# %% exercise="1.3" wrong="one too many" says="count one too many"
def block_that_turns_most(cls_vectors):
    changes = []
    for k in range(1, len(cls_vectors)):
        before, after = cls_vectors[k - 1], cls_vectors[k]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        changes.append(1 - ((before * after).sum(axis=1) / lengths).mean())
    return int(np.argmax(changes)) + 2


# %% exercise="1.3" wrong="the distance instead of the angle" says="longer without turning"
def block_that_turns_most(cls_vectors):
    steps = np.linalg.norm(cls_vectors[1:] - cls_vectors[:-1], axis=-1).mean(axis=1)
    return int(np.argmax(steps)) + 1


# %% exercise="1.3" wrong="everything compared with layer 0" says="which two layers you compare"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    turns = [1 - (unit[0] * u).sum(-1).mean() for u in unit[1:]]
    turns[-1] += 1e-6
    return int(np.argmax(turns)) + 1


# %% exercise="1.3" wrong="the mean of the sentences first" says="before or after the cosine"
def block_that_turns_most(cls_vectors):
    mean = cls_vectors.mean(axis=1)
    unit = mean / np.linalg.norm(mean, axis=-1, keepdims=True)
    return int(np.argmin((unit[1:] * unit[:-1]).sum(-1).round(6))) + 1


# %% exercise="1.3" wrong="the smallest turn" says="much or for little|longer"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    turns = 1 - (unit[1:] * unit[:-1]).sum(-1).mean(1)
    return int(np.argmin(turns.round(9))) + 1


# %% exercise="1.3" wrong="the sentence that turns most decides" says="one of them decide alone"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    cosine = (unit[1:] * unit[:-1]).sum(-1).round(9)
    return int(np.argmin(cosine.min(axis=1))) + 1


# %% exercise="1.3" wrong="the median of the sentences" says="each of them count|over the sentences"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    cosine = (unit[1:] * unit[:-1]).sum(-1).round(9)
    return int(np.argmin(np.median(cosine, axis=1))) + 1


# %% exercise="1.3" wrong="six blocks written down" says="number of layers written down"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    turns = [1 - (unit[k] * unit[k - 1]).sum(-1).mean() for k in range(1, 7)]
    return int(np.argmax(turns)) + 1


# %% exercise="1.3" wrong="starts at block 2" says="if it is there"
def block_that_turns_most(cls_vectors):
    unit = cls_vectors / np.linalg.norm(cls_vectors, axis=-1, keepdims=True)
    turns = [1 - (unit[k] * unit[k - 1]).sum(-1).mean() for k in range(2, len(unit))]
    return int(np.argmax(turns)) + 1


# %% exercise="1.4" right="all draws at once"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    drawn = np.random.default_rng(seed).integers(len(d), size=(draws, len(d)))
    low, high = np.quantile(d[drawn].mean(axis=1), [0.025, 0.975])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}

# %% exercise="1.4" right="lists and the random module"
import random


def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    differences = [float(a) - float(b) for a, b in zip(gap[layer], gap[other])]
    source, n = random.Random(seed), len(differences)
    means = sorted(sum(source.choices(differences, k=n)) / n for _ in range(draws))
    return [
        sum(differences) / n,
        means[int(0.025 * draws)],
        means[int(0.975 * draws)],
    ]


decisions = {
    "senses: wider at layer 6 than at layer 5": "Yes",
    "tags: wider at layer 3 than at layer 1": "Yes",
    "tags: wider at layer 3 than at layer 4": "Not settled",
}


# %% exercise="1.4" right="draws columns of the array, an array as result"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    rng = np.random.RandomState(seed)
    words = gap.shape[1]
    found = np.empty(draws)
    for r in range(draws):
        columns = gap[:, rng.randint(0, words, words)]
        found[r] = columns[layer].mean() - columns[other].mean()
    mean = gap[layer].mean() - gap[other].mean()
    return np.array([mean, np.percentile(found, 2.5), np.percentile(found, 97.5)])


answers = ["yes", "yes", "not settled"]
decisions = dict(
    zip(
        [
            "senses: wider at layer 6 than at layer 5",
            "tags: wider at layer 3 than at layer 1",
            "tags: wider at layer 3 than at layer 4",
        ],
        answers,
    )
)

# %% exercise="1.4" right="torch, multinomial counts"
import torch


def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = torch.as_tensor(np.asarray(gap[layer] - gap[other], dtype=float))
    n = len(d)
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)
    means = torch.as_tensor(counts, dtype=torch.float64) @ d / n
    ends = torch.quantile(means, torch.tensor([0.025, 0.975], dtype=torch.float64))
    return d.mean(), ends[0], ends[1]


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="draws for each layer anew" says="draw twice"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    rng = np.random.default_rng(seed)
    n = gap.shape[1]
    means = [
        rng.choice(gap[layer], n).mean() - rng.choice(gap[other], n).mean() for _ in range(draws)
    ]
    low, high = np.percentile(means, [2.5, 97.5])
    return (gap[layer] - gap[other]).mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="the other way round" says="subtracted from which"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[other] - gap[layer]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "no",
    "tags: wider at layer 3 than at layer 1": "no",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="percentiles of the words, not of the means" says="mean of what is drawn"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    low, high = np.percentile(d, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "not settled",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="without replacement" says="with replacement"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.permutation(d).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "yes",
}


# %% exercise="1.4" wrong="the source made anew in the loop" says="is each another one"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    means = [np.random.default_rng(seed).choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "yes",
}


# %% exercise="1.4" wrong="one standard error to each side" says="95 of 100 means"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = np.array([rng.choice(d, len(d)).mean() for _ in range(draws)])
    return d.mean(), d.mean() - means.std(), d.mean() + means.std()


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="percentiles from 0 to 1" says="from 0 to 100"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [0.025, 0.975])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "no",
}


# %% exercise="1.4" wrong="no seed" says="same seed"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    means = [np.random.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="high before low" says="low comes before high"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    return d.mean(), np.percentile(means, 97.5), np.percentile(means, 2.5)


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="the mean of the draws as estimate" says="mean of the draws"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return np.mean(means), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="draws is ignored" says="argument draws goes"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(1000)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="seed is ignored" says="another seed draws other words"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(0)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="1.96 standard errors" says="percentiles of the means drawn"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    se = d.std(ddof=1) / np.sqrt(len(d))
    return d.mean(), d.mean() - 1.96 * se, d.mean() + 1.96 * se


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="1.96 standard deviations of the means drawn" says="percentiles of the means drawn"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    se = np.std([rng.choice(d, len(d)).mean() for _ in range(draws)])
    return d.mean(), d.mean() - 1.96 * se, d.mean() + 1.96 * se


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="only the sample's mean decides" says="in the sample doesn't decide"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "yes",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "yes",
}


# %% exercise="1.4" wrong="nothing is ever settled" says="on which side of 0"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": "not settled",
    "tags: wider at layer 3 than at layer 1": "yes",
    "tags: wider at layer 3 than at layer 4": "not settled",
}


# %% exercise="1.4" wrong="truth values instead of the three answers" says="three answers of the exercise"
def difference_with_interval(gap, layer, other, draws=1000, seed=0):
    d = gap[layer] - gap[other]
    rng = np.random.default_rng(seed)
    means = [rng.choice(d, len(d)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return d.mean(), low, high


decisions = {
    "senses: wider at layer 6 than at layer 5": True,
    "tags: wider at layer 3 than at layer 1": True,
    "tags: wider at layer 3 than at layer 4": False,
}
