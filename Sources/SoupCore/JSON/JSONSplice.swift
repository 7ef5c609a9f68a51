// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// An editor of an object's members as text: the other members are copied byte for byte.
public enum JSONSplice {
    /// Copies the object `text` to `output`, without some members and with others added at the end.
    ///
    /// - Parameters:
    ///   - text: one JSON object, validated.
    ///   - removing: the members to leave out, each from the quote of its key to the position after its value, as
    ///     offsets from the start of `text`: the `memberStart..<end` of a projection of `text`. In any order, not
    ///     overlapping.
    ///   - adding: names and values to write at the end. A name that is also in the text must be in `removing`.
    public static func append(
        _ text: ArraySlice<UInt8>, removing: [Range<Int>], adding: [(String, JSONText)], to output: inout [UInt8]
    ) {
        let base = text.startIndex
        guard let close = text.lastIndex(of: UInt8(ascii: "}")) else { return }
        var position = base
        for member in removing.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            output += text[position..<base + member.lowerBound]
            position = base + member.upperBound
            while position < close, isWhitespace(text[position]) { position += 1 }
            if text[position] == UInt8(ascii: ",") {
                position += 1
                while position < close, isWhitespace(text[position]) { position += 1 }
            } else {
                trimComma(&output)
            }
        }
        output += text[position..<close]
        var needsComma = !endsWithOpenBrace(output)
        for (name, value) in adding {
            if needsComma { output.append(UInt8(ascii: ",")) }
            needsComma = true
            JSONEscapes.appendQuoted(name.utf8, to: &output)
            output.append(UInt8(ascii: ":"))
            output += value.bytes
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Removes the comma before a member that was the last one.
    private static func trimComma(_ output: inout [UInt8]) {
        while let last = output.last, isWhitespace(last) { output.removeLast() }
        if output.last == UInt8(ascii: ",") { output.removeLast() }
    }

    private static func endsWithOpenBrace(_ output: [UInt8]) -> Bool {
        output.last { !isWhitespace($0) } == UInt8(ascii: "{")
    }
}
