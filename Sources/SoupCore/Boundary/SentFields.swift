// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Fields of records that a sync up sends: one list of its configuration.
public struct SentFields: Sendable, Hashable {
    /// Of which records: `create` or `update`.
    public var kind: RecordChange.Kind
    /// The fields, those of nested objects with their dots; case counts, as in the records, and order does not.
    public var fields: [String]
    /// The object on the server; nil when the records themselves tell it.
    public var objectType: String?
    /// Where in the target object they are named, for warnings; nil for the `fieldlist` in the options of the sync.
    public var path: String?

    /// Fields as a target sends them; that the server has them is not checked.
    public init(_ kind: RecordChange.Kind, of objectType: String? = nil, _ fields: [String], at path: String?) {
        self.kind = kind
        self.objectType = objectType
        self.fields = fields
        self.path = path
    }

    /// The members of records that are sent: of fields with dots the first name.
    package var members: [String] { fields.map { Self.member(of: $0) } }

    /// The member of a record that holds a field.
    package static func member(of field: String) -> String {
        field.split(separator: ".", maxSplits: 1).first.map(String.init) ?? field
    }

    /// Where the list is, from the sync on.
    package var steps: [ConfigurationStep] {
        (path.map { ["target", $0] } ?? ["options", "fieldlist"]).map { .key($0) }
    }

    /// The lists of creations and updates, for which another list may stand in.
    ///
    /// - Parameters:
    ///   - objectType: the object on the server; nil when the records themselves tell it.
    ///   - create: the list of creations, and where it is.
    ///   - update: the list of updates, and where it is.
    ///   - otherwise: sent of both where they have no list of their own, and where it is.
    ///   - externalId: the field by which creations are upserts, and where it is named.
    /// - Returns: none for what no list tells of.
    public static func lists(
        of objectType: String?, create: (fields: [String]?, path: String), update: (fields: [String]?, path: String),
        otherwise: (fields: [String]?, path: String?), externalId: (field: String?, path: String)
    ) -> [SentFields] {
        let lists = [(RecordChange.Kind.create, create), (.update, update)].compactMap { kind, own in
            if let fields = own.fields { return SentFields(kind, of: objectType, fields, at: own.path) }
            return otherwise.fields.map { SentFields(kind, of: objectType, $0, at: otherwise.path) }
        }
        guard let field = externalId.field, lists.contains(where: { $0.kind == .create }) else { return lists }
        return lists + [SentFields(.create, of: objectType, [field], at: externalId.path)]
    }
}
