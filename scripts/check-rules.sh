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

# The dependency rule: a plug-in sees SoupCore, and SoupSalesforce if it speaks to Salesforce; never the engine, never
# the store's face, never another plug-in. Only SoupSQLite knows SQLite, only CurlTransport libcurl.
for plugin in Plugins/*/; do
    name=$(basename "$plugin")
    allowed=" SoupCore SoupSalesforce HTTPTypes Foundation FoundationEssentials Synchronization $name "
    [ "$name" = "SoupSQLite" ] && allowed=" SoupCore GRDB GRDBSQLite Dispatch Foundation FoundationEssentials Synchronization Glibc Musl Darwin Android $name "
    [ "$name" = "CurlTransport" ] && allowed="$allowed CSoupCurl CSoupZlib "
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
for file in $(grep -rlE 'import FoundationNetworking|URLSession\(' Sources Plugins Tools --include='*.swift' || true); do
    case "$file" in
    Sources/SoupKit/Transport/URLSessionTransport*) ;;
    *) breach "$file: only the URLSession transport knows Foundation networking" ;;
    esac
done

# Nothing that can stop the program on bad input.
if grep -rnE '\btry!|\bfatalError\(|\bpreconditionFailure\(' Sources Plugins Tools --include='*.swift'; then
    breach "no try! and no fatalError"
fi

# Int has 32 bits on watchOS: the conversion would end the process there.
if grep -rnE '\bInt\((UInt32|UInt64|Int64|UInt)[.(]|\bInt\([A-Za-z_.?]*(intValue|int64Value|st_size|contentLength|serverTime)\)' \
    Sources Plugins --include='*.swift' | grep -v -e '/Tests/'; then
    breach "convert with Int(exactly:) or Int(clamping:)"
fi
# A clamped number can be the greatest Int already: whatever is added to it there ends the process.
if grep -rnE '[-+*]=? *Int\(clamping:|\bInt\(clamping: [^()]*(\([^()]*\)[^()]*)*\) *[-+*] *[A-Za-z0-9(]' Sources Plugins --include='*.swift' |
    grep -v -e '/Tests/'; then
    breach "calculate in Int64, and convert the result with Int(clamping:)"
fi

# Every file opens with its licence.
for file in $(find Sources Plugins Tools Tests Samples Benchmarks -name '*.swift' -not -path '*/.build/*'); do
    head -2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0\|swift-tools-version' || breach "$file: has no licence header"
done

# The formatter wraps code and no comments. A character counts once, however many bytes it has.
long=$(find Sources Plugins Tools Tests -name '*.swift' -exec env LC_ALL=C awk '
    /^ *\/\// { gsub(/[\200-\277]/, ""); if (length($0) > 120) print FILENAME ":" FNR }' {} +)
if [ -n "$long" ]; then
    echo "$long"
    breach "no comment beyond column 120"
fi

# Apple asks for the reasons of these calls: the module has a privacy manifest that names their category.
required_reasons() { # MODULE FOLDER
    while IFS='|' read -r category calls; do
        grep -rhE "$calls" "$2" --include='*.swift' | grep -qvE '^[[:space:]]*//' || continue
        python3 - "$2/PrivacyInfo.xcprivacy" "NSPrivacyAccessedAPICategory$category" <<'PYTHON' || breach "$2: calls an API of the category $category. Give it a PrivacyInfo.xcprivacy with the reason, and name that in Package.swift"
import plistlib, sys
try:
    types = plistlib.load(open(sys.argv[1], "rb"))["NSPrivacyAccessedAPITypes"]
except Exception as error:
    sys.exit(f"{sys.argv[1]}: {error}")
if not any(t["NSPrivacyAccessedAPIType"] == sys.argv[2] and t["NSPrivacyAccessedAPITypeReasons"] for t in types):
    sys.exit(f"{sys.argv[1]}: no reasons for {sys.argv[2]}")
PYTHON
    done <<'CALLS'
FileTimestamp|\b[fl]?stat(at)?\(|getattrlist|attributesOfItem|(creation|contentModification)DateKey
SystemBootTime|systemUptime|mach_absolute_time
DiskSpace|\bf?statv?fs\(|volumeAvailableCapacity|systemFreeSize
UserDefaults|UserDefaults
CALLS
    if [ -f "$2/PrivacyInfo.xcprivacy" ]; then
        sed -n "/\.target($/,/),$/p; /\.target(name/p" Package.swift | tr -d '\n' | sed 's/\.target(/\n&/g' |
            grep "name: \"$1\"" | grep -q 'privacyManifest' ||
            grep "plugin(\"$1\"" Package.swift | grep -q 'hasPrivacyManifest: true' ||
            breach "$2/PrivacyInfo.xcprivacy: Package.swift does not name it"
    fi
}
for folder in Sources/*/; do
    folder=${folder%/}
    [ "$folder" = Sources/SoupTesting ] || required_reasons "$(basename "$folder")" "$folder"
done
for folder in Plugins/*/Sources; do required_reasons "$(basename "$(dirname "$folder")")" "$folder"; done

# Code for some platforms only is listed in CONTRIBUTING.md, because no build on Linux or none on macOS sees it.
listed=$(sed -n '/^## Code for some platforms/,/^## /s/^| `\([^`]*\)` | `\([^`]*\)` |.*/\1: \2/p' CONTRIBUTING.md | sort)
found=$(find Package.swift Sources Plugins/*/Sources Tools -name '*.swift' -exec awk -f scripts/platform-branches.awk {} + | sort)
if [ "$listed" != "$found" ]; then
    echo "listed in CONTRIBUTING.md, Code for some platforms:"
    echo "$listed"
    echo "found:"
    echo "$found"
    breach "the list in CONTRIBUTING.md is not what is in the tree"
fi

[ "$breaches" -eq 0 ]
