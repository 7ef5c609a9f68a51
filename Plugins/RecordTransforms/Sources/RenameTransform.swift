// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The record transform `rename`: members get other names.
///
/// ```json
/// {"type": "rename", "fields": {"Name": "title", "Phone": "tel"}}
/// ```
///
/// A sync up gives them the server's names again. If a record has a member with the new name already, that member is
/// replaced.
public struct RenameTransform: RecordTransform {
    /// The names.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The new names by those of the server.
        public var fields: [String: String]

        /// Creates the configuration; ``RenameTransform/init(configuration:)`` checks it.
        public init(fields: [String: String]) { self.fields = fields }
    }

    /// `rename`.
    public static let name: PluginName = "rename"

    private let names: [String: String]

    /// - Throws: ``SoupError`` with `badConfiguration` if there are no names, for a path, if two members get the same
    ///   name, or if a new name is also a name of the server's that is renamed.
    public init(configuration: Configuration) throws {
        let names = configuration.fields
        try Self.require(!names.isEmpty, "no field is renamed", hint: "Add names: {\"fields\": {\"Name\": \"title\"}}.")
        try FieldNames.check(Array(names.keys) + names.values, at: "fields")
        let new = Set(names.values)
        try Self.require(
            new.count == names.count, "two fields get the same name", hint: "Give each field a name of its own.")
        try Self.require(
            new.isDisjoint(with: names.keys), "a new name is also the name of a renamed field",
            hint: "Use names that the server's records do not have.")
        self.names = names
    }

    private init(names: [String: String]) { self.names = names }

    private static func require(_ condition: Bool, _ message: String, hint: String) throws {
        guard !condition else { return }
        throw SoupError(.badConfiguration, message, place: SoupError.Place(path: "fields"), hint: hint)
    }

    /// The names of both sides, sorted.
    public var fields: [String] { (Array(names.keys) + names.values).sorted() }

    /// The same names in the opposite direction.
    public var inverse: (any RecordTransform)? {
        RenameTransform(names: Dictionary(names.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Returns the record with the new names; the members keep their places.
    public func apply(to record: JSONText) throws -> JSONText {
        guard let members = record.members, members.contains(where: { names[$0.key] != nil }) else { return record }
        let replaced = Set(members.compactMap { names[$0.key] })
        return .object(
            members.filter { !replaced.contains($0.key) }.map { (name: names[$0.key] ?? $0.key, value: $0.value) })
    }
}
