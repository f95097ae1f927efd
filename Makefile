# The first two commands of a newcomer: `make demo` and `make test`.
#
# Both set up a virtual environment in .venv when it is missing or pyproject.toml has changed, and
# take no set-up time after that. PYTHON names the interpreter to build it with (3.11 or newer).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Python is started hundreds of times here; what it has compiled once it need not compile again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check unit conformance mutate matrix bench format clean

help:
	@echo "make demo    set up, and show the main job on docs/handbook/"
	@echo "make test    set up, and run all checks and tests"
	@echo "make check   formatting, lint, types and architecture alone"
	@echo "make unit    the tests alone"
	@echo "make conformance  put the conformance cases to our own implementation"
	@echo "make mutate  break each rule in turn, and see that a case notices; takes some minutes"
	@echo "make matrix  put the cases to the published tools too, and write docs/who-agrees.md"
	@echo "make bench   measure speed and memory, as ratios; takes some minutes"
	@echo "make format  format the code and mend what lint can mend"
	@echo "make clean   remove everything that was made"

$(READY): pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "memoryfield-kit needs Python 3.11 or newer; set PYTHON=python3.x" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@# An old pip, such as comes with Python 3.11, takes three times as long to choose packages.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/python docs/demo.py

test: $(READY)
	@# Each of the first two needs one core for most of its time; the third begins with the first end.
	@$(MAKE) --jobs=2 check conformance unit

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m memoryfield_spec.tables --check spec/SPEC.md
	$(BIN)/memoryfield conformance lint

# All but s3, which needs a bucket; tests/conformance/test_sources.py has some cases in one.
SOURCES := directory archive archive-deflated http http-archive git

conformance: $(READY)
	$(BIN)/memoryfield conformance run $(SOURCES:%=--source %)

mutate: $(READY)
	$(BIN)/python -m tests.mutation

matrix: $(READY)
	$(BIN)/python docs/matrix.py

# What tests write is kept in memory where there is room for it, and is gone when they have passed.
ROOM := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 2000000 { print "/dev/shm" }')

unit: $(READY)
	PYTEST_DEBUG_TEMPROOT=$(ROOM) $(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		--override-ini tmp_path_retention_policy=failed

bench: $(READY)
	$(BIN)/python benchmarks/validate.py --check
	$(BIN)/python benchmarks/remote.py --check
	$(BIN)/python benchmarks/pins.py --check
	$(BIN)/python benchmarks/index.py
	$(BIN)/python benchmarks/writer.py --check
	$(BIN)/python benchmarks/serve.py --check
	$(BIN)/python benchmarks/stores.py --check
	$(BIN)/python benchmarks/fleet.py --check

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .matrix .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
