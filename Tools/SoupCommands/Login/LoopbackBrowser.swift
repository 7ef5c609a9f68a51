// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

#if Server
internal import SoupLoopback
#endif

/// The user's browser, which shows the login page and is redirected to a server on this machine (RFC 8252).
struct LoopbackBrowser: LoginBrowser {
    /// The port of the server; 0 for any free port.
    let port: Int
    let timeout: Duration
    let clock: any SoupClock
    /// Prints the URL of the login page, and opens it if possible.
    let show: @Sendable (_ page: String) async throws -> Void

    func redirect(from page: @escaping @Sendable (_ redirectURI: String) throws -> String) async throws -> LoginRedirect
    {
        let (port, timeout, clock, show) = (port, timeout, clock, show)
        return try await withThrowingTaskGroup(of: LoginRedirect.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await Self.redirect(to: port, from: page, showing: show)
            }
            group.addTask {
                try await clock.sleep(for: timeout)
                throw SoupError(
                    .loginFailed, "the login was not completed in \(timeout.components.seconds) seconds",
                    hint: "Log in again, or give more time with --timeout.")
            }
            guard let redirect = try await group.next() else { throw CancellationError() }
            return redirect
        }
    }

    private static func redirect(
        to port: Int, from page: @escaping @Sendable (_ redirectURI: String) throws -> String,
        showing show: @escaping @Sendable (_ page: String) async throws -> Void
    ) async throws -> LoginRedirect {
        #if Server
        let redirect = try await RedirectListener(port: port).redirect(from: page, showing: show)
        return LoginRedirect(redirectURI: redirect.redirectURI, url: redirect.url)
        #else
        throw SoupError(
            .notSupported, "this build cannot receive the redirect of a browser",
            hint: "Use --device, or build soup with the package trait Server.")
        #endif
    }
}

/// The program that opens URLs on this computer.
enum SystemBrowser {
    /// Returns whether a text is an http or https URL, and nothing that the program takes for a file or an option.
    ///
    /// The text can be from a server.
    static func canOpen(_ page: String) -> Bool {
        let start = page.lowercased()
        guard start.hasPrefix("https://") || start.hasPrefix("http://"), let url = URL(string: page) else {
            return false
        }
        let hasSpaces = page.unicodeScalars.contains { $0.value <= 0x20 || $0.value == 0x7F }
        return url.host()?.isEmpty == false && !hasSpaces
    }

    /// Opens a page in the user's browser.
    ///
    /// - Returns: whether a program was started for it; false for a page that must not be opened.
    static func open(_ page: String) -> Bool {
        guard canOpen(page) else { return false }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if canImport(Darwin)
        process.arguments = ["open", page]
        #else
        process.arguments = ["xdg-open", page]
        #endif
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return (try? process.run()) != nil
    }
}

#endif
