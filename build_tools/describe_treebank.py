"""Count the treebank and draw its figure, for the page book/treebank.md.

    python build_tools/describe_treebank.py          print the tables
    python build_tools/describe_treebank.py --write  put them into the page, and draw the figure

The tables stand between two marks in the page; a test counts again and compares.
"""

from __future__ import annotations

import collections
import re
import sys
from importlib import resources
from pathlib import Path

import conllu

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "treebank.md"
FIGURE = ROOT / "book" / "_static" / "treebank.png"
SPLITS = ("train", "dev", "test")


def read() -> dict[str, list[conllu.TokenList]]:
    folder = resources.files("whichlayer") / "data" / "treebank"
    return {
        split: conllu.parse((folder / f"{split}.conllu").read_text(encoding="utf-8"))
        for split in SPLITS
    }


def counts_of(sentences: list[conllu.TokenList]) -> dict[str, int]:
    """What the page reports for one split."""
    counts = collections.Counter(sentences=len(sentences))
    seen: set[str] = set()
    for sentence in sentences:
        counts["documents"] += "newdoc id" in sentence.metadata
        for token in sentence:
            misc = token["misc"] or {}
            counts["multiword tokens"] += isinstance(token["id"], tuple)
            if not isinstance(token["id"], int):
                continue
            counts["words"] += 1
            for entity, form in re.findall(r"\((\w+)-\w+-\d+-(\w+)", misc.get("Entity") or ""):
                counts["named mentions"] += form == "named"
                # entity ids are unique in the whole treebank, so this stays within a document
                counts["pronouns and nominals that point back"] += (
                    form != "named" and entity in seen
                )
                seen.add(entity)
            counts["predicates with roles"] += "Pred" in misc
            counts["role arguments"] += len([p for p in (misc.get("Role") or "").split(",") if p])
    return dict(counts)


def table(treebank: dict[str, list[conllu.TokenList]]) -> str:
    rows = ["documents", "sentences", "words", "multiword tokens", "named mentions",
            "pronouns and nominals that point back", "predicates with roles", "role arguments"]  # fmt: skip
    counts = {split: counts_of(treebank[split]) for split in SPLITS}
    lines = ["| count of | train | dev | test | all |", "|---|---|---|---|---|"]
    for row in rows:
        numbers = [counts[split][row] for split in SPLITS]
        lines.append(f"| {row} | " + " | ".join(f"{n:,}" for n in [*numbers, sum(numbers)]) + " |")
    return "\n".join(lines)


def insert(page: str, tables: str) -> str:
    """The page with what stands between its two marks replaced."""
    return re.sub(
        r"(<!-- counts -->\n).*?(\n<!-- end of counts -->)",
        lambda m: m.group(1) + tables + m.group(2),
        page,
        flags=re.S,
    )


def draw(treebank: dict[str, list[conllu.TokenList]]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from whichlayer.plotting import COLOURS, STYLE

    by_genre: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    lengths = []
    for split in SPLITS:
        genre = ""
        for sentence in treebank[split]:
            genre = sentence.metadata.get("meta::genre", genre)
            size = sum(isinstance(token["id"], int) for token in sentence)
            by_genre[genre][split] += size
            lengths.append(size)
    genres = sorted(by_genre, reverse=True)
    with plt.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.6), layout="constrained")
        start = [0] * len(genres)
        for split, colour, hatch in zip(SPLITS, COLOURS, ("", "//", ".."), strict=False):
            sizes = [by_genre[genre][split] for genre in genres]
            left.barh(
                genres, sizes, left=start, color=colour, hatch=hatch, edgecolor="white", label=split
            )
            start = [a + b for a, b in zip(start, sizes, strict=True)]
        left.set(xlabel="words", title="Every genre is trained on, most are tested on")
        left.legend(fontsize="small", ncols=3, loc="lower right", bbox_to_anchor=(1, -0.22))
        left.set(xlim=(0, 1.05 * max(start)), axisbelow=True)
        right.hist(lengths, bins=range(0, max(lengths) + 3, 3), color=COLOURS[0], edgecolor="white")
        mean = sum(lengths) / len(lengths)
        right.axvline(mean, color="#555555", linestyle="--", marker="")
        right.set_axisbelow(True)
        right.set(
            xlabel="words in a sentence",
            ylabel="sentences",
            title=f"Sentences have {mean:.1f} words on average",
        )
        figure.savefig(FIGURE, dpi=130, metadata={"Software": None})


def main(write: bool) -> None:
    treebank = read()
    tables = table(treebank)
    print(tables)
    if write:
        PAGE.write_text(insert(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
        draw(treebank)


if __name__ == "__main__":
    main(write="--write" in sys.argv[1:])
