// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension PluginRegistry {
    /// Registers a credential store under its name and aliases, so that `org.json` can name it; as
    /// ``register(down:)``.
    ///
    /// Its configuration is the value of `"credentials"`.
    public mutating func register<Store: CredentialStore>(credentialStore type: Store.Type) throws {
        try credentialStoreTypes.register(type) { configuration, path, folder, problems in
            Self.make(Store.self, from: configuration, at: path, in: folder, problems: &problems)
        }
    }

    /// Creates the credential store that `org.json` or code names.
    ///
    /// - Parameters:
    ///   - path: the place of the name or the object in its file.
    ///   - folder: the folder of that file, which relative paths of the configuration start from; nil for a reference
    ///     from code.
    public func credentialStore(
        _ reference: CredentialStoreReference, at path: [ConfigurationStep] = [], in folder: String? = nil,
        problems: inout [ConfigurationProblem]
    ) -> (any CredentialStore)? {
        named(reference.json, reference.name, in: credentialStoreTypes, at: path, folder: folder, problems: &problems)
    }

    /// All credential stores, sorted by name.
    public var credentialStores: [PluginDescription] { Self.list(credentialStoreTypes, .credentialStore) }

    /// Returns the schema of the `credentials` of `org.json`; adds the options of all credential stores.
    package func credentialStoreSchema(_ types: inout TypeSchemas) -> JSONValue {
        namedSchema(credentialStoreTypes, "credentialStore", into: &types)
    }
}
