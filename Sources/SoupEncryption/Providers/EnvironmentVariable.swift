// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import SoupCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A variable of the environment that contains a secret, and is read each time a file is opened.
struct EnvironmentVariable: Sendable {
    let name: String
    /// The variables; nil means those of the process.
    var environment: [String: String]?

    /// Returns the text of the variable.
    ///
    /// - Parameter secret: the noun for the content in the error.
    /// - Throws: ``SoupError`` with `keyUnavailable` if the variable does not exist or is empty.
    func text(of secret: String, for request: KeyRequest, hint: String) throws -> String {
        let environment = environment ?? ProcessInfo.processInfo.environment
        guard let text = environment[name], !text.isEmpty else {
            throw SoupError(
                .keyUnavailable, "the environment variable \(name) with the \(secret) is not set",
                place: SoupError.Place(file: request.file), hint: hint)
        }
        return text
    }
}

#endif
