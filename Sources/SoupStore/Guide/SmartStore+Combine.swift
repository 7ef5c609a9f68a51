// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The only file of this module that depends on Combine, which Linux does not have. It contains no logic: `query(_:)`,
// which is tested on every platform, does the work.
#if canImport(Combine)
    public import Combine

    extension SmartStore {
        /// Returns a publisher of all rows of a Smart SQL query, each `[Any]`; see ``query(_:)``.
        ///
        /// As in the mobile SDKs, the query runs once, on the calling thread, when the publisher is created.
        public func publisher(for smartSql: String) -> Future<[Any], SmartStoreError> {
            Future { promise in promise(self.query(smartSql)) }
        }
    }
#endif
