// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl

/// The functions that libcurl calls, on the thread of the transport; each forwards the call to its transfer.
///
/// The loop keeps the transfer alive until libcurl has ended it.
enum CurlCallbacks {
    static let head: soup_curl_receive = { bytes, size, count, context in
        guard let transfer = transfer(context) else { return 0 }
        return transfer.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }

    static let body: soup_curl_receive = { bytes, size, count, context in
        guard let transfer = transfer(context) else { return 0 }
        switch transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
        case .taken: return size * count
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        // Any number other than the number of bytes ends the transfer; for no bytes, 0 would continue it.
        case .refused: return size * count == 0 ? 1 : 0
        }
    }

    static let progress: soup_curl_progress = { context, _, _, _, uploaded in
        guard let transfer = transfer(context) else { return 1 }
        transfer.progressed(uploaded: Int64(uploaded))
        return 0
    }

    static let beforeRequest: soup_curl_before_request = { context, _, _, _, _ in
        guard let transfer = transfer(context), transfer.willSend() else { return CURL_PREREQFUNC_ABORT }
        return CURL_PREREQFUNC_OK
    }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }
}
