// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// Registers a soup; an existing soup is not changed, even if its specs differ.
    ///
    /// - Throws: ``SoupError`` with `badSoupName` or `noIndexSpecs`.
    public func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) async throws {
        try await write { try $0.registerSoup(soup, specs) }
    }

    /// Registers the missing soups, all in one transaction.
    ///
    /// - Returns: the names of the soups that were missing.
    @discardableResult
    public func setUp(soups: [(SoupName, [IndexSpec])]) async throws -> [SoupName] {
        try await write { writer in
            let existing = Set(try writer.soupNames())
            var registered: [SoupName] = []
            for (soup, specs) in soups where !existing.contains(soup) {
                try writer.registerSoup(soup, specs)
                registered.append(soup)
            }
            return registered
        }
    }

    /// Replaces the index specs of a soup; entries, IDs and dates stay, and indexes of specs that stay are not rebuilt.
    ///
    /// A change that has begun is completed, by the next open if the process ends before.
    ///
    /// - Parameter reIndex: whether new specs get their values from the entries; without it, queries on their paths
    ///   find nothing before ``reIndexSoup(_:paths:)``.
    /// - Throws: ``SoupError``: `soupNotFound`, `noIndexSpecs`, `notSupported`; then nothing has changed.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool = true) async throws {
        try await backend.alterSoup(soup, to: specs, reIndex: reIndex)
    }

    /// Recomputes the index values of paths from the entries; paths that are not indexed are ignored.
    ///
    /// No partial result is visible. As for ``alterSoup(_:to:reIndex:)``, a change that has begun is completed.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `notSupported`.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await backend.reIndexSoup(soup, paths: paths)
    }

    /// Removes a soup with all its entries; unknown soups are ignored.
    public func removeSoup(_ soup: SoupName) async throws { try await write { try $0.removeSoup(soup) } }

    /// Removes all entries of a soup; the IDs continue to count up.
    public func clearSoup(_ soup: SoupName) async throws { try await write { try $0.clearSoup(soup) } }

    /// Returns the names of all soups, sorted.
    public func soupNames() async throws -> [SoupName] { try await backend.quickRead { try $0.soupNames() } }

    /// Returns whether a soup with that name is registered.
    public func soupExists(_ soup: SoupName) async throws -> Bool {
        try await backend.quickRead { try $0.soupExists(soup) }
    }

    /// Returns the index specs of a soup, in the order of registration.
    public func indexSpecs(of soup: SoupName) async throws -> [IndexSpec] {
        try await backend.quickRead { try $0.indexSpecs(of: soup) }
    }
}
