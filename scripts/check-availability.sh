#!/bin/sh
# Checks on Linux that the modules of an app compile for the deployment targets of Package.swift: that they use no
# declaration that is newer than macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2.
#
#   scripts/check-availability.sh [PLATFORM...]     macos ios tvos watchos visionos; by default all
#
# The toolchain contains the interfaces of the standard library with the availability of each declaration. They are built
# once for each platform into .build/availability; then the modules are type-checked against them. The declarations of
# Apple's frameworks that SoupKit uses are in scripts/availability.
# The check also tests itself: scripts/availability/SelfTest.swift uses newer declarations, which must be reported.
set -eu
cd "$(dirname "$0")/.."


# Prints the reason why a module is not covered; nothing for a covered module.
reason() {
    case "$1" in
    SoupKit) echo "it imports SoupSQLite and URLSession" ;;
    SoupMetrics) echo "the interfaces of swift-metrics and swift-distributed-tracing are not built for it" ;;
    SoupBridge) echo "it imports SoupKit and WebKit" ;;
    CurlTransport) echo "it is for Linux" ;;
    SoupLocalOrg | SoupConformance | SoupCommands | SoupBridgeServer | SoupLoopback | soup) echo "it is a tool, not a part of an app" ;;
    CSoupZlib | CSoupMalloc | CSoupCurl) echo "it has no Swift code" ;;
    esac
}

# In the order of their dependencies: plug-ins depend on modules in Sources, and not on each other.
# Of SoupEncryption, only the keychain: the rest needs the modules of swift-crypto, and is the same on Linux.
# Of SoupSQLite, only the signals between processes: the rest needs GRDB and SQLite's headers, and is the same on Linux.
covered="SoupCore SoupHTTP SoupSalesforce SoupStore SoupEncryption SoupKeyValue SoupSync SoupTesting"
for folder in Plugins/*/; do
    module=$(basename "$folder")
    [ -n "$(reason "$module")" ] || covered="$covered $module"
done

triple() {
    case "$1" in
    macos) echo arm64-apple-macosx15.0 ;;
    ios) echo arm64-apple-ios18.0 ;;
    tvos) echo arm64-apple-tvos18.0 ;;
    watchos) echo arm64_32-apple-watchos11.0 ;;
    visionos) echo arm64-apple-xros2.0 ;;
    *)
        echo "unknown platform $1. Write macos, ios, tvos, watchos or visionos." >&2
        exit 2
        ;;
    esac
}

if [ "$(uname)" != "Linux" ]; then
    echo "availability: on this system the compiler checks it in every build"
    exit 0
fi

compiler=${SWIFTC:-swiftc}
resources=$($compiler -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)",?/\1/p')
version="$($compiler --version 2>&1 | head -1) $(cksum <scripts/check-availability.sh)"
declared=$(cat scripts/availability/*.swift scripts/availability/CDarwin/* | cksum)
checkouts=.build/checkouts
[ -d "$checkouts/swift-http-types" ] && [ -d "$checkouts/swift-log" ] || ${SWIFT:-swift} package resolve >&2

# Every module is either covered, or has a reason.
for folder in Sources/*/ Plugins/*/ Tools/*/; do
    [ -d "$folder" ] || continue
    module=$(basename "$folder")
    case " $(echo $covered) " in *" $module "*) continue ;; esac
    [ -n "$(reason "$module")" ] || {
        echo "$folder: the module is not covered. Add it to the covered modules in scripts/check-availability.sh, or add a reason there." >&2
        exit 1
    }
done

sources() {
    if [ "$1" = SoupSQLite ]; then
        find Plugins/SoupSQLite/Sources/Observing -name '*Signal*.swift'
    elif [ -d "Plugins/$1" ]; then find "Plugins/$1/Sources" -name '*.swift'; else find "Sources/$1" -name '*.swift'; fi
}

# Compiles files as a module for a platform, with further options.
compile() { # PLATFORM MODULE FILES OPTION...
    platform=$1 module=$2 files=$3
    shift 3
    # shellcheck disable=SC2086
    $compiler -frontend -emit-module -module-name "$module" -o "$cache/$platform/modules/$module.swiftmodule" \
        -target "$(triple "$platform")" -disable-objc-interop -resource-dir "$cache/$platform/resources" \
        -plugin-path "$resources/host/plugins" -I "$cache/$platform/modules" -I scripts/availability/CDarwin -module-cache-path "$cache/$platform/clang" \
        -parse-as-library -package-name soupkit "$@" $files
}

