// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl

/// Parses URLs with libcurl, so that a check and the request after it interpret a URL in the same way.
enum CurlURL {
    /// Returns the scheme, the host in lower case and the port, for comparison; nil for a URL that is not http or
    /// https, is malformed, or contains a user.
    static func server(of url: String) -> String? {
        reading(url) { parts in
            guard let scheme = parts[CURLUPART_SCHEME, 0], scheme == "http" || scheme == "https",
                let host = parts[CURLUPART_HOST, 0], let port = parts[CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)],
                parts[CURLUPART_USER, 0] == nil, parts[CURLUPART_PASSWORD, 0] == nil
            else { return nil }
            return "\(scheme)://\(host.lowercased()):\(port)"
        }
    }

    /// Returns the absolute form of a URL that may be relative to `base`.
    static func resolved(_ location: String, against base: String) -> String? {
        reading(base) { parts in
            guard parts.set(location) else { return nil }
            return parts[CURLUPART_URL, 0]
        }
    }

    private static func reading(_ url: String, _ body: (borrowing Parts) -> String?) -> String? {
        guard let parts = Parts() else { return nil }
        return parts.set(url) ? body(parts) : nil
    }

    /// A parsed URL of libcurl.
    private struct Parts: ~Copyable {
        private let handle: OpaquePointer

        init?() {
            guard let handle = curl_url() else { return nil }
            self.handle = handle
        }

        deinit { curl_url_cleanup(handle) }

        func set(_ url: String) -> Bool {
            !url.utf8.contains(0) && curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
        }

        subscript(part: CURLUPart, flags: UInt32) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
    }
}
