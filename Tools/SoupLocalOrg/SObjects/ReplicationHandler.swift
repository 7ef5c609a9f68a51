// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects/{object}/updated` and `/deleted`: the IDs of the records changed or deleted in a period.
struct ReplicationHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let object: OrgObject

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        object = try context.object(request.path["object"])
    }

    func updated() throws -> OrgAnswer {
        let period = try period(days: 30, earliestKnown: nil)
        let rows = try ids(
            "SELECT \"Id\", \"SystemModstamp\" FROM \(object.table) WHERE \"SystemModstamp\" >= ?1 "
                + "AND \"SystemModstamp\" < ?2 AND \"IsDeleted\" = 0 ORDER BY _row",
            [.int(period.start), .int(period.last)])
        return OrgAnswer(["ids": .array(rows.map { .string($0.id) }), "latestDateCovered": period.covered])
    }

    func deleted() throws -> OrgAnswer {
        // Deletions before this time are not known any more: the client must read everything again.
        let emptied = context.org.counters.deletedSince.map { ($0 + 59_999) / 60_000 * 60_000 }
        let period = try period(days: 15, earliestKnown: emptied)
        let rows = try ids(
            RecycleBinSQL.log(object), [.int(period.start), .int(period.last), .text(object.name)])
        return OrgAnswer([
            "deletedRecords": .array(
                rows.map { ["id": .string($0.id), "deletedDate": .string(DateText.format($0.time))] }),
            "earliestDateAvailable": .string(DateText.format(period.earliest)), "latestDateCovered": period.covered,
        ])
    }

    /// The period of a request, in milliseconds since 1970.
    private struct Period {
        var start: Int64
        /// The end of the period that is known; later changes are not replicated yet.
        var last: Int64
        /// The earliest time of which the org knows the changes.
        var earliest: Int64
        /// The end of the period as the response reports it.
        var covered: JSONValue
    }

    /// Reads the period of the request.
    ///
    /// - Parameters:
    ///   - days: the number of days that the resource covers.
    ///   - earliestKnown: the earliest known time, if it is later than that.
    /// - Throws: ``OrgError`` with `INVALID_REPLICATION_DATE`.
    private func period(days: Int64, earliestKnown: Int64?) throws -> Period {
        func error(_ message: String) -> OrgError { OrgError(400, "INVALID_REPLICATION_DATE", message: message) }
        guard let start = minute("start"), let end = minute("end") else {
            throw error("start and end must be datetimes with an offset")
        }
        guard start < end else { throw error("startDate before endDate") }
        let now = context.org.clock.now
        let earliest = (now - days * 86_400_000) / 60_000 * 60_000
        guard start >= earliest else { throw error("startDate cannot be more than \(days) days ago") }
        let known = max(earliest, earliestKnown ?? earliest)
        guard start >= known else {
            throw error("startDate cannot be before \(DateText.format(known)), when the recycle bin was emptied")
        }
        // Changes that are younger than the lag are not reported yet.
        let lag = context.options.replicationLag.milliseconds
        let seen = now.plus(-max(0, lag)) / 60_000 * 60_000
        let last = lag > 0 ? min(end, seen) : end
        return Period(
            start: start, last: last, earliest: known, covered: .string(DateText.format(min(last, seen))))
    }

    private func ids(_ sql: String, _ values: [CellValue]) throws -> [(id: String, time: Int64)] {
        var rows: [(id: String, time: Int64)] = []
        try context.db.statement(sql, values).forEach { rows.append(($0.text(0) ?? "", $0.int(1))) }
        guard rows.count <= 600_000 else {
            throw OrgError(
                400, "EXCEEDED_ID_LIMIT", message: "There are more than 600000 ids: ask for a shorter time")
        }
        return rows
    }

    /// Returns a datetime of the query, truncated to the minute.
    private func minute(_ name: String) -> Int64? {
        // A plus sign that was not encoded arrives as a space.
        let text = request.parameter(name).map { String($0.map { $0 == " " ? "+" : $0 }) }
        return text.flatMap { DateText.milliseconds($0) }.map { $0 / 60_000 * 60_000 }
    }
}
