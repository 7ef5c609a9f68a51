// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The secrets that the key providers of a configuration have for the files of stores.
struct StoreSecrets {
    private let providers: [any KeyProvider]

    /// - Throws: ``ConfigurationError`` for an unknown provider or faulty options; as
    ///   ``ConfigurationFolder/storeContext(_:)``.
    init(of keys: [KeyReference], _ configuration: ConfigurationFolder, _ options: SoupClient.Options) throws {
        var context = try configuration.storeContext(options)
        context.registry = options.registry
        providers = try keys.map(context.keyProvider)
    }

    /// Removes the secrets of one file; a missing one is allowed.
    ///
    /// - Throws: the errors of a key provider.
    func remove(of file: String) async throws {
        for provider in providers { try await provider.removeSecret(for: KeyRequest(file: file)) }
    }

    /// Returns the files of a store that can have secrets: those of its additional stores, and at last its own.
    static func files(ofStore file: String) -> [String] {
        let inner = StoreContext.innerFolder(ofFile: file)
        return RemovalFolder.files(in: inner).filter { !isCompanion($0) }.map { "\(inner)/\($0)" } + [file]
    }

    /// Whether the path is that of a file beside a store or in a key-value store, which has no secret of its own.
    static func isCompanion(_ file: String) -> Bool {
        ["-wal", "-shm", "-journal", "-syncs"].contains { file.hasSuffix($0) }
            || "/\(file)".contains("/key_value_stores/")
    }
}
