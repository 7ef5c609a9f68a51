// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

#if !(Server && TLS && (canImport(CryptoKit) || KeyValue))
    @Suite struct TraitTests {
        /// Reports why a plain `swift test` leaves out the tests of HTTP, HTTPS and key-value folders.
        @Test(
            .disabled("needs the package traits Server, TLS and KeyValue: make test, or swift test --enable-all-traits")
        )
        func `All tests run with all traits`() {}
    }
#endif
