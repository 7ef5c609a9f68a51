// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupHTTP
import Synchronization

/// A browser whose user answers the login page with a closure.
final class ScriptedBrowser: LoginBrowser {
    private let shown = Mutex<[String]>([])
    private let answer: @Sendable (_ state: String) -> String

    /// - Parameter answer: returns the query of the redirect for the state of the page.
    init(_ answer: @escaping @Sendable (_ state: String) -> String = { "code=code-1&state=\($0)" }) {
        self.answer = answer
    }

    /// The URLs of the pages.
    var pages: [String] { shown.withLock { $0 } }

    func redirect(from page: @escaping @Sendable (_ redirectURI: String) throws -> String) async throws -> LoginRedirect
    {
        let uri = "http://127.0.0.1:7000/callback"
        let url = try page(uri)
        shown.withLock { $0.append(url) }
        let state = url.split(separator: "&").first { $0.hasPrefix("state=") }?.dropFirst("state=".count) ?? ""
        return LoginRedirect(redirectURI: uri, url: "\(uri)?\(answer(String(state)))")
    }
}
