# %% exercise="6.1" right="a ratio of error rates"
def share_of_errors_removed(accuracy):
    wrong = 1.0 - np.asarray(accuracy)
    if np.any(wrong[..., 0] <= 0):
        raise ValueError("layer 0 is perfect")
    return 1 - wrong / wrong[..., [0]]


# %% exercise="6.1" right="torch"
import torch


def share_of_errors_removed(accuracy):
    accuracy = torch.as_tensor(accuracy)
    first = accuracy.select(-1, 0).unsqueeze(-1)
    if (first >= 1).any():
        raise ValueError
    return (accuracy - first) / (1 - first)


# %% exercise="6.1" right="loops over profiles"
def share_of_errors_removed(accuracy):
    accuracy = np.asarray(accuracy)
    out = []
    for profile in accuracy.reshape(-1, accuracy.shape[-1]):
        if profile[0] == 1:
            raise ValueError("nothing to remove")
        out.append([(a - profile[0]) / (1 - profile[0]) for a in profile])
    return np.array(out).reshape(accuracy.shape)


# %% exercise="6.1" right="recursion, returns lists"
def share_of_errors_removed(accuracy):
    rows = [list(r) if np.ndim(r) else r for r in accuracy]
    if np.ndim(rows[0]):
        return [share_of_errors_removed(r) for r in rows]
    if rows[0] == 1:
        raise ValueError("no errors")
    return [(a - rows[0]) / (1 - rows[0]) for a in rows]


# %% exercise="6.1" wrong="stretched from lowest to highest" says="which layer's errors do you start from"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    low = accuracy.min(axis=-1, keepdims=True)
    return (accuracy - low) / (accuracy.max(axis=-1, keepdims=True) - low)


# %% exercise="6.1" wrong="relative to the accuracy, not to the errors" says="A share of what"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    first = accuracy[..., :1]
    return (accuracy - first) / first


# %% exercise="6.1" wrong="points gained, no share" says="A share of what"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    return accuracy - accuracy[..., :1]


# %% exercise="6.1" wrong="cut off at 0" says="cut off or hide"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    first = accuracy[..., :1]
    return np.maximum((accuracy - first) / (1 - first), 0)


# %% exercise="6.1" wrong="against the layer before" says="stopped with ZeroDivision|one before it|no error is left|returns? .*nan|should hold: (where no error|of 40)"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    before = np.concatenate([accuracy[..., :1], accuracy[..., :-1]], axis=-1)
    return (accuracy - before) / (1 - before)


# %% exercise="6.1" wrong="the errors that are left" says="at layer 0 you return 1"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    return (1 - accuracy) / (1 - accuracy[..., :1])


# %% exercise="6.1" wrong="in percent" says="A share of what"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    first = accuracy[..., :1]
    return 100 * (accuracy - first) / (1 - first)


# %% exercise="6.1" wrong="layer 0 left out" says="shape [(]4,[)]"
def share_of_errors_removed(accuracy):
    if (accuracy[..., 0] == 1).any():
        raise ValueError
    first = accuracy[..., :1]
    return (accuracy[..., 1:] - first) / (1 - first)


# %% exercise="6.1" wrong="layer 0 sought along the first axis" says="along which axis"
def share_of_errors_removed(accuracy):
    first = accuracy[0]
    if np.any(first == 1):
        raise ValueError
    return (accuracy - first) / (1 - first)


# %% exercise="6.1" wrong="works in place" says="not what they were"
def share_of_errors_removed(accuracy):
    first = accuracy[..., :1].copy()
    if (first == 1).any():
        raise ValueError
    accuracy -= first
    accuracy /= 1 - first
    return accuracy


# %% exercise="6.1" wrong="divides by nothing" says="begins at 1 gives a result"
def share_of_errors_removed(accuracy):
    first = accuracy[..., :1]
    with np.errstate(all="ignore"):
        return (accuracy - first) / (1 - first)


