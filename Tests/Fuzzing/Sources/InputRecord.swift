// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The input under way, in a file that outlives a crash: what was written to shared memory the system keeps.
///
/// `@unchecked` because the mapped memory has no type that says it is used by one thread only, and it is: by the loop.
final class InputRecord: @unchecked Sendable {
    static let capacity = 1 << 18
    private static let header = 16
    private let memory: UnsafeMutableRawPointer
    private let size = InputRecord.capacity + InputRecord.header

    /// Makes the file, or empties it.
    init(path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0, ftruncate(file, off_t(size)) == 0 else { throw Violation("\(path) cannot be written") }
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        guard let mapped, mapped != MAP_FAILED else { throw Violation("\(path) cannot be mapped") }
        memory = mapped
    }

    deinit { munmap(memory, size) }

    /// Notes the input that is about to run.
    func note(_ input: [UInt8], kind: Int) {
        memory.storeBytes(of: UInt32(kind + 1), as: UInt32.self)
        memory.storeBytes(of: UInt32(input.count), toByteOffset: 4, as: UInt32.self)
        input.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            (memory + Self.header).copyMemory(from: start, byteCount: min(bytes.count, Self.capacity))
        }
    }

    /// Notes that nothing is under way.
    func clear() { memory.storeBytes(of: 0, as: UInt32.self) }

    /// What was under way when the process that wrote the file ended; nil when nothing was.
    static func recover(path: String) throws -> (kind: Int, input: [UInt8])? {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        guard bytes.count >= header else { return nil }
        let numbers = bytes.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt32.self), $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        }
        guard numbers.0 > 0 else { return nil }
        return (Int(numbers.0) - 1, Array(bytes.dropFirst(header).prefix(Int(numbers.1))))
    }
}
