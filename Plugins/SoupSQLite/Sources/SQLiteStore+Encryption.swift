// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SQLiteStore {
    /// The encryption of a store's files: `"encryption": {"key": "keychain"}`.
    public struct Encryption: Decodable, Sendable {
        /// The provider of the key, by its name or in code.
        public enum Key: Sendable {
            /// A provider that the registry creates.
            case reference(KeyReference)
            /// A provider of the app.
            case provider(any KeyProvider)
        }

        /// The provider of the secret that protects the key in the header of the file.
        public var key: Key

        /// Creates the options with a provider of the app.
        public init(key: any KeyProvider) { self.key = .provider(key) }

        /// Creates the options with a provider of the registry that opens the store.
        public init(key: KeyReference) { self.key = .reference(key) }

        private enum CodingKeys: CodingKey {
            case key
        }

        /// Reads `key`: the name of a provider, or an object with its `type` and options.
        ///
        /// - Throws: ``SoupError`` with `notSupported` in a build without the package trait `Encryption`.
        public init(from decoder: any Decoder) throws {
            guard Self.isSupported else { throw Self.notSupported }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            key = .reference(try container.decode(KeyReference.self, forKey: .key))
        }

        /// Returns the provider.
        func provider(in context: StoreContext) throws -> any KeyProvider {
            switch key {
            case .provider(let provider): provider
            case .reference(let reference): try context.keyProvider(reference)
            }
        }

        static var isSupported: Bool {
            #if Encryption
                true
            #else
                false
            #endif
        }

        /// The error of a build without the package trait `Encryption`.
        package static var notSupported: SoupError {
            SoupError(
                .notSupported, "this program was built without encryption of stores",
                hint: "Enable the trait Encryption of the package SoupKit, and build the program again.")
        }
    }
}
