// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that writes pages into a store in its own way.
protocol Contestant: Sendable {
    /// The name in metrics.
    var name: String { get }
    /// The number of runs per round; fast contestants run more than once.
    var repetitions: Int { get }
    /// Creates a store with an empty soup in an empty folder.
    func open(in folder: String) async throws -> any OpenStore
}

/// A type that stores pages.
protocol OpenStore {
    /// The database file, to check its contents afterwards.
    var path: String { get }
    /// The table, and the columns of the external ID, the name, the revenue and the local flag.
    var table: SoupTable { get }
    /// Whether rows contain the records' original text followed by the stamps, and not a newly written text.
    var keepsTexts: Bool { get }
    /// Writes the pages in order, each in a transaction, and leaves the file in the state after a sync.
    func load(_ pages: ResponsePages) async throws
    /// Closes the file.
    func close() async throws
}

/// The name and the definitions of a soup's table.
struct SoupTable: Sendable {
    var name: String
    /// The columns of ``BenchmarkSoup/indexes``, in order.
    var columns: [String]
    /// The statements that create the table and its indexes.
    var definitions: [String] = []
}

/// The error of a contestant that failed.
struct ContestantError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
