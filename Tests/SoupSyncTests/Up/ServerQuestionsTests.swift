// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The questions of a sync up to its target, and answers that do not fit.
@Suite struct ServerQuestionsTests {
    private func server(answers count: Int?) -> ServerQuestions {
        ServerQuestions(
            target: CountingTarget(configuration: .init(answers: count)),
            context: SyncContext(transport: ScriptedTransport([]), clock: ManualClock(), soup: "s"))
    }

    private func changes(_ count: Int) throws -> [RecordChange] {
        try (0..<count).map {
            RecordChange(.update, soup: "s", entryId: Int64($0 + 1), serverId: "r\($0)", record: try JSONText("{}"))
        }
    }

    @Test func `A question that the target cannot answer has no answer`() async throws {
        let server = server(answers: nil)
        #expect(try await server.states(of: changes(2)) == nil)
        #expect(try await server.idsOfCreated(changes(2)) == nil)
        #expect(try await server.records(of: changes(2)) == [.unsupported, .unsupported])
        #expect(try await server.records(of: []) == [])
    }

    @Test(arguments: [0, 1, 3])
    func `A wrong number of answers is an error of the target`(count: Int) async throws {
        let server = server(answers: count)
        let states = await #expect(throws: SoupError.self) { _ = try await server.states(of: changes(2)) }
        #expect(states?.code == .badTarget)
        #expect(states?.message == "target \"counting\" returned \(count) server states for 2 changes")
        let ids = await #expect(throws: SoupError.self) { _ = try await server.idsOfCreated(changes(2)) }
        #expect(ids?.message == "target \"counting\" returned \(count) ids for 2 changes")
        let records = try await server.records(of: changes(2))
        #expect(records.map { $0.error?.code } == [.badTarget, .badTarget])
        let outcomes = try await server.push(changes(2))
        #expect(outcomes.map { $0.unknownCode } == ["BAD_TARGET", "BAD_TARGET"])
    }

    @Test func `A right number of answers is returned as it is`() async throws {
        let server = server(answers: 2)
        #expect(try await server.states(of: changes(2)) == [.deleted, .deleted])
        #expect(try await server.idsOfCreated(changes(2)) == [nil, nil])
        #expect(try await server.records(of: changes(2)) == [.missing, .missing])
        #expect(try await server.push(changes(2)) == [.ok(), .ok()])
    }

    @Test func `A wrong number of child outcomes makes these unknown`() async throws {
        var parents = try changes(2)
        parents[0].children = try changes(1)
        let outcomes = try await server(answers: 2).push(parents)
        #expect(outcomes.map(\.result) == [.ok, .ok])
        #expect(outcomes.map { $0.children.map(\.unknownCode) } == [["BAD_TARGET"], []])
    }
}

/// A target that returns the same number of answers to every question.
private struct CountingTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        /// The number of answers; nil if the target cannot answer questions.
        var answers: Int?
    }

    static let name: PluginName = "counting"
    let answers: Int?

    init(configuration: Configuration) { answers = configuration.answers }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        Array(repeating: .ok(), count: answers ?? 0)
    }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        answers.map { Array(repeating: .deleted, count: $0) }
    }

    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        answers.map { Array(repeating: nil, count: $0) }
    }

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        answers.map { Array(repeating: nil, count: $0) }
    }
}

extension PushOutcome {
    /// The code of the reason why the outcome is unknown.
    fileprivate var unknownCode: String? { if case .unknown(let failure) = result { failure.code } else { nil } }
}
