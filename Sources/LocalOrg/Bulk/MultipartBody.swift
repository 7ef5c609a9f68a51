// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A job and its data in one body of parts.
struct MultipartBody {
    var job: JSONObject
    var content: [UInt8]

    /// Reads the body of a request; nil for one that has no parts.
    ///
    /// - Throws: ``OrgError`` when a part is missing or not closed.
    init?(_ request: OrgRequest) throws {
        let type = request.header("Content-Type") ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else { return nil }
        let parts = try Self.parts(request.body, boundary: try Self.boundary(type))
        guard let job = parts["job"], let content = parts["content"] else {
            throw OrgError(400, "INVALIDJOB", "The body needs the parts job and content")
        }
        self.job = try OrgRequest(method: "POST", url: "/", body: Array(job)).jsonObject()
        self.content = Array(content)
    }

    private static func boundary(_ type: String) throws -> [UInt8] {
        for parameter in type.utf8.split(separator: UInt8(ascii: ";")) {
            let text = parameter.drop { $0 == 0x20 }
            guard String(decoding: text.prefix(9), as: UTF8.self).lowercased() == "boundary=" else { continue }
            let value = text.dropFirst(9).filter { $0 != UInt8(ascii: "\"") }
            if !value.isEmpty { return Array("--".utf8) + value }
        }
        throw OrgError(400, "INVALIDJOB", "The Content-Type names no boundary")
    }

    /// The parts by their names.
    private static func parts(_ body: [UInt8], boundary: [UInt8]) throws -> [String: ArraySlice<UInt8>] {
        var parts: [String: ArraySlice<UInt8>] = [:]
        guard var start = body.firstRange(of: boundary)?.upperBound else {
            throw OrgError(400, "INVALIDJOB", "The body does not have its boundary")
        }
        while !body[start...].starts(with: "--".utf8) {
            guard let next = body[start...].firstRange(of: Array("\r\n".utf8) + boundary),
                let blank = body[start..<next.lowerBound].firstRange(of: Array("\r\n\r\n".utf8))
            else { throw OrgError(400, "INVALIDJOB", "A part of the body is not closed") }
            if let name = name(in: body[start..<blank.lowerBound]) {
                parts[name] = body[blank.upperBound..<next.lowerBound]
            }
            start = next.upperBound
        }
        return parts
    }

    /// The name in the headers of a part.
    private static func name(in headers: ArraySlice<UInt8>) -> String? {
        guard let start = headers.firstRange(of: Array(" name=\"".utf8))?.upperBound,
            let end = headers[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: headers[start..<end], as: UTF8.self)
    }
}
