# Pull·Push: everything starts from `make help`. Needs only make and Python >= 3.11;
# another Python: make tour PYTHON=python3.12
PYTHON ?= python3
PY := .venv/bin/python
# pytest keeps its rewritten tests beside them: without that each worker rewrites 200 files anew, 8 s of a check.
unexport PYTHONDONTWRITEBYTECODE
# Three workers for two cores, since a test that waits for a kernel or a browser leaves its core idle. One that has
# nothing left takes half of what another still has (tests/conftest.py has the order).
PYTEST := $(PY) -m pytest -q -n 3 --dist worksteal --ignore=tests/oldest

.DEFAULT_GOAL := help
.PHONY: help setup tour lab bundle site check test nightly lint tests oldest oldest-beside test-env badges exercises strip pins results-foundation results-encoders results-sweeps results-repairs results-multiples results-systems results-spans results-poolings results-labels results-probing results-conventions results-leakage results-sizes results-means claims live sphere healed latency frames world bench choices hard-use hard-inputs worked-cases mutants exercise-mutants pretrain lock audit clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make .venv with the tested versions (the other commands do it when needed)
	@$(PYTHON) scripts/setup_env.py --extras notebook

tour: setup ## train a small encoder and watch its sentence space heal, in about a minute
	@$(PY) scripts/tour.py

lab: setup ## open the tour in JupyterLab (this machine only, with a token)
	@$(PY) scripts/lab.py

bundle: setup ## all that a room without a network needs (wheels, repository, START.txt) into build/bundle
	@$(PY) scripts/bundle.py

site: setup ## run every notebook and write the course as pages into build/site (PRESET=laptop for more)
	@$(PY) scripts/build_site.py --preset $(or $(PRESET),smoke)
	@$(PY) scripts/page_stills.py
	@$(PY) scripts/formulas_pdf.py

check: test-env lint ## the short loop, about a minute: lint, format, and the fast tests
	@$(PYTEST) -n 2 -m "not slow and not nightly and not real_data" --ignore=tests/browser $(or $(TESTS),tests)

test: test-env ## lint and every test: units, notebooks, browser, oldest versions (TESTS=tests/losses for some)
	@$(MAKE) --no-print-directory --keep-going -j 2 lint $(if $(TESTS),,oldest-beside) tests

nightly: test-env ## what `make test` samples, whole: all published figures, every hostile input, all lessons in the oldest versions
	@$(PYTEST) -m nightly --junitxml=build/tests/nightly.xml $(or $(TESTS),tests)
	@$(if $(TESTS),,$(MAKE) --no-print-directory oldest MARKED=nightly)

# The parts of `make test`, two at a time. One that fails does not stop the others.
lint:
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

tests:
	@$(PYTEST) -m "not nightly" --junitxml=build/tests/tests.xml $(or $(TESTS),tests)

oldest: # numpy and pandas of that age have no builds for Python 3.13, and compiling them takes half an hour
	@if $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 13))'; then \
		echo "NOT RUN: the oldest versions are built for Python 3.11 and 3.12; name one, as in make oldest PYTHON=python3.11"; \
	else \
		$(PYTHON) scripts/setup_env.py --target .venv-oldest --extras oldest --constraints constraints/oldest.txt --no-compile && \
		.venv-oldest/bin/python -m pytest -q -m "$(or $(MARKED),not nightly)" --junitxml=build/tests/oldest.xml tests/oldest; \
	fi

oldest-beside: # the tests; what it says comes in one piece, when it is done
	@mkdir -p build/tests
	@$(MAKE) --no-print-directory oldest >build/tests/oldest.log 2>&1; ended=$$?; cat build/tests/oldest.log; exit $$ended

test-env:
	@$(PYTHON) scripts/setup_env.py --extras test

badges: ## write the badges and the Colab cell of every notebook anew from pyproject.toml
	@$(PYTHON) scripts/notebook_head.py

exercises: ## write the exercises of kit/course/exercises and the links to the glossary into the notebooks anew
	@$(PY) scripts/notebook_exercises.py
	@$(PY) scripts/notebook_glossary.py

strip: ## take outputs, counts and widget state out of every notebook
	@$(PYTHON) scripts/strip_notebooks.py

pins: test-env ## resolve constraints/ anew (TORCH=2.13.0 names the version of torch)
	@$(PY) scripts/pin_versions.py --torch $(or $(TORCH),$(error say which torch: make pins TORCH=2.13.0))

results-foundation: setup ## train on real NLI (KIT_DATA) and write data/results/foundation.json
	@$(PY) scripts/results_foundation.py
	@$(PY) scripts/render_results.py

choices: setup ## choose settings on pairs that are in no test set (KIT_DATA), write data/results/*choices.json
	@$(PY) scripts/choose_settings.py
	@$(PY) scripts/choose_comparators.py
	@$(PY) scripts/render_results.py

results-encoders: setup ## measure the bundled encoder (KIT_DATA), write data/results/encoders.json and its card
	@$(PY) scripts/results_encoders.py
	@$(PY) scripts/encoder_card.py
	@$(PY) scripts/render_results.py

results-sweeps: setup ## what τ, λ and the batches cost on real NLI (KIT_DATA), data/results/sweeps.json
	@$(PY) scripts/results_sweeps.py
	@$(PY) scripts/render_results.py

