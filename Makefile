# drover: every target works from a fresh clone with an empty HOME; only the Go module proxy is needed.
SHELL   := /bin/bash
GO      ?= go
DIR     ?= .
FUZZTIME ?= 5s
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
export GOFLAGS ?= -mod=readonly -tags=sqlite_fts5

# Tests of the screen in which its goroutines meet; the others draw from one, and are minutes under the race detector.
SCREEN_RACE := Delivery|Refused|Cancel|Round|Thin|Quit|Resize

.DEFAULT_GOAL := help
.PHONY: help build run test check bench bench-fanout bench-scale golden fuzz lint clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## write bin/drover
	$(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/drover ./cmd/drover

run: build ## build, then open the screen here (or in DIR=…) on the offline model: no key, no network
	@cd '$(DIR)' && DROVER_MODEL="$${DROVER_MODEL:-offline/rules}" '$(CURDIR)/bin/drover'

test: ## run every test, once
	$(GO) test ./...

check: lint ## all that must hold before a change is kept: lint, race tests, CLI transcripts, the real terminal
	$(GO) test ./ui
	$(GO) test -race -timeout 15m ./ui -run '$(SCREEN_RACE)'
	$(GO) test -race -timeout 15m $$($(GO) list ./... | grep -v '/ui$$')

lint: ## format, vet, staticcheck
	@bad=$$(gofmt -l agents cmd core store themes ui); if [ -n "$$bad" ]; then \
		printf 'not formatted (run gofmt -w):\n%s\n' "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

golden: ## rewrite the golden files and the generated parts of the README, for review in git diff
	$(GO) test ./cmd/drover -run 'README|FromKeyToCells|Report' -update
	@for p in $$(grep -rl --include='*_test.go' 'flag.Bool("update"' core ui agents themes store | xargs -n1 dirname | sort -u); do \
		$(GO) test "./$$p" -update || exit 1; done

bench: ## run the benchmarks, each beside its floor
	$(GO) test ./... -run '^$$' -bench . -benchmem

bench-fanout: ## measure prompt mode against a model server on loopback, a bare HTTP program beside it
	$(GO) test ./cmd/drover -run '^$$' -bench 'Fanout|Cancel|StreamsOnScreen' -benchtime 1x -timeout 10m

bench-scale: ## measure the built screen on 100,000 tasks in a terminal, a minimal one beside it
	$(GO) test ./cmd/drover -run '^$$' -bench Scale -benchtime 1x -timeout 15m

fuzz: ## run every fuzz target for FUZZTIME (5s)
	@set -o pipefail; for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test "$$p" -list '^Fuzz' | grep '^Fuzz'); do \
			echo "$$p $$f"; $(GO) test "$$p" -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) || exit 1; \
		done; done

clean: ## remove what the targets wrote
	rm -rf bin
	$(GO) clean -testcache
