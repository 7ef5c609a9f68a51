// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(Security)
internal import Security
#endif
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The key provider `keychain`: a random key in the keychain of the device, created with the first store.
///
/// The key does not leave the device: it is not part of backups, and is accessible after the first unlock. Deleting it
/// makes the store and all copies of it unreadable.
///
/// It is known on all platforms, so that a configuration can be checked on any of them. Where there is no keychain,
/// each call throws `keyUnavailable`. The tests of SoupKit run on Linux: the calls of the keychain are only
/// type-checked there.
public struct KeychainKey: KeyProvider {
    /// The options of the provider.
    public struct Configuration: Decodable, Sendable {
        /// The service of the keychain item; nil means `SoupKit`.
        public var service: String?
        /// The account of the item; nil means the path of the store's file, in a container of an app without the path
        /// to the container.
        public var account: String?
        /// The access group, for an app and its extensions; nil means that of the app.
        public var accessGroup: String?

        /// Creates the options.
        public init(service: String? = nil, account: String? = nil, accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }
    }

    /// Whether there is a keychain.
    public static var createsSecrets: Bool {
        #if canImport(Security)
        true
        #else
        false
        #endif
    }

    /// The name in configurations: `keychain`.
    public static var name: PluginName { "keychain" }

    private let configuration: Configuration

    /// Creates the provider; the keychain is read each time a store is opened.
    public init(configuration: Configuration) { self.configuration = configuration }

    /// Returns the key; for a new store, creates it if the keychain has none.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable`, with the status of the keychain; before the first unlock of the
    ///   device, too, and on a platform without a keychain.
    public func secret(for request: KeyRequest) async throws -> StoreSecret {
        #if canImport(Security)
        return try keychainSecret(for: request)
        #else
        throw SoupError(
            .keyUnavailable, "this platform has no keychain", place: SoupError.Place(file: request.file),
            hint: "Use the key provider \"file\", \"environment\" or \"passphrase\".")
        #endif
    }

    /// Removes the key, unless the configuration names an account, which several stores can share.
    public func removeSecret(for request: KeyRequest) async throws {
        #if canImport(Security)
        try removeKeychainSecret(for: request)
        #endif
    }
}

#if canImport(Security)
extension KeychainKey {
    private func keychainSecret(for request: KeyRequest) throws -> StoreSecret {
        if let secret = try read(request) { return secret }
        guard request.isNew else {
            throw unavailable(errSecItemNotFound, request, hint: "The store cannot be read without its key.")
        }
        var item = query(request)
        item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        // The system's generator is one for keys.
        item[kSecValueData] = Data((0..<StoreSecret.keyLength).map { _ in UInt8.random(in: .min ... .max) })
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess || status == errSecDuplicateItem else {
            throw unavailable(status, request, hint: "Check the keychain entitlements of the app.")
        }
        guard let secret = try read(request) else {
            throw unavailable(errSecItemNotFound, request, hint: "Open the store again.")
        }
        return secret
    }

    private func removeKeychainSecret(for request: KeyRequest) throws {
        guard configuration.account == nil else { return }
        let status = SecItemDelete(query(request) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw unavailable(status, request, hint: "Unlock the device, and repeat.")
        }
    }

    private func read(_ request: KeyRequest) throws -> StoreSecret? {
        var item = query(request)
        item[kSecReturnData] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(item as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let key = result as? Data else {
            throw unavailable(status, request, hint: "Unlock the device, and open the store again.")
        }
        return try StoreSecret(key: key)
    }

    private func query(_ request: KeyRequest) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: configuration.service ?? "SoupKit",
            kSecAttrAccount: configuration.account
                ?? KeychainAccount.name(ofFile: request.file),
            kSecUseDataProtectionKeychain: true,
        ]
        if let group = configuration.accessGroup { query[kSecAttrAccessGroup] = group }
        return query
    }

    private func unavailable(_ status: OSStatus, _ request: KeyRequest, hint: String) -> SoupError {
        SoupError(
            .keyUnavailable, "the key is not accessible in the keychain: status \(status)",
            place: SoupError.Place(file: request.file), hint: hint)
    }
}

#endif
