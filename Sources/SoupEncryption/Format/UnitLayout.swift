// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

/// The division of a file's content into units.
///
/// The stored units follow each other in the same order, each longer by ``UnitCipher/overhead``. The last unit of a
/// file can be shorter.
package enum UnitLayout: Sendable, Hashable {
    /// Units of one length.
    case uniform(Int)
    /// The parts of a write-ahead log, as SQLite writes them: its header, and for each frame the header and the page.
    ///
    /// A write then never encrypts committed content again, so that an interrupted write cannot damage it.
    case log(pageSize: Int)

    /// The lengths of the two headers in a log.
    package static let logHeader = 32
    package static let frameHeader = 24

    /// A unit, by its position in the content.
    struct Unit: Hashable {
        var index: UInt64
        /// The offset of its first byte in the content.
        var start: Int64
        /// The number of bytes of content, if it is not the last one.
        var length: Int

        var end: Int64 { start + Int64(length) }
        /// The offset of the stored unit from the first one.
        var storedStart: Int64 { start + Int64(index) * Int64(UnitCipher.overhead) }
    }

    /// Returns the unit with the byte at an offset of the content.
    func unit(at offset: Int64) -> Unit {
        switch self {
        case .uniform(let length):
            let index = offset / Int64(length)
            return Unit(index: UInt64(index), start: index * Int64(length), length: length)
        case .log(let pageSize):
            let header = Int64(Self.logHeader)
            if offset < header { return Unit(index: 0, start: 0, length: Self.logHeader) }
            let frameLength = Int64(Self.frameHeader + pageSize)
            let frame = (offset - header) / frameLength
            let start = header + frame * frameLength
            return offset - start < Int64(Self.frameHeader)
                ? Unit(index: UInt64(1 + 2 * frame), start: start, length: Self.frameHeader)
                : Unit(index: UInt64(2 + 2 * frame), start: start + Int64(Self.frameHeader), length: pageSize)
        }
    }

    /// Returns the length of the content that is stored in a number of bytes; an incomplete unit without content is not
    /// counted.
    package func contentLength(stored: Int64) -> Int64 {
        let overhead = Int64(UnitCipher.overhead)
        switch self {
        case .uniform(let length):
            let whole = stored / (Int64(length) + overhead)
            return whole * Int64(length) + max(0, stored % (Int64(length) + overhead) - overhead)
        case .log(let pageSize):
            let header = Int64(Self.logHeader)
            guard stored >= header + overhead else { return max(0, stored - overhead) }
            let frameHeader = Int64(Self.frameHeader)
            let frameLength = frameHeader + Int64(pageSize)
            let rest = stored - header - overhead
            let frames = rest / (frameLength + 2 * overhead)
            let part = rest % (frameLength + 2 * overhead)
            let partLength =
                part < frameHeader + overhead
                ? max(0, part - overhead) : frameHeader + max(0, part - frameHeader - 2 * overhead)
            return header + frames * frameLength + partLength
        }
    }

    /// Returns the number of bytes that content of a length is stored in.
    func storedLength(content: Int64) -> Int64 {
        guard content > 0 else { return 0 }
        let last = unit(at: content - 1)
        return last.storedStart + (content - last.start) + Int64(UnitCipher.overhead)
    }
}

#endif
