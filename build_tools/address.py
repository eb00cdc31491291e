"""Keep every mention of the repository's address equal to the one in _config.yml.

python build_tools/address.py            list the places that differ, and fail if there are any
python build_tools/address.py --write    put the address there
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]

# The address as a link, as what pip installs from, and as Colab and Binder write it.
MENTION = re.compile(
    r"(?P<before>github\.com/|/github/|mybinder\.org/v2/gh/)(?P<name>[\w.-]+/[\w.-]+?)(?=[/\"'#)\s>]|\.git|$)"
)

# Other people's repositories that the course links to.
FOREIGN = {"UniversalDependencies/UD_English-EWT", "actions/checkout"}


def own_name() -> str:
    """owner/name, from the one place where it is set."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return config["repository"]["url"].removeprefix("https://github.com/").strip("/")


def rewrite(text: str, name: str) -> str:
    def replace(match: re.Match) -> str:
        found = match["name"]
        return match["before"] + (found if found in FOREIGN else name)

    return MENTION.sub(replace, text)


def places() -> list[Path]:
    """The tracked text files that may hold the address."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    endings = {".md", ".py", ".ipynb", ".toml", ".yml", ".cff", ""}
    paths = [ROOT / name for name in tracked if name]
    return [
        p
        for p in paths
        if p.suffix in endings and p.is_file() and "tests" not in p.parts and p.name != "address.py"
    ]


def main(write: bool) -> None:
    name = own_name()
    differing = []
    for path in places():
        text = path.read_text(encoding="utf-8")
        if (right := rewrite(text, name)) != text:
            differing.append(str(path.relative_to(ROOT)))
            if write:
                path.write_text(right, encoding="utf-8")
    if differing and not write:
        sys.exit(f"Another address than {name} stands in {', '.join(differing)}: run make address")
    print(
        f"{name}: " + (f"written to {', '.join(differing)}" if differing else "the same everywhere")
    )


if __name__ == "__main__":
    main(write="--write" in sys.argv[1:])
