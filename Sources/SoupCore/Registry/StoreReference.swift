// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The object that describes a store inside the configuration of another one: its `type`, and its own configuration.
///
/// A member of this type in a backend's `Configuration` is checked when a file is read: an unknown type and every fault
/// in the object are reported with their places, as for the outermost `backend` object. ``StoreContext/open(_:)`` opens
/// the store.
public struct StoreReference: Sendable, Hashable, Decodable {
    /// The whole object, as written.
    public let json: JSONValue

    /// Creates a reference from any value; a value that is not an object names no store.
    public init(_ json: JSONValue) { self.json = json }

    /// Creates a reference in code; `configuration` need not repeat the type.
    public init(type: PluginName, configuration: JSONValue = [:]) {
        var json = configuration
        json["type"] = .string(type.rawValue)
        self.json = json
    }

    /// Reads the object; from a configuration file, also checks it.
    ///
    /// - Throws: `DecodingError`; ``ConfigurationError`` with the faults of the object.
    public init(from decoder: any Decoder) throws {
        json = try decoder.singleValueContainer().decode(JSONValue.self)
        try (decoder as? ConfigurationValueDecoder)?.check(self)
    }

    /// The registered name of the backend, such as `sqlite`; nil if the object has none.
    public var type: PluginName? {
        guard let text = json["type"]?.stringValue, !text.isEmpty else { return nil }
        return PluginName(text)
    }
}

extension ConfigurationValueDecoder {
    /// Checks the configuration of an inner store.
    ///
    /// Without a registry, only whether it is an object.
    ///
    /// - Throws: ``ConfigurationError`` with all problems of the object; its warnings are recorded.
    fileprivate func check(_ reference: StoreReference) throws {
        guard let value else { return }
        guard value.objectValue != nil else { throw mismatch("an object with the \"type\" of a store") }
        guard let registry = report.registry else { return }
        var problems: [ConfigurationProblem] = []
        // The store is prepared only for its problems. It is not opened.
        var context = StoreContext(folder: URL(filePath: "."))
        context.soups = report.soups
        _ = registry.backend(reference, at: path, context: context, problems: &problems)
        if problems.contains(where: { $0.severity == .error }) { throw ConfigurationError(problems) }
        report.add(problems)
    }
}

extension PluginRegistry {
    /// Prepares the store backend that a reference describes; it is opened only when the result is called.
    ///
    /// - Parameters:
    ///   - path: the place of the object in its file, for the places of problems.
    ///   - problems: receives the faults; with an error the result is nil.
    public func backend(
        _ reference: StoreReference, at path: [ConfigurationStep] = [], context: StoreContext,
        problems: inout [ConfigurationProblem]
    ) -> OpenBackend? {
        guard let type = reference.type else {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: (path + [.key("type")]).text), "the store has no \"type\"",
                    hint: "Add \"type\". \(NameDistance.list(of: storeBackends.map(\.name.rawValue)))"))
            return nil
        }
        return backend(type, configuration: reference.json, at: path, context: context, problems: &problems)
    }
}
