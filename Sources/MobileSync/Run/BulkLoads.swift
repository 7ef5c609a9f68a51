// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Tells the store when long loads begin and end, once for all runs that load at the same time.
actor BulkLoads {
    private let backend: any StoreBackend
    private var count = 0

    init(_ backend: any StoreBackend) { self.backend = backend }

    func begin() async {
        count += 1
        if count == 1 { await backend.bulkLoad(true) }
    }

    func end() async {
        count -= 1
        if count == 0 { await backend.bulkLoad(false) }
    }
}
