// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The service's response about one record.
enum ItemAnswer: Sendable {
    /// The record exists.
    case found(JSONText)
    /// The record does not exist; unless `isConfirmed`, the path may also be wrong.
    case missing(isConfirmed: Bool)
}

extension ServiceClient {
    /// Fetches a record by its ID.
    ///
    /// - Throws: ``SoupError`` with `server` or `json` for every response that is not the service's own.
    func item(_ id: String) async throws -> ItemAnswer {
        let path = itemPath(id)
        let answer = try await get(path)
        switch service.gone.match(answer) {
        case .confirmed: return .missing(isConfirmed: true)
        case .unconfirmed: return .missing(isConfirmed: false)
        case .none: break
        }
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        return .found(try service.record(in: answer, id: id))
    }

    /// Fetches records by their IDs; the elements are in the order of the IDs, nil for records that do not exist.
    ///
    /// If a response can also mean that the path is wrong, or is that of a gateway, the record is requested again, and
    /// the path is checked with a record that exists.
    ///
    /// - Throws: ``SoupError``, also if the path could not be checked.
    func items(_ ids: [String]) async throws -> [JSONText?] {
        var found: [JSONText?] = []
        var unconfirmed: [String] = []
        var list: ListedRecords?
        for id in ids {
            var answer = try await item(id)
            if case .missing(isConfirmed: false) = answer { answer = try await item(id) }
            switch answer {
            case .found(let record): found.append(record)
            case .missing(let isConfirmed):
                if !isConfirmed { unconfirmed.append(id) }
                found.append(nil)
            }
        }
        for id in unconfirmed { try await confirmPath(without: id, &list) }
        return found
    }

    /// Checks that a record is missing, and not only a path wrong: a server responds to both in the same way.
    ///
    /// Requests the list, and one of its other records. An empty list is enough. Some lists contain deleted records, so
    /// several are tried, and the missing record may be in the list as a deleted one.
    ///
    /// - Parameter listed: the list, after it was requested once.
    /// - Throws: ``SoupError`` if the list or none of its records is found, and if the list contains the missing record
    ///   as one that exists.
    func confirmPath(without missing: String, _ listed: inout ListedRecords?) async throws {
        if listed == nil { listed = try ListedRecords(await get(listPath), listPath, of: service) }
        guard var list = listed else { return }
        let others = list.ids.filter { $0 != missing }
        if list.existing == nil, let last = others.last {
            for other in others.prefix(Self.confirmations - 1) + [last] where list.existing == nil {
                if case .found = try await item(other) { list.existing = list.element(of: other) }
            }
            guard list.existing != nil else { throw contradiction(last) }
            listed = list
        }
        guard list.lists(missing) else { return }
        throw contradiction(missing)
    }

    private func contradiction(_ id: String) -> SoupError {
        SoupError(
            .server, "the server has no record at \(itemPath(id).excerpt(200)), which its list contains",
            hint: "Check \"item\", the path of a record. \(SoupError.changedResponsesHint)")
    }

    /// The number of records of a list that are requested to confirm a path.
    private static var confirmations: Int { 10 }
}

extension Service {
    /// Returns the record in a response, after checking its ID.
    ///
    /// - Throws: ``SoupError`` with `json` if the response is not the record.
    func record(in answer: HTTPAnswer, id: String) throws -> JSONText {
        let record = try record(in: answer)
        guard recordId(in: record) == id else {
            throw SoupError(
                .json, "the response with HTTP \(answer.status) does not contain the record \(id.excerpt(100))",
                hint: "Check \"record\", the path of the record, and \"id\". \(SoupError.changedResponsesHint)")
        }
        return record
    }

    /// Returns the object at the path of the record.
    func record(in answer: HTTPAnswer) throws -> JSONText {
        guard let record = try answer.json().part(at: record), record.bytes.first == UInt8(ascii: "{") else {
            throw SoupError(
                .json, "the response with HTTP \(answer.status) has no object at \"\(record)\"",
                hint: "Check \"record\", the path of the record in the response for one record.")
        }
        return record
    }

