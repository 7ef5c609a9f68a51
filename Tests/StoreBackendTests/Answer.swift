// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// What a query answers, without what a backend may choose: the order of rows that are equal in the order asked for.
struct Answer {
    let text: String

    init(_ spec: QuerySpec, _ arguments: [JSONValue], from reader: any StoreReader) throws {
        let count = try reader.count(spec, arguments: arguments)
        var rows: [String] = []
        var page = 0
        while true {
            let found = try reader.query(spec, page: page, arguments: arguments)
            rows += found.texts.map(\.description)
            page += 1
            if found.count < spec.pageSize { break }
        }
        guard let path = spec.orderPath else {
            text = "\(count) rows: \(rows.sorted())"
            return
        }
        var order = spec
        order.selectPaths = [path]
        order.pageSize = 1_000
        text = "\(count) rows: \(rows.sorted()) by \(try reader.query(order).rows)"
    }
}
