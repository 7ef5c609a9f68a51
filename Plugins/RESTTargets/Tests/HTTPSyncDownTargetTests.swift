// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

/// A paging dialect: the keys of the configuration, and the service that it describes.
struct DownCase: Sendable, CustomTestStringConvertible {
    var name: String
    var dialect: ContactService.Dialect
    var keys: String
    var isSinglePage = false
    var isUndated = false
    var origin = ""
    var testDescription: String { name }

    var configuration: String {
        let address = origin.isEmpty ? #""path": "/api/contacts""# : #""url": "\#(origin)/api/contacts""#
        let date = isUndated ? "" : #""modified": "changed","#
        return #"{"type": "http", \#(address), "records": "items", "id": "id", \#(date) \#(keys)}"#
    }

    static let since = #""parameters": {"since": "{since}"}"#
    static let all: [DownCase] = [
        DownCase(
            name: "whole", dialect: .whole,
            keys: #""total": "total", "totalIsExact": true, "survivors": "each", \#(since)"#, isSinglePage: true),
        DownCase(
            name: "page", dialect: .page,
            keys: #"""
                "total": "total", "totalIsExact": true, "paging": {"type": "page", "more": "more"},
                "survivors": "list", \#(since)
                """#),
        DownCase(
            name: "offset", dialect: .offset,
            keys: #"""
                "total": "total", "totalIsExact": true, "paging": "offset", "sortedByModified": true,
                "survivors": {"type": "ids", "parameters": {"ids": "{ids}"}, "batch": 2}, \#(since)
                """#),
        DownCase(
            name: "cursor", dialect: .cursor,
            keys: #"""
                "total": "total", "totalIsExact": true, "paging": {"type": "cursor", "next": "cursor"},
                "parameters": {"since": "{since}", "cursor": "{cursor}"}, "survivors": "each"
                """#),
        DownCase(
            name: "URL", dialect: .nextURL,
            keys: #"""
                "total": "total", "totalIsExact": true, "paging": {"type": "cursor", "next": "next"},
                "survivors": "list", \#(since)
                """#, origin: "https://service.example"),
        DownCase(
            name: "URL in a header", dialect: .nextHeader,
            keys: #"""
                "total": "total", "totalIsExact": true, "paging": {"type": "cursor", "next": {"header": "Next-Page"}},
                "survivors": "list", \#(since)
                """#, origin: "https://service.example"),
        DownCase(
            name: "link", dialect: .link,
            keys: #""total": "total", "totalIsExact": true, "paging": "link", "survivors": "each", \#(since)"#,
            origin: "http://service.example:8080"),
        DownCase(
            name: "keyset", dialect: .keyset,
            keys: #"""
                "paging": "keyset", "sortedByModified": true, "survivors": "each",
                "parameters": {"since": "{since}", "after": "{lastId}"}
                """#),
        DownCase(
            name: "last ID", dialect: .lastId,
            keys: #"""
                "paging": "lastId", "total": "total", "totalIsExact": true,
                "parameters": {"since": "{since}", "after": "{lastId}"},
                "survivors": {"type": "list", "parameters": {"after": "{lastId}"}}
                """#),
    ]
}

@Suite struct HTTPSyncDownTargetTests {
    static let badConfigurations = [
        #"{"id": "id"}"#,
        #"{"path": "/a", "url": "https://example.com/a"}"#,
        #"{"path": "a"}"#,
        #"{"path": "/a?b=1"}"#,
        #"{"url": "example.com/a"}"#,
        #"{"path": "/a", "paging": "pages"}"#,
        #"{"path": "/a", "paging": {"type": "cursor"}}"#,
        #"{"path": "/a", "paging": {"type": "link", "first": 1}}"#,
        #"{"path": "/a", "paging": {"type": "cursor", "next": {"header": "Next Page"}}}"#,
        #"{"path": "/a", "paging": "keyset"}"#,
        #"{"path": "/a", "paging": "lastId"}"#,
        #"{"path": "/a", "modified": "m", "paging": "lastId", "parameters": {"a": "{lastId}{since}"}, "survivors": "list"}"#,
        #"{"path": "/a", "parameters": {"a": "{since}"}}"#,
        #"{"path": "/a", "parameters": {"a": "{page"}}"#,
        #"{"path": "/a", "modified": "m", "parameters": {"a": "{sinc}"}}"#,
        #"{"path": "/a", "sortedByModified": true}"#,
        #"{"path": "/a", "totalIsExact": true}"#,
        #"{"path": "/a", "total": "n", "totalIsExact": true, "deleted": "gone"}"#,
        #"{"path": "/a", "item": "/a/id"}"#,
        #"{"path": "/a", "idFieldName": "Id"}"#,
        #"{"path": "/a", "dateFormat": "yyyy"}"#,
        #"{"path": "/a", "survivors": "ids"}"#,
        #"{"path": "/a", "survivors": {"type": "each", "batch": 3}}"#,
        #"{"path": "/a", "headers": {"a b": "c"}}"#,
        #"{"path": "/a", "minInterval": -1}"#,
        #"{"path": "/a", "gone": {"values": ["x"]}}"#,
        #"{"path": "/a", "modified": "m", "delta": {"token": "t"}, "parameters": {"a": "{since}"}}"#,
    ]

    @Test(arguments: DownCase.all)
    func `The target follows the rules for each paging`(_ example: DownCase) async throws {
        let service = ContactService(example.dialect, origin: example.origin)
        try await SyncDownTargetSuite(
            HTTPSyncDownTarget.self, configuration: example.configuration, badConfigurations: Self.badConfigurations,
            singlePage: example.isSinglePage, undated: example.isUndated,
            approximateTotal: example.dialect == .keyset,
            numberedPages: example.dialect == .page || example.dialect == .offset
        ) { service.answer($0) }.check()
    }
}
