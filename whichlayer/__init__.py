"""Which Layer?: the small shared package that every notebook of the course imports.

Data flows one way, one module a step:
bundled, tokenization, audition -> models -> corpora -> extraction -> (combination) -> probing /
similarity -> plotting.
"""

import warnings

# Importing transformers in a notebook without ipywidgets warns about progress bars that the course
# doesn't use; without this, every notebook would begin with that warning.
warnings.filterwarnings("ignore", message="IProgress not found")

__version__ = "0.1.0"
