// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The org, its database connection and the user, for the duration of one request.
///
/// Handlers and services share it. It contains no behavior of a resource: a resource's handler has that.
final class OrgContext {
    let org: OrgCore
    let db: Database
    /// The ID of the user who sends the request.
    var userId: String
    /// The beginning of the paths of the versioned API, as the caller wrote it: `/services/data/v60.0`.
    var apiPath = "/services/data/v60.0"
    /// Whether the request is an API call, so that the response reports the number of calls.
    var isCounted = false
    /// The number of rows that this request changed, for the journal.
    var rowsWritten = 0
    /// The effects of faults on the request.
    var faults = FaultEffects()

    init(org: OrgCore, db: Database, userId: String) {
        self.org = org
        self.db = db
        self.userId = userId
    }

    /// The org's options, changed by the faults of this request.
    var options: OrgOptions { faults.applied(to: org.options) }

    /// The maximum number of rows on a page, if a fault sets one.
    var pageLimit: Int? {
        faults.hasHit = true
        return faults.pageLimit
    }

    var schema: OrgSchema { org.schema }

    /// The time as it is stored in records, in milliseconds since 1970: the start of the request's transaction.
    var timestamp: Int64 { org.timestamp(before: faults.transactionTime.milliseconds) }

    /// Returns the time of a change of a record.
    ///
    /// Two transactions that change a record do so one after the other. If the record was changed since the start of
    /// this transaction, it is changed now.
    func timestamp(after previous: Int64?) -> Int64 {
        let start = timestamp
        return start > previous ?? .min ? start : org.timestamp
    }

    /// Returns the user and the options that queries depend on.
    func caller(seesDeleted: Bool = false) -> QueryCaller {
        let options = options
        return QueryCaller(
            userId: userId, now: org.clock.now, seesDeleted: seesDeleted, refusesEmptyIds: options.refusesEmptyIds,
            version: version, allowsAllRows: options.allowsAllRows, shuffleSeed: options.shuffleSeed,
            zone: OrgZone(options.userTimeZone))
    }

    /// The number of the version in ``apiPath``.
    var version: Double { Double(apiPath.drop { $0 != "v" }.split(separator: "/").last?.dropFirst() ?? "") ?? 60 }

    /// The version in ``apiPath`` as text: `60.0`.
    var versionName: String { String(apiPath.split(separator: "/").last?.dropFirst() ?? "") }

    /// Returns the object with a name from a URL.
    ///
    /// - Throws: ``OrgError/notFound`` for an unknown name.
    func object(_ name: String) throws -> OrgObject {
        guard let object = schema[name] else { throw OrgError.notFound }
        return object
    }

    /// Returns the server path of a record.
    func url(of object: OrgObject, id: String) -> String { "\(apiPath)/sobjects/\(object.name)/\(id)" }

    /// Runs `body` as another user.
    func acting<T>(as user: String, _ body: () throws -> T) rethrows -> T {
        let caller = userId
        userId = user
        defer { userId = caller }
        return try body()
    }

    /// Runs `body` in a savepoint: if it throws, everything that it wrote is rolled back.
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
        guard let result else { throw SoupError(.sql, "the local org's database did not run a savepoint") }
        return try result.get()
    }
}

// MARK: Services

/// The services that handlers share, each a type of its own.
extension OrgContext {
    /// Reads and writes rows.
    var rows: RowStore { RowStore(context: self) }
    /// Creates, updates and upserts records.
    var records: RecordWriter { RecordWriter(context: self) }
    /// Deletes, undeletes and purges records.
    var recycleBin: RecycleBin { RecycleBin(context: self) }
    /// Lists and records the recently viewed items.
    var recentItems: RecentItems { RecentItems(context: self) }
    /// Plans the reading of records and writes them as JSON.
    var reader: RecordRetrieval { RecordRetrieval(context: self) }
    /// Runs queries.
    var queries: QueryRunner { QueryRunner(context: self) }
    /// The users of the org, and the facts that the API reports of them.
    var users: UserDirectory { UserDirectory(context: self) }
    /// Issues access tokens.
    var tokens: TokenIssuer { TokenIssuer(context: self) }
}
