// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupStore
public import SoupCore

/// The methods of the developer guide, which block the calling thread until a sync starts and report progress by
/// callbacks.
///
/// Like the methods of `SmartStore`, each one waits until the run has begun and throws if it cannot begin. The error
/// codes are those of the native methods, such as `syncNotFound` and `syncAlreadyRunning`. After that, the callback
/// receives every state in order, one call at a time, on a thread of Swift's pool. The last state has the status DONE,
/// FAILED or STOPPED; the sync can then be run again. The caller does not need to keep a reference to the manager.
///
/// Targets are `TargetReference`s: read from a file, or made in code, for example with `.soql("SELECT ...")`.
extension SyncManager {
    /// A callback that receives the states of a sync.
    public typealias SyncUpdate = @Sendable (SyncState) -> Void

    // MARK: Running

    /// Runs the sync with a name.
    ///
    /// - Returns: the state of the sync at the start of the run.
    @discardableResult
    public nonisolated func reSync(named name: String, onUpdate: @escaping SyncUpdate) throws -> SyncState {
        Self.follow(try waiting { try await self.reSync(named: name) }, onUpdate)
    }

    /// Runs the sync with a name; same as ``reSync(named:onUpdate:)``, with the label that the guide's samples use.
    @discardableResult
    @_disfavoredOverload
    public nonisolated func reSync(named name: String, update: @escaping SyncUpdate) throws -> SyncState {
        try reSync(named: name, onUpdate: update)
    }

    /// Runs the sync with an ID.
    @discardableResult
    public nonisolated func reSync(id: Int64, onUpdate: @escaping SyncUpdate) throws -> SyncState {
        Self.follow(try waiting { try await self.reSync(id: id) }, onUpdate)
    }

    /// Creates a sync down and runs it; without a name it is a one-time sync.
    @discardableResult
    public nonisolated func syncDown(
        target: TargetReference, options: SyncOptions = SyncOptions(), soupName: String, syncName: String? = nil,
        onUpdate: @escaping SyncUpdate
    ) throws -> SyncState {
        let run = try waiting {
            try await self.syncDown(target, into: SoupName(soupName), options: options, named: syncName)
        }
        return Self.follow(run, onUpdate)
    }

    /// Creates a sync up and runs it; without a name it is a one-time sync.
    ///
    /// Without a target, it pushes records with the collections API.
    @discardableResult
    public nonisolated func syncUp(
        target: TargetReference = TargetReference([:]), options: SyncOptions, soupName: String, syncName: String? = nil,
        onUpdate: @escaping SyncUpdate
    ) throws -> SyncState {
        let run = try waiting {
            try await self.syncUp(target, from: SoupName(soupName), options: options, named: syncName)
        }
        return Self.follow(run, onUpdate)
    }

    /// Runs the sync with a name and reports only its end.
    public nonisolated func reSyncWithoutUpdates(
        named name: String, _ completion: @escaping @Sendable (Result<SyncState, MobileSyncError>) -> Void
    ) {
        do {
            try reSync(
                named: name,
                onUpdate: { state in
                    switch state.status {
                    case .new, .running: break
                    case .done: completion(.success(state))
                    case .stopped: completion(.failure(.stopped))
                    case .failed: completion(.failure(.failed(state)))
                    }
                })
        } catch {
            completion(.failure(.notStarted(error)))
        }
    }

    // MARK: Ghosts

    /// Cleans the ghosts of the sync down with a name.
    ///
    /// - Parameters:
    ///   - all: confirms that any number of entries may be removed; see ``cleanResyncGhosts(id:completely:all:)``.
    ///   - onComplete: called once, with `.done` and the number of deleted records, or with `.failed` and 0.
    public nonisolated func cleanResyncGhosts(
        forName name: String, all: Bool = false, onComplete: @escaping @Sendable (SyncStatus, UInt) -> Void
    ) throws {
        let id = try waiting { try await self.id(of: name) }
        try cleanResyncGhosts(forId: id, all: all, onComplete: onComplete)
    }

    /// Cleans the ghosts of the sync down with an ID; same as ``cleanResyncGhosts(forName:all:onComplete:)``.
    public nonisolated func cleanResyncGhosts(
        forId id: Int64, all: Bool = false, onComplete: @escaping @Sendable (SyncStatus, UInt) -> Void
    ) throws {
        try waiting {
            let definition = try await self.requireSync(id).definition
            guard definition.type == .syncDown else {
                throw SoupError(
                    .notASyncDown, "ghosts can be cleaned for sync downs only",
                    hint: "Pass the sync down that fetches the records.")
            }
        }
        Task {
            let count = try? await self.cleanResyncGhosts(id: id, all: all)
            onComplete(count == nil ? .failed : .done, UInt(clamping: count ?? 0))
        }
    }

    /// Cleans the ghosts of the sync down with a name, and reports the number of deleted records or the error.
    public nonisolated func cleanGhosts(
        named name: String, all: Bool = false, _ completion: @escaping @Sendable (Result<UInt, MobileSyncError>) -> Void
    ) {
        do {
            try cleanResyncGhosts(forName: name, all: all) { status, count in
                completion(status == .done ? .success(count) : .failure(.failed(nil)))
            }
        } catch {
            completion(.failure(.notStarted(error)))
        }
    }

    // MARK: Definitions

    /// Creates a sync down without running it.
    public nonisolated func createSyncDown(
        target: TargetReference, options: SyncOptions, soupName: String, syncName: String? = nil
    ) throws -> SyncState {
        try create(
            .syncDown, target: target, options: options, soupName: soupName, syncName: syncName)
    }

    /// Creates a sync up without running it.
    public nonisolated func createSyncUp(
        target: TargetReference = TargetReference([:]), options: SyncOptions, soupName: String, syncName: String? = nil
    ) throws -> SyncState {
        try create(
            .syncUp, target: target, options: options, soupName: soupName, syncName: syncName)
    }

    /// Returns whether a sync with the name exists.
    public nonisolated func hasSync(forName name: String) throws -> Bool {
        try waiting { try await self.status(named: name) != nil }
    }

    /// Deletes the sync with a name, but not the records that it fetched; an unknown name is ignored.
    public nonisolated func deleteSync(forName name: String) throws {
        try waiting { try await self.deleteSync(named: name) }
    }

    /// Deletes the sync with an ID, but not the records that it fetched; an unknown ID is ignored.
    public nonisolated func deleteSync(forId id: Int64) throws { try waiting { try await self.deleteSync(id: id) } }

    private nonisolated func create(
        _ type: SyncType, target: TargetReference, options: SyncOptions, soupName: String, syncName: String?
    ) throws -> SyncState {
        let definition = SyncDefinition(
            name: syncName, type: type, soup: SoupName(soupName), target: target, options: options)
        return try waiting { try await self.create(definition) }
    }

    private static func follow(_ run: SyncRun, _ update: @escaping SyncUpdate) -> SyncState {
        Task {
            for await event in run.events() {
                if case .state(let state) = event { update(state) }
            }
        }
        return run.state
    }
}

/// The error of a sync that was started with a method of the developer guide.
public enum MobileSyncError: Error, Sendable {
    /// The run could not begin.
    case notStarted((any Error)?)
    /// The run was stopped; the next run resumes it.
    case stopped
    /// The run failed; the state's `error` contains the reason.
    case failed(SyncState?)
    /// Never returned by this library; for code that must handle every case.
    case unknown
}
