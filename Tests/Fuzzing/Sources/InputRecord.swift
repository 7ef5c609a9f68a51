// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The running input, in a file that survives a crash, because the system writes shared memory to the file.
///
/// `@unchecked Sendable` because the type of the mapped memory does not state that only the loop's thread uses it.
final class InputRecord: @unchecked Sendable {
    static let capacity = 1 << 18
    private static let header = 16
    private let memory: UnsafeMutableRawPointer
    private let size = InputRecord.capacity + InputRecord.header

    /// Creates the file, or empties it.
    init(path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0, ftruncate(file, off_t(size)) == 0 else { throw Violation("\(path) cannot be written") }
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        guard let mapped, mapped != MAP_FAILED else { throw Violation("\(path) cannot be mapped") }
        memory = mapped
    }

    deinit { munmap(memory, size) }

    /// Records the input before it runs.
    func save(_ input: [UInt8], kind: Int) {
        memory.storeBytes(of: UInt32(kind + 1), as: UInt32.self)
        memory.storeBytes(of: UInt32(input.count), toByteOffset: 4, as: UInt32.self)
        input.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            (memory + Self.header).copyMemory(from: start, byteCount: min(bytes.count, Self.capacity))
        }
    }

    /// Records that no input is running.
    func clear() { memory.storeBytes(of: 0, as: UInt32.self) }

    /// Returns the input that was running when the process that wrote the file ended; nil if there was none.
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
