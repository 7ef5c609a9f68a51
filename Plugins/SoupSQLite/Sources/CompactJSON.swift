// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// JSON text without white space and unnecessary escapes, so that equal arrays are equal texts.
enum CompactJSON {
    /// - Parameter json: one valid JSON value.
    static func text(of json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        var position = 0
        while position < json.count {
            let byte = json[position]
            if byte == UInt8(ascii: "\"") {
                let end = endOfString(in: json, from: position)
                let string = json[position..<end]
                if string.contains(UInt8(ascii: "\\")) {
                    JSONEscapes.appendQuoted((JSONText(trusted: string).string ?? "").utf8, to: &output)
                } else {
                    output += string
                }
                position = end
            } else {
                if byte > 0x20 { output.append(byte) }
                position += 1
            }
        }
        return output
    }

    /// Returns the position after the closing quote of the string that begins at `start`.
    private static func endOfString(in json: [UInt8], from start: Int) -> Int {
        var position = start + 1
        while position < json.count, json[position] != UInt8(ascii: "\"") {
            position += json[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, json.count)
    }
}
