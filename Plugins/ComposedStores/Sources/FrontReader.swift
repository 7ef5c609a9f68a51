// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A reader that retrieves entries from the front store, and can answer nothing else.
///
/// If a body calls another method, or retrieves an entry that the front store does not have, it is run again on the
/// back store, even if it catches the error.
final class FrontReader: StoreReader {
    private struct NeedsBack: Error {}

    private let front: any StoreReader
    private let contents: FrontContents
    private var needsBack = false

    private init(_ front: any StoreReader, _ contents: FrontContents) {
        self.front = front
        self.contents = contents
    }

    /// - Throws: the errors of the body, or another error if it needs the back store.
    static func run<T>(
        _ body: (any StoreReader) throws -> T, on front: any StoreReader, with contents: FrontContents
    ) throws -> T {
        let reader = FrontReader(front, contents)
        let result = try body(reader)
        if reader.needsBack { throw NeedsBack() }
        return result
    }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        guard contents.contains(soup) else { return try unanswered() }
        let entries = try? front.retrieve(ids, from: soup)
        // A missing ID is rare, and the entry may be a damaged one.
        guard let entries, entries.count == ids.count || entries.count == Set(ids).count else {
            return try unanswered()
        }
        return entries
    }

    private func unanswered<T>() throws -> T {
        needsBack = true
        throw NeedsBack()
    }

    func soupNames() throws -> [SoupName] { try unanswered() }
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try unanswered() }
    func generation(of soup: SoupName) throws -> String { try unanswered() }
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? { try unanswered() }
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage { try unanswered() }
    func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> { try unanswered() }
    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage> {
        try unanswered()
    }
    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws {
        try unanswered() as Void
    }
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] { try unanswered() }
    func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        try unanswered()
    }
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int { try unanswered() }
    func dirtyIds(in soup: SoupName) throws -> [Int64] { try unanswered() }
    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] { try unanswered() }
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] { try unanswered() }
}
