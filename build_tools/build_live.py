"""Put the live page's modules and the packed encoder into the built site.

    python build_tools/build_live.py [SITE]

Jupyter Book copies no file that isn't a page or under _static, and would load every script under
_static on every page, so build_site.py calls this after it. What is made goes to `live/` beside the
site and is made again only when what it is made from has changed:

    minilm-<sum>.bin         the encoder (see pack_encoder.py)
    example-<n>-<sum>.bin    the vectors of each recorded example, so that it can be seen without it
    neighbours-<sum>.bin     the vectors of the treebank's words that neighbours are looked for among
    manifest.json            their names, sizes and sums

A file's name holds its sum, so a browser that keeps one can never take it for another.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pack_encoder
from pack_encoder import PackedEncoder, pack_minilm

ROOT = Path(__file__).parents[1]
APP = ROOT / "book" / "live" / "app"
CACHE = ROOT / "_build" / "live"
SAME_MEANING = 1  # the example whose two banks are both for money
SOURCES = "made-from.json"  # isn't published: it holds a file's date


def build_live(site: Path) -> None:
    """Complete the live page in a built site; nothing is done if the site has no such page."""
    page = site / "book" / "live" / "index.html"
    if not page.is_file():
        return
    made = make_model(CACHE)
    for name, source in (("app", APP), ("model", made)):
        shutil.rmtree(page.parent / name, ignore_errors=True)
        shutil.copytree(source, page.parent / name, ignore=shutil.ignore_patterns(SOURCES))
    # A service worker only sees what lies beside or below it, so it can't stay with the rest.
    shutil.move(page.parent / "app" / "offline.mjs", page.parent / "offline.mjs")
    add_list_of_modules(page.parent)
    written = page.read_text(encoding="utf-8")
    filled = fill_in(written, facts(made), recorded_table(made))
    if filled != written:
        page.write_text(filled, encoding="utf-8")


def add_list_of_modules(live: Path) -> None:
    """Tell the page what it is made of, which it keeps for when there is no connection."""
    path = live / "model" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["app"] = sorted(file.name for file in (live / "app").iterdir())
    path.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def make_model(folder: Path) -> Path:
    """The folder with everything that is computed from the encoder, made anew if need be."""
    sources = state_of_sources()
    if not is_current(folder, sources):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        packed = pack_minilm()
        encoder = PackedEncoder(packed)
        recorded = json.loads((APP / "recorded.json").read_text(encoding="utf-8"))
        around = json.loads((APP / "neighbours.json").read_text(encoding="utf-8"))
        rows = {
            f"example-{i}": example_vectors(encoder, example["sentences"])
            for i, example in enumerate(recorded["examples"])
        }
        manifest = {
            "layers": encoder.header["layers"] + 1,
            "width": encoder.header["hidden"],
            "positions": encoder.header["positions"],
            "model": put(folder, "minilm", packed),
            "examples": [put(folder, name, to_rows(v, np.int16)) for name, v in rows.items()],
            "neighbours": put(
                folder, "neighbours", to_rows(neighbour_vectors(encoder, around), np.int8)
            ),
        }
        # Last, so that an interruption leaves nothing that looks whole.
        text = json.dumps(manifest, indent=1)
        (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")
        (folder / SOURCES).write_text(json.dumps(sources), encoding="utf-8")
    return folder


def state_of_sources() -> dict:
    weights = pack_encoder.model_folder() / "model.safetensors"
    parts = [Path(__file__), Path(pack_encoder.__file__)]
    parts += [APP / "recorded.json", APP / "neighbours.json"]
    # The weights' own sum is checked when they are packed; here their size and date will do.
    state = {path.name: sum_of(path.read_bytes()) for path in parts}
    return {**state, "weights": [weights.stat().st_size, weights.stat().st_mtime_ns]}


def is_current(folder: Path, sources: Mapping) -> bool:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        files = [manifest["model"], *manifest["examples"], manifest["neighbours"]]
        former = json.loads((folder / SOURCES).read_text(encoding="utf-8"))
        return former == sources and all(
            sum_of((folder / file["file"]).read_bytes()) == file["sha256"] for file in files
        )
    except (OSError, ValueError, KeyError):
        return False


def put(folder: Path, name: str, content: bytes) -> dict:
    digest = sum_of(content)
    file = f"{name}-{digest[:16]}.bin"
    (folder / file).write_bytes(content)
    return {"file": file, "bytes": len(content), "sha256": digest}


def sum_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def example_vectors(encoder: PackedEncoder, sentences: Iterable[Mapping]) -> np.ndarray:
    """One sentence's (L + 1) x words after the other, each vector a row."""
    states = encoder.hidden_states([sentence["ids"] for sentence in sentences])
    return np.concatenate(
        [
            own[:, [first for first, _ in sentence["spans"]]].reshape(-1, own.shape[-1])
            for own, sentence in zip(states, sentences, strict=True)
        ]
    )


def neighbour_vectors(encoder: PackedEncoder, around: Mapping) -> np.ndarray:
    """(L + 1) x words rows: all words at layer 0, then at layer 1, ..."""
    sentences = around["sentences"]
    states = encoder.hidden_states([sentence["ids"] for sentence in sentences])
    chosen = [
        own[:, [word["subword"] for word in sentence["words"]]]
        for own, sentence in zip(states, sentences, strict=True)
    ]
    return np.concatenate(chosen, axis=1).reshape(-1, encoder.header["hidden"])


def to_rows(vectors: np.ndarray, kind: type) -> bytes:
    """A float32 scale for each row, then the rows as whole numbers."""
    most = np.iinfo(kind).max
    scales = (np.abs(vectors).max(axis=1) / most).astype("<f4")
    codes = np.rint(vectors / scales[:, None]).astype(np.dtype(kind).newbyteorder("<"))
    return scales.tobytes() + codes.tobytes()


