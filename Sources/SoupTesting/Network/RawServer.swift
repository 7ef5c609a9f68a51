// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// A server on the loopback address that responds with any bytes, correct HTTP or not.
///
/// Each connection has its own thread. The server records every request that arrived completely.
package final class RawServer: Sendable {
    /// A function that returns the reply to a request; called on the thread of the connection.
    package typealias Script = @Sendable (RawRequest) -> RawReply

    /// The port that the system chose.
    package let port: Int

    private struct State {
        var requests: [RawRequest] = []
        var connections: [Int: RawSocket] = [:]
        var count = 0
        var isStopped = false
        var sentBytes = 0
        /// The numbers of the connections that the client closed.
        var closings: Set<Int> = []
    }

    private let state = Mutex(State())
    private let script: Script

    /// - Throws: ``RawSocket/Failure`` if the system has no socket.
    package init(script: @escaping Script) throws {
        let listener = try RawSocket.listening()
        port = try listener.port()
        self.script = script
        Thread.detachNewThread { [self] in accept(listener) }
    }

    /// The authority of requests to the server.
    package var authority: String { "127.0.0.1:\(port)" }

    /// The requests that arrived completely, in the order of their arrival.
    package var requests: [RawRequest] { state.withLock { $0.requests } }

    /// The number of connections so far.
    package var connectionCount: Int { state.withLock { $0.count } }

    /// The number of bytes that the system has accepted from the server, in whole parts of replies.
    ///
    /// It stops growing if the client does not read and the buffers of the connection are full.
    package var sentBytes: Int { state.withLock { $0.sentBytes } }

    /// Returns whether the client has closed a connection while the server was sending on it, or was holding it open.
    package func hasClosed(_ connection: Int) -> Bool { state.withLock { $0.closings.contains(connection) } }

    /// Closes all connections and the port.
    package func stop() {
        let connections = state.withLock { state in
            state.isStopped = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.shutDown() }
        // The listening thread waits for a connection; this one ends the wait.
        _ = try? RawSocket.connected(to: port)
    }

    private func accept(_ listener: RawSocket) {
        while let socket = listener.accepted() {
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.count += 1
                state.connections[state.count] = socket
                return state.count
            }
            guard let number else { return }
            Thread.detachNewThread { [self] in
                serve(socket, number)
                state.withLock { $0.connections[number] = nil }
            }
        }
    }

    private func serve(_ socket: RawSocket, _ number: Int) {
        var pending: [UInt8] = []
        var index = 0
        while let (head, body) = socket.readRequest(&pending) {
            let request = RawRequest(head: head, body: body, connection: number, index: index)
            index += 1
            state.withLock { $0.requests.append(request) }
            let reply = script(request)
            guard reply.parts.allSatisfy({ send($0.bytes, times: $0.count, over: socket) }) else {
                return noteClosing(number)
            }
            switch reply.ending {
            case .keep: continue
            case .close: return
            case .reset: return socket.reset()
            case .hold:
                socket.waitForEnd()
                return noteClosing(number)
            }
        }
    }

    /// Returns whether all bytes were sent: false if the client closed the connection.
    private func send(_ bytes: [UInt8], times count: Int, over socket: RawSocket) -> Bool {
        (0..<count).allSatisfy { _ in
            guard socket.send(bytes) else { return false }
            state.withLock { $0.sentBytes += bytes.count }
            return true
        }
    }

    private func noteClosing(_ number: Int) { state.withLock { _ = $0.closings.insert(number) } }
}

/// A request as received.
package struct RawRequest: Sendable {
    /// The request line and the fields, as received.
    package var head: String
    package var body: [UInt8]
    /// Counted from 1.
    package var connection: Int
    /// The number of earlier requests on the same connection.
    package var index: Int

    package var line: String { String(head.prefix { $0 != "\r\n" && $0 != "\n" }) }
    package var method: String { String(line.prefix { $0 != " " }) }
    package var path: String { String(line.split(separator: " ").dropFirst().first ?? "") }

    /// Returns the values of a field; the case of its name is ignored.
    package func field(_ name: String) -> [String] {
        head.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
    }
}

/// The bytes of a response, and the state of the connection after it.
package struct RawReply: Sendable {
    package enum Ending { case keep, close, reset, hold }

    package var parts: [(bytes: [UInt8], count: Int)]
    package var ending: Ending

    /// Sends bytes; then the connection is kept for the next request, closed, reset, or held until the client
    /// closes it.
    package init(_ bytes: [UInt8], then ending: Ending = .keep) {
        parts = [(bytes, 1)]
        self.ending = ending
    }

    package init(_ text: String, then ending: Ending = .keep) { self.init(Array(text.utf8), then: ending) }

    /// Creates a response with a body of known length.
    package init(status: String = "200 OK", fields: [String] = [], body: [UInt8], then ending: Ending = .keep) {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
        self.init(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body, then: ending)
    }

    package init(status: String = "200 OK", fields: [String] = [], body: String = "", then ending: Ending = .keep) {
        self.init(status: status, fields: fields, body: Array(body.utf8), then: ending)
    }

    /// Appends the same bytes a number of times.
    package func followed(by bytes: [UInt8], times count: Int) -> RawReply {
        var reply = self
        reply.parts.append((bytes, count))
        return reply
    }
}
