// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What every sync target is: a type with a name, made from the JSON that names it.
///
/// `init(configuration:)` gets the `target` object of the sync, decoded. Decoding reports every key that is missing or
/// of the wrong type with its place; throw a ``SoupError`` for what decoding cannot see, or several at once by
/// ``ConfigurationFaults``.
///
/// A member `soupName`, at whatever depth of the target object, names a soup of the store: that it is there is checked
/// with the configuration.
public protocol SyncPlugin: Sendable {
    /// What the `target` object is decoded to; keys that it does not know are no error.
    associatedtype Configuration: Decodable & Sendable

    /// The name that `type` uses: `soql`.
    static var name: PluginName { get }
    /// Other names under which it is known, such as the class names of the mobile SDKs.
    static var aliases: [PluginName] { get }
    /// A target object that works, for `soup targets NAME --sample` and the documentation; nil for none.
    static var sample: JSONText? { get }

    /// Makes the target, for each run anew, and also just to check a configuration: send nothing here.
    ///
    /// - Throws: ``SoupError`` for what decoding cannot see, such as a query that does not parse;
    ///   ``ConfigurationError`` for several of these.
    init(configuration: Configuration) throws
}

extension SyncPlugin {
    /// None: the target goes by its ``name`` alone.
    public static var aliases: [PluginName] { [] }
    /// Nil: there is no sample to show.
    public static var sample: JSONText? { nil }
}

/// The name of a target or a backend in configuration files: compared exactly, case included.
public struct PluginName: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as `type` in a configuration writes it.
    public let rawValue: String
    /// Takes any text; whether the name is registered shows when a target is made.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// For a name that was read from a file or a command line.
    public init(_ name: String) { self.rawValue = name }
    /// Lets a target write `static let name: PluginName = "weather"`.
    public init(stringLiteral value: String) { self.rawValue = value }
    /// The bare name, for messages that put the quotes around it themselves.
    public var description: String { rawValue }
    /// Compares the texts; listings and error messages are in this order.
    public static func < (left: PluginName, right: PluginName) -> Bool { left.rawValue < right.rawValue }
}

extension PluginName {
    /// The class names by which configurations of the mobile SDKs ask for a target, for ``SyncPlugin/aliases``.
    ///
    /// They are the Objective-C class, the Java class with its package, the same with the package that it had before
    /// version 8.0, and the class without a package, which is its Swift name and the form that the developer guide
    /// prints for Android.
    ///
    /// - Parameter name: the class without prefix and package, such as `SoqlSyncDownTarget`.
    public static func mobileSDKClass(_ name: String) -> [PluginName] {
        let packages = ["com.salesforce.androidsdk.mobilesync.target.", "com.salesforce.androidsdk.smartsync.target."]
        return (["SF"] + packages + [""]).map { PluginName($0 + name) }
    }
}

/// A package of plug-ins: one line registers them all.
public protocol PluginModule: Sendable {
    /// Registers every plug-in of the module.
    ///
    /// - Throws: ``SoupError`` with `registry` when a name is taken.
    func register(in registry: inout PluginRegistry) throws
}
