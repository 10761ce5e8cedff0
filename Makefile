# The house's front door. `make` alone lists what there is; each target prepares what it needs.
# POSIX sh and GNU make 3.81 or newer (the one on macOS) are enough.

ARGS   ?=
EXTRAS ?= notebooks,kind,server,sweep,teaching,dev
JOBS   ?= 2

BIN    := .venv/bin
PY     := $(BIN)/python
comma  := ,
STAMP  := .venv/.installed-$(subst $(comma),-,$(EXTRAS))
# uv makes this environment in 14 s where pip takes 132 s (empty caches, two cores). It does not read pip's settings
# (a company's mirror, say), so pip, which does, is the second try.
WHAT   := -c requirements.lock -e '.[$(EXTRAS)]'
INSTALL = { $(PY) -m pip install --quiet --disable-pip-version-check -c requirements.lock uv \
	    && $(BIN)/uv pip install --quiet --python $(PY) $(WHAT); } \
	  || { echo 'uv did not manage; pip tries (two minutes)' >&2; \
	       $(PY) -m pip install --disable-pip-version-check $(WHAT); }
SAY    := @printf '\033[1m==> %s\033[0m\n'

# Hundreds of processes start in a test run. Where this variable is set, each would compile all its modules anew.
export PYTHONDONTWRITEBYTECODE =
# Tools that a target starts by bare name (jupyter, alembic) are the environment's own.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# In a container one is often root, where Jupyter wants to be told that this is meant.
ROOTED := $(shell [ "$$(id -u)" != 0 ] || echo --allow-root)
# JupyterLab reads the project's few settings here, beside the learner's own.
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter

.DEFAULT_GOAL := help
.PHONY: help lab test test-kind demo env lint lock bench clean

help: ## list the targets
	@printf 'karmadalab: make TARGET\n\n'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "%-11s %s\n", $$1, $$2}'

lab: $(STAMP) ## open JupyterLab at the first notebook (ARGS=--no-browser prints the address)
	$(SAY) 'JupyterLab: Ctrl-C twice stops it'
	@$(BIN)/jupyter lab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks/00_a_cluster_dies.ipynb $(ROOTED) $(ARGS)

test: lint ## every check and every test (ARGS goes to pytest)
	$(SAY) 'pytest'
	@$(PY) -m pytest -n $(JOBS) --dist worksteal $(ARGS)

test-kind: $(STAMP) ## the tests on real clusters (needs Docker and kind; half an hour)
	@$(BIN)/karmadalab doctor || true
	$(SAY) 'pytest -m kind'
	@$(PY) -m pytest -m kind -s $(ARGS)

demo: $(STAMP) ## a cluster fails over: a timeline here, and an HTML page
	@mkdir -p build
	@$(BIN)/karmadalab run environments/failover.yaml $(ARGS)
	@$(BIN)/karmadalab run environments/failover.yaml --format html -o build/failover.html
	$(SAY) 'the same as a page: $(CURDIR)/build/failover.html'

env: $(STAMP) ## make the environment (.venv) from requirements.lock

# Keyed on the files that say what is in it: an unchanged environment costs nothing.
$(STAMP): pyproject.toml requirements.lock
	@set -e; \
	if [ ! -x $(PY) ]; then \
	  found=; \
	  for p in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$p; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "karmadalab needs Python 3.11 or newer; this machine's python3 is: $$(python3 --version 2>&1)" >&2; \
	    echo "Install a newer one, or name it: make env PYTHON=/path/to/python3" >&2; \
	    exit 1; \
	  fi; \
	  printf '\033[1m==> %s\033[0m\n' "a new environment in .venv with $$("$$found" --version)"; \
	  "$$found" -m venv .venv || { echo "No venv module? On Debian and Ubuntu: apt install python3-venv" >&2; rm -rf .venv; exit 1; }; \
	fi
	$(SAY) 'installing the versions in requirements.lock'
	@$(INSTALL)
	@touch $@

lint: $(STAMP) ## ruff, mypy --strict, import contracts
	$(SAY) 'ruff'
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	$(SAY) 'mypy'
	@$(BIN)/mypy
	$(SAY) 'import contracts'
	@$(BIN)/lint-imports

lock: $(STAMP) ## choose the newest allowed versions anew and write requirements.lock
	$(SAY) 'requirements.lock'
	@$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras --upgrade --quiet \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock
	@echo "$$(grep -c == requirements.lock) versions; now: make test"

bench: $(STAMP) ## measure the engine against heapq and SimPy
	@$(PY) benchmarks/engine.py $(ARGS)

clean: ## remove everything that make made
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
