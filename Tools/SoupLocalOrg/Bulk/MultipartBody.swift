// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A body of parts, each with a name.
struct MultipartBody {
    /// In their order.
    let parts: [(name: String, bytes: ArraySlice<UInt8>)]

    /// Returns whether a request says that its body has parts.
    static func isMultipart(_ request: OrgRequest) -> Bool {
        (request.header("Content-Type") ?? "").lowercased().hasPrefix("multipart/form-data")
    }

    /// Reads the body of a request; nil for one that has no parts.
    ///
    /// - Parameter code: of the error when it cannot be read.
    /// - Throws: ``OrgError`` when there is no boundary, or a part is not closed.
    init?(_ request: OrgRequest, code: String) throws {
        guard Self.isMultipart(request) else { return nil }
        guard let boundary = Self.boundary(request.header("Content-Type") ?? "") else {
            throw OrgError(400, code, message: "The Content-Type names no boundary")
        }
        parts = try Self.parts(of: request.body, boundary: boundary, code: code)
    }

    /// The last part of a name.
    subscript(name: String) -> ArraySlice<UInt8>? { parts.last { $0.name == name }?.bytes }

    private static func boundary(_ type: String) -> [UInt8]? {
        for parameter in type.utf8.split(separator: UInt8(ascii: ";")) {
            let text = parameter.drop { $0 == 0x20 }
            guard String(decoding: text.prefix(9), as: UTF8.self).lowercased() == "boundary=" else { continue }
            let value = text.dropFirst(9).filter { $0 != UInt8(ascii: "\"") }
            if !value.isEmpty { return Array("--".utf8) + value }
        }
        return nil
    }

    private static func parts(
        of body: [UInt8], boundary: [UInt8], code: String
    ) throws -> [(name: String, bytes: ArraySlice<UInt8>)] {
        var parts: [(name: String, bytes: ArraySlice<UInt8>)] = []
        guard var start = body.firstRange(of: boundary)?.upperBound else {
            throw OrgError(400, code, message: "The body does not have its boundary")
        }
        while !body[start...].starts(with: "--".utf8) {
            guard let next = body[start...].firstRange(of: Array("\r\n".utf8) + boundary),
                let blank = body[start..<next.lowerBound].firstRange(of: Array("\r\n\r\n".utf8))
            else { throw OrgError(400, code, message: "A part of the body is not closed") }
            guard let name = name(in: body[start..<blank.lowerBound]) else {
                throw OrgError(
                    400, code, message: "A part of the body has no name: Content-Disposition: form-data; name=\"...\"")
            }
            parts.append((name, body[blank.upperBound..<next.lowerBound]))
            start = next.upperBound
        }
        return parts
    }

    /// The name in the headers of a part.
    private static func name(in headers: ArraySlice<UInt8>) -> String? {
        let disposition = headers.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }.first {
            String(decoding: $0.prefix(20), as: UTF8.self).lowercased() == "content-disposition:"
        }
        guard let disposition else { return nil }
        // A name may contain semicolons between its quotes: search for the beginning of the parameter.
        var rest = disposition[...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[(semicolon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard String(decoding: rest.prefix(5), as: UTF8.self).lowercased() == "name=" else { continue }
            let value = rest.dropFirst(5)
            if value.first == UInt8(ascii: "\"") {
                let text = value.dropFirst()
                return text.firstIndex(of: UInt8(ascii: "\"")).map { String(decoding: text[..<$0], as: UTF8.self) }
            }
            return String(decoding: value.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }, as: UTF8.self)
        }
        return nil
    }
}
