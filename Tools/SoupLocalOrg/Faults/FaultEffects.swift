// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The effects of faults on a request while it is processed.
struct FaultEffects: Sendable {
    /// Errors for single records.
    var itemErrors: [OrgFault.ItemError] = []
    /// The maximum number of rows on a page.
    var pageLimit: Int?
    /// The maximum number of pages that a query serves.
    var cursorPages: Int?
    /// The maximum time for which a query can be continued.
    var cursorLifetime: Duration?
    /// The seed by which the rows of queries without an order are shuffled.
    var shuffleSeed: Int64?
    /// The minimum delay of the search index.
    var searchIndexDelay = Duration.zero
    /// The minimum delay of replication.
    var replicationLag = Duration.zero
    /// The time between the changes of the request and their commit.
    var transactionTime = Duration.zero
    /// The processing of the jobs and batches that the request creates or polls.
    var bulk = BulkProcessing()
    var reversesSubrequests = false
    /// The changes of rows that are made before the request is processed.
    var changes: [OrgFault.RowChange] = []
    var hasBadOAuthToken = false
    /// Whether a fault that applies to some requests only has affected this one.
    var hasHit = false
    /// The URL of the instance from the next granted token on.
    var instanceURL: String?

    /// Returns the org's options with the effects applied.
    func applied(to options: OrgOptions) -> OrgOptions {
        var options = options
        if let cursorLifetime { options.cursorLifetime = min(options.cursorLifetime, cursorLifetime) }
        if let shuffleSeed { options.shuffleSeed = shuffleSeed }
        options.searchIndexDelay = max(options.searchIndexDelay, searchIndexDelay)
        options.replicationLag = max(options.replicationLag, replicationLag)
        return options
    }
}

extension FaultEffects {
    /// Returns the error that a fault causes for a record of the request; nil if there is none.
    ///
    /// - Parameters:
    ///   - index: the position in a collection; nil for a subrequest.
    ///   - object: the record's object; nil for the one that the record names.
    mutating func itemError(
        for record: JSONValue?, at index: Int?, referenceId: String? = nil, object: String? = nil
    ) -> OrgError? {
        if itemErrors.isEmpty { return nil }
        let object = object ?? record?["attributes"]?["type"]?.stringValue
        let fault = itemErrors.first { fault in
            if let wanted = fault.index, wanted != index { return false }
            if let wanted = fault.referenceId, wanted != referenceId { return false }
            if let wanted = fault.object, wanted.lowercased() != object?.lowercased() { return false }
            if let wanted = fault.field, !Self.field(wanted, of: record, equals: fault.value) { return false }
            if let wanted = fault.contains {
                return record.flatMap { try? JSONText($0) }?.bytes.holds(wanted.utf8) ?? false
            }
            let isNamed = fault.index != nil || fault.referenceId != nil || fault.object != nil || fault.field != nil
            return isNamed || index != nil
        }
        if fault != nil { hasHit = true }
        return fault.map { OrgError(400, $0.code, message: $0.message, fields: $0.fields) }
    }

    /// Returns whether a record has a field; with a value, whether the field has that value.
    private static func field(_ name: String, of record: JSONValue?, equals value: JSONValue?) -> Bool {
        guard let member = record?.objectValue?.value(ignoringCase: name) else { return false }
        return value.map { $0 == member } ?? true
    }
}
