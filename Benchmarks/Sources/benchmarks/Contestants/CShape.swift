// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import SoupCore

/// The soup's columns in the form that the C code needs: pointers to text with a fixed address.
final class CShape {
    let columns: UnsafeMutableBufferPointer<cb_column>
    private var texts: [UnsafeMutablePointer<CChar>] = []

    /// The members that the C code adds to every record.
    static let stamps = """
        "__local__":false,"__locally_created__":false,"__locally_updated__":false,"__locally_deleted__":false,\
        "__sync_id__":\(BenchmarkSoup.syncId)
        """
    /// The index of the column of the local flag, which is stamped.
    static let dirty = BenchmarkSoup.indexes.count - 1

    /// - Parameter names: a column name for each of the soup's indexes.
    init(_ names: [String]) {
        columns = .allocate(capacity: BenchmarkSoup.indexes.count)
        for (index, spec) in BenchmarkSoup.indexes.enumerated() {
            let column = cb_column(
                key: keep(spec.path.rawValue), column: keep(names[index]),
                kind: spec.kind == .floating ? CB_REAL : CB_TEXT, stamped: index == Self.dirty ? keep("false") : nil)
            columns.initializeElement(at: index, to: column)
        }
    }

    deinit {
        for text in texts { text.deallocate() }
        columns.deallocate()
    }

    /// Returns a copy of the text that exists as long as this shape.
    func keep(_ text: String) -> UnsafePointer<CChar> {
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        texts.append(copy)
        return UnsafePointer(copy)
    }
}
