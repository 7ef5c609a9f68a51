// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Writes the rows of a query as JSON arrays, directly from SQLite's column values.
///
/// A column with entries is identified by its name, which an app can also use for other columns. Therefore only an
/// object in it is treated as an entry; other texts are written as texts.
struct RowReader {
    private let statement: RawStatement
    /// Whether a column contains a whole entry, which is written as an object instead of a text.
    private let isEntry: [Bool]
    /// The columns of the system fields if a row is a whole row of a soup's table, as for `select *`.
    private let system: (id: Int, lastModified: Int)?

    /// - Parameter leavingOut: the number of columns at the end that are not part of the row.
    init(_ statement: RawStatement, entryColumns: Set<String>, leavingOut: Int = 0) {
        self.statement = statement
        let count = statement.columnCount - leavingOut
        isEntry = (0..<count).map { column in
            let name = statement.columnName(column)
            if name == "soup" || entryColumns.contains(name) { return true }
            // SQLite distinguishes columns of the same name by `:1`, `:2`.
            guard let colon = name.lastIndex(of: ":"), Int(name[name.index(after: colon)...]) != nil else {
                return false
            }
            let base = String(name[..<colon])
            return base == "soup" || entryColumns.contains(base)
        }
        let names = (0..<count).map(statement.columnName)
        if let id = names.firstIndex(of: "id"), let modified = names.firstIndex(of: "lastModified"),
            names.contains("soup"), !names.contains(where: { $0.hasPrefix("soup:") })
        {
            system = (id, modified)
        } else {
            system = nil
        }
    }

    func row() -> JSONText {
        var output: [UInt8] = [UInt8(ascii: "[")]
        for column in isEntry.indices {
            if column > 0 { output.append(UInt8(ascii: ",")) }
            append(column, to: &output)
        }
        output.append(UInt8(ascii: "]"))
        return JSONText(trusted: output[...])
    }

    private func append(_ column: Int, to output: inout [UInt8]) {
        switch statement.type(column) {
        case .null: output += Array("null".utf8)
        case .integer: output += Array(String(statement.integer(column)).utf8)
        case .real: output += Array("\(statement.real(column).clampedToFinite)".utf8)
        case .text:
            let text = statement.bytes(column)
            if isEntry[column], let json = try? JSONText(Array(text)[...]), json.bytes.first == UInt8(ascii: "{") {
                output += whole(json, column).bytes
            } else {
                appendText(text, to: &output)
            }
        case .blob:
            // Blobs have no JSON form, so they are written as hexadecimal digits.
            let digits = statement.blob(column).map { byte in
                let text = String(byte, radix: 16)
                return text.count == 1 ? "0" + text : text
            }
            JSONEscapes.appendQuoted(digits.joined().utf8, to: &output)
        }
    }

    /// Appends a text, which is UTF-8 unless an app created it from a blob.
    private func appendText(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        if String(validating: text, as: UTF8.self) != nil {
            JSONEscapes.appendQuoted(text, to: &output)
        } else {
            JSONEscapes.appendQuoted(String(decoding: text, as: UTF8.self).utf8, to: &output)
        }
    }

    /// Returns the entry with its system fields, which are added if they are missing.
    private func whole(_ json: JSONText, _ column: Int) -> JSONText {
        guard let system, statement.columnName(column) == "soup", statement.type(system.id) == .integer,
            statement.type(system.lastModified) == .integer, json[JSONPath(EntryField.entryId)] == nil,
            json[JSONPath(EntryField.lastModified)] == nil
        else { return json }
        return SoupEntry(
            id: statement.integer(system.id), version: statement.integer(system.lastModified), stored: json
        ).json
    }
}
