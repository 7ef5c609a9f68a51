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
# These tests take half of the time.
half='^(SoupKitTests|SoupLocalOrgTests\.RandomQueryTests|SoupCommandsTests\.KillMatrixTests)[./]'
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
default_signals='env --default-signal=INT,QUIT,HUP'
# If the tests are a bundle instead of a program, or env lacks the option, SwiftPM runs them in one process.
if ! { [ -f "$tests" ] && $default_signals true 2>/dev/null; }; then
    [ $# -eq 2 ] || first=
    # shellcheck disable=SC2086
    exec ${SWIFT:-swift} test ${TRAITS:---enable-all-traits} $scratch -c "$configuration" --skip-build --no-parallel $first ${2:+--filter "$2"}
fi

# Start the two processes without SwiftPM, because two instances of SwiftPM block each other.
# The output of the first process is printed when both have ended, and the failures of both at the end.
options='--testing-library swift-testing --no-parallel'
logs=$(mktemp -d)
running=
end() {
    # shellcheck disable=SC2086
    [ -z "$running" ] || kill $running 2>/dev/null
    rm -rf "$logs"
}
trap end EXIT
trap 'exit 1' INT TERM

# Start both in the background and not in a function: the trap can end them at once only during `wait`, and only by their IDs.
mkfifo "$logs/output"
tee "$logs/second" <"$logs/output" &
tee_id=$!
# shellcheck disable=SC2086
$default_signals "$tests" $options $first >"$logs/first" 2>&1 &
first_id=$!
# shellcheck disable=SC2086
$default_signals "$tests" $options $second >"$logs/output" 2>&1 &
second_id=$!
running="$first_id $second_id"
wait "$second_id"
second_status=$?
wait "$first_id"
first_status=$?
running=
wait "$tee_id"
cat "$logs/first"

status=0
report() {
    # A filter without a match is a failure.
    if [ "$1" -ne 0 ] || ! grep -q 'Test run with [1-9]' "$logs/$2"; then
        status=1
        echo "The $2 process of the tests ended with status $1. Its failures, or the end of its output:"
        grep '✘' "$logs/$2" || tail -n 5 "$logs/$2"
        # After a crash: the last tests that started, the message, and the stack of the thread.
        if grep -q 'Program crashed' "$logs/$2"; then
            grep '◇.* started\.$' "$logs/$2" | tail -n 3
            grep 'Fatal error' "$logs/$2"
            grep -A 14 '^Thread .* crashed:$' "$logs/$2" | cut -c -200
        fi
    fi
}
report "$first_status" first
report "$second_status" second
exit "$status"
