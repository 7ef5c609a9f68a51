// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CurlTransport

@Suite struct OpenSSLExitTests {
    /// With another TLS library there is nothing to ask.
    @Test func `OpenSSL is asked not to free its state at exit`() {
        let isLoaded = OpenSSLExit.initialization != nil
        #expect(OpenSSLExit.keepStateAtExit() == isLoaded)
        #expect(OpenSSLExit.keepStateAtExit() == isLoaded, "a second call has no other effect")
    }
}
