// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The key provider that a configuration names: a name, or an object with a `type` and options.
///
/// A member of this type in a backend's `Configuration` is checked when a file is read, as a ``StoreReference`` is.
/// ``StoreContext/keyProvider(_:)`` creates the provider.
public struct KeyReference: Sendable, Hashable, Decodable {
    /// The name or the object, as written.
    public let json: JSONValue

    /// Creates a reference from any value; the registry checks it when it creates the provider.
    public init(_ json: JSONValue) { self.json = json }

    /// Creates a reference to a provider with its standard options.
    public init(named name: PluginName) { json = .string(name.rawValue) }

    /// Reads the reference; from a configuration file, also checks it.
    ///
    /// - Throws: `DecodingError`; ``ConfigurationError`` with the faults of the options.
    public init(from decoder: any Decoder) throws {
        json = try decoder.singleValueContainer().decode(JSONValue.self)
        try (decoder as? ConfigurationValueDecoder)?.check(self)
    }

    /// The name; nil if there is none.
    public var name: PluginName? { json.pluginName }
}

extension ConfigurationValueDecoder {
    /// Creates the provider for its problems only; without a registry, does nothing.
    ///
    /// - Throws: ``ConfigurationError`` with all problems; warnings are recorded.
    fileprivate func check(_ reference: KeyReference) throws {
        guard value != nil, let registry = report.registry else { return }
        var problems: [ConfigurationProblem] = []
        _ = registry.keyProvider(reference, at: path, in: report.folder, problems: &problems)
        if problems.contains(where: { $0.severity == .error }) { throw ConfigurationError(problems) }
        report.add(problems)
    }
}

extension StoreContext {
    /// Creates the key provider that a configuration names; its relative paths start at ``folder``.
    ///
    /// - Throws: ``ConfigurationError`` for an unknown name or faulty options; ``SoupError`` with `registry` if this
    ///   context does not come from a registry, which is so for a store that is opened in code.
    public func keyProvider(_ reference: KeyReference) throws -> any KeyProvider {
        guard let registry else {
            throw SoupError(
                .registry, "the key provider cannot be created by its name without a registry",
                hint: "Pass the key provider itself, or open the store with PluginRegistry.")
        }
        var problems: [ConfigurationProblem] = []
        let provider = registry.keyProvider(reference, in: folder.filePath, problems: &problems)
        guard let provider else { throw ConfigurationError(problems) }
        return provider
    }
}
