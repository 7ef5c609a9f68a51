// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Writes rows of a plan as JSON objects.
struct QueryRowWriter {
    let db: Database
    /// The beginning of the URLs of rows: `/services/data/v60.0`.
    let apiPath: String

    /// Written rows, each as a range of the output.
    ///
    /// A row that no longer exists has no range.
    struct Written {
        var output = JSONOutput()
        var ranges: [Range<Int>?]

        init(count: Int) { ranges = Array(repeating: nil, count: count) }

        func bytes(_ index: Int) -> ArraySlice<UInt8>? { ranges[index].map { output.bytes[$0] } }
    }

    /// The result of a child query for one parent.
    struct ChildSet {
        var rows: [Int64] = []
        /// The range of the rows of this page among all written rows.
        var written = 0..<0
        /// The URL of the remaining rows.
        var next: String?
    }

    /// Returns the numbers as an SQL parameter.
    static func json(_ rows: some Sequence<Int64>) -> CellValue {
        .text("[" + rows.map(String.init).joined(separator: ",") + "]")
    }

    /// Reads rows and writes them, in the order of their numbers.
    ///
    /// - Parameters:
    /// - limit: the maximum number of written children of one row.
    /// - cursor: returns the URL of the remaining children from all the children of a row.
    func write(
        _ plan: QueryPlan, _ rows: [Int64], limit: Int, cursor: (QueryPlan, [Int64], Int) -> String
    ) throws -> Written {
        let children = try plan.children.map { try childSets(of: $0.plan, rows) }
        return try write(plan, rows, children: children, limit: limit, cursor: cursor)
    }

    /// Returns rows as one JSON array, in the order of their numbers.
    func array(_ plan: QueryPlan, _ rows: [Int64]) throws -> [UInt8] {
        let written = try write(plan, rows, limit: 2000) { _, _, _ in "" }
        var output = JSONOutput()
        output.append(array: written.ranges.indices.compactMap(written.bytes))
        return output.bytes
    }

    /// Returns the children of each row, with one statement.
    func childSets(of plan: QueryPlan, _ parents: [Int64]) throws -> [ChildSet] {
        var sets = Array(repeating: ChildSet(), count: parents.count)
        let statement = try db.statement(plan.find.text, [Self.json(parents)] + plan.find.values)
        try statement.forEach { row in sets[Int(row.int(0))].rows.append(row.int(1)) }
        return sets
    }

    /// As ``write(_:_:limit:cursor:)``, with the children that were already found.
    func write(
        _ plan: QueryPlan, _ rows: [Int64], children found: [[ChildSet]], limit: Int,
        cursor: (QueryPlan, [Int64], Int) -> String
    ) throws -> Written {
        let children = try zip(plan.children, found).map { child, sets in
            try write(sets, of: child.plan, limit: limit, cursor: cursor)
        }
        var written = Written(count: rows.count)
        written.output.reserve(rows.count * 600)
        let head = OutputHead(plan.object, apiPath)
        let plain = PlainRow(plan.items)
        let statement = try db.statement(plan.read, [Self.json(rows)])
        try statement.forEach { row in
            let start = written.output.bytes.count
            let key = Int(row.int(plan.keyColumn))
            head.open(row, idColumn: 0, to: &written.output)
            if let plain {
                plain.append(row, to: &written.output)
            } else {
                for item in plan.items {
                    append(item, of: row, to: &written.output) { index, output in
                        Self.append(children[index].sets[key], from: children[index].written, to: &output)
                    }
                }
            }
            written.output.append(UInt8(ascii: "}"))
            written.ranges[key] = start..<written.output.bytes.count
        }
        return written
    }

