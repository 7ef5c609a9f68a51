// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The lines of the result of a bulk query, split into values.
struct CSVLines {
    private var reader: CSVReader

    init(_ bytes: [UInt8]) { reader = CSVReader(lenient: bytes) }

    /// Returns the values of the next line; nil after the last.
    ///
    /// - Throws: ``SoupError`` with `json` for a missing closing quote.
    mutating func next() throws -> [ArraySlice<UInt8>]? {
        do {
            return try reader.nextBytes()
        } catch {
            throw Self.fault(error.message)
        }
    }

    static func fault(_ reason: String) -> SoupError {
        SoupError(.json, "the result of the bulk query cannot be read: \(reason)")
    }
}
