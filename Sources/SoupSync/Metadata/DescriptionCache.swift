// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// A cache of descriptions in a soup, one entry per key, which are fetched by sync downs.
///
/// Callers that request a key while it is being fetched share the same fetch. The fetch is cancelled when no caller
/// waits for it any longer.
actor DescriptionCache {
    private let manager: SyncManager
    private let soup: SoupName
    private var fetches: [String: Fetch] = [:]
    private var lastNumber = 0

    /// A fetch in progress, and the callers that wait for it.
    private struct Fetch {
        let number: Int
        let task: Task<Void, Never>
        let outcome = Promise<Outcome>()
        var waiterCount = 0
    }

    private typealias Outcome = Result<Void, any Error>

    /// Creates the cache, and the soup if it does not exist.
    init(soup: SoupName, manager: SyncManager) async throws {
        self.soup = soup
        self.manager = manager
        let backend = manager.services.backend
        guard try await backend.read({ try !$0.soupExists(soup) }) else {
            try await deleteUnfinishedSyncs()
            return
        }
        let kind: IndexSpec.Kind = backend.capabilities(of: soup).contains(.json1) ? .json1 : .string
        try await backend.write { writer in
            if try !writer.soupExists(soup) { try writer.registerSoup(soup, [IndexSpec("Id", kind)]) }
        }
    }

    /// Deletes the syncs of fetches that an earlier process did not finish.
    private func deleteUnfinishedSyncs() async throws {
        for state in try await manager.syncs() where state.name == nil && state.definition.soup == soup {
            guard state.status == .stopped || state.status == .failed else { continue }
            try await manager.deleteSync(id: state.id)
        }
    }

    /// Returns the description with a key.
    ///
    /// - Parameter target: fetches the description.
    /// - Throws: the error of the fetch, unless the mode allows the cached value instead.
    func description(_ key: String, _ mode: FetchMode, by target: TargetReference) async throws -> JSONText? {
        if mode != .serverFirst, let cached = try await cached(key) { return cached }
        guard mode != .cacheOnly else { return nil }
        do {
            try await fetch(key, by: target)
        } catch let error as SoupError where error.concernsAllRequests && mode == .serverFirst {
            guard let cached = try await cached(key) else { throw error }
            manager.services.logger.notice("\(key) in \(soup) is returned from the cache: \(error)")
            return cached
        }
        return try await cached(key)
    }

    private func cached(_ key: String) async throws -> JSONText? {
        let soup = soup
        return try await manager.services.backend.read { reader in
            guard let id = try reader.lookup(.string(key), at: "Id", in: soup) else { return nil }
            return try reader.retrieve([id], from: soup).first?.stored
        }
    }

    // MARK: Fetching

    /// The number of callers that wait for a fetch.
    var waiting: Int { fetches.values.reduce(0) { $0 + $1.waiterCount } }

    private func fetch(_ key: String, by target: TargetReference) async throws {
        let fetch = startedFetch(key, by: target)
        fetches[key]?.waiterCount += 1
        let outcome: Outcome
        do {
            outcome = try await fetch.outcome.wait()
        } catch {
            leave(key, fetch.number)
            throw error
        }
        try outcome.get()
    }

    /// Returns the fetch of a key that is in progress, or starts it.
    private func startedFetch(_ key: String, by target: TargetReference) -> Fetch {
        if let fetch = fetches[key] { return fetch }
        lastNumber += 1
        let number = lastNumber
        let fetch = Fetch(number: number, task: Task { await self.run(target, forKey: key, number: number) })
        fetches[key] = fetch
        return fetch
    }

    /// Removes a cancelled caller; the last one cancels the fetch.
    private func leave(_ key: String, _ number: Int) {
        guard var fetch = fetches[key], fetch.number == number else { return }
        fetch.waiterCount -= 1
        fetches[key] = fetch
        guard fetch.waiterCount == 0 else { return }
        fetch.task.cancel()
        fetches[key] = nil
    }

    private func run(_ target: TargetReference, forKey key: String, number: Int) async {
        let outcome: Outcome
        do {
            outcome = .success(try await sync(target))
        } catch {
            outcome = .failure(error)
        }
        // If all callers were cancelled, another fetch may have replaced this one.
        guard let fetch = fetches[key], fetch.number == number else { return }
        fetches[key] = nil
        fetch.outcome.resolve(outcome)
    }

    /// Runs the sync down to its end; its row is deleted in every case.
    private func sync(_ target: TargetReference) async throws {
        let run = try await manager.syncDown(target, into: soup, options: SyncOptions(mergeMode: .overwrite))
        let result = await withTaskCancellationHandler {
            await run.result
        } onCancel: {
            run.cancel()
        }
        guard result.state.status != .done else { return }
        let manager = manager
        try await shielded { try await manager.deleteSync(id: run.id) }
        try Task.checkCancellation()
        throw result.error ?? SoupError(.managerStopped, "the sync manager was stopped", hint: "Restart it first.")
    }
}

extension SyncManager {
    /// Returns a task that does a piece of work and passes its result to a completion handler.
    nonisolated func complete<T: Sendable>(
        _ completion: @escaping @Sendable (Result<T, any Error>) -> Void,
        _ work: @escaping @Sendable () async throws -> T
    ) -> Task<Void, Never> {
        Task {
            do {
                completion(.success(try await work()))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
