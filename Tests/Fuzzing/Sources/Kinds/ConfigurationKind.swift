// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupKit

/// Configuration files: reading an invalid file must end and report every problem with its place.
struct ConfigurationKind: FuzzKind {
    let name: String
    let words = [
        "\"soups\":", "\"soupName\":", "\"indexes\":", "\"path\":", "\"type\":", "\"string\"", "\"full_text\"",
        "\"json1\"",
        "\"backend\":", "\"fullText\":", "{\"type\":\"sqlite\"}", "\"syncs\":", "\"syncName\":", "\"syncType\":",
        "\"syncDown\"",
        "\"syncUp\"", "\"target\":", "\"options\":", "\"mergeMode\":", "\"LEAVE_IF_CHANGED\"", "\"fieldlist\":",
        "\"query\":", "\"select Id from A\"", "\"soql\"", "\"mru\"", "\"parent_children\"", "\"custom\"", "\"rest\"",
        "\"iOSImpl\":", "\"SFMruSyncDownTarget\"", "\"parent\":", "\"children\":", "\"maxBatchSize\":", "null", "true",
        "[]",
        "\"http\"", "\"url\":", "\"paging\":", "\"parameters\":", "\"{since}\"", "\"clientKey\":", "\"survivors\":",
        "{}", "[", "]", "{", "}", ",", ":", "\"\"", "\"a.b\"", "\"contacts\"", "0", "1e999", "\u{FEFF}",
    ]

    func check(_ input: [UInt8]) async throws -> String {
        let problems: [ConfigurationProblem]
        let isUsable: Bool
        if name == "userstore" {
            let result = StoreConfig.read(input, file: name, registry: .standard)
            (problems, isUsable) = (result.problems, result.config != nil)
        } else {
            let store = StoreConfig.read(Array(Self.store.utf8), file: "store", registry: .standard).config
            let result = SyncsConfig.read(
                input, file: name, registry: .standard, soups: store.map { .registered($0) } ?? .unknown)
            (problems, isUsable) = (result.problems, true)
        }
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for problem in problems {
            let place = problem.place
            try require(place.file == name, "a problem of another file: \(problem)")
            guard let line = place.line, let column = place.column, lines.indices.contains(line - 1) else {
                throw Violation("a problem without a place in the file: \(problem)")
            }
            try require((1...lines[line - 1].count + 1).contains(column), "a column outside of its line: \(problem)")
            try require(!problem.message.isEmpty, "a problem without a message")
        }
        let errors = problems.filter { $0.severity == .error }
        try require(isUsable || !errors.isEmpty, "nothing was read, and no error was reported")
        if (try? JSONValue(parsing: input)) == nil, !input.starts(with: [0xEF, 0xBB, 0xBF]) {
            try require(errors.count == 1 && errors[0].code == .json, "not JSON, but the errors are \(errors)")
        }
        return "\(min(errors.count, 5)) " + (problems.last.map { outline("\($0.code)", $0.message) } ?? "fine")
    }

    private static let store = """
        {"soups": [{"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"}]}]}
        """
}
