// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The version of a stored record, for conditional requests.
struct RecordVersion {
    let object: OrgObject
    let row: StoredRow

    /// When the record was last modified, in milliseconds since 1970.
    var modified: Int64 { row.cells[object.position("LastModifiedDate")].int ?? 0 }

    /// The entity tag: it changes with every change, also within one second, when the dates stay the same.
    ///
    /// Views of the record do not change it.
    var tag: String { "\"\(String(modified, radix: 36))-\(checksum)--gzip\"" }

    var checksum: String {
        var bytes: [UInt8] = []
        for field in object.fields where !["LastViewedDate", "LastReferencedDate"].contains(field.name) {
            let cell = row.cells[field.position]
            if let text = cell.text { bytes += text.utf8 } else { bytes += "\(cell)".utf8 }
            bytes.append(0)
        }
        return String(Gzip.checksum(bytes), radix: 36)
    }
}

/// The preconditions in the headers of a request: `If-Match`, `If-Modified-Since` and the like.
struct Preconditions {
    let request: OrgRequest

    /// Returns the response of `body`, or 304 if the client has the version that was last modified at `time`.
    ///
    /// - Parameter tag: the tag that `If-Match` and `If-None-Match` are compared with; nil for a tag of the time.
    func unlessUnchanged(
        since time: Int64, tag: String? = nil, _ body: () throws -> OrgAnswer
    ) throws -> OrgAnswer {
        let tag = tag ?? "\"\(String(time, radix: 36))--gzip\""
        let headers = [("ETag", tag), ("Last-Modified", DateText.formatHTTPDate(time))]
        try refuseIfChanged(since: time, tag: tag)
        let known = try date("If-Modified-Since")
        let isUnchanged =
            request.header("If-None-Match").map { Self.list($0, contains: tag) }
            ?? known.map { time / 1000 <= $0 / 1000 } ?? false
        if isUnchanged { return OrgAnswer(304, headers: headers) }
        var answer = try body()
        answer.headers += headers.map { (name: $0.0, value: $0.1) }
        return answer
    }

    /// Rejects a write of a record that does not have the version that the client requires.
    ///
    /// - Throws: ``OrgError``: 412, or 400 for a malformed date.
    func check(_ version: RecordVersion) throws {
        let time = version.modified
        let tag = version.tag
        try refuseIfChanged(since: time, tag: tag)
        let unchanged = OrgError(
            412, "PRECONDITION_FAILED", message: "The record was not modified since the time of the request")
        if let list = request.header("If-None-Match") {
            if Self.list(list, contains: tag) { throw unchanged }
        } else if let date = try date("If-Modified-Since"), time / 1000 <= date / 1000 {
            throw unchanged
        }
    }

    private func refuseIfChanged(since time: Int64, tag: String) throws {
        let changed = OrgError(
            412, "PRECONDITION_FAILED", message: "The record was modified after the time of the request")
        if let list = request.header("If-Match") {
            if !Self.list(list, contains: tag) { throw changed }
        } else if let date = try date("If-Unmodified-Since"), time / 1000 > date / 1000 {
            throw changed
        }
    }

    /// Returns whether a header that lists tags contains a tag.
    private static func list(_ list: String, contains tag: String) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { part in
            let text = String(decoding: part, as: UTF8.self).filter { $0 != " " && $0 != "\t" }
            return text == "*" || text == tag || text == "W/" + tag
        }
    }

    /// Returns the date in a header; nil if the header is absent.
    ///
    /// - Throws: ``OrgError`` with 400 for a malformed date if the request writes; a read ignores it.
    private func date(_ name: String) throws -> Int64? {
        guard let text = request.header(name) else { return nil }
        if let date = DateText.parseHTTPDate(text) { return date.millisecondsSince1970 }
        if request.method == "GET" || request.method == "HEAD" { return nil }
        throw OrgError(400, "INVALID_HEADER", message: "\(name) is not an HTTP date: \(text)")
    }
}
