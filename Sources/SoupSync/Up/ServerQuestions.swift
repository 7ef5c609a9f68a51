// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The questions of a sync up to its target about the server's records.
///
/// Here, and only here, the number of answers is compared with the number of records.
struct ServerQuestions: Sendable {
    let target: any SyncUpTarget
    let context: SyncContext

    /// Returns the server's states of records.
    func states(of changes: [RecordChange]) async throws -> [ServerState] {
        try checked(try await target.serverStates(of: changes, in: context), of: "server states", for: changes)
    }

    /// Returns the server's versions of records.
    ///
    /// - Throws: the target's error, if no request can succeed; after any other error, the records have failed.
    func records(of changes: [RecordChange]) async throws -> [FetchedRecord] {
        guard !changes.isEmpty else { return [] }
        do {
            let records = try await target.serverRecords(of: changes, in: context)
            return try checked(records, of: "records", for: changes).map { $0.map(FetchedRecord.record) ?? .missing }
        } catch let error as SoupError where error.code == .notSupported {
            return changes.map { _ in .unsupported }
        } catch  where !Self.endsRun(error) {
            return changes.map { _ in .failed(SoupError(wrapping: error)) }
        }
    }

    /// Returns the server's IDs of creations whose response was lost; `nil` if the target cannot look them up together.
    func idsOfCreated(_ changes: [RecordChange]) async throws -> [String?]? {
        do {
            return try checked(try await target.findCreated(changes, in: context), of: "ids", for: changes)
        } catch let error as SoupError where error.code == .notSupported {
            return nil
        }
    }

    private func checked<Answer>(
        _ answers: [Answer], of kind: String, for changes: [RecordChange]
    ) throws -> [Answer] {
        guard answers.count == changes.count else {
            throw SoupError(
                .badTarget,
                "target \"\(type(of: target).name)\" returned \(answers.count) \(kind) for \(changes.count) changes")
        }
        return answers
    }

    /// Whether further requests are pointless: the run ends, and no record caused the error.
    static func endsRun(_ error: any Error) -> Bool {
        let codes: Set<SoupError.Code> = [.network, .sessionExpired, .unavailable]
        return error is CancellationError || (error as? SoupError).map { codes.contains($0.code) } ?? false
    }
}

extension SoupError.Code {
    /// A target does not do what its protocol requires.
    static let badTarget: Self = "badTarget"
}

extension PushRecord {
    /// The change with which a target is asked about the record: for a creation that has an ID, an update.
    var changeToAskFor: RecordChange {
        guard kind == .create, let serverId else { return change() }
        return RecordChange(
            .update, soup: key.soup, entryId: key.id, serverId: serverId, record: record, part: part)
    }
}

extension UpRun {
    var context: SyncContext { services.context(for: row.state.definition) }
    var server: ServerQuestions { ServerQuestions(target: plan.target, context: context) }
}
