# make demo    set up, learn a small language pair, translate, look at the attention
# make test    set up and run all tests
# make check   style and types        make format  put the style right
# make bench   training and runtime benchmarks beside their peers
# make recipes train and measure every recipe (long)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench bench-train bench-runtime recipes clean

help:
	@sed -n 's/^# //p' $(firstword $(MAKEFILE_LIST))

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt 'setuptools>=77' wheel
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		--no-build-isolation -e '.[dev]'
	touch $(READY)

demo: $(READY)
	$(BIN)/seq2see demo --out runs/demo

test: $(READY)
	$(BIN)/python -m pytest

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: bench-train bench-runtime

# DATA: a folder with train.en, train.de, val.en, val.de; G2P: TRAIN.tsv,DEV.tsv
bench-train: $(READY)
	$(BIN)/python bench/train.py --data $(DATA) $(if $(G2P),--g2p $(G2P))

bench-runtime: $(READY)
	$(BIN)/python bench/runtime.py --data $(DATA)

# DATA: a folder with multi30k/ and g2p/ (bench/recipes.py says what they hold)
recipes: $(READY)
	$(BIN)/python bench/recipes.py --data $(DATA)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
