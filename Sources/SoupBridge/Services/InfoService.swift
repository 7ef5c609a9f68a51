// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The app, as `com.salesforce.sdkinfo` describes it to JavaScript.
public struct BridgeApp: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The version.
    public var version: String

    /// Creates a description.
    public init(name: String = "SoupKit", version: String = "1.0") {
        self.name = name
        self.version = version
    }
}

/// The service `com.salesforce.sdkinfo`.
struct InfoService: BridgeService {
    /// The version of the mobile SDK whose JavaScript API this is.
    static let sdkVersion = "14.0.0"

    let name = "com.salesforce.sdkinfo"
    let app: BridgeApp

    var actionNames: [String] { ["getInfo", "registerAppFeature", "unregisterAppFeature"] }
    var readingActions: Set<String> { Set(actionNames) }

    func action(_ name: String) -> Action? {
        switch name {
        case "getInfo": { _ in info }
        // The mobile SDKs send features in the header User-Agent, for Salesforce's statistics.
        case "registerAppFeature", "unregisterAppFeature": { _ in nil }
        default: nil
        }
    }

    private var info: JSONText {
        .object([
            ("sdkVersion", .string(Self.sdkVersion)), ("appName", .string(app.name)),
            ("appVersion", .string(app.version)),
            (
                "forcePluginsAvailable",
                .array(
                    ["com.salesforce.smartstore", "com.salesforce.mobilesync", "com.salesforce.network", name]
                        .map { .string($0) })
            ), ("bootConfig", .object([])),
        ])
    }
}
