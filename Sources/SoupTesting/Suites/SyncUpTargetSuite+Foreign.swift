// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A response from an intermediary instead of the server.
struct ForeignAnswer: Sendable, CustomStringConvertible {
    var status: Int
    var body: String

    static let page = "<html><body>not the server</body></html>"

    /// Typical responses of gateways, proxies and login pages.
    static let all = [
        ForeignAnswer(status: 404, body: page), ForeignAnswer(status: 404, body: ""),
        ForeignAnswer(status: 404, body: #"{"gateway":"no route"}"#), ForeignAnswer(status: 400, body: page),
        ForeignAnswer(status: 302, body: ""), ForeignAnswer(status: 307, body: ""),
        ForeignAnswer(status: 401, body: page),
        ForeignAnswer(status: 408, body: page), ForeignAnswer(status: 413, body: page),
        ForeignAnswer(status: 200, body: page),
    ]

    var description: String {
        "HTTP \(status) with " + (body.isEmpty ? "an empty body" : body == Self.page ? "an HTML page" : body)
    }
}

extension SyncUpTargetSuite {
    /// Checks that a gateway's response to a push leaves the outcome of the changes unknown.
    func checkForeignAnswers(
        _ target: Target, pushing batch: [RecordChange], at number: Int, of requests: Int,
        _ report: inout SuiteReport
    ) async {
        let place = "request \(number + 1) of \(requests) (\(batch[0].kind.rawValue))"
        for answer in ForeignAnswer.all {
            let situation = "\(place): the server applied the changes, and a gateway responded with \(answer)"
            let transport = self.transport { count, _ in
                count == number ? .foreign(status: answer.status, body: answer.body) : nil
            }
            let outcomes = await report.expect(
                "\(situation), and push",
                rule: "return .unknown for the changes of the request, because an error means that none was sent"
            ) { try await target.push(batch, in: context(transport)) }
            guard let outcomes else { continue }
            checkShape(of: outcomes, for: batch, when: situation, &report)
            checkForeignAnswer(outcomes, of: requests, when: situation, &report)
            report.require(
                batch[0].kind != .create || transport.count <= requests,
                "\(situation), and push made \(transport.count) requests instead of \(requests): do not send creations again in "
                    + "the same push, because this creates a second record, and return .unknown for them")
        }
    }

    /// Checks that a page of a gateway with status 200 does not count as success: the server made no change.
    func checkGatewaySuccess(
        _ target: Target, pushing batch: [RecordChange], at number: Int, of requests: Int,
        _ report: inout SuiteReport
    ) async {
        let situation =
            "request \(number + 1) of \(requests) (\(batch[0].kind.rawValue)): a gateway responded with HTTP 200 with an HTML "
            + "page, and the server did not receive the request"
        let transport = self.transport { count, _ in
            count == number ? .refused(status: 200, body: ForeignAnswer.page) : nil
        }
        let outcomes = await report.expect(
            "\(situation), and push", rule: "return .unknown for the changes of the request"
        ) { try await target.push(batch, in: context(transport)) }
        guard let outcomes else { return }
        checkShape(of: outcomes, for: batch, when: situation, &report)
        let flat = outcomes.flatMap(\.withDescendants)
        let isUnknown = flat.contains { if case .unknown = $0.result { true } else { false } }
        report.require(
            isUnknown && (requests > 1 || !flat.contains { $0.result == .ok }),
            "\(situation), and the outcomes are \(flat.map(\.result.quoted)): treat only the server's own form as a success, "
                + "because the entry is then marked as clean, and return .unknown for the changes of the request")
    }

