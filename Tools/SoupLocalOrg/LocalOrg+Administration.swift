// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
public import SoupCore
internal import Synchronization

/// Operations of an administrator, or of another user, on an org that clients use.
extension LocalOrg {
    /// Empties the org and fills it again, from another seed or from its own.
    ///
    /// The schema and the clock are reset to those of the seed. Tokens, options, faults and the journal stay as they
    /// are.
    ///
    /// - Parameter seed: nil for the seed of ``init(seed:clock:options:)``, also for an org that continues from its
    ///   state file.
    /// - Throws: ``SoupError`` for an inconsistent seed.
    public func reset(to seed: OrgSeed? = nil) throws { try core.withLock { try $0.load(seed ?? $0.seed) } }

    /// Returns the ID of a seed's row by its key, such as `acc1` of ``OrgSeed/tiny``; also of users (`me`, `other`).
    public func id(of key: String) -> String? { core.withLock { $0.keys[key] } }

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - user: the key of the user who creates it.
    ///   - time: the time that the transaction takes: the record has a date that is earlier by this time.
    /// - Returns: the record's ID.
    /// - Throws: ``SoupError`` with `server` and the org's message if the record is rejected.
    @discardableResult
    public func insert(
        _ object: String, _ values: JSONObject, as user: String = "other", taking time: Duration = .zero
    ) throws -> String {
        try work(as: user, taking: time) { context in try context.records.create(try context.object(object), values) }
    }

    /// Changes a record as another user; validation rules are not run.
    ///
    /// - Parameter time: the time that the transaction takes; see ``insert(_:_:as:taking:)``. The date is never earlier
    ///   than that of the previous change.
    /// - Throws: as ``insert(_:_:as:taking:)``.
    public func edit(
        _ object: String, id: String, _ values: JSONObject, as user: String = "other", taking time: Duration = .zero
    ) throws {
        try work(as: user, taking: time) { context in try context.records.edit(object, id: id, values) }
    }

    /// Deletes a record, with its dependent records.
    ///
    /// - Throws: as ``insert(_:_:as:taking:)``.
    public func delete(
        _ object: String, id: String, as user: String = "other", taking time: Duration = .zero
    ) throws {
        try work(as: user, taking: time) { context in
            let object = try context.object(object)
            try context.recycleBin.delete(
                try context.rows.existingRow(of: object, id: id, for: .writing), of: object)
        }
    }

    /// Undeletes a record, with the records deleted with it.
    ///
    /// - Throws: as ``insert(_:_:as:taking:)``.
    public func undelete(id: String) throws { try work { context in try context.recycleBin.undelete(id) } }

    /// Removes a record permanently, with the records deleted with it; a record that is not deleted yet is deleted
    /// first.
    ///
    /// Only the list of deletions (`/deleted`) still reports it.
    ///
    /// - Throws: as ``insert(_:_:as:taking:)``.
    public func purge(id: String) throws { try work { context in try context.recycleBin.purge(id) } }

    /// Empties the recycle bin, as an administrator does.
    ///
    /// Its records are removed permanently. Earlier deletions cannot be requested any more
    /// (`INVALID_REPLICATION_DATE`), so a client must read everything again.
    ///
    /// - Throws: ``SoupError`` with `sql` if the storage is full.
    public func emptyRecycleBin() throws { try work { context in try context.recycleBin.purgeAll() } }

    /// Changes the org's objects while it runs, as an administrator does.
    ///
    /// ```swift
    /// try org.changeSchema([
    ///     "Account": ["fields": ["Score__c": ["type": "int"], "Fax": nil]], "Visit_Item__c": nil,
    /// ])
    /// ```
    ///
    /// Objects and fields are described as in a seed file and merged with the existing ones; nil (JSON's null) removes
    /// one with its values. Describes, queries and checks use the new schema at once. A reset restores the objects of
    /// its seed. Existing records get no value in a new field, except a number in an autonumber field, and the default
    /// or false in a boolean. If something is removed, queries and jobs in progress end.
    ///
    /// - Throws: ``ConfigurationError`` with every problem, as for a seed: an object that is referred to, a field that
    ///   a rule names or that the org fills, another type for a field with values, a unique field with a value twice.
    ///   Then nothing is changed.
    public func changeSchema(_ objects: JSONObject) throws { try work { try SchemaChange(context: $0).apply(objects) } }

