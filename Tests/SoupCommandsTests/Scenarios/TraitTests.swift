// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

#if !(Tools && Server)
@Suite struct TraitTests {
    /// Reports why a plain `swift test` has no tests of the command line.
    @Test(.disabled("needs the package traits Tools and Server: make test, or swift test --enable-all-traits"))
    func `All tests run with all traits`() {}
}
#endif
