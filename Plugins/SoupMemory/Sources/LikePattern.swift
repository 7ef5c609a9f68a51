// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A pattern of LIKE: `%` matches any text, `_` one character; ASCII letters match either case.
struct LikePattern {
    private let pattern: [Unicode.Scalar]

    init(_ text: String) { pattern = Array(text.unicodeScalars).map(Self.folded) }

    func matches(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.map(Self.folded)
        var (position, next) = (0, 0)
        /// The place to resume if the text does not match the pattern after the last `%`: its position in the pattern,
        /// and in the text.
        var retry: (pattern: Int, text: Int)?
        while position < text.count {
            if next < pattern.count, pattern[next] == "%" {
                retry = (next, position)
                next += 1
            } else if next < pattern.count, pattern[next] == "_" || pattern[next] == text[position] {
                next += 1
                position += 1
            } else if let last = retry {
                retry = (last.pattern, last.text + 1)
                next = last.pattern + 1
                position = last.text + 1
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "%" }
    }

    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        "A"..."Z" ~= scalar ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
    }
}
