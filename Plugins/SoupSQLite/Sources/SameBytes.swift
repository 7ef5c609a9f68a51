// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether both contain the same bytes, compared by words, because whole records are compared.
    func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        func difference(_ offset: Int) -> UInt64 {
            left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        while index + 32 <= count {
            let words = difference(index) | difference(index + 8) | difference(index + 16) | difference(index + 24)
            if words != 0 { return false }
            index += 32
        }
        while index + 8 <= count {
            if difference(index) != 0 { return false }
            index += 8
        }
        while index < count {
            if left[index] != right[index] { return false }
            index += 1
        }
        return true
    }

    /// Returns whether these are the bytes of a text.
    func hasSameBytes(as text: StaticString) -> Bool {
        hasSameBytes(as: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
