#!/bin/sh
# Starts a local org and the bridge with the page, and prints the URL to open. Control-C ends both.
# In a terminal, Return stops the org, to work offline, and starts it again.
#
# SOUP is the path of the command soup; without it, the script builds the command.
set -eu
sample=$(cd "$(dirname "$0")" && pwd)

if [ -z "${SOUP:-}" ]; then
    package=$sample/../..
    ${SWIFT:-swift} build --package-path "$package" --traits Tools,Server --product soup >&2
    SOUP=$(${SWIFT:-swift} build --package-path "$package" --traits Tools,Server --show-bin-path)/soup
fi

folder=$(mktemp -d)
org=
bridge=

end() {
    trap - EXIT INT TERM HUP
    for process in $bridge $org; do kill "$process" 2>/dev/null || true; done
    for process in $bridge $org; do wait "$process" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Prints the first line of a file as soon as it is complete; fails if the process ends before.
first_line() { # file, process
    while ! grep -q '' "$1"; do
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.1
    done
    head -n 1 "$1"
}

# The text of a member of a line of JSON.
member() { # line, name
    printf '%s' "$1" | sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" | sed 's/\\\//\//g'
}

start_org() { # port
    : >"$folder/org.line"
    "$SOUP" org serve --json --admin --seed "$sample/Org/seed.json" --state "$folder/org.db" --port "$1" \
        >"$folder/org.line" </dev/null &
    org=$!
    line=$(first_line "$folder/org.line" "$org")
    SOUP_INSTANCE_URL=$(member "$line" url)
    SOUP_ACCESS_TOKEN=$(member "$line" accessToken)
}

stop_org() {
    kill "$org"
    wait "$org" || true
    org=
}

# The store is beside its configuration.
mkdir "$folder/Config"
cp "$sample/Config/"*.json "$folder/Config"
start_org 0
export SOUP_INSTANCE_URL SOUP_ACCESS_TOKEN
"$SOUP" bridge --json --config "$folder/Config" --page "$sample" >"$folder/bridge.line" </dev/null &
bridge=$!
line=$(first_line "$folder/bridge.line" "$bridge")
echo "Open $(member "$line" url)/#$(member "$line" secret)"
echo "The org is at $SOUP_INSTANCE_URL"

if [ -t 0 ]; then
    port=${SOUP_INSTANCE_URL##*:}
    echo "Press Return to stop the org or to start it again, and Control-C to end."
    while read -r _; do
        if [ -n "$org" ]; then
            stop_org
            echo "The org is stopped. Edit contacts; a sync fails until you press Return."
        else
            start_org "$port"
            echo "The org runs again."
        fi
    done
fi
wait "$bridge"
