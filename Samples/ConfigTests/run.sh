#!/bin/sh
# Runs the tests of the configuration. The last one fails on purpose. SOUP is the path of the command soup.
set -eu
cd "$(dirname "$0")"
: "${SOUP:=../../.build/debug/soup}"

"$SOUP" test Config || echo "exit code $?"
