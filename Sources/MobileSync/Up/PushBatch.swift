// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A batch on its way: what is sent, and what is not and why.
struct PushBatch: Sendable {
    /// What is sent, as far as there is something to tell the server.
    var open: [PushUnit] = []
    /// What is left alone, because the server's record is newer or could not be asked about.
    var refused: [(unit: PushUnit, failure: PushFailure)] = []
    /// What cannot be sent.
    var failed: [(member: PushMember, failure: PushFailure)] = []
    /// The creations that would make a second record when they are sent again; known when the batch is marked.
    var unrepeatable: Set<EntryKey> = []
    /// When the creations were marked, before they were sent; nil for a batch without creations.
    var markTime: Int64?
    /// How many units there are in all.
    private(set) var count = 0

    /// Adds a unit; members that the server cannot be told about are set apart.
    mutating func add(_ unit: PushUnit) {
        count += 1
        var unit = unit
        guard !unit.root.lacksServerId else {
            failed += unit.members.filter(\.isDirty).map { ($0, .noServerId(unit.root.id)) }
            return
        }
        failed += unit.removeUnreachable().filter(\.isDirty).map { ($0, .noServerId($0.id)) }
        open.append(unit)
    }

    /// Leaves units alone.
    ///
    /// - Parameter withdrawn: the positions of units that are no part of the batch any more.
    mutating func refuse(
        _ positions: Set<Int>, because failure: PushFailure, withdrawing withdrawn: Set<Int> = []
    ) {
        refuse(
            Dictionary(uniqueKeysWithValues: positions.map { ($0, failure) }), withdrawing: withdrawn)
    }

    /// Leaves units alone, each for a reason of its own.
    mutating func refuse(_ positions: [Int: PushFailure], withdrawing withdrawn: Set<Int> = []) {
        refused += open.indices.compactMap { position in positions[position].map { (open[position], $0) } }
        open = open.indices.filter { positions[$0] == nil && !withdrawn.contains($0) }.map { open[$0] }
        count -= withdrawn.count
    }
}

extension PushFailure {
    static let inFlight = PushFailure(
        code: "IN_FLIGHT",
        message: "another run has sent this creation, and what became of it is not known here", isRetryable: true)

    static let newerOnServer = PushFailure(
        code: "NEWER_ON_SERVER",
        message:
            "the server has a newer version of the record that was changed here, or of another one of its tree: "
            + "`soup conflicts`, or conflicts(), shows what is known; resolve it, or take the change back")

    static let conflict = PushFailure(
        code: "CONFLICT",
        message:
            "the record was changed here and on the server, in ways that cannot be merged: `soup conflicts`, or "
            + "conflicts(), shows the versions; resolve it")

    static let goneOnServer = PushFailure(
        code: "DELETED_ON_SERVER",
        message:
            "the server no longer has the record: delete it here too, or create it anew, by `soup resolve` or "
            + "resolveConflict()", isGone: true)

    static let lostParent = PushFailure(
        code: "PARENT_DELETED_ON_SERVER",
        message:
            "the server no longer has a record that this one is under: `soup resolve`, or resolveConflict(), makes it "
            + "again, or takes back what was done here", isGone: true)

    static let waitsForTree = PushFailure(
        code: "WAITS_FOR_TREE", message: "another record of its tree is in conflict; it goes when that is resolved")

    /// Whether it may be another record of the tree that is the reason.
    var isAboutTree: Bool {
        [Self.conflict, .newerOnServer, .goneOnServer, .lostParent].contains { $0.code == code }
    }

    static let noParent = PushFailure(
        code: "NO_PARENT",
        message: "the store holds no parent that this record is under: bring the parent down, or put the record under "
            + "another one; when the server has neither any more, delete the entry for good (`soup delete --now`)")

    /// - Parameter id: what the entry holds.
    fileprivate static func noServerId(_ id: String?) -> PushFailure {
        let what =
            id.map { LocalId.isLocal($0) ? "no id" : "\"\($0.excerpt(40))\", which cannot be an id" } ?? "no id"
        return PushFailure(
            code: "NO_SERVER_ID",
            message:
                "the entry is not marked as created here, and it holds \(what) of the server: set __locally_created__, "
                + "or its id")
    }
}
