# %% exercise="2.1" right="checks the range first"
def output_of_block(hidden_states, block):
    if block < 1 or block > len(hidden_states) - 1:
        raise ValueError(block)
    return hidden_states[block]


# %% exercise="2.1" right="cuts off the embeddings"
def output_of_block(hidden_states, block):
    outputs = list(hidden_states)[1:]
    if block not in range(1, len(outputs) + 1):
        raise ValueError("no such block")
    return outputs[block - 1]


# %% exercise="2.1" right="a dictionary"
def output_of_block(hidden_states, block):
    numbered = {k: state for k, state in enumerate(hidden_states) if k > 0}
    try:
        return numbered[block]
    except KeyError:
        raise ValueError(f"{block} is not a block") from None


# %% exercise="2.1" wrong="counts the embeddings as block 1" says="hidden state 0"
def output_of_block(hidden_states, block):
    if not 1 <= block <= len(hidden_states):
        raise ValueError(block)
    return hidden_states[block - 1]


# %% exercise="2.1" wrong="no range check" says="block 0 of 12 gives a result"
def output_of_block(hidden_states, block):
    return hidden_states[block]


# %% exercise="2.1" wrong="IndexError for what is missing" says="with another error: which"
def output_of_block(hidden_states, block):
    if block < 1:
        raise ValueError(block)
    return hidden_states[block]


# %% exercise="2.1" wrong="counts from the end" says="hidden state 12"
def output_of_block(hidden_states, block):
    if not 1 <= block < len(hidden_states):
        raise ValueError(block)
    return hidden_states[-block]


# %% exercise="2.1" wrong="prints instead of returning" says="return"
def output_of_block(hidden_states, block):
    if not 1 <= block < len(hidden_states):
        raise ValueError(block)
    print(hidden_states[block])


# %% exercise="2.1" wrong="twelve blocks written down" says="number of blocks written down"
def output_of_block(hidden_states, block):
    if not 1 <= block <= 12:
        raise ValueError(block)
    return hidden_states[block]


# %% exercise="2.2" right="a dictionary of positions"
def word_vectors(states, word_ids, pooling="first"):
    places = {}
    for place, word in enumerate(word_ids):
        if word is not None:
            places.setdefault(word, []).append(place)
    choose = {
        "first": lambda rows: states[:, rows[0], :],
        "last": lambda rows: states[:, rows[-1], :],
        "mean": lambda rows: states[:, rows, :].mean(1),
    }
    if pooling not in choose:
        raise ValueError(pooling)
    return torch.stack([choose[pooling](places[w]) for w in sorted(places)], 1)


# %% exercise="2.2" right="a matrix of weights and einsum"
def word_vectors(states, word_ids, pooling="first"):
    n = len({i for i in word_ids if i is not None})
    belongs = torch.zeros(n, len(word_ids))
    for place, word in enumerate(word_ids):
        if word is not None:
            belongs[word, place] = 1
    if pooling == "first":
        weights = torch.nn.functional.one_hot(belongs.argmax(1), len(word_ids)).float()
    elif pooling == "last":
        weights = torch.zeros_like(belongs)
        for word in range(n):
            weights[word, belongs[word].nonzero().max()] = 1
    elif pooling == "mean":
        weights = belongs / belongs.sum(1, keepdim=True)
    else:
        raise ValueError("no such pooling")
    return torch.einsum("ws,ksh->kwh", weights, states)


# %% exercise="2.2" right="numpy, add.reduceat"
def word_vectors(states, word_ids, pooling="first"):
    states = np.asarray(states)
    kept = [place for place, word in enumerate(word_ids) if word is not None]
    ids = np.array([word_ids[place] for place in kept])
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    ends = np.append(starts[1:], len(ids)) - 1
    own = states[:, kept]
    if pooling == "first":
        return own[:, starts]
    if pooling == "last":
        return own[:, ends]
    if pooling == "mean":
        return np.add.reduceat(own, starts, axis=1) / (ends - starts + 1)[:, None]
    raise ValueError(pooling)


# %% exercise="2.2" right="loops over layers and words"
def word_vectors(states, word_ids, pooling="first"):
    if pooling != "first" and pooling != "last" and pooling != "mean":
        raise ValueError("unknown")
    count = 0
    for i in word_ids:
        if i is not None and i + 1 > count:
            count = i + 1
    out = torch.zeros(states.shape[0], count, states.shape[2])
    for k in range(states.shape[0]):
        for w in range(count):
            pieces = [states[k, p] for p in range(len(word_ids)) if word_ids[p] == w]
            if pooling == "mean":
                out[k, w] = sum(pieces) / len(pieces)
            else:
                out[k, w] = pieces[0] if pooling == "first" else pieces[-1]
    return out


