// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What must be done to a store so that its soups have the indexes that a configuration wants.
///
/// Soups that the configuration does not name stay as they are.
public struct MigrationPlan: Sendable, Hashable {
    /// The soups that change, in the order of the configuration.
    public var steps: [Step]

    /// What is done to one soup.
    public struct Step: Sendable, Hashable {
        /// The soup that is made or altered.
        public var soup: SoupName
        /// The specs that it has; nil for a soup that is not there yet.
        public var present: [IndexSpec]?
        /// The specs that it gets, in this order.
        public var wanted: [IndexSpec]

        /// Describes a step without looking at any store.
        public init(soup: SoupName, present: [IndexSpec]?, wanted: [IndexSpec]) {
            self.soup = soup
            self.present = present
            self.wanted = wanted
        }

        /// The specs whose values are taken from the entries: those that the soup does not have.
        public var added: [IndexSpec] { wanted.filter { !(present ?? []).contains($0) } }
        /// The specs that go; a path that changes its type is among both.
        public var dropped: [IndexSpec] { (present ?? []).filter { !wanted.contains($0) } }
    }

    /// A plan of these steps; none means that nothing is to be done.
    public init(_ steps: [Step]) { self.steps = steps }

    /// Whether the store is as the configuration wants it.
    public var isEmpty: Bool { steps.isEmpty }
}

extension SmartStore {
    /// Compares the soups of the store with what a configuration wants; nothing is changed.
    ///
    /// The order of the specs of a soup does not count.
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

    /// Carries a plan out, soup after soup; columns and indexes that stay are not built anew.
    ///
    /// Steps that are done already are passed over, so that the same plan may be carried out again after an error, a
    /// cancellation or the end of the process. A step that has begun is finished, by the next open when the process
    /// ends in the middle; each soup is as it was or as it is to be, and no entry is lost whatever happens.
    ///
    /// - Parameter stepDone: is told of every step when it is done.
    /// - Throws: ``SoupError``: `outdatedPlan` when somebody else gave a soup other specs just before or after its
    ///   step, or when a soup has other specs than the plan was made for, at the beginning
    ///   before anything is changed; that of the store for a step that fails, `notSupported` when the backend cannot
    ///   alter soups, naming the soup and those that are done; `CancellationError` between two steps.
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
                // Somebody else may have come first: registering a soup that is there changes nothing.
                if try await isToDo(step) {
                    throw SoupError(
                        .outdatedPlan, "soup \"\(step.soup)\" was changed by somebody else meanwhile",
                        hint: "Make a new plan")
                }
            } catch let error as SoupError {
                throw error.migrating(step.soup, after: done)
            }
            done.append(step.soup)
            stepDone(step)
        }
    }

    /// Whether a step is still to be done.
    ///
    /// - Throws: ``SoupError`` with `outdatedPlan` when it is neither to be done nor done.
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
            "soup \"\(step.soup)\" has changed since the plan was made: it has \(text(present)), and had "
                + text(step.present), hint: "Make a new plan")
    }
}

extension SoupError {
    /// The error of one step, which tells how far the plan has come.
    fileprivate func migrating(_ soup: SoupName, after done: [SoupName]) -> SoupError {
        let names = done.map { "\"\($0)\"" }.joined(separator: ", ")
        var error = self
        error.message = "soup \"\(soup)\" was not migrated: \(message)" + (done.isEmpty ? "" : "; done are \(names)")
        error.hint = hint ?? "The soup is as it was. Running the migration again does what is left"
        return error
    }
}
