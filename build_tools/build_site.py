"""Build the site and refuse one that isn't right.

    python build_tools/build_site.py [--fresh]

Jupyter Book exits with 0 where a notebook holds an error or no outputs and where a page is in no
table of contents, and it checks no links inside the HTML. So after a build that took warnings for
errors, this looks for: pages outside the contents, notebooks without outputs or with errors, dead
links and anchors, images without alternative text, requests that a page would make to other hosts
for an image or a notebook's own content.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup
from build_live import build_live
from compress_figures import compress_figures
from subset_icons import subset_icons

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"


def makers_changed() -> bool:
    """True if what makes the pages is not what made them last time; remembers it."""
    makers = [ROOT / "_config.yml", *sorted((ROOT / "book").glob("*.yml"))]
    makers += sorted(path for path in (ROOT / "book" / "_static").rglob("*") if path.is_file())
    makers += sorted((ROOT / "book" / "_ext").glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in makers)).hexdigest()
    mark = ROOT / "_build" / ".made-by"
    changed = not mark.is_file() or mark.read_text() != digest
    mark.parent.mkdir(exist_ok=True)
    mark.write_text(digest)
    return changed


def run_jupyter_book(fresh: bool) -> None:
    if fresh:
        shutil.rmtree(ROOT / "_build", ignore_errors=True)
    # Sphinx writes a page anew if its text has changed, not if our extensions or styles have.
    if makers_changed():
        shutil.rmtree(ROOT / "_build" / ".doctrees", ignore_errors=True)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", ".", "-W", "-n", "--keep-going", "-q"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        # A page that was read once isn't read again, so the next build would not warn of it.
        shutil.rmtree(ROOT / "_build" / ".doctrees", ignore_errors=True)
        sys.exit(f"The site could not be built:\n{done.stdout[-6000:]}")


def pages_of_contents() -> list[str]:
    """Every page that the table of contents names, without its ending."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    pages: list[str] = [contents["root"]]

    def collect(node) -> None:
        if isinstance(node, dict):
            pages.extend([node["file"]] if "file" in node else [])
            for value in node.values():
                collect(value)
        elif isinstance(node, list):
            for value in node:
                collect(value)

    collect({key: value for key, value in contents.items() if key != "root"})
    return pages


def remove_pages_of_former_builds(pages: list[str]) -> None:
    """A page that left the contents must leave the site as well."""
    for folder in ("book", "notebooks"):
        for path in (SITE / folder).rglob("*.html"):
            if path.relative_to(SITE).with_suffix("").as_posix() not in pages:
                path.unlink()


def faults_of_contents(pages: list[str]) -> list[str]:
    written = [path for path in (ROOT / "book").rglob("*.md") if path.name != "README.md"]
    sources = [*written, *(ROOT / "notebooks").glob("*.ipynb")]
    names = [path.relative_to(ROOT).with_suffix("").as_posix() for path in sources]
    faults = [
        f"{name} is in no table of contents: add it to _toc.yml"
        for name in names
        if name not in pages
    ]
    faults += [f"{page} was not built" for page in pages if not (SITE / f"{page}.html").is_file()]
    return faults


def faults_of_notebook(path: Path) -> list[str]:
    faults = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        if cell["execution_count"] is None and "".join(cell["source"]).strip():
            faults.append(f"{path.name}, cell {number}: was never run (make execute)")
        if any(output["output_type"] == "error" for output in cell["outputs"]):
            faults.append(f"{path.name}, cell {number}: holds an error")
    return faults


def faults_of_pages(site: Path) -> list[str]:
    """Dead links and anchors, and images without alternative text, in a folder of built pages."""
    soups = {
        path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.relative_to(site).parts
    }
    anchors = {path: {tag["id"] for tag in soup.find_all(id=True)} for path, soup in soups.items()}
    faults = []
    for path, soup in soups.items():
        page = path.relative_to(site)
        for tag in soup.find_all("a", href=True):
            faults += _faults_of_link(page, path, tag["href"], anchors, site)
        for image in soup.find_all("img"):
            alt = image.get("alt", "").strip()
            source = image.get("src", "")
            # Without one of ours, the notebook extension puts the image's path there.
            if not alt or alt == source or alt.endswith((".png", ".svg", ".jpg")):
                faults.append(f"{page}: the image {source} has no alternative text")
            if urlsplit(source).netloc:
                faults.append(f"{page}: the image {source} is on another host")
    return faults


def _faults_of_link(page: Path, path: Path, href: str, anchors: dict, site: Path) -> list[str]:
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or href == "#":
        return []
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file():
        return [f"{page}: the link {href} leads nowhere"]
    if parts.fragment and target in anchors and unquote(parts.fragment) not in anchors[target]:
        return [f"{page}: the link {href} names an anchor that isn't there"]
    return []


def main(fresh: bool) -> None:
    run_jupyter_book(fresh)
    subset_icons(SITE)
    compress_figures(SITE)
    build_live(SITE)
    pages = pages_of_contents()
    remove_pages_of_former_builds(pages)
    faults = faults_of_contents(pages)
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        faults += faults_of_notebook(notebook)
    faults += faults_of_pages(SITE.resolve())
    if faults:
        sys.exit("The site was built, but:\n" + "\n".join(f"  {fault}" for fault in faults))
    print(f"The site is in {SITE.relative_to(ROOT)}/index.html. Open that file, or run: make serve")


if __name__ == "__main__":
    main(fresh="--fresh" in sys.argv[1:])
