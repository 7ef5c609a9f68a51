// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import SoupCore
internal import Synchronization

/// What an administrator, or another user, does to an org behind a client's back.
extension LocalOrg {
    /// Empties the org and fills it again, from another seed or from the one that it was made with.
    ///
    /// The schema is the seed's again, and so is the clock. Tokens, options, faults and the journal stay as they are.
    ///
    /// - Parameter seed: nil for the seed of ``init(seed:clock:options:)``, also of an org that goes on from its state
    ///   file.
    /// - Throws: ``SoupError`` for a seed that does not fit together.
    public func reset(to seed: Seed? = nil) throws { try core.withLock { try $0.load(seed ?? $0.seed) } }

    /// The id of a seed's row by its key, such as `acc1` of ``Seed/tiny``; also of users (`me`, `other`).
    public func id(of key: String) -> String? { core.withLock { $0.keys[key] } }

    /// Creates a record.
    ///
    /// - Parameter user: the key of the user who does it.
    /// - Returns: the record's id.
    /// - Throws: ``SoupError`` with `server` and the org's own words when the record is refused.
    @discardableResult
    public func insert(_ object: String, _ values: JSONObject, as user: String = "other") throws -> String {
        try work(as: user) { context in try context.create(try context.object(object), values) }
    }

    /// Changes a record, as another user would; rules for clients' edits are not asked.
    ///
    /// - Throws: as ``insert(_:_:as:)``.
    public func edit(_ object: String, id: String, _ values: JSONObject, as user: String = "other") throws {
        try work(as: user) { context in try context.edit(object, id, values) }
    }

    /// Deletes a record, with everything that hangs on it.
    ///
    /// - Throws: as ``insert(_:_:as:)``.
    public func delete(_ object: String, id: String, as user: String = "other") throws {
        try work(as: user) { context in
            let object = try context.object(object)
            try context.delete(object, try context.target(object, id, .writing))
        }
    }

    /// Brings a deleted record back, with what was deleted with it.
    ///
    /// - Throws: as ``insert(_:_:as:)``.
    public func undelete(id: String) throws { try work { context in try context.undelete(id) } }

    /// Takes a record away for good, with what was deleted with it; one that is not deleted yet is deleted before.
    ///
    /// Nothing shows it any more but the list of what was deleted (`/deleted`).
    ///
    /// - Throws: as ``insert(_:_:as:)``.
    public func purge(id: String) throws { try work { context in try context.purge(id) } }

    /// Empties the recycle bin, as an administrator does: its records are gone for good, and what was deleted before
    /// this cannot be asked for any more (`INVALID_REPLICATION_DATE`), so that a client must read everything anew.
    ///
    /// - Throws: ``SoupError`` with `sql` when there is no room.
    public func emptyRecycleBin() throws { try work { context in try context.purgeAll() } }

    /// Changes the org's objects while it runs, as an administrator does behind a client's back.
    ///
    /// ```swift
    /// try org.changeSchema([
    ///     "Account": ["fields": ["Score__c": ["type": "int"], "Fax": nil]], "Visit_Item__c": nil,
    /// ])
    /// ```
    ///
    /// Objects and fields are described as in a seed file and laid over what is there; nil (JSON's null) takes one
    /// away, with its values. Describes, queries and checks follow at once; a reset goes back to the objects of its
    /// seed.
    /// Records that are there get nothing into a new field but what the org counts, and false or the default into a
    /// boolean. When something is taken away, queries and jobs under way end.
    ///
    /// - Throws: ``ConfigurationError`` with everything that speaks against it, in the words of a seed's check: an
    ///   object that is referred to, a field that a rule names or that the org fills, another type for a field that
    ///   has values, a unique field with a value twice. Nothing is changed then.
    public func changeSchema(_ objects: JSONObject) throws { try work { try $0.changeSchema(objects) } }

    /// Remembers everything that is in the org: its rows, its schema and its time.
    ///
    /// There is one such memory; another takes its place. Tokens, faults and the journal are no part of it.
    ///
    /// - Throws: ``SoupError`` with `sql` when there is no room for a copy.
    public func takeSnapshot() throws {
        try core.withLock { core in try core.queue.inDatabase { db in try core.takeSnapshot(db) } }
    }

