# Commands for newcomers: `make demo`, `make studio` and `make test`. Each sets itself up in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := $(wildcard web/studio/*.json web/studio/*.ts web/studio/*.html web/studio/src/*)
MAKEFLAGS += --no-print-directory

.PHONY: demo studio test docs bench package clean

demo: $(VENV)/.installed
	@$(BIN)/dovetail demo
	@echo "To draw, run and plot it in a browser: make studio"

studio: $(VENV)/.installed
	@test -f dovetail-demo/drive.yaml || { mkdir -p dovetail-demo && cp src/dovetail/demo/files/* dovetail-demo; }
	@$(BIN)/dovetail studio --trust dovetail-demo/drive.yaml

test: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

docs: $(VENV)/.installed-dev
	$(BIN)/mkdocs build --strict --site-dir build/site

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/orchestration.py

package: $(VENV)/.installed-dev
	$(BIN)/python release/package.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -m platforms tests/release

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Dovetail needs Python 3.11 or newer; name one that is, as in: make $(firstword $(MAKECMDGOALS)) PYTHON=python3.12" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed: pyproject.toml hatch_build.py web/package-lock.json $(PAGE) $(wildcard native/*.c) | $(BIN)/python
	@echo "Installing Dovetail into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot,studio]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml hatch_build.py web/package-lock.json $(PAGE) $(wildcard native/*.c) | $(BIN)/python
	@echo "Installing Dovetail and its test tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

# Headers count as well.
$(VENV)/.installed $(VENV)/.installed-dev: $(wildcard native/*.h)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
