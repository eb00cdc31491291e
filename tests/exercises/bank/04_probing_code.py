# %% exercise="4.1" right="a loop over blocks"
def bits_by_block(chances, ends, n_tags):
    out, begin = [], 0
    for block, end in enumerate(ends):
        part = np.asarray(chances[begin:end], float)
        if block == 0:
            out.append(len(part) * np.log2(n_tags))
        else:
            if not all(0 < c <= 1 for c in part):
                raise ValueError("no such chance")
            out.append(-np.log2(part).sum())
        begin = end
    return np.array(out)


# %% exercise="4.1" right="sums of a running total"
def bits_by_block(chances, ends, n_tags):
    later = np.asarray(chances, float)[ends[0] :]
    if np.isnan(later).any() or (later <= 0).any() or (later > 1).any():
        raise ValueError
    bits = np.concatenate([np.full(ends[0], np.log2(n_tags)), -np.log2(later)])
    total = np.concatenate([[0], np.cumsum(bits)])
    return np.diff(total[[0, *ends]])


# %% exercise="4.1" right="torch, a list of floats"
import torch


def bits_by_block(chances, ends, n_tags):
    bits = torch.as_tensor(np.array(chances, float)).clone()
    bits[: ends[0]] = 1 / n_tags
    if not bool(((bits > 0) & (bits <= 1)).all()):
        raise ValueError("chances above 0, up to 1")
    return [float(-torch.log2(b).sum()) for b in torch.tensor_split(bits, ends[:-1])]


# %% exercise="4.1" right="add.reduceat"
def bits_by_block(chances, ends, n_tags):
    chances = np.where(np.arange(ends[-1]) < ends[0], 1 / n_tags, chances)
    if not np.all((chances > 0) & (chances <= 1)):
        raise ValueError
    return np.add.reduceat(-np.log2(chances), [0, *ends[:-1]])


# %% exercise="4.1" wrong="the first block by its chances" says="isn't used"
def bits_by_block(chances, ends, n_tags):
    if not ((chances[ends[0] :] > 0) & (chances[ends[0] :] <= 1)).all():
        raise ValueError
    return np.array([b.sum() for b in np.split(-np.log2(chances), ends[:-1])])


# %% exercise="4.1" wrong="the first block costs one guess" says="how many times"
def bits_by_block(chances, ends, n_tags):
    if not ((chances[ends[0] :] > 0) & (chances[ends[0] :] <= 1)).all():
        raise ValueError
    bits = [b.sum() for b in np.split(-np.log2(chances), ends[:-1])]
    bits[0] = np.log2(n_tags)
    return np.array(bits)


# %% exercise="4.1" wrong="the first block is free" says="guessed among 8 tags"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return np.array([b.sum() for b in np.split(-np.log2(chances), ends[:-1])])


# %% exercise="4.1" wrong="natural logarithms" says="guessed among 8 tags|counts in bits"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return np.array([b.sum() for b in np.split(-np.log(chances), ends[:-1])])


# %% exercise="4.1" wrong="natural logarithms after the first block" says="counts in bits"
def bits_by_block(chances, ends, n_tags):
    if not ((chances[ends[0] :] > 0) & (chances[ends[0] :] <= 1)).all():
        raise ValueError
    bits = [b.sum() for b in np.split(-np.log(chances), ends[:-1])]
    bits[0] = ends[0] * np.log2(n_tags)
    return np.array(bits)


# %% exercise="4.1" wrong="the sign left out" says="3 bits a word|above 0"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return np.array([b.sum() for b in np.split(np.log2(chances), ends[:-1])])


# %% exercise="4.1" wrong="means in place of sums" says="how many times|or averaged"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return np.array([b.mean() for b in np.split(-np.log2(chances), ends[:-1])])


# %% exercise="4.1" wrong="bits so far" says="all blocks so far"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return np.cumsum(-np.log2(chances))[np.array(ends) - 1]


# %% exercise="4.1" wrong="the total only" says="one sum for each block"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return -np.log2(chances).sum()


# %% exercise="4.1" wrong="ends taken for lengths" says="begin and end|stopped with|guessed"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    out, at = [], 0
    for length in ends:
        out.append(-np.log2(chances[at : at + length]).sum())
        at += length
    return np.array(out)


# %% exercise="4.1" wrong="works in place" says="not what they were"
def bits_by_block(chances, ends, n_tags):
    chances[: ends[0]] = 1 / n_tags
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError
    return np.array([b.sum() for b in np.split(-np.log2(chances), ends[:-1])])


# %% exercise="4.1" wrong="infinite costs" says="a chance of 0"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    with np.errstate(all="ignore"):
        return np.array([b.sum() for b in np.split(-np.log2(chances), ends[:-1])])


