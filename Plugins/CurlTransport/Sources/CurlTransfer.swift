// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl
internal import HTTPTypes
internal import SoupCore

/// One exchange while it is in progress; used only by the thread of the transport.
///
/// libcurl calls it with the parts of the response. It decides whether to accept them, and determines the result at the
/// end.
final class CurlTransfer {
    let exchange: CurlExchange
    let limits: TransportLimits
    /// The request to send; its URL changes when a redirect is followed.
    var request: CurlRequest
    /// Whether bytes were sent or received since the loop last checked.
    var wasActive = true
    /// Whether libcurl waits until the pipe has room.
    private(set) var isPaused = false
    /// The URL of the redirect to follow when the response has ended.
    private(set) var redirect: String?
    /// The number of times that libcurl has sent the request; above 0 the server may have received it.
    private var timesSent = 0
    private var head = AnswerHead()
    private var body = BodyBuffer()
    private var decoder: GzipDecoder?
    /// The number of bytes that were already processed of a piece that libcurl delivers again.
    private var alreadyUsed = 0
    private var redirectBytes = 0
    private var uploaded: Int64 = 0
    private var watcher: (@Sendable (HTTPAnswer) -> Void)?
    private var ending: (any Error)?

    init(_ exchange: CurlExchange, limits: TransportLimits) {
        self.exchange = exchange
        self.limits = limits
        request = exchange.request
        if case .whole(_, let watcher) = exchange.receiver { self.watcher = watcher }
    }

    /// Ends the exchange with this error; only the first error counts.
    ///
    /// - Returns: false, the value that ends a transfer.
    @discardableResult
    func fail(_ error: any Error) -> Bool {
        ending = ending ?? error
        return false
    }

    /// Prepares the next request, to the redirect's URL.
    func follow(_ url: String) {
        request.url = url
        redirect = nil
        head = AnswerHead()
        redirectBytes = 0
    }

    /// Returns whether the request may be sent; called when a connection is ready.
    ///
    /// A second call for one request means that the connection broke before the response and libcurl is about to repeat
    /// the request. A request that writes must not be repeated: the server may have carried it out.
    ///
    /// - Returns: whether the request may be sent.
    func willSend() -> Bool {
        guard timesSent == 0 || request.isSafe else {
            return fail(SoupError.network(.unknown, "the server closed the connection before it responded"))
        }
        timesSent += 1
        wasActive = true
        return true
    }

    /// Records progress; called when bytes of the request may have been sent.
    func progressed(uploaded count: Int64) {
        guard count != uploaded else { return }
        uploaded = count
        wasActive = true
    }

