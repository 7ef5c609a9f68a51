// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SmartSQL {
    /// Returns a text as an SQL literal: in single quotes, with inner quotes doubled, whatever character follows them.
    public static func literal(_ text: String) -> String {
        var output = Array("'".utf8)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { output.append(byte) }
            output.append(byte)
        }
        return String(decoding: output + Array("'".utf8), as: UTF8.self)
    }
}
