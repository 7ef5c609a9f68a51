#!/bin/sh
# Runs the commands of README.md; NOTES is the path of the executable.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { # the command as it is printed, arguments
    echo "\$ notes $1"
    shift
    "$NOTES" "$@" --config Config --store "$folder/notes.db"
}
query='select {notes:title} from {notes} order by {notes:title}'

run 'targets jsonFiles --sample' targets jsonFiles --sample
run 'validate' validate
run 'sync readNotes' sync readNotes
run "query '$query'" query "$query"
