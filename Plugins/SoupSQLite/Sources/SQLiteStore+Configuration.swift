// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SQLiteStore {
    /// The options of the backend, next to `"type": "sqlite"` in `userstore.json`.
    public struct Configuration: Decodable, Sendable {
        /// The file; a relative path starts at the folder of the configuration.
        ///
        /// Nil means the file of the context: `store.sqlite` in its folder, unless the context names another one.
        public var path: String?
        /// Whether the four local flags may be compared with `1`, `0`, `'1'` and `'0'` as well as with `true` and
        /// `false`.
        public var booleanCompatibility: Bool
        /// The time to wait for another process that has locked the file, before an error is thrown; from 0 to 86400
        /// seconds, which is the unit in `userstore.json`.
        public var busyTimeout: Duration

        /// The full-text options of soups that are registered from now on.
        public var fullText: FullTextOptions

        /// Whether only the owner can read and write the files: 0600, also for existing files.
        ///
        /// If false, new files get the permissions of the process (umask), and existing files keep theirs.
        public var ownerOnly: Bool
        /// The data protection of the files on iOS, tvOS, watchOS and visionOS; ignored elsewhere.
        public var fileProtection: FileProtection
        /// Whether backups exclude the files, on Apple platforms; nil does not change the files.
        public var excludedFromBackup: Bool?
        /// The encryption of the files; nil for none.
        ///
        /// It needs the package trait `Encryption`. A store that is not encrypted is not opened with a key, and an
        /// encrypted one not without.
        public var encryption: Encryption?

        /// When the files can be read on an Apple device with a passcode.
        public enum FileProtection: String, Decodable, Sendable, CaseIterable {
            /// After the device was first unlocked since it started: also in the background.
            case completeUntilFirstUserAuthentication
            /// While the device is unlocked; open files remain accessible.
            case completeUnlessOpen
            /// While the device is unlocked: a sync in the background fails.
            case complete
            /// The protection that the system or the app's entitlement defines.
            case unchanged
        }

        /// Creates a configuration; the file is checked when the store is opened.
        public init(
            path: String? = nil, booleanCompatibility: Bool = true, busyTimeout: Duration = .seconds(5),
            fullText: FullTextOptions = FullTextOptions(), ownerOnly: Bool = true,
            fileProtection: FileProtection = .completeUntilFirstUserAuthentication, excludedFromBackup: Bool? = nil,
            encryption: Encryption? = nil
        ) {
            self.path = path
            self.booleanCompatibility = booleanCompatibility
            self.busyTimeout = busyTimeout
            self.fullText = fullText
            self.ownerOnly = ownerOnly
            self.fileProtection = fileProtection
            self.excludedFromBackup = excludedFromBackup
            self.encryption = encryption
        }

        private enum CodingKeys: CodingKey {
            case path, booleanCompatibility, busyTimeout, fullText, ownerOnly, fileProtection, excludedFromBackup
            case encryption
        }

        /// Reads the keys that have the names of the properties; each is optional.
        ///
        /// - Throws: `SoupError` with the place `busyTimeout` for an invalid time.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let timeout = try container.decodeIfPresent(Double.self, forKey: .busyTimeout) ?? 5
            guard (0...86_400).contains(timeout) else {
                throw SoupError(
                    .badConfiguration, "\(timeout) is not a valid timeout", place: SoupError.Place(path: "busyTimeout"),
                    hint: "Write seconds, from 0 to 86400.")
            }
            if container.contains(.encryption), try container.decodeNil(forKey: .encryption) {
                throw SoupError(
                    .badConfiguration, "the encryption is null", place: SoupError.Place(path: "encryption"),
                    hint: "Name the provider of the key, or remove \"encryption\".")
            }
            self.init(
                path: try container.decodeIfPresent(String.self, forKey: .path),
                booleanCompatibility: try container.decodeIfPresent(Bool.self, forKey: .booleanCompatibility) ?? true,
                busyTimeout: .seconds(timeout),
                fullText: try container.decodeIfPresent(FullTextOptions.self, forKey: .fullText) ?? FullTextOptions(),
                ownerOnly: try container.decodeIfPresent(Bool.self, forKey: .ownerOnly) ?? true,
                fileProtection: try container.decodeIfPresent(FileProtection.self, forKey: .fileProtection)
                    ?? .completeUntilFirstUserAuthentication,
                excludedFromBackup: try container.decodeIfPresent(Bool.self, forKey: .excludedFromBackup),
                encryption: try container.decodeIfPresent(Encryption.self, forKey: .encryption))
        }
    }
}
