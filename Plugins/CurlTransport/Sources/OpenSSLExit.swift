// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The end of a process in which libcurl uses OpenSSL.
enum OpenSSLExit {
    /// OPENSSL_INIT_NO_ATEXIT of `openssl/crypto.h`.
    private static let noAtexit: UInt64 = 0x0008_0000

    /// The function that initializes OpenSSL; nil if it is not loaded.
    static var initialization: UnsafeMutableRawPointer? { dlsym(nil, "OPENSSL_init_crypto") }

    /// Asks OpenSSL not to free its state at the exit of the process.
    ///
    /// By default it does so in a function of `atexit`, while the threads of libcurl may still end and free their part
    /// of the same state: one exit of some hundreds was a segmentation fault. It has to be called before the first use
    /// of OpenSSL, and does nothing if libcurl has another TLS library.
    ///
    /// - Returns: whether OpenSSL has accepted it; false without OpenSSL.
    @discardableResult
    static func keepStateAtExit() -> Bool {
        guard let symbol = initialization else { return false }
        typealias Function = @convention(c) (UInt64, OpaquePointer?) -> Int32
        return unsafeBitCast(symbol, to: Function.self)(noAtexit, nil) == 1
    }
}
