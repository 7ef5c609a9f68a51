// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import SoupTesting
import Testing

@testable import SoupCommands

@Suite struct LibraryFormatTests {
    /// A library with one segment that spans the whole file.
    private static func library(machine: UInt16 = 62) -> Data {
        var file = Data(count: 200)
        func write(_ value: UInt64, _ size: Int, at offset: Int) {
            for index in 0..<size { file[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
        }
        file.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        write(3, 2, at: 16)  // A shared object.
        write(UInt64(machine), 2, at: 18)
        write(64, 8, at: 32)  // The headers of segments follow the header of the file.
        write(56, 2, at: 54)
        write(1, 2, at: 56)
        write(200, 8, at: 64 + 32)
        return file
    }

    @Test func `A complete library has no fault`() {
        #expect(LibraryFormat.faultInELF(Self.library(), machine: 62) == nil)
    }

    @Test func `A library for another processor is refused`() {
        #expect(
            LibraryFormat.faultInELF(Self.library(machine: 183), machine: 62) == "it is a library for another processor"
        )
    }

    @Test func `A library that ends early is refused`() {
        for length in 0..<200 {
            #expect(LibraryFormat.faultInELF(Self.library().prefix(length), machine: 62) != nil, "\(length)")
        }
    }

    /// Sizes and offsets near the largest numbers must not overflow.
    @Test func `Damaged numbers are no crash`() {
        for offset in 16..<120 {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var file = Self.library()
                for index in offset..<min(offset + 8, 120) { file[index] = value }
                _ = LibraryFormat.faultInELF(file, machine: 62)
            }
        }
    }
}

#endif