# %% exercise="6.1" wrong="refuses only a single perfect profile" says="two profiles"
def share_of_errors_removed(accuracy):
    if accuracy.ndim == 1 and accuracy[0] == 1:
        raise ValueError
    first = accuracy[..., :1]
    with np.errstate(all="ignore"):
        return (accuracy - first) / (1 - first)


# %% exercise="6.1" wrong="layer 0 loses its axis" says="keep an axis of its own"
def share_of_errors_removed(accuracy):
    first = accuracy[..., 0]
    if (first == 1).any():
        raise ValueError
    return (accuracy - first) / (1 - first)


# %% exercise="6.1" wrong="works for tables only" says="for the shape [(]7,[)]"
def share_of_errors_removed(accuracy):
    first = accuracy[:, :1]
    if (first == 1).any():
        raise ValueError
    return (accuracy - first) / (1 - first)


# %% exercise="6.2" right="dictionaries and loops"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts, overall = {}, {}
    for word, label in zip(train_words, train_labels):
        of_form = counts.setdefault(word.lower(), {})
        of_form[label] = of_form.get(label, 0) + 1
        overall[label] = overall.get(label, 0) + 1
    usual = max(overall, key=overall.get)
    right = 0
    for word, label in zip(test_words, test_labels):
        of_form = counts.get(word.lower())
        named = max(of_form, key=of_form.get) if of_form else usual
        right += named == label
    return right / len(test_words)


# %% exercise="6.2" right="pandas"
import pandas as pd


def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    train = pd.DataFrame({"form": train_words, "label": train_labels})
    train["form"] = train["form"].str.lower()
    table = train.groupby("form")["label"].agg(lambda s: s.value_counts().idxmax())
    usual = train["label"].value_counts().idxmax()
    named = pd.Series(test_words).str.lower().map(table).fillna(usual)
    return (named.to_numpy() == np.array(test_labels)).mean()


# %% exercise="6.2" right="a count matrix in numpy"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    train = np.char.lower(np.array(train_words))
    test = np.char.lower(np.array(test_words))
    forms, form = np.unique(train, return_inverse=True)
    labels, label = np.unique(np.array(train_labels), return_inverse=True)
    counts = np.zeros((len(forms), len(labels)), int)
    np.add.at(counts, (form, label), 1)
    named = np.full(len(test), labels[counts.sum(0).argmax()], dtype=object)
    for i, row in enumerate(counts):
        named[test == forms[i]] = labels[row.argmax()]
    return torch.tensor([a == b for a, b in zip(named, test_labels)]).double().mean()


import torch


# %% exercise="6.2" right="the statistics module"
from statistics import mode


def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    train_forms = [w.lower() for w in train_words]
    hits = []
    for word, label in zip(test_words, test_labels):
        found = [m for w, m in zip(train_forms, train_labels) if w == word.lower()]
        hits.append(mode(found or train_labels) == label)
    return sum(hits) / len(hits)


# %% exercise="6.2" wrong="capitals make other forms" says="word in lower case"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(w, usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="the table is made from the test" says="names another label|training alone|carries most often in training"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(test_words, test_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="training and test in one table" says="training alone"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words + test_words, train_labels + test_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="new forms are skipped" says="never showed gets the commonest label"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    known = [(table[w.lower()], t) for w, t in zip(test_words, test_labels) if w.lower() in table]
    return sum(a == b for a, b in known) / max(1, len(known))


# %% exercise="6.2" wrong="new forms are always wrong" says="never showed gets"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    return sum(table.get(w.lower()) == t for w, t in zip(test_words, test_labels)) / len(test_words)


# %% exercise="6.2" wrong="the fallback comes from the test" says="whose labels do you count"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(test_labels).most_common(1)[0][0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="the fallback counts forms" says="words, or entries of the table"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(table.values()).most_common(1)[0][0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="a number of words, not a share" says="result is 3"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    return sum(table.get(w.lower(), usual) == t for w, t in zip(test_words, test_labels))


