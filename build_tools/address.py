"""Keep every mention of the repository's address and branch equal to those in _config.yml.

    python build_tools/address.py            list the files that differ, and fail if there are any
    python build_tools/address.py --write    put the address there

The address that was written last stands in pyproject.toml, so a link to somebody else's repository
is told from one to ours, and stays as it is.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]

REPOSITORY = re.compile(r'^Repository = "https://github\.com/([\w.-]+/[\w.-]+)"', re.M)

# Forms that name our repository, whatever stands in them: what pip installs, and what launches.
OURS = re.compile(
    r"(?<=git\+https://github\.com/)[\w.-]+/[\w.-]+?(?=\.git\b|[\"'\\\s#@])"
    r"|(?<=colab\.research\.google\.com/github/)[\w.-]+/[\w.-]+"
    r"|(?<=mybinder\.org/v2/gh/)[\w.-]+/[\w.-]+"
)


def own() -> tuple[str, str]:
    """owner/name and branch, from the one place where they are set."""
    repository = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]
    return repository["url"].removeprefix("https://github.com/").strip("/"), repository["branch"]


def written_last() -> str:
    """owner/name, as the files have it until the address is written anew."""
    match = REPOSITORY.search((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if match is None:
        sys.exit('pyproject.toml has no line Repository = "https://github.com/OWNER/NAME": add it')
    return match[1]


def rewrite(text: str, former: str, name: str, branch: str) -> str:
    """The text with every mention of our repository, formerly `former`, as it must be."""
    text = OURS.sub(lambda _: name, text)
    text = re.sub(rf"(?<=github\.com/){re.escape(former)}(?![\w-]|\.(?!git\b)\w)", name, text)
    text = text.replace(pages_site(former), pages_site(name))
    text = re.sub(
        rf"(/{re.escape(name)}/(?:blob|tree|edit|raw)/)[^/\s)\"'\\]+", rf"\g<1>{branch}", text
    )
    # What a push has to be to in order to be tested and published.
    return re.sub(r"^(    branches: )\[[^\]]+\]", rf"\g<1>[{branch}]", text, flags=re.M)


def pages_site(name: str) -> str:
    owner, repository = name.split("/")
    return f"https://{owner.lower()}.github.io/{repository}/"


def places() -> list[Path]:
    """The text files that may hold the address."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    endings = {".md", ".py", ".ipynb", ".toml", ".yml", ".cff", ""}
    paths = [ROOT / name for name in listed if name]
    return [
        path
        for path in paths
        if path.suffix in endings
        and path.is_file()
        and path.relative_to(ROOT).parts[0] != "tests"
        and path.name not in {"address.py", "_config.yml"}
    ]


def differing() -> dict[Path, str]:
    """The files that don't hold the right address, with the text that they should have."""
    former, (name, branch) = written_last(), own()
    texts = {path: path.read_text(encoding="utf-8") for path in places()}
    right = {path: rewrite(text, former, name, branch) for path, text in texts.items()}
    return {path: text for path, text in right.items() if text != texts[path]}


def main(write: bool) -> None:
    name, branch = own()
    wrong = differing()
    names = ", ".join(str(path.relative_to(ROOT)) for path in wrong)
    if wrong and not write:
        sys.exit(f"Another address than {name} ({branch}) stands in {names}: run make address")
    for path, text in wrong.items():
        path.write_text(text, encoding="utf-8")
    print(f"{name} ({branch}): " + (f"written to {names}" if wrong else "the same everywhere"))


if __name__ == "__main__":
    main(write="--write" in sys.argv[1:])
