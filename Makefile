# `make demo` and `make test` are all one needs on a fresh Debian or Ubuntu.

CARGO ?= cargo
CARGO_TARGET_DIR ?= target
BIN = $(CARGO_TARGET_DIR)/debug/castellan
DEMO = datasets/house-game
export CARGO_TARGET_DIR

# The usual build needs AVX2 (.cargo/config.toml); an older processor gets one of its own.
ifeq ($(shell uname -m) $(shell grep -c -m1 -w avx2 /proc/cpuinfo 2>/dev/null),x86_64 0)
export RUSTFLAGS ?= -C target-cpu=native
endif

.PHONY: help setup build demo test test-core test-all lint bench fuzz deb clean

help: ## Lists the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Installs the system packages and the Rust toolchain that are missing.
	@scripts/setup

build: setup ## Builds the program with everything in it.
	$(CARGO) build --locked

demo: build ## Plays the shipped recorded game: in the window where there is a display, else in the terminal.
	@scripts/demo $(BIN) $(DEMO)

test: setup ## Runs the tests (minutes).
	$(CARGO) test --locked --workspace

test-core: setup ## Runs the tests of the pure core alone: rules, records, tables without pictures.
	$(CARGO) test --locked --no-default-features

test-all: setup lint test-core test ## Runs everything: lints, the pure core alone, tests, the training code, the large boards.
	CASTELLAN_LONG_TESTS=1 $(CARGO) test --locked --tests
	python3 models/recogniser/train.py --smoke
	python3 models/figures/train.py --smoke
	python3 models/faces/train.py --smoke
	python3 models/digits/train.py --smoke

lint: setup ## Formatting, clippy of all and of the pure core alone, documentation.
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --workspace --exclude castellan-ui --all-targets -- -D warnings
	$(CARGO) clippy --locked --no-default-features --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --exclude castellan-ui --no-deps

bench: setup ## Measures speed (builds the release profile).
	$(CARGO) bench --locked --workspace

FUZZ_SECONDS ?= 600

fuzz: setup ## Runs each fuzz target for FUZZ_SECONDS (wants cargo-fuzz).
	@scripts/fuzz $(FUZZ_SECONDS)

GENERATED = packaging/generated

deb: setup ## Builds a Debian package in target/debian (wants cargo-deb).
	@$(CARGO) deb --version >/dev/null 2>&1 || { echo "make deb: run 'cargo install cargo-deb --locked' once" >&2; exit 1; }
	$(CARGO) build --locked --release
	rm -rf $(GENERATED) && mkdir -p $(GENERATED)
	$(CARGO_TARGET_DIR)/release/castellan man $(GENERATED)/man
	for shell in bash zsh fish; do $(CARGO_TARGET_DIR)/release/castellan completions $$shell >$(GENERATED)/castellan.$$shell || exit 1; done
	$(CARGO) deb --locked --no-build

clean: ## Removes what was built.
	$(CARGO) clean
