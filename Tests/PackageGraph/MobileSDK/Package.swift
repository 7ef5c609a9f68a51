// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// A package with the target names of Salesforce Mobile SDK's own package.

import PackageDescription

let package = Package(
    name: "MobileSDK",
    products: [
        .library(name: "MobileSync", targets: ["MobileSync"]), .library(name: "SmartStore", targets: ["SmartStore"]),
    ],
    targets: [
        .target(name: "CZlib"),
        .target(name: "SalesforceSDKCore"),
        .target(name: "SmartStore", dependencies: ["SalesforceSDKCore", "CZlib"]),
        .target(name: "MobileSync", dependencies: ["SmartStore"]),
    ]
)
