#!/bin/sh
# Creates every kind of plug-in with `soup new`, in every form, and checks it as its author would.
#
#   scripts/scaffolds.sh path/to/soup
#
# The packages are built in the folders of the samples, which contain SoupKit: without traits for plug-ins, with the trait Tools for a
# command. Plug-ins in a copy of this clone use the modules of the debug build, which needs the tests.
# SOUPKIT_BUILD_OPTIONS contains more options of `swift build`.
set -eu
cd "$(dirname "$0")/.."

soup=$1
swift=${SWIFT:-swift}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
kinds="target:Weather:WeatherTargets backend:Audit:AuditStores resolver:LongerText:LongerTextResolvers"

built() { # scratch folder, package folder, arguments of swift
    scratch=$1
    package=$2
    shift 2
    # shellcheck disable=SC2086
    $swift "$@" ${SOUPKIT_BUILD_OPTIONS:-} --disable-build-manifest-caching --package-path "$package" --scratch-path "$scratch"
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
    built Samples/.build "$folder/$module" build --build-tests
    built Samples/.build "$folder/$module" test --skip-build
    built Samples/.build "$folder/$module" build --product "$module"
    library=$(ls Samples/.build/debug/lib"$module".*)
    "$soup" validate --config "$folder/$module/Config" --plugin "$library"
}
each plugin

echo "== soup new target Weather --command"
rm -rf "$folder/WeatherTargets"
"$soup" new target Weather --command --soupkit "$PWD" --directory "$folder"
built .build/demo "$folder/WeatherTargets" build --build-tests
built .build/demo "$folder/WeatherTargets" test --skip-build
built .build/demo "$folder/WeatherTargets" build --product weatherSoup
.build/demo/debug/weatherSoup validate --config "$folder/WeatherTargets/Config"

echo "== soup new in a clone"
# shellcheck disable=SC2086
scripts/check-clone-scaffolds.py "$soup" $kinds
echo "scaffolds: every form of every kind passes"
