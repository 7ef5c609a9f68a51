// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupLocalOrg
internal import SoupKit

/// What the story looks up, and how it speaks.
extension DemoStory {
    /// The contacts of the org by their ids, deleted ones left out.
    func contactsInOrg() throws -> [String: JSONValue] {
        var contacts: [String: JSONValue] = [:]
        for row in try org.state(of: "Contact") where row["IsDeleted"] != true {
            if let id = row["Id"]?.stringValue { contacts[id] = row }
        }
        return contacts
    }

    /// The first contacts of the soup that no case refers to, so that the server lets them go, and without local
    /// changes.
    func contactsWithoutCases() async throws -> [SoupEntry] {
        let inCases = Set(try org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
        let contacts = try await kit.store.query(.all("contacts", orderedBy: "LastName", pageSize: 200)).entries
        let free = contacts.filter { $0["__local__"] != true && !inCases.contains(Self.serverId($0)) }
        try check(free.count >= 3, "there are not enough contacts without cases")
        return free
    }

    func entry(_ id: Int64) async throws -> SoupEntry {
        guard let entry = try await kit.store.retrieve([id], from: "contacts").first else {
            throw SoupError("demoFailed", "entry \(id) is not in the soup any more")
        }
        return entry
    }

    /// How many entries have local changes.
    func dirty() async throws -> Int {
        try await kit.store.count(.exact("contacts", "__local__", true))
    }

    static func serverId(_ entry: SoupEntry) -> String { entry["Id"]?.stringValue ?? "" }

    static func name(_ entry: SoupEntry) -> String {
        [entry["FirstName"], entry["LastName"]].compactMap { $0?.stringValue }.joined(separator: " ")
    }

    /// Runs a sync to its end.
    ///
    /// - Throws: what made it fail.
    func run(_ name: String) async throws -> SyncResult {
        let result = try await kit.syncs.reSync(named: name).result()
        if let error = result.error { throw error }
        return result
    }

    func step(_ name: String, _ title: String, _ command: String) {
        console.say()
        console.say("== \(title)   $ \(command)")
        console.event(["event": "step", "step": .string(name), "title": .string(title)])
    }

    func tell(_ text: String) {
        console.say("   \(text)")
        console.event(["event": "told", "text": .string(text)])
    }

    func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        guard holds else { throw SoupError("demoFailed", "the demo went wrong: \(otherwise())") }
    }
}

extension SyncResult {
    /// How long the run took.
    var milliseconds: Int64 { state.endTime - state.startTime }
}

#endif