    /// Reads a line of the head.
    ///
    /// - Returns: whether the exchange continues.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
        wasActive = true
        switch head.add(Array(line)) {
        case .incomplete: return true
        case .completed: return begin()
        case .tooLong: return fail(Self.headTooLong)
        }
    }

    private func begin() -> Bool {
        guard var response = head.response else { return true }
        let location = response.headerFields[.location]
        redirect = request.redirect(response.status.code, to: location)
        guard redirect == nil else { return true }
        let encoding = response.headerFields[.contentEncoding]?.lowercased() ?? "identity"
        let hasBody = request.method != "HEAD" && ![204, 304].contains(response.status.code)
        switch encoding {
        case "gzip", "x-gzip", "deflate":
            guard hasBody else { break }
            decoder = GzipDecoder()
            guard decoder != nil else { return fail(SoupError.network(.unknown, "there is no memory to decompress")) }
        case "identity", "": break
        default:
            guard hasBody else { break }
            return fail(
                SoupError.network(
                    .unknown,
                    "the body of the answer is encoded as \"\(encoding.excerpt(40))\", which was not requested"
                ))
        }
        if decoder != nil {
            // These fields describe the compressed body.
            response.headerFields[.contentEncoding] = nil
            response.headerFields[.contentLength] = nil
        }
        head.response = response
        switch exchange.receiver {
        case .pipe(let pipe): pipe.begin(response)
        case .whole:
            guard decoder == nil, hasBody, let length = response.announcedLength, length > 0 else { break }
            guard length <= limit else { return fail(tooLong) }
            body.expect(length)
        }
        return true
    }

    /// The result of receiving a piece of the body.
    enum Reception { case taken, paused, refused }

    /// Reads a piece of the body as received.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        wasActive = true
        guard redirect == nil else {
            // The body is ignored. A short one is read to its end, so that the connection can be reused.
            redirectBytes += bytes.count
            return redirectBytes <= 64 * 1024 ? .taken : .refused
        }
        if case .pipe(let pipe) = exchange.receiver, pipe.isFull() { return pause(after: 0) }
        guard let decoder else {
            _ = take(bytes)
            return ending == nil ? .taken : .refused
        }
        let fresh = UnsafeRawBufferPointer(rebasing: bytes[min(alreadyUsed, bytes.count)...])
        switch decoder.decode(fresh, receive: take) {
        case .done:
            alreadyUsed = 0
            return .taken
        case .damaged:
            fail(SoupError.network(.unknown, "the compressed body of the answer is damaged"))
            return .refused
        case .stopped(let position):
            return ending == nil ? pause(after: position) : .refused
        }
    }

    private func pause(after position: Int) -> Reception {
        alreadyUsed += position
        isPaused = true
        return .paused
    }

    /// Allows libcurl to deliver more bytes.
    func resume() {
        isPaused = false
        wasActive = true
    }

    /// Passes bytes of the decompressed body to the receiver.
    ///
    /// - Returns: whether the receiver can take more immediately.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch exchange.receiver {
        case .pipe(let pipe):
            pipe.add(bytes)
            return !pipe.isFull()
        case .whole:
            guard bytes.count <= limit - body.count else { return fail(tooLong) }
            body.append(bytes)
            if let watcher, let response = head.response, body.count >= HTTPAnswer.beginningBytes {
                self.watcher = nil
                watcher(HTTPAnswer(response, body: body.beginning(HTTPAnswer.beginningBytes)))
            }
            return true
        }
    }

    private var limit: Int { decoder == nil ? limits.maximumAnswerBytes : limits.maximumDecompressedBytes }

    private var tooLong: SoupError {
        .answerTooLong("the answer of the server", limit: limit)
    }

    static var headTooLong: SoupError {
        .answerTooLong(
            "the head of the answer", limit: AnswerHead.maximumBytes,
            hint: "Check the URL of the server: the answers of an API have short heads.")
    }

    /// Passes the result to the caller; called once, when libcurl has ended the transfer.
    func end(_ code: CURLcode, _ text: String) {
        let error = error(code, text)
        switch exchange.receiver {
        case .pipe(let pipe): pipe.end(error)
        case .whole(let answer, _):
            if let error {
                answer.resolve(.failure(error))
            } else {
                let head = head.response ?? HTTPResponse(status: 500)
                answer.resolve(.success(HTTPAnswer(head, body: body.take())))
            }
        }
    }

    private func error(_ code: CURLcode, _ text: String) -> (any Error)? {
        if let ending { return ending }
        if code == CURLE_OK {
            guard head.isComplete else {
                return SoupError.network(.unknown, "the connection ended inside of the head of the answer")
            }
            guard decoder?.isComplete ?? true else {
                return SoupError.network(.unknown, "the compressed body of the answer ends too early")
            }
            return nil
        }
        if code == CURLE_OPERATION_TIMEDOUT { return timeout }
        // libcurl reports a line that is too long for its buffer as out of memory.
        if code == CURLE_OUT_OF_MEMORY, timesSent > 0, !head.isComplete { return Self.headTooLong }
        return failure(text)
    }

    /// The error for a server that has sent nothing for too long.
    var timeout: SoupError { failure("the server did not answer in time") }

    private func failure(_ reason: String) -> SoupError {
        guard timesSent == 0 else { return SoupError.network(.unknown, reason) }
        return SoupError.network(.notSent, reason, hint: "Check the URL of the server and the connection.")
    }
}
