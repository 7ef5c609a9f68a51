// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// A store whose blocking writes can fail.
final class LosingStore: ForwardingStore {
    enum Fault {
        /// Restoring an entry throws.
        case atRestoring
        /// The write throws after its body and keeps nothing, as if its commit failed.
        case atCommit
        /// The write throws after its commit.
        case afterCommit
    }

    struct Lost: Error {}
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "losing"
    let inner: any StoreBackend
    private let state = Mutex<Fault?>(nil)

    /// The fault of the following writes; nil for none.
    var fault: Fault? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    init(_ inner: any StoreBackend) { self.inner = inner }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        let fault = fault
        let result = try inner.writeBlocking(at: now) { writer in
            let result = try body(fault == .atRestoring ? UnrestoringWriter(writer: writer) : writer)
            if fault == .atCommit { throw Lost() }
            return result
        }
        if fault == .afterCommit { throw Lost() }
        return result
    }

    private struct UnrestoringWriter: ForwardingWriter {
        let writer: any StoreWriter
        func restore(_ entries: [SoupEntry], in soup: SoupName) throws { throw Lost() }
    }
}
