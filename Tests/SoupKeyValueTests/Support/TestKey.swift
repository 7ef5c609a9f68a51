// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupCore

@testable import SoupKeyValue

/// A key provider with one secret.
struct TestKey: KeyProvider {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "test"

    let bytes: [UInt8]

    init(configuration: Configuration) { self.init() }

    /// - Parameter first: the first byte of the key.
    init(_ first: UInt8 = 0) { bytes = Array(first..<first + 32) }

    func secret(for request: KeyRequest) async throws -> StoreSecret { try StoreSecret(key: bytes) }
}

extension KeyValueStores {
    /// Creates the list of stores of a test.
    init(in folder: URL, changes: FileChanges = FileChanges(), isEncrypted: Bool) {
        self.init(in: folder, changes: changes, provider: isEncrypted ? TestKey() : nil)
    }
}

#endif
