# SoupKit's commands. `make demo` and `make test` need only a Swift toolchain; CONTRIBUTING.md describes the others.

# SwiftPM passes the traits of a package to the compiler in the order of a hash table. Without this variable, a run with another
# order compiles Hummingbird and its dependents again.
SWIFT ?= env SWIFT_DETERMINISTIC_HASHING=1 swift
SWIFT_FORMAT ?= $(SWIFT) format
SOURCES := Package.swift Sources Plugins Tools Tests Samples Benchmarks

# The package traits are off by default, so that apps build neither the command line nor the server. The tests need all traits, the
# demo only the command line. A build with other traits compiles SoupKit's own modules again.
TRAITS ?= --enable-all-traits
# More options of `swift build`, also for the packages that the scripts build. Other options can compile everything again.
export SOUPKIT_BUILD_OPTIONS ?=
# Not from the environment, where other tools use this name.
BUILD = $(SWIFT) build $(TRAITS) $(SOUPKIT_BUILD_OPTIONS)
DEMO_TRAITS ?= --traits Tools

FUZZ_SECONDS ?= 60
# For the files of encrypted stores, which are slower than texts.
ENCRYPTED_FUZZ_SECONDS ?= 30
TORTURE ?= 500
HISTORIES ?= 5000
TSAN_FILTER ?= 'SoupSyncTests|SoupMemoryTests|EditDuringSync|PushStop|PushFault|DownTargets|SessionTransport|URLSession|LibcurlTransport|BodyPipe|LivePages|SoupKitTests.Bulk|TwoClients|Lost'
TORTURE_SEED ?= $(shell date +%s)
MUTATIONS ?= 300
MUTATION_SEED ?= 20261126

.PHONY: demo test articles check availability fuzz javascript torture histories matrix services-matrix tsan clients schemas encrypted-format encrypted-suites encrypted-suites-sample services bench docs packages lint format graph imports benchmarks samples scaffolds clean

## demo: a demonstration with the local org: a sync down, offline edits, a sync up, a conflict, a ghost.
demo: packages
	$(SWIFT) build $(DEMO_TRAITS) $(SOUPKIT_BUILD_OPTIONS) --product soup
	@"$$($(SWIFT) build $(DEMO_TRAITS) --show-bin-path)/soup" demo

## test: every test of the main package.
test: packages
	$(BUILD) --build-tests
	SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/test.sh

## articles: compiles the Swift code of README.md, CONTRIBUTING.md and all articles. Needs a debug build of all traits: make test.
articles:
	scripts/check-articles.py --self-test
	scripts/check-articles.py

## check: the checks of CI, with warnings as errors: format, imports, availability, tests, JavaScript, code of the articles and of
## the benchmarks, 90 seconds of fuzzing, stock clients, schemas, services, samples, scaffolds, docs.
# Two platforms, one with 64-bit and one with 32-bit integers: the versions of the standard library are the same on all five.
check: export PLATFORMS = ios watchos
check: export SOUPKIT_WARNINGS_AS_ERRORS = 1
check: export SOUPKIT_OPTIMIZED_MODULES = 1
check: packages lint imports test
	$(MAKE) --jobs=2 --output-sync=target --old-file=packages BUILD=true $(LATER_CHECKS)

# The checks after the tests. Each mostly uses one core, so two run at a time, the longest first. Those that need the build of the tests
# do not build again: SwiftPM removes the link .build/debug for a moment, through which another check may be reading. Nor do they wait for
# `packages`: make would start those without this prerequisite first.
LATER_CHECKS := packages-with-soupkit services javascript clients availability encrypted-suites-sample encrypted-format fuzz schemas graph docs articles benchmarks
.PHONY: packages-with-soupkit
# One after the other, because they share a build folder.
packages-with-soupkit:
	$(MAKE) samples
	$(MAKE) scaffolds

## availability: type-checks the modules of an app on Linux, against the deployment targets of all five Apple platforms.
availability: packages
	SWIFT="$(SWIFT)" TRAITS="$(TRAITS)" scripts/check-availability.sh $(PLATFORMS)

