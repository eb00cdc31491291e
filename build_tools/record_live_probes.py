"""Record what the live page needs beside the encoder, and write book/live/app/*.json.

    python build_tools/record_live_probes.py [--keep-probes]

probes.json: a part-of-speech probe for each layer, trained as the course trains them on the course
treebank's training split with the packed weights, and its accuracy on the test split. The test words
go the page's own way: the raw text of each sentence through the page's modules under Node, which
split it into words, subwords and vectors. A word of the treebank that the page doesn't split off in
the same way counts as wrong.

recorded.json: the mean cosine of random pairs of words at each layer, how many words fit, and the
sentences that the page offers as examples, with the probes' answer where one asks for it. neighbours.json: the words in context among which it looks for neighbours. The
vectors of both are computed from the packed weights when the site is built.

Run it again when the encoder, its packing, the treebank or the way that text is split changes; a test
finds out. It needs Node and takes a minute or two; --keep-probes measures the probes that are there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from pack_encoder import PackedEncoder, pack_minilm
from sklearn.linear_model import LogisticRegression

from whichlayer.classifier import centre_and_spread
from whichlayer.corpora import Sentence, load_treebank, word_labels
from whichlayer.models import load_encoder
from whichlayer.similarity import anisotropy

ROOT = Path(__file__).parents[1]
APP = ROOT / "book" / "live" / "app"
READER = Path(__file__).with_name("read_live.mjs")

GRID = (0.001, 0.01, 0.1)
N_PAIRS = 10_000
N_NEIGHBOURS = 500
NAMES = {"NOUN": "noun", "VERB": "verb", "ADJ": "adjective", "ADV": "adverb", "PROPN": "name"}
COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven"]
CONTENT = ("NOUN", "VERB", "ADJ", "PROPN", "ADV")

# The sentences of each example, the word to look at, and the view that shows what is special.
EXAMPLES = [
    {
        "name": "one word, two meanings",
        "note": "A river's bank, and a bank for money: one word, two meanings.",
        "sentences": [
            "We sat on the bank of the river and fished.",
            "She went to the bank to borrow some money.",
        ],
        "word": "bank",
        "view": "pair",
    },
    {
        "name": "one word, one meaning",
        "note": "The same kind of bank in both. Compare it with the first example.",
        "sentences": [
            "He went to the bank to open an account.",
            "She went to the bank to borrow some money.",
        ],
        "word": "bank",
        "view": "pair",
    },
    {
        "name": "a verb and a noun",
        "note": "“Book” is a verb in the first sentence and a noun in the second.",
        "sentences": ["Please book a table near the window.", "I read a book near the window."],
        "word": "book",
        "view": "speech",
    },
    {
        "name": "a sentence that misleads",
        "note": "“Man” is a verb here: the old are those who man the boat. Does any layer find that out?",
        "asks": "VERB",
        "sentences": ["The old man the boat while the young sleep."],
        "word": "man",
        "view": "speech",
    },
    {
        "name": "a negation",
        "note": "The second sentence says the opposite of the first. How much does that change “film”?",
        "sentences": ["I liked the film.", "I did not like the film."],
        "word": "film",
        "view": "pair",
    },
]


def with_page(packed: bytes, texts: list[str], probes: dict | None = None) -> list[dict]:
    """What the page makes of texts: words, subwords and, with probes, the tags of each layer."""
    node = shutil.which("node")
    if node is None:
        raise SystemExit("Recording needs Node, which runs the page's own modules.")
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(packed)
        file.flush()
        request = json.dumps({"texts": texts, "probes": probes, "vectors": None})
        done = subprocess.run(
            [node, READER, file.name], input=request, capture_output=True, text=True
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def vectors_of(encoder: PackedEncoder, tokenizer, sentences: list[Sentence]) -> np.ndarray:
    """The first subword of every word at every layer: (L + 1, words, hidden)."""
    encoded = [tokenizer(list(s.words), is_split_into_words=True) for s in sentences]
    states = encoder.hidden_states([one["input_ids"] for one in encoded])
    parts = []
    for sentence, one, own in zip(sentences, encoded, states, strict=True):
        subwords_of = one.word_ids()
        parts.append(own[:, [subwords_of.index(i) for i in range(len(sentence))]])
    return np.concatenate(parts, axis=1)


def spans_in_text(sentence: Sentence) -> list[tuple[int, int]]:
    """Where each annotated word stands in the sentence as it was written."""
    spans, at = [], 0
    for word in sentence.words:
        at = sentence.text.index(word, at)
        spans.append((at, at + len(word)))
        at += len(word)
    return spans


def train(vectors: dict[str, np.ndarray], labels: dict[str, np.ndarray]) -> dict:
    """The probes with their scaling folded in, as the page reads them."""
    layers = []
    for x_train, x_dev in zip(vectors["train"], vectors["dev"], strict=True):
        centre, spread = centre_and_spread(x_train)
        known, held_out = (((x - centre) / spread).astype(np.float32) for x in (x_train, x_dev))
        best, best_score = None, -1.0
        for C in GRID:  # the smallest of the best
            probe = LogisticRegression(C=C, max_iter=2000)
            probe.fit(known, labels["train"])
            score = probe.score(held_out, labels["dev"])
            if score > best_score:
                best, best_score = probe, score
        weights = best.coef_ / spread
        bias = best.intercept_ - weights @ centre
        scales = np.abs(weights).max(axis=1) / 32767
        codes = np.rint(weights / scales[:, None]).astype("<i2")
        layers.append(
            {
                "C": best.C,
                "bias": [float(f"{value:.6g}") for value in bias],
                "scales": [float(f"{value:.8g}") for value in scales],
                "codes": base64.b64encode(codes.tobytes()).decode("ascii"),
            }
        )
    return {
        "classes": list(map(str, best.classes_)),
        "width": int(vectors["train"].shape[-1]),
        "layers": layers,
    }


def accuracies(packed: bytes, probes: dict, sentences: list[Sentence]) -> dict:
    """How the probes do on the page's own way through raw text."""
    read = with_page(packed, [sentence.text for sentence in sentences], probes)
    correct = np.zeros(len(probes["layers"]), dtype=int)
    confidence = np.zeros(len(probes["layers"]))
    words = aligned = contracted = 0
    for sentence, seen in zip(sentences, read, strict=True):
        # JavaScript counts UTF-16 units; these are characters.
        place = {
            (
                len(seen["text"].encode("utf-16-le")[: 2 * w["start"]].decode("utf-16-le")),
                len(seen["text"].encode("utf-16-le")[: 2 * w["end"]].decode("utf-16-le")),
            ): i
            for i, w in enumerate(seen["words"])
        }
        for word, span, tag in zip(
            sentence.words, spans_in_text(sentence), sentence.labels["upos"], strict=True
        ):
            words += 1
            contracted += word.lower() == "n't" or (word[0] == "'" and len(word) > 1)
            at = place.get(span)
            if at is None:
                continue
            aligned += 1
            for layer, tags in enumerate(seen["tags"]):
                correct[layer] += tags[at][0] == tag
                confidence[layer] += tags[at][1]
    return {
        "sentences": len(sentences),
        "words": words,
        "aligned": aligned,
        "contracted": int(contracted),
        "accuracy": [round(float(value), 4) for value in correct / words],
        "mean_confidence": [round(float(value), 4) for value in confidence / aligned],
    }


