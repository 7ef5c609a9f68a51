// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// How a target turns local changes into what the server is asked to do.
public struct RecordForm: Sendable {
    /// The object of records that do not name one; nil when each must.
    public var objectType: String?
    /// Whether ``objectType`` counts for all records, whatever they say.
    public var typeIsFixed: Bool
    /// The fields that are never sent, in addition to `Id`, which the server accepts in no body.
    ///
    /// They are taken from the field lists when the form is made; a change afterwards has no effect.
    public var names: RecordFieldNames
    /// The field whose value makes an upsert of a creation; nil, and every creation is a plain one.
    public var externalIdField: String?
    private let createFields: FieldSelection?
    private let updateFields: FieldSelection?

    /// - Parameters:
    ///   - createList: the fields to send when a record is created; nil means those of the sync's options.
    ///   - updateList: the same for updates.
    public init(
        names: RecordFieldNames, externalIdField: String?, createList: [String]?, updateList: [String]?,
        options: SyncOptions, objectType: String? = nil, typeIsFixed: Bool = false
    ) {
        self.names = names
        self.externalIdField = externalIdField
        self.objectType = objectType
        self.typeIsFixed = typeIsFixed
        let never = [names.id, names.modificationDate, "Id"]
        createFields = (createList ?? options.fieldlist).map { FieldSelection($0, excluding: never) }
        updateFields = (updateList ?? options.fieldlist).map { FieldSelection($0, excluding: never) }
    }

    /// The fields of the record itself to ask the server for, to compare with a change.
    ///
    /// Those that a creation, or an update, can send, in the order of the list; for a deletion, which takes all of the
    /// record, both. Empty without a list.
    public func ownNames(for kind: RecordChange.Kind) -> [String] {
        let lists =
            switch kind {
            case .create: [createFields]
            case .update, .none: [updateFields]
            case .delete: [updateFields, createFields]
            }
        var seen: Set<String> = []
        return lists.flatMap { $0?.names ?? [] }.filter {
            !$0.utf8.contains(UInt8(ascii: ".")) && seen.insert($0).inserted
        }
    }

    /// What to do for one change.
    public struct Action: Sendable {
        /// What the server is to do with the record.
        public enum Verb: Sendable {
            case create
            /// Create or update the record with this value in the external id field.
            case upsert(field: String, value: JSONText)
            case update(id: String)
            case delete(id: String)
        }

        /// The request's kind, with the id or external id that it goes to.
        public var verb: Verb
        /// The object of the record, as it stands in the path.
        public var type: String
        /// The fields to send, in the order of the field list, their values as the entry has them.
        ///
        /// Empty for deletions; without the external id field for upserts, which have it in their path.
        public var members: [(name: String, value: JSONText)]

        /// The server's id of the record, where it does not take the answer to know it.
        public var knownId: String? {
            switch verb {
            case .update(let id), .delete(let id): id
            case .upsert(let field, let value) where field.lowercased() == "id": value.string
            case .create, .upsert: nil
            }
        }
    }

    /// The action that a change asks for; nil for a change of kind `none`, and for an update that changes none of the
    /// fields that are sent.
    ///
    /// - Parameter evenIfUnchanged: whether such an update is made all the same, because something else goes with it.
    /// - Throws: ``PushFailure`` for a record that cannot be sent; ``SoupError`` with `badConfiguration` when no field
    ///   list says what to send.
    public func action(for change: RecordChange, evenIfUnchanged: Bool = false) throws -> Action? {
        switch change.kind {
        case .none: return nil
        case .create:
            let type = try type(of: change)
            guard let createFields else { throw Self.noFields("createFieldlist") }
            var members = createFields.members(of: change.record)
            guard let externalIdField, let value = externalId(of: change) else {
                return Action(verb: .create, type: type, members: members)
            }
            if externalIdField.lowercased() == "id" { try Self.check(value.string ?? value.description) }
            members.removeAll { $0.name.lowercased() == externalIdField.lowercased() }
            return Action(verb: .upsert(field: externalIdField, value: value), type: type, members: members)
        case .update:
            guard let updateFields else { throw Self.noFields("updateFieldlist") }
            let members = updateFields.members(of: change.record, changedSince: change.base)
            let action = Action(verb: .update(id: try id(of: change)), type: try type(of: change), members: members)
            return members.isEmpty && change.base != nil && !evenIfUnchanged ? nil : action
        case .delete: return Action(verb: .delete(id: try id(of: change)), type: try type(of: change), members: [])
        }
    }

    /// The object of a record.
    public func type(of change: RecordChange) throws -> String {
        let own = typeIsFixed ? nil : change.record["attributes.type"]?.stringValue
        guard let type = own.flatMap({ $0.isEmpty ? nil : $0 }) ?? objectType else {
            throw PushFailure(
                code: "INVALID_TYPE", message: "the record has no attributes.type, so its object is not known")
        }
        return type
    }

    /// The value of a creation's external id: a text or a number, and no temporary id.
    public func externalId(of change: RecordChange) -> JSONText? { Self.externalId(of: change, in: externalIdField) }

    /// The value of a creation's external id, as ``externalId(of:)`` of a form with that field.
    ///
    /// - Parameter field: nil when there is none, and then no value either.
    public static func externalId(of change: RecordChange, in field: String?) -> JSONText? {
        guard let field else { return nil }
        switch change.record[JSONPath(field)] {
        case .string(let text)?: return text.isEmpty || LocalId.isLocal(text) ? nil : .string(text)
        case .int(let number)?: return .integer(number)
        case .double(let number)?: return try? JSONText(.double(number))
        case .number(let number)?: return try? JSONText(.number(number))
        default: return nil
        }
    }

    private func id(of change: RecordChange) throws -> String {
        guard let id = change.serverId, !id.isEmpty else {
            throw PushFailure(code: "MISSING_ID", message: "the record has no id on the server")
        }
        try Self.check(id)
        return id
    }

    /// - Throws: ``PushFailure`` for an ID that no record can have: the API would refuse the other records of the
    ///   request with it.
    private static func check(_ id: String) throws {
        guard !SalesforceID.isPossible(id) else { return }
        throw PushFailure(
            code: "MALFORMED_ID",
            message: "\"\(id.excerpt(40))\" is not an ID that a Salesforce record can have, so nothing is sent: "
                + "correct the entry's ID, or discard the change")
    }

    private static func noFields(_ key: String) -> SoupError {
        SoupError(
            .badConfiguration, "no field list says what to send", place: Place(path: key),
            hint: "Add \"\(key)\" to the target or \"fieldlist\" to the options of the sync.")
    }
}
