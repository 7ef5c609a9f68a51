// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import Foundation
    internal import SoupCore

    /// The login sheet of Apple's platforms (`ASWebAuthenticationSession`), which shares the cookies of the browser.
    ///
    /// ```swift
    /// let browser = WebAuthenticationBrowser(redirectURI: "com.example.app://login") { window }
    /// try await login.login(with: browser)
    /// ```
    ///
    /// The class has been type-checked against declarations of Apple's API, and has never run: CI has no Apple device.
    @MainActor
    public final class WebAuthenticationBrowser: NSObject, LoginBrowser, ASWebAuthenticationPresentationContextProviding
    {
        private let redirectURI: String
        private let isPrivate: Bool
        private let anchor: () -> ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - redirectURI: a URI with a scheme of the app, as it is registered at the server.
        ///   - isPrivate: whether the login uses no cookies of the browser, so that the user can choose another
        ///     account.
        ///   - anchor: returns the window that the sheet belongs to.
        public init(
            redirectURI: String, isPrivate: Bool = false, anchor: @escaping @MainActor () -> ASPresentationAnchor
        ) {
            self.redirectURI = redirectURI
            self.isPrivate = isPrivate
            self.anchor = anchor
        }

        /// Shows the sheet.
        ///
        /// - Throws: ``SoupError`` with `loginFailed` if the user closes it, and while another one is shown;
        ///   `badConfiguration` for a redirect URI without a scheme; `CancellationError`.
        public func redirect(
            from page: @escaping @Sendable (_ redirectURI: String) throws -> String
        ) async throws -> LoginRedirect {
            let text = try page(redirectURI)
            guard let url = URL(string: text), let end = redirectURI.firstIndex(of: ":") else {
                throw SoupError(
                    .badConfiguration, "the login page or the redirect URI is not a URL",
                    hint: "Use a redirect URI such as com.example.app://login.")
            }
            guard session == nil else {
                throw SoupError(.loginFailed, "a login page is already shown", hint: "Finish or close it first.")
            }
            let found = try await redirect(from: url, scheme: String(redirectURI[..<end]))
            return LoginRedirect(redirectURI: redirectURI, url: found)
        }

        private func redirect(from url: URL, scheme: String) async throws -> String {
            let answer = Promise<Result<String, SoupError>>()
            // Sendable, and with a promise: the system calls it on any thread, and also if the sheet cannot be shown.
            let session = ASWebAuthenticationSession(url: url, callback: .customScheme(scheme)) {
                @Sendable found, error in
                let closed = SoupError(.loginFailed, "the login page was closed", hint: "Log in again.", cause: error)
                answer.resolve(found.map { .success($0.absoluteString) } ?? .failure(closed))
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isPrivate
            self.session = session
            defer { self.session = nil }
            if !session.start() {
                let hidden = SoupError(
                    .loginFailed, "the login page cannot be shown", hint: "Show a window of the app first.")
                answer.resolve(.failure(hidden))
            }
            do {
                return try await answer.wait().get()
            } catch let error as CancellationError {
                session.cancel()
                throw error
            }
        }

        /// Returns the window that the sheet belongs to.
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }
    }
#endif
