#!/bin/sh
# Runs all tests, in two processes side by side. Inside of each they come one after the other: several that each keep
# a store, an org and a sync busy would only wait for one another.
set -u
cd "$(dirname "$0")/.."

# The tests that take half of the time: those of the whole kit.
half='^SoupKitTests\.'
log=$(mktemp)
other=
trap 'rm -f "$log"; [ -z "$other" ] || kill "$other" 2>/dev/null' EXIT
trap 'exit 1' INT TERM

run() { ${SWIFT:-swift} test --skip-build --ignore-lock --no-parallel "$@"; }

run --filter "$half" >"$log" 2>&1 &
other=$!
run --skip "$half"
rest=$?
wait "$other"
whole=$?
other=
cat "$log"
[ "$rest" -eq 0 ] && [ "$whole" -eq 0 ]
