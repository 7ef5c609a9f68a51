// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type with a name that is created from the JSON that names it, such as a sync target.
///
/// `init(configuration:)` receives the decoded `target` object of the sync. Decoding reports every key that is missing
/// or of the wrong type with its place. For other errors, throw a ``SoupError``, or several at once with
/// ``ConfigurationFaults``.
///
/// A member `soupName`, at any depth of the target object, names a soup of the store; the configuration check verifies
/// that this soup exists.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol SyncPlugin: Sendable {
    /// The type that the `target` object is decoded to; unknown keys are ignored.
    associatedtype Configuration: Decodable & Sendable

    /// The name in the member `type`: `soql`.
    static var name: PluginName { get }
    /// Other names of the plug-in, such as the class names of the mobile SDKs.
    static var aliases: [PluginName] { get }
    /// A working target object, for `soup targets NAME --sample` and the documentation; nil for none.
    static var sample: JSONText? { get }

    /// Creates the target, for each run and also only to check a configuration: do not send requests here.
    ///
    /// - Throws: ``SoupError`` for errors that decoding cannot detect, such as a query that does not parse;
    ///   ``ConfigurationError`` for several of these.
    init(configuration: Configuration) throws
}

extension SyncPlugin {
    /// None: the target has only its ``name``.
    public static var aliases: [PluginName] { [] }
    /// Nil: there is no sample.
    public static var sample: JSONText? { nil }
}

extension JSONValue {
    /// The name of a plug-in that a configuration gives by its name, or by an object with a `type`; nil without a name.
    var pluginName: PluginName? {
        guard let text = stringValue ?? self["type"]?.stringValue, !text.isEmpty else { return nil }
        return PluginName(text)
    }
}

/// The name of a target or a backend in configuration files: compared exactly, case included.
public struct PluginName: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as written in the `type` of a configuration.
    public let rawValue: String
    /// Creates a name from any text; an unregistered name is reported when a target is created.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name that was read from a file or a command line.
    public init(_ name: String) { self.rawValue = name }
    /// Creates a name from a literal, as in `static let name: PluginName = "weather"`.
    public init(stringLiteral value: String) { self.rawValue = value }
    /// The name without quotes; messages add them.
    public var description: String { rawValue }
    /// Compares the texts; listings and error messages use this order.
    public static func < (left: PluginName, right: PluginName) -> Bool { left.rawValue < right.rawValue }
}
