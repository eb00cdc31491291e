"""Run one notebook from top to bottom, its claims included, and fail where it fails.

For Colab's image, where the outputs are not compared: its libraries are other versions, and what
must hold in any of them is what the claim cells assert.

    python run_in_colab.py NOTEBOOK
"""

from __future__ import annotations

import sys

import nbformat
from nbclient import NotebookClient

if __name__ == "__main__":
    notebook = nbformat.read(sys.argv[1], as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    print("passed")
