"""Draw the cards that stand for a page where its link is shared: its title, its question, its figure.

    python build_tools/draw_cards.py        writes book/_static/cards/*.png, 1200 by 630 pixels

Each card holds a digest of what it was made from, so that a test can tell that it is up to date.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import textwrap
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
CARDS = ROOT / "book" / "_static" / "cards"
STATIC = ROOT / "book" / "_static"

# Which of a notebook's figures stands for it, counted from the first; others show the first.
FIGURE = {"04_probing_code": -1}
PICTURES = {"intro": STATIC / "profile.png", "treebank": STATIC / "treebank.png"}


def contents() -> dict[str, tuple[str, str, bytes]]:
    """For each card its title, its line below, and its figure as PNG."""
    pages = yaml.safe_load((ROOT / "book" / "pages.yml").read_text(encoding="utf-8"))
    cards = {}
    for page, entry in pages.items():
        name = page.split("/")[-1]
        notebook = ROOT / f"{page}.ipynb"
        if notebook.is_file():
            cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            figures = [
                output["data"]["image/png"]
                for cell in cells
                for output in cell.get("outputs", [])
                if "image/png" in output.get("data", {})
            ]
            if not figures:
                continue
            picture = base64.b64decode(figures[FIGURE.get(name, 0)])
            title = re.search(r"^# (.+)", "".join(cells[0]["source"]), re.M)[1]
        elif name in PICTURES:
            picture = PICTURES[name].read_bytes()
            title = re.search(r"^# (.+)", (ROOT / f"{page}.md").read_text(encoding="utf-8"), re.M)[
                1
            ]
        else:
            continue
        line = entry.get("question") or "Which layer of an encoder holds which information?"
        cards[name] = (title, line, picture)
    return cards


def digest(card: tuple[str, str, bytes]) -> str:
    title, line, picture = card
    return hashlib.sha256(f"{title}\n{line}\n".encode() + picture).hexdigest()


def draw(name: str, card: tuple[str, str, bytes]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    title, line, picture = card
    figure = plt.figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    figure.text(0.04, 0.87, "Which Layer?", fontsize=22, color="#0b6bcb", weight="bold")
    figure.text(
        0.04, 0.78, textwrap.fill(title, 17), fontsize=32, weight="bold", va="top", linespacing=1.25
    )
    figure.text(0.04, 0.10, textwrap.fill(line, 34), fontsize=20, color="#444444", va="bottom")
    axes = figure.add_axes((0.46, 0.06, 0.52, 0.88))
    axes.imshow(plt.imread(io.BytesIO(picture)), interpolation="lanczos")
    axes.axis("off")
    figure.savefig(CARDS / f"{name}.png", metadata={"Source": digest(card), "Software": None})
    plt.close(figure)


def main() -> None:
    CARDS.mkdir(exist_ok=True)
    cards = contents()
    for old in CARDS.glob("*.png"):
        if old.stem not in cards:
            old.unlink()
    for name, card in cards.items():
        draw(name, card)


if __name__ == "__main__":
    main()
