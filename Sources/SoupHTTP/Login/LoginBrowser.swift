// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that shows the login page of a server to the user, and receives the redirect at its end.
public protocol LoginBrowser: Sendable {
    /// Shows a page, and returns the URL to which the server redirected.
    ///
    /// - Parameter page: returns the URL of the page for the redirect URI that the browser receives. It is called once.
    /// - Throws: ``SoupError`` with `loginFailed` if the user ends the login, or does not complete it in time;
    ///   `CancellationError`; errors of `page`.
    func redirect(from page: @escaping @Sendable (_ redirectURI: String) throws -> String) async throws -> LoginRedirect
}

/// The redirect at the end of a login.
public struct LoginRedirect: Sendable, Hashable {
    /// The redirect URI of the request, such as `http://127.0.0.1:51000/callback`.
    public var redirectURI: String
    /// The URL to which the server redirected, with its parameters.
    public var url: String

    /// Creates a redirect without checks; ``OAuthLogin`` checks it.
    public init(redirectURI: String, url: String) {
        self.redirectURI = redirectURI
        self.url = url
    }
}

extension LoginRedirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The redirect URI, without the code.
    public var description: String { "redirect to \(redirectURI)" }

    /// The same as ``description``, so that a debugger shows no code.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the code.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
