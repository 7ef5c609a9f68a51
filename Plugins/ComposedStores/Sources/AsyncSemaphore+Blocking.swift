// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SoupCore

extension AsyncSemaphore {
    /// Waits for a permit on the calling thread, in the order of all calls.
    func waitBlocking() {
        if tryWait() { return }
        let hasPermit = DispatchSemaphore(value: 0)
        Task.detached {
            // A detached task is not cancelled, so it gets the permit.
            try? await self.wait()
            hasPermit.signal()
        }
        hasPermit.wait()
    }
}