    private func checkForeignAnswer(
        _ outcomes: [PushOutcome], of requests: Int, when situation: String, _ report: inout SuiteReport
    ) {
        let flat = outcomes.flatMap(\.withDescendants)
        let isGone = flat.contains { if case .failed(let failure) = $0.result { failure.isGone } else { false } }
        report.require(
            !isGone,
            "\(situation), and the failure has isGone: set isGone only if the server reports in its own form that it does not "
                + "have the record, because the record is then deleted or recreated")
        let isUnknown = flat.contains { if case .unknown = $0.result { true } else { false } }
        report.require(
            isUnknown || flat.allSatisfy { $0.result == .ok },
            "\(situation), and no outcome is unknown, \(flat.map(\.result.quoted)): treat only the server's own form as a "
                + "refusal, and return .unknown for the changes of the request")
        if requests == 1 {
            report.require(
                !flat.contains { if case .failed = $0.result { true } else { false } },
                "\(situation), and changes are reported as refused, \(flat.map(\.result.quoted)): treat only the server's own "
                    + "form as a refusal, and return .unknown for the changes of the request")
        }
    }

    /// Checks creations without a valid ID in the response: they may be on the server, and cannot be found there.
    func checkUnusableIds(
        _ target: Target, pushing batch: [RecordChange], accepted: AcceptedPush, _ report: inout SuiteReport
    ) async {
        guard batch.contains(where: { $0.kind == .create }) else { return }
        let keys = Set((["id", target.idField] + (target.layout?.levels.map(\.idField) ?? [])).map { $0.lowercased() })
        let ids = Set(accepted.outcomes.flatMap(\.withDescendants).compactMap(\.serverId))
        for text in ["", "local_1", "a\u{1}"] {
            let situation = "the server applied creations, and its response has \(JSONValue.string(text)) for each ID"
            let transport = self.transport { _, _ in .renamed(to: text, keys: keys, ids: ids) }
            let outcomes = await report.expect(
                "\(situation), and push", rule: "return .unknown for these creations"
            ) {
                try await target.push(batch, in: context(transport))
            }
            let created = zip(batch, outcomes ?? []).flatMap { Self.creations($0, $1) }
            let wrong = created.first { $0.result == .ok && !($0.serverId.map(ServerId.isPossible) ?? false) }
            report.require(
                wrong == nil,
                "\(situation), and an outcome is .ok with \(wrong?.serverId.map { "\(JSONValue.string($0))" } ?? "no ID"): "
                    + "return .unknown for a creation without a valid ID (ServerId.isPossible)")
        }
    }

    private static func creations(_ change: RecordChange, _ outcome: PushOutcome) -> [PushOutcome] {
        (change.kind == .create ? [outcome] : [])
            + zip(change.children, outcome.children).flatMap { creations($0, $1) }
    }

    /// Checks that the server's own refusal of a wrong path does not count as missing records.
    func checkWrongPath(
        _ target: Target, with batch: [RecordChange], _ report: inout SuiteReport
    ) async {
        guard let wrongPath else { return }
        let answer = (status: wrongPath.status, body: String(decoding: wrongPath.body, as: UTF8.self))
        let transport = self.transport { _, _ in .refused(status: answer.status, body: answer.body) }
        let situation = "the server responds to every request as for a wrong path"
        let rule = "request something that exists on the right path before you report a record as missing"
        if let outcomes = try? await target.push(batch, in: context(transport)) {
            let isGone = outcomes.flatMap(\.withDescendants).contains {
                if case .failed(let failure) = $0.result { failure.isGone } else { false }
            }
            report.require(!isGone, "\(situation), and push reports that a record is gone: \(rule)")
        }
        if let states = try? await target.serverStates(of: batch, in: context(transport)) {
            report.require(
                !states.contains(.deleted),
                "\(situation), and serverStates reports that a record is deleted: \(rule)")
        }
        if batch[0].kind == .create {
            let found = try? await target.findCreated(batch, in: context(transport))
            report.require(
                found?.contains(nil) != true,
                "\(situation), and findCreated reports that a record does not exist: \(rule)")
        } else {
            let records = try? await target.serverRecords(of: batch, in: context(transport))
            report.require(
                records?.contains(nil) != true,
                "\(situation), and serverRecords reports that a record does not exist: \(rule)")
        }
    }
}
