// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl
internal import SoupCore

/// An easy handle of libcurl with all that it points to.
///
/// It is used for one transfer after another, by the thread of the transport alone.
final class CurlHandle {
    /// How much libcurl reads from a connection at a time.
    private static let bufferSize = 256 * 1024
    /// For how long, in seconds, a connection may have been idle when a request that writes reuses it.
    ///
    /// A request that meets a connection in the moment when the server closes it ends with an unknown delivery. Many
    /// servers close after 5 seconds.
    private static let longestIdleForWrites = 4

    let easy: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var body: UnsafeMutableRawBufferPointer?

    /// Nil if there is no memory.
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

    /// What libcurl says about an error.
    func text(of code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// Forgets the transfer before; the connection stays.
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
    /// - Parameter milliseconds: how long the exchange may take from now on.
    /// - Returns: whether libcurl accepts all of them.
    func prepare(for transfer: CurlTransfer, _ configuration: LibcurlTransport.Configuration, milliseconds: Int) -> Bool
    {
        reset()
        errorText.pointee = 0
        let request = transfer.request
        var failed = soup_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        failed |= setConnection(configuration, milliseconds: milliseconds)
        failed |= setRequest(request)
        if !request.isSafe { failed |= soup_curl_set_number(easy, CURLOPT_MAXAGE_CONN, Self.longestIdleForWrites) }
        failed |= soup_curl_set_callbacks(
            easy, Unmanaged.passUnretained(transfer).toOpaque(), CurlCallbacks.head, CurlCallbacks.body,
            CurlCallbacks.progress, CurlCallbacks.beforeRequest)
        return failed == 0
    }

    private func setConnection(_ configuration: LibcurlTransport.Configuration, milliseconds: Int) -> Int32 {
        // No signals: they would belong to the app. Redirects are followed by the loop, which checks them.
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
            // A copy: libcurl reads it until the transfer has ended. An empty body needs an address, too.
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
