// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupStore
internal import SoupCore
internal import SoupTesting

/// Opens an empty store of a backend for each case, in a temporary folder.
struct TemporaryStores {
    let registry: PluginRegistry
    let backend: PluginName
    let configuration: JSONValue

    /// Checks that the backend is registered.
    ///
    /// - Throws: ``SoupError`` with `registry` if the backend is not registered; the first fault of the configuration.
    init(of backend: PluginName, _ configuration: JSONValue, in registry: PluginRegistry) throws {
        self.configuration = configuration
        self.registry = registry
        self.backend = backend
        _ = try opener(in: ".")
    }

    private func opener(in folder: String) throws -> PluginRegistry.OpenBackend {
        var problems: [ConfigurationProblem] = []
        let context = StoreContext(folder: URL(filePath: folder), clock: TickingClock())
        let open = registry.backend(
            StoreReference(type: backend, configuration: configuration), context: context, problems: &problems)
        guard let open else {
            var error =
                problems.first?.error
                ?? SoupError(
                    .registry, "no store backend \"\(backend)\" is registered",
                    hint: "Register it in the registry that the suite gets.")
            error.place = nil
            throw error
        }
        return open
    }

    /// Calls `body` with a new store, and removes the store afterwards.
    func withStore<T>(_ body: (SmartStore, any StoreBackend) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let opened = try await opener(in: folder.path)()
        do {
            let result = try await body(SmartStore(opened, clock: TickingClock()), opened)
            try await opened.close()
            return result
        } catch {
            try? await opened.close()
            throw error
        }
    }
}
