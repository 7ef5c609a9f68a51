// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Formatted JSON: two spaces a level, ` : ` between key and value.
enum PrettyJSON {
    /// - Parameter compact: valid JSON without white space.
    static func text(_ compact: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(compact.count * 2)
        var depth = 0
        var string = StringState()
        for (index, byte) in compact.enumerated() {
            if string.contains(byte) {
                output.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                output.append(byte)
                depth += 1
                let next = index + 1 < compact.count ? compact[index + 1] : 0
                if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { beginLine(at: depth, in: &output) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                let previous = index > 0 ? compact[index - 1] : 0
                if previous != UInt8(ascii: "{"), previous != UInt8(ascii: "[") { beginLine(at: depth, in: &output) }
                output.append(byte)
            case UInt8(ascii: ","):
                output.append(byte)
                beginLine(at: depth, in: &output)
            case UInt8(ascii: ":"): output += Array(" : ".utf8)
            default: output.append(byte)
            }
        }
        return output
    }

    private static func beginLine(at depth: Int, in output: inout [UInt8]) {
        output.append(0x0A)
        for _ in 0..<depth { output += [0x20, 0x20] }
    }

    /// Whether the bytes of a text are inside of a string.
    private struct StringState {
        private var isOpen = false
        private var isEscaped = false

        /// Whether the next byte of the text is part of a string, quotes included.
        mutating func contains(_ byte: UInt8) -> Bool {
            guard isOpen else {
                isOpen = byte == UInt8(ascii: "\"")
                return isOpen
            }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isOpen = false
            }
            return true
        }
    }
}
