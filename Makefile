# The first `make` of any target makes .venv from the locked requirements; later ones stay offline.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# As in production, with nothing that answers.
PRODUCTION := env -u LONGCASE_DEMO -u LONGCASE_TLS DATABASE_URL=postgresql://longcase@127.0.0.1:1/longcase \
	LONGCASE_SECRET_KEY=b7Q2mZ8xW4nT6vK1pL9sR3yD5gH0jF-for-the-check-alone LONGCASE_HOSTS=longcase.example \
	LONGCASE_MASTER_KEYS=check:Zm9yLXRoZS1jaGVjay1hbG9uZS1mb3ItdGhlLWNoZWM= LONGCASE_ANCHOR_KEYS=$(shell printf "%064d" 7)

.PHONY: up test long check bench client crash campaign fuzz pictures messages format lock help

help:  ## What there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

up: $(READY)  ## Run all of Longcase here: http://localhost:8000, or PORT=...
	@exec $(BIN)/python -m config.up

test: $(READY)  ## Run the tests, on a Postgres of their own
	@$(BIN)/python -m pytest -q -n 3 --dist worksteal $(ARGS)

check: $(READY)  ## Format, lint, types, import contracts, migrations, deployment
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(PRODUCTION) $(BIN)/python -W ignore manage.py makemigrations --check --dry-run
	@$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING

long: $(READY)  ## All tests at full size, also those that take minutes: an hour or more
	@LONGCASE_LONG=1 $(BIN)/python -m pytest -q -n 3 --dist worksteal $(ARGS)

bench: $(READY)  ## Measure
	@$(BIN)/python -m bench $(ARGS)

client: $(READY)  ## Generate the typed Python client of the API: build/longcase-client
	@$(PRODUCTION) $(BIN)/python -W ignore -m tests.client.making build

crash: $(READY)  ## The crash campaign: kill everything at random, then look for losses
	@$(BIN)/python -m crash $(ARGS)

campaign: $(READY)  ## Change the code of each kind under a thousand open cases; walk through each
	@LONGCASE_CAMPAIGN=$(or $(CASES),1000) LONGCASE_WALKS=$(or $(WALKS),100) $(BIN)/python -m pytest \
		-q -n 0 -s tests/change tests/testing/test_walk_kinds.py $(ARGS)

fuzz: $(READY)  ## Send the API whatever its schema allows, for long: CALLS=500 to each address; follow its feed
	@LONGCASE_FUZZ=$(or $(CALLS),300) LONGCASE_FEED_SECONDS=$(or $(FEED),600) $(BIN)/python -m pytest \
		-q -n 2 tests/api/test_schema.py tests/api/test_feed_under_writers.py $(ARGS)

pictures: $(READY)  ## Each screen of a demo as PNG, into build/pictures (needs chromium)
	@$(BIN)/python -m tests.browser.pictures $(ARGS)

messages: $(READY)  ## Bring the words in other languages up to the code, and compile them
	@$(BIN)/python -m config.messages

format: $(READY)  ## Mend what can be mended by machine
	@$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format .

lock: $(READY)  ## Resolve requirements/*.txt anew from pyproject.toml
	@bash requirements/lock

$(READY): requirements/dev.txt requirements/install
	@PYTHON="$(PYTHON)" bash requirements/install
