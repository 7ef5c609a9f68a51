#!/bin/sh
# Runs the commands of README.md; SOUP is the path of the command, and PLUGIN that of the library.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp Config/* "$folder"
cp "$PLUGIN" "$folder/csv.plugin"
run() { # the command as it is printed, arguments
    echo "\$ soup $1"
    shift
    "$SOUP" "$@"
}
query='select {stations:code}, {stations:name} from {stations} order by {stations:code}'

run 'targets csv --sample --plugin .build/debug/libCSVTargets.so' targets csv --sample --plugin "$PLUGIN"
run 'validate --config Config' validate --config "$folder"
run 'sync readStations --config Config' sync readStations --config "$folder"
run "query '$query' --config Config" query "$query" --config "$folder"