# %% exercise="4.1" wrong="lets a NaN through" says="that is not a number"
def bits_by_block(chances, ends, n_tags):
    chances = chances.copy()
    chances[: ends[0]] = 1 / n_tags
    if (chances <= 0).any() or (chances > 1).any():
        raise ValueError
    return np.array([b.sum() for b in np.split(-np.log2(chances), ends[:-1])])


# %% exercise="4.2" right="GroupShuffleSplit"
from sklearn.model_selection import GroupShuffleSplit


def prepare(features, sentence_of, test_share=0.25, seed=0):
    splitter = GroupShuffleSplit(n_splits=1, test_size=test_share, random_state=seed)
    train, test = next(splitter.split(features, groups=sentence_of))
    scaler = StandardScaler()
    return train, test, scaler.fit_transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" right="a permutation, scaled by hand"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    n = sentence_of.max() + 1
    order = np.random.default_rng(seed).permutation(n)
    is_test = np.isin(sentence_of, order[: round(test_share * n)])
    train, test = np.where(~is_test)[0], np.where(is_test)[0]
    mean, sd = features[train].mean(axis=0), features[train].std(axis=0)
    return train, test, (features[train] - mean) / sd, (features[test] - mean) / sd


# %% exercise="4.2" right="loops and lists"
import random


def prepare(features, sentence_of, test_share=0.25, seed=0):
    sentences = sorted(set(int(s) for s in sentence_of))
    chosen = set(random.Random(seed).sample(sentences, int(len(sentences) * test_share)))
    train = [i for i, s in enumerate(sentence_of) if int(s) not in chosen]
    test = [i for i, s in enumerate(sentence_of) if int(s) in chosen]
    scaler = StandardScaler().fit(features[train])
    scaled = scaler.transform(features)
    return train, test, scaled[train], scaled[test]


# %% exercise="4.2" wrong="only the scaling mended" says="words or sentences"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    words = np.arange(len(features))
    train, test = train_test_split(words, test_size=test_share, random_state=seed)
    scaler = StandardScaler().fit(features[train])
    return train, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" wrong="only the split mended" says="do test words have a say"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    scaled = StandardScaler().fit_transform(features)
    _, drawn = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    return train, test, scaled[train], scaled[test]


# %% exercise="4.2" wrong="the test part scaled by itself" says="scaled by themselves"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    _, drawn = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler()
    return train, test, scaler.fit_transform(features[train]), scaler.fit_transform(features[test])


# %% exercise="4.2" wrong="the test part not scaled" says="aren't scaled as"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    _, drawn = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    return train, test, StandardScaler().fit_transform(features[train]), features[test]


# %% exercise="4.2" wrong="the last sentences always" says="another seed draws others"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    n = sentence_of.max() + 1
    tests = sentence_of >= n - round(test_share * n)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler().fit(features[train])
    return train, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" wrong="no seed" says="same seed gives the same split"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    order = np.random.default_rng().permutation(sentence_of.max() + 1)
    tests = np.isin(sentence_of, order[: round(test_share * len(order))])
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler().fit(features[train])
    return train, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" wrong="numbers of sentences as indices" says="indices of words"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    train, test = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    scaler = StandardScaler().fit(features[train])
    return train, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" wrong="training and test changed over" says="which of the two parts is which"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    drawn, _ = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler().fit(features[train])
    return train, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" wrong="train shuffled, its features not" says="row i of train_x belongs"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    _, drawn = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler().fit(features[train])
    shuffled = np.random.default_rng(seed).permutation(train)
    return shuffled, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.2" wrong="masks" says="np.flatnonzero"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    _, drawn = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    scaler = StandardScaler().fit(features[~tests])
    return ~tests, tests, scaler.transform(features[~tests]), scaler.transform(features[tests])


# %% exercise="4.2" wrong="one mean over all columns" says="column [0-9] has the mean.*mean of its own"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    _, drawn = train_test_split(np.unique(sentence_of), test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    mean, sd = features[train].mean(), features[train].std()
    return train, test, (features[train] - mean) / sd, (features[test] - mean) / sd


# %% exercise="4.2" wrong="draws from the sentence of each word" says="np.unique holds each sentence once"
def prepare(features, sentence_of, test_share=0.25, seed=0):
    _, drawn = train_test_split(sentence_of, test_size=test_share, random_state=seed)
    tests = np.isin(sentence_of, drawn)
    train, test = np.flatnonzero(~tests), np.flatnonzero(tests)
    scaler = StandardScaler().fit(features[train])
    return train, test, scaler.transform(features[train]), scaler.transform(features[test])


# %% exercise="4.3" right="a dictionary filled on the way"
import random


