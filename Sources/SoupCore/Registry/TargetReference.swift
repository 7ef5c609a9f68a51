// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The `target` object of a sync, which names the plug-in and contains its configuration.
public struct TargetReference: Sendable, Hashable {
    /// The whole object.
    public let json: JSONValue

    /// Creates a reference from any value; one that is not an object names no plug-in, like an empty one.
    public init(_ json: JSONValue) { self.json = json }

    /// The keys that name a class, in the order in which they are tried.
    public static let classKeys = ["swiftImpl", "iOSImpl", "androidImpl", "AndroidImpl"]

    /// The value of `type`; nil when it is absent or empty.
    public var type: PluginName? { name("type") }

    /// The classes that the object names, with their keys.
    public var classes: [(key: String, name: PluginName)] {
        Self.classKeys.compactMap { key in name(key).map { (key, $0) } }
    }

    private func name(_ key: String) -> PluginName? {
        guard let text = json[key]?.stringValue, !text.isEmpty else { return nil }
        return PluginName(text)
    }
}
