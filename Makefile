# Which Layer?  Two commands matter: `make book` and `make test`. `make help` lists the others.

# Which Python makes the environment: `PYTHON=python3.12 make book`.
PYTHON ?= python3
# An environment made with another Python is made anew only if one was asked for.
CHOSEN := $(if $(filter environment command,$(firstword $(origin PYTHON))),--this-python)

VENV := .venv
IN := $(VENV)/bin
# Nothing may need the Hugging Face Hub, and a check that it doesn't is worth having on every run.
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
# Set-up compiles nothing, so the first process that imports a module must be able to keep what it has
# compiled: otherwise each of a hundred would compile torch anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
# The steps share an environment and a build folder, and the tests' last line comes last.
.NOTPARALLEL:
.PHONY: help book serve lab test check lint site notebooks unit sync execute exercises release lock address clean set-up-book set-up

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F '\t' '{printf "  make %-11s %s\n", $$1, $$2}'

# Each checks for itself whether its lock has changed since it last ran, and does nothing if not.
set-up-book:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { echo "There is no '$(PYTHON)' here: install Python 3.10 to 3.13, or name one: PYTHON=python3.12 make book" >&2; exit 1; }
	@"$(PYTHON)" build_tools/bootstrap.py "$(VENV)" book $(CHOSEN)

set-up:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { echo "There is no '$(PYTHON)' here: install Python 3.10 to 3.13, or name one: PYTHON=python3.12 make test" >&2; exit 1; }
	@"$(PYTHON)" build_tools/bootstrap.py "$(VENV)" all $(CHOSEN)

book: set-up-book  ## build the site (no torch needed) and say where it is
	@"$(IN)/python" build_tools/build_site.py

serve: book  ## build the site and open it on localhost
	@echo "http://localhost:8000 (stop with Ctrl-C)"
	@"$(IN)/python" -m http.server 8000 --bind 127.0.0.1 --directory _build/html

lab: set-up  ## open the notebooks in JupyterLab
	@"$(IN)/python" -m pip install --quiet --constraint requirements.lock jupyterlab
	@"$(IN)/jupyter" lab --notebook-dir notebooks

test: set-up lint site  ## check everything
	@"$(IN)/python" build_tools/check_notebooks.py --and-tests

check: set-up lint  ## check what your changes could have broken, in about two minutes
	@"$(IN)/python" build_tools/check_changes.py

lint: set-up  ## check the code's form
	@"$(IN)/ruff" check .
	@"$(IN)/ruff" format --check .

site: set-up  ## build the site, failing on any warning, dead link or missing output
	@"$(IN)/python" build_tools/build_site.py --fresh

notebooks: set-up  ## run every notebook alone in an empty folder and compare its outputs
	@"$(IN)/python" build_tools/check_notebooks.py

unit: set-up  ## run the unit tests, the tests of the notebook files, of the site and of the project
	@OMP_NUM_THREADS=1 "$(IN)/python" -m pytest --quiet -p build_tools.longest_first --numprocesses 2 --dist loadscope

sync: set-up  ## bring each notebook and its text twin to the newer one's state
	@"$(IN)/jupytext" --sync notebooks/*.py

execute: set-up  ## run the notebooks and store their outputs: make execute [ONLY=04_probing_code]
	@"$(IN)/python" build_tools/execute_notebooks.py $(ONLY)

exercises: set-up  ## write the exercises' notebooks from their sources: make exercises [ONLY=02_extracting_hidden_states]
	@"$(IN)/python" build_tools/make_exercises.py $(ONLY)

release: set-up  ## write nbgrader's course, with hidden tests, into _build/nbgrader
	@"$(IN)/python" -m whichlayer_grading release --out _build/nbgrader

lock: set-up  ## resolve the dependencies anew and write both lock files
	@"$(IN)/python" -m pip install --quiet uv
	@"$(IN)/python" build_tools/lock.py

address: set-up-book  ## write the repository's address from _config.yml everywhere it is needed
	@"$(IN)/python" build_tools/address.py --write

clean:  ## remove the environment and everything that was built
	rm -rf "$(VENV)" _build build dist *.egg-info grading/build grading/dist grading/*.egg-info
