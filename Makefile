# `make learn` and `make test` set themselves up; both are quick again once that is done.

PYTHON ?= python3
JUPYTER_FLAGS ?=
JOBS ?= 2

VENV := .venv
ORACLE := .venv-oracle
REPORTS := .reports
PINS := pyproject.toml constraints.txt
PYTEST := $(VENV)/bin/python -m pytest -q
NBVAL := $(PYTEST) notebooks --nbval --nbval-current-env --nbval-cell-timeout=120 \
	--nbval-sanitize-with=notebooks/sanitize.cfg -n $(JOBS) --dist loadfile

.PHONY: learn test lint types mirror doctest unit book test-other-cpu oracle bench book-sync count \
	clean
.NOTPARALLEL:

# Read the book. For a machine without a screen: make learn JUPYTER_FLAGS=--no-browser
learn: $(VENV)/.course
	$(VENV)/bin/jupyter lab --ServerApp.root_dir='$(CURDIR)' $(JUPYTER_FLAGS) notebooks/00-tour.ipynb

# Prove it.
test: lint types mirror doctest unit book

lint: $(VENV)/.test
	$(VENV)/bin/ruff check
	$(VENV)/bin/isort --check-only --diff minijax/core

# The core's annotations hold.
types: $(VENV)/.test
	$(VENV)/bin/python -m mypy

# The notebooks hold the package's files to the letter.
mirror: $(VENV)/.test
	$(VENV)/bin/python tools/mirror.py check

# The examples in docstrings.
doctest: $(VENV)/.test
	$(PYTEST) --doctest-modules minijax tools --junitxml=$(REPORTS)/doctest.xml

# Unit tests, layering, compositions, golden facts.
unit: $(VENV)/.test
	$(PYTEST) --ignore=tests/oracle -n $(JOBS) --dist loadgroup --junitxml=$(REPORTS)/unit.xml

# Every cell of every notebook runs and prints what is stored.
book: $(VENV)/.test
	$(NBVAL) --junitxml=$(REPORTS)/book.xml

# The same as on a CPU with other instructions, which change a float's last digits.
test-other-cpu: $(VENV)/.test
	NPY_DISABLE_CPU_FEATURES=X86_V4 OPENBLAS_CORETYPE=Haswell \
		$(NBVAL) --junitxml=$(REPORTS)/other-cpu.xml

# Compare with JAX itself, which lives in an environment of its own.
oracle: $(ORACLE)/.oracle
	$(ORACLE)/bin/python -m pytest -q tests/oracle --junitxml=$(REPORTS)/oracle.xml

bench: $(ORACLE)/.oracle
	$(ORACLE)/bin/python benchmarks/run.py

# After a change of the package: rewrite the mirrored cells, and run the notebooks.
book-sync: $(VENV)/.test
	$(VENV)/bin/python tools/mirror.py sync
	$(VENV)/bin/python tools/notebooks.py run

# Write down how many tests passed: after `make test` and `make oracle`, when tests were added.
count:
	$(VENV)/bin/python tools/count_tests.py --record tests/expected-count.txt \
		$(patsubst %,$(REPORTS)/%.xml,doctest unit book oracle)

clean:
	rm -rf $(VENV) $(ORACLE) $(REPORTS) build

# A stamp is as new as the last install; $(1) is the environment, $(2) the extra.
define install
	test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install -q -c constraints.txt -e '.[$(2)]'
	touch $@
endef

$(VENV)/.course: $(PINS)
	$(call install,$(VENV),course)

$(VENV)/.test: $(PINS)
	$(call install,$(VENV),test)

$(ORACLE)/.oracle: $(PINS)
	$(call install,$(ORACLE),oracle)
