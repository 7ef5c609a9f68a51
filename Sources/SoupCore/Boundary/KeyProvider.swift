// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that supplies the secrets of encrypted files, such as the keychain or a file of keys.
///
/// A configuration names it: `"encryption": {"key": "keychain"}`, or with options `"encryption": {"key": {"type":
/// "environment", "variable": "STORE_KEY"}}`. The secret does not encrypt the content: it protects a random key in the
/// header of the file, so that another secret can replace it without encrypting the content again.
///
/// ```swift
/// struct ServiceKey: KeyProvider {
///     struct Configuration: Decodable, Sendable { var service: String }
///     static let name: PluginName = "service"
///     let service: String
///     init(configuration: Configuration) { service = configuration.service }
///
///     func secret(for request: KeyRequest) async throws -> StoreSecret {
///         try StoreSecret(key: try await fetchKey(from: service, for: request.file))
///     }
/// }
/// ```
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol KeyProvider: SyncPlugin {
    /// Whether the provider creates the secret of a new file; default: true.
    ///
    /// False if the secret must exist before, for example in an environment variable. `soup doctor` then looks for it
    /// before the first store is created.
    static var createsSecrets: Bool { get }

    /// Returns the secret of a file.
    ///
    /// It is called each time a file is opened, and not while it is open. For the same file it returns the same secret,
    /// until the file is deleted or gets another one. If ``KeyRequest/isNew`` is true and there is no secret yet, the
    /// provider may create one; it must then be stored permanently before it is returned, because the content of the
    /// file cannot be read without it. If there is no secret for an existing file, throw an error: a new secret cannot
    /// open the file.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable` if there is no secret, or if it is not accessible now, for example
    ///   while the device is locked; with `badSecret` if it has an unusable form. `CancellationError`.
    func secret(for request: KeyRequest) async throws -> StoreSecret

    /// Removes the secret of a file that is deleted; the file, and every copy of it, can no longer be read.
    ///
    /// It does nothing if the provider has no secret of its own for this one file. Default: does nothing.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable` if the secret cannot be removed.
    func removeSecret(for request: KeyRequest) async throws
}

extension KeyProvider {
    /// True: the provider creates the secret of a new file.
    public static var createsSecrets: Bool { true }

    /// Does nothing: other files may have the same secret, or the provider does not store it.
    public func removeSecret(for request: KeyRequest) async throws {}
}

/// The file that needs a secret.
public struct KeyRequest: Sendable, Hashable {
    /// The path of the file; for a link, the path that it leads to.
    public var file: String
    /// Whether the file is going to be created, so that the provider may create its secret.
    public var isNew: Bool

    /// Creates a request.
    public init(file: String, isNew: Bool = false) {
        self.file = file
        self.isNew = isNew
    }
}
