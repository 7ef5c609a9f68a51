#!/bin/sh
# Runs tests, which must be built, in two processes. In a process the tests run one after another: parallel tests, each with a
# store, an org and a sync, would only wait for one another.
#
#   scripts/test.sh                  all tests
#   scripts/test.sh FILTER OTHER     the tests of two filters, one in each process
#
# CONFIGURATION=release runs the tests of `swift build -c release -Xswiftc -enable-testing --build-tests`, and SCRATCH=FOLDER those
# of a build with `--scratch-path FOLDER`.
set -u
cd "$(dirname "$0")/.."

configuration=${CONFIGURATION:-debug}
# The tests of SoupKit take half of the time.
half='^SoupKitTests\.'
if [ $# -eq 2 ]; then
    first="--filter $1" second="--filter $2"
else
    first="--filter $half" second="--skip $half"
fi
scratch=${SCRATCH:+--scratch-path $SCRATCH}
# shellcheck disable=SC2086
bin=$(${SWIFT:-swift} build -c "$configuration" $scratch --show-bin-path) || exit 1
tests="$bin/SoupKitPackageTests.xctest"
# The shell makes background processes ignore SIGINT, and the programs that the tests start would inherit that.
default_signals='env --default-signal=INT,QUIT'
# If the tests are a bundle instead of a program, or env lacks the option, SwiftPM runs them in one process.
if ! { [ -f "$tests" ] && $default_signals true 2>/dev/null; }; then
    [ $# -eq 2 ] || first=
    # shellcheck disable=SC2086
    exec ${SWIFT:-swift} test ${TRAITS:---enable-all-traits} $scratch -c "$configuration" --skip-build --no-parallel $first ${2:+--filter "$2"}
fi

# Start the two processes without SwiftPM, because two instances of SwiftPM block each other.
# The output of the first process is printed when both have ended.
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

# Start both in the background and not in a function: the trap can end them at once only during `wait`, and only by their IDs.
# shellcheck disable=SC2086
$default_signals "$tests" $options $first >"$log" 2>&1 &
first_id=$!
# shellcheck disable=SC2086
$default_signals "$tests" $options $second &
second_id=$!
running="$first_id $second_id"
status=0
wait "$second_id" || status=1
wait "$first_id" || status=1
running=
cat "$log"
# A filter without a match is a failure.
grep -q 'Test run with [1-9]' "$log" || status=1
exit "$status"
