#!/bin/sh
# Runs tests, which must be built. Inside of a process they come one after the other: several that each keep a store,
# an org and a sync busy would only wait for one another.
#
#   scripts/test.sh                  all tests
#   scripts/test.sh FILTER OTHER     the tests of two filters, one in each process
#
# CONFIGURATION=release runs what `swift build -c release -Xswiftc -enable-testing --build-tests` has built.
set -u
cd "$(dirname "$0")/.."

configuration=${CONFIGURATION:-debug}
# The tests that take half of the time are those of the whole kit.
half='^SoupKitTests\.'
if [ $# -eq 2 ]; then
    first="--filter $1" second="--filter $2"
else
    first="--filter $half" second="--skip $half"
fi
bin=$(${SWIFT:-swift} build -c "$configuration" --show-bin-path) || exit 1
tests="$bin/SoupKitPackageTests.xctest"
# What runs in the background of a script is deaf to SIGINT, and so would be the programs that the tests start and end.
hearing='env --default-signal=INT,QUIT'
# Where the tests are a bundle and no program, or nothing helps against that, SwiftPM runs them, in one process.
if ! { [ -f "$tests" ] && $hearing true 2>/dev/null; }; then
    [ $# -eq 2 ] || first=
    # shellcheck disable=SC2086
    exec ${SWIFT:-swift} test ${TRAITS:---enable-all-traits} -c "$configuration" --skip-build --no-parallel $first ${2:+--filter "$2"}
fi

# Two processes side by side, and not by way of SwiftPM, of which two get in each other's way.
# What the first one says comes when both are done.
options='--testing-library swift-testing --no-parallel'
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
$hearing "$tests" $options $first >"$log" 2>&1 &
whole=$!
# shellcheck disable=SC2086
$hearing "$tests" $options $second &
rest=$!
running="$whole $rest"
status=0
wait "$rest" || status=1
wait "$whole" || status=1
running=
cat "$log"
# A filter that finds nothing is no success.
grep -q 'Test run with [1-9]' "$log" || status=1
exit "$status"
