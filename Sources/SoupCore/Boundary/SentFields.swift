// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Fields of records that a sync up sends: one list of its configuration.
public struct SentFields: Sendable, Hashable {
    /// Of which records: `create` or `update`.
    public var kind: RecordChange.Kind
    /// The fields, those of nested objects with their dots; order does not count.
    public var fields: [String]
    /// Where in the target object they are named, for warnings; nil for the `fieldlist` in the options of the sync.
    public var path: String?

    /// Fields as a target sends them; that the server has them is not checked.
    public init(_ kind: RecordChange.Kind, _ fields: [String], at path: String?) {
        self.kind = kind
        self.fields = fields
        self.path = path
    }

    /// The lists of creations and updates, for which another list may stand in.
    ///
    /// - Parameters:
    ///   - create: the list of creations, and where it is.
    ///   - update: the list of updates, and where it is.
    ///   - otherwise: sent of both where they have no list of their own, and where it is.
    /// - Returns: none for what no list tells of.
    public static func lists(
        create: (fields: [String]?, path: String), update: (fields: [String]?, path: String),
        otherwise: (fields: [String]?, path: String?)
    ) -> [SentFields] {
        [(RecordChange.Kind.create, create), (.update, update)].compactMap { kind, own in
            if let fields = own.fields { return SentFields(kind, fields, at: own.path) }
            return otherwise.fields.map { SentFields(kind, $0, at: otherwise.path) }
        }
    }
}
