// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupStore
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Examination {
    /// Opens the store, and adds the findings about its file.
    ///
    /// - Returns: nil if the store does not exist yet, or cannot be opened.
    mutating func openStore() async throws -> (any StoreBackend)? {
        var place: StorePlace?
        if let file = configuration.storeFile(options) {
            let found = StorePlace(
                file: file.filePath,
                createsFolders: options.store != nil || options.user != nil || options.storeFolder != nil)
            diagnosis.findings += found.problems
            if !found.exists {
                if found.canBeCreated { diagnosis.add(.ok, .store, message: found.description) }
                try await examineKeys(of: found.file)
                return nil
            }
            place = found
        }
        do {
            let backend = try await configuration.openBackend(options)
            if let place { diagnosis.add(.ok, .store, message: place.description) }
            return backend
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            storeIsUnknown = true
            diagnosis.add(error, .store)
            return nil
        }
    }

    /// Adds the errors of the keys that must exist before a store is created.
    private mutating func examineKeys(of file: String) async throws {
        var context = try configuration.storeContext(options)
        context.registry = options.registry
        for key in Set(configuration.configuredStores(options.scope).compactMap(\.key)) {
            do {
                let provider = try context.keyProvider(key)
                guard !type(of: provider).createsSecrets else { continue }
                _ = try await provider.secret(for: KeyRequest(file: file, isNew: true))
            } catch is CancellationError {
                throw CancellationError()
            } catch is ConfigurationError {
                // It is among the problems of the files.
            } catch {
                diagnosis.add(error, .store)
            }
        }
    }

    /// Adds the findings about the contents of the store.
    mutating func examineStore(_ backend: any StoreBackend) async throws {
        do {
            if backend.capabilities.contains(.readOnly) {
                diagnosis.add(
                    .failure, .store,
                    message: "the store can only be read, because its file and its folder are not writable",
                    hint: "Give the user of this process the right to write both.")
            } else if !backend.capabilities.contains(.durable),
                !diagnosis.findings.contains(where: { $0.subject == .store })
            {
                diagnosis.add(.ok, .store, message: "the records are kept in memory, until the process ends")
            }
            try await examineContents(of: SmartStore(backend, clock: options.clock))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            diagnosis.add(error, .store)
        }
    }

    private mutating func examineContents(of store: SmartStore) async throws {
        let drift = ConfigurationDrift(configuration: configuration[options.scope])
        let states = try await SyncManager.states(in: store.backend)
        let problems =
            try await drift.problems(of: store) + drift.surplus(of: store) + drift.problems(of: states)
        for problem in problems { diagnosis.add(problem, .store) }
        let soups = try await store.soupNames().filter { !SoupName.reserved.contains($0) }
        if !soups.isEmpty {
            var contents = ""
            do {
                let counted = try await store.statistics().soups.filter { soups.contains($0.name) }
                let (entries, dirty) = (counted.reduce(0) { $0 + $1.entries }, counted.reduce(0) { $0 + $1.dirty })
                contents = ": \(entries) \(entries == 1 ? "entry" : "entries"), \(dirty) of them with local changes"
            } catch let error as SoupError where error.code == .notSupported {
                // The backend does not count its entries.
            }
            diagnosis.add(.ok, .store, message: "\(soups.count) \(soups.count == 1 ? "soup" : "soups")\(contents)")
        }
        let failures = try await SyncManager.failures(in: store.backend)
        guard let first = failures.first else { return }
        diagnosis.add(
            .warning, .store,
            message:
                "the last push of \(failures.count) \(failures.count == 1 ? "entry" : "entries") failed; the first one: "
                + "\(first.soup) \(first.entryId): \(first.failure.code), \(first.failure.message)",
            hint: "Run `soup failures` to list them, correct the records, and sync again.")
    }
}
