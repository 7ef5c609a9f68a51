// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct QuerySpecTests {
    func read(_ json: String, soup: SoupName? = "s") throws -> QuerySpec {
        try QuerySpec(json: try JSONValue(parsing: json), soup: soup)
    }

    static let specs: [QuerySpec] = [
        .all("s"), .all("s", orderedBy: "a", order: .descending, selecting: ["a", "b.c"], pageSize: 3),
        .exact("s", "a", equals: "x"), .exact("s", "a", equals: 5, orderedBy: "b"), .exact("s", "a", equals: true),
        QuerySpec(.range(path: "a", begin: 1, end: nil), soup: "s"),
        QuerySpec(.range(path: "a", begin: nil, end: "z"), soup: "s", orderPath: "a", order: .descending),
        QuerySpec(.range(path: "a", begin: "b", end: "z"), soup: "s", pageSize: 1),
        QuerySpec(.like(path: "a", key: "%x_"), soup: "s"), QuerySpec(.match(path: nil, key: "x y"), soup: "s"),
        QuerySpec(.match(path: "a", key: "x"), soup: "s", orderPath: "b"), .smart("select 1", pageSize: 7),
    ]

    @Test(arguments: specs) func `A spec that is written as JSON is read back`(_ spec: QuerySpec) throws {
        #expect(try QuerySpec(json: spec.json, soup: spec.soup) == spec)
        #expect(try QuerySpec(json: try JSONValue(parsing: spec.json.description), soup: spec.soup) == spec)
    }

    @Test func `The keys are those of the JavaScript API`() {
        let spec = QuerySpec(
            .range(path: "a", begin: 1, end: "z"), soup: "s", selectPaths: ["a"], orderPath: "b", order: .descending)
        #expect(
            spec.json.description
                == #"{"queryType":"range","indexPath":"a","beginKey":1,"endKey":"z","selectPaths":["a"],"#
                + #""orderPath":"b","order":"descending","pageSize":10}"#)
    }

    @Test(arguments: [
        (#"{"queryType":"range"}"#, QuerySpec.all("s")),
        (
            #"{"queryType":"range","indexPath":"a","beginKey":null,"orderPath":null,"order":null,"pageSize":null}"#,
            .all("s")
        ),
        (#"{"queryType":"range","order":"sideways","pageSize":0,"selectPaths":null}"#, .all("s")),
        (
            #"{"queryType":"range","order":"descending","pageSize":-1,"smartSql":5}"#,
            .all("s", orderedBy: nil, order: .descending)
        ),
        (#"{"queryType":"like","indexPath":"a","likeKey":5}"#, QuerySpec(.like(path: "a", key: "5"), soup: "s")),
        (#"{"queryType":"smart","smartSql":"select 1","indexPath":5}"#, .smart("select 1")),
    ])
    func `Missing and unknown values have defaults`(_ json: String, _ expected: QuerySpec) throws {
        #expect(try read(json) == expected)
    }

    @Test(arguments: [
        ("[]", ""), ("{}", "queryType"), (#"{"queryType":"some"}"#, "queryType"), (#"{"queryType":5}"#, "queryType"),
        (#"{"queryType":"exact","matchKey":"x"}"#, "indexPath"),
        (#"{"queryType":"exact","indexPath":"a"}"#, "matchKey"),
        (#"{"queryType":"exact","indexPath":["a"],"matchKey":1}"#, "indexPath"),
        (#"{"queryType":"like","indexPath":"a"}"#, "likeKey"),
        (#"{"queryType":"like","indexPath":"a","likeKey":[]}"#, "likeKey"),
        (#"{"queryType":"match","indexPath":"a"}"#, "matchKey"),
        (#"{"queryType":"match","indexPath":5,"matchKey":"a"}"#, "indexPath"),
        (#"{"queryType":"range","beginKey":"a"}"#, "indexPath"), (#"{"queryType":"smart"}"#, "smartSql"),
        (#"{"queryType":"range","selectPaths":[]}"#, "selectPaths"),
        (#"{"queryType":"range","selectPaths":["a",5]}"#, "selectPaths[1]"),
        (#"{"queryType":"range","selectPaths":"a"}"#, "selectPaths"),
        (#"{"queryType":"range","pageSize":"5"}"#, "pageSize"),
        (#"{"queryType":"range","pageSize":1.5}"#, "pageSize"), (#"{"queryType":"range","orderPath":1}"#, "orderPath"),
        (#"{"queryType":"range","order":1}"#, "order"),
    ])
    func `Errors name the key`(_ json: String, _ key: String) throws {
        let error = #expect(throws: SoupError.self) { try read(json) }
        #expect(error?.code == .badQuerySpec)
        #expect(error?.place?.path ?? "" == key)
    }

    @Test func `Only smart queries need no soup`() throws {
        #expect(throws: SoupError.self) { try read(#"{"queryType":"range"}"#, soup: nil) }
        #expect(try read(#"{"queryType":"smart","smartSql":"select 1"}"#, soup: nil) == .smart("select 1"))
    }

    @Test func `Smart SQL is generated from a spec`() {
        let match = QuerySpec(.match(path: "lastName", key: "Bond's \"a b\""), soup: "e", orderPath: "firstName")
        #expect(
            match.smartSQL
                == "SELECT {e:_soup} FROM {e} WHERE {e:_soupEntryId} IN (SELECT rowid FROM {e}_fts WHERE {e}_fts "
                + "MATCH '{e:lastName}:Bond''s {e:lastName}:\"a b\"') ORDER BY {e:firstName} ASC ")
        let open = QuerySpec(.range(path: "a", begin: nil, end: 5), soup: "e")
        #expect(open.smartSQL == "SELECT {e:_soup} FROM {e} WHERE {e:a} <= ? ")
        #expect(open.idsSmartSQL == "SELECT id FROM {e} WHERE {e:a} <= ? ")
        #expect(open.arguments == [5])
        #expect(
            QuerySpec(.like(path: "a", key: "x"), soup: "e").countSmartSQL
                == "SELECT count(*) FROM {e} WHERE {e:a} LIKE ? ")
        #expect(QuerySpec.smart("select 1").idsSmartSQL == "SELECT id FROM (select 1)")
    }
}
