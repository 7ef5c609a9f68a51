// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupTesting

@testable import SoupKeyValue

extension KeyValueStores {
    /// Creates the list of stores of a test.
    init(in folder: URL, changes: FileChanges = FileChanges(), isEncrypted: Bool) {
        self.init(in: folder, changes: changes, provider: isEncrypted ? FixedKey() : nil)
    }
}

#endif
