// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(Security)
    internal import Security

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif
#endif

/// The credential store `keychain`: sessions in the keychain of an Apple device.
///
/// ```json
/// {"type": "keychain", "service": "com.example.app"}
/// ```
///
/// A session is readable once the user has unlocked the device after a restart, and is not part of backups. On other
/// platforms the store cannot be created.
///
/// Callers of `exclusively` are kept apart within an app. The extensions of an app that share an access group are not:
/// let only one of them renew sessions.
public struct KeychainCredentialStore: CredentialStore {
    /// The place in the keychain.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The service of the entries; nil for `soupkit.session`.
        public var service: String?
        /// The access group that an app shares with its extensions; nil for that of the app alone.
        public var accessGroup: String?

        /// Creates the configuration.
        public init(service: String? = nil, accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }
    }

    /// `keychain`.
    public static let name: PluginName = "keychain"

    private let service: String
    private let group: String?

    /// - Throws: ``SoupError`` with `badConfiguration` on a platform without a keychain.
    public init(configuration: Configuration) throws {
        service = configuration.service ?? "soupkit.session"
        group = configuration.accessGroup
        guard Self.isAvailable else {
            throw SoupError(
                .badConfiguration, "this platform has no keychain", place: SoupError.Place(path: "type"),
                hint: "Use \"file\".")
        }
    }
}

#if canImport(Security)
    // Compiled and tested on Linux only against declarations of Security: see CONTRIBUTING.
    extension KeychainCredentialStore {
        private static var isAvailable: Bool { true }

        /// Reads the entry of an account.
        public func session(of account: SessionAccount) async throws -> SavedSession? {
            var query = query(account.key)
            query[kSecReturnData] = true as CFBoolean
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            guard status != errSecItemNotFound else { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw Self.failure("read", status) }
            return try SavedSession(json: (try? JSONValue(parsing: Array(data))) ?? .null)
        }

        /// Replaces or adds the entry of an account.
        public func save(_ session: SavedSession, for account: SessionAccount) async throws {
            let content: [CFString: Any] = [
                kSecValueData: Data(try JSONText(session.json).bytes),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let query = query(account.key)
            var status = SecItemUpdate(query as CFDictionary, content as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(content) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw Self.failure("saved", status) }
        }

        /// Removes the entry of an account.
        @discardableResult
        public func removeSession(of account: SessionAccount) async throws -> Bool {
            let status = SecItemDelete(query(account.key) as CFDictionary)
            guard status != errSecItemNotFound else { return false }
            guard status == errSecSuccess else { throw Self.failure("removed", status) }
            return true
        }

        /// Returns the accounts of the service.
        public func accounts() async throws -> [SessionAccount] {
            var query = query(nil)
            query[kSecReturnAttributes] = true as CFBoolean
            query[kSecMatchLimit] = kSecMatchLimitAll
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            guard status != errSecItemNotFound else { return [] }
            guard status == errSecSuccess, let entries = found as? [[String: Any]] else {
                throw Self.failure("listed", status)
            }
            return entries.compactMap { ($0[kSecAttrAccount as String] as? String).flatMap { SessionAccount(key: $0) } }
                .sorted()
        }

        /// Calls `body` with the lock of the account, which is a file in the temporary folder of the app.
        public func exclusively<Result: Sendable>(
            for account: SessionAccount, _ body: @Sendable () async throws -> Result
        ) async throws -> Result {
            let folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-sessions").filePath
            return try await AccountLocks(folder: SessionFolder(folder), clock: SystemClock()).exclusively(
                for: account, body)
        }

        private func query(_ account: String?) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecUseDataProtectionKeychain: true,
            ]
            if let account { query[kSecAttrAccount] = account }
            if let group { query[kSecAttrAccessGroup] = group }
            return query
        }

        private static func failure(_ action: String, _ status: OSStatus) -> SoupError {
            SoupError(
                .credentialsUnusable, "the session cannot be \(action) in the keychain: status \(status)",
                hint: "Unlock the device, and check the keychain entitlements of the app.")
        }
    }
#else
    // The store cannot be created here, so none of these methods is ever called.
    extension KeychainCredentialStore {
        private static var isAvailable: Bool { false }

        private static var absent: SoupError {
            SoupError(.credentialsUnusable, "this platform has no keychain", hint: "Use \"file\".")
        }

        /// Throws `credentialsUnusable`.
        public func session(of account: SessionAccount) async throws -> SavedSession? { throw Self.absent }
        /// Throws `credentialsUnusable`.
        public func save(_ session: SavedSession, for account: SessionAccount) async throws { throw Self.absent }
        /// Throws `credentialsUnusable`.
        @discardableResult
        public func removeSession(of account: SessionAccount) async throws -> Bool { throw Self.absent }
        /// Throws `credentialsUnusable`.
        public func accounts() async throws -> [SessionAccount] { throw Self.absent }
        /// Throws `credentialsUnusable`.
        public func exclusively<Result: Sendable>(
            for account: SessionAccount, _ body: @Sendable () async throws -> Result
        ) async throws -> Result {
            throw Self.absent
        }
    }
#endif
