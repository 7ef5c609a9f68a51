// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// One request being worked on: the org, its database, and who asks.
final class OrgContext {
    let org: OrgCore
    let db: Database
    var userId: String
    /// Where the versioned API starts, as the caller wrote it: `/services/data/v60.0`.
    var apiPath = "/services/data/v60.0"
    /// Whether the request is an API call, so that the answer tells how many there were.
    var isCounted = false
    /// Rows that this request changed, for the journal.
    var rowsWritten = 0
    /// What faults do to the request.
    var trouble = RequestTrouble()
    /// How the org behaves for this request: its options, and what faults make of them.
    var options: OrgOptions { trouble.applied(to: org.options) }
    /// Rows a page at most, when a fault says so.
    var pageLimit: Int? {
        trouble.hasHit = true
        return trouble.pageLimit
    }

    init(org: OrgCore, db: Database, userId: String) {
        self.org = org
        self.db = db
        self.userId = userId
    }

    var schema: OrgSchema { org.schema }

    /// The org's time as records keep it, in milliseconds since 1970.
    var timestamp: Int64 { org.timestamp }

    func caller(seesDeleted: Bool = false) -> QueryCaller {
        let options = options
        return QueryCaller(
            userId: userId, now: org.clock.now, seesDeleted: seesDeleted, refusesEmptyIds: options.refusesEmptyIds,
            version: version, allowsAllRows: options.allowsAllRows, shuffleSeed: options.shuffleSeed,
            zone: OrgZone(options.userTimeZone))
    }

    /// The number of the version in ``apiPath``.
    var version: Double { Double(apiPath.drop { $0 != "v" }.split(separator: "/").last?.dropFirst() ?? "") ?? 60 }

    /// An object by the name in a URL.
    func object(_ name: String) throws -> OrgObject {
        guard let object = schema[name] else { throw OrgError.notFound }
        return object
    }

    /// Runs `body` as another user.
    func acting<T>(as user: String, _ body: () throws -> T) rethrows -> T {
        let caller = userId
        userId = user
        defer { userId = caller }
        return try body()
    }

    /// Runs `body` so that everything it wrote is taken back when it throws.
    func atomically<T>(_ body: () throws -> T) throws -> T {
        var result: Result<T, any Error>?
        try db.inSavepoint {
            do {
                result = .success(try body())
                return .commit
            } catch {
                result = .failure(error)
                return .rollback
            }
        }
        guard let result else { throw SoupError(.sql, "the local org's database gave no savepoint") }
        return try result.get()
    }
}
