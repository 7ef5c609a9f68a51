// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The head of a response, read line by line.
///
/// Interim responses (1xx) are ignored. Lines after the end of the final head are trailers, and ignored as well.
struct AnswerHead {
    /// The limit for all lines of an exchange together, including interim responses and trailers.
    static let maximumBytes = 256 * 1024

    /// The state of the head after a line.
    enum Progress: Equatable {
        /// More lines follow.
        case incomplete
        /// The line completes the final head.
        case completed
        /// The lines are longer than ``maximumBytes``.
        case tooLong
    }

    var response: HTTPResponse?
    private(set) var isComplete = false
    private var bytes = 0

    /// Reads a line with its end.
    mutating func add(_ line: [UInt8]) -> Progress {
        bytes += line.count
        guard bytes <= Self.maximumBytes else { return .tooLong }
        guard !isComplete else { return .incomplete }
        let text = line[...].trimmingEnd
        if text.isEmpty { return end() }
        if let status = Self.status(of: text) {
            response = HTTPResponse(status: .init(code: status))
        } else if text.first?.isBlank == true {
            extend(by: text)
        } else {
            append(text)
        }
        return .incomplete
    }

    private mutating func end() -> Progress {
        guard let status = response?.status.code, status >= 200 else {
            response = nil
            return .incomplete
        }
        isComplete = true
        return .completed
    }

    private mutating func append(_ line: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return }
        let value = line[(colon + 1)...].drop { $0.isBlank }
        response?.headerFields.append(HTTPField(name: name, value: value))
    }

    /// Adds a folded line to the field before it.
    private mutating func extend(by line: ArraySlice<UInt8>) {
        guard var last = response?.headerFields.popLast() else { return }
        last.value += " " + String(decoding: line.drop { $0.isBlank }, as: UTF8.self)
        response?.headerFields.append(last)
    }

    /// Returns the code of a status line, such as `HTTP/1.1 200 OK`; nil for every other line.
    private static func status(of line: ArraySlice<UInt8>) -> Int? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let digits = line[space...].drop { $0.isBlank }.prefix(3)
        guard digits.count == 3, let code = Int(String(decoding: digits, as: UTF8.self)), (100...999).contains(code)
        else { return nil }
        return code
    }
}

extension HTTPResponse {
    /// The value of `Content-Length` if it is a number.
    var announcedLength: Int? { headerFields[.contentLength].flatMap { Int($0) } }
}

extension ArraySlice<UInt8> {
    /// The bytes without trailing blanks and line ends.
    fileprivate var trimmingEnd: ArraySlice<UInt8> {
        let last = lastIndex { !$0.isBlank && $0 != 0x0D && $0 != 0x0A }
        return last.map { self[...$0] } ?? []
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
