// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The credential store that a configuration names: a name, or an object with a `type` and options.
public struct CredentialStoreReference: Sendable, Hashable {
    /// The name or the object, as written.
    public let json: JSONValue

    /// Creates a reference from any value; the registry checks it when it creates the store.
    public init(_ json: JSONValue) { self.json = json }

    /// Creates a reference to a store with its standard options.
    public init(named name: PluginName) { json = .string(name.rawValue) }

    /// The name; nil if there is none.
    public var name: PluginName? { json.pluginName }
}
