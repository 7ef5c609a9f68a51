#!/bin/sh
# Creates every kind of plug-in with `soup new`, in every form, and checks it as its author would.
#
#   scripts/scaffolds.sh path/to/soup
#
# The packages use the modules that `.build/demo` contains for the demo and the samples. Plug-ins in a copy of this clone are checked without a
# build of the whole package: the manifest is loaded, the sources are type-checked against the modules of the debug build, and formatted as
# `make lint` wants it. Their tests are the same as those of the packages, which are run.
set -eu
cd "$(dirname "$0")/.."

soup=$1
swift=${SWIFT:-swift}
compiler=${SWIFTC:-swiftc}
modules=$(dirname "$soup")/Modules
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
kinds="target:Weather:WeatherTargets backend:Audit:AuditStores resolver:LongerText:LongerTextResolvers"

built() { # package folder, arguments of swift
    package=$1
    shift
    $swift "$@" --disable-build-manifest-caching --package-path "$package" --scratch-path .build/demo
}
each() { # body that uses $kind, $name and $module
    for entry in $kinds; do
        kind=${entry%%:*} module=${entry##*:} name=${entry#*:}
        name=${name%:*}
        "$1"
    done
}

plugin() {
    echo "== soup new $kind $name --package"
    "$soup" new "$kind" "$name" --package --soupkit "$PWD" --directory "$folder"
    built "$folder/$module" build --build-tests
    built "$folder/$module" test --skip-build
    built "$folder/$module" build --product "$module"
    library=$(ls .build/demo/debug/lib"$module".*)
    "$soup" validate --config "$folder/$module/Config" --plugin "$library"
}
each plugin

echo "== soup new target Weather --command"
rm -rf "$folder/WeatherTargets"
"$soup" new target Weather --command --soupkit "$PWD" --directory "$folder"
built "$folder/WeatherTargets" build --build-tests
built "$folder/WeatherTargets" test --skip-build
built "$folder/WeatherTargets" build --product weatherSoup
.build/demo/debug/weatherSoup validate --config "$folder/WeatherTargets/Config"

echo "== soup new in a clone"
mkdir "$folder/clone"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$folder/clone"
repository() {
    (cd "$folder/clone" && "$soup" new "$kind" "$name")
    plugin="$folder/clone/Plugins/$module"
    options="-swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility -warnings-as-errors -I $modules"
    # shellcheck disable=SC2086
    $compiler $options -emit-module -module-name "$module" -emit-module-path "$folder/$module.swiftmodule" "$plugin"/Sources/*.swift
    testing=$(dirname "$(command -v "$compiler")")/../lib/swift
    # shellcheck disable=SC2086
    $compiler $options -I "$folder" -plugin-path "$testing/host/plugins/testing" -typecheck "$plugin"/Tests/*.swift
    $swift format lint --strict --recursive "$plugin"
}
each repository
(
    cd "$folder/clone"
    $swift format lint --strict Package.swift Sources/SoupKit/*.swift
    $swift package dump-package >/dev/null
    scripts/check-rules.sh
)
echo "scaffolds: every form of every kind passes"
