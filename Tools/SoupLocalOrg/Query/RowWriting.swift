// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Writes rows of a plan as JSON objects.
struct RowWriting {
    let db: Database
    /// Where URLs of rows start: `/services/data/v60.0`.
    let apiPath: String

    /// Rows that were written, each as a range of the output.
    ///
    /// A row that is gone has none.
    struct Written {
        var output = JSONOutput()
        var ranges: [Range<Int>?]

        init(count: Int) { ranges = Array(repeating: nil, count: count) }

        func bytes(_ index: Int) -> ArraySlice<UInt8>? { ranges[index].map { output.bytes[$0] } }
    }

    /// What a child query found for one parent.
    struct ChildSet {
        var rows: [Int64] = []
        /// Where the rows that fit into the page are among all rows that were written.
        var written = 0..<0
        /// Leads to the rows that did not fit.
        var next: String?
    }

    /// The numbers as SQL takes them.
    static func json(_ rows: some Sequence<Int64>) -> CellValue {
        .text("[" + rows.map(String.init).joined(separator: ",") + "]")
    }

    /// Reads rows and writes them, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - limit: how many children of one row are written.
    ///   - cursor: makes the URL that leads to the children beyond, of all the children of a row.
    func write(
        _ plan: QueryPlan, _ rows: [Int64], limit: Int, cursor: (QueryPlan, [Int64], Int) -> String
    ) throws -> Written {
        let children = try plan.children.map { try childSets(of: $0.plan, rows) }
        return try write(plan, rows, children, limit: limit, cursor: cursor)
    }

    /// Rows as one JSON array, in the order of their numbers.
    func array(_ plan: QueryPlan, _ rows: [Int64]) throws -> [UInt8] {
        let written = try write(plan, rows, limit: 2000) { _, _, _ in "" }
        var output = JSONOutput()
        output.append(array: written.ranges.indices.compactMap(written.bytes))
        return output.bytes
    }

    /// The children of each row, by one statement.
    func childSets(of plan: QueryPlan, _ parents: [Int64]) throws -> [ChildSet] {
        var sets = Array(repeating: ChildSet(), count: parents.count)
        let statement = try OrgStatement(db, plan.find.text, [Self.json(parents)] + plan.find.values)
        try statement.forEach { row in sets[Int(row.int(0))].rows.append(row.int(1)) }
        return sets
    }

    /// As ``write(_:_:limit:cursor:)``, with the children found already.
    func write(
        _ plan: QueryPlan, _ rows: [Int64], _ found: [[ChildSet]], limit: Int,
        cursor: (QueryPlan, [Int64], Int) -> String
    ) throws -> Written {
        var children: [(sets: [ChildSet], written: Written)] = []
        for (child, sets) in zip(plan.children, found) {
            var sets = sets
            var all: [Int64] = []
            for index in sets.indices {
                let shown = sets[index].rows.prefix(limit)
                sets[index].written = all.count..<all.count + shown.count
                if shown.count < sets[index].rows.count {
                    sets[index].next = cursor(child.plan, sets[index].rows, shown.count)
                }
                all += shown
            }
            if child.plan.isForView || child.plan.isForReference { try noteRead(child.plan, all) }
            children.append((sets, try write(child.plan, all, limit: limit, cursor: cursor)))
        }
        var written = Written(count: rows.count)
        written.output.reserve(rows.count * 600)
        let head = OutputHead(plan.object, apiPath)
        let plain = PlainRow(plan.items)
        let statement = try OrgStatement(db, plan.read, [Self.json(rows)])
        try statement.forEach { row in
            let start = written.output.bytes.count
            let key = Int(row.int(plan.keyColumn))
            head.open(row, 0, &written.output)
            if let plain {
                plain.append(row, to: &written.output)
            } else {
                for item in plan.items {
                    append(item, row, &written.output) { index, output in
                        Self.append(children[index].sets[key], children[index].written, &output)
                    }
                }
            }
            written.output.append(UInt8(ascii: "}"))
            written.ranges[key] = start..<written.output.bytes.count
        }
        return written
    }

    private func append(
        _ item: OutputItem, _ row: OrgStatement, _ output: inout JSONOutput,
        _ children: (Int, inout JSONOutput) -> Void
    ) {
        output.append(UInt8(ascii: ","))
        switch item {
        case .value(let key, let type, let column):
            output.append(key)
            guard type == .base64, !row.isNull(column) else { return output.append(row, column, type) }
            output.append(UInt8(ascii: "\""))
            output.append(Array(apiPath.utf8))
            row.withBytes(column) { output.append($0) }
            output.append(UInt8(ascii: "\""))
        case .parent(let key, let object, let idColumn, let items):
            output.append(key)
            let found = row.text(idColumn).flatMap { object ?? polymorphic($0) }
            guard let found else { return output.append("null") }
            append(found, idColumn, items, row, &output, children)
        case .typeOf(let key, let idColumn, let branches, let otherwise):
            output.append(key)
            guard let found = row.text(idColumn).flatMap({ polymorphic($0) }),
                let items = branches[found.name] ?? otherwise
            else { return output.append("null") }
            append(found, idColumn, items, row, &output, children)
        case .children(let key, let index):
            output.append(key)
            children(index, &output)
        case .address(let key, let parts):
            output.append(key)
            if parts.allSatisfy({ row.isNull($0.column) }) { return output.append("null") }
            for (index, part) in parts.enumerated() {
                output.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
                output.append(part.key)
                output.append(row, part.column, part.type)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private func append(
        _ parent: OrgObject, _ idColumn: Int, _ items: [OutputItem], _ row: OrgStatement, _ output: inout JSONOutput,
        _ children: (Int, inout JSONOutput) -> Void
    ) {
        OutputHead(parent, apiPath).open(row, idColumn, &output)
        for item in items { append(item, row, &output, children) }
        output.append(UInt8(ascii: "}"))
    }

    /// Finds the object of an id; set when plans may have polymorphic parents.
    var polymorphic: (String) -> OrgObject? = { _ in nil }
    /// Told of the rows of child queries that are read to be viewed or referenced.
    var noteRead: (QueryPlan, [Int64]) throws -> Void = { _, _ in }

    private static func append(_ set: ChildSet, _ written: Written, _ output: inout JSONOutput) {
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

/// The beginning of a row: its attributes.
struct OutputHead {
    private let beforeId: [UInt8]

    init(_ object: OrgObject, _ apiPath: String) {
        beforeId = Array(
            "{\"attributes\":{\"type\":\"\(object.name)\",\"url\":\"\(apiPath)/sobjects/\(object.name)/".utf8)
    }

    func open(_ row: OrgStatement, _ idColumn: Int, _ output: inout JSONOutput) {
        output.append(beforeId)
        row.withBytes(idColumn) { output.append($0) }
        output.append("\"}")
    }
}
