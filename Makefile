# perfhouse. `make help` lists the targets.
SHELL := /bin/sh
.DEFAULT_GOAL := help

BIN := .venv/bin
SERVE ?= 1
PYTEST_ARGS ?=

include scripts/quiet.env
export $(shell sed -n 's/^\([A-Z_]*\)=.*/\1/p' scripts/quiet.env)
unexport PYTHONDONTWRITEBYTECODE # or every command would compile perfhouse again

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 16

# --- environment ---------------------------------------------------------------------------

.PHONY: setup
setup: .venv/.ready ## make .venv from the locked requirements and install perfhouse in it

# Out of date, too, if its Python is gone or is not the one that PYTHON names.
serves = $(if $(shell PYTHON="$(PYTHON)" sh scripts/python.sh $1 2>/dev/null && echo yes),,always)
always:

.venv/.ready: requirements.txt pyproject.toml scripts/setup.sh $(call serves,.venv)
	@sh scripts/setup.sh
	@touch $@

EXTRAS := $(shell sed -n '/^\[project.optional/,/^\[project.scripts/s/^\([a-z-]*\) = .*/\1/p' pyproject.toml)
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	$(if $(UPGRADE),--upgrade) --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock"

.PHONY: lock
lock: .venv/.ready ## resolve pyproject.toml into requirements*.txt, with hashes (UPGRADE=1: newest versions)
	$(LOCK) pyproject.toml $(patsubst %,--extra %,$(filter-out cluster,$(EXTRAS))) --group dev -o requirements.txt
	$(LOCK) pyproject.toml --all-extras -c requirements.txt -o requirements-cluster.txt
	$(LOCK) --group site -o requirements-site.txt

.PHONY: chromium
chromium: ## install Chromium for the browser tests, if it is missing
	@sh scripts/install-chromium.sh

# --- the product ---------------------------------------------------------------------------

PUBLISHED = $(BIN)/python -c 'from app.pipeline.places import *; print(default_warehouse().file)'

.PHONY: run
run: .venv/.ready ## run the whole pipeline, then serve what is published (SERVE=0: stop before)
	@$(BIN)/perfhouse run || status=$$?; \
	    [ $(SERVE) = 0 ] || [ $${status:-0} -gt 2 ] || [ ! -e "$$($(PUBLISHED))" ] \
	    || exec $(BIN)/perfhouse dashboard; exit $${status:-0}

.PHONY: docs
docs: .venv/.ready ## build dbt's documentation, then serve it with the lineage (SERVE=0, DOCS_PORT=8081)
	@SERVE=$(SERVE) exec sh scripts/dbt_docs.sh

.venv-site/.ready: .venv/.ready requirements-site.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-site
	@[ ! -e /etc/ssl/certs/ca-certificates.crt ] || export UV_SYSTEM_CERTS=true; \
	    $(BIN)/uv pip sync --quiet --require-hashes --python .venv-site/bin/python requirements-site.txt
	@touch $@

.PHONY: site
site: .venv-site/.ready ## the documentation as a web site in build/html, with commands, columns and the Python API
	@$(BIN)/python -m scripts.site build/site
	@.venv-site/bin/zensical build --strict

.PHONY: airflow
airflow: .venv/.ready ## run Airflow with the project's DAGs; Ctrl-C stops it
	@exec sh scripts/airflow.sh

.PHONY: calibrate
calibrate: .venv/.ready ## fit the models to the published figures and report their errors (FAMILY=)
	@$(BIN)/python -m models_sim.calibration $(if $(FAMILY),--family $(FAMILY))

# --- checks --------------------------------------------------------------------------------

SQL := dbt/models dbt/tests

.PHONY: lint
lint: style ## formatting, lint, types, import rules
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target types imports

.PHONY: style
style: .venv/.ready ## formatting and lint, without types and imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/sqlfmt --check --quiet --no-progressbar $(SQL)

.PHONY: types
types: ## types, without the rest of lint
	$(BIN)/mypy

