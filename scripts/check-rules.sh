#!/bin/sh
# The rules that neither the compiler nor the formatter checks. Prints each breach and fails when there is one.
set -eu
cd "$(dirname "$0")/.."

breaches=0
breach() {
    echo "$1"
    breaches=$((breaches + 1))
}

# What a folder's files import: "module" lines, attributes and access levels stripped.
imports() {
    find "$1" -name '*.swift' -exec cat {} + |
        sed -nE 's/^[[:space:]]*(@[A-Za-z_]+(\([a-z]*\))?[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]+((struct|class|enum|protocol|func|typealias|var|let)[[:space:]]+)?([A-Za-z_0-9]+).*/\7/p' |
        sort -u
}

# The dependency rule: a plug-in sees SoupCore, and SalesforceAPI if it speaks to Salesforce; never the engine, never
# the store's face, never another plug-in. Only SQLiteStore knows SQLite, only CurlTransport libcurl.
for plugin in Plugins/*/; do
    name=$(basename "$plugin")
    allowed=" SoupCore SalesforceAPI HTTPTypes Foundation FoundationEssentials Synchronization $name "
    [ "$name" = "SQLiteStore" ] && allowed=" SoupCore GRDB GRDBSQLite Dispatch Foundation FoundationEssentials Synchronization Glibc Musl Darwin Android $name "
    [ "$name" = "CurlTransport" ] && allowed="$allowed CSoupCurl CZlib "
    for module in $(imports "$plugin/Sources"); do
        case "$allowed" in
        *" $module "*) ;;
        *) breach "$plugin: must not import $module" ;;
        esac
    done
    if grep -rn '@unchecked' "$plugin/Sources" --include='*.swift'; then
        breach "$plugin: @unchecked is not for plug-ins"
    fi
    [ -f "$plugin/README.md" ] || breach "$plugin: has no README.md"
done

for module in $(imports Sources/SoupCore); do
    case " HTTPTypes Foundation FoundationEssentials Synchronization " in
    *" $module "*) ;;
    *) breach "Sources/SoupCore: must not import $module" ;;
    esac
done

# Foundation networking is known to one transport.
for file in $(grep -rlE 'import FoundationNetworking|URLSession\(' Sources Plugins --include='*.swift' || true); do
    case "$file" in
    Sources/SoupKit/Transport/URLSessionTransport*) ;;
    *) breach "$file: only the URLSession transport knows Foundation networking" ;;
    esac
done

# Nothing that can stop the program on bad input.
if grep -rnE '\btry!|\bfatalError\(|\bpreconditionFailure\(' Sources Plugins --include='*.swift'; then
    breach "no try! and no fatalError"
fi

# Every file opens with its licence.
for file in $(find Sources Plugins Tests Samples Benchmarks -name '*.swift' -not -path '*/.build/*'); do
    head -2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0\|swift-tools-version' || breach "$file: has no licence header"
done

# The formatter wraps code and no comments. A character counts once, however many bytes it has.
long=$(find Sources Plugins Tests -name '*.swift' -exec env LC_ALL=C awk '
    /^ *\/\// { gsub(/[\200-\277]/, ""); if (length($0) > 120) print FILENAME ":" FNR }' {} +)
if [ -n "$long" ]; then
    echo "$long"
    breach "no comment beyond column 120"
fi

[ "$breaches" -eq 0 ]
