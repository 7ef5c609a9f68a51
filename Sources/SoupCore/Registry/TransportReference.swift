// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The transport that a configuration chooses: a name, or an object with a `type` and options.
public struct TransportReference: Sendable, Hashable {
    /// The text or the object, as it was written.
    public let json: JSONValue

    /// Takes any value; the registry checks it when it makes the transport.
    public init(_ json: JSONValue) { self.json = json }

    /// Names a transport with its standard options.
    public init(named name: PluginName) { json = .string(name.rawValue) }

    /// The name; nil if there is none.
    public var name: PluginName? {
        guard let text = json.stringValue ?? json["type"]?.stringValue, !text.isEmpty else { return nil }
        return PluginName(text)
    }
}
