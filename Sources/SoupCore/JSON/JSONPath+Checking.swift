// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The checks of paths for indexes and queries.
extension JSONPath {
    /// Whether the path can be indexed and named in a query: it is not empty and contains none of `{`, `}`, `:` and
    /// NUL.
    ///
    /// Smart SQL cannot escape its own punctuation, and SQLite reads no text after a NUL.
    public var isValid: Bool { fault == nil }

    /// Checks ``isValid``.
    ///
    /// - Throws: ``SoupError`` with `badPath` and the fault of the path.
    public func requireValid() throws(SoupError) {
        guard let fault else { return }
        throw SoupError(
            .badPath, "\(JSONEscapes.quoted(rawValue)) cannot be a path: \(fault)",
            hint: rawValue.isEmpty
                ? "Write the keys that lead to the value, with dots between them."
                : "Use a path without {, }, : and NUL, which no query can name.")
    }

    /// A short description of the fault of the path.
    private var fault: String? {
        if rawValue.isEmpty { return "it is empty" }
        let forbidden: [(UInt8, String)] = [
            (UInt8(ascii: "{"), "{"), (UInt8(ascii: "}"), "}"), (UInt8(ascii: ":"), ":"), (0, "NUL"),
        ]
        return forbidden.first { rawValue.utf8.contains($0.0) }.map { "it contains \($0.1)" }
    }

    /// Whether SQLite's `json_extract` can read the path.
    ///
    /// The keys between the dots must not be empty, and each can be followed by subscripts such as `[2]` or `[#-1]`. A
    /// path whose index has its own column need not meet this condition. SQLite itself reports a fault only when it
    /// reads a value there.
    public var isExtractable: Bool { !keys.isEmpty && keys.allSatisfy(Self.isExtractable(key:)) }

    private static func isExtractable(key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard let open = bytes.firstIndex(of: UInt8(ascii: "[")) else { return isExtractable(name: bytes[...]) }
        guard isExtractable(name: bytes[..<open]) else { return false }
        let parts = bytes[open...].split(separator: UInt8(ascii: "["), omittingEmptySubsequences: false).dropFirst()
        return parts.allSatisfy { part in
            guard part.last == UInt8(ascii: "]") else { return false }
            let subscripted = part.dropLast()
            let digits = subscripted.starts(with: "#-".utf8) ? subscripted.dropFirst(2) : subscripted
            return subscripted.elementsEqual("#".utf8)
                || (!digits.isEmpty && digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 })
        }
    }

    /// Returns whether a name is valid; a name in quotes is read without them, an unclosed one is invalid.
    private static func isExtractable(name: ArraySlice<UInt8>) -> Bool {
        let quote = UInt8(ascii: "\"")
        return !name.isEmpty && (name.first != quote || (name.count > 1 && name.last == quote))
    }
}
