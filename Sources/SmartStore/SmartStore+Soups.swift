// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// Registers a soup; one that exists is left as it is, even with other specs.
    ///
    /// - Throws: ``SoupError`` with `badSoupName` or `noIndexSpecs`.
    public func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) async throws {
        try await write { try $0.registerSoup(soup, specs) }
    }

    /// Registers the soups that are missing, all in one transaction.
    ///
    /// - Returns: the names of those that were missing.
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

    /// Removes a soup with all its entries; unknown soups are no error.
    public func removeSoup(_ soup: SoupName) async throws { try await write { try $0.removeSoup(soup) } }

    /// Deletes all entries of a soup; ids go on counting.
    public func clearSoup(_ soup: SoupName) async throws { try await write { try $0.clearSoup(soup) } }

    /// The names of all soups, sorted.
    public func soupNames() async throws -> [SoupName] { try await read { try $0.soupNames() } }

    /// Whether a soup of that name is registered.
    public func soupExists(_ soup: SoupName) async throws -> Bool { try await read { try $0.soupExists(soup) } }

    /// The index specs of a soup, in the order of registration.
    public func indexSpecs(of soup: SoupName) async throws -> [IndexSpec] {
        try await read { try $0.indexSpecs(of: soup) }
    }
}
