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
    var definition: OrgDefinition
    var schema: OrgSchema
    var tokens = TokenRegister()
    var codes = AuthorizationCodes()
    var cursors = QueryCursors()
    var bulk = BulkRegister()
    var primings = PrimingRegister()
    var faults = FaultRegister()
    var journal = RequestJournal()
    /// The ids of the seed's rows by their keys.
    var keys: [String: String] = [:]
    /// API calls so far.
    var calls = 0
    private var numbers: [String: Int64] = [:]
    private var autonumbers: [String: Int64] = [:]

    init(seed: Seed, clock: any SoupClock, options: OrgOptions) throws {
        self.clock = OrgClock(base: clock)
        self.options = options
        queue = try OrgDatabase.open(path: options.databasePath)
        definition = try seed.definition()
        schema = definition.schema
        try load(seed)
        tokens.start(user: definition.caller.id, clientId: definition.clients.first?.id ?? "")
    }

    /// Empties the org and fills it from a seed.
    ///
    /// Access tokens stay valid.
    func load(_ seed: Seed) throws { try queue.inDatabase { db in try load(seed, in: db) } }

    /// As ``load(_:)``, for who has the database already.
    ///
    /// There must be no transaction.
    func load(_ seed: Seed, in db: Database) throws {
        let definition = try seed.definition()
        self.definition = definition
        schema = definition.schema
        numbers = [:]
        autonumbers = [:]
        keys = [:]
        cursors = QueryCursors()
        bulk = BulkRegister()
        primings = PrimingRegister()
        clock.run()
        try OrgDatabase.createTables(schema, in: db)
        try db.inTransaction {
            try SeedLoader(org: self, db: db).load(seed)
            return .commit
        }
        try OrgDatabase.createIndexes(schema, in: db)
        if let frozen = definition.frozenAt { clock.freeze(at: frozen) }
    }

    /// The time that is written into records.
    var timestamp: Int64 { options.resolution == .second ? clock.now / 1000 * 1000 : clock.now }

    /// The number of an object's next record.
    func nextNumber(of object: OrgObject) -> Int64 {
        let next = (numbers[object.name] ?? 0) + 1
        numbers[object.name] = next
        return next
    }

    /// Keeps later records behind rows that were inserted with numbers of their own.
    func reserve(_ object: OrgObject, upTo number: Int64) {
        numbers[object.name] = max(numbers[object.name] ?? 0, number)
    }

    /// The next value of a counted field: `V-{00000}` gives `V-00001`; the digits in braces are the width, and a number in
    /// them is where counting starts.
    func nextAutonumber(_ object: OrgObject, _ field: OrgField, _ format: String) -> String {
        let key = "\(object.name).\(field.name)"
        let next = (autonumbers[key] ?? 0) + 1
        autonumbers[key] = next
        guard let open = format.firstIndex(of: "{"), let close = format.firstIndex(of: "}"), open < close else {
            return format + String(next)
        }
        let pattern = format[format.index(after: open)..<close]
        let number = String((Int64(pattern) ?? 0) + next)
        let zeros = String(repeating: "0", count: max(0, pattern.count - number.count))
        return format[..<open] + zeros + number + format[format.index(after: close)...]
    }
}
