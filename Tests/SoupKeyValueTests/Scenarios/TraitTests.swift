// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

#if !(canImport(CryptoKit) || KeyValue)
@Suite struct TraitTests {
    /// Reports why a plain `swift test` on Linux has no tests of key-value stores.
    @Test(.disabled("needs the package trait KeyValue: make test, or swift test --enable-all-traits"))
    func `All tests run with all traits`() {}
}
#endif
