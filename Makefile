# Two commands matter: `make run` shows tocsin at work, `make test` checks it.
# Both set up what they need in .venv on their first run.

SHELL := /bin/sh
BIN := .venv/bin
RUNTIME := .venv/.runtime-installed
SPARK := .venv/.spark-installed
DEV := .venv/.dev-installed
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-spark run kernels test test-all lint format docs bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(DEV) ## Install tocsin and its development tools into .venv
	@echo "Ready. Try 'make run' or 'make test'."

setup-spark: $(SPARK) ## Install Java (where that is possible) and pyspark for the Spark pipeline

ENGINE ?= spark
run: $(if $(filter embedded,$(ENGINE)),$(RUNTIME),$(SPARK)) ## Run the pipeline on Spark and write a report; ENGINE=embedded: without Spark
	@$(BIN)/tocsin demo --engine $(ENGINE) --report build/report.html

kernels: $(DEV) ## Compile the kernels, so that the processes of the tests find them compiled
	@echo "Compiling the kernels, unless that was done (some minutes) ..."
	@$(BIN)/python scripts/compile_kernels.py

test: kernels ## Run the tests (the set that CI runs)
	@echo "Running the tests ..."
	@$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" $(ARGS)

test-all: kernels ## Run all tests, the slow ones and many more random cases included
	@echo "Running all tests; this takes a while ..."
	@TOCSIN_EXHAUSTIVE=1 $(BIN)/python -m pytest -q -n auto --dist worksteal --timeout 7200 $(ARGS)

lint: $(DEV) ## Check style, format, types and the direction of imports
	@echo "Checking style, format, types and imports ..."
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo

format: $(DEV) ## Put the code into its standard form
	@$(BIN)/ruff check --quiet --fix
	@$(BIN)/ruff format --quiet

docs: $(DEV) ## Build the pages into build/site; a broken link is an error
	@echo "Building the pages ..."
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The pages are in build/site/index.html."

bench: $(RUNTIME) ## Run the benchmarks and print their ratios
	@$(BIN)/tocsin bench $(ARGS)

clean: ## Remove .venv and everything that was built
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUNTIME): pyproject.toml
	@sh scripts/make_venv.sh .venv
	@echo "Installing tocsin into .venv ..."
	@$(PIP_INSTALL) -e .
	@touch $@

$(SPARK): pyproject.toml
	@sh scripts/make_venv.sh .venv
	@sh scripts/ensure_java.sh || { echo "Without Java: make run ENGINE=embedded" >&2; exit 3; }
	@echo "Installing tocsin and Spark into .venv (some minutes) ..."
	@$(PIP_INSTALL) -e '.[spark]'
	@touch $(RUNTIME) $@

$(DEV): pyproject.toml
	@sh scripts/make_venv.sh .venv
	@sh scripts/ensure_java.sh
	@echo "Installing tocsin, Spark and the development tools into .venv (some minutes) ..."
	@$(PIP_INSTALL) -e '.[dev,spark]'
	@touch $(RUNTIME) $(SPARK) $@
