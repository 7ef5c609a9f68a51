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
    /// A step that has begun is finished, by the next open when the process ends in the middle; steps behind it are done by
    /// calling this again with a new plan.
    ///
    /// - Throws: ``SoupError`` of the store: `notSupported` when the backend cannot alter soups.
    public func migrate(_ plan: MigrationPlan) async throws {
        for step in plan.steps {
            try Task.checkCancellation()
            if step.present == nil {
                try await registerSoup(step.soup, step.wanted)
            } else {
                try await alterSoup(step.soup, to: step.wanted)
            }
        }
    }
}
