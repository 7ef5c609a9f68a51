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

    /// Gives a soup other index specs; entries, ids and dates stay, and indexes of specs that stay are not built anew.
    ///
    /// Once it has begun it is finished, by the next open when the process ends in the middle.
    ///
    /// - Parameter reIndex: whether specs that are new get their values from the entries; without it their paths find
    ///   nothing before ``reIndexSoup(_:paths:)``.
    /// - Throws: ``SoupError``: `soupNotFound`, `noIndexSpecs`, `notSupported`; then nothing has changed.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool = true) async throws {
        try await backend.alterSoup(soup, to: specs, reIndex: reIndex)
    }

    /// Takes the index values of paths from the entries again; paths that are not indexed are passed over.
    ///
    /// Nobody sees a part of it; once it has begun it is finished, as ``alterSoup(_:to:reIndex:)``.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `notSupported`.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await backend.reIndexSoup(soup, paths: paths)
    }

    /// Removes a soup with all its entries; unknown soups are no error.
    public func removeSoup(_ soup: SoupName) async throws { try await write { try $0.removeSoup(soup) } }

    /// Deletes all entries of a soup; ids go on counting.
    public func clearSoup(_ soup: SoupName) async throws { try await write { try $0.clearSoup(soup) } }

    /// The names of all soups, sorted.
    public func soupNames() async throws -> [SoupName] { try await backend.quickRead { try $0.soupNames() } }

    /// Whether a soup of that name is registered.
    public func soupExists(_ soup: SoupName) async throws -> Bool {
        try await backend.quickRead { try $0.soupExists(soup) }
    }

    /// The index specs of a soup, in the order of registration.
    public func indexSpecs(of soup: SoupName) async throws -> [IndexSpec] {
        try await backend.quickRead { try $0.indexSpecs(of: soup) }
    }
}
