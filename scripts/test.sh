#!/bin/sh
# Runs all tests, in two processes side by side. Inside of each they come one after the other: several that each keep
# a store, an org and a sync busy would only wait for one another.
set -u
cd "$(dirname "$0")/.."

# The tests that take half of the time: those of the whole kit. What they say comes when all are done.
half='^SoupKitTests\.'
options='--skip-build --ignore-lock --no-parallel'
log=$(mktemp)
running=
end() {
    # shellcheck disable=SC2086
    [ -z "$running" ] || kill $running 2>/dev/null
    rm -f "$log"
}
trap end EXIT
trap 'exit 1' INT TERM

# Both in the background, and not by a function: only what is waited for can be ended at once, and only by its number.
# shellcheck disable=SC2086
${SWIFT:-swift} test $options --filter "$half" >"$log" 2>&1 &
whole=$!
# shellcheck disable=SC2086
${SWIFT:-swift} test $options --skip "$half" &
rest=$!
running="$whole $rest"
status=0
wait "$rest" || status=1
wait "$whole" || status=1
running=
cat "$log"
exit "$status"
