#!/bin/sh
# Runs the tests in Tests/JavaScript: soupkit.js in Node, and the guide, the sample and the inspector in Chromium, with the command soup.
#
#   scripts/javascript.sh SOUP [FILE...]     SOUP is the path of the command; by default all test files
set -eu
cd "$(dirname "$0")/.."

[ $# -ge 1 ] || { echo "usage: scripts/javascript.sh SOUP [FILE...]" >&2; exit 2; }
SOUP=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export SOUP
shift
[ $# -gt 0 ] || set -- Tests/JavaScript/*.test.js

missing=
command -v node >/dev/null 2>&1 || missing=nodejs
[ -n "${CHROMIUM:-}" ] || node -p 'require("./Tests/JavaScript/support/chromium.js").Chromium.find() || process.exit(1)' >/dev/null 2>&1 ||
    missing="$missing chromium"
if [ -n "$missing" ]; then
    [ "$(uname)" = "Linux" ] || { echo "Install$missing, or set CHROMIUM to the path of a Chromium." >&2; exit 1; }
    # shellcheck disable=SC2086
    scripts/install-packages.sh $missing
fi

node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || {
    echo "The tests need Node 20 or later, not $(node --version)." >&2
    exit 1
}

# A file at a time: the tests of pages need the processors for themselves.
node --test --test-concurrency=1 --test-reporter=spec "$@"