    /// The ID of a record; nil if it has none that a server can assign.
    func recordId(in record: JSONText) -> String? {
        record[id.path]?.idText.flatMap { ServerId.isPossible($0) ? $0 : nil }
    }

    /// Returns the members to set in an entry for values at other paths.
    func stamp(of record: JSONText) -> RecordBatch.Stamp {
        [id, modified, version].compactMap { $0 }.filter(\.isCopied).reduce(.none) { stamp, location in
            stamp.setting(location.field, record.part(at: location.path))
        }
    }
}

extension JSONText {
    /// Returns the value at a path through objects, as written; nil if there is none.
    func part(at path: JSONPath) -> JSONText? {
        path.keys.reduce(self) { value, key in
            value?.members?.first { $0.key == key }?.value
        }
    }
}

extension Service {
    /// Returns a record as an entry contains it: with the members for values at other paths.
    func entry(of record: JSONText) -> JSONText {
        let stamp = stamp(of: record)
        guard !stamp.isEmpty else { return record }
        let names = Set(stamp.members.map(\.name))
        let kept = (record.members ?? []).filter { !names.contains($0.key) }.map { (name: $0.key, value: $0.value) }
        return .object(kept + stamp.members.compactMap { member in member.value.map { (member.name, $0) } })
    }
}

extension ServiceClient {
    /// Finds the record with a client key; nil if the list that is filtered by it is empty.
    ///
    /// - Throws: ``SoupError`` for several records, and for a record with another key: the server then ignores the
    ///   parameter.
    ///
    /// - Parameter members: the other fields of the creation.
    func record(
        with key: String, in field: String, _ query: ListQuery, of members: [FieldSelection.Member]
    ) async throws -> String? {
        if let found = try await listedRecord(with: key, in: field, query) { return found }
        // A gateway may have sent an empty list; without the record it is created a second time.
        if let found = try await listedRecord(with: key, in: field, query) { return found }
        if !members.isEmpty { try await checkTwins(of: members, without: field) }
        return nil
    }

    /// Checks that the list has no record with the values of a creation and without the field of the key: the service
    /// may not store it under this name, and no look-up can find such a record.
    ///
    /// - Throws: ``SoupError`` if it has one.
    private func checkTwins(of members: [FieldSelection.Member], without field: String) async throws {
        let answer = try await get(listPath)
        guard answer.isSuccess else { throw answer.failure(of: "GET", listPath) }
        guard let elements = try answer.json().part(at: service.records)?.elements else {
            throw PageIds.missingList(service.records)
        }
        let isTwin = elements.contains { element in
            let values = Dictionary((element.members ?? []).map { ($0.key, $0.value.value) }, uniquingKeysWith: { $1 })
            return values[field] == nil && members.allSatisfy { values[$0.name] == $0.value.value }
        }
        guard !isTwin else {
            throw SoupError(
                .server, "the list has a record with the same values, and without the field \"\(field)\"",
                hint: "Check \"field\" in \"clientKey\": the service may have another name for it, or not store it.")
        }
    }

    private func listedRecord(with key: String, in field: String, _ query: ListQuery) async throws -> String? {
        let path = query.path(of: listPath) { $0 == .clientKey ? key : nil }
        let answer = try await get(path)
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        guard let elements = try answer.json().part(at: service.records)?.elements else {
            throw PageIds.missingList(service.records)
        }
        guard let record = elements.first else { return nil }
        guard elements.count == 1, record[JSONPath(field)]?.idText == key else {
            throw SoupError(
                .server, "the look-up of a creation returned \(elements.count) record(s) with other keys",
                hint: "Check \"parameters\" in \"clientKey\": the server may ignore them.")
        }
        return try PageIds(elements, of: service).ids[0]
    }
}
