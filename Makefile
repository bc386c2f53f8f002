# Each goal sets up what it needs, once. `make help` lists the goals.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
ifeq ($(PYTHON),)
$(error Python 3.11 or newer is needed. On Debian or Ubuntu: sudo apt install python3 python3-venv)
endif

BIN := .venv/bin
SETUP := @$(PYTHON) tools/setup.py
TSC := NODE_COMPILE_CACHE=.cache/node-compile-cache .cache/node/bin/node tools/typescript/node_modules/typescript/bin/tsc
WEB := mirrord/web
WEB_TSC := NODE_COMPILE_CACHE=.cache/node-compile-cache .cache/node/bin/node $(WEB)/node_modules/typescript/bin/tsc
# The locked Pi and a Node that runs it, before whatever else the machine has.
LOCKED_PI := PATH="$(CURDIR)/tools/pi-1.6.0/node_modules/.bin:$(CURDIR)/.cache/node/bin:$(CURDIR)/$(BIN):$$PATH"
WORKERS = $(shell $(PYTHON) -c 'import os; print(min(8, len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else os.cpu_count() + 1))')
SOURCES := sanitize bridge mirrord tests bench tools
SAY := @printf '==> %s\n'

.DEFAULT_GOAL := help
.PHONY: setup run demo test check bench soak screenshots compatibility lock clean help

setup: ## set up .venv, Node, both Pi generations, TypeScript and the web client
	$(SETUP)

run: ## run Pi in this terminal, mirrored (the locked Pi when you have none)
	$(SETUP) python node pi web
	@$(BIN)/python tools/run.py

demo: ## the real Pi with a scripted model: both sides are played and explained
	$(SETUP) python node pi
	@$(LOCKED_PI) $(BIN)/mirrord demo --headless

check: ## format, lint, types and import rules; changes nothing
	$(SETUP) python node pi typescript web
	$(SAY) 'ruff: format'
	@$(BIN)/ruff format --check $(SOURCES)
	$(SAY) 'ruff: lint'
	@$(BIN)/ruff check $(SOURCES)
	$(SAY) 'mypy'
	@$(BIN)/mypy
	$(SAY) 'import rules'
	@$(BIN)/lint-imports --cache-dir .cache/import_linter
	$(SAY) 'tsc --strict, with the types of Pi 1.6.0'
	@$(TSC) --project tools/typescript/tsconfig.json
	$(SAY) 'tsc --strict, with the types of Pi 0.73.1'
	@$(TSC) --project tools/typescript/tsconfig.pi-0.73.1.json
	$(SAY) 'tsc --strict, the web client'
	@$(WEB_TSC) --project $(WEB)/tsconfig.json
	@$(WEB_TSC) --project $(WEB)/tsconfig.worker.json

test: check ## check, then every test, with the real Pi and a real browser
	$(SETUP) browser xterm programs
	$(SAY) 'node --test, the web client'
	@cd $(WEB) && $(CURDIR)/.cache/node/bin/npm run --silent test
	$(SAY) 'pytest'
	@# One more than there are cores: what waits for Pi and for browsers leaves a core to another.
	@$(BIN)/python -m tools.run_tests -q -n $(WORKERS) -m 'not bench and not soak'

bench: ## measure what we promise about speed and memory
	$(SETUP) python node pi web browser xterm programs
	@$(LOCKED_PI) $(BIN)/python -m bench

soak: export MIRRORD_MODEL_RUNS ?= 1000
soak: export MIRRORD_MODEL_STEPS ?= 100
soak: export MIRRORD_FUZZ_SECONDS ?= 1200
SOAK_ROUNDS ?= 50
soak: ## the tests that run for hours
	$(SETUP) python node pi web browser xterm extensions programs
	@$(PYTHON) tools/setup.py engines || echo 'why is told above: the tests in the browsers that are not there are skipped'
	$(SAY) 'the race between terminal and remotes: $(SOAK_ROUNDS) rounds of $(MIRRORD_MODEL_RUNS) runs of $(MIRRORD_MODEL_STEPS) steps'
	@# A process for each round: hypothesis remembers every run, which is gigabytes for all of them.
	@seq $(SOAK_ROUNDS) | xargs -P 2 -I SEED $(BIN)/pytest -q --timeout 0 --hypothesis-seed=SEED tests/core/test_race_model.py
	@for tool in fuzz autobahn; do \
		$(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes --only-binary :all: -r requirements/$$tool.txt \
			|| echo "requirements/$$tool.txt could not be installed (why is told above): the tests that need it are skipped"; \
	done
	$(SAY) 'tests that are marked soak; atheris has $(MIRRORD_FUZZ_SECONDS) s for each of its targets'
	@$(BIN)/pytest -q -rs -m soak --timeout 1800 || test $$? -eq 5 # 5: there are none

PIP_COMPILE := cd requirements && CUSTOM_COMPILE_COMMAND='make lock' PIP_CONFIG_FILE=/dev/null ../$(BIN)/pip-compile --quiet \
	--generate-hashes --allow-unsafe --no-annotate --no-emit-index-url --no-emit-find-links --strip-extras

screenshots: ## every screen of the web client, light and dark, on a phone and a desktop, into .cache/screenshots
	$(SETUP) python node web browser
	@$(BIN)/python -m tools.screenshots

compatibility: ## look at four versions of Pi, and write docs/compatibility.md
	$(SETUP) python node pi-versions
	@$(BIN)/python -m tools.compatibility

lock: ## resolve the Python locks anew from the default index
	$(SETUP) python
	@$(PIP_COMPILE) --output-file dev.txt ../pyproject.toml dev.in
	@$(PIP_COMPILE) --output-file build.txt build.in
	@$(PIP_COMPILE) --output-file node.txt node.in
	@$(PIP_COMPILE) --output-file fuzz.txt fuzz.in
	@$(PIP_COMPILE) --output-file autobahn.txt autobahn.in

clean: ## remove everything that setup, checks and tests made
	rm -rf .venv .cache .hypothesis dist tools/*/node_modules $(WEB)/node_modules $(WEB)/dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile
