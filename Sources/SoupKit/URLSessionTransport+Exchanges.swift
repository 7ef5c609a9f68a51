// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupCore
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Gathers the answers of a URLSession's tasks and hands each to whoever waits for it.
///
/// A delegate, and not completion handlers, because only a delegate is asked about redirects on Linux.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    typealias Continuation = CheckedContinuation<HTTPAnswer, any Error>

    private struct Exchange {
        var continuation: Continuation
        var response: HTTPURLResponse?
        var body: [UInt8] = []
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])

    func begin(_ task: Int, _ continuation: Continuation) {
        exchanges.withLock { $0[task] = Exchange(continuation: continuation) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
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
        exchanges.withLock { $0[dataTask.taskIdentifier]?.body.append(contentsOf: data) }
    }

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
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let exchange else { return }
        if let error {
            exchange.continuation.resume(throwing: Self.failure(error))
        } else if let response = exchange.response ?? (task.response as? HTTPURLResponse) {
            exchange.continuation.resume(returning: HTTPAnswer(Self.head(response), body: exchange.body))
        } else {
            exchange.continuation.resume(throwing: SoupError.network(.unknown, "the answer is not HTTP"))
        }
    }

    /// Scheme, host and port, to compare.
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
            // The body has been unpacked: what these say of it is no longer true.
            head.headerFields[.contentEncoding] = nil
            head.headerFields[.contentLength] = nil
        }
        return head
    }

    /// What an error of the URL loading system means for a request.
    static func failure(_ error: any Error) -> any Error {
        guard let error = error as? URLError else { return SoupError.network(.unknown, "\(error)") }
        if error.code == .cancelled { return CancellationError() }
        let hint: String? = neverSent.contains(error.code) ? "Check the URL of the server and the connection." : nil
        let reason = error.code == .timedOut ? "the server did not answer in time" : error.localizedDescription
        return SoupError.network(neverSent.contains(error.code) ? .notSent : .unknown, reason, hint: hint)
    }

    /// Errors that come before the first byte of a request goes out.
    private static let neverSent: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
        .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed, .serverCertificateHasBadDate,
        .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
        .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
    ]
}
