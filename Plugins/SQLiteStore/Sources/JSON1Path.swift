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
        guard let open = key.firstIndex(of: "[") else { return isValid(name: key) }
        guard isValid(name: String(key[..<open])) else { return false }
        return key[open...].split(separator: "[", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            guard part.last == "]" else { return false }
            let subscripted = part.dropLast()
            let digits = subscripted.hasPrefix("#-") ? subscripted.dropFirst(2) : subscripted
            return subscripted == "#" || (!digits.isEmpty && digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 })
        }
    }

    /// A name in quotes is taken without them; one that only opens them is none.
    private static func isValid(name: String) -> Bool {
        !name.isEmpty && (!name.hasPrefix("\"") || (name.count > 1 && name.hasSuffix("\"")))
    }
}
