// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Everything that a local org is: its objects, its database, and what it remembers between requests.
///
/// One request at a time: ``LocalOrg`` keeps it behind a lock.
final class OrgCore {
    let clock: OrgClock
    var options: OrgOptions
    let queue: DatabaseQueue
    var definition: OrgDefinition { didSet { unsaved.insert(.document) } }
    var schema: OrgSchema
    var tokens = TokenRegister() { didSet { unsaved.insert(.tokens) } }
    var codes = AuthorizationCodes()
    var cursors = QueryCursors()
    var bulk = BulkRegister()
    var primings = PrimingRegister()
    var faults = FaultRegister()
    var journal = RequestJournal()
    /// The ids of the seed's rows by their keys.
    var keys: [String: String] = [:] { didSet { unsaved.insert(.keys) } }
    /// API calls on the current day of the org's clock.
    var calls: Int {
        get { countedCalls.day == day ? countedCalls.count : 0 }
        set { countedCalls = (day, newValue) }
    }
    private var countedCalls = (day: Int64.min, count: 0)
    private var day: Int64 { clock.now / 86_400_000 }
    var snapshot: OrgSnapshot?
    /// The answer before, for a fault that gives it again.
    var lastAnswer: OrgAnswer?
    /// The numbers of the latest records and of counted fields.
    var counters = Counters() { didSet { unsaved.insert(.counters) } }
    /// What the state file does not have yet.
    var unsaved: Set<OrgStateFile.Part> = []
    var savedClock = OrgClock.Position()
    let isFromSeed: Bool
    /// What a reset fills the org from that names nothing else.
    let seed: Seed
    /// When what describes tell was last changed, in milliseconds since 1970.
    ///
    /// It never goes back, whatever becomes of the clock and of the rows: clients ask by it whether what they have is
    /// still so.
    var described: Int64 { didSet { unsaved.insert(.described) } }
    /// When the first record leaves the recycle bin, in milliseconds since 1970; nil when that is not known.
    var binEnds: Int64?

    struct Counters: Codable {
        /// By object.
        var records: [String: Int64] = [:]
        /// By object and field.
        var fields: [String: Int64] = [:]
        /// From when on it is known what was deleted, in milliseconds since 1970; nil when nothing was forgotten.
        var deletedSince: Int64?
        /// The key prefixes of objects that were taken away: no other object gets them.
        var retiredPrefixes: [String]?
    }

    init(seed: Seed, clock: any SoupClock, options: OrgOptions) throws {
        self.clock = OrgClock(base: clock)
        self.options = options
        self.seed = seed
        // What is in a file is near enough: the system keeps it in memory that others can have.
        queue = try OrgDatabase.open(file: options.stateFile, memory: options.stateFile == nil ? 262_144 : 16_384)
        let queue = queue
        let kept = try options.stateFile.flatMap { try OrgStateFile.read(queue, file: $0) }
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
        // What was changed outside a request, such as the clock; nothing of an org that was never filled.
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
    func load(_ seed: Seed) throws { try queue.inDatabase { db in try load(seed, in: db) } }

    /// As ``load(_:)``, for who has the database already.
    ///
    /// There must be no transaction. A seed that cannot be loaded changes nothing.
    func load(_ seed: Seed, in db: Database) throws {
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
            calls = 0
        } catch {
            (self.definition, keys, counters, clock.position, described) = before
            schema = self.definition.schema
            throw error
        }
        forgetWork()
    }

    /// Ends queries and jobs under way, and forgets what was known of the rows that have been replaced.
    func forgetWork() {
        cursors = QueryCursors()
        bulk = BulkRegister()
        primings = PrimingRegister()
        binEnds = nil
    }

    /// Mints the tokens that are there from the start.
    func startTokens() {
        tokens.start(
            user: definition.caller.id, clientId: definition.clients.first?.id ?? "", org: definition.orgId,
            now: clock.now)
    }

    /// Notes that describes tell something else from now on.
    ///
    /// Later than the last time by a second at least: headers tell no less.
    func noteDescribed() { described = max(clock.now, described.plus(1000)) }

    /// The time that is written into records.
    var timestamp: Int64 { options.resolution == .second ? clock.now / 1000 * 1000 : clock.now }

    /// The number of an object's next record.
    func nextNumber(of object: OrgObject) -> Int64 {
        let next = (counters.records[object.name] ?? 0).plus(1)
        counters.records[object.name] = next
        return next
    }

    /// Keeps later records behind rows that were inserted with numbers of their own.
    func reserve(_ object: OrgObject, upTo number: Int64) {
        counters.records[object.name] = max(counters.records[object.name] ?? 0, number)
    }

    /// The next value of a counted field, as its format writes it; behind a format that says nothing of a number, the
    /// number.
    ///
    /// - Parameter time: when the record is made, in milliseconds since 1970.
    func nextAutonumber(_ object: OrgObject, _ field: OrgField, _ format: String, at time: Int64) -> String {
        let key = "\(object.name).\(field.name)"
        let next = (counters.fields[key] ?? 0).plus(1)
        counters.fields[key] = next
        return AutonumberFormat(format)?.value(next, at: time) ?? format + String(next)
    }
}
