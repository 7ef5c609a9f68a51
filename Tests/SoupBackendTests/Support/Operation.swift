// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// An operation on a store that returns text: the results of its calls, or the code and place of its error.
struct Operation: Sendable, CustomStringConvertible {
    /// One call of a reader or a writer.
    struct Step: Sendable {
        var description: String
        var perform: @Sendable (any StoreWriter) throws -> String

        init(_ description: String, _ perform: @escaping @Sendable (any StoreWriter) throws -> String) {
            self.description = description
            self.perform = perform
        }
    }

    var description: String
    private var work: @Sendable (any StoreBackend) async throws -> [String]

    init(_ description: String, _ work: @escaping @Sendable (any StoreBackend) async throws -> [String]) {
        self.description = description
        self.work = work
    }

    /// Returns an operation with the calls in one transaction.
    ///
    /// - Parameter ending: how the body handles errors, and how it ends.
    static func transaction(_ steps: [Step], ending: Ending) -> Operation {
        Operation("\(ending) " + steps.map(\.description).joined(separator: "; ")) { store in
            try await store.write { writer in
                let results = try steps.map { step in
                    guard ending == .catching else { return try step.perform(writer) }
                    do { return try step.perform(writer) } catch { return text(of: error) }
                }
                if ending == .throwing { throw SoupError("stopped", "the body throws") }
                return results
            }
        }
    }

    /// The end of a transaction.
    enum Ending: Sendable {
        /// The first error ends the body; otherwise it returns.
        case returning
        /// The body catches errors and continues.
        case catching
        /// The body throws after the last call.
        case throwing
    }

    func run(on store: any StoreBackend) async -> [String] {
        do { return try await work(store) } catch { return [Self.text(of: error)] }
    }

    private static func text(of error: any Error) -> String {
        guard let error = error as? SoupError else { return "\(type(of: error)): \(error)" }
        return "error \(error.code) \(error.place?.path ?? "")"
    }
}

extension Operation {
    /// Returns the whole store as text: specs, entries with their dates and values, and the dirty and clean entries.
    ///
    /// The entries are also retrieved by quick reads, which a layered store answers from its front store.
    static let dump = Operation("dump") { store in
        let ids = try await store.read { reader in
            try reader.soupNames().map { soup in
                let all = QuerySpec.all(soup, orderedBy: "_soupEntryId", pageSize: 10_000)
                return (soup: soup, ids: try reader.query(all).entries.map(\.id))
            }
        }
        let retrieved = try await store.quickRead { reader in
            try ids.flatMap { try reader.retrieve($0.ids, from: $0.soup) }.map {
                "retrieved \($0.id)@\($0.version) \($0.stored)"
            }
        }
        return try await retrieved
            + store.read { reader in
                try reader.soupNames().flatMap { soup in
                    let specs = try reader.indexSpecs(of: soup)
                    let system: [JSONPath] = ["_soupEntryId", "_soupCreatedDate", "_soupLastModifiedDate"]
                    let all = QuerySpec.all(
                        soup, orderedBy: "_soupEntryId", selecting: system + specs.map(\.path), pageSize: 10_000)
                    let entries = QuerySpec.all(soup, orderedBy: "_soupEntryId", pageSize: 10_000)
                    let clean = try (specs.map(\.path) + ["k"]).map { path in
                        try reader.cleanValues(at: path, in: soup, writtenBy: nil).map { "\($0.id)=\($0.value)" }
                    }
                    let ids = try reader.query(entries).entries.map(\.id)
                    let copies = try reader.syncedCopies(of: ids, in: soup).sorted { $0.key < $1.key }
                    return ["\(soup): \(specs)", "copies \(copies.map { "\($0.key) \($0.value)" })"]
                        + zip(try reader.query(all).rows, try reader.query(entries).entries).map { row, entry in
                            "\(row) \(entry.id)@\(entry.version) \(entry.stored)"
                        } + ["dirty \(try reader.dirtyIds(in: soup)) clean \(clean)"]
                }
            }
    }
}
