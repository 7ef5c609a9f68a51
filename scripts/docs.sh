#!/bin/sh
# Builds the documentation of the modules that people import into .docs, and fails when a reference leads nowhere.
set -eu
cd "$(dirname "$0")/.."

mkdir -p .docs
for module in SoupCore SmartStore MobileSync SalesforceAPI SoupTesting; do
    echo "documentation of $module"
    log=".docs/$module.log"
    swift package --allow-writing-to-directory .docs generate-documentation --target "$module" \
        --output-path ".docs/$module" >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
    # A parameter that its name explains needs no words; a link that leads nowhere is a fault.
    if grep -E '^(warning|error): ' "$log" | grep -vE 'is missing documentation|is not used by any target|unhandled'; then
        echo "$log has the places" >&2
        exit 1
    fi
done
