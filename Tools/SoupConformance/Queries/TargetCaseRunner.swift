// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupTesting

/// Runs the cases with sync-down targets: creates the target of a case, and compares its requests.
///
/// The server returns `A1` and `A2` as the recently used records, and no rows for any query. Every soup contains the
/// IDs of these two records.
struct TargetCaseRunner {
    let registry: PluginRegistry
    let set: ConformanceSet

    /// Returns whether the runner supports an operation.
    static func supports(_ operation: String) -> Bool { Operation(operation) != nil }

    private enum Operation {
        case construct, firstRequest, fetch, query, resync, remoteIds

        init?(_ text: String) {
            // The text after a comma or in parentheses is a remark.
            let name = text.prefix { $0 != "," && $0 != "(" }.split(separator: " ").joined(separator: " ")
            switch name {
            case "construct": self = .construct
            case "first request": self = .firstRequest
            case "fetch": self = .fetch
            case "query", "first query", "initial query": self = .query
            case "resync", "resync query": self = .resync
            case "remote-ids query": self = .remoteIds
            default: return nil
            }
        }
    }

    func result(of example: JSONValue) async -> OperationResult {
        guard let operation = Operation(example["op"]?.stringValue ?? "") else { return .notRun("unknown operation") }
        guard var target = description(of: example["target"]) else {
            return .notRun("the set does not contain the case with the target")
        }
        // The letter Q represents any query.
        if target["query"]?.stringValue == "Q" { target["query"] = "select Id from Account" }
        let reference = TargetReference(target)
        if let type = reference.type, !registry.targets.contains(where: { $0.kind == .down && $0.name == type }) {
            return .notRun("no sync-down target \"\(type)\" is registered")
        }
        var problems: [ConfigurationProblem] = []
        guard let created = registry.downTarget(reference, problems: &problems) else {
            return .found(["error": .string("badConfiguration"), "message": .string(problems.first?.message ?? "")])
        }
        do {
            return .found(try await found(by: operation, created, example))
        } catch {
            return .found(["error": .string(error.caseCode), "message": .string("\(error)")])
        }
    }

    /// Returns the target object of a case, which can be a reference to another case of the set.
    private func description(of target: JSONValue?) -> JSONValue? {
        guard let id = target?.stringValue else { return target }
        return set.cases.first { $0.id == id && $0.json["target"]?.objectValue != nil }?.json["target"]
    }

    private func found(
        by operation: Operation, _ target: any SyncDownTarget, _ example: JSONValue
    ) async throws -> JSONValue {
        let transport = ScriptedTransport { request in
            request.pathAndQuery.contains("/query")
                ? HTTPAnswer(#"{"totalSize": 0, "done": true, "records": []}"#)
                : HTTPAnswer(#"{"recentItems": [{"Id": "A1"}, {"Id": "A2"}], "searchRecords": [], "fields": []}"#)
        }
        // Without a base path, as the cases write the paths.
        var context = SyncContext(
            transport: transport, clock: TickingClock(), soup: "soup", localValues: { _, _ in ["A1", "A2"] })
        if operation == .resync { context.highWaterMark = CaseTime.mark }
        var page: RecordPage?
        if operation == .remoteIds {
            _ = try await target.survivors(of: ["A1"], level: 0, in: context)
        } else {
            page = try await target.page(after: nil, in: context)
        }
        return try Self.result(
            of: operation, target: target, requests: transport.requests, page: page, in: example)
    }

    /// Returns the result of an operation in the form that the case expects.
    private static func result(
        of operation: Operation, target: any SyncDownTarget, requests: [RecordedRequest], page: RecordPage?,
        in example: JSONValue
    ) throws -> JSONValue {
        let query = requests.lazy.compactMap { $0[parameter: "q"] }.first.map(CaseTime.shown)
        switch operation {
        case .construct:
            return example.answer(
                query: query, ["sorted": .bool(target.ordersByModificationDate)])
        case .firstRequest:
            let options = requests.first?.header("Sforce-Query-Options")
            guard let options else { return ["headers": "no Sforce-Query-Options"] }
            return example.answer(options, at: "Sforce-Query-Options")
        case .fetch where example["expect"]?.arrayValue != nil:
            return .array(requests.map { .string(CaseTime.shown(in: $0.description)) })
        case .fetch where example["expect"]?["request"] != nil:
            let rows = page?.levels.first.map { batch in (0..<batch.count).map { batch.dump(of: $0) } } ?? []
            let row = try rows.first.map { try JSONValue(parsing: $0) }
            return [
                "request": requests.first.map { .string(CaseTime.shown(in: $0.description)) } ?? .null,
                "row Id": row?[target.idField] ?? .null,
                "totalSize": page?.totalSize.map { .int(Int64($0)) } ?? .null,
            ]
        default:
            return example.answer(query: query)
        }
    }
}

extension JSONValue {
    /// Returns a query as a result: a text if the case expects a text, else an object with the member `query`.
    fileprivate func answer(query: String?, _ others: JSONObject = [:]) -> JSONValue {
        guard self["expect"]?.objectValue != nil else {
            return query.map { .string(withRemark($0, like: self["expect"]?.stringValue)) } ?? .null
        }
        return answer(query ?? "", at: "query", others)
    }

    fileprivate func answer(_ text: String, at key: String, _ others: JSONObject = [:]) -> JSONValue {
        var object = others
        object[key] = .string(withRemark(text, like: self["expect"]?[key]?.stringValue))
        return .object(object)
    }

    /// Returns the text with the remark in parentheses that follows it in the expectation.
    ///
    /// A remark is not a part of the expected result.
    private func withRemark(_ text: String, like expected: String?) -> String {
        guard let expected, expected.hasPrefix(text + " ("), expected.hasSuffix(")") else { return text }
        return expected
    }
}
