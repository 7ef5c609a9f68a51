#!/bin/sh
# Checks how SoupKit behaves as a dependency, with the app in Tests/PackageGraph:
#   * an app that names no traits fetches only GRDB, swift-http-types, swift-log, and their dependencies;
#   * an app can import modules of SoupKit and a module SmartStore of another package. SwiftPM rejects a graph with two targets of
#     one name. The build compiles only SoupCore, SoupStore and swift-http-types, which takes less than a minute, and then seconds.
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
build="${SWIFT:-swift} build ${SOUPKIT_BUILD_OPTIONS:-} --package-path Tests/PackageGraph/App --scratch-path .build/graph"
if ! $build --product TwoStores >.build/graph.log 2>&1; then
    cat .build/graph.log
    echo "An app that imports SoupKit and Salesforce Mobile SDK does not build. If two targets have one name, rename that of SoupKit."
    exit 1
fi
if ! "$($build --show-bin-path)/TwoStores" >.build/graph.log 2>&1; then
    cat .build/graph.log
    echo "An app that imports SoupKit and Salesforce Mobile SDK does not run."
    exit 1
fi
echo "package graph: an app without traits fetches $expected, and an app that also imports Salesforce Mobile SDK builds"
