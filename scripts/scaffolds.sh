#!/bin/sh
# Creates every kind of plug-in with `soup new`, in every form, and checks it as its author would.
#
#   scripts/scaffolds.sh path/to/soup
#
# The packages use the modules that `.build/demo` contains for the demo and the samples; plug-ins in a copy of this clone those of the debug
# build, which needs the tests.
set -eu
cd "$(dirname "$0")/.."

soup=$1
swift=${SWIFT:-swift}
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
# shellcheck disable=SC2086
scripts/check-clone-scaffolds.py "$soup" $kinds
echo "scaffolds: every form of every kind passes"
