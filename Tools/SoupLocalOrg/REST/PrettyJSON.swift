// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Formatted JSON: two spaces a level, ` : ` between key and value.
enum PrettyJSON {
    /// - Parameter compact: valid JSON without white space.
    static func text(_ compact: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(compact.count * 2)
        var depth = 0
        var isInString = false
        var isEscaped = false
        func line(_ output: inout [UInt8], _ depth: Int) {
            output.append(0x0A)
            for _ in 0..<depth { output += [0x20, 0x20] }
        }
        for (index, byte) in compact.enumerated() {
            if isInString {
                output.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                output.append(byte)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                output.append(byte)
                let next = index + 1 < compact.count ? compact[index + 1] : 0
                depth += 1
                if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { line(&output, depth) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                let previous = index > 0 ? compact[index - 1] : 0
                if previous != UInt8(ascii: "{"), previous != UInt8(ascii: "[") { line(&output, depth) }
                output.append(byte)
            case UInt8(ascii: ","):
                output.append(byte)
                line(&output, depth)
            case UInt8(ascii: ":"): output += Array(" : ".utf8)
            default: output.append(byte)
            }
        }
        return output
    }
}
