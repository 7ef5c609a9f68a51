// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting
import Testing

/// Updates whose modification dates the server compares.
@Suite struct SObjectTargetConditionsTests {
    private static let lists = #""createFieldlist": ["Name"], "updateFieldlist": ["Name"]"#
    private static let condition = "Mon, 15 Jan 2024 12:00:01 GMT"

    private func target(_ type: String) throws -> any SyncUpTarget {
        let strict = type == "strict" ? #", "strict": true"# : ""
        let found = try problems(#"{"type": "\#(type == "strict" ? "rest" : type)", \#(Self.lists)\#(strict)}"#)
        return try #require(found.target)
    }

    private func update(_ date: String? = "2024-01-15T12:00:01.999+0000") throws -> RecordChange {
        try change(.update, rowId("U1"), extra: date.map { #","LastModifiedDate":"\#($0)""# } ?? "")
    }

    /// Returns the conditions of the requests of a push.
    private func conditions(
        of type: String, _ changes: [RecordChange], under mode: MergeMode = .leaveIfChanged
    ) async throws -> [String?] {
        let transport = ScriptedTransport { request in
            if let requests = request.json?["compositeRequest"]?.arrayValue {
                let items = requests.map {
                    #"{"httpStatusCode": 204, "body": null, "referenceId": \#($0["referenceId"] ?? .null)}"#
                }
                return HTTPAnswer(#"{"compositeResponse": [\#(items.joined(separator: ","))]}"#, headers: date)
            }
            return request.pathWithoutQuery.hasSuffix("sobjects") && request.method != .post
                ? accept(request) : HTTPAnswer(status: 204, headers: date)
        }
        var context = context(transport)
        context.options.mergeMode = mode
        _ = try await target(type).push(changes, in: context)
        return transport.requests.flatMap { request -> [String?] in
            guard let requests = request.json?["compositeRequest"]?.arrayValue else {
                return [request.header("If-Unmodified-Since")]
            }
            return requests.map { $0["httpHeaders"]?["If-Unmodified-Since"]?.stringValue }
        }
    }

    @Test(arguments: ["single", "batch", "strict"]) func `Updates have a condition`(type: String) async throws {
        for mode in MergeMode.thatDetectConflicts {
            #expect(try await conditions(of: type, [update()], under: mode) == [Self.condition])
        }
    }

    @Test(arguments: ["single", "batch", "strict"]) func `Other changes have none`(type: String) async throws {
        var checked = try update()
        checked.isChecked = true
        for change in [checked, try update(nil), try update("yesterday")] {
            #expect(try await conditions(of: type, [change]) == [nil])
        }
        #expect(try await conditions(of: type, [update()], under: .overwrite) == [nil])
        let deletion = try change(.delete, rowId("D1"), extra: #","LastModifiedDate":"2024-01-15T12:00:01.000Z""#)
        #expect(try await conditions(of: type, [deletion]) == [nil])
    }

    /// A gateway may remove the conditions.
    @Test(arguments: ["single", "batch", "strict", "rest"])
    func `The engine compares versions, too`(type: String) throws {
        #expect(try !target(type).isConditional(update(), under: .merge))
    }

    @Test func `Collections have none unless they are strict`() async throws {
        #expect(try await conditions(of: "rest", [update()]) == [nil])
        // 25 records in a composite request.
        let many = try (10..<40).map {
            try change(.update, rowId("U\($0)"), extra: #","LastModifiedDate":"2024-01-15T12:00:01.000Z""#)
        }
        #expect(try await conditions(of: "strict", many).compactMap { $0 }.count == 30)
    }

    @Test(arguments: [
        (#"[{"errorCode":"PRECONDITION_FAILED","message":"m"}]"#, "conflict PRECONDITION_FAILED m"),
        ("", "conflict PRECONDITION_FAILED the record was modified on the server"),
        ("<html>412</html>", "unknown"),
    ]) func `A refused condition is a conflict`(body: String, expected: String) async throws {
        let transport = ScriptedTransport([.answer(status: 412, body)])
        var context = context(transport)
        context.options.mergeMode = .merge
        let outcomes = try await target("single").push([update()], in: context)
        #expect(outcomes.dump.first?.hasPrefix(expected) == true, "\(outcomes.dump)")
        // Without a condition, an empty 412 proves nothing.
        let plain = ScriptedTransport([.answer(status: 412, body)])
        let other = try await target("single").push([update(nil)], in: self.context(plain))
        #expect(other.dump.first?.hasPrefix(body.hasPrefix("[") ? "failed" : "unknown") == true, "\(other.dump)")
    }

    private func context(_ transport: any HTTPTransport) -> SyncContext { SObjectTargetsTests.context(transport) }
}