# %% exercise="6.2" wrong="the last label wins" says="first or the last label"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    table = {w.lower(): t for w, t in zip(train_words, train_labels)}
    usual = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="any label that the form ever had" says="ever carried the label"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    table = defaultdict(set)
    for w, t in zip(train_words, train_labels):
        table[w.lower()].add(t)
    usual = Counter(train_labels).most_common(1)[0][0]
    return np.mean([t in table.get(w.lower(), {usual}) for w, t in zip(test_words, test_labels)])


# %% exercise="6.2" wrong="lower case in training only" says="in which spelling"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(w, usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="lower case in the test only" says="with The in training"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0][0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return np.mean(np.array(named) == np.array(test_labels))


# %% exercise="6.2" wrong="a list of label and count, not a label" says="or a list of [(]label, count[)]"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    usual = Counter(train_labels).most_common(1)
    right = 0
    for word, label in zip(test_words, test_labels):
        form = word.lower()
        named = counts[form].most_common(1) if form in counts else usual
        right += named == label
    return right / len(test_words)


# %% exercise="6.2" wrong="only the fallback is a list" says="is what they get a label, or a list"
def form_table_accuracy(train_words, train_labels, test_words, test_labels):
    counts = defaultdict(Counter)
    for word, label in zip(train_words, train_labels):
        counts[word.lower()][label] += 1
    table = {w: c.most_common(1)[0][0] for w, c in counts.items()}
    usual = Counter(train_labels).most_common(1)[0]
    named = [table.get(w.lower(), usual) for w in test_words]
    return sum(n == t for n, t in zip(named, test_labels)) / len(named)


# %% exercise="6.3" right="one draw for both"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    units, unit = np.unique(document_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    weights = times[:, unit]  # (n, words)
    words = weights.sum(1)[:, None]
    a, b = (weights @ np.asarray(c).T.astype(float) / words for c in (correct_a, correct_b))
    return tuple(np.nanquantile(measure(b) - measure(a), [0.025, 0.975]))


# %% exercise="6.3" right="a loop over resamples, indices of words"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    draw = np.random.default_rng(seed)
    names = np.unique(document_ids)
    words_of = [np.flatnonzero(np.asarray(document_ids) == s) for s in names]
    differences = []
    for _ in range(n):
        drawn = draw.integers(len(names), size=len(names))
        words = np.concatenate([words_of[i] for i in drawn])
        a = measure(correct_a[:, words].mean(axis=1))
        b = measure(correct_b[:, words].mean(axis=1))
        if not np.isnan(b - a):
            differences.append(b - a)
    return np.percentile(differences, 2.5), np.percentile(differences, 97.5)


# %% exercise="6.3" right="torch draws, both properties stacked"
import torch


def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    _, unit = np.unique(document_ids, return_inverse=True)
    unit = torch.as_tensor(unit)
    both = torch.as_tensor(np.stack([correct_a, correct_b])).double()  # (2, L+1, words)
    m = int(unit.max()) + 1
    sums = torch.zeros(*both.shape[:2], m, dtype=torch.float64).index_add_(2, unit, both)
    sizes = torch.bincount(unit, minlength=m).double()
    drawn = torch.randint(m, (n, m), generator=torch.Generator().manual_seed(seed))
    accuracy = (sums[..., drawn].sum(-1) / sizes[drawn].sum(-1)).transpose(1, 2).numpy()
    difference = measure(accuracy[1]) - measure(accuracy[0])
    difference = difference[~np.isnan(difference)]
    return [float(q) for q in np.quantile(difference, (0.025, 0.975))]


# %% exercise="6.3" wrong="only the units mended" says="on the same resamples"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed + 1)
    return np.nanquantile(measure(b) - measure(a), [0.025, 0.975])


# %% exercise="6.3" wrong="only the pairing mended" says="documents, or words"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units = unit = np.arange(len(document_ids))
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    return np.nanquantile(measure(b) - measure(a), [0.025, 0.975])


# %% exercise="6.3" wrong="a less b" says="order of the difference"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    return np.nanquantile(measure(a) - measure(b), [0.025, 0.975])


