# `make learn` and `make test` set themselves up; both are quick again once that is done.
# Where python3 is too old: make learn PYTHON=python3.12

PYTHON ?= python3
JUPYTER_FLAGS ?=
BENCH ?=
JOBS ?= 2

VENV := .venv
JAX ?= recorded
ORACLE := .venv-oracle$(if $(filter newest,$(JAX)),-newest)
CLASSROOM := .venv-classroom
RELEASE := .venv-release
LIBRARIES ?=
REPORTS := .reports
# The files that the book holds to the letter: several imported names share a line.
IN_THE_BOOK := minijax/core minijax/compiler $(addprefix minijax/lax/, reductions/extrema.py \
	indexing/gather_scatter.py custom/derivatives.py custom/checkpoint.py \
	control_flow/conditionals.py control_flow/scan.py outside/debugging.py \
	references/discharge.py) \
	$(addprefix minijax/lax/sharding/, placed_types.py shard_map.py) minijax/export/exported.py \
	tests/examples/forward_laplacian/forward_laplacian.py
# nbval is for the book alone: it takes each process two seconds to import.
PYTEST := $(VENV)/bin/python -m pytest -q -p no:nbval
# mdBook runs tools/preprocessor.py with the first python3 that it finds.
MDBOOK_RUN := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" .site-tools/bin/mdbook
# `make prove`, `make oracle`, `make test-site`.
IN_A_BROWSER := $(addprefix tests/site/, test_browser.py test_explorer.py test_stepper.py test_slides.py)
RUNS_OF_THEIR_OWN := -m "not prove" --ignore=tests/oracle $(addprefix --ignore=,$(IN_A_BROWSER))
NBVAL := $(VENV)/bin/python -m pytest -q notebooks --nbval -p strict_nbval --nbval-current-env --nbval-cell-timeout=120 \
	--nbval-sanitize-with=tests/book/sanitize.cfg -n $(JOBS) --dist loadfile

.PHONY: learn learn-fresh test lint types mirror doctest unit book prove test-other-cpu oracle backends \
	versions numbas libraries bench classroom site slides site-serve test-site release book-sync count clean site-tools env-course \
	env-test env-site env-mpi env-oracle env-classroom env-release short-checks
# One after the other: each takes all the processors that it may. Only the short checks are side by side.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif

# Tests and notebooks start some hundred processes: what one has compiled of a module, the next loads.
unexport PYTHONDONTWRITEBYTECODE

# Read the book, in a copy of your own: work/. Flags for JupyterLab: JUPYTER_FLAGS=--port=9000
learn: env-course
	@$(VENV)/bin/python tools/learn.py $(JUPYTER_FLAGS)

# After the book has moved on: renew in work/ what you have not changed.
learn-fresh: env-course
	@$(VENV)/bin/python tools/working_copy.py --fresh

# Prove it.
test: env-test short-checks unit book

short-checks: env-test
	$(MAKE) SIDE_BY_SIDE=1 -j $(JOBS) --output-sync=target doctest types mirror lint

lint: env-test
	$(VENV)/bin/ruff check
	$(VENV)/bin/isort --check-only --diff $(IN_THE_BOOK)

# The core's annotations hold.
types: env-test
	$(VENV)/bin/python -m mypy

# The notebooks hold the package's files to the letter, and their prose what their pages show; the
# page of JAX's names says which are here.
mirror: env-test
	$(VENV)/bin/python tools/mirror.py check
	$(VENV)/bin/python tools/prose_check.py
	$(VENV)/bin/python tools/names.py check

# The examples in docstrings.
doctest: env-test
	$(PYTEST) --doctest-modules minijax tools exercises/__main__.py exercises/grading \
		--junitxml=$(REPORTS)/doctest.xml

# Unit tests, layering, compositions, golden facts. A worker has tests that follow each other, as
# long as there are some: what a module's tests share is made once. (By groups, xdist's own time goes
# with the square of the number of tests: two minutes.)
unit: env-test
	$(PYTEST) $(RUNS_OF_THEIR_OWN) -n $(JOBS) --dist worksteal --junitxml=$(REPORTS)/unit.xml

# Every task of the exercises tells right from wrong: some hundred made-up hand-ins are graded. And
# what of the grader takes many processes: classes, and submissions that mean harm. Kernels by Numba's
# own door, which is slow, are the direct one's to the bit.
prove: env-mpi
	$(PYTEST) tests/distributed tests/explore tests/exercises tests/compiler tests/profiler tests/tools tests/lax/linalg tests/lax/pallas \
		tests/lax/sharding tests/site/test_preprocessor.py tests/site/test_module_pages.py \
		tests/test_notebooks.py tests/test_reading.py -m prove -n $(JOBS) --dist loadgroup \
		--junitxml=$(REPORTS)/prove.xml

# Every cell of every notebook runs and prints what is stored.
book: env-test
	$(NBVAL) --junitxml=$(REPORTS)/book.xml

# The same as on a CPU with other instructions, which change a float's last digits.
test-other-cpu: env-test
	NPY_DISABLE_CPU_FEATURES=X86_V4 OPENBLAS_CORETYPE=Haswell NUMBA_CPU_NAME=generic \
		$(NBVAL) --junitxml=$(REPORTS)/other-cpu.xml

