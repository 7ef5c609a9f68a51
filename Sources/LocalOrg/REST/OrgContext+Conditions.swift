// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// When a row was last modified, in milliseconds since 1970.
    func modified(_ object: OrgObject, _ row: StoredRow) -> Int64 {
        row.cells[object.position("LastModifiedDate")].int ?? 0
    }

    private static func tag(_ time: Int64) -> String { "\"\(String(time, radix: 36))--gzip\"" }

    /// Answers with `body`, or 304 when the client says that it has what was last modified at `time`.
    func unlessUnchanged(_ request: OrgRequest, since time: Int64, _ body: () throws -> OrgAnswer) throws -> OrgAnswer {
        let headers = [("ETag", Self.tag(time)), ("Last-Modified", Timestamp.formatHTTPDate(time))]
        let known = request.header("If-Modified-Since").flatMap(Timestamp.parseHTTPDate)
        let isUnchanged =
            request.header("If-None-Match").map { $0 == Self.tag(time) || $0 == "*" }
            ?? known.map { time / 1000 <= $0 / 1000 } ?? false
        if isUnchanged { return OrgAnswer(304, headers: headers) }
        var answer = try body()
        answer.headers += headers.map { (name: $0.0, value: $0.1) }
        return answer
    }

    /// Refuses a write of a row that was modified after the time that the client names.
    ///
    /// - Throws: ``OrgError``: 412, or 400 for a date that is none.
    func refuseIfChanged(_ request: OrgRequest, _ object: OrgObject, _ row: StoredRow) throws {
        let time = modified(object, row)
        let changed = OrgError(412, "PRECONDITION_FAILED", "The record was modified after the time of the request")
        if let text = request.header("If-Unmodified-Since") {
            guard let date = Timestamp.parseHTTPDate(text) else {
                throw OrgError(400, "INVALID_HEADER", "If-Unmodified-Since is not an HTTP date: \(text)")
            }
            if time / 1000 > date / 1000 { throw changed }
        }
        if let tag = request.header("If-Match"), tag != Self.tag(time), tag != "*" { throw changed }
    }

    // MARK: Replication

    /// The ids of what was changed, or deleted, in a span of time.
    func replication(_ object: OrgObject, _ request: OrgRequest, deleted: Bool) throws -> OrgAnswer {
        guard let start = minute(request, "start"), let end = minute(request, "end") else {
            throw OrgError(400, "INVALID_REPLICATION_DATE", "start and end must be datetimes with an offset")
        }
        guard start < end else {
            throw OrgError(400, "INVALID_REPLICATION_DATE", "startDate before endDate")
        }
        let window: Int64 = (deleted ? 15 : 30) * 86_400_000
        let earliest = org.clock.now - window
        guard start >= earliest / 60_000 * 60_000 else {
            throw OrgError(
                400, "INVALID_REPLICATION_DATE", "startDate cannot be more than \(deleted ? 15 : 30) days ago")
        }
        var rows: [(id: String, time: Int64)] = []
        try OrgStatement(
            db,
            "SELECT \"Id\", \"SystemModstamp\" FROM \(object.table) WHERE \"SystemModstamp\" >= ? "
                + "AND \"SystemModstamp\" < ? AND \"IsDeleted\" = ? ORDER BY _row",
            [.int(start), .int(end), .int(deleted ? 1 : 0)]
        ).forEach { rows.append(($0.text(0) ?? "", $0.int(1))) }
        let covered = JSONValue.string(Timestamp.format(min(end, org.clock.now / 60_000 * 60_000)))
        guard deleted else {
            return OrgAnswer(["ids": .array(rows.map { .string($0.id) }), "latestDateCovered": covered])
        }
        return OrgAnswer([
            "deletedRecords": .array(
                rows.map { ["id": .string($0.id), "deletedDate": .string(Timestamp.format($0.time))] }),
            "earliestDateAvailable": .string(Timestamp.format(earliest / 60_000 * 60_000)),
            "latestDateCovered": covered,
        ])
    }

    /// A datetime of the query, without its seconds.
    private func minute(_ request: OrgRequest, _ name: String) -> Int64? {
        // A plus sign that was not encoded came as a space.
        let text = request.parameter(name).map { String($0.map { $0 == " " ? "+" : $0 }) }
        return text.flatMap { Timestamp.parse($0) }.map { $0 / 60_000 * 60_000 }
    }

    // MARK: Relationship paths

    /// What is at the end of a relationship of a row: one parent, or the list of children.
    func related(_ object: OrgObject, _ id: String, _ name: String, _ request: OrgRequest) throws -> OrgAnswer {
        let row = try target(object, id, .reading)
        if let reference = object.reference(name) {
            guard let parentId = row.cells[reference.position].text, let parent = schema.object(ofId: parentId) else {
                throw OrgError.notFound
            }
            return try record(parent, parentId, request)
        }
        guard let child = object.child(name), let childObject = schema[child.object] else { throw OrgError.notFound }
        return try allow(["GET"], request) {
            let fields = request.parameter("fields") ?? childObject.fields.map(\.name).joined(separator: ",")
            _ = try self.plan(childObject, fields: fields.split(separator: ",").map(String.init))
            var query = request
            query.query = [
                (
                    "q",
                    "SELECT \(fields) FROM \(childObject.name) WHERE \(child.field) = '\(row.id(object))' ORDER BY Id"
                )
            ]
            return try self.query(query, seesDeleted: false)
        }
    }
}
