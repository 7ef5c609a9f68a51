// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The only file of this module that depends on Combine, which Linux does not have. It contains no logic: the forms with
// a completion, which are tested on every platform, do the work.
#if canImport(Combine)
    public import Combine
    public import SoupCore

    extension SyncManager {
        /// A publisher of the end of the sync of a name; see ``reSyncWithoutUpdates(named:_:)``.
        ///
        /// As in the mobile SDKs, the sync begins when the publisher is made.
        public nonisolated func publisher(for syncName: String) -> Future<SyncState, MobileSyncError> {
            Future { promise in
                // Safe: the completion is called once, and nothing else uses the promise.
                nonisolated(unsafe) let promise = promise
                self.reSyncWithoutUpdates(named: syncName) { promise($0) }
            }
        }

        /// A publisher of the number of ghosts that were deleted; see ``cleanGhosts(named:_:)``.
        public nonisolated func cleanGhostsPublisher(for syncName: String) -> Future<UInt, MobileSyncError> {
            Future { promise in
                // Safe: the completion is called once, and nothing else uses the promise.
                nonisolated(unsafe) let promise = promise
                self.cleanGhosts(named: syncName) { promise($0) }
            }
        }
    }
#endif
