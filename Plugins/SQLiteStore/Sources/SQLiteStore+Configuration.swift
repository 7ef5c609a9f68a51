// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SQLiteStore {
    /// The options of the backend, as they stand in `userstore.json` beside `"type": "sqlite"`.
    public struct Configuration: Decodable, Sendable {
        /// The file; a path that is not absolute starts from the folder of the configuration.
        ///
        /// Nil: `store.sqlite` there.
        public var path: String?
        /// Whether the four local flags may be compared with `1`, `0`, `'1'` and `'0'` as well as with `true` and
        /// `false`.
        public var booleanCompatibility: Bool
        /// How long another process may hold the file, in seconds from 0 to 86400, before that is an error.
        public var busyTimeout: Double

        /// How full text is cut into words and what is kept for it, in soups that are registered from now on.
        public var fullText: FullTextOptions

        /// Whether only the owner of the files can read and write them: 0600, also for files that were there before.
        ///
        /// With false, new files get the permissions of the process (umask), and those of existing ones stay.
        public var ownerOnly: Bool
        /// The data protection of the files on iOS, tvOS, watchOS and visionOS; ignored elsewhere.
        public var fileProtection: FileProtection
        /// Whether backups leave the files out, on Apple platforms; nil leaves the files as they are.
        public var excludedFromBackup: Bool?

        /// When the files can be read on an Apple device with a passcode.
        public enum FileProtection: String, Decodable, Sendable, CaseIterable {
            /// After the device was unlocked once since it started: also in the background.
            case completeUntilFirstUserAuthentication
            /// While the device is unlocked; files that are open stay usable.
            case completeUnlessOpen
            /// While the device is unlocked: a sync in the background fails.
            case complete
            /// As the system or the app's entitlement says.
            case unchanged
        }

        /// Makes a configuration; whether the file can be used shows when the store is opened.
        public init(
            path: String? = nil, booleanCompatibility: Bool = true, busyTimeout: Double = 5,
            fullText: FullTextOptions = FullTextOptions(), ownerOnly: Bool = true,
            fileProtection: FileProtection = .completeUntilFirstUserAuthentication, excludedFromBackup: Bool? = nil
        ) {
            self.path = path
            self.booleanCompatibility = booleanCompatibility
            self.busyTimeout = busyTimeout
            self.fullText = fullText
            self.ownerOnly = ownerOnly
            self.fileProtection = fileProtection
            self.excludedFromBackup = excludedFromBackup
        }

        private enum CodingKeys: CodingKey {
            case path, booleanCompatibility, busyTimeout, fullText, ownerOnly, fileProtection, excludedFromBackup
        }

        /// Reads the keys named like the properties; each may be left out for its default.
        ///
        /// - Throws: `SoupError` with the place `busyTimeout` for a time that is none.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let timeout = try container.decodeIfPresent(Double.self, forKey: .busyTimeout) ?? 5
            guard (0...86_400).contains(timeout) else {
                throw SoupError(
                    .badConfiguration, "\(timeout) is no time to wait", place: Place(path: "busyTimeout"),
                    hint: "Write seconds, from 0 to 86400.")
            }
            self.init(
                path: try container.decodeIfPresent(String.self, forKey: .path),
                booleanCompatibility: try container.decodeIfPresent(Bool.self, forKey: .booleanCompatibility) ?? true,
                busyTimeout: timeout,
                fullText: try container.decodeIfPresent(FullTextOptions.self, forKey: .fullText) ?? FullTextOptions(),
                ownerOnly: try container.decodeIfPresent(Bool.self, forKey: .ownerOnly) ?? true,
                fileProtection: try container.decodeIfPresent(FileProtection.self, forKey: .fileProtection)
                    ?? .completeUntilFirstUserAuthentication,
                excludedFromBackup: try container.decodeIfPresent(Bool.self, forKey: .excludedFromBackup))
        }

        func path(in folder: String) -> String {
            let path = path ?? "store.sqlite"
            if path.hasPrefix("/") || folder.isEmpty { return path }
            return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
        }
    }
}