def from_rows(content: bytes, width: int, kind: type) -> np.ndarray:
    item = np.dtype(kind).itemsize
    rows = len(content) // (4 + width * item)
    scales = np.frombuffer(content, "<f4", rows)
    codes = np.frombuffer(content, np.dtype(kind).newbyteorder("<"), offset=4 * rows)
    return codes.reshape(rows, width) * scales[:, None]


# --- what the page says ----------------------------------------------------------------------


def facts(made: Path) -> dict[str, str]:
    """The measured values that the page's text names, by the name it calls them."""
    manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
    recorded = json.loads((APP / "recorded.json").read_text(encoding="utf-8"))
    measured = json.loads((APP / "probes.json").read_text(encoding="utf-8"))["measured"]
    around = json.loads((APP / "neighbours.json").read_text(encoding="utf-8"))["sentences"]
    pairs = recorded["random_pairs"]
    accuracy = measured["accuracy"]
    same = bank_by_layer(made)
    return {
        **nearest_in_sentence(made, 0),
        **nearest_in_sentence(made, 1),
        "blocks": str(manifest["layers"] - 1),
        "width": str(manifest["width"]),
        "positions": str(manifest["positions"]),
        "size": f"{manifest['model']['bytes'] / 1e6:.0f} MB",
        "test_words": f"{measured['words']:,}",
        "test_sentences": f"{measured['sentences']:,}",
        "train_words": f"{measured['trained_on']:,}",
        "unaligned_words": f"{measured['words'] - measured['aligned']:,}",
        "contracted_words": f"{measured['contracted']:,}",
        "accuracies": ", ".join(f"{value:.3f}" for value in accuracy),
        "best_accuracy": f"{max(accuracy):.1%}",
        "best_layer": str(accuracy.index(max(accuracy))),
        "pairs": f"{pairs['pairs']:,}",
        "pair_words": f"{pairs['words']:,}",
        "bank_0": f"{same[0]:.2f}",
        "bank_last": f"{same[-1]:.2f}",
        "same_bank_last": f"{bank_by_layer(made, SAME_MEANING)[-1]:.2f}",
        "within_0": f"{recorded['within_sentences'][0]:.2f}",
        "within_last": f"{recorded['within_sentences'][-1]:.2f}",
        "neighbour_size": f"{manifest['neighbours']['bytes'] / 1e6:.1f} MB",
        "neighbour_words": f"{sum(len(s['words']) for s in around):,}",
        "neighbour_sentences": f"{len(around):,}",
    }


def recorded_example(made: Path, index: int = 0) -> tuple[dict, list[np.ndarray], list[int]]:
    """The example, its sentences' unit vectors (layers, words, width), and where its word is."""
    manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
    recorded = json.loads((APP / "recorded.json").read_text(encoding="utf-8"))
    content = (made / manifest["examples"][index]["file"]).read_bytes()
    rows = from_rows(content, manifest["width"], np.int16)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    example, at, vectors, places = recorded["examples"][index], 0, [], []
    for sentence in example["sentences"]:
        words = [word["text"].lower() for word in sentence["words"]]
        size = manifest["layers"] * len(words)
        vectors.append(rows[at : at + size].reshape(manifest["layers"], len(words), -1))
        places.append(words.index(example["word"]))
        at += size
    return example, vectors, places


def bank_by_layer(made: Path, index: int = 0) -> np.ndarray:
    """An example's word in its two sentences: the cosine at each layer."""
    _, (a, b), (i, j) = recorded_example(made, index)
    return (a[:, i] * b[:, j]).sum(-1)


def nearest_in_sentence(made: Path, which: int) -> dict[str, str]:
    """The word of its sentence that the first example's word is most like at the last layer."""
    example, vectors, places = recorded_example(made)
    own = (vectors[which] * vectors[which][:, [places[which]]]).sum(-1)  # (layers, words)
    best = max((j for j in range(own.shape[1]) if j != places[which]), key=lambda j: own[-1, j])
    return {
        f"near_{which}": example["sentences"][which]["words"][best]["text"],
        f"near_{which}_0": f"{own[0, best]:.2f}",
        f"near_{which}_last": f"{own[-1, best]:.2f}",
    }


def recorded_table(made: Path) -> str:
    """The first example as a table, for a reader whose browser runs none of the modules."""
    recorded = json.loads((APP / "recorded.json").read_text(encoding="utf-8"))
    example = recorded["examples"][0]
    a, b = (html.escape(sentence["text"]) for sentence in example["sentences"])
    mean = recorded["random_pairs"]["mean"]
    rows = "".join(
        f'<tr><th scope="row">{layer}</th><td>{same:.2f}</td><td>{mean[layer][layer]:.2f}</td></tr>'
        for layer, same in enumerate(bank_by_layer(made))
    )
    return (
        f"<table><caption>A recorded example: how alike the two vectors of “{example['word']}” are "
        f"in “{a}” and “{b}”</caption><thead><tr>"
        '<th scope="col">layer</th><th scope="col">similarity</th>'
        f'<th scope="col">average of random pairs</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def fill_in(page: str, values: Mapping[str, str], table: str) -> str:
    """A page with its measured values; a page that was filled in before is filled in anew."""

    def value(match: re.Match) -> str:
        return f"{match[1]}{html.escape(values[match[2]])}</span>"

    page = re.sub(r'(<span data-live="(\w+)">)[^<]*</span>', value, page)
    return re.sub(
        r"(<!-- recorded -->).*?(<!-- end of recorded -->)",
        lambda match: match[1] + table + match[2],
        page,
        flags=re.S,
    )


if __name__ == "__main__":
    build_live(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "html")
