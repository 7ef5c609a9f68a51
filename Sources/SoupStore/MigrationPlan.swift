// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The changes to a store that give its soups the indexes of a configuration.
///
/// Soups that the configuration does not name are not changed.
public struct MigrationPlan: Sendable, Hashable {
    /// The soups that change, in the order of the configuration.
    public var steps: [Step]

    /// The change to one soup.
    public struct Step: Sendable, Hashable {
        /// The soup that is created or altered.
        public var soup: SoupName
        /// The current specs; nil for a soup that does not exist yet.
        public var present: [IndexSpec]?
        /// The new specs, in this order.
        public var wanted: [IndexSpec]

        /// Creates a step without access to a store.
        public init(soup: SoupName, present: [IndexSpec]?, wanted: [IndexSpec]) {
            self.soup = soup
            self.present = present
            self.wanted = wanted
        }

        /// The specs whose values must be computed from the entries: those that the soup does not have.
        public var added: [IndexSpec] { wanted.filter { !(present ?? []).contains($0) } }
        /// The specs that are removed; a path whose type changes is in ``added`` too.
        public var dropped: [IndexSpec] { (present ?? []).filter { !wanted.contains($0) } }
    }

    /// Creates a plan of these steps; without steps it does nothing.
    public init(_ steps: [Step]) { self.steps = steps }

    /// Whether the store already has the indexes of the configuration.
    public var isEmpty: Bool { steps.isEmpty }
}

extension SmartStore {
    /// Compares the soups of the store with those of a configuration, without changing them.
    ///
    /// The order of the specs of a soup is ignored.
    ///
    /// - Throws: ``SoupError`` of the store.
    public func migrationPlan(to soups: [(SoupName, [IndexSpec])]) async throws -> MigrationPlan {
        try await read { reader in
            let existing = Set(try reader.soupNames())
            return MigrationPlan(
                try soups.compactMap { soup, wanted in
                    let present = existing.contains(soup) ? try reader.indexSpecs(of: soup) : nil
                    if let present, Set(present) == Set(wanted) { return nil }
                    return MigrationPlan.Step(soup: soup, present: present, wanted: wanted)
                })
        }
    }

    /// Carries a plan out, soup after soup; columns and indexes that stay are not rebuilt.
    ///
    /// Steps that are already done are skipped, so that the same plan can be carried out again after an error, a
    /// cancellation or the end of the process. A step that has begun is completed, by the next open if the process ends
    /// before. Each soup has either its old or its new specs, and no entry is lost in any case.
    ///
    /// - Parameter stepDone: called after each step.
    /// - Throws: ``SoupError``: `outdatedPlan` at the beginning, before any change, if a soup has other specs than the
    ///   plan was made for, and also if another task or process changed a soup's specs just before or after its step;
    ///   the error of the store for a step that fails (`notSupported` if the backend cannot alter soups), with the soup
    ///   and those that are done; `CancellationError` between two steps.
    public func migrate(
        _ plan: MigrationPlan, stepDone: @Sendable (MigrationPlan.Step) -> Void = { _ in }
    ) async throws {
        for step in plan.steps { _ = try await isToDo(step) }
        var done: [SoupName] = []
        for step in plan.steps {
            try Task.checkCancellation()
            do {
                guard try await isToDo(step) else { continue }
                if step.present == nil {
                    try await registerSoup(step.soup, step.wanted)
                } else {
                    try await alterSoup(step.soup, to: step.wanted)
                }
                // Another task or process may have registered the soup first: registering an existing soup changes
                // nothing.
                if try await isToDo(step) {
                    throw SoupError(
                        .outdatedPlan,
                        "soup \"\(step.soup)\" was changed by another task or process during the migration",
                        hint: "Create a new plan.")
                }
            } catch let error as SoupError {
                throw error.migrating(step.soup, after: done)
            }
            done.append(step.soup)
            stepDone(step)
        }
    }

    /// Returns whether a step must still be carried out.
    ///
    /// - Throws: ``SoupError`` with `outdatedPlan` if the soup has neither the old nor the new specs.
    private func isToDo(_ step: MigrationPlan.Step) async throws -> Bool {
        let present = try await read { reader in
            try reader.soupExists(step.soup) ? try reader.indexSpecs(of: step.soup) : nil
        }
        if present.map(Set.init) == Set(step.wanted) { return false }
        if present.map(Set.init) == step.present.map(Set.init) { return true }
        func text(_ specs: [IndexSpec]?) -> String {
            specs.map { "the indexes " + $0.map(\.description).joined(separator: ", ") } ?? "not been registered"
        }
        throw SoupError(
            .outdatedPlan,
            "soup \"\(step.soup)\" has changed since the plan was created: it has \(text(present)), and had "
                + text(step.present), hint: "Create a new plan.")
    }
}

extension SoupError {
    /// Returns the error of one step, with the progress of the plan.
    fileprivate func migrating(_ soup: SoupName, after done: [SoupName]) -> SoupError {
        let names = done.map { "\"\($0)\"" }.joined(separator: ", ")
        var error = self
        error.message =
            "soup \"\(soup)\" was not migrated: \(message)" + (done.isEmpty ? "" : "; already migrated: \(names)")
        error.hint = hint ?? "Run the migration again to continue; the soup has not changed."
        return error
    }
}
