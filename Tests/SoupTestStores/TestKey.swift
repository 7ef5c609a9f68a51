// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import SoupCore
package import SoupSQLite

/// A key provider with one secret.
package struct TestKey: KeyProvider {
    /// No options.
    package struct Configuration: Decodable, Sendable {}
    package static let name: PluginName = "test"

    private let bytes: [UInt8]

    package init(configuration: Configuration) { self.init() }

    /// Creates a provider whose key begins with a byte.
    package init(_ first: UInt8 = 0) { bytes = Array(first..<first + 32) }

    package func secret(for request: KeyRequest) async throws -> StoreSecret { try StoreSecret(key: bytes) }
}

extension SQLiteStore.Encryption {
    /// Returns an encryption with a test's key.
    package static func test(_ first: UInt8 = 0) -> Self { Self(key: TestKey(first)) }

    /// The encryption of all stores of the tests: with `SOUPKIT_ENCRYPTED=1` in the environment, they are encrypted.
    package static var ofAllTests: Self? {
        #if Encryption
            ProcessInfo.processInfo.environment["SOUPKIT_ENCRYPTED"] == "1" ? .test() : nil
        #else
            nil
        #endif
    }

    /// The encryption of the stores that are always encrypted, in a build that supports it.
    package static var always: Self? {
        #if Encryption
            .test()
        #else
            nil
        #endif
    }
}

extension SQLiteStore.Configuration {
    /// Returns the configuration of a store of a test.
    package static func test(
        path: String? = nil, encryption: SQLiteStore.Encryption? = .ofAllTests
    ) -> Self {
        Self(path: path, encryption: encryption)
    }
}
