// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupCore
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A delegate that collects the responses of a URLSession's tasks and resumes the caller of each.
///
/// It is a delegate instead of completion handlers because on Linux only a delegate can decide about redirects.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    /// The result of a task: the response, or the error.
    typealias Answer = Promise<Result<HTTPAnswer, any Error>>

    private struct Exchange {
        let answer = Answer()
        var response: HTTPURLResponse?
        var body: [UInt8] = []
        /// Receives the beginning of the response; nil if the caller did not request it, or has received it.
        var watcher: (@Sendable (HTTPAnswer) -> Void)?
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])
    private let limits: TransportLimits

    /// - Parameter limits: the maximum sizes of bodies.
    init(_ limits: TransportLimits) { self.limits = limits }

    /// Registers a task; call this before the task can end.
    ///
    /// - Returns: the result, which is available when the task has ended.
    func register(_ task: Int, showing beginning: (@Sendable (HTTPAnswer) -> Void)? = nil) -> Answer {
        let exchange = Exchange(watcher: beginning)
        exchanges.withLock { $0[task] = exchange }
        return exchange.answer
    }

    /// Ends a registered task; only the first result counts.
    func end(_ task: Int, _ end: Result<HTTPAnswer, any Error>) {
        exchanges.withLock { $0.removeValue(forKey: task) }?.answer.resolve(end)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let limit = self.limit(for: response as? HTTPURLResponse)
        guard response.expectedContentLength <= Int64(limit) else {
            end(dataTask.taskIdentifier, .failure(Self.tooLong(limit)))
            // FoundationNetworking ignores the disposition.
            dataTask.cancel()
            return completionHandler(.cancel)
        }
        exchanges.withLock { exchanges in
            exchanges[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse
            if response.expectedContentLength > 0 {
                exchanges[dataTask.taskIdentifier]?.body.reserveCapacity(
                    Int(min(response.expectedContentLength, 16 << 20)))
            }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let id = dataTask.taskIdentifier
        let (broken, due) = exchanges.withLock { exchanges -> (broken: Int?, due: Exchange?) in
            guard let length = exchanges[id]?.body.count else { return (nil, nil) }
            let limit = self.limit(for: exchanges[id]?.response)
            guard data.count <= limit - length else { return (limit, nil) }
            exchanges[id]?.body.append(contentsOf: data)
            guard let exchange = exchanges[id], exchange.watcher != nil,
                exchange.body.count >= HTTPAnswer.beginningBytes
            else { return (nil, nil) }
            exchanges[id]?.watcher = nil
            return (nil, exchange)
        }
        if let due, let response = due.response {
            due.watcher?(HTTPAnswer(Self.head(response), body: due.body).beginning)
        }
        guard let broken else { return }
        end(id, .failure(Self.tooLong(broken)))
        dataTask.cancel()
    }

    /// Returns the limit for a body: a compressed one has the lower limit.
    private func limit(for response: HTTPURLResponse?) -> Int {
        response?.value(forHTTPHeaderField: "Content-Encoding") == nil
            ? limits.maximumAnswerBytes : limits.maximumDecompressedBytes
    }

    /// Returns the error for a body over the limit.
    ///
    /// The server may have carried out the request, and a retry would fail in the same way, so the error is reported
    /// and not retried.
    private static func tooLong(_ limit: Int) -> SoupError { .answerTooLong("the answer of the server", limit: limit) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let first = task.originalRequest
        let reads = first?.httpMethod == "GET" || first?.httpMethod == "HEAD"
        let stays = Self.server(first?.url) != nil && Self.server(first?.url) == Self.server(request.url)
        completionHandler(reads && stays ? request : nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let id = task.taskIdentifier
        let (response, body) = exchanges.withLock { ($0[id]?.response, $0[id]?.body ?? []) }
        if let error {
            end(id, .failure(Self.failure(error)))
        } else if let response = response ?? (task.response as? HTTPURLResponse) {
            end(id, .success(HTTPAnswer(Self.head(response), body: body)))
        } else {
            end(id, .failure(SoupError.network(.unknown, "the response is not HTTP")))
        }
    }

    /// Returns scheme, host and port, for comparison.
    private static func server(_ url: URL?) -> String? {
        guard let url, let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else { return nil }
        return "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }

    private static func head(_ response: HTTPURLResponse) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            guard let name = HTTPField.Name("\(name)") else { continue }
            head.headerFields.append(HTTPField(name: name, value: "\(value)"))
        }
        if head.headerFields[.contentEncoding] != nil {
            // The body is already decompressed, so these headers no longer apply.
            head.headerFields[.contentEncoding] = nil
            head.headerFields[.contentLength] = nil
        }
        return head
    }

    /// Converts an error of the URL loading system to the error of the request.
    static func failure(_ error: any Error) -> any Error {
        guard let error = error as? URLError else { return SoupError.network(.unknown, "\(error)") }
        if error.code == .cancelled { return CancellationError() }
        let hint: String? = neverSent.contains(error.code) ? "Check the URL of the server and the connection." : nil
        let reason = error.code == .timedOut ? "the server did not answer in time" : error.localizedDescription
        return SoupError.network(neverSent.contains(error.code) ? .notSent : .unknown, reason, hint: hint)
    }

    /// The errors that occur before the first byte of a request is sent.
    private static let neverSent: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
        .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed, .serverCertificateHasBadDate,
        .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
        .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
    ]
}
