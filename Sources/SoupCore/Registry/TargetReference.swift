// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The `target` object of a sync: what it says about which plug-in is meant, and its own settings.
public struct TargetReference: Sendable, Hashable {
    /// The whole object.
    public let json: JSONValue

    /// Takes any value; one that is no object names no plug-in, like an empty one.
    public init(_ json: JSONValue) { self.json = json }

    /// The keys that name a class, in the order in which they are tried.
    public static let classKeys = ["swiftImpl", "iOSImpl", "androidImpl", "AndroidImpl"]

    /// The value of `type`; nil when it is absent or empty.
    public var type: PluginName? { name("type") }

    /// The classes that the object names, with the keys that name them.
    public var classes: [(key: String, name: PluginName)] {
        Self.classKeys.compactMap { key in name(key).map { (key, $0) } }
    }

    private func name(_ key: String) -> PluginName? {
        guard let text = json[key]?.stringValue, !text.isEmpty else { return nil }
        return PluginName(text)
    }
}
