// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What every sync target is: a type with a name, made from the JSON that names it.
///
/// `init(configuration:)` gets the `target` object of the sync, decoded. Decoding reports every key that is missing or
/// of the wrong type with its place; throw a ``SoupError`` for what decoding cannot see.
public protocol SyncPlugin: Sendable {
    associatedtype Configuration: Decodable & Sendable

    /// The name that `type` uses: `soql`.
    static var name: PluginName { get }
    /// Other names under which it is known, such as the class names of the mobile SDKs.
    static var aliases: [PluginName] { get }
    /// A target object that works, for `soup targets NAME --sample` and the documentation; nil for none.
    static var sample: JSONText? { get }

    init(configuration: Configuration) throws
}

extension SyncPlugin {
    public static var aliases: [PluginName] { [] }
    public static var sample: JSONText? { nil }
}

/// The name of a target or a backend in configuration files: compared exactly, case included.
public struct PluginName: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ name: String) { self.rawValue = name }
    public init(stringLiteral value: String) { self.rawValue = value }
    public var description: String { rawValue }
    public static func < (left: PluginName, right: PluginName) -> Bool { left.rawValue < right.rawValue }
}

/// A package of plug-ins: one line registers them all.
public protocol PluginModule: Sendable {
    /// - Throws: ``SoupError`` with `registry` when a name is taken.
    func register(in registry: inout PluginRegistry) throws
}
