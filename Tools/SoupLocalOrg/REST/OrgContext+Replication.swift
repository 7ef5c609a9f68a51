// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// The ids of what was changed, or deleted, in a span of time.
    func replication(_ object: OrgObject, _ request: OrgRequest, deleted: Bool) throws -> OrgAnswer {
        guard let start = minute(request, "start"), let end = minute(request, "end") else {
            throw OrgError(400, "INVALID_REPLICATION_DATE", "start and end must be datetimes with an offset")
        }
        guard start < end else {
            throw OrgError(400, "INVALID_REPLICATION_DATE", "startDate before endDate")
        }
        let window = deleted ? RecycleBin.lifetime : 30 * 86_400_000
        let earliest = (org.clock.now - window) / 60_000 * 60_000
        guard start >= earliest else {
            throw OrgError(
                400, "INVALID_REPLICATION_DATE", "startDate cannot be more than \(deleted ? 15 : 30) days ago")
        }
        // What was deleted before this is not known any more: a client must read everything anew.
        let emptied = deleted ? org.counters.deletedSince.map { ($0 + 59_999) / 60_000 * 60_000 } : nil
        let known = max(earliest, emptied ?? earliest)
        guard start >= known else {
            throw OrgError(
                400, "INVALID_REPLICATION_DATE",
                "startDate cannot be before \(Timestamp.format(known)), when the recycle bin was emptied")
        }
        // What is younger than the lag is not seen yet.
        let lag = options.replicationLag
        let seen = org.clock.now.plus(-max(0, lag)) / 60_000 * 60_000
        let last = lag > 0 ? min(end, seen) : end
        var rows: [(id: String, time: Int64)] = []
        let changed =
            "SELECT \"Id\", \"SystemModstamp\" FROM \(object.table) WHERE \"SystemModstamp\" >= ?1 "
            + "AND \"SystemModstamp\" < ?2 AND \"IsDeleted\" = 0 ORDER BY _row"
        try OrgStatement(
            db, deleted ? RecycleBin.log(object) : changed,
            [.int(start), .int(last)] + (deleted ? [.text(object.name)] : [])
        ).forEach { rows.append(($0.text(0) ?? "", $0.int(1))) }
        guard rows.count <= 600_000 else {
            throw OrgError(400, "EXCEEDED_ID_LIMIT", "There are more than 600000 ids: ask for a shorter time")
        }
        let covered = JSONValue.string(Timestamp.format(min(last, seen)))
        guard deleted else {
            return OrgAnswer(["ids": .array(rows.map { .string($0.id) }), "latestDateCovered": covered])
        }
        return OrgAnswer([
            "deletedRecords": .array(
                rows.map { ["id": .string($0.id), "deletedDate": .string(Timestamp.format($0.time))] }),
            "earliestDateAvailable": .string(Timestamp.format(known)),
            "latestDateCovered": covered,
        ])
    }

    /// A datetime of the query, without its seconds.
    private func minute(_ request: OrgRequest, _ name: String) -> Int64? {
        // A plus sign that was not encoded came as a space.
        let text = request.parameter(name).map { String($0.map { $0 == " " ? "+" : $0 }) }
        return text.flatMap { Timestamp.parse($0) }.map { $0 / 60_000 * 60_000 }
    }
}
