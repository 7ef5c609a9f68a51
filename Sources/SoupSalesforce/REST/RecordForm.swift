// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// A converter from local changes to the actions that a target requests from the server.
package struct RecordForm: Sendable {
    /// The object of records that name none; nil if each record must name its own.
    package var objectType: String?
    /// Whether ``objectType`` applies to all records, even to those that name another object.
    package var typeIsFixed: Bool
    /// The fields that are never sent, in addition to `Id`, which the server accepts in no body.
    ///
    /// They are removed from the field lists when the form is created; later changes have no effect.
    package var names: RecordFieldNames
    /// The field whose value turns a creation into an upsert; if nil, every creation is a plain one.
    package var externalIdField: String?
    /// The field with the random key of a created record, by which it is looked up; always sent with creations.
    package let clientKeyField: String?
    private let createFields: FieldSelection?
    private let updateFields: FieldSelection?
    /// Whether updates ask the server to compare the modification dates.
    private let comparesDates: Bool

    /// - Parameters:
    ///   - createList: the fields to send when a record is created; nil means those of the sync's options.
    ///   - updateList: the same for updates.
    package init(
        names: RecordFieldNames, externalIdField: String?, clientKeyField: String? = nil, createList: [String]?,
        updateList: [String]?, options: SyncOptions, objectType: String? = nil, typeIsFixed: Bool = false
    ) {
        self.names = names
        self.externalIdField = externalIdField
        self.clientKeyField = clientKeyField
        self.objectType = objectType
        self.typeIsFixed = typeIsFixed
        comparesDates = options.mergeMode.detectsConflicts
        let never = [names.id, names.modificationDate, "Id"]
        let key = [clientKeyField].compactMap { $0 }
        createFields = (createList ?? options.fieldlist).map {
            FieldSelection($0.completed(with: key), excluding: never)
        }
        updateFields = (updateList ?? options.fieldlist).map { FieldSelection($0, excluding: never) }
    }

    /// Returns the fields of the record itself that a target fetches from the server to compare them with a change.
    ///
    /// These are the fields that a creation, or an update, can send, in the order of the list. A deletion affects the
    /// whole record, so it uses both lists. Empty without a list.
    package func ownNames(for kind: RecordChange.Kind) -> [String] {
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

    /// The action for one change.
    package struct Action: Sendable {
        /// The server's operation on the record.
        package enum Verb: Sendable {
            case create
            /// Create or update the record with this value in the external ID field.
            case upsert(field: String, value: JSONText)
            case update(id: String)
            case delete(id: String)
        }

        /// The operation, with the ID or external ID of the record.
        package var verb: Verb
        /// The object of the record, as in the path.
        package var type: String
        /// The fields to send, in the order of the field list, with their values from the entry.
        ///
        /// Empty for deletions. For upserts the external ID field is omitted, because it is in the path.
        package var members: [(name: String, value: JSONText)]
        /// For updates: the modification date of the version that the change is based on, in milliseconds since 1970.
        ///
        /// If it is set, and the record was modified since then, the server must refuse the request.
        package var unmodifiedSince: Int64?

        /// The server's ID of the record, if it is known before the response.
        package var knownId: String? {
            switch verb {
            case .update(let id), .delete(let id): id
            case .upsert(let field, let value) where field.lowercased() == "id": value.string
            case .create, .upsert: nil
            }
        }
    }

    /// Returns the action for a change; nil for a change of kind `none`, and for an update that changes none of the
    /// sent fields.
    ///
    /// - Parameter evenIfUnchanged: whether such an update is requested anyway, because other data is sent with it.
    /// - Throws: ``PushFailure`` for a record that cannot be sent; ``SoupError`` with `badConfiguration` if there is no
    ///   field list.
    package func action(for change: RecordChange, evenIfUnchanged: Bool = false) throws -> Action? {
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
            var action = Action(verb: .update(id: try id(of: change)), type: try type(of: change), members: members)
            action.unmodifiedSince = unmodifiedSince(change)
            return members.isEmpty && change.base != nil && !evenIfUnchanged ? nil : action
        case .delete: return Action(verb: .delete(id: try id(of: change)), type: try type(of: change), members: [])
        }
    }

    /// Returns the modification date of the version that an update is based on, in milliseconds since 1970.
    ///
    /// - Returns: nil if the server must not compare it, or if the record has no readable date.
    private func unmodifiedSince(_ change: RecordChange) -> Int64? {
        guard comparesDates, change.kind == .update, !change.isChecked else { return nil }
        return change.record[JSONPath(names.modificationDate)]?.stringValue.flatMap { DateText.milliseconds($0) }
    }

    /// Returns the object of a record.
    package func type(of change: RecordChange) throws -> String {
        let own = typeIsFixed ? nil : change.record["attributes.type"]?.stringValue
        guard let type = own.flatMap({ $0.isEmpty ? nil : $0 }) ?? objectType else {
            throw PushFailure(
                code: "INVALID_TYPE", message: "the record has no attributes.type, so its object is unknown")
        }
        return type
    }

    /// Returns the field and the value by which a created record is looked up: the external ID, or else the key.
    package func lookUpKey(of change: RecordChange) -> (field: String, value: JSONText)? {
        for field in [externalIdField, clientKeyField].compactMap({ $0 }) {
            if let value = Self.externalId(of: change, in: field) { return (field, value) }
        }
        return nil
    }

    /// Returns the value of a creation's external ID: a text or a number, and not a temporary ID.
    package func externalId(of change: RecordChange) -> JSONText? { Self.externalId(of: change, in: externalIdField) }

    /// Returns the value of a creation's external ID, as ``externalId(of:)`` of a form with that field.
    ///
    /// - Parameter field: nil if there is none; the result is then nil.
    package static func externalId(of change: RecordChange, in field: String?) -> JSONText? {
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
            throw PushFailure(code: "MISSING_ID", message: "the record has no server ID")
        }
        try Self.check(id)
        return id
    }

    /// - Throws: ``PushFailure`` for an ID that no record can have: the API would refuse the whole request, including
    ///   its other records.
    private static func check(_ id: String) throws {
        guard !SalesforceID.isPossible(id) else { return }
        throw PushFailure(
            code: "MALFORMED_ID",
            message: "\"\(id.excerpt(40))\" is not a valid Salesforce record ID, so the change is not sent: "
                + "correct the entry's ID, or discard the change")
    }

    private static func noFields(_ key: String) -> SoupError {
        SoupError(
            .badConfiguration, "there is no field list for the change", place: SoupError.Place(path: key),
            hint: "Add \"\(key)\" to the target or \"fieldlist\" to the options of the sync.")
    }
}
