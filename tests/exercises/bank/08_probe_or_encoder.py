# %% exercise="8.1" right="a list that grows"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError("no such size")
    ids = sorted(set(documents))
    np.random.default_rng(seed).shuffle(ids)
    line = []
    for one in ids:
        line += [i for i, d in enumerate(documents) if d == one]
    return [np.array(line[:n]) for n in sizes]


# %% exercise="8.1" right="sorting by a random rank"
def growing_sets(documents, sizes, seed=0):
    _, of_word = np.unique(documents, return_inverse=True)
    rank = np.random.default_rng(seed).permutation(of_word.max() + 1)
    line = np.argsort(rank[of_word], kind="stable")
    for size in sizes:
        if size < 1 or size > len(line):
            raise ValueError(size)
    return [line[:size].copy() for size in sizes]


# %% exercise="8.1" right="the standard library"
import random


def growing_sets(documents, sizes, seed=0):
    words = {}
    for i, one in enumerate(documents):
        words.setdefault(one, []).append(i)
    order = list(words)
    random.Random(seed).shuffle(order)
    line = sum((words[one] for one in order), [])
    if not all(0 < size <= len(line) for size in sizes):
        raise ValueError
    return [line[:size] for size in sizes]


# %% exercise="8.1" wrong="shuffles words" says="what is shuffled, words or documents"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError
    line = np.random.default_rng(seed).permutation(len(documents))
    return [line[:size] for size in sizes]


# %% exercise="8.1" wrong="the corpus's order" says="always begins|seed reach"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError
    order = np.unique(documents)
    line = np.concatenate([np.flatnonzero(documents == one) for one in order])
    return [line[:size] for size in sizes]


# %% exercise="8.1" wrong="a new order for each size" says="once for each size"
def growing_sets(documents, sizes, seed=0):
    draw = np.random.default_rng(seed)
    sets = []
    for size in sizes:
        if not 1 <= size <= len(documents):
            raise ValueError
        order = draw.permutation(np.unique(documents))
        line = np.concatenate([np.flatnonzero(documents == one) for one in order])
        sets.append(line[:size])
    return sets


# %% exercise="8.1" wrong="whole documents only" says="the end of a document, or at a number"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError
    order = np.random.default_rng(seed).permutation(np.unique(documents))
    sets = []
    for size in sizes:
        line = np.zeros(0, dtype=int)
        for one in order:
            if len(line) < size:
                line = np.concatenate([line, np.flatnonzero(documents == one)])
        sets.append(line)
    return sets


# %% exercise="8.1" wrong="words of a document shuffled" says="keep their own order"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError
    draw = np.random.default_rng(seed)
    order = draw.permutation(np.unique(documents))
    line = np.concatenate([draw.permutation(np.flatnonzero(documents == one)) for one in order])
    return [line[:size] for size in sizes]


# %% exercise="8.1" wrong="the words themselves" says="indices of words"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError
    order = np.random.default_rng(seed).permutation(np.unique(documents))
    line = np.concatenate([np.arange((documents == one).sum()) for one in order])
    return [line[:size] for size in sizes]


# %% exercise="8.1" wrong="too large sizes are cut" says="slices end quietly"
def growing_sets(documents, sizes, seed=0):
    order = np.random.default_rng(seed).permutation(np.unique(documents))
    line = np.concatenate([np.flatnonzero(documents == one) for one in order])
    return [line[:size] for size in sizes]


# %% exercise="8.1" wrong="a fixed seed" says="is the order of the documents drawn, and does the seed reach|is the argument used"
def growing_sets(documents, sizes, seed=0):
    if min(sizes) < 1 or max(sizes) > len(documents):
        raise ValueError
    order = np.random.default_rng(42).permutation(np.unique(documents))
    line = np.concatenate([np.flatnonzero(documents == one) for one in order])
    return [line[:size] for size in sizes]


# %% exercise="8.2" right="loops"
def two_sources(right, words, times):
    variances = []
    for row in right:
        shares = [(t * row).sum() / (t * words).sum() for t in times]
        variances.append(np.var(shares, ddof=1))
    plain = [row.sum() / words.sum() for row in right]
    return float(np.mean(variances)) ** 0.5, float(np.std(plain, ddof=1))


# %% exercise="8.2" right="einsum, as an array"
def two_sources(right, words, times):
    hits = np.einsum("du,ru->dr", right, times)
    shares = hits / np.einsum("ru,u->r", times, words)
    variance = ((shares - shares.mean(1, keepdims=True)) ** 2).sum(1) / (shares.shape[1] - 1)
    return np.array([np.sqrt(variance.mean()), np.std(right.sum(1) / words.sum(), ddof=1)])


