// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension RunServices {
    /// Returns a function that resolves conflicts with a resolver; without one, or on an error, they stay unresolved.
    ///
    /// Each resolution is logged, because a resolution for the server's side is not recorded anywhere else.
    func decision(by resolver: (any ConflictResolver)?) -> @Sendable (RecordConflict) -> ConflictResolution {
        let logger = logger
        return { conflict in
            guard let resolver else { return .unresolved }
            do {
                let resolution = try resolver.resolve(conflict)
                logger.info(
                    "conflict resolver \"\(type(of: resolver).name)\" resolved entry \(conflict.entryId) of soup \"\(conflict.soup)\": \(resolution.name)"
                )
                return resolution
            } catch {
                logger.warning(
                    "conflict resolver \"\(type(of: resolver).name)\" failed for entry \(conflict.entryId) of soup \"\(conflict.soup)\": \(error)"
                )
                return .unresolved
            }
        }
    }

    /// Removes the notes of conflicts that have ended.
    func pruneConflicts() async throws {
        let hasNotes = try await backend.read { try !ConflictStore.notes(in: $0).isEmpty }
        if hasNotes { try await backend.write { try ConflictStore.prune(in: $0) } }
    }

    /// Checks whether the store keeps synced copies of the soups, if the merge mode of a sync requires them.
    ///
    /// - Throws: ``SoupError``: `notSupported` for a store that keeps no synced copies; `indexNotDefined` for a soup
    ///   without an index on `__local__`.
    func checkSyncedCopies(for mode: MergeMode, _ layout: RecordLayout) async throws {
        guard mode.requiresSyncedCopies else { return }
        guard keepsSyncedCopies(of: layout) else {
            throw SoupError(
                .notSupported, "this store keeps no synced copies, which the merge mode \(mode.rawValue) requires",
                hint: "Use \(MergeMode.namesWithoutSyncedCopies), or another store backend.")
        }
        try await backend.read { reader in
            for level in layout.levels {
                guard try reader.indexSpecs(of: level.soup).contains(where: { $0.path.rawValue == EntryField.local })
                else {
                    throw SoupError(
                        .indexNotDefined,
                        "soup \"\(level.soup)\" has no index on \"\(EntryField.local)\", which the merge mode \(mode.rawValue) requires",
                        hint:
                            "Add {\"path\": \"\(EntryField.local)\", \"type\": \"string\"} to the indexes of the soup.")
                }
            }
        }
    }
}

extension ConflictResolution {
    /// The name of the resolution, without the values.
    fileprivate var name: String {
        switch self {
        case .local: "local"
        case .remote: "remote"
        case .merged: "merged"
        case .unresolved: "unresolved"
        }
    }
}