# %% exercise="2.2" right="the first with list.index, the last from behind"
def word_vectors(states, word_ids, pooling="first"):
    ids = list(word_ids)
    words = range(max(i for i in ids if i is not None) + 1)
    first = [ids.index(w) for w in words]
    last = [len(ids) - 1 - ids[::-1].index(w) for w in words]
    if pooling == "first":
        return states[:, first]
    if pooling == "last":
        return states[:, last]
    if pooling == "mean":
        return np.stack([states[:, a : b + 1].numpy().mean(1) for a, b in zip(first, last)], 1)
    raise ValueError(f"pooling={pooling}")


# %% exercise="2.2" wrong="takes the word's number for its position" says="number isn't its position"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    n = len({i for i in word_ids if i is not None})
    return states[:, 1 : n + 1]


# %% exercise="2.2" wrong="loses word 0: if word" says="word 0 is missing.*truth value of 0"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    places = {}
    for place, word in enumerate(word_ids):
        if word:
            places.setdefault(word, []).append(place)
    out = []
    for rows in places.values():
        if pooling == "mean":
            out.append(states[:, rows].mean(1))
        else:
            out.append(states[:, rows[0 if pooling == "first" else -1]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="None is a word too" says="5 words for a sentence of four.*where None stands"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    places = {}
    for place, word in enumerate(word_ids):
        places.setdefault(word, []).append(place)
    out = []
    for rows in places.values():
        if pooling == "mean":
            out.append(states[:, rows].mean(1))
        else:
            out.append(states[:, rows[0 if pooling == "first" else -1]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="first is overwritten by the last" says="overwritten"
def word_vectors(states, word_ids, pooling="first"):
    place_of = {word: place for place, word in enumerate(word_ids) if word is not None}
    rows = list(place_of.values())
    if pooling in ("first", "last"):
        return states[:, rows]
    if pooling == "mean":
        return torch.stack(
            [states[:, [p for p, i in enumerate(word_ids) if i == w]].mean(1) for w in place_of], 1
        )
    raise ValueError(pooling)


# %% exercise="2.2" wrong="mean of the first and the last only" says="middle subword"
def word_vectors(states, word_ids, pooling="first"):
    words = range(max(i for i in word_ids if i is not None) + 1)
    rows = [[p for p, i in enumerate(word_ids) if i == w] for w in words]
    first, last = states[:, [r[0] for r in rows]], states[:, [r[-1] for r in rows]]
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    return {"first": first, "last": last, "mean": (first + last) / 2}[pooling]


# %% exercise="2.2" wrong="a running mean of means" says="mean of means"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = {}
    for place, word in enumerate(word_ids):
        if word is None:
            continue
        new = states[:, place]
        if word not in out or pooling == "last":
            out[word] = new
        elif pooling == "mean":
            out[word] = (out[word] + new) / 2
    return torch.stack(list(out.values()), 1)


# %% exercise="2.2" wrong="the sum instead of the mean" says="mean or the sum"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states[:, rows].sum(1))
        else:
            out.append(states[:, rows[0] if pooling == "first" else rows[-1]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="the last layer only" says="all layers are there"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states[-1, rows].mean(0))
        else:
            out.append(states[-1, rows[0] if pooling == "first" else rows[-1]])
    return torch.stack(out)


# %% exercise="2.2" wrong="words before layers" says="along which axis"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states[:, rows].mean(1))
        else:
            out.append(states[:, rows[0] if pooling == "first" else rows[-1]])
    return torch.stack(out)


# %% exercise="2.2" wrong="everything unknown is a mean" says="median.*gives a result"
def word_vectors(states, word_ids, pooling="first"):
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "first":
            out.append(states[:, rows[0]])
        elif pooling == "last":
            out.append(states[:, rows[-1]])
        else:
            out.append(states[:, rows].mean(1))
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="the sentence's mean for every word" says="which positions belong"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states.mean(1))
        else:
            out.append(states[:, rows[0] if pooling == "first" else rows[-1]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="the mean goes over the dimensions too" says="hidden dimensions too"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    n = max(i for i in word_ids if i is not None) + 1
    out = torch.zeros(states.shape[0], n, states.shape[2])
    for k in range(states.shape[0]):
        for w in range(n):
            rows = [p for p, i in enumerate(word_ids) if i == w]
            if pooling == "mean":
                out[k, w] = states[k][rows].mean()
            else:
                out[k, w] = states[k, rows[0] if pooling == "first" else rows[-1]]
    return out


# %% exercise="2.2" wrong="loses the last word" says="word 3 is missing.*one too few"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None)):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states[:, rows].mean(1))
        else:
            out.append(states[:, rows[0] if pooling == "first" else rows[-1]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="first and last exchanged" says="which index|4 .= 2².*position 2|overwritten"
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states[:, rows].mean(1))
        else:
            out.append(states[:, rows[-1] if pooling == "first" else rows[0]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="last is the first" says="4 .= 2².: that is the subword at position 2.*9 .= 3²."
def word_vectors(states, word_ids, pooling="first"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        out.append(states[:, rows].mean(1) if pooling == "mean" else states[:, rows[0]])
    return torch.stack(out, 1)


# %% exercise="2.2" wrong="another default" says="called without pooling.*pooling=.mean"
def word_vectors(states, word_ids, pooling="mean"):
    if pooling not in ("first", "last", "mean"):
        raise ValueError(pooling)
    out = []
    for w in range(max(i for i in word_ids if i is not None) + 1):
        rows = [p for p, i in enumerate(word_ids) if i == w]
        if pooling == "mean":
            out.append(states[:, rows].mean(1))
        else:
            out.append(states[:, rows[0] if pooling == "first" else rows[-1]])
    return torch.stack(out, 1)


# %% exercise="2.3" right="one sentence at a time, no padding at all"
def sentence_vectors(tokenizer, model, sentences):
    model.train(False)
    out = []
    for words in sentences:
        inputs = tokenizer([words], is_split_into_words=True, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**inputs, output_hidden_states=True).hidden_states
        out.append(torch.stack([state[0].mean(0) for state in hidden]))
    return torch.stack(out, dim=1)


# %% exercise="2.3" right="einsum with the mask"
def sentence_vectors(tokenizer, model, sentences):
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        hidden = model.eval()(**inputs, output_hidden_states=True).hidden_states
    mask = inputs["attention_mask"].float()
    weights = mask / mask.sum(1, keepdim=True)
    return torch.einsum("knsh,ns->knh", torch.stack(hidden), weights)


# %% exercise="2.3" right="numpy, a masked array"
def sentence_vectors(tokenizer, model, sentences):
    was_training = model.training
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding="longest", return_tensors="pt")
    with torch.no_grad():
        hidden = model(**inputs, output_hidden_states=True)["hidden_states"]
    model.train(was_training)
    states = np.stack([h.numpy() for h in hidden])
    padding = inputs["attention_mask"].numpy() == 0
    padding = np.broadcast_to(padding[None, :, :, None], states.shape)
    return np.ma.masked_array(states, padding).mean(axis=2).filled(0)


# %% exercise="2.3" right="cuts each row at its length, layer by layer"
def sentence_vectors(tokenizer, model, sentences):
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    lengths = inputs["attention_mask"].sum(dim=1).tolist()
    model.eval()
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    result = []
    for layer in output.hidden_states:
        rows = []
        for i, n in enumerate(lengths):
            rows.append(layer[i, :n].mean(dim=0).tolist())
        result.append(rows)
    return torch.tensor(result)


# %% exercise="2.3" wrong="only the layers mended" says="two different results"
def sentence_vectors(tokenizer, model, sentences):
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states)
    return states.mean(dim=2)


# %% exercise="2.3" wrong="layers and mode mended, padding not" says="over which positions the mean goes"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states)
    return states.mean(dim=2)


# %% exercise="2.3" wrong="mode and padding mended, layers not" says="6 vectors for one sentence from a model of 6 blocks"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states[1:])
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).sum(dim=2) / mask.sum(dim=1)


# %% exercise="2.3" wrong="drops the last layer instead of the first" says="hidden states your function passes over"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states[:-1])
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).sum(dim=2) / mask.sum(dim=1)


# %% exercise="2.3" wrong="masks the sum and divides by the padded length" says="by what you divide the sum"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states)
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).mean(dim=2)


# %% exercise="2.3" wrong="takes no_grad for evaluation mode" says="inference mode is another thing"
def sentence_vectors(tokenizer, model, sentences):
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states)
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).sum(dim=2) / mask.sum(dim=1)


# %% exercise="2.3" wrong="sets the mode after the run" says="two different results"
def sentence_vectors(tokenizer, model, sentences):
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True)
    model.eval
    states = torch.stack(output.hidden_states)
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).sum(dim=2) / mask.sum(dim=1)


# %% exercise="2.3" wrong="the model doesn't get the mask" says="what the model itself is told"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model(inputs["input_ids"], output_hidden_states=True)
    states = torch.stack(output.hidden_states)
    mask = inputs["attention_mask"].unsqueeze(-1)
    return (states * mask).sum(dim=2) / mask.sum(dim=1)


# %% exercise="2.3" wrong="leaves [CLS] and [SEP] out" says="which subwords you leave out"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True)
    result = []
    for i in range(len(sentences)):
        rows = [p for p, word in enumerate(inputs.word_ids(i)) if word is not None]
        result.append(torch.stack([h[i, rows].mean(0) for h in output.hidden_states]))
    return torch.stack(result, 1)


# %% exercise="2.3" wrong="sentences before layers" says="order of the axes"
def sentence_vectors(tokenizer, model, sentences):
    model.eval()
    inputs = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True)
    states = torch.stack(output.hidden_states, dim=1)
    mask = inputs["attention_mask"][:, None, :, None]
    return (states * mask).sum(dim=2) / mask.sum(dim=2)


