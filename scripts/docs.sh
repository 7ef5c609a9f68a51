#!/bin/sh
# Builds the documentation of the public modules into .docs, and fails if a reference does not resolve.
set -eu
cd "$(dirname "$0")/.."

# Prints the relevant warnings of a log. A parameter can be without documentation if its name explains it. A reference to a
# declaration of another module does not resolve, and is not an error if the declaration exists.
faults() {
    grep -E '^(warning|error): ' "$1" |
        grep -vE 'is missing documentation|is not used by any target|unhandled' |
        while IFS= read -r line; do
            name=$(printf '%s\n' "$line" | sed -nE "s|^warning: '([A-Za-z_]+).*' doesn't exist at .*|\1|p")
            if [ -z "$name" ] ||
                ! grep -rqE "public (static )?(struct|enum|actor|protocol|final class|typealias|func|var|let) $name\b" Sources Plugins Tools; then
                printf '%s\n' "$line"
            fi
        done
}

mkdir -p .docs
for module in SoupCore SoupStore SoupKeyValue SoupSync SoupSalesforce SoupKit SoupSQLite SoupMemory SoupLocalOrg SoupTesting \
    SoupConformance; do
    echo "documentation of $module"
    log=".docs/$module.log"
    # shellcheck disable=SC2086
    ${SWIFT:-swift} package ${TRAITS:---enable-all-traits} --allow-writing-to-directory .docs generate-documentation --target "$module" \
        --output-path ".docs/$module" >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
    found=$(faults "$log")
    if [ -n "$found" ]; then
        printf '%s\n' "$found" >&2
        echo "The places are in $log." >&2
        exit 1
    fi
done