    /// Writes the children of all rows at once, and notes the position of each row's own.
    private func write(
        _ sets: [ChildSet], of plan: QueryPlan, limit: Int, cursor: (QueryPlan, [Int64], Int) -> String
    ) throws -> (sets: [ChildSet], written: Written) {
        var sets = sets
        var all: [Int64] = []
        for index in sets.indices {
            let shown = sets[index].rows.prefix(limit)
            sets[index].written = all.count..<all.count + shown.count
            if shown.count < sets[index].rows.count {
                sets[index].next = cursor(plan, sets[index].rows, shown.count)
            }
            all += shown
        }
        if plan.isForView || plan.isForReference { try noteRead(plan, all) }
        return (sets, try write(plan, all, limit: limit, cursor: cursor))
    }

    private func append(
        _ item: OutputItem, of row: OrgStatement, to output: inout JSONOutput,
        _ children: (Int, inout JSONOutput) -> Void
    ) {
        output.append(UInt8(ascii: ","))
        switch item {
        case .value(let key, let type, let column):
            output.append(key)
            guard type == .base64, !row.isNull(column) else { return output.append(row, column: column, type: type) }
            output.append(UInt8(ascii: "\""))
            output.append(Array(apiPath.utf8))
            row.withBytes(column) { output.append($0) }
            output.append(UInt8(ascii: "\""))
        case .parent(let key, let object, let idColumn, let items):
            output.append(key)
            let found = row.text(idColumn).flatMap { object ?? polymorphic($0) }
            guard let found else { return output.append("null") }
            append(found, idColumn: idColumn, items: items, of: row, to: &output, children)
        case .typeOf(let key, let idColumn, let branches, let otherwise):
            output.append(key)
            guard let found = row.text(idColumn).flatMap({ polymorphic($0) }),
                let items = branches[found.name] ?? otherwise
            else { return output.append("null") }
            append(found, idColumn: idColumn, items: items, of: row, to: &output, children)
        case .children(let key, let index):
            output.append(key)
            children(index, &output)
        case .address(let key, let parts):
            output.append(key)
            if parts.allSatisfy({ row.isNull($0.column) }) { return output.append("null") }
            for (index, part) in parts.enumerated() {
                output.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
                output.append(part.key)
                output.append(row, column: part.column, type: part.type)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private func append(
        _ parent: OrgObject, idColumn: Int, items: [OutputItem], of row: OrgStatement, to output: inout JSONOutput,
        _ children: (Int, inout JSONOutput) -> Void
    ) {
        OutputHead(parent, apiPath).open(row, idColumn: idColumn, to: &output)
        for item in items { append(item, of: row, to: &output, children) }
        output.append(UInt8(ascii: "}"))
    }

    /// Finds the object of an ID; set if plans may have polymorphic parents.
    var polymorphic: (String) -> OrgObject? = { _ in nil }
    /// Called with the rows of child queries that count as viewed or referenced.
    var noteRead: (QueryPlan, [Int64]) throws -> Void = { _, _ in }

    private static func append(_ set: ChildSet, from written: Written, to output: inout JSONOutput) {
        let present = set.written.compactMap { written.bytes($0) }
        if set.rows.isEmpty || (present.isEmpty && set.next == nil) { return output.append("null") }
        output.append("{\"totalSize\":")
        output.append(set.next == nil ? present.count : set.rows.count)
        output.append(set.next == nil ? ",\"done\":true" : ",\"done\":false")
        if let next = set.next {
            output.append(",\"nextRecordsUrl\":")
            output.append(json: .string(next))
        }
        output.append(",\"records\":[")
        for (index, bytes) in present.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append(bytes)
        }
        output.append("]}")
    }
}

/// Writes the beginning of a row: its attributes.
struct OutputHead {
    private let beforeId: [UInt8]

    init(_ object: OrgObject, _ apiPath: String) {
        beforeId = Array(
            "{\"attributes\":{\"type\":\"\(object.name)\",\"url\":\"\(apiPath)/sobjects/\(object.name)/".utf8)
    }

    func open(_ row: OrgStatement, idColumn: Int, to output: inout JSONOutput) {
        output.append(beforeId)
        row.withBytes(idColumn) { output.append($0) }
        output.append("\"}")
    }
}
