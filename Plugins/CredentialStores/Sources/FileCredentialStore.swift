// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The credential store `file`: one file per account in a folder that only its owner can read.
///
/// ```json
/// {"type": "file", "path": "sessions"}
/// ```
///
/// The folder has the mode 0700, its files 0600. A folder or a file with other permissions, or of another user, is
/// refused. The tokens are not encrypted: on Apple platforms use `keychain`.
///
/// A session is written to a new file, which is flushed to the drive and then renamed. A renewal holds a lock on a file
/// of the account, so that several processes renew a session one after the other. Locks do not work on file systems
/// that do not support `flock` between computers, such as old versions of NFS.
public struct FileCredentialStore: CredentialStore {
    /// The folder.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The path of the folder, which is created when it is needed.
        ///
        /// In a file, a relative path starts from the folder of the file; the default is `credentials`.
        public var path: String

        /// The folder, beside the configuration files, of a store without a path.
        public static let defaultPath = "credentials"

        /// Creates the configuration; a relative path starts from the current folder.
        public init(path: String) { self.path = path }

        private enum CodingKeys: CodingKey { case path }

        /// Reads the path.
        public init(from decoder: any Decoder) throws {
            let path = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .path)
            self.path = decoder.configurationPath(path ?? Self.defaultPath)
            guard path != "" else {
                throw SoupError(
                    .badConfiguration, "the path is empty", place: SoupError.Place(path: "path"),
                    hint: "Write the path of a folder, or remove it: the default is \(Self.defaultPath).")
            }
        }
    }

    /// `file`.
    public static let name: PluginName = "file"
    /// Sessions in the folder `sessions`, beside the configuration files.
    public static let sample: JSONText? = .object([
        (name: "type", value: .string("file")), (name: "path", value: .string("sessions")),
    ])

    private let folder: SessionFolder
    private let locks: AccountLocks

    /// Creates the store without access to the file system.
    public init(configuration: Configuration) {
        self.init(SessionFolder(configuration.path), clock: SystemClock())
    }

    init(_ folder: SessionFolder, clock: any SoupClock) {
        self.folder = folder
        locks = AccountLocks(folder: folder, clock: clock)
    }

    /// Reads the file of an account.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable` for a file that is damaged, that other users can read, or
    ///   that cannot be read.
    public func session(of account: SessionAccount) async throws -> SavedSession? {
        let file = try Self.file(of: account)
        guard let bytes = try folder.read(file) else { return nil }
        do {
            return try SavedSession(json: (try? JSONValue(parsing: bytes)) ?? .null)
        } catch let error as SoupError {
            throw error.at(SoupError.Place(file: folder.path(of: file)))
        }
    }

    /// Writes the file of an account; the folder is created if it is missing.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    public func save(_ session: SavedSession, for account: SessionAccount) async throws {
        try folder.write(Array(try JSONText(session.json).bytes), to: try Self.file(of: account))
    }

    /// Removes the file of an account; the file of its lock, which contains nothing, is kept.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    @discardableResult
    public func removeSession(of account: SessionAccount) async throws -> Bool {
        try folder.remove(try Self.file(of: account))
    }

    /// Returns the accounts whose files are in the folder; other files are ignored.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    public func accounts() async throws -> [SessionAccount] {
        try folder.names().compactMap { name in
            name.hasSuffix(Self.suffix) ? SessionAccount(key: String(name.dropLast(Self.suffix.count))) : nil
        }.sorted()
    }

    /// Calls `body` with the lock of the account.
    ///
    /// - Throws: also `credentialsUnusable` if another process holds the lock for two minutes.
    public func exclusively<Result: Sendable>(
        for account: SessionAccount, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await locks.exclusively(for: account, body)
    }

    private static let suffix = ".json"

    private static func file(of account: SessionAccount) throws -> String {
        let key = account.key
        guard key.utf8.count <= 200 else {
            throw SoupError(
                .credentialsUnusable, "the name of the \(account) is too long for a file",
                hint: "Use a shorter name.")
        }
        return key + suffix
    }
}
