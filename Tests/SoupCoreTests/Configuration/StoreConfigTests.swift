// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct StoreConfigTests {
    private func read(_ text: String) throws -> (StoreConfig?, [String]) {
        let (config, problems) = StoreConfig.read(
            Array(text.utf8), file: "userstore.json", registry: try TestTargets.registry())
        return (config, problems.map(\.description))
    }

    @Test func `Soups and the backend are read`() throws {
        let (config, problems) = try read(
            #"""
            {"soups": [{"soupName": "contacts", "features": [], "indexes": [
                {"path": "Id", "type": "string"}, {"path": "a.b", "type": "full_text"}]}],
             "backend": {"type": "shelf", "path": "x"}}
            """#)
        #expect(problems == [])
        #expect(
            config
                == StoreConfig(
                    soups: [.init("contacts", [IndexSpec("Id", .string), IndexSpec("a.b", .fullText)])],
                    backend: .init(type: "shelf", configuration: ["type": "shelf", "path": "x"])))
    }

    /// A path that no query can name is refused, with its place.
    @Test func `Paths that cannot be indexed are errors`() throws {
        let (_, problems) = try read(
            #"""
            {"soups": [{"soupName": "s", "indexes": [
              {"path": "a:b", "type": "string"},
              {"path": "k} x", "type": "integer"},
              {"path": "", "type": "floating"},
              {"path": "a..b", "type": "string"},
              {"path": "a..b.c", "type": "json1"}]}]}
            """#)
        let hint = "Use a path without {, }, : and NUL, which no query can name."
        #expect(
            problems == [
                #"userstore.json:2:12: soups[0].indexes[0].path: "a:b" cannot be a path: it contains :. \#(hint)"#,
                #"userstore.json:3:12: soups[0].indexes[1].path: "k} x" cannot be a path: it contains }. \#(hint)"#,
                #"userstore.json:4:12: soups[0].indexes[2].path: "path" is empty. Add "path" with the path to index."#,
                #"userstore.json:6:12: soups[0].indexes[4].path: "a..b.c" cannot be a json1 path. "#
                    + "Use another type of index, or a path of keys with dots between them, in which no key is empty.",
            ])
    }

    @Test func `A file without soups is valid`() throws {
        let (config, problems) = try read(#"{"soups": []}"#)
        #expect(config == StoreConfig())
        #expect(problems == [])
    }

    @Test func `All faults are reported in the order of the text`() throws {
        let (config, problems) = try read(
            #"""
            {
              "soups": [
                { "indexes": [ { "path": "Id", "type": "string" } ] },
                { "soupName": "b" },
                { "soupName": "c", "indexes": [] },
                { "soupName": "d{}", "indexes": [ { "path": "Id", "type": "strin" }, { "type": "json1" } ] },
                { "soupName": "b", "indexes": [ { "path": "x", "type": "string" } ] },
                7,
                { "soupName": 8, "indexes": {} },
                { "soupName": "e", "indexs": [], "indexes": [
                    { "path": "x", "type": "string" }, { "path": "x", "type": "integer" } ] }
              ],
              "backend": { "type": "shlf" }
            }
            """#)
        #expect(
            problems == [
                #"userstore.json:3:5: soups[0].soupName: "soupName" is missing. "#
                    + #"Add "soupName" with the name of the soup."#,
                #"userstore.json:4:5: soups[1].indexes: "indexes" is missing. "#
                    + #"Add "indexes" with at least one {"path": ..., "type": ...}."#,
                #"userstore.json:5:35: soups[2].indexes: the soup has no indexes. "#
                    + #"Add "indexes" with at least one {"path": ..., "type": ...}."#,
                #"userstore.json:6:19: soups[3].soupName: "d{}" cannot be the name of a soup. "#
                    + "Remove :, {, } and control characters, which Smart SQL does not allow in names.",
                #"userstore.json:6:63: soups[3].indexes[0].type: no index type "strin". "#
                    + #"Known: string, integer, floating, full_text, json1. Did you mean "string"?"#,
                #"userstore.json:6:74: soups[3].indexes[1].path: "path" is missing. Add "path" with the path to index."#,
                #"userstore.json:7:19: soups[4].soupName: the soup name "b" is already used by soups[1]. "#
                    + "Rename one of the two, or merge their indexes.",
                "userstore.json:8:5: soups[5]: expected an object, found the number 7. Write an object here.",
                "userstore.json:9:19: soups[6].soupName: expected a string, found the number 8. Write a string here.",
                "userstore.json:9:33: soups[6].indexes: expected an array, found an object. Write an array here.",
                #"userstore.json:10:34: soups[7].indexs: warning: the key "indexs" is not known and is ignored. "#
                    + #"Remove it: "indexes" is present too, and is used. Known: soupName, indexes."#,
                #"userstore.json:11:54: soups[7].indexes[1].path: warning: "#
                    + #"the path "x" is already indexed by indexes[0]. Remove one of the two."#,
                #"userstore.json:13:24: backend.type: no store backend "shlf" is registered. "#
                    + #"Known: shelf. Did you mean "shelf"?"#,
            ])
        #expect(config?.soups.map(\.name) == ["b", "c", "d{}", "e"])
    }

    @Test func `Misspelled and repeated keys are reported`() throws {
        let (_, problems) = try read(#"{"soups": [], "bakend": {}, "soups": 5}"#)
        #expect(
            problems == [
                #"userstore.json:1:25: bakend: warning: the key "bakend" is not known and is ignored. "#
                    + #"Did you mean "backend"?"#,
                "userstore.json:1:29: soups: the key occurs twice in its object with different values; "
                    + "the first one is in line 1. Remove one of the two.",
            ])
    }

    @Test func `A key repeated with the same value is accepted`() throws {
        let soup = #"{"soupName": "s", "indexes": [{"path": "a", "type": "string"}]}"#
        let spaced = #"{ "indexes" : [ {"type": "string", "path": "a"} ], "soupName": "\u0073" }"#
        let (config, problems) = try read("{\"soups\": [\(soup)], \"soups\": [\(spaced)]}")
        #expect(problems == [])
        #expect(config?.soups.map(\.name) == ["s"])
    }

    @Test func `Unknown keys of soups and indexes are reported`() throws {
        let (_, problems) = try read(
            #"{"soups": [{"soupName": "a", "external": 1, "indexes": [{"path": "b", "type": "string", "tpye": 1}]}]}"#)
        #expect(
            problems == [
                #"userstore.json:1:42: soups[0].external: warning: the key "external" is not known and is ignored. "#
                    + "Known: soupName, indexes.",
                #"userstore.json:1:97: soups[0].indexes[0].tpye: warning: the key "tpye" is not known and is ignored. "#
                    + #"Remove it: "type" is present too, and is used. Known: path, type."#,
            ])
    }

    @Test func `The configuration of the backend is checked`() throws {
        let (_, problems) = try read(#"{"soups": [], "backend": {"type": "shelf", "boards": "three"}}"#)
        #expect(
            problems == [
                #"userstore.json:1:54: backend.boards: expected a whole number, found the string "three". "#
                    + "Write a whole number here."
            ])
        #expect(try read(#"{"soups": [], "backend": {}}"#).1.first?.contains("Known: shelf.") == true)
    }

    @Test(arguments: [
        (#"{"soups": [],}"#, "1:14: not JSON: unexpected character. Remove the comma before the bracket."),
        (#"{"soups": [}"#, "1:12: not JSON: unexpected character. Correct the text here."),
        ("{\n  // soups\n}", "2:3: not JSON: unexpected character. Remove the comment: JSON has none."),
        ("{'soups': []}", "1:2: not JSON: unexpected character. Write strings in double quotes."),
        (
            #"{"soups" []}"#,
            "1:10: not JSON: unexpected character. "
                + "Add the missing comma or colon before it, or correct the kind of a bracket."
        ),
        (
            #"{"soups": ["#,
            "1:12: not JSON: the text ends in the middle of a value. Close the open bracket or quote."
        ),
        (
            #"{"soups": []}}"#,
            "1:14: not JSON: there is more text after the end of the value. "
                + "Remove what follows, or the bracket that closes the object too early."
        ),
        (" \n", "2:1: the file is empty. Write a JSON object, or remove the file."),
    ])
    func `A syntax error has a place and a hint`(text: String, problem: String) throws {
        let (config, problems) = try read(text)
        #expect(config == nil)
        #expect(problems == ["userstore.json:" + problem])
    }

    @Test func `A byte order mark is skipped`() throws {
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(#"{"soups": 1}"#.utf8)
        let (_, problems) = StoreConfig.read(bytes, file: "f", registry: try TestTargets.registry())
        #expect(
            problems.map(\.description) == [
                "f:1:14: soups: expected an array, found the number 1. Write an array here."
            ])
    }

    @Test func `A root that is not an object is an error`() throws {
        let (config, problems) = try read("[]")
        #expect(config == nil)
        #expect(problems == ["userstore.json:1:1: expected an object, found an array. Write an object here."])
    }
}