## fuzz: runs all parsers of external text with damaged input.
fuzz: packages
	FUZZ_BUILD="$(BUILD)" SWIFT="$(SWIFT)" scripts/fuzz.sh $(FUZZ_SECONDS)
	FUZZ_BUILD="$(BUILD)" SWIFT="$(SWIFT)" scripts/fuzz.sh $(ENCRYPTED_FUZZ_SECONDS) "$$(date +%s)" encrypted

## javascript: runs the tests of soupkit.js, of the bridge and of the pages, in Node and in Chromium. Needs Node 20; installs Node and
## Chromium on Debian and Ubuntu.
javascript: packages
	$(BUILD) --product soup
	scripts/javascript.sh "$$($(SWIFT) build --show-bin-path)/soup"

## torture: kills `soup` at 500 random moments, and runs 500 random histories of two clients, with and without record trees, and 500
## sequences of moves in trees. Prints the seed; TORTURE_SEED=N repeats a run, TORTURE=N changes the number. Takes an hour and a half.
torture: packages
	$(BUILD) --build-tests
	SOUPKIT_TORTURE=$(TORTURE) SOUPKIT_TORTURE_SEED=$(TORTURE_SEED) \
		$(SWIFT) test $(TRAITS) --skip-build --no-parallel --filter 'KillMatrixTests|EncryptionKillTests|UnitCipherTests|TwoClientsTests|TreeMovesTests|SQLiteStoreForeignChangesTests'

## histories: 10,000 random histories of two clients, half of them with record trees, in release mode and in two processes. Prints
## the counts and the seed; TORTURE_SEED=N repeats a run, HISTORIES=N changes the number of each kind. Uses the build of `make matrix`.
histories: packages
	$(SWIFT) build -c release -Xswiftc -enable-testing --build-tests --scratch-path .build/matrix
	SOUPKIT_TORTURE=$(HISTORIES) SOUPKIT_TORTURE_SEED=$(TORTURE_SEED) CONFIGURATION=release SCRATCH=.build/matrix SWIFT="$(SWIFT)" \
		scripts/test.sh 'Rows.are.equal' 'Trees.are.equal'

## matrix: every kind of fault at every request of every sync; `make test` runs samples of it. Prints the counts. Runs about ten
## thousand cases in release mode and in two processes, in a separate build without traits. Takes an hour and a quarter.
matrix: packages
	$(SWIFT) build -c release -Xswiftc -enable-testing --build-tests --scratch-path .build/matrix
	SOUPKIT_MATRIX=all CONFIGURATION=release SCRATCH=.build/matrix SWIFT="$(SWIFT)" scripts/test.sh \
		'FaultMatrixTests|DownFaultTests|DamagedResponseTests|EditDuringSyncTests' 'AnswerMatrixTests'

## tsan: runs the tests of the engine with ThreadSanitizer, in a separate build. Takes 15 minutes.
tsan: packages
	$(BUILD) --build-tests --sanitize=thread --scratch-path .build/tsan
	TSAN_OPTIONS="suppressions=$(CURDIR)/scripts/tsan.supp" $(SWIFT) test $(TRAITS) --skip-build --sanitize=thread \
		--scratch-path .build/tsan --no-parallel --filter $(TSAN_FILTER)

## clients: runs simple-salesforce and CumulusCI against the local org. Needs Python, and the network for pip; SKIP_CLIENTS=1 skips it.
clients: packages
	$(BUILD) --product soup
	python3 Tests/StockClients/run.py "$$($(SWIFT) build --show-bin-path)/soup"

## schemas: compares the JSON Schemas of `soup schema` with `soup validate`, on the configurations of the samples and on
## MUTATIONS damaged ones; MUTATION_SEED=N damages them in another way. Needs Python, and the network for pip; SKIP_CLIENTS=1 skips it.
schemas: packages
	$(BUILD) --product soup
	SOUPKIT_MUTATIONS=$(MUTATIONS) SOUPKIT_MUTATION_SEED=$(MUTATION_SEED) \
		python3 Tests/Schemas/run.py "$$($(SWIFT) build --show-bin-path)/soup"

## encrypted-format: reads encrypted stores with a program that was written from the page on their format alone. Needs Python, and the
## network for pip; SKIP_CLIENTS=1 skips it.
encrypted-format: packages
	$(BUILD) --product soup
	python3 Tests/EncryptedFormat/run.py "$$($(SWIFT) build --show-bin-path)/soup"

