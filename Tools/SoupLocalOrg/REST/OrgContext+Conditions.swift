// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// When a row was last modified, in milliseconds since 1970.
    func modified(_ object: OrgObject, _ row: StoredRow) -> Int64 {
        row.cells[object.position("LastModifiedDate")].int ?? 0
    }

    private static func tag(_ time: Int64) -> String { "\"\(String(time, radix: 36))--gzip\"" }

    /// The tag of a row: another with every change, also within one second, when the dates stay the same.
    ///
    /// Who has seen the row is none.
    func tag(_ object: OrgObject, _ row: StoredRow) -> String {
        "\"\(String(modified(object, row), radix: 36))-\(checksum(object, row))--gzip\""
    }

    func checksum(_ object: OrgObject, _ row: StoredRow) -> String {
        var bytes: [UInt8] = []
        for field in object.fields where !["LastViewedDate", "LastReferencedDate"].contains(field.name) {
            let cell = row.cells[field.position]
            if let text = cell.text { bytes += text.utf8 } else { bytes += "\(cell)".utf8 }
            bytes.append(0)
        }
        return String(Gzip.checksum(bytes), radix: 36)
    }

    /// Whether a header that lists tags names this one.
    private static func names(_ list: String, _ tag: String) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { part in
            let text = String(decoding: part, as: UTF8.self).filter { $0 != " " && $0 != "\t" }
            return text == "*" || text == tag || text == "W/" + tag
        }
    }

    /// The date of a header; nil when there is none.
    ///
    /// - Throws: ``OrgError`` with 400 for a date that is none, when the request writes; reading takes no notice of it.
    private static func date(_ request: OrgRequest, _ name: String) throws -> Int64? {
        guard let text = request.header(name) else { return nil }
        if let date = Timestamp.parseHTTPDate(text) { return date }
        if request.method == "GET" || request.method == "HEAD" { return nil }
        throw OrgError(400, "INVALID_HEADER", "\(name) is not an HTTP date: \(text)")
    }

    /// Answers with `body`, or 304 when the client says that it has what was last modified at `time`.
    ///
    /// - Parameter tag: what `If-Match` and `If-None-Match` name; nil for one that is made of the time.
    func unlessUnchanged(
        _ request: OrgRequest, since time: Int64, tag: String? = nil, _ body: () throws -> OrgAnswer
    ) throws -> OrgAnswer {
        let tag = tag ?? Self.tag(time)
        let headers = [("ETag", tag), ("Last-Modified", Timestamp.formatHTTPDate(time))]
        try refuseIfChanged(request, since: time, tag)
        let known = try Self.date(request, "If-Modified-Since")
        let isUnchanged =
            request.header("If-None-Match").map { Self.names($0, tag) }
            ?? known.map { time / 1000 <= $0 / 1000 } ?? false
        if isUnchanged { return OrgAnswer(304, headers: headers) }
        var answer = try body()
        answer.headers += headers.map { (name: $0.0, value: $0.1) }
        return answer
    }

    /// Refuses a write of a row that was modified after the time that the client names, or that the client wants only
    /// when it was.
    ///
    /// - Throws: ``OrgError``: 412, or 400 for a date that is none.
    func refuseIfChanged(_ request: OrgRequest, _ object: OrgObject, _ row: StoredRow) throws {
        let time = modified(object, row)
        let tag = tag(object, row)
        try refuseIfChanged(request, since: time, tag)
        let unchanged = OrgError(
            412, "PRECONDITION_FAILED", "The record was not modified since the time of the request")
        if let list = request.header("If-None-Match") {
            if Self.names(list, tag) { throw unchanged }
        } else if let date = try Self.date(request, "If-Modified-Since"), time / 1000 <= date / 1000 {
            throw unchanged
        }
    }

    private func refuseIfChanged(_ request: OrgRequest, since time: Int64, _ tag: String) throws {
        let changed = OrgError(412, "PRECONDITION_FAILED", "The record was modified after the time of the request")
        if let list = request.header("If-Match") {
            if !Self.names(list, tag) { throw changed }
        } else if let date = try Self.date(request, "If-Unmodified-Since"), time / 1000 > date / 1000 {
            throw changed
        }
    }
}