# %% exercise="2.4" right="a loop over drawn documents, lists only"
import random


def share_with_interval(damaged, documents, draws=1000, seed=0):
    by_document = {}
    for name, value in zip(documents, damaged):
        by_document.setdefault(name, []).append(int(value))
    names = sorted(by_document)
    source = random.Random(seed)
    shares = []
    for _ in range(draws):
        drawn = []
        for name in source.choices(names, k=len(names)):
            drawn.extend(by_document[name])
        shares.append(sum(drawn) / len(drawn))
    low, high = np.quantile(shares, [0.025, 0.975])
    return sum(damaged) / len(damaged), low, high


damaged = []
for sentence in dev_sentences:
    damaged.append(tuple(words_the_tokenizer_sees(sentence.words)) != sentence.words)
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" right="all draws at once, an array of booleans"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    damaged, documents = np.asarray(damaged, float), np.asarray(documents)
    names = np.unique(documents)
    belongs = documents[None, :] == names[:, None]
    hits, sizes = belongs @ damaged, belongs.sum(1)
    drawn = np.random.default_rng(seed).integers(len(names), size=(draws, len(names)))
    shares = hits[drawn].sum(1) / sizes[drawn].sum(1)
    return np.array([damaged.mean(), *np.percentile(shares, (2.5, 97.5))])


