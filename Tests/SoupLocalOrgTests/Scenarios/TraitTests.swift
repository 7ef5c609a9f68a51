// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

#if !(TLS)
    @Suite struct TraitTests {
        /// Reports why a plain `swift test` has no tests of the served org and its logins.
        @Test(.disabled("needs the package traits Server and TLS: make test, or swift test --enable-all-traits"))
        func `All tests run with all traits`() {}
    }
#endif
