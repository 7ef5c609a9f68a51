// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A sync up whose records are changed before they are sent, and changed back when they are fetched.
struct TransformedUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {}

    static let name: PluginName = "transformed"

    let target: any SyncUpTarget
    private let transforms: RecordTransforms

    init(_ target: any SyncUpTarget, _ transforms: RecordTransforms) {
        self.target = target
        self.transforms = transforms
    }

    /// Throws: the engine makes this target from another one.
    init(configuration: Configuration) throws {
        throw SoupError(.notSupported, "this target has no configuration")
    }

    /// Returns a change as the target sends it.
    func transformed(_ change: RecordChange) throws -> RecordChange { try transforms.pushed(change) }

    /// Pushes the changes whose records can be changed; the others fail, and are not sent.
    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var failures: [Int: PushFailure] = [:]
        var sent: [RecordChange] = []
        for (position, change) in changes.enumerated() {
            do {
                sent.append(try transforms.pushed(change))
            } catch {
                let known = SoupError(wrapping: error)
                failures[position] = PushFailure(code: known.code.rawValue, message: known.message)
            }
        }
        let outcomes = sent.isEmpty ? [] : try await target.push(sent, in: context)
        // The engine reports a wrong number of outcomes.
        guard outcomes.count == sent.count else { return outcomes }
        var rest = outcomes.makeIterator()
        return changes.indices.compactMap { failures[$0].map { .failed($0) } ?? rest.next() }
    }

    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        let records = try await target.serverRecords(of: try changes.map { try transforms.pushed($0) }, in: context)
        guard let records, records.count == changes.count else { return records }
        return try zip(records, changes).map { record, change in
            try record.map { try transforms.fetched($0, of: change.soup) }
        }
    }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        try await target.serverStates(of: try changes.map { try transforms.pushed($0) }, in: context)
    }

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        try await target.findCreated(try changes.map { try transforms.pushed($0) }, in: context)
    }

    func isIdempotent(_ creation: RecordChange) -> Bool {
        (try? transforms.pushed(creation)).map { target.isIdempotent($0) } ?? false
    }

    func mayFindExistingRecord(_ creation: RecordChange) -> Bool {
        (try? transforms.pushed(creation)).map { target.mayFindExistingRecord($0) } ?? false
    }

    func isConditional(_ change: RecordChange, under mode: MergeMode) -> Bool {
        (try? transforms.pushed(change)).map { target.isConditional($0, under: mode) } ?? false
    }

    func clientKeyField(level: Int) -> String? { target.clientKeyField(level: level) }

    var connectionName: String? { target.connectionName }
    var maxBatchSize: Int { target.maxBatchSize }
    var maxBatchBytes: Int { target.maxBatchBytes }
    var idField: String { target.idField }
    var modificationDateField: String { target.modificationDateField }
    var dateFormat: RecordDateFormat { target.dateFormat }
    var versionField: String? { target.versionField }
    var layout: RecordLayout? { target.layout }

    func problems(with options: SyncOptions) -> [ConfigurationProblem] { target.problems(with: options) }

    func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields] {
        target.pushedFields(level: level, with: options)
    }
}

extension SyncUpTarget {
    /// The name of the target that the configuration names.
    var pluginName: PluginName { (self as? TransformedUpTarget)?.target.pluginName ?? Self.name }
}
