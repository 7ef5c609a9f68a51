// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The calls of a sync up to its target, which check the number of results.
///
/// Nothing else compares the number of results with the number of records. If the target cannot answer a question, a
/// call returns `nil`.
struct ServerQuestions: Sendable {
    let target: any SyncUpTarget
    let context: SyncContext
    var observation: SyncObservation?

    /// Pushes changes, and returns one outcome for each of them and for each of their children.
    ///
    /// If the target returned another number, all of these outcomes are unknown. An outcome that is not `ok` may come
    /// without outcomes for the children.
    func push(_ changes: [RecordChange]) async throws -> [PushOutcome] {
        try await observation.measuring(.push) {
            $0.changes = changes.count
        } _: {
            aligned(try await target.push(changes, in: context), with: changes)
        } describe: { outcomes, result in
            if case .success(let outcomes) = outcomes { result.add(outcomes) }
        }
    }

    private func aligned(_ outcomes: [PushOutcome], with changes: [RecordChange]) -> [PushOutcome] {
        if let fault = fault(in: outcomes, "outcomes", for: changes) {
            return changes.map { _ in .unknown(PushFailure(code: "BAD_TARGET", message: fault)) }
        }
        return zip(outcomes, changes).map { outcome, change in
            guard outcome.result == .ok || !outcome.children.isEmpty else { return outcome }
            var outcome = outcome
            outcome.children = aligned(outcome.children, with: change.children)
            return outcome
        }
    }

    /// Returns the server's states of records; `nil` if the target cannot report states.
    func states(of changes: [RecordChange]) async throws -> [ServerState]? {
        try checked(try await target.serverStates(of: changes, in: context), "server states", for: changes)
    }

    /// Returns the server's versions of records.
    ///
    /// - Throws: the target's error, if no request can succeed; after any other error, the records have failed.
    func records(of changes: [RecordChange]) async throws -> [FetchedRecord] {
        guard !changes.isEmpty else { return [] }
        do {
            let records = try await target.serverRecords(of: changes, in: context)
            guard let records = try checked(records, "records", for: changes) else {
                return changes.map { _ in .unsupported }
            }
            return records.map { $0.map(FetchedRecord.record) ?? .missing }
        } catch  where !Self.endsRun(error) {
            return changes.map { _ in .failed(SoupError(wrapping: error)) }
        }
    }

    /// Returns the server's IDs of creations whose response was lost; `nil` if the target cannot look them up together.
    func idsOfCreated(_ changes: [RecordChange]) async throws -> [String?]? {
        try checked(try await target.findCreated(changes, in: context), "ids", for: changes)
    }

    private func checked<Answer>(
        _ answers: [Answer]?, _ kind: String, for changes: [RecordChange]
    ) throws -> [Answer]? {
        if let answers, let fault = fault(in: answers, kind, for: changes) { throw SoupError(.badTarget, fault) }
        return answers
    }

    /// Returns a message if the target did not return one answer for each change.
    private func fault(in answers: [some Any], _ kind: String, for changes: [RecordChange]) -> String? {
        guard answers.count != changes.count else { return nil }
        return "target \"\(target.pluginName)\" returned \(answers.count) \(kind) for \(changes.count) changes"
    }

    /// Returns whether an error ends the run, because no request can succeed.
    static func endsRun(_ error: any Error) -> Bool {
        error is CancellationError || (error as? SoupError)?.concernsAllRequests == true
    }
}

extension SoupError.Code {
    /// A target does not do what its protocol requires.
    static let badTarget: Self = "badTarget"
}

extension PushRecord {
    /// The change that is passed to a target to look up the record: for a creation that has an ID, an update.
    var changeToLookUp: RecordChange {
        guard kind == .create, let serverId else { return change() }
        return RecordChange(
            .update, soup: key.soup, entryId: key.id, serverId: serverId, record: record, level: level)
    }
}

extension UpRun {
    var context: SyncContext {
        services.context(
            for: row.state.definition, connection: plan.target.connectionName, observation: observation)
    }
    var server: ServerQuestions { ServerQuestions(target: plan.target, context: context, observation: observation) }
}