# %% exercise="8.2" right="the standard library"
import statistics


def two_sources(right, words, times):
    def accuracy(row, t):
        return float(row @ t) / float(words @ t)

    inner = [statistics.variance([accuracy(row, t) for t in times]) for row in right]
    once = np.ones(len(words))
    return statistics.fmean(inner) ** 0.5, statistics.stdev([accuracy(r, once) for r in right])


# %% exercise="8.2" wrong="a mean of documents' shares" says="counts words"
def two_sources(right, words, times):
    share = right / words
    on = share @ times.T / times.sum(axis=1)
    return np.sqrt(on.var(axis=1, ddof=1).mean()), share.mean(axis=1).std(ddof=1)


# %% exercise="8.2" wrong="the committee" says="mean over the draws taken before"
def two_sources(right, words, times):
    on = right @ times.T / (times @ words)
    return on.mean(axis=0).std(ddof=1), (right.sum(axis=1) / words.sum()).std(ddof=1)


# %% exercise="8.2" wrong="all together" says="thrown together|draw by draw"
def two_sources(right, words, times):
    on = right @ times.T / (times @ words)
    return on.std(ddof=1), (right.sum(axis=1) / words.sum()).std(ddof=1)


# %% exercise="8.2" wrong="swapped" says="order of what you return"
def two_sources(right, words, times):
    on = right @ times.T / (times @ words)
    test = np.sqrt(on.var(axis=1, ddof=1).mean())
    return (right.sum(axis=1) / words.sum()).std(ddof=1), test


# %% exercise="8.2" wrong="n instead of n - 1" says="ddof"
def two_sources(right, words, times):
    on = right @ times.T / (times @ words)
    return np.sqrt(on.var(axis=1).mean()), (right.sum(axis=1) / words.sum()).std()


# %% exercise="8.2" wrong="averages standard deviations" says="are variances averaged, or standard deviations"
def two_sources(right, words, times):
    on = right @ times.T / (times @ words)
    return on.std(axis=1, ddof=1).mean(), (right.sum(axis=1) / words.sum()).std(ddof=1)


# %% exercise="8.2" wrong="divides by all words" says="counts words|how many words are there"
def two_sources(right, words, times):
    on = right @ times.T / words.sum()
    return np.sqrt(on.var(axis=1, ddof=1).mean()), (right.sum(axis=1) / words.sum()).std(ddof=1)


# %% exercise="8.3" right="rebuilt with a diagonal"
def limit_rank(weights, rank):
    if rank < 1 or rank >= weights.shape[1]:
        raise ValueError("rank")
    c = weights - weights.mean(1)[:, None]
    u, s, vt = np.linalg.svd(c, full_matrices=False)
    s = np.where(np.arange(len(s)) < rank, s, 0)
    return u @ np.diag(s) @ vt


# %% exercise="8.3" right="a projection onto the leading directions"
def limit_rank(weights, rank):
    if rank not in range(1, weights.shape[1]):
        raise ValueError(rank)
    c = weights - weights.mean(axis=1, keepdims=True)
    _, _, vt = np.linalg.svd(c)
    return c @ vt[:rank].T @ vt[:rank]


# %% exercise="8.3" right="scikit-learn"
from sklearn.decomposition import TruncatedSVD


def limit_rank(weights, rank):
    d, labels = weights.shape
    if not 0 < rank < labels:
        raise ValueError(f"1 to {labels - 1}")
    c = weights - weights.mean(axis=1, keepdims=True)
    if rank >= min(c.shape):
        return c
    svd = TruncatedSVD(rank, algorithm="arpack", random_state=0).fit(c)
    return c @ svd.components_.T @ svd.components_


