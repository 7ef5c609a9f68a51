// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether both contain the same bytes.
    func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let bytes = baseAddress, let otherBytes = other.baseAddress else { return true }
        return memcmp(bytes, otherBytes, count) == 0
    }

    /// Returns whether these are the bytes of a text.
    func hasSameBytes(as text: StaticString) -> Bool {
        hasSameBytes(as: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
