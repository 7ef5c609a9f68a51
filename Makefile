# SoupKit's commands. `make demo` and `make test` need nothing but a Swift toolchain; CONTRIBUTING.md tells the rest.

# SwiftPM passes the traits of a package to the compiler in the order of a hash table, and compiles Hummingbird and all
# that uses it again whenever two runs have different orders.
SWIFT ?= env SWIFT_DETERMINISTIC_HASHING=1 swift
SWIFT_FORMAT ?= $(SWIFT) format
SOURCES := Package.swift Sources Plugins Tools Tests Samples Benchmarks

# The package traits are off by default, so that apps build neither the command line nor the server. The tests need all of them, the demo
# only the command line. A build with other traits compiles SoupKit's own modules again.
TRAITS ?= --enable-all-traits
DEMO_TRAITS ?= --traits Tools

FUZZ_SECONDS ?= 90
TORTURE ?= 500
TSAN_FILTER ?= 'SoupSyncTests|SoupMemoryTests|EditDuringSync|PushStop|PushFault|DownTargets|SessionTransport|URLSession|LibcurlTransport|BodyPipe|LivePages|Bulk|TwoClients|Lost'
TORTURE_SEED ?= $(shell date +%s)

.PHONY: demo test check availability fuzz torture matrix tsan clients bench docs packages lint format graph imports samples clean

## demo: the whole story against the local org: down, offline edits, up, a conflict, a ghost.
demo: packages
	$(SWIFT) build $(DEMO_TRAITS) --product soup
	@"$$($(SWIFT) build --show-bin-path)/soup" demo

## test: every test of the main package.
test: packages
	$(SWIFT) build $(TRAITS) --build-tests
	SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/test.sh

## check: what CI runs: format, imports, availability, tests, a minute and a half of fuzzing, the clients of others, samples, docs.
# Two platforms here, one with 64-bit and one with 32-bit integers: the standard library has the same versions on all five.
check: PLATFORMS = ios watchos
check: packages lint graph imports availability test fuzz clients samples docs

## availability: type-checks the modules of an app against the deployment targets on Apple platforms, on Linux; all five platforms.
availability: packages
	SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/check-availability.sh $(PLATFORMS)

## fuzz: damaged input for everything that reads text from outside.
fuzz: packages
	SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/fuzz.sh $(FUZZ_SECONDS)

## torture: `soup` killed at 500 random moments, and 500 random histories of two clients, with and without trees; prints the seed, and
## TORTURE_SEED=N repeats it. TORTURE=N makes it longer or shorter. It takes a quarter of an hour.
torture: packages
	$(SWIFT) build $(TRAITS) --build-tests
	SOUPKIT_TORTURE=$(TORTURE) SOUPKIT_TORTURE_SEED=$(TORTURE_SEED) \
		$(SWIFT) test $(TRAITS) --skip-build --no-parallel --filter 'KillMatrixTests|TwoClientsTests'

## matrix: every kind of trouble at every request of every sync, where a usual run takes samples; the counts are printed. In release
## mode, and in two processes, because it has some ten thousand cells; it takes an hour, and the first build half of one.
matrix: packages
	$(SWIFT) build $(TRAITS) -c release -Xswiftc -enable-testing --build-tests
	SOUPKIT_MATRIX=all CONFIGURATION=release SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/test.sh \
		'FaultMatrixTests|DownFaultTests|DamagedResponseTests|EditDuringSyncTests' 'AnswerMatrixTests'

## tsan: the tests of the engine under ThreadSanitizer, in a build of its own; a quarter of an hour.
tsan: packages
	$(SWIFT) build $(TRAITS) --build-tests --sanitize=thread --scratch-path .build/tsan
	TSAN_OPTIONS="suppressions=$(CURDIR)/scripts/tsan.supp" $(SWIFT) test $(TRAITS) --skip-build --sanitize=thread \
		--scratch-path .build/tsan --no-parallel --filter $(TSAN_FILTER)

## clients: simple-salesforce and CumulusCI against the local org; Python and the network for pip, or SKIP_CLIENTS=1.
clients: packages
	$(SWIFT) build $(TRAITS) --product soup
	python3 Tests/StockClients/run.py "$$($(SWIFT) build --show-bin-path)/soup"

## bench: the benchmarks, in release mode, as ratios.
bench: packages
	$(SWIFT) build $(TRAITS) -c release --product soup
	@touch Benchmarks/Package.swift # SwiftPM would not see files that were added to a package it depends on by path.
	$(SWIFT) run -c release --package-path Benchmarks benchmarks $(BENCH_ARGS)

## docs: the documentation of the modules, into .docs.
docs: packages
	SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/docs.sh

## lint: the committed format, and the rules that no tool checks.
lint:
	$(SWIFT_FORMAT) lint --strict --recursive --parallel $(SOURCES)
	scripts/check-rules.sh

## format: puts the sources in the committed format.
format:
	$(SWIFT_FORMAT) --in-place --recursive --parallel $(SOURCES)

## graph: what an app that depends on SoupKit fetches, and that no target has a name of Salesforce Mobile SDK.
graph:
	SWIFT="$(SWIFT)" scripts/check-graph.sh

## imports: every target imports only what it declares.
imports: packages
	$(SWIFT) build $(TRAITS) --build-tests --explicit-target-dependency-import-check error

## samples: builds and runs the samples and compares what they print.
samples: packages
	SWIFT="$(SWIFT)" Samples/run.sh

## packages: the system libraries that are missing (Debian and Ubuntu; nothing on macOS).
packages:
	@scripts/install-packages.sh

clean:
	rm -rf .build .docs Samples/.build Samples/CustomTarget/.build Benchmarks/.build