# %% exercise="6.3" wrong="ends of two intervals subtracted" says="with itself gets"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    (la, ha), (lb, hb) = (np.nanquantile(measure(v), [0.025, 0.975]) for v in (a, b))
    return lb - ha, hb - la


# %% exercise="6.3" wrong="like ends subtracted" says="draw by draw"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    ends_a, ends_b = (np.nanquantile(measure(v), [0.025, 0.975]) for v in (a, b))
    return tuple(ends_b - ends_a)


# %% exercise="6.3" wrong="90 instead of 95 percent" says="95% of the resamples"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    return np.nanquantile(measure(b) - measure(a), [0.05, 0.95])


# %% exercise="6.3" wrong="a mean of documents' shares" says="mean of each document's share"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ (right / sizes).T) / len(units)

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    return np.nanquantile(measure(b) - measure(a), [0.025, 0.975])


# %% exercise="6.3" wrong="NaN spreads" says="how the quantiles treat NaN"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    return np.quantile(measure(b) - measure(a), [0.025, 0.975])


# %% exercise="6.3" wrong="one seed for all, so one and the same resample" says="interval is wide"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    units, unit = np.unique(document_ids, return_inverse=True)
    differences = []
    for _ in range(n):
        draw = np.random.default_rng(seed)
        times = draw.multinomial(len(units), np.full(len(units), 1 / len(units)))[unit]
        a, b = (np.asarray(c) @ times / times.sum() for c in (correct_a, correct_b))
        differences.append(measure(b) - measure(a))
    return np.nanquantile(differences, [0.025, 0.975])


# %% exercise="6.3" wrong="a seed of its own" says="what the random generator is made from"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    units, unit = np.unique(document_ids, return_inverse=True)
    times = np.random.default_rng(0).multinomial(len(units), np.full(len(units), 1 / len(units)), n)
    weights = times[:, unit]
    a, b = (weights @ c.T.astype(float) / weights.sum(1)[:, None] for c in (correct_a, correct_b))
    return np.nanquantile(measure(b) - measure(a), [0.025, 0.975])


# %% exercise="6.3" wrong="only unit_of_word from np.unique" says="some without any word"
def interval_of_difference(correct_a, correct_b, document_ids, measure, n=1000, seed=0):
    def resampled(correct, seed):
        units = np.arange(len(document_ids))
        _, unit = np.unique(document_ids, return_inverse=True)
        right = np.array([np.bincount(unit, row, len(units)) for row in correct])
        sizes = np.bincount(unit, minlength=len(units))
        times = np.random.default_rng(seed).multinomial(
            len(units), np.full(len(units), 1 / len(units)), n
        )
        return (times @ right.T) / (times @ sizes)[:, None]

    a, b = resampled(correct_a, seed), resampled(correct_b, seed)
    return np.nanquantile(measure(b) - measure(a), [0.025, 0.975])


# %% exercise="6.4" right="the course's loop, written out"
def _entry(first, second):
    low, high = interval_of_difference(
        correct[first], correct[second], test_documents, expected_layer
    )
    return low, high, "open" if low <= 0 <= high else (first if low > 0 else second)


order_of_properties = {
    "verb, subject": _entry("verb", "subject"),
    "subject, object": _entry("subject", "object"),
    "adjective, verb": _entry("adjective", "verb"),
}


# %% exercise="6.4" right="an own bootstrap with another seed"
_, _unit = np.unique(test_documents, return_inverse=True)
_m = _unit.max() + 1
_weights = np.random.default_rng(5).multinomial(_m, np.full(_m, 1 / _m), 1000)[:, _unit]
_layers = {
    name: expected_layer(_weights @ c.T.astype(float) / _weights.sum(1, keepdims=True))
    for name, c in correct.items()
}
order_of_properties = {}
for _pair in ("verb, subject", "subject, object", "adjective, verb"):
    _one, _two = _pair.split(", ")
    _low, _high = np.nanquantile(_layers[_two] - _layers[_one], [0.025, 0.975])
    _said = _one if _low > 0 else _two if _high < 0 else "open"
    order_of_properties[_pair] = [_low, _high, _said]