    /// Makes everything as it was when the snapshot was taken, which can be done again and again.
    ///
    /// Queries and jobs that were under way end.
    ///
    /// - Throws: ``SoupError`` with `server` when there is no snapshot.
    public func restoreSnapshot() throws {
        try core.withLock { core in try core.queue.inDatabase { db in try core.restoreSnapshot(db) } }
    }

    /// All rows of an object, deleted ones too, with all their fields, in the order of their ids.
    ///
    /// - Throws: ``SoupError`` with `server` for an unknown object.
    public func state(of object: String) throws -> [JSONValue] {
        let bytes = try work { context in try context.state(object) }
        return try JSONValue(parsing: bytes).arrayValue ?? []
    }

    // MARK: Faults, journal, tokens, clock

    /// Puts a fault in place, behind those that are there; one with the id of another takes its place.
    ///
    /// - Returns: its id.
    @discardableResult
    public func add(_ fault: OrgFault) -> String { core.withLock { $0.faults.add(fault, now: $0.clock.now) } }

    /// The faults in place, with how often each has struck.
    public var faults: [(fault: OrgFault, fired: Int)] {
        core.withLock { $0.faults.list.map { ($0.fault, $0.fired) } }
    }

    /// Takes a fault away, or all of them for nil.
    public func removeFault(_ id: String? = nil) { core.withLock { $0.faults.remove(id) } }

    /// The latest requests, the oldest first.
    ///
    /// Requests of the administration are not among them.
    public var journal: [JournalEntry] { core.withLock { $0.journal.entries } }

    /// Ends every access token; refresh tokens stay.
    public func expireTokens() { core.withLock { $0.tokens.expireAll() } }

    /// The org's time, in milliseconds since 1970.
    public var now: Int64 { core.withLock { $0.clock.now } }

    /// Stops the org's clock at a time, in milliseconds since 1970, between the years 1 and 9999.
    ///
    /// Another time becomes the nearest of these.
    public func freezeClock(at time: Int64) { core.withLock { $0.clock.freeze(at: time) } }

    /// Moves the org's clock, whether it stands or runs, to the year 1 or the year 9999 at most.
    public func advanceClock(byMilliseconds milliseconds: Int64) {
        core.withLock { $0.clock.advance(by: milliseconds) }
    }

    /// Changes how the org behaves from now on; the file that keeps it stays, whatever the change says of it.
    public func setOptions(_ change: @Sendable (inout OrgOptions) -> Void) {
        core.withLock { core in
            let file = core.options.stateFile
            change(&core.options)
            core.options.stateFile = file
        }
    }

    private func work<T: Sendable>(
        as user: String = "me", _ body: @Sendable (OrgContext) throws -> T
    ) throws -> T {
        try core.withLock { core in
            do {
                return try core.queue.inDatabase { db in
                    let context = OrgContext(
                        org: core, db: db, userId: core.keys[user] ?? core.definition.caller.id)
                    return try context.atomically {
                        try context.emptyBin()
                        let result = try body(context)
                        try core.save(in: db)
                        return result
                    }
                }
            } catch {
                // What left the recycle bin is back in it.
                core.binEnds = nil
                guard let error = error as? OrgError else { throw error }
                let text = error.items.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
                throw SoupError(.server, "the local org refuses: \(text)")
            }
        }
    }
}

extension OrgContext {
    /// Changes a record without asking the object's rules.
    func edit(_ name: String, _ id: String, _ values: JSONObject) throws {
        let object = try object(name)
        let row = try target(object, id, .writing)
        let validation = RecordValidation(context: self, object: object)
        let given = try validation.cells(values, creating: false)
        var cells = row.cells
        for (position, value) in given { cells[position] = value }
        try validation.check(given, cells, old: row)
        touch(object, &cells)
        try deriveFromParents(object, &cells, changed: Set(given.keys))
        RecordDerivation.apply(object, &cells, changed: Set(given.keys), now: timestamp)
        try store(object, row, cells)
    }

    /// All rows of an object as a JSON array.
    func state(_ name: String) throws -> [UInt8] {
        let object = try object(name)
        var rows: [Int64] = []
        try OrgStatement(db, "SELECT _row FROM \(object.table) ORDER BY _row").forEach { rows.append($0.int(0)) }
        let plan = try plan(object, fields: nil, seesDeleted: true)
        return try rowWriting.array(plan, rows)
    }
}
