// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The only file of this module that depends on Combine, which Linux does not have. It contains no logic: it calls the
// completion-handler methods, which are tested on every platform.
#if canImport(Combine)
    public import Combine
    public import SoupCore

    extension SyncManager {
        /// Returns a publisher of the result of running the sync with a name; see ``reSyncWithoutUpdates(named:_:)``.
        ///
        /// As in the mobile SDKs, the sync begins when the publisher is created.
        public nonisolated func publisher(for syncName: String) -> Future<SyncState, MobileSyncError> {
            Future { promise in
                // Safe: the completion is called once, and nothing else uses the promise.
                nonisolated(unsafe) let promise = promise
                self.reSyncWithoutUpdates(named: syncName) { promise($0) }
            }
        }

        /// Returns a publisher of the number of deleted ghosts; see ``cleanGhosts(named:_:)``.
        public nonisolated func cleanGhostsPublisher(for syncName: String) -> Future<UInt, MobileSyncError> {
            Future { promise in
                // Safe: the completion is called once, and nothing else uses the promise.
                nonisolated(unsafe) let promise = promise
                self.cleanGhosts(named: syncName) { promise($0) }
            }
        }
    }
#endif
