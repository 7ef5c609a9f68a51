#!/bin/sh
# Builds and runs every sample, and compares its output with the expected.txt in the folder of its README, which contains it too.
# `Samples/run.sh --update` replaces the files with the current output.
#
# SOUP is the path of the command soup for RuntimePlugin, ConfigTests and RESTService; without it, the script builds the command.
# SKIP_CLIENTS=1 skips RESTService, which needs Python, and the network for pip.
# SOUPKIT_BUILD_OPTIONS contains more options of `swift build`.
set -eu
cd "$(dirname "$0")"

# The packages depend on the same SoupKit. With one build folder it is compiled once. The stored build plan can be that of the other
# package; SwiftPM then does not find the products.
builds="$PWD/.build"
plan="--disable-build-manifest-caching ${SOUPKIT_BUILD_OPTIONS:-}"
failed=0
compare() { # folder with expected.txt, program
    output=$(mktemp)
    if ! (cd "$1" && "$2") >"$output"; then
        echo "$1: the program failed"
        failed=1
    elif [ "${update:-}" = 1 ]; then
        cp "$output" "$1/expected.txt"
    elif ! diff -u "$1/expected.txt" "$output"; then
        echo "$1: the output differs from expected.txt. If the change is intended, run Samples/run.sh --update"
        failed=1
    fi
    rm -f "$output"
    case $(cat "$1/README.md") in
    *"$(cat "$1/expected.txt")"*) ;;
    *)
        echo "$1: README.md does not contain expected.txt. Copy the output into it"
        failed=1
        ;;
    esac
}
sample() { # package, executable, folder with expected.txt
    echo "== $3"
    ${SWIFT:-swift} build $plan --package-path "$1" --scratch-path "$builds" --product "$2"
    compare "$3" "$(${SWIFT:-swift} build --package-path "$1" --scratch-path "$builds" --show-bin-path)/$2"
}
# Runs ComposedStores with an edited configuration, which keeps the recent items at the second start.
variant() { # edit for sed, line with the files
    folder=$(mktemp -d)
    cp ComposedStores/Config/* "$folder"
    sed "$1" ComposedStores/Config/userstore.json >"$folder/userstore.json"
    program="$(${SWIFT:-swift} build --scratch-path "$builds" --show-bin-path)/ComposedStoresSample"
    "$program" "$folder" >"$folder/output" || failed=1
    if [ "$(grep -c '^contacts: 1001 entries, recent: 11 entries$' "$folder/output")" != 2 ] || ! grep -qx "$2" "$folder/output"; then
        cat "$folder/output"
        echo "ComposedStores: the output after $1 is not the one in its README.md"
        failed=1
    fi
    rm -rf "$folder"
}

[ "${1:-}" = "--update" ] && update=1
sample . QuickStart QuickStart
sample . AccountsAndContacts AccountsAndContacts
sample . MRUAndBriefcase MRUAndBriefcase
sample . AppGroupSample AppGroup
sample . ComposedStoresSample ComposedStores
echo "== ComposedStores with the changes that its README describes"
variant 's/"memory"/"sqlite"/' "files: app.db, app.db.stores/recent.db"
variant 's/"routed"/"layered"/; s/"default"/"back"/; s/"routes":.*/"front": { "type": "memory" }/' "files: app.db"
sample CustomTarget CustomTarget CustomTarget
echo "== CustomTarget: the tests of its targets"
${SWIFT:-swift} test $plan --package-path CustomTarget --scratch-path "$builds" || failed=1
echo "== OwnCommand"
# Its SoupKit has the trait Tools, so it has other build products: those of `.ci/run` for the demo.
own="$PWD/../.build/demo"
${SWIFT:-swift} build $plan --package-path OwnCommand --scratch-path "$own" --product notes
NOTES="$(${SWIFT:-swift} build --package-path OwnCommand --scratch-path "$own" --show-bin-path)/notes"
export NOTES
compare OwnCommand ./run.sh
echo "== RuntimePlugin"
# Its SoupKit has no traits, although that of `soup` has: the traits do not change the interface of plug-ins.
${SWIFT:-swift} build $plan --package-path RuntimePlugin --scratch-path "$builds" --build-tests
${SWIFT:-swift} test $plan --package-path RuntimePlugin --scratch-path "$builds" --skip-build || failed=1
PLUGIN=$(ls "$(${SWIFT:-swift} build --package-path RuntimePlugin --scratch-path "$builds" --show-bin-path)"/libCSVTargets.* | head -n 1)
if [ -z "${SOUP:-}" ]; then
    ${SWIFT:-swift} build $plan --package-path .. --scratch-path "$own" --traits Tools --product soup
    SOUP=$(${SWIFT:-swift} build --package-path .. --scratch-path "$own" --show-bin-path)/soup
fi
export PLUGIN SOUP
compare RuntimePlugin ./run.sh
echo "== ConfigTests"
compare ConfigTests ./run.sh
echo "== RESTService"
if [ "${SKIP_CLIENTS:-}" = 1 ]; then
    echo "RESTService: skipped because of SKIP_CLIENTS=1"
else
    compare RESTService ./run.sh
fi
exit $failed
