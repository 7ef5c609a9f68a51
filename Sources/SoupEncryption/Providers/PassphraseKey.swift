// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

public import SoupCore

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

    /// False: the passphrase is not created.
    public static var createsSecrets: Bool { false }

    /// The name in configurations: `passphrase`.
    public static var name: PluginName { "passphrase" }

    private let ask: Ask

    /// Creates a provider that reads an environment variable each time a file is opened.
    public init(configuration: Configuration) { self.init(configuration, environment: nil) }

    /// Creates a provider for an environment other than that of the process.
    package init(_ configuration: Configuration, environment: [String: String]?) {
        let variable = EnvironmentVariable(
            name: configuration.variable ?? "SOUPKIT_STORE_PASSPHRASE", environment: environment)
        ask = { request in
            try variable.text(
                of: "passphrase", for: request, hint: "Set it; an app uses PassphraseKey(asking:) to ask the user.")
        }
    }

    /// Creates a provider that asks for the passphrase each time a file is opened.
    public init(asking ask: @escaping Ask) { self.ask = ask }

    /// Returns the passphrase.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable` if there is none, and with `badSecret` if it is empty; the errors
    ///   of the function.
    public func secret(for request: KeyRequest) async throws -> StoreSecret {
        try StoreSecret(passphrase: try await ask(request))
    }
}

#endif
