// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import CurlTransport

@Suite struct AnswerHeadTests {
    /// Reads lines, and returns the progress after each, and the head as text.
    private func read(_ lines: String...) -> (progress: [AnswerHead.Progress], head: [String]) {
        var head = AnswerHead()
        let progress = lines.map { head.add(Array($0.utf8)) }
        guard let response = head.response else { return (progress, []) }
        let fields = response.headerFields.map { "\($0.name.rawName): \($0.value)" }
        return (progress, ["\(response.status.code)"] + fields)
    }

    @Test func `Fields keep their order and may repeat`() {
        let (progress, head) = read(
            "HTTP/1.1 200 OK\r\n", "Set-Cookie: a\r\n", "X:  b \t\r\n", "set-cookie: c\n", "\r\n")
        #expect(progress == [.incomplete, .incomplete, .incomplete, .incomplete, .completed])
        #expect(head == ["200", "Set-Cookie: a", "X: b", "set-cookie: c"])
    }

    @Test func `Interim responses and trailers are ignored`() {
        let (progress, head) = read(
            "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/2 404\r\n", "A: b\r\n", "\r\n",
            "Trailer: t\r\n",
            "\r\n")
        #expect(progress.map { $0 == .completed } == [false, false, false, false, false, true, false, false])
        #expect(head == ["404", "A: b"])
    }

    @Test func `A folded line belongs to the field before it`() {
        #expect(read("HTTP/1.1 200\r\n", "A: b\r\n", "\t c\r\n", "\r\n").head == ["200", "A: b c"])
    }

    @Test func `Lines that are not fields are ignored`() {
        #expect(
            read("HTTP/1.1 200\r\n", "no colon\r\n", "b ad: x\r\n", ": y\r\n", "A:\r\n", "\r\n").head == ["200", "A: "])
    }

    @Test(arguments: ["HTTP/1.1 99 x", "HTTP/1.1 abc", "HTTP/1.1", "HTTP/1.1 2"])
    func `A line with an invalid status starts no head`(line: String) {
        let (progress, head) = read(line + "\r\n", "\r\n")
        #expect(progress == [.incomplete, .incomplete])
        #expect(head == [])
    }

    @Test func `The total length of all lines is limited`() {
        var head = AnswerHead()
        let line = Array(("A: " + String(repeating: "x", count: 1021)).utf8)
        let progress = (0...256).map { _ in head.add(line) }
        #expect(progress.filter { $0 == .tooLong }.count == 1)
        #expect(progress.last == .tooLong)
    }
}
