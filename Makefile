# The main commands are `make run` and `make test`. Each installs its requirements inside this checkout only.
# Needs Python 3.11 to 3.14 (PYTHON=python3.12 selects one) and Node 22 or newer for the stacks.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := web/dist/index.html
PAGE_SOURCES := $(shell find web/src web/public clients/typescript/src -type f) web/index.html web/package.json web/tsconfig.json web/vite.config.ts
# Tests start in the order of tests/conftest.py: the long ones first, then folder by folder.
PYTEST ?= -n auto --dist loadfile --no-loadscope-reorder
API_TOOLS := $(VENV)/api-clients-node/node_modules/.bin
UV_INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes
export UV_LINK_MODE ?= copy
# Most steps of a set-up wait for downloads or use one CPU.
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs=4

.DEFAULT_GOAL := help
.PHONY: help run test set-up-run set-up-test check web-check api-check asyncapi types client sizes page-figures screens pictures bench load kills mutants oldest-boto3 synth witness costs requirements clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  make \1\t/'

run: ## Set up and serve Satchel on 127.0.0.1:8000 (SATCHEL_PORT: another port)
	@$(SIDE_BY_SIDE) set-up-run
	@exec $(BIN)/satchel serve

test: ## Set up, check and test everything (SATCHEL_TEST_EXAMPLES=5000: more of each property)
	@$(SIDE_BY_SIDE) set-up-test
	@$(MAKE) --no-print-directory check
	$(BIN)/pytest $(PYTEST)

set-up-run: $(VENV)/run.stamp $(PAGE)
	@:

set-up-test: $(VENV)/dev.stamp $(VENV)/layers.stamp $(VENV)/published-servers.stamp $(VENV)/published-servers-old.stamp $(VENV)/published-atlas.stamp $(VENV)/published-servers-node.stamp $(VENV)/conformance.stamp $(VENV)/client.stamp $(VENV)/client-node.stamp $(VENV)/api-clients.stamp $(VENV)/api-clients-node.stamp $(VENV)/front-ends.stamp $(PAGE)
	@:

check: $(VENV)/dev.stamp ## Lint, types, imports, requirements and language
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/python -m tests.language
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web-check api-check; fi

web-check: types ## Lint, type and test the web client and the TypeScript client
	npm run --silent lint --workspaces
	npm run --silent types --workspaces
	npm run --silent test --workspaces

api-check: types $(VENV)/api-clients-node.stamp ## Lint the API's OpenAPI and AsyncAPI documents
	$(API_TOOLS)/spectral lint --quiet --fail-severity=hint --ruleset tests/e2e/api_clients/spectral.yaml clients/typescript/openapi.json
	$(API_TOOLS)/spectral lint --quiet --fail-severity=hint --ruleset tests/e2e/api_clients/spectral-events.yaml docs/asyncapi.json
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(API_TOOLS)/redocly lint --max-problems 20 \
	  --config tests/e2e/api_clients/redocly.yaml --format stylish clients/typescript/openapi.json 2>/dev/null

asyncapi: $(VENV)/dev.stamp ## Write the AsyncAPI document of the WebSocket and its events
	@$(BIN)/python -m local.emulator.asyncapi

types: $(VENV)/run.stamp node_modules/.stamp ## Write the API's types for the TypeScript client
	@$(BIN)/python -m local.emulator.openapi >clients/typescript/openapi.json
	@npm run --silent schema -w clients/typescript

client: $(VENV)/dev.stamp ## Write the generated modules of the Python client
	@$(BIN)/python clients/python/generate.py

sizes: $(VENV)/dev.stamp $(PAGE) ## Measure the download sizes of the web client and write them into docs/web.md
	@$(BIN)/python -m tests.bench.page_sizes

page-figures: $(VENV)/dev.stamp $(PAGE) ## Measure the speed and memory of the web client, and write docs/web.md (needs chromium)
	@$(BIN)/python -m tests.e2e.web.figures

