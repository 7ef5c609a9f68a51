// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupBridge

@Suite struct BridgeEventsTests {
    private func event(_ sync: Int64, _ number: Int, isLast: Bool = false) -> EventQueue.Event {
        EventQueue.Event(
            sync: SyncKey(store: BridgeStoreName(), id: sync), isLast: isLast, json: .integer(Int64(number)))
    }

    private func read(_ queue: EventQueue) async -> [Int64] {
        var read: [Int64] = []
        for await event in BridgeEvents(queue: queue) { read.append(event.value.intValue ?? -1) }
        return read
    }

    @Test func `A slow reader misses states in progress, not the last one`() async {
        let queue = EventQueue()
        for number in 0..<150 { queue.add(event(1, number)) }
        queue.add(event(1, 150, isLast: true))
        // Another run of the same sync.
        queue.add(event(1, 151))
        queue.close()
        let read = await read(queue)
        #expect(read == Array(0..<99) + [150, 151])
    }

    @Test func `Events that are not read end the sequence`() async {
        let queue = EventQueue()
        for number in 0..<600 { queue.add(event(Int64(number), number, isLast: true)) }
        #expect(await read(queue) == Array(0..<500))
    }

    @Test func `A requested sign comes after the events that wait`() async {
        let queue = EventQueue()
        let events = BridgeEvents(queue: queue)
        queue.add(event(1, 7))
        events.requestSign()
        guard case .event(let json)? = await events.message() else { return #expect(Bool(false), "no event") }
        #expect(json == .integer(7))
        guard case .sign? = await events.message() else { return #expect(Bool(false), "no sign") }
        queue.close()
        #expect(await events.message() == nil)
    }
}
