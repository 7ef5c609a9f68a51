// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupLocalOrg
internal import SoupKit

/// The queries, checks and output of the demo.
extension DemoScenario {
    /// Returns the contacts of the org by ID, without deleted ones.
    func contactsInOrg() throws -> [String: JSONValue] {
        var contacts: [String: JSONValue] = [:]
        for row in try org.state(of: "Contact") where row["IsDeleted"] != true {
            if let id = row["Id"]?.stringValue { contacts[id] = row }
        }
        return contacts
    }

    /// Returns contacts of the soup that have no local changes and no cases: the server allows to delete them.
    func contactsWithoutCases() async throws -> [SoupEntry] {
        let inCases = Set(try org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
        let contacts = try await kit.store.query(.all("contacts", orderedBy: "LastName", pageSize: 200)).entries
        let free = contacts.filter { $0["__local__"] != true && !inCases.contains(Self.serverId($0)) }
        try check(free.count >= 3, "there are fewer than three contacts without cases")
        return free
    }

    func entry(_ id: Int64) async throws -> SoupEntry {
        guard let entry = try await kit.store.retrieve([id], from: "contacts").first else {
            throw SoupError("demoFailed", "entry \(id) is no longer in the soup")
        }
        return entry
    }

    /// Returns the number of entries with local changes.
    func dirtyCount() async throws -> Int {
        try await kit.store.count(.exact("contacts", "__local__", equals: true))
    }

    static func serverId(_ entry: SoupEntry) -> String { entry["Id"]?.stringValue ?? "" }

    static func name(_ entry: SoupEntry) -> String {
        [entry["FirstName"], entry["LastName"]].compactMap { $0?.stringValue }.joined(separator: " ")
    }

    /// Runs a sync to its end.
    ///
    /// - Throws: the error that ended the run.
    func runSync(_ name: String) async throws -> SyncResult {
        let result = try await kit.syncs.reSync(named: name).result
        if let error = result.error { throw error }
        return result
    }

    /// Prints the start of a step with the command that does the same.
    func begin(step name: String, title: String, command: String) {
        console.print()
        console.print("== \(title)   $ \(command)")
        console.event(["event": "step", "step": .string(name), "title": .string(title)])
    }

    /// Prints a result of the current step.
    func explain(_ text: String) {
        console.print("   \(text)")
        console.event(["event": "message", "text": .string(text)])
    }

    /// Checks a result of the current step.
    ///
    /// - Throws: ``SoupError`` with `demoFailed` and the message if the condition is false.
    func check(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw SoupError("demoFailed", "the demo failed: \(message())") }
    }
}

extension SyncResult {
    /// The duration of the run in milliseconds.
    var milliseconds: Int64 { state.times.end - state.times.start }
}

#endif
