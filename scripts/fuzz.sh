#!/bin/sh
# Runs the JSON scanner, Smart SQL, query specs, configuration files, SOQL, the JavaScript bridge, the local org, the targets http
# and the import of SmartStore databases with damaged input.
#
#   scripts/fuzz.sh SECONDS [SEED [KIND]]   mutates Tests/Fuzzing/corpus for a time; prints the seed, which repeats the run
#   scripts/fuzz.sh --input KIND FILE...    runs inputs without changes: json, smartsql, queryspec, userstore, usersyncs, soql, sosl, bridge, endpoint, org, http, encrypted, smartstore
#
# Saves the inputs that cause a failure in .build/fuzz, even if the process crashes or hangs, and fails then.
set -eu
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
folder=.build/fuzz
# shellcheck disable=SC2086
${FUZZ_BUILD:-$swift build --enable-all-traits} --product SoupFuzz >&2
fuzz="$($swift build --show-bin-path)/SoupFuzz"
mkdir -p "$folder"

if [ "${1:-}" = "--input" ]; then
    exec "$fuzz" "$@"
fi
status=0
"$fuzz" "${1:?usage: scripts/fuzz.sh SECONDS [SEED]}" "$folder" Tests/Fuzzing/corpus "${2:-$(date +%s)}" ${3:-} || status=$?
# 0: no failure, 1: a failure, 2: the fuzzer could not run; any other status is a signal.
if [ "$status" -gt 2 ]; then
    echo "the process ended with status $status"
    "$fuzz" --recover "$folder" || true
fi
exit "$status"