.PHONY: imports
imports: ## import rules, without the rest of lint
	$(BIN)/lint-imports --no-logo

# Tests wait for the disk where they make sure that files are on it: in memory, if there is room.
ROOM := $(shell [ -d /dev/shm ] && df --output=avail /dev/shm | tail -1)
MEMORY := $(shell awk '/^MemAvailable/ {print $$2}' /proc/meminfo 2>/dev/null)
PYTEST = $(shell [ 0$(ROOM) -gt 8000000 ] && [ 0$(MEMORY) -gt 12000000 ] && echo TMPDIR=/dev/shm) \
    $(BIN)/pytest -n 2 --dist worksteal $(PYTEST_ARGS)
DAILY := tests/unit tests/marts tests/steps tests/system/browser/test_round.py

.PHONY: check
check: style ## lint and the tests that build nothing (three minutes)
	@$(MAKE) --no-print-directory --jobs=3 types imports unit-tests

.PHONY: test
test: style chromium ## everything that must pass: lint, types and the tests of every day
	@$(MAKE) --no-print-directory --jobs=3 types imports tests

.PHONY: test-all
test-all: style chromium ## the same with all tests: kills, packages, servers, campaigns, a cluster
	@$(MAKE) --no-print-directory --jobs=3 types imports all-tests
	@$(MAKE) --no-print-directory cluster

.PHONY: unit-tests
unit-tests: ## the tests of make check, without lint
	$(PYTEST) tests/unit

.PHONY: tests
tests: ## the tests of make test, without lint
	$(PYTEST) $(DAILY)

.PHONY: all-tests
all-tests: ## the tests of make test-all, without lint
	$(PYTEST) tests

.PHONY: format
format: .venv/.ready ## put Python and the SQL of dbt into the layout that lint wants
	$(BIN)/ruff format .
	$(BIN)/sqlfmt --quiet --no-progressbar $(SQL)

.PHONY: audit
audit: .venv/.ready ## known vulnerabilities of the locked packages, and newer versions of them
	@$(BIN)/python scripts/audit.py

.venv-cluster/.ready: requirements.txt requirements-cluster.txt pyproject.toml scripts/setup.sh \
    $(call serves,.venv-cluster)
	@sh scripts/setup.sh .venv-cluster requirements.txt requirements-cluster.txt
	@touch $@

.PHONY: cluster
cluster: .venv-cluster/.ready ## an estate on PostgreSQL, Redis and Celery workers, compared with one machine (WORKERS=2)
	@sh scripts/install-cluster.sh
	@exec .venv-cluster/bin/python -m tests.cluster $(if $(WORKERS),--workers $(WORKERS))

.PHONY: cluster-faults
cluster-faults: .venv-cluster/.ready ## the same while a worker, PostgreSQL, the object store and Redis are lost
	@sh scripts/install-cluster.sh
	@exec .venv-cluster/bin/python -m tests.cluster --faults

.PHONY: test-duckdb2
test-duckdb2: .venv/.ready ## say which tests would fail on the newest DuckDB
	@$(BIN)/python scripts/newest_duckdb.py

.PHONY: bench
bench: .venv/.ready ## speed, memory and damaged-file benchmarks
	$(BIN)/python -m tests.bench

.PHONY: bench-faults
bench-faults: .venv/.ready ## kills, full disks and damaged files: what is lost, doubled or stuck (QUICK=1)
	$(BIN)/python -m tests.bench faults fuzz $(if $(QUICK),--quick)

.PHONY: bench-week
bench-week: .venv/.ready ## a week of nights under Airflow, with a killed scheduler and a full disk
	$(BIN)/python -m tests.bench week

.PHONY: bench-detector
bench-detector: .venv/.ready ## how well level shifts are found, beside other methods
	$(BIN)/python -m tests.bench detector

.PHONY: clean
clean: ## remove what the tools made; .venv and data/ stay
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist \
	    dbt/target dbt/logs logs target
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
