// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Masters that are deleted after an app has moved details below them: on the server the details are elsewhere.
@Suite struct DeletedMasterTests {
    private typealias World = LostParentWorld

    private func withMovedDetail(
        isDeleted: Bool = false, _ change: (World) async throws -> Void
    ) async throws -> World {
        try await World(isDeleted: isDeleted) { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(
                world.entry("item 21", "items").id, setting: ["Box__c": box["Id"] ?? .null, "Note__c": "mine"],
                in: "items")
            try await change(world)
        }
    }

    private static let remaining = ["box 2", "box 3", "item 22", "item 31", "item 32"]

    @Test(arguments: MergeMode.allCases, [false, true])
    func `A moved detail is deleted with its new master`(mode: MergeMode, isDeletedItself: Bool) async throws {
        let world = try await withMovedDetail { world in
            if isDeletedItself { try await world.delete("item 21", "items") }
            try await world.delete("box 1", "boxes")
        }
        let report = try await world.sync("up \(mode.rawValue)")
        #expect(report.unsynced == [:] && report.changes == 2)
        #expect(try world.orgTitles() == Self.remaining)
        try await world.syncUntilEqual(mode)
    }

    @Test(arguments: MergeMode.thatDetectConflicts, [ConflictResolution.local, .remote])
    func `A moved detail that another user edited is kept`(mode: MergeMode, resolution: ConflictResolution)
        async throws
    {
        let world = try await withMovedDetail { world in
            try await world.delete("box 1", "boxes")
            try world.editInOrg("i21", "Item__c")
        }
        #expect(try await world.sync("up \(mode.rawValue)").unsynced.count == 1)
        #expect(try world.orgTitles() == (Self.remaining + ["item 21"]).sorted())
        try await world.resolveAll(as: resolution, count: 1)
        try await world.syncUntilEqual(mode)
        #expect(try world.orgTitles() == (Self.remaining + (resolution == .remote ? ["item 21"] : [])).sorted())
    }

    @Test(arguments: MergeMode.thatIgnoreUnchangedRecords)
    func `A moved detail is not doubled by its new master`(mode: MergeMode) async throws {
        let world = try await withMovedDetail(isDeleted: true) { try await $0.edit("box 1", "boxes") }
        if mode.detectsConflicts {
            try await world.sync("up \(mode.rawValue)")
            try await world.resolveAll(as: .local, count: 1)
        }
        #expect(try await world.sync("up \(mode.rawValue)").unsynced == [:])
        try await world.syncUntilEqual(mode)
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.otherTitles).sorted())
    }
}
