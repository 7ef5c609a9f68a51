#!/bin/sh
# Checks the rules that neither the compiler nor the formatter checks. Prints each breach, and fails if there is one.
set -eu
cd "$(dirname "$0")/.."

breaches=0
breach() {
    echo "$1"
    breaches=$((breaches + 1))
}

# Prints the modules that the files of a folder import.
imports() {
    find "$1" -name '*.swift' -exec cat {} + |
        sed -nE 's/^[[:space:]]*(@[A-Za-z_]+(\([a-z]*\))?[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]+((struct|class|enum|protocol|func|typealias|var|let)[[:space:]]+)?([A-Za-z_0-9]+).*/\7/p' |
        sort -u
}

# The dependency rule: a plug-in imports SoupCore, and SoupSalesforce if it communicates with Salesforce; never the engine,
# the store or another plug-in. Only SoupSQLite imports SQLite and the encryption of files, and only CurlTransport libcurl. CredentialStores locks
# and flushes files, and imports the system's library for it.
for plugin in Plugins/*/; do
    name=$(basename "$plugin")
    allowed=" SoupCore SoupSalesforce HTTPTypes Dispatch Foundation FoundationEssentials Synchronization $name "
    [ "$name" = "SoupSQLite" ] && allowed=" SoupCore SoupEncryption GRDB GRDBSQLite Dispatch Foundation FoundationEssentials Synchronization Glibc Musl Darwin notify Android $name "
    [ "$name" = "CredentialStores" ] && allowed=" SoupCore Foundation FoundationEssentials Synchronization Security Glibc Musl Darwin Android $name "
    [ "$name" = "CurlTransport" ] && allowed="$allowed CSoupCurl CSoupZlib "
    for module in $(imports "$plugin/Sources"); do
        case "$allowed" in
        *" $module "*) ;;
        *) breach "$plugin: a plug-in must not import $module. Remove the import." ;;
        esac
    done
    if grep -rn '@unchecked' "$plugin/Sources" --include='*.swift'; then
        breach "$plugin: a plug-in must not use @unchecked. Use an actor or a mutex."
    fi
    [ -f "$plugin/README.md" ] || breach "$plugin: the README.md is missing. Add it."
done

for module in $(imports Sources/SoupCore); do
    case " HTTPTypes Foundation FoundationEssentials Synchronization " in
    *" $module "*) ;;
    *) breach "Sources/SoupCore: SoupCore must not import $module. Remove the import." ;;
    esac
done

# One transport uses the networking of Foundation.
for file in $(grep -rlE 'import FoundationNetworking|URLSession\(' Sources Plugins Tools --include='*.swift' || true); do
    case "$file" in
    Sources/SoupKit/Transport/URLSessionTransport*) ;;
    *) breach "$file: only the URLSession transport may use the networking of Foundation. Use HTTPTransport." ;;
    esac
done

# No code ends the process because of invalid input.
if grep -rnE '\btry!|\bfatalError\(|\bpreconditionFailure\(' Sources Plugins Tools --include='*.swift'; then
    breach "try!, fatalError and preconditionFailure end the process. Throw an error instead."
fi

# Int has 32 bits on watchOS, where these conversions can end the process.
if grep -rnE '\bInt\((UInt32|UInt64|Int64|UInt)[.(]|\bInt\([A-Za-z_.?]*(intValue|int64Value|st_size|contentLength|serverTime)\)' \
    Sources Plugins --include='*.swift' | grep -v -e '/Tests/'; then
    breach "the conversion can overflow on watchOS. Convert with Int(exactly:) or Int(clamping:)."
fi
# A clamped number can be the greatest Int: an addition to it ends the process on watchOS.
if grep -rnE '[-+*]=? *Int\(clamping:|\bInt\(clamping: [^()]*(\([^()]*\)[^()]*)*\) *[-+*] *[A-Za-z0-9(]' Sources Plugins --include='*.swift' |
    grep -v -e '/Tests/'; then
    breach "the calculation can overflow on watchOS. Calculate in Int64, and convert the result with Int(clamping:)."
fi

# Every file begins with the licence.
for file in $(find Sources Plugins Tools Tests Samples Benchmarks -name '*.swift' -not -path '*/.build/*'); do
    head -2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0\|swift-tools-version' || breach "$file: the licence header is missing. Copy it from another file."
done

# The formatter does not wrap comments. The width is counted in characters, not in bytes.
long=$(find Sources Plugins Tools Tests -name '*.swift' -exec env LC_ALL=C awk '
    /^ *\/\// { gsub(/[\200-\277]/, ""); if (length($0) > 120) print FILENAME ":" FNR }' {} +)
if [ -n "$long" ]; then
    echo "$long"
    breach "comments are longer than 120 columns. Wrap them."
fi

# The language of code, comments, messages, documents and scripts. The script contains the list of words.
scripts/check-words.py || breach "use the terms of the field, and name the actor"

# The README is an introduction; everything else is an article.
if [ "$(wc -l <README.md)" -gt 150 ]; then
    breach "README.md: it has more than 150 lines. Move content into an article of a DocC catalog."
fi

# The call of a function with three or more unlabelled parameters cannot be read without its declaration.
scripts/measure.py --unlabelled || breach "label the parameters"

# The other types of a module that contains a type of its name cannot be qualified.
for folder in Sources/*/ Tools/*/ Plugins/*/ Samples/*/Sources/*/; do
    module=$(basename "$folder")
    # Nothing imports an executable.
    if grep -rq '^@main' "$folder" --include='*.swift'; then continue; fi
    if grep -rnE "\b(struct|class|enum|actor|protocol|typealias) $module\b" "$folder" --include='*.swift' | grep -v '/Tests/'; then
        breach "$module: a module must not contain a type of its own name"
    fi