damaged = np.array([words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences])
decisions = {
    "more than one sentence in twenty": "Yes",
    "more than one sentence in four": "not settled",
}

# %% exercise="2.4" right="pandas and torch"
import pandas as pd


def share_with_interval(damaged, documents, draws=1000, seed=0):
    table = pd.DataFrame({"damaged": np.asarray(damaged, int), "document": documents})
    by_document = table.groupby("document")["damaged"].agg(["sum", "count"])
    rng = np.random.RandomState(seed)
    shares = []
    for _ in range(draws):
        rows = rng.randint(0, len(by_document), len(by_document))
        drawn = by_document.to_numpy()[rows].sum(axis=0)
        shares.append(drawn[0] / drawn[1])
    shares = torch.tensor(shares)
    ends = torch.quantile(shares, torch.tensor([0.025, 0.975], dtype=shares.dtype))
    return table["damaged"].mean(), ends[0], ends[1]


damaged = [" ".join(words_the_tokenizer_sees(s.words)) != " ".join(s.words) for s in dev_sentences]
decisions = dict(
    [("more than one sentence in four", "not settled"), ("more than one sentence in twenty", "yes")]
)


# %% exercise="2.4" wrong="draws sentences" says="sentences, or whole documents"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    damaged = np.asarray(damaged, float)
    rng = np.random.default_rng(seed)
    shares = [rng.choice(damaged, len(damaged)).mean() for _ in range(draws)]
    low, high = np.percentile(shares, [2.5, 97.5])
    return damaged.mean(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="the mean of the documents' shares" says="what is counted: sentences, or documents"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    damaged, documents = np.asarray(damaged, float), np.asarray(documents)
    shares = np.array([damaged[documents == d].mean() for d in np.unique(documents)])
    rng = np.random.default_rng(seed)
    means = [rng.choice(shares, len(shares)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return shares.mean(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="the right share, an interval of means of shares" says="not a mean of shares"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    damaged, documents = np.asarray(damaged, float), np.asarray(documents)
    shares = np.array([damaged[documents == d].mean() for d in np.unique(documents)])
    rng = np.random.default_rng(seed)
    means = [rng.choice(shares, len(shares)).mean() for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return damaged.mean(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="without replacement" says="with replacement"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(draws):
        d = rng.choice(len(n), len(n), replace=False)
        shares.append(hits[d].sum() / n[d].sum())
    low, high = np.percentile(shares, [2.5, 97.5])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="the source is made anew at each draw" says="is each another one"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    shares = []
    for _ in range(draws):
        d = np.random.default_rng(seed).choice(len(n), len(n))
        shares.append(hits[d].sum() / n[d].sum())
    low, high = np.percentile(shares, [2.5, 97.5])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="the 5th and 95th percentile" says="95 of 100 shares"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    rng = np.random.default_rng(seed)
    d = rng.integers(len(n), size=(draws, len(n)))
    shares = hits[d].sum(1) / n[d].sum(1)
    low, high = np.percentile(shares, [5, 95])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="percentiles from 0 to 1" says="numpy counts them from 0 to 100"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    rng = np.random.default_rng(seed)
    d = rng.integers(len(n), size=(draws, len(n)))
    shares = hits[d].sum(1) / n[d].sum(1)
    low, high = np.percentile(shares, [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="forgets the seed" says="same seed"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    rng = np.random.default_rng()
    d = rng.integers(len(n), size=(draws, len(n)))
    shares = hits[d].sum(1) / n[d].sum(1)
    low, high = np.quantile(shares, [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="draws is ignored" says="argument draws goes"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(1000, len(n)))
    low, high = np.percentile(hits[d].sum(1) / n[d].sum(1), [2.5, 97.5])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="seed is ignored" says="another seed draws other documents"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(0).integers(len(n), size=(draws, len(n)))
    low, high = np.percentile(hits[d].sum(1) / n[d].sum(1), [2.5, 97.5])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="counts, not shares, are drawn" says="a share, not a count"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.percentile(hits[d].sum(1), [2.5, 97.5])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="in percent" says="a share lies between 0 and 1"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.percentile(100 * hits[d].sum(1) / n[d].sum(1), [2.5, 97.5])
    return 100 * hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="compares a list with a tuple" says="of one type"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.quantile(hits[d].sum(1) / n[d].sum(1), [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != s.words for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "yes",
}


# %% exercise="2.4" wrong="damaged the wrong way round" says="opposite"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.quantile(hits[d].sum(1) / n[d].sum(1), [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) == list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "yes",
}


# %% exercise="2.4" wrong="subwords counted instead of words" says="judged otherwise"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.quantile(hits[d].sum(1) / n[d].sum(1), [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [len(tokenizer.tokenize(" ".join(s.words))) != len(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "yes",
}


# %% exercise="2.4" wrong="a count instead of a list" says="counted already"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.quantile(hits[d].sum(1) / n[d].sum(1), [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = sum(words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences)
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "not settled",
}


# %% exercise="2.4" wrong="decides by the share alone" says="not the share alone"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.quantile(hits[d].sum(1) / n[d].sum(1), [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "yes",
    "more than one sentence in four": "no",
}


# %% exercise="2.4" wrong="too careful to say yes" says="low end of the interval"
def share_with_interval(damaged, documents, draws=1000, seed=0):
    _, ix = np.unique(documents, return_inverse=True)
    n, hits = np.bincount(ix), np.bincount(ix, weights=damaged)
    d = np.random.default_rng(seed).integers(len(n), size=(draws, len(n)))
    low, high = np.quantile(hits[d].sum(1) / n[d].sum(1), [0.025, 0.975])
    return hits.sum() / n.sum(), low, high


damaged = [words_the_tokenizer_sees(s.words) != list(s.words) for s in dev_sentences]
decisions = {
    "more than one sentence in twenty": "not settled",
    "more than one sentence in four": "not settled",
}
