// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The observation of one run or ghost cleaning; there is none without an observer.
struct SyncObservation: Sendable {
    let observer: any SyncObserver
    let definition: SyncDefinition
    let target: PluginName
    /// Returns an error without the secrets of the connections.
    let masked: @Sendable (any Error) -> any Error

    /// Returns an activity of the sync.
    func activity(_ kind: SyncActivity.Kind) -> SyncActivity {
        SyncActivity(
            kind, sync: definition.name, syncType: definition.type, soup: definition.soup, target: target)
    }

    /// Does the work of an activity exactly once, and passes its result to the observer.
    ///
    /// - Parameter describe: adds the numbers of the work to its result.
    fileprivate func measuring<R>(
        _ activity: SyncActivity, _ work: () async throws -> R,
        describe: (Result<R, any Error>, inout SyncActivityResult) -> Void
    ) async throws -> R {
        var ended: (value: Result<R, any Error>, result: SyncActivityResult)?
        await observer.observe(activity) {
            if let ended { return ended.result }
            let end = await self.end(of: work, describe)
            ended = end
            return end.result
        }
        if let ended { return try ended.value.get() }
        return try await work()
    }

    private func end<R>(
        of work: () async throws -> R, _ describe: (Result<R, any Error>, inout SyncActivityResult) -> Void
    ) async -> (value: Result<R, any Error>, result: SyncActivityResult) {
        let value: Result<R, any Error>
        var result: SyncActivityResult
        do {
            value = .success(try await work())
            result = SyncActivityResult()
        } catch {
            value = .failure(error)
            result = SyncActivityResult(masked(error))
        }
        describe(value, &result)
        return (value, result)
    }
}

extension StoreBackend {
    /// The name that configurations use for the backend.
    var pluginName: PluginName { Self.name }
}

extension SyncObservation? {
    /// Does work; with an observer, as an activity that it measures.
    ///
    /// - Parameters:
    ///   - configure: sets the members of the activity that depend on its kind.
    ///   - describe: adds the numbers of the work to its result.
    func measuring<R>(
        _ kind: SyncActivity.Kind, configure: (inout SyncActivity) -> Void = { _ in },
        _ work: () async throws -> R,
        describe: (Result<R, any Error>, inout SyncActivityResult) -> Void = { _, _ in }
    ) async throws -> R {
        guard let self else { return try await work() }
        var activity = self.activity(kind)
        configure(&activity)
        return try await self.measuring(activity, work, describe: describe)
    }
}