done

# The name of a test is a sentence of at most 60 characters.
if grep -rnE 'func `[^`]{61,}`' Tests Plugins/*/Tests --include='*.swift' ||
    grep -rnE '@Test.*func [a-z]' Tests Plugins/*/Tests --include='*.swift'; then
    breach "name a test by a sentence of at most 60 characters, in backticks"
fi

# Tests mirror the sources.
scripts/check-tests.py || breach "give the test the name and the folder of the source file that it tests, or move it to Scenarios"

# Apple requires reasons for these calls: the module needs a privacy manifest with their category.
required_reasons() { # MODULE FOLDER
    while IFS='|' read -r category calls; do
        grep -rhE "$calls" "$2" --include='*.swift' | grep -qvE '^[[:space:]]*//' || continue
        python3 - "$2/PrivacyInfo.xcprivacy" "NSPrivacyAccessedAPICategory$category" <<'PYTHON' || breach "$2: the module calls an API of the category $category. Add a PrivacyInfo.xcprivacy with the reason, and declare it in Package.swift."
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
            breach "$2/PrivacyInfo.xcprivacy: the file is not in Package.swift. Declare it there."
    fi
}
for folder in Sources/*/; do
    folder=${folder%/}
    [ "$folder" = Sources/SoupTesting ] || required_reasons "$(basename "$folder")" "$folder"
done
for folder in Plugins/*/Sources; do required_reasons "$(basename "$(dirname "$folder")")" "$folder"; done

# Code for some platforms only is listed in CONTRIBUTING.md, because a build on Linux or on macOS does not compile it.
listed=$(sed -n '/^## Code for some platforms/,/^## /s/^| `\([^`]*\)` | `\([^`]*\)` |.*/\1: \2/p' CONTRIBUTING.md | sort)
found=$(find Package.swift Sources Plugins/*/Sources Tools -name '*.swift' -exec awk -f scripts/platform-branches.awk {} + | sort)
if [ "$listed" != "$found" ]; then
    echo "listed in CONTRIBUTING.md, Code for some platforms:"
    echo "$listed"
    echo "found:"
    echo "$found"
    breach "the list in CONTRIBUTING.md differs from the sources. Update the list."
fi

[ "$breaches" -eq 0 ]