results-repairs: setup ## whitening, flow and removed directions on the seven STS tasks (KIT_DATA), data/results/repairs.json
	@$(PY) scripts/results_repairs.py

results-multiples: setup ## fillings, batch sizes, ghosts and duplicates on real NLI (KIT_DATA), data/results/multiples.json
	@$(PY) scripts/results_multiples.py

results-systems: setup ## every recipe on real text (KIT_DATA), data/results/systems.json
	@$(PY) scripts/results_systems.py
	@$(PY) scripts/render_results.py

results-spans: setup ## what each part of DeCLUTR adds on real documents (KIT_DATA), data/results/spans.json
	@$(PY) scripts/results_spans.py

results-poolings: setup ## SimCSE trained and read with three poolings, with and without a head (KIT_DATA), data/results/poolings.json
	@$(PY) scripts/results_poolings.py
	@$(PY) scripts/render_results.py

results-labels: setup ## PAUSE with fewer and fewer labels (KIT_DATA), data/results/labels.json
	@$(PY) scripts/results_labels.py

results-probing: setup ## what training keeps and forgets (KIT_DATA), data/results/probing.json
	@$(PY) scripts/results_probing.py

results-leakage: setup ## scores with and without test sentences that stand in SNLI and MNLI (KIT_DATA), data/results/leakage.json
	@$(PY) scripts/results_leakage.py
	@$(PY) scripts/render_results.py

results-conventions: setup ## what the conventions of STS are worth (KIT_DATA), data/results/conventions.json
	@$(PY) scripts/results_conventions.py

claims: setup ## the papers' claims replicated (KIT_DATA; ONLY=L1 for one, ENCODER=<folder>), data/results/claims.json
	@$(PY) scripts/claims.py $(if $(ONLY),--only $(ONLY)) $(if $(ENCODER),--encoder $(ENCODER))
	@$(PY) scripts/render_results.py

live: setup ## record the runs that stand in where nothing can train live, data/results/live.json
	@$(PY) scripts/record_live.py

world: setup ## draw the rows of the made-up world that lessons ask for, data/world
	@$(PY) scripts/record_world.py

sphere: test-env ## record the trainings of the tour's sphere anew (KIT_DATA=<mirror>), and its pictures
	@$(PY) scripts/record_sphere.py
	@$(PY) scripts/record_sphere.py --made-up
	@$(PY) scripts/render_sphere.py

healed: setup ## train anew the encoder that pages show as healed (KIT_DATA), data/trained
	@$(PY) scripts/heal_encoder.py

latency: test-env ## how fast every slider answers in a real browser, data/results/latency.json
	@$(PY) scripts/latency.py
	@$(PY) scripts/render_results.py

frames: test-env ## how long a frame of the playing sphere takes in a real browser (an idle machine, please)
	@$(PY) scripts/frame_times.py

bench: test-env ## every speed beside its peer (KIT_DATA; ONLY="losses imports" for some; MACHINE=name: beside the usual one), data/results/benchmarks.json
	@$(PY) scripts/bench.py $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick) $(if $(MACHINE),--machine $(MACHINE))

hard-use: setup ## kill, double and damage trainings and count what is lost (strace for some kills), data/results/hard_use.json (minutes)
	@OMP_NUM_THREADS=1 $(PY) scripts/hard_use.py
	@$(PY) scripts/render_results.py

hard-inputs: test-env ## every hostile value and model folder, and what comes of it, data/results/hard_inputs.json (minutes)
	@OMP_NUM_THREADS=1 $(PY) scripts/hard_inputs.py
	@$(PY) scripts/render_results.py

mutants: test-env ## plant small faults in the code and count those that the tests catch, build/mutants.json
	@$(PY) scripts/mutants.py

worked-cases: setup ## three worked cases on data of one's own (KIT_DATA), data/results/worked_cases.json and docs/worked_cases.md
	@$(PY) scripts/worked_cases.py

exercise-mutants: setup ## does the checker refuse small wrong versions of the solutions? data/results/exercise_mutants.json
	@$(PY) scripts/exercise_mutants.py

results-sizes: setup ## other shapes for kit-bert-mini's bytes (KIT_DATA), data/results/sizes.json and its card
	@$(PY) scripts/results_sizes.py
	@$(PY) scripts/encoder_card.py

results-means: setup ## the mean of several runs' weights, and the plane through three (KIT_DATA), data/results/means.json
	@$(PY) scripts/results_means.py
	@$(PY) scripts/encoder_card.py
	@$(PY) scripts/render_results.py

pretrain: setup ## pretrain a compact BERT on the text in KIT_DATA; ARGS="--tokens 140e6 …" as scripts/pretrain.py --help lists
	@$(PY) scripts/pretrain.py $(ARGS)

lock: test-env ## write constraints/newest.lock: the tested versions with the hashes of their files
	@$(PY) scripts/pin_versions.py --lock

audit: test-env ## known vulnerabilities of the tested versions (pip-audit; says so where no database can be reached)
	@$(PY) scripts/audit.py

clean: ## remove environments and everything built (data and notebooks stay)
	rm -rf .venv .venv-oldest build .pytest_cache .ruff_cache
