// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    /// For LEAVE_IF_CHANGED: sets apart what the server has a newer version of, or no longer has.
    ///
    /// A tree is pushed whole or not at all, so each of its members in the store is asked about.
    ///
    /// - Throws: what the target throws, when no question gets through. Any other failure leaves the records alone: to
    ///   push without knowing could overwrite what the mode is there to protect.
    func refuseOlder(_ batch: inout PushBatch) async throws {
        let asked = batch.open.enumerated().flatMap { position, unit in
            Self.members(toAskFor: unit).map { (position: position, member: $0) }
        }
        guard !asked.isEmpty else { return }
        let states: [ServerState]
        do {
            states = try await target.serverStates(of: asked.map { $0.member.change() }, in: context)
        } catch let error as SoupError where error.code == .network || error.code == .sessionExpired {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            services.logger.warning("sync \(row.state.id): the server could not be asked for its versions: \(error)")
            let known = SoupError(wrapping: error)
            batch.refuse(
                Set(asked.map(\.position)),
                because: PushFailure(code: known.code.rawValue, message: known.message, isRetryable: true))
            return
        }
        guard states.count == asked.count else {
            throw SoupError(
                "badTarget",
                "target \"\(type(of: target).name)\" gave \(states.count) server states for \(asked.count) records")
        }
        batch.refuse(Set(zip(asked, states).filter { !Self.mayPush($0.member, over: $1) }.map(\.0.position)))
    }

    private static func members(toAskFor unit: PushUnit) -> [PushMember] {
        guard unit.root.kind != .create, !unit.isEmpty else { return [] }
        return ([unit.root] + unit.children + unit.bystanders).filter { $0.kind != .create && $0.serverId != nil }
    }

    /// Whether a change may replace what the server has (Mobile Sync specification 5.2).
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