def control_labels(words, tags, seed):
    draw, table = random.Random(seed), {}
    for word in words:
        if word.lower() not in table:
            table[word.lower()] = draw.choice(tags)
    return [table[word.lower()] for word in words]


# %% exercise="4.3" right="by shares"
def control_labels(words, tags, seed):
    classes, counts = np.unique(tags, return_counts=True)
    rng = np.random.default_rng(seed)
    types = sorted({w.lower() for w in words})
    label_of = dict(zip(types, rng.choice(classes, size=len(types), p=counts / counts.sum())))
    return np.array([label_of[w.lower()] for w in words])


# %% exercise="4.3" right="pandas"
def control_labels(words, tags, seed):
    types = pd.Series(list(words)).str.lower()
    unique = types.drop_duplicates()
    drawn = pd.Series(list(tags)).sample(len(unique), replace=True, random_state=seed)
    return types.map(dict(zip(unique, drawn))).tolist()


# %% exercise="4.3" wrong="a label for each word" says="one for each word or one for each type"
def control_labels(words, tags, seed):
    return np.random.default_rng(seed).choice(np.asarray(tags), size=len(words))


# %% exercise="4.3" wrong="shuffled tags" says="more than one label"
def control_labels(words, tags, seed):
    return np.random.default_rng(seed).permutation(tags)


# %% exercise="4.3" wrong="upper case kept" says="upper case"
def control_labels(words, tags, seed):
    types, type_of = np.unique(words, return_inverse=True)
    return np.random.default_rng(seed).choice(np.asarray(tags), size=len(types))[type_of]


# %% exercise="4.3" wrong="each tag equally likely" says="each tag once"
def control_labels(words, tags, seed):
    types, type_of = np.unique([w.lower() for w in words], return_inverse=True)
    return np.random.default_rng(seed).choice(sorted(set(tags)), size=len(types))[type_of]


# %% exercise="4.3" wrong="the type's commonest tag" says="real tag of a type plays no part"
def control_labels(words, tags, seed):
    found = {}
    for word, tag in zip(words, tags):
        found.setdefault(word.lower(), []).append(tag)
    return [max(set(found[w.lower()]), key=found[w.lower()].count) for w in words]


# %% exercise="4.3" wrong="no seed" says="same seed gives the same labels"
def control_labels(words, tags, seed):
    types, type_of = np.unique([w.lower() for w in words], return_inverse=True)
    return np.random.default_rng().choice(np.asarray(tags), size=len(types))[type_of]


# %% exercise="4.3" wrong="always the same seed" says="another seed gives other"
def control_labels(words, tags, seed):
    types, type_of = np.unique([w.lower() for w in words], return_inverse=True)
    return np.random.default_rng(0).choice(np.asarray(tags), size=len(types))[type_of]


# %% exercise="4.3" wrong="labels of types only" says="one label for each word"
def control_labels(words, tags, seed):
    types = np.unique([w.lower() for w in words])
    return np.random.default_rng(seed).choice(np.asarray(tags), size=len(types))


# %% exercise="4.3" wrong="drawn from the tags of the types" says="one tag of each type"
def control_labels(words, tags, seed):
    types, first, type_of = np.unique(
        [w.lower() for w in words], return_index=True, return_inverse=True
    )
    of_types = np.asarray(tags)[first]
    return np.random.default_rng(seed).choice(of_types, size=len(types))[type_of]


# %% exercise="4.3" wrong="each type's tag, shuffled over the types" says="one tag of each type"
def control_labels(words, tags, seed):
    _, first, type_of = np.unique(
        [w.lower() for w in words], return_index=True, return_inverse=True
    )
    return np.random.default_rng(seed).permutation(np.asarray(tags)[first])[type_of]


# %% exercise="4.4" right="multinomial"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n_words = np.bincount(sentence_of)
    times = np.random.default_rng(seed).multinomial(
        len(n_words), np.ones(len(n_words)) / len(n_words), size=draws
    )
    total = times @ n_words
    a = times @ np.bincount(sentence_of, right_a) / total
    b = times @ np.bincount(sentence_of, right_b) / total
    return np.quantile(a - b, [0.025, 0.975])


def _those(r, s):
    best = int(np.argmax(r.mean(1)))
    return {k for k in range(7) if k == best or paired_interval(r[k], r[best], s)[1] >= 0}


like_best_of_20, like_best_of_all = (
    _those(right[:, few], sentence_of[few]),
    _those(right, sentence_of),
)


# %% exercise="4.4" right="a loop over draws and sentences"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    rng = np.random.default_rng(seed)
    words_of = [np.flatnonzero(sentence_of == s) for s in range(max(sentence_of) + 1)]
    found = []
    for _ in range(draws):
        words = np.concatenate([words_of[s] for s in rng.choice(len(words_of), len(words_of))])
        found.append(right_a[words].mean() - right_b[words].mean())
    return tuple(np.percentile(found, [2.5, 97.5]))


