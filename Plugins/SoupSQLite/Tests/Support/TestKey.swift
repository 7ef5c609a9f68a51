// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

    import SoupCore
    import SoupSQLite

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

    extension SQLiteStore.Encryption {
        /// An encryption with a test's key.
        static func test(_ first: UInt8 = 0) -> Self { Self(key: TestKey(first)) }
    }

#endif
