#!/bin/sh
# The steps of the sample. run.sh starts the server and sets the variables.
set -eu

# A sync down also fetches the records of the last moments of the previous one again. Their number depends on the time.
soup() {
    status=0
    "$SOUP" "$@" --config Config --store "$STORE" >"$STORE.output" || status=$?
    sed 's/, [0-9]* unchanged//' "$STORE.output"
    return $status
}
other_device() { "$PYTHON" other_device.py "$@"; }
step() { # command
    echo "\$ $1"
    eval "$1"
}

echo "== The first sync"
step 'other_device put leeks "Buy leeks"'
step 'other_device put call "Call Ana"'
step 'other_device put basil "Water the basil"'
step 'soup sync syncDownNotes'
step "soup query 'select {notes:_soupEntryId}, {notes:title}, {notes:done} from {notes} order by 1'"

echo
echo "== Changes without the server"
step 'soup edit notes 1 done=true >/dev/null'
step 'soup create notes title="Bake bread" done=false >/dev/null'
step 'soup delete notes 3'
step 'soup sync syncUpNotes'
step 'other_device list'

echo
echo "== Changes of another device"
step 'other_device put seeds "Sow radishes"'
step 'other_device delete leeks'
step 'soup sync syncDownNotes'
step "soup query 'select {notes:_soupEntryId}, {notes:title}, {notes:done} from {notes} order by 1'"

echo
echo "== Both devices change a note"
step 'other_device put call "Call Ana at noon"'
step 'soup edit notes 2 title="Call Ana tonight" >/dev/null'
step 'soup sync syncUpNotes'
step 'soup conflicts'
step 'soup resolve notes 2 --keep local'
step 'soup sync syncUpNotes syncDownNotes'
step 'other_device list'
step "soup query 'select {notes:_soupEntryId}, {notes:title}, {notes:done} from {notes} order by 1'"