## encrypted-suites: the tests of stores, of the engine, of faults and of kills, with all their stores encrypted. `make check` runs those
## of SQLite; the other tests of `make test` have encrypted stores among theirs. Takes 10 minutes.
encrypted-suites: ENCRYPTED_SUITES = 'SoupSQLiteTests|ComposedStoresTests|SoupBackendTests|SoupStoreTests|SoupSyncTests|FaultMatrixTests|DownFaultTests|DamagedResponseTests|EditDuringSyncTests|AnswerMatrixTests|PushStopTests|KillMatrixTests|TwoClientsTests'
encrypted-suites encrypted-suites-sample: packages
	$(BUILD) --build-tests
	SOUPKIT_ENCRYPTED=1 $(SWIFT) test $(TRAITS) --skip-build --no-parallel --filter $(ENCRYPTED_SUITES)
encrypted-suites-sample: ENCRYPTED_SUITES = 'SoupSQLiteTests'

## services: syncs with services of Django REST framework, FastAPI and Flask, also with a sample of faults and kills. Needs Python, and
## the network for pip; SKIP_CLIENTS=1 skips it.
services: packages
	$(BUILD) --build-tests
	python3 Tests/RESTServices/run.py "$$($(SWIFT) build --show-bin-path)/soup"

## services-matrix: every fault at every request of the syncs with these services, and kills at every request and at TORTURE random
## moments: about ten thousand cases. Prints the counts and the seed; TORTURE_SEED=N repeats the moments. Takes an hour and a half.
services-matrix: packages
	$(BUILD) --product soup
	SOUPKIT_MATRIX=all SOUPKIT_TORTURE=$(TORTURE) SOUPKIT_TORTURE_SEED=$(TORTURE_SEED) \
		python3 Tests/RESTServices/run.py "$$($(SWIFT) build --show-bin-path)/soup" test_faults test_kills

## bench: runs the benchmarks in release mode, and prints ratios.
bench: packages
	$(BUILD) -c release --product soup
	@touch Benchmarks/Package.swift # SwiftPM does not detect new files in a package that is a dependency by path.
	$(SWIFT) run -c release --package-path Benchmarks benchmarks $(BENCH_ARGS)

## benchmarks: compiles the benchmarks. Needs a debug build of all traits: make test.
benchmarks:
	scripts/check-benchmarks.py

## docs: builds the documentation of every library product into .docs; a warning is an error.
docs: packages
	$(BUILD)
	scripts/docs.py

## lint: checks the format, the rules of scripts/check-rules.sh, and the hash of the code that plug-ins are compiled with.
lint:
	$(SWIFT_FORMAT) lint --strict --recursive --parallel $(SOURCES)
	scripts/check-rules.sh
	scripts/interface.py

## format: formats the sources, and writes the hash of the code that plug-ins are compiled with.
format:
	$(SWIFT_FORMAT) --in-place --recursive --parallel $(SOURCES)
	scripts/interface.py --write

## graph: checks the packages that an app with SoupKit fetches, and builds an app that also imports Salesforce Mobile SDK.
graph:
	SOUPKIT_OPTIMIZED_MODULES= SWIFT="$(SWIFT)" scripts/check-graph.sh

## imports: checks that every target imports only its declared dependencies.
imports: packages
	$(BUILD) --build-tests --explicit-target-dependency-import-check error

## samples: builds and runs the samples, and compares their output. One of them needs Python, and the network for pip; SKIP_CLIENTS=1
## skips it.
samples: packages
	$(BUILD) --product soup
	SOUPKIT_OPTIMIZED_MODULES= SWIFT="$(SWIFT)" SOUP="$$($(SWIFT) build --show-bin-path)/soup" Samples/run.sh

## scaffolds: creates every kind of plug-in with `soup new`, in a clone and as packages, and builds and tests them.
scaffolds: packages
	$(BUILD) --build-tests
	SOUPKIT_OPTIMIZED_MODULES= SWIFT="$(SWIFT)" scripts/scaffolds.sh "$$($(SWIFT) build --show-bin-path)/soup"

## packages: installs missing system libraries on Debian and Ubuntu; does nothing on macOS.
packages:
	@scripts/install-packages.sh

clean:
	rm -rf .build .docs Samples/.build Benchmarks/.build