# %% exercise="8.3" wrong="not centred" says="mean 0|mean taken off"
def limit_rank(weights, rank):
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError
    u, s, vt = np.linalg.svd(weights, full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ vt[:rank]


# %% exercise="8.3" wrong="centred afterwards" says="which singular values are the largest|mean taken off before|another label"
def limit_rank(weights, rank):
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError
    u, s, vt = np.linalg.svd(weights, full_matrices=False)
    w = (u[:, :rank] * s[:rank]) @ vt[:rank]
    return w - w.mean(axis=1, keepdims=True)


# %% exercise="8.3" wrong="centred over the dimensions" says="over which axis"
def limit_rank(weights, rank):
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError
    u, s, vt = np.linalg.svd(weights - weights.mean(axis=0), full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ vt[:rank]


# %% exercise="8.3" wrong="the smallest singular values" says="which singular values are the largest"
def limit_rank(weights, rank):
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError
    u, s, vt = np.linalg.svd(weights - weights.mean(axis=1, keepdims=True), full_matrices=False)
    return (u[:, -rank:] * s[-rank:]) @ vt[-rank:]


# %% exercise="8.3" wrong="one too many" says="how many singular values are kept"
def limit_rank(weights, rank):
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError
    u, s, vt = np.linalg.svd(weights - weights.mean(axis=1, keepdims=True), full_matrices=False)
    return (u[:, : rank + 1] * s[: rank + 1]) @ vt[: rank + 1]


# %% exercise="8.3" wrong="forgets the strengths" says="all three parts"
def limit_rank(weights, rank):
    if not 1 <= rank <= weights.shape[1] - 1:
        raise ValueError
    u, s, vt = np.linalg.svd(weights - weights.mean(axis=1, keepdims=True), full_matrices=False)
    return u[:, :rank] @ vt[:rank]


# %% exercise="8.3" wrong="any rank" says="test the rank before"
def limit_rank(weights, rank):
    u, s, vt = np.linalg.svd(weights - weights.mean(axis=1, keepdims=True), full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ vt[:rank]


# %% exercise="8.4" right="a cumulative product"
enough_words = {}
for _name, (_curve, _a, _b) in statements.items():
    _ok = (_curve.told_apart(_a, _b)["first"].to_numpy() > 0.89)[::-1]
    _n = int(np.cumprod(_ok).sum())
    enough_words[_name] = _curve.sizes[-_n] if _n else None


# %% exercise="8.4" right="typed in after looking"
enough_words = {
    "relation: 3 ahead of 0": 400,
    "relation: 3 ahead of 2": 3200.0,
    "relation: 2 ahead of 0": np.int64(400),
    "relation, network: 3 ahead of 0": 1600,
    "part of speech: 2 ahead of 3": None,
}


# %% exercise="8.4" right="all sizes that hold from there on"
def _enough(curve, a, b):
    table = curve.told_apart(a, b)
    good = [n for n in curve.sizes if (table.loc[n:, "first"] >= 0.9 - 1e-9).all()]
    return min(good, default=None)


enough_words = {name: _enough(*what) for name, what in statements.items()}


# %% exercise="8.4" wrong="the first size at which it holds" says="at the sizes above"
enough_words = {}
for _name, (_curve, _a, _b) in statements.items():
    _share = _curve.told_apart(_a, _b)["first"]
    enough_words[_name] = next((n for n in _share.index if _share[n] > 0.89), None)


# %% exercise="8.4" wrong="more than half" says="fewer than 18|with 200 words"
enough_words = {}
for _name, (_curve, _a, _b) in statements.items():
    _t = _curve.told_apart(_a, _b)["first"]
    _good = [n for n in _curve.sizes if (_t.loc[n:] > 0.5).all()]
    enough_words[_name] = min(_good, default=None)


# %% exercise="8.4" wrong="all twenty" says="a smaller size will do|at least"
enough_words = {}
for _name, (_curve, _a, _b) in statements.items():
    _t = _curve.told_apart(_a, _b)["first"]
    _good = [n for n in _curve.sizes if (_t.loc[n:] > 0.99).all()]
    enough_words[_name] = max(_good, default=None)


# %% exercise="8.4" wrong="the wrong column" says="which column|None"
enough_words = {}
for _name, (_curve, _a, _b) in statements.items():
    _t = _curve.told_apart(_a, _b)["second"]
    _good = [n for n in _curve.sizes if (_t.loc[n:] > 0.89).all()]
    enough_words[_name] = min(_good, default=None)


# %% exercise="8.4" wrong="places instead of sizes" says="one of the recorded sizes"
enough_words = {}
for _name, (_curve, _a, _b) in statements.items():
    _t = _curve.told_apart(_a, _b)["first"].to_numpy()
    _good = [i for i in range(7) if (_t[i:] > 0.89).all()]
    enough_words[_name] = min(_good, default=None)


# %% exercise="8.4" wrong="zero for none" says="one of the recorded sizes"
enough_words = {
    "relation: 3 ahead of 0": 400,
    "relation: 3 ahead of 2": 3200,
    "relation: 2 ahead of 0": 400,
    "relation, network: 3 ahead of 0": 1600,
    "part of speech: 2 ahead of 3": 0,
}


# %% exercise="8.4" wrong="the linear probe for all" says="fewer than 18"
enough_words = {
    "relation: 3 ahead of 0": 400,
    "relation: 3 ahead of 2": 3200,
    "relation: 2 ahead of 0": 400,
    "relation, network: 3 ahead of 0": 400,
    "part of speech: 2 ahead of 3": None,
}
