// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

public import SoupCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The key provider `passphrase`: a text of the user, which is stored nowhere.
///
/// The key of a file is derived with scrypt (N = 32768, r = 8, p = 3), which takes about 0.3 seconds and 32 MiB at each
/// opening. In code, ``init(asking:)`` calls a function of the app. In a configuration file, an environment variable
/// contains the passphrase, for scripts and tests: `{"type": "passphrase", "variable": "STORE_PASSPHRASE"}`.
public struct PassphraseKey: KeyProvider {
    /// The options of the provider.
    public struct Configuration: Decodable, Sendable {
        /// The variable of the environment with the passphrase; nil means `SOUPKIT_STORE_PASSPHRASE`.
        public var variable: String?

        /// Creates the options.
        public init(variable: String? = nil) { self.variable = variable }
    }

    /// A function that returns the passphrase of a file, for example from a dialog.
    ///
    /// It throws `keyUnavailable` or `CancellationError` if the user does not enter one.
    public typealias Ask = @Sendable (KeyRequest) async throws -> String

    /// The name in configurations: `passphrase`.
    public static var name: PluginName { "passphrase" }

    private let ask: Ask

    /// Creates a provider that reads an environment variable each time a file is opened.
    public init(configuration: Configuration) {
        let variable = configuration.variable ?? Self.standardVariable
        ask = { request in
            guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else {
                throw SoupError(
                    .keyUnavailable, "the environment variable \(variable) with the passphrase is not set",
                    place: SoupError.Place(file: request.file),
                    hint: "Set it; an app uses PassphraseKey(asking:) to ask the user.")
            }
            return text
        }
    }

    /// Creates a provider that asks for the passphrase each time a file is opened.
    public init(asking ask: @escaping Ask) { self.ask = ask }

    package static var standardVariable: String { "SOUPKIT_STORE_PASSPHRASE" }

    /// Returns the passphrase.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable` if there is none, and with `badSecret` if it is empty; the errors
    ///   of the function.
    public func secret(for request: KeyRequest) async throws -> StoreSecret {
        try StoreSecret(passphrase: try await ask(request))
    }
}

#endif
