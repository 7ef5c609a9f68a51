// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Invalid values outside targets: in the backend, in the options and in `org.json`.
@Suite struct BackendAndOptionValueTests {
    static let backends: [(backend: String, path: String, text: String)] = [
        (#"{"type": "sqlit"}"#, "backend.type", #"Did you mean "sqlite"?"#),
        (#"{"type": "sqlite", "path": 5}"#, "backend.path", "expected a string, found the number 5"),
        (
            #"{"type": "sqlite", "booleanCompatibility": "no"}"#, "backend.booleanCompatibility",
            "expected true or false"
        ),
        (#"{"type": "sqlite", "busyTimeout": "5"}"#, "backend.busyTimeout", "expected a number"),
        (#"{"type": "sqlite", "busyTimeout": -1}"#, "backend.busyTimeout", "Write seconds, from 0 to 86400."),
        (#"{"type": "sqlite", "busyTimeout": 1e300}"#, "backend.busyTimeout", "Write seconds, from 0 to 86400."),
        (#"{"type": "sqlite", "fullText": "porter"}"#, "backend.fullText", "expected an object"),
        (#"{"type": "sqlite", "fullText": {"tokenizer": 1}}"#, "backend.fullText.tokenizer", "expected a string"),
        (
            #"{"type": "sqlite", "fullText": {"tokenizer": "unicode62 x"}}"#, "backend.fullText.tokenizer",
            #"Known: unicode61, ascii, porter, trigram. Did you mean "unicode61"?"#
        ),
        (#"{"type": "sqlite", "fullText": {"prefixes": "2"}}"#, "backend.fullText.prefixes", "expected an array"),
        (#"{"type": "sqlite", "fullText": {"prefixes": [2, "3"]}}"#, "backend.fullText.prefixes[1]", "a whole number"),
        (#"{"type": "sqlite", "fullText": {"prefixes": [2, 0]}}"#, "backend.fullText.prefixes[1]", "from 1 to 999"),
    ]

    @Test(arguments: backends.indices) func `An invalid backend value is reported with its place`(index: Int) throws {
        let (backend, path, text) = Self.backends[index]
        let file = #"{"soups": [], "backend": \#(backend)}"#
        let problems = StoreConfig.read(Array(file.utf8), file: "userstore.json", registry: .standard).problems
        let problem = try #require(problems.first)
        #expect(problems.count == 1 && problem.place.path == path && problem.place.line == 1, "\(problems)")
        #expect(problem.description.contains(text) && problem.hint != nil, "\(problem)")
    }

    @Test func `Several invalid backend values are reported together`() {
        let text = """
            {"soups": [], "backend": {"type": "sqlite", "path": 5,
              "fullText": {"tokenizer": "klingon", "prefixes": [0, 5, 1000]}}}
            """
        let problems = StoreConfig.read(Array(text.utf8), file: "userstore.json", registry: .standard).problems
        #expect(
            problems.map(\.place.path) == [
                "backend.path", "backend.fullText.tokenizer", "backend.fullText.prefixes[0]",
                "backend.fullText.prefixes[2]",
            ])
    }

    static let options: [(options: String, path: String, text: String)] = [
        (#"{"mergeMode": 5}"#, "mergeMode", "expected a string"),
        (#"{"mergeMode": "MERGED"}"#, "mergeMode", #"Did you mean "MERGE"?"#),
        (#"{"mergeMode": "MERGE", "fieldlist": {}}"#, "fieldlist", "expected an array"),
        (#"{"mergeMode": "MERGE", "conflictResolver": 5}"#, "conflictResolver", "expected a name or an object"),
        (#"{"mergeMode": "MERGE", "conflictResolver": "newset"}"#, "conflictResolver", #"Did you mean "newest"?"#),
        (
            #"{"mergeMode": "MERGE", "conflictResolver": {"type": "remot"}}"#, "conflictResolver.type",
            #"Did you mean "remote"?"#
        ),
    ]

    @Test(arguments: options.indices) func `An invalid option is reported with its place`(index: Int) throws {
        let (options, path, text) = Self.options[index]
        let file = """
            {"syncs": [{"syncName": "a", "syncType": "syncUp", "soupName": "contacts",
              "target": {"createFieldlist": ["A"], "updateFieldlist": ["A"]}, "options": \(options)}]}
            """
        let problems = SyncsConfig.read(
            Array(file.utf8), file: "usersyncs.json", registry: .standard, soups: .unknown
        ).problems
        let problem = try #require(problems.first)
        #expect(problems.count == 1 && problem.place.path == "syncs[0].options.\(path)", "\(problems)")
        #expect(problem.place.line == 2 && problem.hint != nil && problem.description.contains(text), "\(problem)")
    }

    static let orgs: [(org: String, path: String, text: String)] = [
        (#"{"instanceUrl": "ftp://x", "accessToken": "t"}"#, "instanceUrl", "https://example.my.salesforce.com"),
        (#"{"instanceUrl": "https://x", "accessToken": 5}"#, "accessToken", "expected a string"),
        (#"{"instanceUrl": "https://x", "accessToken": "t", "apiVersion": "sixty"}"#, "apiVersion", "such as 66.0"),
        (#"{"instanceUrl": "https://x", "accessToken": "t", "apiVersion": 60}"#, "apiVersion", "expected a string"),
        (#"{"instanceUrl": "https://x", "accessToken": "t", "apiVersion": "60"}"#, "apiVersion", "such as 66.0"),
        (#"{"instanceUrl": "https://x:99999", "accessToken": "t"}"#, "instanceUrl", "not a number from 1 to 65535"),
        (#"{"instanceUrl": "https://x/?a=b", "accessToken": "t"}"#, "instanceUrl", "no user, query or fragment"),
        (#"{"instanceUrl": "https://x", "accessToken": "t", "loginUrl": "x"}"#, "loginUrl", "not an http or https URL"),
        (#"{"instanceUrl": "https://x", "refreshToken": []}"#, "refreshToken", "expected a string"),
    ]

    @Test(arguments: orgs.indices) func `An invalid org value is reported with its place`(index: Int) throws {
        let (org, path, text) = Self.orgs[index]
        let folder = try TemporaryFolder(["org.json": org])
        let problems = ConfigurationFolder(reading: folder.url, environment: [:]).orgProblems
        let problem = try #require(problems.first)
        #expect(problems.count == 1 && problem.place.path == path && problem.place.file == "org.json", "\(problems)")
        #expect(problem.hint != nil && problem.description.contains(text), "\(problem)")
    }
}
