// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import SoupSQLite
internal import SoupTesting

extension SQLiteStore.Encryption {
    /// Returns an encryption with the key of a number.
    package static func test(_ number: UInt8 = 0) -> Self { Self(key: FixedKey(number)) }

    /// The encryption of all stores of the tests: with `SOUPKIT_ENCRYPTED=1` in the environment, they are encrypted.
    ///
    /// In a build without the trait, such a run fails, because no store can be opened.
    package static var ofAllTests: Self? {
        ProcessInfo.processInfo.environment["SOUPKIT_ENCRYPTED"] == "1" ? .test() : nil
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
