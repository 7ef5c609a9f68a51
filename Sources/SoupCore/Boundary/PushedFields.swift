// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A list of fields of records that a sync up sends.
public struct PushedFields: Sendable, Hashable {
    /// The kind of change that the list is for: `create` or `update`.
    public var kind: RecordChange.Kind
    /// The fields; those of nested objects have dotted names.
    ///
    /// Case is significant, as in the records; order is not.
    public var fields: [String]
    /// The object on the server; nil if the records themselves name it.
    public var objectType: String?
    /// The place in the target object that names the fields, for warnings; nil for the `fieldlist` in the sync's
    /// options.
    public var path: String?

    /// Creates a list of fields that a target sends; it does not check that the server has them.
    public init(_ kind: RecordChange.Kind, of objectType: String? = nil, _ fields: [String], at path: String?) {
        self.kind = kind
        self.objectType = objectType
        self.fields = fields
        self.path = path
    }

    /// The members of records that are sent: for a dotted field, its first name.
    package var members: [String] { fields.map { Self.member(of: $0) } }

    /// Returns the member of a record that contains a field.
    package static func member(of field: String) -> String {
        field.split(separator: ".", maxSplits: 1).first.map(String.init) ?? field
    }

    /// The path of the list, starting at the sync.
    package var steps: [ConfigurationStep] {
        (path.map { ["target", $0] } ?? ["options", "fieldlist"]).map { .key($0) }
    }

    /// Returns the lists of creations and updates, each replaced by a common list if it is missing.
    ///
    /// - Parameters:
    ///   - objectType: the object on the server; nil if the records themselves name it.
    ///   - create: the list of creations, and its place.
    ///   - update: the list of updates, and its place.
    ///   - otherwise: the list for the kinds of changes that have no list of their own, and its place.
    ///   - externalId: the field by which creations are upserts, and its place.
    ///   - clientKey: the field by which created records are looked up, and its place; nil for none.
    /// - Returns: the lists; none for a kind of change without a list.
    public static func lists(
        of objectType: String?, create: (fields: [String]?, path: String), update: (fields: [String]?, path: String),
        otherwise: (fields: [String]?, path: String?), externalId: (field: String?, path: String),
        clientKey: (field: String?, path: String)? = nil
    ) -> [PushedFields] {
        let lists = [(RecordChange.Kind.create, create), (.update, update)].compactMap { kind, own in
            if let fields = own.fields { return PushedFields(kind, of: objectType, fields, at: own.path) }
            return otherwise.fields.map { PushedFields(kind, of: objectType, $0, at: otherwise.path) }
        }
        guard lists.contains(where: { $0.kind == .create }) else { return lists }
        let keys = [externalId, clientKey].compactMap { key in key?.field.map { (field: $0, path: key?.path) } }
        return lists + keys.map { PushedFields(.create, of: objectType, [$0.field], at: $0.path) }
    }
}
