// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What faults do to a request while it is worked on.
struct RequestTrouble: Sendable {
    /// Errors for single records.
    var itemErrors: [OrgFault.ItemError] = []
    /// Rows a page at most.
    var pageLimit: Int?
    /// Pages that a query serves at most.
    var cursorPages: Int?
    /// How long a query can be continued at most, in milliseconds.
    var cursorLifetime: Int64?
    /// What the rows of queries without an order are mixed by.
    var shuffleSeed: Int64?
    /// How far searches are behind at least, in milliseconds.
    var searchIndexDelay: Int64 = 0
    /// How far replication is behind at least, in milliseconds.
    var replicationLag: Int64 = 0
    /// What keeps the jobs and batches from being done that the request hands over or looks at.
    var bulk = BulkTrouble()
    var reversesSubrequests = false
    /// What happens to rows before anything else.
    var changes: [OrgFault.RowChange] = []
    var hasBadOAuthToken = false
    /// Whether a fault that may miss has done something to the request.
    var hasHit = false
    /// Where the instance moves when the request is granted a token.
    var instanceURL: String?

    /// The org's options as they are for the request.
    func applied(to options: OrgOptions) -> OrgOptions {
        var options = options
        if let cursorLifetime { options.cursorLifetime = min(options.cursorLifetime, cursorLifetime) }
        if let shuffleSeed { options.shuffleSeed = shuffleSeed }
        options.searchIndexDelay = max(options.searchIndexDelay, searchIndexDelay)
        options.replicationLag = max(options.replicationLag, replicationLag)
        return options
    }
}

extension OrgContext {
    /// The error that a fault has for a record of this request; nil for none.
    ///
    /// - Parameters:
    ///   - index: the position in a collection; nil for a subrequest.
    ///   - object: the record's object; without it, the one that the record names.
    func itemFault(
        _ index: Int?, _ record: JSONValue?, referenceId: String? = nil, object: String? = nil
    ) -> OrgError? {
        let object = object ?? record?["attributes"]?["type"]?.stringValue
        let fault = trouble.itemErrors.first { fault in
            if let wanted = fault.index, wanted != index { return false }
            if let wanted = fault.referenceId, wanted != referenceId { return false }
            if let wanted = fault.object, wanted.lowercased() != object?.lowercased() { return false }
            if let wanted = fault.field, !Self.holds(record, wanted, fault.value) { return false }
            if let wanted = fault.contains {
                return record.flatMap { try? JSONText($0) }?.bytes.holds(wanted.utf8) ?? false
            }
            let isNamed = fault.index != nil || fault.referenceId != nil || fault.object != nil || fault.field != nil
            return isNamed || index != nil
        }
        if fault != nil { trouble.hasHit = true }
        return fault.map { OrgError(400, $0.code, $0.message, fields: $0.fields) }
    }

    private static func holds(_ record: JSONValue?, _ field: String, _ value: JSONValue?) -> Bool {
        let member = record?.objectValue?.members.first { $0.key.lowercased() == field.lowercased() }
        guard let member else { return false }
        return value.map { $0 == member.value } ?? true
    }

    /// Changes rows behind the client's back; what cannot be done any more, such as deleting a row twice, is left.
    func make(_ changes: [OrgFault.RowChange]) throws {
        let caller = userId
        userId = org.keys["other"] ?? userId
        defer {
            userId = caller
            rowsWritten = 0
        }
        func id(_ text: String) -> String {
            text.utf8.first == UInt8(ascii: "@") ? org.keys[String(text.dropFirst())] ?? text : text
        }
        for change in changes {
            do {
                try atomically {
                    switch change {
                    case .insert(let name, let values): _ = try create(try object(name), values)
                    case .edit(let name, let row, let values): try edit(name, id(row), values)
                    case .delete(let name, let row):
                        let object = try object(name)
                        try delete(object, try target(object, id(row), .writing))
                    }
                }
            } catch is OrgError {
                continue
            }
        }
    }
}
