// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    /// For LEAVE_IF_CHANGED: refuses units that have a newer version on the server or were deleted there.
    ///
    /// A tree is pushed as a whole or not at all, so each of its members in the store is checked.
    ///
    /// - Throws: the target's error, if no request can succeed. After any other failure, the records are refused,
    ///   because a push without the server's versions could overwrite changes that the mode protects.
    mutating func refuseOlder(_ batch: inout PushBatch) async throws {
        guard let all = try await askedStates(&batch) else { return }
        let asked = try await settleGone(all, &batch)
        let lost = Self.lostParents(asked, batch)
        let parents = Set(lost.values.joined().map(\.key))
        // If the root was deleted on both sides, or if there are only deletions below a deleted parent, a deletion
        // cannot destroy any change on the server.
        let settled = Set(
            asked.filter { $0.member.part == 0 && $0.member.kind == .delete && $0.state == .deleted }.map(\.position))
        let newer = asked.filter {
            guard !Self.mayPush($0.member, over: $0.state) else { return false }
            if $0.member.isDirty { return true }
            return !settled.contains($0.position) && !isMoot($0, parents, batch)
        }
        var reasons: [Int: PushFailure] = [:]
        let older = try await leaveOutDecided(try await settleSame(newer, &batch), parents, batch)
        for asked in older where reasons[asked.position] == nil {
            switch asked.state {
            case .deleted where parents.contains(asked.member.key): reasons[asked.position] = .lostParent
            case .deleted where asked.member.isDirty: reasons[asked.position] = .goneOnServer
            default: reasons[asked.position] = .newerOnServer
            }
        }
        try await note(reasons, asked + older, lost, batch)
        batch.refuse(reasons)
    }

    /// Whether an unchanged record's deletion on the server can be ignored because no pushed record depends on it.
    ///
    /// An unchanged record without changed records below it is a sibling, for which LEAVE_IF_CHANGED refuses the tree.
    private func isMoot(_ asked: AskedState, _ parents: Set<EntryKey>, _ batch: PushBatch) -> Bool {
        asked.state == .deleted && !parents.contains(asked.member.key)
            && batch.open[asked.position].members.contains { $0.key == asked.member.key }
    }

    /// Excludes trees whose conflicts the user has already resolved.
    ///
    /// The server states of unchanged records are ignored if the user has decided to push every change of the tree.
    ///
    /// - Parameter parents: the deleted records that must be created again before the records below them can be pushed.
    private func leaveOutDecided(
        _ older: [AskedState], _ parents: Set<EntryKey>, _ batch: PushBatch
    ) async throws -> [AskedState] {
        let positions = Set(older.map(\.position)).subtracting(
            older.filter { $0.member.isDirty || parents.contains($0.member.key) }.map(\.position))
        guard !positions.isEmpty else { return older }
        let changed = positions.flatMap { batch.open[$0].members.filter(\.isDirty).map(\.key) }
        let decided = try await services.backend.read { reader in
            Set(
                try ConflictStore.notes(of: changed, in: reader).values
                    .filter { try $0.isDecided && ConflictStore.isOpen($0, in: reader) }.map(\.key))
        }
        return older.filter { asked in
            !positions.contains(asked.position)
                || !batch.open[asked.position].members.allSatisfy { !$0.isDirty || decided.contains($0.key) }
        }
    }

    /// The server's state of a member of a batch.
    struct AskedState: Sendable {
        /// The position of the member's unit in the batch.
        var position: Int
        var member: PushMember
        var state: ServerState
        /// The server's record, if it was fetched.
        var remote: JSONText?
    }

    /// Requests the server states of the members of a batch that the server has.
    ///
    /// - Throws: the target's error, if no request can succeed.
    /// - Returns: `nil` if there is nothing to request, or no response; in the second case the units are already
    ///   refused.
    func askedStates(_ batch: inout PushBatch) async throws -> [AskedState]? {
        let asked = batch.open.enumerated().flatMap { position, unit in
            Self.members(toAskFor: unit).map { (position: position, member: $0) }
        }
        return try await askedStates(asked.map { ($0.position, $0.member, $0.member.change()) }, &batch)
    }

    /// Requests the server states of records.
    ///
    /// - Parameter asked: the records, with the positions of the units that are refused if there is no response.
    /// - Throws: the target's error, if no request can succeed.
    /// - Returns: `nil` if there is nothing to request, or no response.
    func askedStates(
        _ asked: [(position: Int, member: PushMember, change: RecordChange)], _ batch: inout PushBatch
    ) async throws -> [AskedState]? {
        guard !asked.isEmpty else { return nil }
        do {
            let states = try await target.serverStates(of: asked.map(\.change), in: context)
            guard states.count == asked.count else {
                throw SoupError(
                    "badTarget",
                    "target \"\(type(of: target).name)\" gave \(states.count) server states for \(asked.count) records")
            }
            return zip(asked, states).map { AskedState(position: $0.position, member: $0.member, state: $1) }
        } catch  where Self.endsRun(error) || (error as? SoupError)?.code == "badTarget" {
            throw error
        } catch {
            services.logger.warning("sync \(row.state.id): the server could not be asked for its versions: \(error)")
            let known = SoupError(wrapping: services.masked(error))
            batch.refuse(
                Set(asked.map(\.position)),
                because: PushFailure(code: known.code.rawValue, message: known.message, isRetryable: true))
            return nil
        }
    }

    /// Whether further requests are pointless: the run ends, and no record caused the error.
    static func endsRun(_ error: any Error) -> Bool {
        let codes: Set<SoupError.Code> = [.network, .sessionExpired, .unavailable]
        return error is CancellationError || (error as? SoupError).map { codes.contains($0.code) } ?? false
    }

    /// For OVERWRITE: returns the entries that failures report as deleted but that the server may still have.
    ///
    /// A failure can refer to another deleted record, for example an owner. If the record were created again, it would
    /// exist twice. Therefore the server is asked about the record itself. Without a clear response, the record is not
    /// created again.
    func standing(_ batch: PushBatch, _ outcomes: [PushOutcome]) async -> Set<EntryKey> {
        guard mode == .overwrite else { return [] }
        let members = zip(batch.open.filter { !$0.isEmpty }, outcomes).flatMap {
            OutcomeWriter.membersThatSeemGone($0, $1)
        }
        guard !members.isEmpty else { return [] }
        let changes = members.map { $0.change() }
        let (target, context) = (target, context)
        do {
            let states = try await pushing { try await target.serverStates(of: changes, in: context) }
            guard states.count == members.count else { return Set(members.map(\.key)) }
            return Set(
                zip(members, states).filter { _, state in
                    switch state {
                    case .deleted: false
                    case .modified: true
                    case .unknown: target.reportsServerStates
                    }
                }.map(\.0.key))
        } catch {
            services.logger.warning("sync \(row.state.id): the server could not be asked what is gone: \(error)")
            return Set(members.map(\.key))
        }
    }

    private static func members(toAskFor unit: PushUnit) -> [PushMember] {
        guard !unit.isEmpty else { return [] }
        // Below a root that the server does not have yet, only changed members can also have been changed by another
        // user.
        let bystanders = unit.root.kind == .create ? [] : unit.bystanders
        return ([unit.root] + unit.children + bystanders).filter { $0.kind != .create && $0.serverId != nil }
    }

    /// Whether a change may replace the server's version.
    static func mayPush(_ member: PushMember, over state: ServerState) -> Bool {
        switch state {
        case .unknown: return true
        case .deleted: return member.kind == .delete
        case .modified(let text):
            guard let local = member.localDate.flatMap({ Timestamp.parse($0) }) else { return true }
            guard let server = Timestamp.parse(text) else { return false }
            return local >= server
        }
    }
}