# Compare with JAX itself, which lives in an environment of its own. With JAX=newest it is the newest
# one there is for the newest Python here, and what it says otherwise is listed, with the reasons.
oracle: env-oracle
	$(ORACLE)/bin/python -m pytest -q tests/oracle -n $(JOBS) --dist worksteal --junitxml=$(REPORTS)/oracle.xml

# Many compiled programs beside interpreted ones, and through both doors of kernels; then the tests
# with programs run on NumPy.
backends: env-test
	COMPILED_PROGRAMS=500 $(PYTEST) tests/compiler/test_compiled_programs.py \
		tests/compiler/test_loop_programs.py -n $(JOBS)
	MINIJAX_JIT_KERNELS=numba $(PYTEST) tests/compiler/test_compiled_programs.py \
		tests/lax/control_flow -n $(JOBS)
	MINIJAX_JIT_BACKEND=numpy $(PYTEST) -m "not prove" --ignore=tests/oracle --ignore=tests/tools \
		--ignore=tests/book --ignore=tests/site -n $(JOBS) --dist worksteal

# The package's tests with the oldest and the newest Python, NumPy, Numba, ... that pyproject.toml
# allows, and that are here. What the engine room calls of llvmlite's may change its name with each
# release of Numba (native/machine_code.py, `unlocked`): those between are tried with kernels alone.
NUMBAS ?= 0.62 0.63 0.64 0.65 0.66 0.67 0.68
versions:
	JOBS=$(JOBS) $(PYTHON) tools/versions.py oldest newest
numbas:
	JOBS=$(JOBS) $(PYTHON) tools/versions.py $(addprefix numba=,$(NUMBAS))

# Libraries written for JAX, installed without it, in an environment of their own: their first examples
# beside JAX's numbers, their own tests, and a table. Some of it: make libraries LIBRARIES="suites optax"
libraries:
	@$(PYTHON) tools/libraries.py $(LIBRARIES)

# minijax's times beside JAX's. More: make bench BENCH="--quick" or BENCH="sizes --svg sizes.svg"
bench: env-oracle
	$(ORACLE)/bin/python -m benchmarks $(BENCH)

# The exercises as a class has them: thirty made-up students are graded, and nbgrader's assignments.
classroom: env-classroom
	$(CLASSROOM)/bin/python -m pytest -q -s tests/classroom/class_of_thirty.py \
		tests/classroom/nbgrader_assignment.py --junitxml=$(REPORTS)/classroom.xml

# The book as a site: build/book/index.html. With an mdBook of your own: make site MDBOOK=/where/it/is
site: env-test site-tools
	$(VENV)/bin/python tools/explorer.py
	$(VENV)/bin/python tools/slides.py
	MDBOOK_LOG=warn $(MDBOOK_RUN) build

# Each chapter's opening and pictures as slides, with speaker's notes: notebooks/slides/05-forward.html
# and so on, to open from the disk. `make site` makes them too.
slides: env-test
	$(VENV)/bin/python tools/slides.py

# Shows the site, at the address it prints, and builds it again when a notebook changes.
site-serve: env-test site-tools
	$(VENV)/bin/python tools/explorer.py
	$(VENV)/bin/python tools/slides.py
	$(MDBOOK_RUN) serve --dest-dir build/served

# Chromium opens the pages of the site and steps through recordings, with the network off.
test-site: env-site site
	$(PYTEST) $(IN_A_BROWSER) -n $(JOBS) --junitxml=$(REPORTS)/site.xml

# Builds an sdist and a wheel into dist/, and tries both as a user has them. It publishes nothing.
release: env-release
	$(RELEASE)/bin/python tools/release.py

# After a change of the package: rewrite the mirrored cells, and run the notebooks.
book-sync: env-test
	$(VENV)/bin/python tools/mirror.py sync
	$(VENV)/bin/python tools/notebooks.py run

# Write down how many tests passed: after `make test`, `make prove`, `make oracle` and, where it
# runs, `make test-site`, when tests were added.
count:
	$(VENV)/bin/python tools/count_tests.py --record --optional site tests/expected-count.txt \
		$(patsubst %,$(REPORTS)/%.xml,doctest unit book prove oracle) $(wildcard $(REPORTS)/site.xml)

clean:
	rm -rf $(VENV) $(ORACLE) $(CLASSROOM) $(RELEASE) .venv-libraries .venv-oracle-newest .venv-oldest .venv-newest .venv-numba-* $(REPORTS) build dist .site-tools notebooks/images notebooks/explore notebooks/search notebooks/slides notebooks/vendor

# The environments. The script says what it installs, and is silent where all is there.
env-course env-test env-site: env-%:
	@$(PYTHON) tools/environment.py $(VENV) $*

# Where MPI can't be installed, tests with several processes are left out.
env-mpi: env-test
	-@$(PYTHON) tools/environment.py $(VENV) mpi

ifeq ($(JAX),newest)
env-oracle:
	$(PYTHON) tools/versions.py oracle
else
env-oracle:
	@$(PYTHON) tools/environment.py $(ORACLE) oracle
endif

env-classroom:
	@$(PYTHON) tools/environment.py $(CLASSROOM) classroom

env-release:
	@$(PYTHON) tools/environment.py $(RELEASE) release

site-tools:
	@$(VENV)/bin/python tools/site_tools.py $(SITE_TOOLS)