like_best_of_20, like_best_of_all = [], []
for k in range(len(right)):
    for where, found in ((few, like_best_of_20), (few | True, like_best_of_all)):
        best = right[:, where].mean(1).argmax()
        if (
            k == best
            or paired_interval(right[best][where], right[k][where], sentence_of[where], 500)[0] <= 0
        ):
            found.append(k)


# %% exercise="4.4" right="pandas and the standard library"
import random


def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    frame = pd.DataFrame({"d": right_a.astype(int) - right_b.astype(int), "n": 1})
    sums = frame.groupby(np.asarray(sentence_of)).sum().to_numpy().tolist()
    rng, found = random.Random(seed), []
    for _ in range(draws):
        d, n = zip(*rng.choices(sums, k=len(sums)))
        found.append(sum(d) / sum(n))
    found.sort()
    return [found[int(0.025 * draws)], found[int(0.975 * draws) - 1]]


def _those(r, s):
    best = r.mean(1).argmax()
    return tuple(k for k in range(7) if k == best or paired_interval(r[k], r[best], s)[1] >= 0)


like_best_of_20, like_best_of_all = (
    _those(right[:, few], sentence_of[few]),
    _those(right, sentence_of),
)


# %% exercise="4.4" wrong="draws words" says="words or whole sentences"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    d = np.asarray(right_a, float) - np.asarray(right_b, float)
    drawn = np.random.default_rng(seed).integers(len(d), size=(draws, len(d)))
    return np.quantile(d[drawn].mean(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [3]


# %% exercise="4.4" wrong="not in pairs" says="same draw"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    rng = np.random.default_rng(seed)

    def drawn(r):
        i = rng.integers(len(n), size=(draws, len(n)))
        return np.bincount(sentence_of, r)[i].sum(1) / n[i].sum(1)

    return np.quantile(drawn(right_a) - drawn(right_b), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [2, 3, 4]


# %% exercise="4.4" wrong="b minus a" says="taken away from the other"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_b, float) - right_a)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [3]


# %% exercise="4.4" wrong="mean of sentence means" says="means of sentences averaged"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b) / n
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].mean(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [3]


# %% exercise="4.4" wrong="a 90% interval" says="which quantiles"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.05, 0.95])


like_best_of_20, like_best_of_all = [3], [0, 3]


# %% exercise="4.4" wrong="without replacement" says="With or without replacement"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    rng = np.random.default_rng(seed)
    i = np.array([rng.permutation(len(n)) for _ in range(draws)])
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [3], [3]


# %% exercise="4.4" wrong="only the winner" says="by the accuracy alone"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20 = [int(right[:, few].mean(1).argmax())]
like_best_of_all = [int(right.mean(1).argmax())]


# %% exercise="4.4" wrong="overlap of two intervals" says="intervals overlap"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


def _those(r, s):
    bounds = np.array([paired_interval(x, 0 * x, s) for x in r])
    best = r.mean(1).argmax()
    return [k for k in range(7) if bounds[k, 1] >= bounds[best, 0]]


like_best_of_20, like_best_of_all = (
    _those(right[:, few], sentence_of[few]),
    _those(right, sentence_of),
)


# %% exercise="4.4" wrong="the best left out" says="best layer itself"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


def _those(r, s):
    best = r.mean(1).argmax()
    return [k for k in range(7) if k != best and paired_interval(r[k], r[best], s)[1] >= 0]


like_best_of_20, like_best_of_all = (
    _those(right[:, few], sentence_of[few]),
    _those(right, sentence_of),
)


# %% exercise="4.4" wrong="no seed" says="random draw get the seed"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng().integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [3]


# %% exercise="4.4" wrong="always one seed" says="twelve seeds give the same"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(0).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [2, 3]


# %% exercise="4.4" wrong="always a thousand draws" says="does draws set the number"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(1000, len(n)))
    return np.quantile(d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [2, 3]


# %% exercise="4.4" wrong="divided by all test words" says="that of this very draw"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(d[i].sum(1) / len(sentence_of), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [2, 3]


# %% exercise="4.4" wrong="points" says="a share, not points"
def paired_interval(right_a, right_b, sentence_of, draws=1000, seed=0):
    n = np.bincount(sentence_of)
    d = np.bincount(sentence_of, np.asarray(right_a, float) - right_b)
    i = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    return np.quantile(100 * d[i].sum(1) / n[i].sum(1), [0.025, 0.975])


like_best_of_20, like_best_of_all = [2, 3, 4], [2, 3]
