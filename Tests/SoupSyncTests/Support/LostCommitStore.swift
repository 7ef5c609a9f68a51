// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// A store that can lose a blocking write after its body, when the stores nested in it are committed already.
final class LostCommitStore: ForwardingStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "lostCommit"

    let inner: any StoreBackend
    private let losesNext = Mutex(false)
    private let lost = Mutex(0)
    /// The number of lost commits.
    var lostCommits: Int { lost.withLock { $0 } }

    init(_ inner: any StoreBackend) { self.inner = inner }

    func loseNextCommit() { losesNext.withLock { $0 = true } }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try inner.writeBlocking(at: now) { writer in
            let result = try body(writer)
            let isLost = losesNext.withLock { losesNext in
                defer { losesNext = false }
                return losesNext
            }
            if isLost {
                lost.withLock { $0 += 1 }
                throw CrashableStore.Crashed()
            }
            return result
        }
    }
}
