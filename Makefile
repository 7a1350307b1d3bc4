# The newcomer's commands: `make demo` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LINT   := .venv-lint
OLDEST := .venv-oldest
MUTATE := .venv-mutate
GPU    := .venv-gpu
PYTEST  = -m pytest -n auto --dist worksteal

.PHONY: help demo test test-gpu test-oldest test-strict fuzz mutate lint lock audit-packages bench reproduce gallery docs release-check clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

# Environments are made anew whenever their list of packages changes.
$(VENV)/.installed: pyproject.toml benchmarks/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.13 test")'
	PIP_QUIET=1 $(PYTHON) -m venv --clear --upgrade-deps $(VENV)
	$(BIN)/python -m pip install --quiet -e '.[dev]' -e benchmarks
	@touch $@

$(LINT)/.installed: requirements/lint.txt
	PIP_QUIET=1 $(PYTHON) -m venv --clear --upgrade-deps $(LINT)
	$(LINT)/bin/python -m pip install --quiet -r requirements/lint.txt
	@touch $@

$(OLDEST)/.installed: pyproject.toml benchmarks/pyproject.toml scripts/oldest_versions.py
	PIP_QUIET=1 $(PYTHON) -m venv --clear --upgrade-deps $(OLDEST)
	$(OLDEST)/bin/python scripts/oldest_versions.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python -m pip install --quiet -e '.[test]' -e benchmarks -c $(OLDEST)/oldest.txt
	@touch $@

$(MUTATE)/.installed: pyproject.toml benchmarks/pyproject.toml requirements/mutate.txt
	PIP_QUIET=1 $(PYTHON) -m venv --clear --upgrade-deps $(MUTATE)
	$(MUTATE)/bin/python -m pip install --quiet -e '.[test]' -e benchmarks -r requirements/mutate.txt
	@touch $@

$(GPU)/.installed: pyproject.toml benchmarks/pyproject.toml
	PIP_QUIET=1 $(PYTHON) -m venv --clear --upgrade-deps $(GPU)
	$(GPU)/bin/python -m pip install --quiet -e '.[gpu,test]' -e benchmarks
	@touch $@

demo: $(VENV)/.installed  ## fair against plain spectral clustering on embedded data
	$(BIN)/python -m fairspectral.demo --output demo-output

lint: $(LINT)/.installed  ## style, types, import direction, risky calls
	$(LINT)/bin/ruff check .
	$(LINT)/bin/ruff format --check .
	$(LINT)/bin/mypy
	PYTHONPATH=src:benchmarks $(LINT)/bin/lint-imports
	$(LINT)/bin/bandit --quiet --recursive --configfile pyproject.toml src benchmarks/fairspectral_benchmarks

# Lint runs beside the installation, each of which keeps one core busy. The tests run even where
# lint fails, and both are reported.
test:  ## lint and the whole test suite with coverage
	@lint=passed; tests=passed; \
	$(MAKE) --no-print-directory lint > .lint.log 2>&1 & \
	$(MAKE) --no-print-directory $(VENV)/.installed || tests=FAILED; \
	[ $$tests = FAILED ] || \
	  $(BIN)/python $(PYTEST) --cov --cov-report=term --cov-fail-under=95 || tests=FAILED; \
	wait $$! || lint=FAILED; \
	cat .lint.log; \
	echo "lint $$lint, tests $$tests"; \
	[ "$$lint $$tests" = "passed passed" ]

# Without a GPU, the kernels run in Triton's interpreter (tests/conftest.py); a CPU build of torch is
# enough: PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu make test-gpu
test-gpu: $(GPU)/.installed  ## the tests of torch tensors, of the GPU kernel and of `device`
	$(GPU)/bin/python $(PYTEST) $(wildcard tests/test_device.py tests/test_tensor*.py tests/*/test_torch*.py tests/benchmarks/test_gpu*.py)

test-oldest: $(OLDEST)/.installed  ## the test suite with the oldest versions that are declared
	NUMBA_CACHE_DIR=$(CURDIR)/$(OLDEST)/numba $(OLDEST)/bin/python $(PYTEST)

test-strict: $(VENV)/.installed  ## the test suite with every warning an error, also other packages'
	$(BIN)/python $(PYTEST) -W error

fuzz: $(VENV)/.installed  ## thousands of random problems, and signals at random moments
	FAIRSPECTRAL_PROPERTIES=fuzz $(BIN)/python $(PYTEST) tests/properties tests/test_verify.py
	FAIRSPECTRAL_FAULTS=200 $(BIN)/python $(PYTEST) tests/faults/test_signals.py

mutate: $(MUTATE)/.installed  ## do the tests notice small changes to the code of fairness?
	rm -rf mutants
	PYTHONUTF8=1 $(MUTATE)/bin/mutmut run > $(MUTATE)/mutmut.log || (tail -n 30 $(MUTATE)/mutmut.log; false)
	$(MUTATE)/bin/python scripts/mutants.py

lock: $(VENV)/.installed  ## requirements/dev.txt anew: every package of development, with hashes
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --upgrade --quiet --custom-compile-command "make lock" \
	  --output-file requirements/dev.txt

audit-packages: $(VENV)/.installed  ## known vulnerabilities of the locked packages (asks PyPI)
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --strict --requirement requirements/dev.txt --require-hashes --disable-pip
	$(BIN)/pip-audit --strict --requirement requirements/lint.txt --requirement requirements/mutate.txt

bench: $(VENV)/.installed  ## solvers side by side at equal quality
	$(BIN)/python benchmarks/solvers.py

reproduce: $(VENV)/.installed  ## the paper's tables and figures, into reproduction/quick/
	$(BIN)/fairspectral reproduce all

gallery: $(VENV)/.installed  ## the examples' notebooks, pictures and pages anew (needs FAIRSPECTRAL_DATA)
	$(BIN)/python scripts/make_notebooks.py
	$(BIN)/python scripts/make_gallery.py
	$(BIN)/python scripts/draw_method.py

docs: $(VENV)/.installed  ## the documentation site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

release-check: $(VENV)/.installed  ## sdist and wheel into dist/, tried in a bare environment
	$(BIN)/python scripts/release_check.py

clean:  ## remove the environments and everything generated
	rm -rf .venv* mutants build bench-quick reproduction .hypothesis demo-output example-output site dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .lint.log .coverage*
