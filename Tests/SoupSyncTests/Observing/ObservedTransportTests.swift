// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

@Suite struct ObservedTransportTests {
    /// Notes each activity with its result.
    private final class Notes: SyncObserver {
        let lines = Mutex<[String]>([])

        func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async {
            let result = await work()
            let line =
                "\(activity.kind) \(activity.method ?? "") \(activity.connection ?? "-") \(activity.transport ?? "-"): "
                + "\(result.outcome) \(result.status ?? 0), \(result.bytesSent) sent, \(result.bytesReceived) received, "
                + "\(result.retries) retries"
            lines.withLock { $0.append(line) }
        }

        func observed(_ transport: any HTTPTransport) -> SyncConnection {
            SyncConnection(transport: transport, transportName: "test").observed(
                SyncObservation(
                    observer: self,
                    definition: SyncDefinition(type: .syncUp, soup: "contacts", target: .init([:])), target: "rest",
                    masked: { $0 }),
                name: "kinto")
        }
    }

    private static let request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/notes")

    @Test func `A request is observed with its sizes and retries`() async throws {
        let notes = Notes()
        let base = ScriptedTransport { _ in
            RequestRetries.current?.note()
            return HTTPAnswer(status: 201, #"{"id": 1}"#)
        }
        let answer = try await notes.observed(base).transport.send(Self.request, body: Array("abc".utf8))
        #expect(answer.status == 201)
        #expect(
            notes.lines.withLock { $0 } == ["request POST kinto test: done 201, 3 sent, 9 received, 1 retries"])
    }

    @Test func `A failed request has no status`() async throws {
        let notes = Notes()
        let base = ScriptedTransport([.fail(.unknown)])
        await #expect(throws: SoupError.self) {
            try await notes.observed(base).transport.send(Self.request, body: nil)
        }
        #expect(notes.lines.withLock { $0 } == ["request POST kinto test: failed 0, 0 sent, 0 received, 0 retries"])
    }

    @Test func `The size of a streamed body is reported at its end`() async throws {
        let notes = Notes()
        let base = ScriptedTransport { _ in HTTPAnswer(status: 200, #"{"id": 1}"#) }
        let stream = try await notes.observed(base).transport.stream(Self.request, body: nil)
        #expect(
            notes.lines.withLock { $0 } == ["request POST kinto test: done 200, 0 sent, 0 received, 0 retries"])
        let answer = try await stream.answer()
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"id": 1}"#)
        for try await _ in stream.body {}
        #expect(
            notes.lines.withLock { $0.dropFirst() } == [
                "streamedBody POST kinto test: done 0, 0 sent, 9 received, 0 retries"
            ])
    }

    @Test func `The secrets and the beginning are those of the base`() async throws {
        let notes = Notes()
        let mask = SecretMask(["secret"])
        let base = MaskedTransport(secretMask: mask)
        let transport = notes.observed(base).transport
        #expect(transport.secretMask?.masked("a secret") == "a ***")
        let shown = Mutex<[Int]>([])
        _ = try await transport.send(Self.request, body: nil) { answer in shown.withLock { $0.append(answer.status) } }
        #expect(shown.withLock { $0 } == [204])
    }

    private struct MaskedTransport: HTTPTransport {
        var secretMask: SecretMask?

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer { HTTPAnswer(status: 204) }

        func send(
            _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
        ) async throws -> HTTPAnswer {
            let answer = HTTPAnswer(status: 204)
            beginning(answer)
            return answer
        }
    }

    @Test func `Without an observation the transport is not wrapped`() throws {
        let base = ScriptedTransport([])
        let connection = SyncConnection(transport: base).observed(nil, name: "kinto")
        #expect((connection.transport as? ScriptedTransport) === base)
    }
}
