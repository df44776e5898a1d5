# `make run` sees a push go out; `make test` runs every test. Both install what is missing first (Debian: with apt).

.PHONY: help setup build run test lint format bench clean

# One binary that needs no Swift runtime on the machine it is copied to.
RELEASE = -c release --static-swift-stdlib

help:
	@echo "make run      install what is missing, build, start everything: a server with a demo tenant, and lines to try"
	@echo "make test     install what is missing, run every test"
	@echo "make build    the release binary: .build/release/rouse"
	@echo "make lint     check the format of the source"
	@echo "make format   repair the format of the source"
	@echo "make bench    measure: the whole path and the sender alone, beside references of the same run"
	@echo "make setup    only install what is missing"
	@echo "make clean    remove what was built"

setup:
	@.ci/setup

build: setup
	swift build $(RELEASE) --product rouse

# The server takes the place of the recipe's shell, so that Ctrl-C and SIGTERM reach it; it stops all it started.
run: build
	@exec .build/release/rouse dev

test: setup
	@.ci/test

lint:
	@.ci/lint

format:
	swift format --in-place --parallel --recursive Package.swift Plugins Sources Tests $(wildcard loadtest)

bench:
	@.ci/setup h2load=nghttp2-client
	swift build $(RELEASE) --product rouse
	swift build $(RELEASE) --product rouse-loadtest
	@.build/release/rouse-loadtest p2a
	@.build/release/rouse-loadtest p1

clean:
	swift package clean
