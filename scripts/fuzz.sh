#!/bin/sh
# Gives damaged input to the JSON scanner, Smart SQL, query specs, configuration files, SOQL and the local org for so many seconds.
#
#   scripts/fuzz.sh SECONDS [SEED]          mutates Tests/Fuzzing/corpus; prints the seed, which repeats the run
#   scripts/fuzz.sh --input KIND FILE...    runs inputs as they are: json, smartsql, queryspec, userstore, usersyncs, soql, sosl, org
#
# What broke something lies in .build/fuzz, also when the process crashed or did not end. Fails when something broke.
set -eu
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
folder=.build/fuzz
# shellcheck disable=SC2086
$swift build ${TRAITS:---enable-all-traits} --product SoupFuzz >&2
fuzz="$($swift build --show-bin-path)/SoupFuzz"
mkdir -p "$folder"

if [ "${1:-}" = "--input" ]; then
    exec "$fuzz" "$@"
fi
status=0
"$fuzz" "${1:?usage: scripts/fuzz.sh SECONDS [SEED]}" "$folder" Tests/Fuzzing/corpus "${2:-$(date +%s)}" || status=$?
# 0 all held, 1 something did not, 2 it could not run; anything else is a signal.
if [ "$status" -gt 2 ]; then
    echo "the process ended with status $status"
    "$fuzz" --recover "$folder" || true
fi
exit "$status"
