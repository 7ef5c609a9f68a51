#!/bin/sh
# Runs the commands of README.md; NOTES is the path of the executable.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
notes() {
    echo "\$ notes $*"
    "$NOTES" "$@"
}
options="--config Config --store $folder/notes.db"

notes targets jsonFiles --sample
echo '$ notes validate'
# shellcheck disable=SC2086
"$NOTES" validate $options
echo '$ notes sync readNotes'
# shellcheck disable=SC2086
"$NOTES" sync readNotes $options
query='select {notes:title} from {notes} order by {notes:title}'
echo "\$ notes query '$query'"
# shellcheck disable=SC2086
"$NOTES" query "$query" $options
