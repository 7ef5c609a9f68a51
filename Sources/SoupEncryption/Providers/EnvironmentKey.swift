// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

public import SoupCore

/// The key provider `environment`: a key in a variable of the environment, for servers and scripts.
///
/// The variable contains 32 random bytes, as 64 hexadecimal digits or in Base64:
/// `SOUPKIT_STORE_KEY=$(openssl rand -hex 32)`. All files with this provider have the same key.
public struct EnvironmentKey: KeyProvider {
    /// The options of the provider.
    public struct Configuration: Decodable, Sendable {
        /// The name of the variable; nil means `SOUPKIT_STORE_KEY`.
        public var variable: String?

        /// Creates the options.
        public init(variable: String? = nil) { self.variable = variable }
    }

    /// False: the variable must be set before.
    public static var createsSecrets: Bool { false }

    /// The name in configurations: `environment`.
    public static var name: PluginName { "environment" }

    private let variable: EnvironmentVariable

    /// Creates the provider; the variable is read each time a file is opened.
    public init(configuration: Configuration) { self.init(configuration, environment: nil) }

    /// Creates a provider for an environment other than that of the process.
    package init(_ configuration: Configuration, environment: [String: String]?) {
        variable = EnvironmentVariable(name: configuration.variable ?? "SOUPKIT_STORE_KEY", environment: environment)
    }

    /// Returns the key in the variable.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable` if the variable does not exist or is empty, and with `badSecret`
    ///   if it contains no key.
    public func secret(for request: KeyRequest) async throws -> StoreSecret {
        let text = try variable.text(
            of: "key", for: request, hint: "Set it to 32 random bytes as 64 hexadecimal digits or in Base64.")
        return try KeyText.secret(text, from: "the environment variable \(variable.name)")
    }
}

#endif
