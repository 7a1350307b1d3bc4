# The newcomer's commands: `make demo` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: help demo test lint bench docs clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

# Reinstalled whenever the list of dependencies changes.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

demo: $(VENV)/.installed  ## fair against plain spectral clustering on embedded data
	$(BIN)/python -m fairspectral.demo --output demo-output

lint: $(VENV)/.installed  ## style, types, import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## lint, then the whole test suite with coverage
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term --cov-fail-under=95

bench: $(VENV)/.installed  ## solvers side by side at equal quality
	$(BIN)/python benchmarks/solvers.py

docs: $(VENV)/.installed  ## the documentation site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) demo-output example-output site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage*