screens: $(VENV)/dev.stamp $(PAGE) ## Check 20 screens at 5 widths in both themes; pictures in test-results/web/screens (SCREENS="text or pdf": some)
	$(BIN)/pytest -n 0 -k "$(SCREENS)" tests/e2e/web/test_screens.py

pictures: $(VENV)/dev.stamp $(PAGE) ## Take the README's screenshots of the web client (needs chromium)
	@$(BIN)/python -m tests.e2e.web.screenshots

bench: $(VENV)/dev.stamp ## Measure and write docs/benchmarks.md (BENCH=--peers, --load, --aws: other pages)
	$(BIN)/python -m tests.bench $(BENCH)

load: $(VENV)/dev.stamp ## Send 200 turns of 50 users to a local run, and print their latencies (LOAD=--help: options)
	$(BIN)/python -m tests.bench.load $(LOAD)

kills: $(VENV)/dev.stamp ## Kill the server 100 times while users work, and check that nothing is lost (KILLS="--times 10")
	@$(BIN)/python -m tests.kills $(KILLS)

mutants: $(VENV)/dev.stamp ## Mutate the security-critical modules and run their tests (MUTANTS=--write: into docs/mutants.md)
	@$(BIN)/python -m tests.mutants $(MUTANTS)

oldest-boto3: $(VENV)/oldest-boto3.stamp ## Run the tests of AWS requests with the oldest boto3 that Lambda may have (2 minutes)
	PYTHONPATH=$(VENV)/oldest-boto3 $(BIN)/python -c 'import boto3; print("boto3", boto3.__version__)'
	PYTHONPATH=$(VENV)/oldest-boto3 $(BIN)/pytest $(PYTEST) tests/unit/adapters/test_clients.py tests/integration/aws --ignore tests/integration/aws/test_lambda_functions.py
	PYTHONPATH=$(VENV)/oldest-boto3 $(BIN)/pytest $(PYTEST) tests/integration/models -k bedrock

synth: $(VENV)/dev.stamp $(PAGE) ## Synthesize the stacks into cdk.out and check them with cdk-nag and cfn-lint (CDK="-c name=team")
	rm -f cdk.out/*.template.json
	node_modules/.bin/cdk synth --quiet $(CDK)
	$(BIN)/cfn-lint cdk.out/*.template.json

witness: $(VENV)/dev.stamp $(VENV)/witness.stamp ## Run the commands of docs/deploy.md against an emulator of AWS (20 to 40 minutes)
	SATCHEL_WITNESS_PYTHON=$(VENV)/witness/bin/python $(BIN)/pytest -n 0 -v tests/witness

costs: $(VENV)/run.stamp ## Print the costs when idle and for 1,000 turns (COSTS=--write: into docs/costs.md)
	@$(BIN)/python -m infra.costs $(COSTS)

requirements: $(VENV)/uv.stamp ## Pin the requirements of pyproject.toml again (UPGRADE=--upgrade: the newest versions)
	$(BIN)/python requirements/compile.py $(UPGRADE)

clean: ## Remove the files that the other targets created
	rm -rf $(VENV) node_modules web/dist cdk.out .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/uv.stamp: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 15) else "Satchel needs Python 3.11 to 3.14; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/run.stamp: requirements/run.txt pyproject.toml $(VENV)/uv.stamp
	$(UV_INSTALL) --compile-bytecode -r $<
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt requirements/policy-evaluator.txt requirements/lambda-runtime.txt $(VENV)/run.stamp
	$(UV_INSTALL) -r $<
	$(UV_INSTALL) --no-deps -r requirements/policy-evaluator.txt
	rm -rf $(VENV)/lambda-runtime
	$(UV_INSTALL) --compile-bytecode --target $(VENV)/lambda-runtime -r requirements/lambda-runtime.txt
	@touch $@

# The tests of functions with their real layers then need no package index.
$(VENV)/layers.stamp: $(VENV)/dev.stamp $(wildcard layers/vendor/*.txt layers/node/*.json functions/servers/*/requirements.txt tests/lambda_runtime/servers/*/*)
	$(BIN)/python -m tests.lambda_runtime.layers
	@touch $@

# The official conformance suite of MCP needs Node 22; its own folder has one for Linux, in case the installed one is older.
$(VENV)/conformance.stamp: tests/conformance/package-lock.json tests/conformance/package.json $(VENV)/dev.stamp
	@mkdir -p $(VENV)/conformance && cp $(filter %.json,$^) $(VENV)/conformance
	@if command -v npm >/dev/null; then npm ci --prefix $(VENV)/conformance --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; fi

# Linters of the OpenAPI document, and the generators of the clients that the tests compile and run.
$(VENV)/api-clients-node.stamp: tests/e2e/api_clients/package-lock.json tests/e2e/api_clients/package.json $(VENV)/uv.stamp
	@mkdir -p $(VENV)/api-clients-node && cp $(filter %.json,$^) $(VENV)/api-clients-node
	@if command -v npm >/dev/null; then npm ci --prefix $(VENV)/api-clients-node --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; fi

# Published servers that the tests call unchanged (docs/servers.md). They write no bytecode themselves, and would compile
# all their packages at each start.
$(VENV)/published-servers-node.stamp: tests/e2e/published_servers/package-lock.json tests/e2e/published_servers/package.json $(VENV)/uv.stamp
	@mkdir -p $(VENV)/published-servers-node && cp $(filter %.json,$^) $(VENV)/published-servers-node
	@if command -v npm >/dev/null; then npm ci --prefix $(VENV)/published-servers-node --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; fi

# Published chat clients, which the tests of the bridge use unchanged.
$(VENV)/front-ends.stamp: tests/e2e/bridge/front_ends/package-lock.json tests/e2e/bridge/front_ends/package.json $(VENV)/uv.stamp
	@mkdir -p $(VENV)/front-ends && cp $(filter %.json,$^) $(VENV)/front-ends
	@if command -v npm >/dev/null; then npm ci --prefix $(VENV)/front-ends --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; fi

$(VENV)/published-%.stamp: requirements/published-%.txt $(VENV)/uv.stamp
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/published-$*
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(VENV)/published-$*/bin/python --require-hashes -r $<
	@touch $@