def random_pairs(vectors: np.ndarray, seed: int = 0) -> dict:
    """Mean cosine of random pairs of words, at layers k and l; the diagonal is the anisotropy."""
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    draw = np.random.default_rng(seed)
    left = draw.integers(unit.shape[1], size=N_PAIRS)
    right = (left + draw.integers(1, unit.shape[1], size=N_PAIRS)) % unit.shape[1]
    cosines = np.array([[np.einsum("wh,wh->w", a[left], b[right]) for b in unit] for a in unit])
    mean = cosines.mean(axis=-1)
    mean = (mean + mean.T) / 2  # which of the pair is at which layer doesn't matter
    same = np.array([cosines[k, k] for k in range(len(unit))])
    assert np.allclose(np.diag(mean), anisotropy(vectors, n_pairs=N_PAIRS, seed=seed), atol=1e-6)
    low, high = np.quantile(same, [0.05, 0.95], axis=1)
    return {
        "pairs": N_PAIRS,
        "words": int(unit.shape[1]),
        "mean": [[round(float(value), 4) for value in row] for row in mean],
        "low": [round(float(value), 4) for value in low],
        "high": [round(float(value), 4) for value in high],
    }


def within_sentences(vectors: np.ndarray, sentences: list[Sentence]) -> list[float]:
    """At each layer the mean cosine of two words of one sentence, each sentence counted once."""
    unit, at, means = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), 0, []
    for n in map(len, sentences):
        own = unit[:, at : at + n]
        at += n
        if n > 1:
            everyone = (own @ own.transpose(0, 2, 1)).sum(axis=(1, 2))
            means.append((everyone - n) / (n * (n - 1)))
    return [round(float(value), 4) for value in np.mean(means, axis=0)]


