// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation

/// The format of dynamic libraries on this platform.
///
/// The dynamic loader checks little: it ends the process with a signal if a file is shorter than its own headers say.
enum LibraryFormat {
    /// Returns what keeps the bytes from being a complete library of this platform; nil for nothing.
    static func fault(in file: Data) -> String? {
        #if canImport(Darwin)
        let magics: [[UInt8]] = [[0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE]]
        return magics.contains { file.starts(with: $0) } ? nil : "it is not a dynamic library"
        #else
        return faultInELF(file)
        #endif
    }

    /// Checks a 64-bit ELF file with little-endian numbers, the format of all Linux systems that Swift supports.
    static func faultInELF(_ file: Data, machine: UInt16 = hostMachine) -> String? {
        let bytes = ELFBytes(data: file)
        guard file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), bytes.number(2, at: 16) == 3,
            let headers = bytes.number(8, at: 32), let size = bytes.number(2, at: 54),
            let count = bytes.number(2, at: 56),
            size >= 56
        else { return "it is not a dynamic library" }
        guard let found = bytes.number(2, at: 18), found == machine else {
            return "it is a library for another processor"
        }
        for index in 0..<count {
            let (product, overflow) = index.multipliedReportingOverflow(by: size)
            let (header, tooFar) = headers.addingReportingOverflow(product)
            guard !overflow, !tooFar, let offset = bytes.number(8, at: header &+ 8),
                let length = bytes.number(8, at: header &+ 32)
            else { return "the file is incomplete" }
            let (end, isBeyond) = offset.addingReportingOverflow(length)
            guard !isBeyond, end <= UInt64(file.count) else { return "the file is incomplete" }
        }
        return nil
    }

    /// The number of this processor in ELF files.
    static var hostMachine: UInt16 {
        #if arch(x86_64)
        62
        #elseif arch(arm64)
        183
        #else
        0
        #endif
    }
}

/// Reads numbers of an ELF file.
private struct ELFBytes {
    let data: Data

    /// Returns the little-endian number at an offset; nil if the file ends before.
    func number(_ size: UInt64, at offset: UInt64) -> UInt64? {
        let (end, overflow) = offset.addingReportingOverflow(size)
        guard !overflow, end <= UInt64(data.count), let start = Int(exactly: offset) else { return nil }
        return (0..<Int(size)).reversed().reduce(0) { $0 << 8 | UInt64(data[data.startIndex + start + $1]) }
    }
}

#endif
