// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks the identity of a soup, by which a sync notices that the entries that it fetched are gone.
    func checkGenerations(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let rule = "return another value after the soup was removed and registered again, and the same one otherwise"
        let found = await report.expect("the suite removed a soup and registered it again, and the store", rule: rule) {
            let first = try await Self.registered(in: store)
            let kept = try await store.write { writer in
                _ = try writer.upsert(RecordBatch([try JSONText(#"{"name": "a"}"#)]), into: "lives")
                try writer.clearSoup("lives")
                return try writer.generation(of: "lives")
            }
            try await store.write { try $0.removeSoup("lives") }
            let renewed = try await Self.registered(in: store)
            let foreign = try await foreignGeneration()
            return (first: first, kept: kept, renewed: renewed, foreign: foreign)
        }
        // The empty text means that the backend does not know the identity.
        guard let found, !found.first.isEmpty else { return }
        report.require(
            found.kept == found.first, "generation(of:) changed with a write or a clear: \(rule)")
        report.require(
            found.renewed != found.first, "generation(of:) is the same for a soup that was registered again: \(rule)")
        report.require(
            found.foreign != found.first && found.foreign != found.renewed,
            "generation(of:) is the same in another store, so a store that was replaced by it is not noticed: add an identity "
                + "of the store")
    }

    /// The identity of the soup in another store; nil if `open` opens the same data each time.
    private func foreignGeneration() async throws -> String? {
        let other = try await open()
        guard try await !other.read({ try $0.soupExists("lives") }) else { return nil }
        let foreign = try await Self.registered(in: other)
        try await other.close()
        return foreign
    }

    private static func registered(in store: any StoreBackend) async throws -> String {
        try await store.write { writer in
            try writer.registerSoup("lives", [IndexSpec("name", .string)])
            return try writer.generation(of: "lives")
        }
    }
}
