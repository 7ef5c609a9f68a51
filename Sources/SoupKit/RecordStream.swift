// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The records of a text that arrives in pieces: one object, an array of objects, or one object per line.
///
/// It holds the current piece and the incomplete record, and returns records in batches of bounded size.
package struct RecordStream {
    /// The maximum number of records in a batch, and the number of bytes after which a batch ends.
    package static let batchCount = 500
    package static let batchBytes = 1_000_000

    private enum Form { case unknown, list, lines }

    private let read: () throws -> [UInt8]
    private var form = Form.unknown
    private var bytes: [UInt8] = []
    /// The number of bytes of `bytes` that are already processed.
    private var position = 0
    /// The position of the first byte of `bytes` in the whole text.
    private var line = 1
    private var column = 1
    /// Whether the white space that was skipped last contains the end of a line.
    private var hasCrossedLine = false
    private var isAtEnd = false
    private var isClosed = false
    /// The maximum number of bytes that were held at once.
    package private(set) var peak = 0

    /// - Parameter read: returns the next piece; an empty one at the end.
    package init(reading read: @escaping () throws -> [UInt8]) { self.read = read }

    /// Returns the next records; nil after the last one.
    ///
    /// - Throws: ``SoupError`` with `json` and the place in the whole text; the errors of `read`.
    package mutating func next() throws -> [JSONText]? {
        var batch: [JSONText] = []
        var size = 0
        while batch.count < Self.batchCount, size < Self.batchBytes, let record = try nextRecord() {
            size += record.bytes.count
            batch.append(record)
        }
        return batch.isEmpty ? nil : batch
    }

    private mutating func nextRecord() throws -> JSONText? {
        if isClosed { return try end() }
        var needsSeparator = form != .unknown
        if form == .unknown {
            guard let first = try peekByte() else {
                throw failure(
                    "standard input is empty",
                    hint: "Pass one object, an array of objects, or one object per line.")
            }
            if first == 0xEF { throw failure(.byteOrderMark) }
            form = first == UInt8(ascii: "[") ? .list : .lines
            if form == .list {
                position += 1
                if try peekByte() == UInt8(ascii: "]") { return try close() }
            }
            needsSeparator = false
        }
        hasCrossedLine = false
        guard let byte = try peekByte() else {
            if form == .lines { return nil }
            throw failure(.unexpectedEnd)
        }
        if needsSeparator, form == .list {
            if byte == UInt8(ascii: "]") { return try close() }
            guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte) }
            position += 1
            guard try peekByte() != nil else { throw failure(.unexpectedEnd) }
        } else if needsSeparator {
            guard hasCrossedLine else { throw failure(.trailingBytes) }
        }
        return try record()
    }

    /// Checks that only white space follows the array.
    private mutating func close() throws -> JSONText? {
        position += 1
        isClosed = true
        return try end()
    }

    private mutating func end() throws -> JSONText? {
        guard try peekByte() == nil else { throw failure(.trailingBytes) }
        return nil
    }

    /// Returns the value that begins at the position, which must be an object.
    private mutating func record() throws -> JSONText {
        var length = 0
        var scan = ValueScan()
        while !scan.isOver {
            while position + length < bytes.count, !scan.isOver {
                if scan.takes(bytes[position + length]) { length += 1 }
            }
            guard try scan.isOver || fill() else { break }
        }
        // Includes the byte that caused the error, so that the JSON parser can report it.
        let isBroken = scan.isInside || length == 0
        let end = min(bytes.count, position + length + (isBroken ? 1 : 0))
        let text = Array(bytes[position..<end])
        do {
            let record = try JSONText(text[...])
            guard record.bytes.first == UInt8(ascii: "{") else {
                throw failure(
                    "expected an object", hint: "Pass one object, an array of objects, or one object per line.")
            }
            position += length
            return record
        } catch let error as JSONError {
            throw failure(error.reason, at: error.offset)
        }
    }

    /// Returns the next byte that is not white space; nil at the end.
    private mutating func peekByte() throws -> UInt8? {
        while true {
            while position < bytes.count {
                if bytes[position] > 0x20 { return bytes[position] }
                if bytes[position] == 0x0A { hasCrossedLine = true }
                position += 1
            }
            guard try fill() else { return nil }
        }
    }

    /// Reads the next piece, and drops the processed bytes.
    private mutating func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        let piece = try read()
        guard !piece.isEmpty else {
            isAtEnd = true
            return false
        }
        let done = bytes[..<position]
        if let lastBreak = done.lastIndex(of: UInt8(ascii: "\n")) {
            line += done.count { $0 == UInt8(ascii: "\n") }
            column = done.endIndex - lastBreak
        } else {
            column += done.count
        }
        bytes.removeFirst(position)
        position = 0
        bytes += piece
        peak = max(peak, bytes.count)
        return true
    }

    private func failure(_ reason: JSONError.Reason, at offset: Int = 0) -> SoupError {
        failure("not JSON: \(reason.rawValue)", hint: JSONError(reason, at: offset).hint, at: offset)
    }

    /// Returns an error at an offset after the position.
    private func failure(
        _ message: String, hint: String? = nil, at offset: Int = 0
    ) -> SoupError {
        var place = SoupError.Place(file: "standard input", offset: min(position + offset, bytes.count), in: bytes)
        if place.line == 1 { place.column = (place.column ?? 1) + column - 1 }
        place.line = (place.line ?? 1) + line - 1
        return SoupError(.json, message, place: place, hint: hint)
    }
}

/// Finds the end of a value that begins with the first byte, without checking the value.
private struct ValueScan {
    /// Whether the end was found.
    private(set) var isOver = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Whether a string, an object or an array has not ended.
    var isInside: Bool { isInString || depth > 0 }

    /// Returns whether the next byte is part of the value.
    mutating func takes(_ byte: UInt8) -> Bool {
        if isInString { return takesInString(byte) }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            isOver = depth <= 1
            if depth == 0 { return false }
            depth -= 1
        case UInt8(ascii: ","), 0x0A:
            isOver = depth == 0
            return depth > 0
        default: break
        }
        return true
    }

    private mutating func takesInString(_ byte: UInt8) -> Bool {
        // A line ends inside a string only if a quote is missing; the text after it is not part of the string.
        if byte < 0x20 {
            isOver = true
            return false
        }
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            isOver = depth == 0
        }
        return true
    }
}