# What a program with the Python client needs. The test installs the client's wheel into it.
$(VENV)/client.stamp: requirements/client.txt $(VENV)/uv.stamp
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/client
	$(BIN)/uv pip install --quiet --python $(VENV)/client/bin/python --require-hashes -r $<
	@touch $@

# What a program with the TypeScript client needs. The test installs the packed client into a copy.
$(VENV)/client-node.stamp: tests/e2e/typescript_client/package-lock.json tests/e2e/typescript_client/package.json $(VENV)/uv.stamp
	@mkdir -p $(VENV)/client-node && cp $(filter %.json,$^) $(VENV)/client-node
	@if command -v npm >/dev/null; then npm ci --prefix $(VENV)/client-node --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; fi

$(VENV)/api-clients.stamp: requirements/api-clients.txt $(VENV)/uv.stamp
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/api-clients
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(VENV)/api-clients/bin/python --require-hashes -r $<
	@touch $@

$(VENV)/witness.stamp: requirements/witness.txt $(VENV)/uv.stamp
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/witness
	$(BIN)/uv pip install --quiet --python $(VENV)/witness/bin/python --require-hashes -r $<
	@touch $@

$(VENV)/oldest-boto3.stamp: requirements/oldest-boto3.txt $(VENV)/dev.stamp
	rm -rf $(VENV)/oldest-boto3
	$(BIN)/uv pip install --quiet --target $(VENV)/oldest-boto3 --require-hashes -r $<
	@touch $@

# Without npm there is no web client and the tests that need Node are skipped. Both targets print a message.
$(PAGE): node_modules/.stamp $(PAGE_SOURCES)
	@if command -v npm >/dev/null; then npm run --silent build -w web; \
	else echo "npm is not installed: the API is served without the web client."; fi

node_modules/.stamp: package-lock.json package.json web/package.json clients/typescript/package.json
	@if command -v npm >/dev/null; then npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm is not installed: the tests of servers for Node will be skipped."; fi
