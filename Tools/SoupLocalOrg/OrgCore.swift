// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import SoupCore

/// The state of a local org: its objects, its database, and the state between requests.
///
/// ``LocalOrg`` protects it with a lock: requests are answered one at a time.
final class OrgCore {
    let clock: OrgClock
    var options: OrgOptions
    let queue: DatabaseQueue
    var definition: OrgDefinition { didSet { unsaved.insert(.document) } }
    var schema: OrgSchema
    var tokens = TokenRegister() { didSet { unsaved.insert(.tokens) } }
    var codes = AuthorizationCodes()
    var deviceCodes = DeviceCodes()
    var cursors = QueryCursors()
    var bulk = BulkRegister()
    var primings = PrimingRegister()
    var faults = FaultRegister()
    var journal = OrgJournal()
    /// The IDs of the seed's rows by their keys.
    var keys: [String: String] = [:] { didSet { unsaved.insert(.keys) } }
    /// The API calls of the day.
    var dailyLimit = DailyLimit()
    var snapshot: OrgSnapshot?
    /// The previous response, for a fault that repeats it.
    var lastAnswer: OrgAnswer?
    /// The numbers of the latest records and of counted fields.
    var counters = Counters() { didSet { unsaved.insert(.counters) } }
    /// The parts that are not in the state file yet.
    var unsaved: Set<OrgStateFile.Part> = []
    var savedClock = OrgClock.Position()
    let isFromSeed: Bool
    /// The seed of a reset that names no other.
    let seed: OrgSeed
    /// When the describes last changed, in milliseconds since 1970.
    ///
    /// It never decreases, even if the clock and the rows are reset, because clients use it for `If-Modified-Since`.
    var described: Int64 { didSet { unsaved.insert(.described) } }
    /// When the first record in the recycle bin expires, in milliseconds since 1970; nil if that is not known.
    var binEnds: Int64?

    struct Counters: Codable {
        /// By object.
        var records: [String: Int64] = [:]
        /// By object and field.
        var fields: [String: Int64] = [:]
        /// The time since which deletions are known, in milliseconds since 1970; nil if none have been forgotten.
        var deletedSince: Int64?
        /// The key prefixes of removed objects: no other object gets them.
        var retiredPrefixes: [String]?
    }

    init(seed: OrgSeed, clock: any SoupClock, options: OrgOptions) throws {
        self.clock = OrgClock(base: clock)
        self.options = options
        self.seed = seed
        if let file = options.stateFile, !file.isFileURL {
            throw SoupError(
                .storeUnusable, "the state file \(file) is not a file URL", hint: "Create the URL with URL(filePath:).")
        }
        // A file needs less memory of its own: the system caches it.
        queue = try OrgDatabase.open(file: options.stateFile?.path, memory: options.stateFile == nil ? 262_144 : 16_384)
        let queue = queue
        let kept = try options.stateFile.flatMap { try OrgStateFile.read(queue, file: $0.path) }
        isFromSeed = kept == nil
        definition = try kept?.definition ?? seed.definition()
        schema = definition.schema
        described = kept?.described ?? definition.stamp
        if let kept {
            try restore(kept)
        } else {
            startTokens()
            try load(seed)
            described = definition.stamp
            if options.stateFile != nil { try queue.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = WAL") } }
        }
    }

    deinit {
        // Saves changes outside a request, such as the clock's; an org that was never filled saves nothing.
        try? queue.inDatabase { db in
            try db.inTransaction {
                try save(in: db)
                return .commit
            }
        }
    }

    /// Empties the org and fills it from a seed.
    ///
    /// Access tokens stay valid.
    func load(_ seed: OrgSeed) throws { try queue.inDatabase { db in try load(seed, in: db) } }

    /// As ``load(_:)``, with a database connection.
    ///
    /// There must be no transaction. If the seed cannot be loaded, nothing is changed.
    func load(_ seed: OrgSeed, in db: Database) throws {
        let definition = try seed.definition()
        let before = (self.definition, keys, counters, clock.position, described)
        noteDescribed()
        self.definition = definition
        schema = definition.schema
        counters = Counters()
        keys = [:]
        clock.run()
        do {
            try db.inTransaction {
                try OrgDatabase.createTables(schema, in: db)
                let places = try SeedLoader(org: self, db: db).load(seed)
                try OrgDatabase.createIndexes(schema, in: db)
                let caller = OrgContext(org: self, db: db, userId: definition.caller.id).caller()
                try places.verify(schema, caller: caller, in: db)
                if let frozen = definition.frozenAt { clock.freeze(at: frozen) }
                noteDescribed()
                unsaved = Set(OrgStateFile.Part.allCases)
                try save(in: db)
                return .commit
            }
            dailyLimit = DailyLimit()
        } catch {
            (self.definition, keys, counters, clock.position, described) = before
            schema = self.definition.schema
            throw error
        }
        forgetWork()
    }

    /// Ends queries and jobs in progress, and forgets the state that depends on replaced rows.
    func forgetWork() {
        cursors = QueryCursors()
        bulk = BulkRegister()
        primings = PrimingRegister()
        binEnds = nil
    }

    /// Creates the first tokens.
    func startTokens() {
        tokens.start(
            user: definition.caller.id, clientId: definition.clients.first?.id ?? "", org: definition.orgId,
            now: clock.now)
    }

    /// Records that the describes change.
    ///
    /// The new time is at least a second later than the last one, because headers have whole seconds.
    func noteDescribed() { described = max(clock.now, described.plus(1000)) }

    /// The time that is stored in records.
    var timestamp: Int64 { timestamp(before: 0) }

    /// Returns the timestamp of a number of milliseconds ago.
    func timestamp(before age: Int64) -> Int64 {
        let time = clock.now.plus(-age)
        return options.resolution == .second ? time / 1000 * 1000 : time
    }

    /// Returns the number of an object's next record.
    func nextNumber(of object: OrgObject) -> Int64 {
        let next = (counters.records[object.name] ?? 0).plus(1)
        counters.records[object.name] = next
        return next
    }

    /// Makes later records get numbers above those of rows that were inserted with their own numbers.
    func reserve(_ object: OrgObject, upTo number: Int64) {
        counters.records[object.name] = max(counters.records[object.name] ?? 0, number)
    }

    /// Returns the next value of an autonumber field in its format; the number follows a format without a number.
    ///
    /// - Parameter time: when the record is created, in milliseconds since 1970.
    func nextAutonumber(of field: OrgField, in object: OrgObject, format: String, at time: Int64) -> String {
        let key = "\(object.name).\(field.name)"
        let next = (counters.fields[key] ?? 0).plus(1)
        counters.fields[key] = next
        return AutonumberFormat(format)?.value(next, at: time) ?? format + String(next)
    }
}
