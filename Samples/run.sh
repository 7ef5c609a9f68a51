#!/bin/sh
# Builds and runs every sample, and compares its output with the expected.txt in the folder of its README.
# `Samples/run.sh --update` replaces the files with the current output.
set -eu
cd "$(dirname "$0")"

# Both packages depend on the same SoupKit. With one build folder it is compiled once.
builds="$PWD/.build"
failed=0
sample() { # package, executable, folder with expected.txt
    echo "== $3"
    ${SWIFT:-swift} build --package-path "$1" --scratch-path "$builds" --product "$2"
    program=$(${SWIFT:-swift} build --package-path "$1" --scratch-path "$builds" --show-bin-path)/$2
    output=$(mktemp)
    if ! (cd "$3" && "$program") >"$output"; then
        echo "$3: the program failed"
        failed=1
    elif [ "${update:-}" = 1 ]; then
        cp "$output" "$3/expected.txt"
    elif ! diff -u "$3/expected.txt" "$output"; then
        echo "$3: the output differs from expected.txt. If the change is intended, run Samples/run.sh --update"
        failed=1
    fi
    rm -f "$output"
}

[ "${1:-}" = "--update" ] && update=1
sample . QuickStart QuickStart
sample . ComposedStoresSample ComposedStores
sample CustomTarget CustomTarget CustomTarget
echo "== CustomTarget: the tests of its targets"
${SWIFT:-swift} test --package-path CustomTarget --scratch-path "$builds" || failed=1
exit $failed
