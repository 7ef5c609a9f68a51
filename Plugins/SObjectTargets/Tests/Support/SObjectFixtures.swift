// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting

let now = "@2024-01-15T12:00:00.999+0000"
let date: HTTPFields = [.date: "Mon, 15 Jan 2024 12:00:00 GMT"]

func context(_ transport: any HTTPTransport, fieldlist: [String]? = nil) -> SyncContext {
    SyncContext(
        transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts",
        options: SyncOptions(fieldlist: fieldlist))
}

/// Returns a change of a record whose name is its ID.
func change(
    _ kind: RecordChange.Kind, _ id: String, entry: Int64 = 1, type: String? = "Account", extra: String = ""
) throws -> RecordChange {
    let attributes = type.map { #""attributes":{"type":"\#($0)"},"# } ?? ""
    return RecordChange(
        kind, soup: "accounts", entryId: entry, serverId: kind == .create ? nil : id,
        record: try JSONText(#"{\#(attributes)"Id":"\#(id)","Name":"\#(id)"\#(extra)}"#))
}

func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// Returns the target of a target object, and its problems.
func problems(_ text: String) throws -> (target: (any SyncUpTarget)?, problems: [ConfigurationProblem]) {
    var problems: [ConfigurationProblem] = []
    let registry = try PluginRegistry([SObjectTargetsModule()])
    let target = registry.upTarget(
        TargetReference(try JSONValue(parsing: text)), at: [.key("target")], problems: &problems)
    return (target, problems)
}

/// Returns three changes of each kind, with names that a test's server recognises.
func batches() throws -> [[RecordChange]] {
    try [RecordChange.Kind.create, .update, .delete].map { kind in
        try (1...3).map { number in
            try change(kind, kind == .create ? "local_r\(number)x" : rowId("r\(number)x"), entry: Int64(number))
        }
    }
}

/// The API's response to a wrong version, path or object, and to a missing record.
let wrongPath = HTTPAnswer(
    status: 404, #"[{"errorCode":"NOT_FOUND","message":"The requested resource does not exist"}]"#)

/// The API's response for a path that exists: the object itself.
let describe = HTTPAnswer(#"{"objectDescribe":{"name":"Account"}}"#)

/// Returns the API's response to a request for the states of records that it does not have; nil for another request.
func noStates(_ request: RecordedRequest) -> HTTPAnswer? {
    (request.json?["ids"]?.arrayValue).map { ids in
        HTTPAnswer("[\(ids.map { _ in "null" }.joined(separator: ","))]")
    }
}

/// Returns whether a text contains the name of one of the changes.
func mentions(_ text: String, _ changes: [RecordChange]) -> Bool {
    changes.contains { text.contains("r\($0.entryId)x") }
}

/// Returns a valid record ID for a short key.
func rowId(_ key: String) -> String {
    let key = key.filter { $0.isLetter || $0.isNumber }
    return key.count == 15 ? key : "001" + String(repeating: "0", count: max(0, 12 - key.count)) + key
}
