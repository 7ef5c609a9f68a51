// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The memory of a ``CachedKeyValueStore``, with values that are certainly those of the base store.
///
/// If two calls overlap, their order in the base store is unknown. Therefore a value is kept only if no write of its
/// key overlapped with the call that returned the value.
final class KeyValueCache: Sendable {
    /// The bytes of a key: texts that are equal in Swift can be different keys.
    typealias Key = [UInt8]

    /// The calls in progress for one key.
    private struct CallsInProgress {
        var calls = 0
        var writes = 0
        var hasOverlappingWrite = false
    }

    private struct State {
        var values: LeastRecentlyUsed<Key, Data>
        var calls: [Key: CallsInProgress] = [:]
        var deletionsOfAll = 0
    }

    /// A call in progress.
    struct Call: Sendable {
        fileprivate let key: Key
        fileprivate let isWrite: Bool
    }

    private let state: Mutex<State>

    init(capacity: Int) { state = Mutex(State(values: LeastRecentlyUsed(capacity: capacity))) }

    var size: Int { state.withLock(\.values.size) }

    func value(_ key: String) -> Data? { state.withLock { $0.values.value(Array(key.utf8)) } }

    func beginRead(_ key: String) -> Call { begin(Call(key: Array(key.utf8), isWrite: false)) }

    /// Begins a write; the value of the key is unknown from now on.
    func beginWrite(_ key: String) -> Call { begin(Call(key: Array(key.utf8), isWrite: true)) }

    private func begin(_ call: Call) -> Call {
        state.withLock { state in
            var pending = state.calls[call.key] ?? CallsInProgress()
            if pending.writes > 0 || (call.isWrite && pending.calls > 0) || state.deletionsOfAll > 0 {
                pending.hasOverlappingWrite = true
            }
            pending.calls += 1
            if call.isWrite {
                pending.writes += 1
                state.values.remove(call.key)
            }
            state.calls[call.key] = pending
            return call
        }
    }

    /// Ends a call.
    ///
    /// - Parameter value: the key's value after the call; nil if the call does not know it.
    func end(_ call: Call, value: Data?) {
        state.withLock { state in
            guard var pending = state.calls[call.key] else { return }
            if let value, !pending.hasOverlappingWrite {
                state.values.insert(value, size: value.count + call.key.count, for: call.key)
            }
            pending.calls -= 1
            if call.isWrite { pending.writes -= 1 }
            state.calls[call.key] = pending.calls == 0 ? nil : pending
        }
    }

    func beginDeletingAll() {
        state.withLock { state in
            state.deletionsOfAll += 1
            state.values.removeAll()
            for key in state.calls.keys { state.calls[key]?.hasOverlappingWrite = true }
        }
    }

    func endDeletingAll() { state.withLock { $0.deletionsOfAll -= 1 } }
}
