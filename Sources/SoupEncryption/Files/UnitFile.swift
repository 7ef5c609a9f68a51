// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import SoupCore
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The content of an encrypted file: offsets and lengths are those of the content, as if it were not encrypted.
///
/// Its changes must not overlap: it is used by one thread at a time. Other handles and other processes can use the same
/// file; they must agree on who writes, as the connections of SQLite do.
package struct UnitFile<Raw: RawFile> {
    package let raw: Raw
    private let cipher: UnitCipher
    private let scratch: UnitMemory
    package let layout: UnitLayout
    /// The offset of the first unit.
    private let start: Int64

    /// Creates a handle for the units of a file.
    ///
    /// - Parameters:
    ///   - kind: the kind of content, which the units authenticate.
    ///   - start: the offset of the first unit, after the header.
    package init(_ raw: Raw, key: DataKey, kind: ContentKind, layout: UnitLayout, start: Int64 = 0) {
        self.init(raw, cipher: UnitCipher(key, kind), scratch: UnitMemory(), layout: layout, start: start)
    }

    private init(_ raw: Raw, cipher: UnitCipher, scratch: UnitMemory, layout: UnitLayout, start: Int64) {
        self.raw = raw
        self.cipher = cipher
        self.scratch = scratch
        self.layout = layout
        self.start = start
    }

    /// Returns the same file with another layout: the page size of a log is known when its header was read.
    package func with(_ layout: UnitLayout) -> UnitFile {
        UnitFile(raw, cipher: cipher, scratch: scratch, layout: layout, start: start)
    }

    /// Returns the length of the content.
    package func size() throws -> Int64 { layout.contentLength(stored: max(0, try raw.size() - start)) }

    /// Reads content at an offset; returns the number of bytes, which is less than that of the buffer at the end.
    ///
    /// - Throws: ``UnitIsDamaged``; the errors of the raw file.
    package func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        var done = 0
        while done < buffer.count {
            let position = offset + Int64(done)
            let unit = layout.unit(at: position)
            let skipped = Int(position - unit.start)
            let wanted = min(unit.length - skipped, buffer.count - done)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + wanted])
            let found: Int
            if skipped == 0 && wanted == unit.length {
                found = try readUnit(unit, into: target)
            } else {
                let content = try readUnit(unit)
                let part = content.dropFirst(skipped).prefix(wanted)
                target.copyBytes(from: part)
                found = part.count
            }
            done += found
            if found < wanted { break }
        }
        return done
    }

    /// Writes content at an offset; a gap between the end of the file and the offset is filled with zeros.
    ///
    /// - Throws: ``UnitIsDamaged`` if a unit of which only a part is replaced is damaged; the errors of the raw file.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        guard !bytes.isEmpty else { return }
        // A log grows by whole units, and no other process makes it shorter while this one writes to it.
        if case .log = layout, offset <= scratch.end.load(ordering: .relaxed) {
            let unit = layout.unit(at: offset)
            if offset == unit.start, bytes.count == unit.length {
                try seal(bytes, unit)
                return noteEnd(unit.end)
            }
        }
        let size = try size()
        if offset > size { try fill(from: size, to: offset) }
        try replace(bytes, at: offset, size: max(size, offset))
        noteEnd(offset + Int64(bytes.count))
    }

    /// Notes that the file has content up to an offset.
    private func noteEnd(_ offset: Int64) {
        if offset > scratch.end.load(ordering: .relaxed) { scratch.end.store(offset, ordering: .relaxed) }
    }

    /// Removes the content after a length, or adds zeros.
    package func truncate(to length: Int64) throws {
        let size = try size()
        guard length < size else { return try fill(from: size, to: length) }
        let unit = length == 0 ? nil : layout.unit(at: length - 1)
        if let unit, length < unit.end, length < size {
            // The last unit becomes shorter: it is sealed again before the rest is removed.
            let content = try readUnit(unit).prefix(Int(length - unit.start))
            try content.withUnsafeBytes { try seal($0, unit) }
        }
        try raw.truncate(to: start + layout.storedLength(content: length))
        scratch.end.store(length, ordering: .relaxed)
    }

    private func fill(from size: Int64, to end: Int64) throws {
        var position = size
        while position < end {
            let unit = layout.unit(at: position)
            let zeros = [UInt8](repeating: 0, count: Int(min(unit.end, end) - position))
            try zeros.withUnsafeBytes { try replace($0, at: position, size: position) }
            position += Int64(zeros.count)
        }
    }

    /// Seals the units of a range that begins at most at the end of the content.
    private func replace(_ bytes: UnsafeRawBufferPointer, at offset: Int64, size: Int64) throws {
        var done = 0
        while done < bytes.count {
            let position = offset + Int64(done)
            let unit = layout.unit(at: position)
            let skipped = Int(position - unit.start)
            let count = min(unit.length - skipped, bytes.count - done)
            let part = UnsafeRawBufferPointer(rebasing: bytes[done..<done + count])
            let present = Int(min(max(0, size - unit.start), Int64(unit.length)))
            if skipped == 0 && count >= present {
                try seal(part, unit)
            } else {
                var content = try readUnit(unit)
                if content.count < skipped + count {
                    content += [UInt8](repeating: 0, count: skipped + count - content.count)
                }
                content.replaceSubrange(skipped..<skipped + count, with: part)
                try content.withUnsafeBytes { try seal($0, unit) }
            }
            done += count
        }
    }

    private func seal(_ content: UnsafeRawBufferPointer, _ unit: UnitLayout.Unit) throws {
        try scratch.with(content.count + UnitCipher.overhead) { stored in
            try cipher.seal(content, at: unit.index, into: stored)
            try raw.write(UnsafeRawBufferPointer(stored), at: start + unit.storedStart)
        }
    }

    private func readUnit(_ unit: UnitLayout.Unit) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: unit.length) { buffer, count in
            count = try readUnit(
                unit,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<unit.length]))
        }
    }

    /// Reads a unit into memory for its whole content; returns the length of its content, which is 0 after the end.
    private func readUnit(_ unit: UnitLayout.Unit, into content: UnsafeMutableRawBufferPointer) throws -> Int {
        try scratch.with(unit.length + UnitCipher.overhead) { stored in
            let count = try raw.read(stored, at: start + unit.storedStart)
            guard count > UnitCipher.overhead else {
                // Less than a unit: the rest of an interrupted write, which SQLite has not counted yet.
                return 0
            }
            let length = count - UnitCipher.overhead
            try cipher.open(
                UnsafeMutableRawBufferPointer(rebasing: stored[..<count]), at: unit.index,
                into: UnsafeMutableRawBufferPointer(rebasing: content[..<length]))
            return length
        }
    }
}

extension UnitFile: Sendable where Raw: Sendable {}

/// The memory for one stored unit, which is used again and again, and what is known about the length of the file.
private final class UnitMemory: Sendable {
    private let memory = Mutex<[UInt8]>([])
    /// An offset up to which the file has content; it can have more.
    let end = Atomic<Int64>(0)

    /// Calls a function with memory of a length, which is valid during the call.
    func with<Result: Sendable>(
        _ length: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try memory.withLock { memory in
            if memory.count < length { memory = [UInt8](repeating: 0, count: length) }
            return try memory.withUnsafeMutableBytes {
                try body(UnsafeMutableRawBufferPointer(rebasing: $0[..<length]))
            }
        }
    }
}

#endif