def words_that_fit(encoder: PackedEncoder, tokenizer, sentences: list[Sentence]) -> int:
    """How many words of usual text the encoder has room for beside the two marks, in tens."""
    subwords = sum(
        len(tokenizer(list(s.words), is_split_into_words=True)["input_ids"]) - 2 for s in sentences
    )
    words = sum(map(len, sentences))
    return 10 * int((encoder.header["positions"] - 2) * words / subwords / 10)


def neighbours(tokenizer, sentences: list[Sentence], seed: int = 0) -> list[dict]:
    """Sentences of the treebank, each with those of its words that can be found as neighbours."""
    chosen, total = [], 0
    order = np.random.default_rng(seed).permutation(len(sentences))
    for sentence in (sentences[i] for i in order):
        if not 5 <= len(sentence) <= 18 or total >= N_NEIGHBOURS:
            continue
        encoded = tokenizer(list(sentence.words), is_split_into_words=True)
        first = [encoded.word_ids().index(i) for i in range(len(sentence))]
        tags = sentence.labels["upos"]
        words = [
            {"span": span, "subword": first[i], "upos": tags[i]}
            for i, span in enumerate(spans_in_text(sentence))
            if tags[i] in CONTENT
        ][: N_NEIGHBOURS - total]
        total += len(words)
        chosen.append({"text": sentence.text, "ids": encoded["input_ids"], "words": words})
    return chosen


def answer(example: dict, seen: dict) -> dict:
    """What the probes say to an example's question, whether its word is what it `asks` for."""
    if "asks" not in example:
        return {}
    read = seen[example["sentences"][0]]
    at = [word["text"].lower() for word in read["words"]].index(example["word"])
    tags = [NAMES.get(tags[at][0], tags[at][0]) for tags in read["tags"]]
    wanted = NAMES[example["asks"]]
    if wanted in tags:
        right = [str(layer) for layer, tag in enumerate(tags) if tag == wanted]
        return {"answer": f"Yes: a probe says {wanted} at layer {', '.join(right)}."}
    if len(set(tags)) == 1:
        return {"answer": f"No: all {COUNTS[len(tags)]} say {tags[0]}."}
    return {"answer": f"No: from layer 0 on they say {', '.join(tags)}."}


def recorded_examples(packed: bytes, probes: dict) -> list[dict]:
    texts = [text for example in EXAMPLES for text in example["sentences"]]
    seen = {read["text"]: read for read in with_page(packed, texts, probes)}
    keep = ("text", "words", "ids", "spans", "subwords")
    return [
        {
            **example,
            **answer(example, seen),
            "sentences": [{key: seen[text][key] for key in keep} for text in example["sentences"]],
        }
        for example in EXAMPLES
    ]


def write(name: str, content: dict) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (APP / name).write_text(text + "\n", encoding="utf-8")
    print(f"{name}: {len(text.encode()) / 1000:.0f} kB")


def main(keep_probes: bool) -> None:
    packed = pack_minilm()
    encoder, tokenizer = PackedEncoder(packed), load_encoder("minilm").tokenizer
    about = {"encoder_sha256": hashlib.sha256(packed).hexdigest()}
    corpus = {split: load_treebank(split) for split in ("train", "dev", "test")}
    if keep_probes:
        probes = json.loads((APP / "probes.json").read_text(encoding="utf-8"))
        if probes["encoder_sha256"] != about["encoder_sha256"]:
            raise SystemExit("The probes are of another encoder: record them anew.")
    else:
        vectors = {s: vectors_of(encoder, tokenizer, corpus[s]) for s in ("train", "dev")}
        probes = train(vectors, {s: word_labels(corpus[s], "upos") for s in ("train", "dev")})
    measured = accuracies(packed, probes, corpus["test"])
    measured["trained_on"] = sum(map(len, corpus["train"]))
    write("probes.json", {**about, **probes, "measured": measured})
    tested = vectors_of(encoder, tokenizer, corpus["test"])
    recorded = {
        "random_pairs": random_pairs(tested),
        "within_sentences": within_sentences(tested, corpus["test"]),
        "words_that_fit": words_that_fit(encoder, tokenizer, corpus["test"]),
        "examples": recorded_examples(packed, probes),
    }
    write("recorded.json", {**about, **recorded})
    found = neighbours(tokenizer, corpus["test"])
    write("neighbours.json", {**about, "sentences": found})


if __name__ == "__main__":
    main(keep_probes="--keep-probes" in sys.argv[1:])
