// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of a configuration file, read as JSON, and the places of its values.
package struct ConfigurationDocument: Sendable {
    private let file: String
    private let bytes: [UInt8]
    /// The file as JSON; nil if it is not JSON, for which ``located(_:)`` reports the reason.
    package let json: JSONValue?
    /// The JSON as it is written in the file; nil when the file is not JSON.
    package var text: JSONText? { json == nil ? nil : try? JSONText(bytes[...]) }
    private var problems: [ConfigurationProblem] = []

    /// Creates a document from the bytes of a file.
    ///
    /// - Parameter file: the name of the file in problems.
    package init(_ bytes: [UInt8], file: String) {
        self.file = file
        self.bytes = Self.withoutByteOrderMark(bytes)
        do {
            json = try JSONValue(parsing: self.bytes)
        } catch {
            json = nil
            problems = [Self.problem(error, in: self.bytes, of: file)]
        }
    }

    /// Returns the bytes with a byte order mark replaced by spaces, so that offsets stay the same.
    ///
    /// Editors on some platforms write this mark, which JSON does not allow.
    private static func withoutByteOrderMark(_ bytes: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.starts(with: mark) ? Array("   ".utf8) + bytes.dropFirst(mark.count) : bytes
    }

    /// Completes the places of problems that were found in this file, and sorts them in the order of the text.
    ///
    /// The result includes the problems of the text itself: it is not JSON, or an object contains a key twice with
    /// different values. SoupKit would read the first value and the mobile SDKs the last, so neither is used. The same
    /// value twice is not a problem.
    package func located(_ found: [ConfigurationProblem]) -> [ConfigurationProblem] {
        if json == nil { return problems }
        let locator = JSONLocator(bytes)
        let lines = LineStarts(bytes)
        let repeated = locator.repeatedKeys.filter { !$0.isSameValue }.map { key in
            let first = lines.place(file: file, offset: key.firstOffset, path: key.path)
            return (
                key.offset,
                ConfigurationProblem(
                    .error, code: .json, at: lines.place(file: file, offset: key.offset, path: key.path),
                    "the key occurs twice in its object with different values"
                        + (first.line.map { "; the first one is in line \($0)" } ?? ""),
                    hint: "Remove one of the two.")
            )
        }
        let placed = found.map { problem in
            var problem = problem
            let path = problem.place.path ?? ""
            let offset = locator.offset(of: path)
            problem.place = lines.place(file: file, offset: offset, path: path.isEmpty ? nil : path)
            return (offset, problem)
        }
        let all = (repeated + placed).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
        var seen: Set<ConfigurationProblem> = []
        return all.map(\.element.1).filter { seen.insert($0).inserted }
    }

    private static func problem(_ error: JSONError, in bytes: [UInt8], of file: String) -> ConfigurationProblem {
        let offset = min(error.offset, bytes.count)
        let isEmpty = !bytes.contains { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        return ConfigurationProblem(
            .error, code: .json, at: SoupError.Place(file: file, offset: offset, in: bytes),
            isEmpty ? "the file is empty" : "not JSON: \(error.reason.rawValue)",
            hint: isEmpty ? "Write a JSON object, or remove the file." : hint(error, in: bytes, at: offset))
    }

    /// Returns a hint for the most probable syntax mistake.
    private static func hint(_ error: JSONError, in bytes: [UInt8], at offset: Int) -> String {
        let before = bytes[..<offset].last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        let here = offset < bytes.count ? bytes[offset] : nil
        switch (error.reason, here, before) {
        case (.unexpectedByte, UInt8(ascii: "}"), UInt8(ascii: ",")),
            (.unexpectedByte, UInt8(ascii: "]"), UInt8(ascii: ",")):
            return "Remove the comma before the bracket."
        case (.unexpectedByte, UInt8(ascii: "/"), _), (.unexpectedByte, UInt8(ascii: "#"), _):
            return "Remove the comment: JSON has none."
        case (.unexpectedByte, UInt8(ascii: "'"), _):
            return "Write strings in double quotes."
        case (.unexpectedByte, UInt8(ascii: "\""), _), (.unexpectedByte, UInt8(ascii: "{"), _),
            (.unexpectedByte, UInt8(ascii: "["), _):
            return "Add the missing comma or colon before it, or correct the kind of a bracket."
        case (.unexpectedEnd, _, _):
            return "Close the open bracket or quote."
        case (.trailingBytes, _, _):
            return "Remove what follows, or the bracket that closes the object too early."
        case (.byteOrderMark, _, _), (.utf16, _, _):
            return "Save the file as UTF-8 without a byte order mark."
        case (.controlCharacter, _, _):
            return "Add the missing closing quote, or write the character as an escape such as \\n."
        default:
            return "Correct the text here."
        }
    }
}
