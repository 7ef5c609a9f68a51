// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// One way to bring pages into a store.
protocol Contestant: Sendable {
    /// Names it in metrics.
    var name: String { get }
    /// How often it runs in a round: the fast ones can afford more than one.
    var repetitions: Int { get }
    /// A fresh store with an empty soup, in a folder of its own.
    func open(in folder: String) async throws -> any OpenStore
}

/// A store that takes pages.
protocol OpenStore {
    /// The database file, to look into afterwards.
    var path: String { get }
    /// Its table, and the columns of the external id, the name, the revenue and the local flag.
    var table: SoupTable { get }
    /// Whether rows hold the records' own text, with the stamps behind it, and not a text written anew.
    var keepsTexts: Bool { get }
    /// Writes the pages in order, a transaction each, and leaves behind what a sync leaves behind.
    func load(_ pages: ResponsePages) async throws
    /// Lets go of the file.
    func close() async throws
}

/// How a soup's table is named and built.
struct SoupTable: Sendable {
    var name: String
    /// The columns of ``BenchmarkSoup/indexes``, in order.
    var columns: [String]
    /// The statements that make the table and its indexes.
    var definitions: [String] = []
}

/// A contestant that did not do its work.
struct ContestantError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
