// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Names of headers and parameters whose values are probably credentials.
///
/// Values of connections are masked for more names: a warning about `author` or `keyword` would be wrong.
enum SecretName {
    private static let words: Set<Substring> = [
        "auth", "authorization", "cookie", "key", "apikey", "token", "secret", "password", "signature",
    ]

    /// Whether a word of a name, such as `X-API-Key` or `access_token`, means a credential.
    static func isProbable(_ name: String) -> Bool {
        name.lowercased().split { !$0.isLetter }.contains { words.contains($0) }
    }

    /// The warning about a value in the configuration.
    static func problem(at path: String) -> ConfigurationProblem {
        ConfigurationProblem(
            .warning, at: SoupError.Place(path: path),
            "the configuration of the sync contains a credential, which is stored and logged with it",
            hint: "Move it to a connection, and name the connection in \"connection\".")
    }
}
