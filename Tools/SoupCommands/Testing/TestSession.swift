// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit
internal import SoupLocalOrg
internal import Synchronization

/// The store, the syncs and the org of a test while its steps run.
struct TestSession {
    private let kit: SoupClient
    private let org: LocalOrg
    private let configuration: TestedConfiguration
    /// The store of the app, with local IDs that are the same in each run.
    private let store: SmartStore
    private var names: TestNames
    /// The entries that steps have created, by their names.
    private var entries: [String: (soup: SoupName, id: Int64)] = [:]

    init(_ kit: SoupClient, _ org: LocalOrg, testing configuration: TestedConfiguration, clock: any SoupClock) {
        (self.kit, self.org, self.configuration) = (kit, org, configuration)
        let count = Mutex(0)
        store = SmartStore(kit.store.backend, clock: clock) {
            count.withLock { count in
                count += 1
                return LocalId.prefix + String(count)
            }
        }
        names = TestNames(org.seedKeys)
    }

    /// Performs a step, and returns its differences.
    ///
    /// - Throws: `CancellationError`; any other error is a difference.
    mutating func perform(_ step: TestStep) async throws -> [TestDifference] {
        do {
            let differences = try await work(of: step)
            try await noteIds()
            return differences
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = error as? SoupError
            return [
                TestDifference(
                    kind: .step, path: step.path, message: failure?.message ?? "\(error)", hint: failure?.hint)
            ]
        }
    }

    private mutating func work(of step: TestStep) async throws -> [TestDifference] {
        switch step.action {
        case .sync(let name, let expected):
            let run = try await result(of: name)
            return differences(of: step, "sync \"\(name)\"") {
                expected.differences(from: run.counts, error: run.error, outcomes: run.outcomes)
            }
        case .cleanGhosts(let name, let expected):
            try requireLocal(name)
            var (count, failure) = (0, SoupError?.none)
            do {
                count = try await kit.syncs.cleanGhosts(named: name).removedBySoup.values.reduce(0, +)
            } catch let error as SoupError {
                failure = error
            }
            return differences(of: step, "ghosts of \"\(name)\"") {
                expected.differences(from: ["removed": count], error: failure)
            }
        case .create(let soup, let name, let fields):
            let known = configuration.soups[soup] ?? RecordConventions()
            let record = names.resolved(fields)
            let type = record["attributes"]?["type"] == nil ? known.type : nil
            let entry = try await store.create(record, type: type, in: soup, idField: known.idField)
            if let name { entries[name] = (soup, entry.id) }
        case .edit(let soup, let row, let fields):
            let idField = idField(of: soup)
            guard fields[idField] == nil else {
                throw SoupError(
                    .badMemberName, "\"\(idField)\" is the ID of the record on the server, and an edit cannot set it",
                    hint: "Remove it from \"fields\".")
            }
            try await store.edit(try await entry(row, of: soup).id, setting: names.resolved(fields), in: soup)
        case .delete(let soup, let row):
            _ = try await store.delete([try await entry(row, of: soup).id], from: soup, markingSynced: true)
        case .org(let changes):
            for change in changes { try apply(change) }
        case .expect(let expected):
            return try await differences(from: expected)
        }
        return []
    }

    // MARK: Syncs

    private func result(
        of name: String
    ) async throws -> (counts: [String: Int], error: SoupError?, outcomes: [RecordOutcome]) {
        try requireLocal(name)
        let run: SyncRun
        do {
            run = try await kit.syncs.reSync(named: name)
        } catch let error as SoupError {
            return ([:], error, [])
        }
        let result = await withTaskCancellationHandler {
            await run.result
        } onCancel: {
            run.cancel()
        }
        try Task.checkCancellation()
        var outcomes: [RecordOutcome] = []
        for await event in run.events() {
            if case .outcome(let outcome) = event { outcomes.append(outcome) }
        }
        return (result.counts, result.error, outcomes)
    }

    /// Throws for a sync that communicates with a server that a local org cannot replace.
    private func requireLocal(_ name: String) throws {
        let definition = configuration.syncs[name]
        let target = definition?.target.json
        let connection = target?["connection"]?.stringValue
        // The name can be the type, or a class.
        let names = definition.map { [$0.target.type].compactMap { $0 } + $0.target.classes.map(\.name) } ?? []
        let isService = names.contains(HTTPSyncDownTarget.name)
        guard connection != nil || isService else { return }
        throw SoupError(
            .notSupported,
            "the sync \"\(name)\" uses " + (connection.map { "the connection \"\($0)\"" } ?? "a server that is no org")
                + ", and a test has only a local org",
            hint: "Remove the step. Tests can run the syncs of an org; they contact no server.")
    }

    private func differences(
        of step: TestStep, _ subject: String, _ compare: () -> [(expected: String, found: String, message: String)]
    ) -> [TestDifference] {
        compare().map { difference in
            TestDifference(
                kind: .step, path: step.path, subject: subject, expected: difference.expected,
                found: difference.found, message: difference.message)
        }
    }

    // MARK: Records

    private func idField(of soup: SoupName) -> String { configuration.soups[soup]?.idField ?? "Id" }

    /// Returns the only entry that matches a row.
    private func entry(_ row: ExpectedRow, of soup: SoupName) async throws -> SoupEntry {
        let wanted = ExpectedValue(.object(row.fields), names: names)
        var found: [SoupEntry] = []
        for try await entry in store.entries(matching: .all(soup)) where wanted.matches(entry.json.value) {
            found.append(entry)
        }
        if let entry = found.first, found.count == 1 { return entry }
        throw SoupError(
            .notUnique,
            "\(found.isEmpty ? "no entry" : "\(found.count) entries") of soup \"\(soup)\" match \(wanted.text)",
            hint: found.isEmpty
                ? "Run a sync that fetches the record before this step, or correct \"where\"."
                : "Add fields to \"where\", or the ID of the record.")
    }

    private mutating func apply(_ change: TestStep.OrgChange) throws {
        let fields = names.resolved(change.fields)
        let id = change.id.flatMap { names.resolved(.string($0)).stringValue } ?? ""
        switch change.kind {
        case .create:
            let id = try org.insert(change.object, fields)
            if let name = change.id { names.set(String(name.dropFirst()), to: id) }
        case .update: try org.edit(change.object, id: id, fields)
        case .delete: try org.delete(change.object, id: id)
        }
    }

    /// Updates the IDs of the entries with names: a sync up replaces the local IDs.
    private mutating func noteIds() async throws {
        for (name, (soup, id)) in entries {
            guard let entry = try await store.retrieve([id], from: soup).first else { continue }
            if let id = entry.json.value[idField(of: soup)]?.idText { names.set(name, to: id) }
        }
    }

    private func differences(from expected: [ExpectedRows]) async throws -> [TestDifference] {
        var differences: [TestDifference] = []
        for rows in expected {
            var found: [JSONObject] = []
            switch rows.source {
            case .soup(let soup):
                for try await entry in store.entries(matching: .all(soup)) {
                    if let object = entry.json.value.objectValue { found.append(object) }
                }
                let comparison = RowComparison(expected: rows, names: names, idField: idField(of: soup))
                differences += comparison.differences(from: found)
            case .object(let object):
                // Records in the recycle bin are deleted.
                found = try org.state(of: object).compactMap(\.objectValue).filter { $0["IsDeleted"] != true }
                differences += RowComparison(expected: rows, names: names, idField: "Id").differences(from: found)
            }
        }
        return differences
    }
}

#endif
