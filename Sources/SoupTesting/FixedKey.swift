// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A key provider for tests: every file has the same key, which protects nothing.
///
/// ```swift
/// let encryption = SQLiteStore.Encryption(key: FixedKey())
/// ```
public struct FixedKey: KeyProvider {
    /// No options.
    public struct Configuration: Decodable, Sendable {
        /// Creates the options.
        public init() {}
    }

    /// The name in configurations of a test that registers the provider: `fixed`.
    public static var name: PluginName { "fixed" }

    private let bytes: [UInt8]

    /// Creates a provider with the first key.
    public init(configuration: Configuration) { self.init() }

    /// Creates a provider with the key of a number; different numbers have different keys.
    public init(_ number: UInt8 = 0) { bytes = [number] + Array(1..<32) }

    /// Returns the key, for any file.
    public func secret(for request: KeyRequest) async throws -> StoreSecret { try StoreSecret(key: bytes) }
}
