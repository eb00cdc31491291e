"""Store the site's figures with a palette, which halves what a chapter's first view weighs.

Plots have few colours; 256 of them are enough, and a page may then load all its figures at once, so
that it can be read to its end after the network has gone.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image


def compress_figures(site: Path) -> None:
    """Replace each PNG in the site's _images by one with a palette, where that is smaller."""
    for path in sorted((site / "_images").glob("*.png")):
        with Image.open(path) as image:
            if image.mode == "P":
                continue
            # Figures stand on white in both themes.
            ground = Image.new("RGBA", image.size, "white")
            flat = Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")
        packed = path.with_suffix(".palette")
        flat.quantize(256, dither=Image.Dither.NONE).save(packed, format="PNG", optimize=True)
        if packed.stat().st_size < path.stat().st_size:
            packed.replace(path)
        else:
            packed.unlink()
