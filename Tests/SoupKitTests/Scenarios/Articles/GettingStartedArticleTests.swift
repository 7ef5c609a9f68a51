// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import Testing

/// The example of the article `Getting started` for the session of an app, line by line.
@Suite struct GettingStartedArticleTests {
    @Test func `The example creates a session with the credentials`() async throws {
        let login = (instanceURL: "https://a.example", accessToken: "t", refreshToken: "r")
        let consumerKey = "c"
        @Sendable func keep(_ credentials: SalesforceCredentials) async {}
        // Begin of the article's lines.
        let credentials = SalesforceCredentials(
            instanceURL: login.instanceURL, accessToken: login.accessToken,  // from the login
            refreshToken: login.refreshToken, clientId: consumerKey)  // these two renew the session
        let session = SessionTransport(
            over: StandardTransport.make(), credentials: credentials,
            renewed: { renewed in await keep(renewed) })  // save them: the refresh token may be new, too
        // End of the article's lines.
        let held = await session.credentials
        #expect(held == credentials && session.apiPath == "/services/data/v66.0")
    }

    @Test func `The test contains the lines of the article`() throws {
        let shown = try ArticleLines.shown(
            in: "Getting-started.md", from: "let credentials = SalesforceCredentials(",
            to: "let support = try FileManager.default.url(")
        #expect(shown.count == 6)
        #expect(shown == (try ArticleLines.tested(in: #filePath)))
    }
}