# %% exercise="6.4" right="rounded numbers typed in"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _l, _h = interval_of_difference(
        correct[_a], correct[_b], test_documents, expected_layer, 1000, 77
    )
    order_of_properties[f"{_a}, {_b}"] = (round(float(_l), 2), round(float(_h), 2), "Open")
order_of_properties["verb, subject"] = (*order_of_properties["verb, subject"][:2], "Verb")


# %% exercise="6.4" wrong="first less second" says="the sign"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = interval_of_difference(correct[_b], correct[_a], test_documents, expected_layer)
    order_of_properties[f"{_a}, {_b}"] = (
        _low,
        _high,
        _a if _low > 0 else _b if _high < 0 else "open",
    )


# %% exercise="6.4" wrong="the larger number comes first" says="smaller expected layer"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = interval_of_difference(correct[_a], correct[_b], test_documents, expected_layer)
    order_of_properties[f"{_a}, {_b}"] = (
        _low,
        _high,
        _b if _low > 0 else _a if _high < 0 else "open",
    )


# %% exercise="6.4" wrong="by the middle of the interval, nothing stays open" says="does the interval reach 0"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = interval_of_difference(correct[_a], correct[_b], test_documents, expected_layer)
    order_of_properties[f"{_a}, {_b}"] = (_low, _high, _a if _low + _high > 0 else _b)


# %% exercise="6.4" wrong="best layers in the place of expected ones" says="measure that of expected layers"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = interval_of_difference(
        correct[_a], correct[_b], test_documents, lambda x: x.argmax(-1) + 0.0
    )
    _high = _high + 1e-9
    order_of_properties[f"{_a}, {_b}"] = (
        _low,
        _high,
        _a if _low > 0 else _b if _high < 0 else "open",
    )


# %% exercise="6.4" wrong="two intervals, not one of the difference" says="two intervals' ends"
def _interval(name):
    _, unit = np.unique(test_documents, return_inverse=True)
    m = unit.max() + 1
    times = np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), 1000)[:, unit]
    accuracy = times @ correct[name].T.astype(float) / times.sum(1, keepdims=True)
    return np.nanquantile(expected_layer(accuracy), [0.025, 0.975])


order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = _interval(_b)[0] - _interval(_a)[1], _interval(_b)[1] - _interval(_a)[0]
    order_of_properties[f"{_a}, {_b}"] = (
        _low,
        _high,
        _a if _low > 0 else _b if _high < 0 else "open",
    )


# %% exercise="6.4" wrong="always open" says="does the interval reach 0"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = interval_of_difference(correct[_a], correct[_b], test_documents, expected_layer)
    order_of_properties[f"{_a}, {_b}"] = (_low, _high, "open")


# %% exercise="6.4" wrong="ends the wrong way round" says="lower end comes first"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _high, _low = interval_of_difference(correct[_a], correct[_b], test_documents, expected_layer)
    order_of_properties[f"{_a}, {_b}"] = (_low, _high, "open")


# %% exercise="6.4" wrong="accuracies in the place of layers" says="expected layers"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = interval_of_difference(
        correct[_a], correct[_b], test_documents, lambda x: x.max(-1)
    )
    order_of_properties[f"{_a}, {_b}"] = (
        _low,
        _high,
        _a if _low > 0 else _b if _high < 0 else "open",
    )


# %% exercise="6.4" wrong="NaN left in" says="no rise"
order_of_properties = {}
for _a, _b in [("verb", "subject"), ("subject", "object"), ("adjective", "verb")]:
    _low, _high = (
        (np.nan, np.nan)
        if _a == "adjective"
        else interval_of_difference(correct[_a], correct[_b], test_documents, expected_layer)
    )
    order_of_properties[f"{_a}, {_b}"] = (
        _low,
        _high,
        _a if _low > 0 else _b if _high < 0 else "open",
    )
