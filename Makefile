# Every path here is relative: the folder may have spaces in its name.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test lint types layers tests bench install install-dev client venv compile lock clean
MAKEFLAGS += --no-print-directory

PY := .venv/bin/python
WORKERS ?= 2
CLIENT := .e2e/node_modules/.bin/claude

# Some shells export HOST as the machine's name: from the environment only a host of ours counts.
ifneq ($(origin HOST),command line)
HOST := $(if $(filter rehearsal claude,$(HOST)),$(HOST),rehearsal)
endif

# Words for a shell line; a $(MAKE) there would run under `make -n` too.
say_skipped = printf '%s\n' '' '!!! SKIPPED: every end-to-end test with the real Claude Code client.' \
  '!!! Why: there is no npm here, and the client comes from the npm registry.' \
  '!!! So: install Node.js 18 or later with npm (Debian: apt-get install nodejs npm), then make test.' '' >&2

help: ## this list
	@printf '%s\n' 'make run [HOST=claude]   set up, then the follow-up batch of the sample users (no model needed)' \
	  'make test                lint, types, layers, all tests, the real client too where Node.js is' \
	  'make bench               the tables of speed and memory' \
	  'make lint                ruff, mypy and the layers alone' \
	  'make install             .venv with the pinned packages, modules compiled' \
	  'make lock                write requirements/*.txt anew from requirements/*.in (needs uv)' \
	  'make clean               remove what make built; research data stays'

run: install ## the main job on the sample data
	@echo 'mindloop: the sample workspace'
	@env -u MINDLOOP_ROOT $(PY) core/scripts/init.py --sample
	@echo 'mindloop: follow-up of every sample user, host: $(HOST)'
	@env -u MINDLOOP_ROOT $(PY) core/scripts/drive.py follow-up --host '$(HOST)'
	@printf '%s\n' '' 'What next:' \
	  '  read the batch                       the file named above, in grimoires/observer/follow-ups/' \
	  '  with a model, in a conversation      open Claude Code in this folder and type /follow-up' \
	  '  with a model, without one            make run HOST=claude' \
	  '  check every quote (some fail here, so that you see it)   core/scripts/provenance.py verify' \
	  '  your own research                    core/scripts/init.py --root ~/research' \
	  '  all tests                            make test'

test: ## everything that must hold
	@$(MAKE) install-dev
	@$(MAKE) client
	@$(MAKE) lint
	@$(MAKE) tests

lint: install-dev ## style, types, layers
	@echo 'mindloop: ruff'
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet . || { echo 'mindloop: format with: .venv/bin/python -m ruff format .' >&2; exit 1; }
	@echo 'mindloop: mypy --strict'
	@$(PY) -m mypy
	@echo 'mindloop: layers'
	@PYTHONPATH=core $(PY) -c 'from importlinter.cli import lint_imports_command as main; main()'

tests: install-dev
	@echo 'mindloop: tests'
	@code=0; $(PY) -m pytest -n $(WORKERS) --dist worksteal $(PYTEST) || code=$$?; \
	  if [ ! -x '$(CLIENT)' ] && [ -z "$$MINDLOOP_CLIENT" ]; then $(say_skipped); fi; exit $$code

bench: install-dev ## speed and memory
	@$(PY) tests/bench/bench.py

install: .venv/.runtime compile ## what mindloop needs to run

install-dev: .venv/.dev compile

venv:
	@command -v python3 >/dev/null || { echo 'mindloop: python3 is missing. Debian: apt-get install python3 python3-venv' >&2; exit 1; }
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "mindloop: needs Python 3.11 or later, found $$(python3 --version 2>&1)" >&2; exit 1; }
	@$(PY) -c 'import pip' 2>/dev/null || { \
	  python3 -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo 'mindloop: Python has no ensurepip, so it cannot make .venv. Debian: apt-get install python3-venv' >&2; exit 1; }; \
	  echo 'mindloop: making .venv'; python3 -m venv --clear .venv; }

# At a terminal pip shows its bar; in a pipe one line says what happens.
define pip_install
@echo 'mindloop: installing the pinned packages of requirements/$(1).txt'
@if [ -t 1 ]; then how='--progress-bar=on'; else how='--progress-bar=off -qq'; fi; \
  $(PY) -m pip install --disable-pip-version-check --no-input --require-hashes $$how -r requirements/$(1).txt || \
  { echo 'mindloop: the packages could not be installed (see above); is the package registry reachable?' >&2; exit 1; }
@touch .venv/.$(1)
@echo 'mindloop: installed'
endef

.venv/.runtime: requirements/runtime.txt | venv
	$(call pip_install,runtime)

.venv/.dev: requirements/dev.txt | venv
	$(call pip_install,dev)
	@touch .venv/.runtime

# Asked for by name: PYTHONDONTWRITEBYTECODE keeps Python from compiling on import, and each command would pay for it.
compile: | venv
	@$(PY) -m compileall -q core/mindloop

client:
	@if command -v npm >/dev/null; then $(MAKE) .e2e/.installed; else $(say_skipped); fi

.e2e/.installed: e2e/package.json e2e/package-lock.json
	@echo 'mindloop: installing the pinned Claude Code client into .e2e (about 250 MB)'
	@mkdir -p .e2e
	@cp e2e/package.json e2e/package-lock.json .e2e/
	@cd .e2e && npm ci --no-audit --no-fund --loglevel=error
	@'$(CLIENT)' --version
	@touch $@

lock:
	@command -v uv >/dev/null || { echo 'mindloop: needs uv (pip install uv)' >&2; exit 1; }
	@for name in runtime dev; do (cd requirements && uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' $$name.in -o $$name.txt) || exit 1; done

clean: ## what make built
	rm -rf .venv .e2e .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find core tests -name __pycache__ -type d -prune -exec rm -rf {} +