    /// Saves the content of the org: its rows, its schema and its time.
    ///
    /// There is one snapshot; a new one replaces it. Tokens, faults and the journal are not part of it.
    ///
    /// - Throws: ``SoupError`` with `sql` if there is no space for a copy.
    public func takeSnapshot() throws {
        try core.withLock { core in try core.queue.inDatabase { db in try core.takeSnapshot(db) } }
    }

    /// Restores the snapshot; this can be repeated.
    ///
    /// Queries and jobs in progress end.
    ///
    /// - Throws: ``SoupError`` with `server` if there is no snapshot.
    public func restoreSnapshot() throws {
        try core.withLock { core in try core.queue.inDatabase { db in try core.restoreSnapshot(db) } }
    }

    /// Returns all rows of an object, including deleted ones, with all their fields, in the order of their IDs.
    ///
    /// - Throws: ``SoupError`` with `server` for an unknown object.
    public func state(of object: String) throws -> [JSONValue] {
        let bytes = try work { context in try context.reader.allRows(of: object) }
        return try JSONValue(parsing: bytes).arrayValue ?? []
    }

    // MARK: Faults, journal, tokens, clock

    /// Adds a fault after the others; a fault with the ID of another replaces it.
    ///
    /// - Returns: its ID.
    @discardableResult
    public func add(_ fault: OrgFault) -> String { core.withLock { $0.faults.add(fault, now: $0.clock.now) } }

    /// The faults, each with the number of times that it took effect.
    public var faults: [(fault: OrgFault, fired: Int)] {
        core.withLock { $0.faults.list.map { ($0.fault, $0.fired) } }
    }

    /// Removes a fault, or all of them for nil.
    public func removeFault(_ id: String? = nil) { core.withLock { $0.faults.remove(id) } }

    /// The latest requests, the oldest first, without those of the administration.
    public var journal: [OrgJournal.Entry] { core.withLock { $0.journal.entries } }

    /// Ends every access token; refresh tokens stay valid.
    public func expireTokens() { core.withLock { $0.tokens.expireAll() } }

    /// The org's time, in whole milliseconds.
    public var now: Date { Date(millisecondsSince1970: core.withLock { $0.clock.now }) }

    /// Stops the org's clock at a time between the years 1 and 9999, rounded to the nearest millisecond.
    ///
    /// A time outside this range becomes the nearest time in it.
    public func freezeClock(at time: Date) {
        core.withLock { $0.clock.freeze(at: time.millisecondsSince1970) }
    }

    /// Moves the org's clock, whether it is stopped or runs, within the years 1 to 9999.
    ///
    /// - Parameter duration: rounded up to whole milliseconds; a negative one moves the clock back.
    public func advanceClock(by duration: Duration) {
        core.withLock { $0.clock.advance(by: duration.milliseconds) }
    }

    /// Changes the options; a change of ``OrgOptions/stateFile`` is ignored.
    public func setOptions(_ change: @Sendable (inout OrgOptions) -> Void) {
        core.withLock { core in
            let file = core.options.stateFile
            change(&core.options)
            core.options.stateFile = file
        }
    }

    private func work<T: Sendable>(
        as user: String = "me", taking time: Duration = .zero, _ body: @Sendable (OrgContext) throws -> T
    ) throws -> T {
        try core.withLock { core in
            do {
                return try core.queue.inDatabase { db in
                    let context = OrgContext(
                        org: core, db: db, userId: core.keys[user] ?? core.definition.caller.id)
                    context.faults.transactionTime = time
                    return try context.atomically {
                        try context.recycleBin.removeExpired()
                        let result = try body(context)
                        try core.save(in: db)
                        return result
                    }
                }
            } catch {
                // Expired records are in the recycle bin again.
                core.binEnds = nil
                guard let error = error as? OrgError else { throw error }
                let text = error.items.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
                throw SoupError(.server, "the local org refuses: \(text)")
            }
        }
    }
}
