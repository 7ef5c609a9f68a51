#!/bin/sh
# Checks how SoupKit behaves as a dependency, with the app in Tests/PackageGraph:
#   * an app that names no traits fetches only GRDB, swift-http-types, swift-log, and their dependencies;
#   * a package with the target names of Salesforce Mobile SDK can be in the same graph. SwiftPM rejects two targets with the same
#     name.
set -eu
cd "$(dirname "$0")/.."

mkdir -p .build
package="${SWIFT:-swift} package --package-path Tests/PackageGraph/App --scratch-path .build/graph"
expected="grdb.swift mobilesdk swift-http-types swift-log"

# The name of the clone's folder is the identity of SoupKit itself.
soupkit=$(basename "$PWD" | tr '[:upper:]' '[:lower:]')
fetched=$($package show-dependencies --format flatlist 2>.build/graph.log | grep -vxiF "$soupkit" | sort | tr '\n' ' ')
if [ "$fetched" != "$expected " ]; then
    cat .build/graph.log
    echo "An app without traits fetches: $fetched"
    echo "It must fetch:                 $expected"
    echo "Make the dependency in Package.swift conditional on a trait: .product(..., trait: ...)."
    exit 1
fi
if ! $package show-executables >.build/graph.log 2>&1; then
    cat .build/graph.log
    echo "An app that depends on SoupKit and on Salesforce Mobile SDK does not resolve. Rename the target that the log names."
    exit 1
fi
echo "package graph: an app without traits fetches $expected"
