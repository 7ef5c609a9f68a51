#!/bin/sh
# Starts Kinto on a free port of this machine, runs sync.sh with it, and ends it.
#
# SOUP is the path of the command soup; without it, the script builds the command. Needs Python, and the network for pip.
set -eu
cd "$(dirname "$0")"

if [ -z "${SOUP:-}" ]; then
    ${SWIFT:-swift} build --package-path ../.. --traits Tools --product soup >&2
    SOUP=$(${SWIFT:-swift} build --package-path ../.. --traits Tools --show-bin-path)/soup
fi
PYTHON=$(python3 ../../scripts/python_environment.py . RESTService)

folder=$(mktemp -d)
kinto=
end() {
    trap - EXIT INT TERM HUP
    if [ -n "$kinto" ]; then
        kill "$kinto" 2>/dev/null || true
        wait "$kinto" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Port 0 is a free port. Kinto prints its URL as soon as it answers.
: >"$folder/kinto.log"
"$(dirname "$PYTHON")/kinto" start --ini kinto.ini --port 0 >"$folder/kinto.log" 2>&1 </dev/null &
kinto=$!
until grep -q 'Serving on' "$folder/kinto.log"; do
    if ! kill -0 "$kinto" 2>/dev/null; then
        cat "$folder/kinto.log" >&2
        exit 1
    fi
    sleep 0.1
done
KINTO_URL=$(sed -n 's/.*Serving on \(http[^ ]*\).*/\1/p' "$folder/kinto.log")/v1
# Kinto accepts any password, and keeps the notes of each one separately.
KINTO_PASSWORD=secret
STORE=$folder/notes.db
export SOUP PYTHON STORE KINTO_URL KINTO_PASSWORD
if ! ./sync.sh; then
    cat "$folder/kinto.log" >&2
    exit 1
fi
