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
        /// - Throws: ``SoupError`` with `loginFailed` if the user closes it; `badConfiguration` for a redirect URI
        ///   without a scheme; `CancellationError`.
        public func redirect(
            from page: @escaping @Sendable (_ redirectURI: String) throws -> String
        ) async throws -> LoginRedirect {
            let text = try page(redirectURI)
            guard let url = URL(string: text), let end = redirectURI.firstIndex(of: ":") else {
                throw SoupError(
                    .badConfiguration, "the login page or the redirect URI is not a URL",
                    hint: "Use a redirect URI such as com.example.app://login.")
            }
            let found = try await withTaskCancellationHandler {
                try await redirect(from: url, scheme: String(redirectURI[..<end]))
            } onCancel: {
                Task { @MainActor in self.session?.cancel() }
            }
            try Task.checkCancellation()
            return LoginRedirect(redirectURI: redirectURI, url: found)
        }

        private func redirect(from url: URL, scheme: String) async throws -> String {
            defer { session = nil }
            return try await withCheckedThrowingContinuation { continuation in
                let session = ASWebAuthenticationSession(url: url, callback: .customScheme(scheme)) { found, error in
                    if let found { return continuation.resume(returning: found.absoluteString) }
                    continuation.resume(
                        throwing: SoupError(
                            .loginFailed, "the login page was closed", hint: "Log in again.", cause: error))
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isPrivate
                self.session = session
                if !session.start() {
                    continuation.resume(
                        throwing: SoupError(
                            .loginFailed, "the login page cannot be shown", hint: "Show a window of the app first."))
                }
            }
        }

        /// Returns the window that the sheet belongs to.
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }
    }
#endif
