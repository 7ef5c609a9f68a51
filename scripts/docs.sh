#!/bin/sh
# Builds the documentation of the modules that people import into .docs, and fails when a reference leads nowhere.
set -eu
cd "$(dirname "$0")/.."

mkdir -p .docs
for module in SoupCore SmartStore MobileSync; do
    echo "documentation of $module"
    swift package --allow-writing-to-directory .docs generate-documentation --target "$module" \
        --output-path ".docs/$module" --warnings-as-errors >.docs/$module.log 2>&1 || {
        cat ".docs/$module.log" >&2
        exit 1
    }
done
