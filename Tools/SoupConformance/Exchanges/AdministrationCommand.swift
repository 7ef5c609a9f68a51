// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A step of a case in text form: an administration request to the org, which the client under test does not send.
///
/// - `POST /_emu/clock {"advance": 60}`: a request to the administration API.
/// - `reset tiny`, `advance 60`, `freeze 2024-01-15T12:05:00Z`, `expire tokens`.
/// - `fault http 503 Retry-After 2`: a fault of a kind, with parameters: `name=value`, a number for the numeric
///   parameter of the kind, a word in capitals for the code of the error, and a header with its value.
/// - `job to JobComplete`: polls the job of the previous step until it is in that state.
enum AdministrationCommand {
    enum Step {
        case request(method: String, path: String, body: JSONValue?)
        case job(state: String)
    }

    /// Parses a step.
    ///
    /// - Returns: nil if the text is not a known step.
    static func step(_ text: String) -> Step? {
        let words = text.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        guard let first = words.first else { return nil }
        switch (first, words.count) {
        case ("GET", 2...), ("POST", 2...), ("DELETE", 2...):
            let body = text.utf8.firstIndex(of: UInt8(ascii: "{")).map { String(text[$0...]) }
            return .request(method: first, path: words[1], body: body.flatMap { try? JSONValue(parsing: $0) })
        case ("reset", 2...):
            return post("reset", ["seed": .string(words.dropFirst().joined(separator: " "))])
        case ("advance", 2): return Double(words[1]).map { post("clock", ["advance": .double($0)]) }
        case ("freeze", 2): return post("clock", ["freeze": .string(words[1])])
        case ("expire", 2) where words[1] == "tokens": return post("tokens/expire", nil)
        case ("fault", 2...): return fault(words[1], Array(words.dropFirst(2))).map { post("faults", ["do": $0]) }
        case ("job", 3) where words[1] == "to": return .job(state: words[2])
        default: return nil
        }
    }

    private static func post(_ path: String, _ body: JSONValue?) -> Step {
        .request(method: "POST", path: "/_emu/\(path)", body: body)
    }

    /// The name of the numeric parameter of each kind of fault.
    private static let numbers = [
        "http": "status", "refreshFails": "status", "shrinkBatch": "rows", "truncate": "bytes", "garbage": "bytes",
        "locatorExpire": "afterPages", "expireToken": "afterCalls", "shuffle": "seed", "reverseIndependent": "seed",
        "slowBody": "bytesPerSecond",
    ]
    /// The name of the text parameter of each kind of fault.
    private static let texts = ["drop": "at", "refreshFails": "with", "jobStall": "state", "moveInstance": "url"]

    private static func fault(_ kind: String, _ words: [String]) -> JSONValue? {
        var effect: JSONObject = ["kind": .string(kind)]
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
            if parts.count == 2, let name = String(parts[0]), let value = String(parts[1]) {
                effect[name] = Int64(value).map { .int($0) } ?? .string(value)
            } else if let number = Int64(word) {
                effect[numbers[kind] ?? "ms"] = .int(number)
            } else if word.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x5F }) {
                effect[kind == "itemError" ? "statusCode" : "errorCode"] = .string(word)
            } else if let name = texts[kind] {
                effect[name] = .string(word)
            } else if let value = rest.popFirst() {
                var headers = effect["headers"]?.objectValue ?? JSONObject()
                headers[word] = .string(value)
                effect["headers"] = .object(headers)
            } else {
                return nil
            }
        }
        return .object(effect)
    }
}