# Builds the standard library from the interfaces of the toolchain.
prepare_library() { # PLATFORM
    folder=$cache/$1
    if [ -f "$folder/stamp" ] && [ "$(cat "$folder/stamp")" = "$version" ]; then return 0; fi
    rm -rf "$folder"
    mkdir -p "$folder/resources" "$folder/modules" "$folder/interfaces"
    ln -s "$resources/shims" "$folder/resources/shims"
    ln -s "$resources/clang" "$folder/resources/clang"
    for module in Swift _Builtin_float SwiftOnoneSupport _Concurrency _RegexParser _StringProcessing Synchronization; do
        interface=$folder/interfaces/$module.swiftinterface
        # Remove the parts for Linux: the C library, locks, functions of Float80; and @backDeployed, which needs bodies that
        # an interface for Linux does not contain. Add the availability on visionOS, which an interface names only if it is
        # newer than that of iOS 17; Apple's SDK has a table for the other declarations.
        sed -E -e "s/-target [a-z0-9_]+-unknown-linux-gnu/-target $(triple "$1")/" -e 's/ -target-min-inlining-version min//' \
            -e '/@available\(.*iOS [0-9]/{/visionOS/!s/iOS [0-9.]+/&, visionOS 1.0/;}' -e '/^import Glibc$/d' -e 's/@backDeployed\([^)]*\) *//' \
            -e 's/self = _stdlib_(remainderl|squareRootl)\([^)]*\)//' \
            "$resources"/linux/$module.swiftmodule/*-unknown-linux-gnu.swiftinterface >"$interface"
        [ $module != Synchronization ] || echo 'public func _swift_stdlib_gettid() -> Swift.UInt32' >>"$interface"
        options=
        [ $module != Swift ] || options=-parse-stdlib
        # shellcheck disable=SC2086
        $compiler -frontend -compile-module-from-interface "$interface" -module-name $module $options \
            -o "$folder/modules/$module.swiftmodule" -target "$(triple "$1")" -resource-dir "$folder/resources" \
            -I "$folder/modules" -module-cache-path "$folder/clang" -disable-objc-interop -disable-availability-checking \
            -suppress-warnings
    done
    echo "$version" >"$folder/stamp"
}

# Builds the declarations of Apple's modules, and the two packages that the modules import.
prepare_imports() { # PLATFORM
    folder=$cache/$1
    if [ -f "$folder/imports" ] && [ "$(cat "$folder/imports")" = "$declared" ]; then return 0; fi
    for module in Darwin Dispatch notify CryptoKit Foundation Security AuthenticationServices; do
        compile "$1" $module "scripts/availability/$module.swift" -swift-version 6 -suppress-warnings
    done
    macros=$(sed -nE 's/^ *"(HTTPTypes [0-9.]+)": "(.*)",/-define-availability;\1: \2/p' "$checkouts/swift-http-types/Package.swift")
    dependency "$1" HTTPTypes swift-http-types "$macros"
    dependency "$1" Logging swift-log ""
    echo "$declared" >"$folder/imports"
}

dependency() { # PLATFORM MODULE PACKAGE MACROS
    files=$(find "$checkouts/$3/Sources/$2" -name '*.swift')
    platform=$1 module=$2
    set --
    while IFS=';' read -r option value; do
        [ -z "$option" ] || set -- "$@" "$option" "$value"
    done <<EOF
${4:-$macros}
EOF
    compile "$platform" "$module" "$files" -swift-version 6 -suppress-warnings "$@"
}

# Checks that the errors in the self-test are reported; otherwise the check does not work.
self_test() { # PLATFORM
    file=scripts/availability/SelfTest.swift
    if report=$(compile "$1" SelfTest $file -swift-version 6 2>&1); then
        echo "availability, $1: $file compiles, so the check does not report newer declarations" >&2
        return 1
    fi
    sed -nE 's|.*// error: (.*)|\1|p' $file | while IFS= read -r words; do
        echo "$report" | grep -qF "error: $words" || {
            echo "availability, $1: the self-test did not report \"$words\"; it reported:" >&2
            echo "$report" >&2
            exit 1
        }
    done
}

cache=.build/availability
modules=
for module in $covered; do
    [ ! -d "Sources/$module" ] && [ ! -d "Plugins/$module" ] || modules="$modules $module"
done
# Prints the result for a platform, and fails if a module does not compile.
check() { # PLATFORM
    prepare_library "$1"
    prepare_imports "$1"
    status=0
    self_test "$1" || status=1
    for module in $modules; do
        # shellcheck disable=SC2046
        compile "$1" "$module" "$(sources "$module")" -swift-version 6 -enable-upcoming-feature ExistentialAny \
            -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility || {
            echo "availability: $module does not compile for $(triple "$1")" >&2
            status=1
        }
    done
    [ $status -ne 0 ] || echo "availability: $(triple "$1") ok:$modules"
    return $status
}

# Two platforms at a time: a compiler uses one processor.
status=0
running=
mkdir -p "$cache"
finish() {
    for process in $running; do
        wait "${process#*:}" || status=1
        cat "$cache/${process%%:*}.log"
    done
    running=
}
for platform in ${*:-macos ios tvos watchos visionos}; do
    triple "$platform" >/dev/null
    (check "$platform") >"$cache/$platform.log" 2>&1 &
    running="$running $platform:$!"
    [ "$(echo $running | wc -w)" -lt 2 ] || finish
done
finish
for folder in Sources/*/ Plugins/*/ Tools/*/; do
    [ -d "$folder" ] || continue
    module=$(basename "$folder")
    why=$(reason "$module")
    [ -z "$why" ] || echo "availability: $module is not covered: $why"
done
exit $status
