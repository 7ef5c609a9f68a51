// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// A request for the thread of the transport, with the receiver of its response.
struct CurlExchange: Sendable {
    /// The receiver of the response; it is called on the thread of the transport.
    enum Receiver: Sendable {
        /// Waits for the whole response.
        case whole(Promise<Result<HTTPAnswer, any Error>>, watcher: (@Sendable (HTTPAnswer) -> Void)?)
        /// Receives the body piece by piece.
        case pipe(BodyPipe)
    }

    let id: UInt64
    let request: CurlRequest
    let receiver: Receiver
    let cancellation: CancellationFlag

    /// Ends an exchange that was never started.
    func fail(_ error: any Error) {
        switch receiver {
        case .whole(let answer, _): answer.resolve(.failure(error))
        case .pipe(let pipe): pipe.end(error)
        }
    }
}

/// Whether the caller has cancelled a request; set once.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}
