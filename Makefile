# Every target makes the environment it needs; a machine with Python 3.11 or later is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SWEEPS ?= 400
SEED ?= 7

.DEFAULT_GOAL := help
.PHONY: help run test lint types unit bench clean

help:
	@echo "make run     play the built-in village for $(SWEEPS) sweeps"
	@echo "make test    lint, types, tests and coverage"
	@echo "make bench   the benchmarks, beside their named peers"
	@echo "make clean   remove the environment and what the tools left"

$(VENV)/.run: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.test: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/.run

$(VENV)/.bench: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@ $(VENV)/.test $(VENV)/.run

run: $(VENV)/.run
	$(BIN)/mindot run --sweeps $(SWEEPS) --seed $(SEED)

test: lint types unit

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

unit: $(VENV)/.test
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(VENV)/.bench
	$(BIN)/python -m tests.benchmarks

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
