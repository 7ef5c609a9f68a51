// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Paths as `json_extract` reads them: keys between dots, each with subscripts `[2]` or `[#-1]` behind it.
///
/// SQLite finds a fault in a path only when it meets a value there. An index over a faulty path would let writes
/// through until one of them brings that value, and then fail them all.
enum JSON1Path {
    static func isValid(_ path: JSONPath) -> Bool { !path.keys.isEmpty && path.keys.allSatisfy(isValid(key:)) }

    private static func isValid(key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard let open = bytes.firstIndex(of: UInt8(ascii: "[")) else { return isValid(name: bytes[...]) }
        guard isValid(name: bytes[..<open]) else { return false }
        let parts = bytes[open...].split(separator: UInt8(ascii: "["), omittingEmptySubsequences: false).dropFirst()
        return parts.allSatisfy { part in
            guard part.last == UInt8(ascii: "]") else { return false }
            let subscripted = part.dropLast()
            let digits = subscripted.starts(with: "#-".utf8) ? subscripted.dropFirst(2) : subscripted
            return subscripted.elementsEqual("#".utf8)
                || (!digits.isEmpty && digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 })
        }
    }

    /// A name in quotes is taken without them; one that only opens them is none.
    private static func isValid(name: ArraySlice<UInt8>) -> Bool {
        let quote = UInt8(ascii: "\"")
        return !name.isEmpty && (name.first != quote || (name.count > 1 && name.last == quote))
    }
}
