// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// The results of all ways to run a query: the number of rows, the pages by number, and the pages by position.
struct QueryOutcome {
    let text: String

    /// Runs the query in all ways.
    ///
    /// Without an order path the backend chooses the order of pages by number, and positions are in the order of the
    /// IDs.
    init(_ spec: QuerySpec, arguments: [JSONValue], from reader: any StoreReader) throws {
        let count = try Self.outcome { [String(try reader.count(spec, arguments: arguments))] }
        let numbered = try Self.outcome {
            var rows: [String] = []
            var page = 0
            while true {
                let found = try reader.query(spec, page: page, arguments: arguments)
                rows += found.texts.map(\.description)
                page += 1
                if found.count < spec.pageSize { return spec.orderPath == nil ? rows.sorted() : rows }
            }
        }
        let positioned = try Self.outcome {
            var rows: [String] = []
            var position: QueryPosition?
            repeat {
                let found = try reader.query(spec, after: position, arguments: arguments)
                rows += found.page.texts.map(\.description) + ["next \(found.next.map { "\($0.anchor)" } ?? "is none")"]
                position = found.next
            } while position != nil
            return rows
        }
        text = "\(count) rows: \(numbered) by position: \(positioned)"
    }

    private static func outcome(_ work: () throws -> [String]) throws -> [String] {
        do { return try work() } catch let error as SoupError { return ["\(error.code) \(error.place?.path ?? "")"] }
    }
}
