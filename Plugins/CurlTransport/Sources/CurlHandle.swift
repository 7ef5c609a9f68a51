// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl
internal import SoupCore

/// An easy handle of libcurl, with the memory that it points to.
///
/// It is used for one transfer after another, and only by the thread of the transport.
final class CurlHandle {
    /// The number of bytes that libcurl reads from a connection at a time.
    private static let bufferSize = 256 * 1024
    /// The maximum idle time, in seconds, of a connection that a request that writes reuses.
    ///
    /// A request that is sent while the server closes the connection ends with an unknown delivery. Many servers close
    /// after 5 seconds.
    private static let maximumIdleForWrites = 4

    let easy: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var body: UnsafeMutableRawBufferPointer?

    /// Returns nil if there is no memory.
    init?() {
        guard let easy = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.easy = easy
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        release()
        errorText.deallocate()
    }

    /// Returns libcurl's description of an error.
    func text(of code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// Resets the handle after a transfer; the connection is kept.
    func reset() {
        curl_easy_reset(easy)
        release()
    }

    private func release() {
        curl_slist_free_all(fields)
        fields = nil
        body?.deallocate()
        body = nil
    }

    /// Sets every option for the transfer's request.
    ///
    /// - Parameter milliseconds: the remaining time for the exchange.
    /// - Returns: whether libcurl accepts all of them.
    func prepare(for transfer: CurlTransfer, _ configuration: LibcurlTransport.Configuration, milliseconds: Int) -> Bool
    {
        reset()
        errorText.pointee = 0
        let request = transfer.request
        var failed = soup_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        failed |= setConnection(configuration, milliseconds: milliseconds)
        failed |= setRequest(request)
        if !request.isSafe { failed |= soup_curl_set_number(easy, CURLOPT_MAXAGE_CONN, Self.maximumIdleForWrites) }
        failed |= soup_curl_set_callbacks(
            easy, Unmanaged.passUnretained(transfer).toOpaque(), CurlCallbacks.head, CurlCallbacks.body,
            CurlCallbacks.progress, CurlCallbacks.beforeRequest)
        return failed == 0
    }

    private func setConnection(_ configuration: LibcurlTransport.Configuration, milliseconds: Int) -> Int32 {
        // No signals, because they belong to the app. The loop follows redirects, because it checks them.
        var failed = soup_curl_set_number(easy, CURLOPT_NOSIGNAL, 1)
        failed |= soup_curl_allow_http(easy)
        // All exchanges share one thread, which must not wait for the name service.
        soup_curl_leave_resolver(easy)
        failed |= soup_curl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0)
        failed |= soup_curl_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        failed |= soup_curl_set_number(easy, CURLOPT_PIPEWAIT, 1)
        failed |= soup_curl_set_number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        failed |= soup_curl_set_number(easy, CURLOPT_BUFFERSIZE, Self.bufferSize)
        failed |= soup_curl_set_number(easy, CURLOPT_TCP_KEEPALIVE, 1)
        failed |= soup_curl_set_number(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        let connecting = min(milliseconds, CurlLoop.milliseconds(configuration.limits.idleTimeout))
        failed |= soup_curl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, connecting)
        failed |= soup_curl_set_number(easy, CURLOPT_TIMEOUT_MS, milliseconds)
        if let proxy = configuration.proxy { failed |= soup_curl_set_text(easy, CURLOPT_PROXY, proxy) }
        if let file = configuration.certificateFile { failed |= soup_curl_set_text(easy, CURLOPT_CAINFO, file) }
        return failed
    }

    private func setRequest(_ request: CurlRequest) -> Int32 {
        var failed = soup_curl_set_text(easy, CURLOPT_URL, request.url)
        failed |= soup_curl_set_number(easy, CURLOPT_PATH_AS_IS, 1)
        failed |= soup_curl_set_number(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        for field in request.fields {
            guard let longer = curl_slist_append(fields, field) else { return 1 }
            fields = longer
        }
        failed |= soup_curl_set_fields(easy, fields)
        if let bytes = request.body {
            // A copy: libcurl reads it until the transfer has ended. An empty body needs an address as well.
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
            copy.copyBytes(from: bytes)
            body = copy
            failed |= soup_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
            failed |= soup_curl_set_pointer(easy, CURLOPT_POSTFIELDS, copy.baseAddress)
        }
        if request.method == "HEAD" {
            failed |= soup_curl_set_number(easy, CURLOPT_NOBODY, 1)
        } else {
            failed |= soup_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
        return failed
    }
}
