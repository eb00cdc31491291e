"""Draw the figure on the first page and in the README from the recorded EWT profiles.

python build_tools/draw_profile.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from whichlayer.plotting import plot_layer_curve
from whichlayer.results import load_ewt_profiles

TARGET = Path(__file__).parents[1] / "book" / "_static" / "profile.png"


def main() -> None:
    ax = None
    for name, profile in load_ewt_profiles().groupby("property", sort=False):
        profile = profile.set_index("layer")
        ax = plot_layer_curve(
            profile["accuracy"],
            interval=profile[["low", "high"]].to_numpy(),
            label=name,
            title="In MiniLM grammar is read best from the middle layers",
            ylabel="accuracy of a linear probe",
            ax=ax,
        )
    ax.figure.savefig(TARGET, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
