// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value in pieces, as it was when it was requested: later saves and deletes do not affect it.
///
/// It can be iterated more than once, each time from the beginning. A value in a file is read during the iteration; the
/// file stays open while this value, or a copy, exists.
public struct KeyValueChunks: AsyncSequence, Sendable {
    /// A piece of the value, never empty; a piece from a file has at most 64 KiB.
    public typealias Element = Data

    private enum Source {
        case memory(Data)
        case file(FileContents, FileQueues)
    }

    private let source: Source

    /// Creates chunks from a value in memory: one piece, or none for an empty value.
    public init(_ value: Data) { source = .memory(value) }

    init(_ contents: FileContents, read work: FileQueues) { source = .file(contents, work) }

    /// Returns an iterator that starts at the first piece.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator that holds one piece at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let chunks: KeyValueChunks
        private var index = 0

        init(_ chunks: KeyValueChunks) { self.chunks = chunks }

        /// Returns the next piece; nil after the last one.
        ///
        /// - Throws: `SoupError` with `storeUnusable` if the file can no longer be read; `CancellationError`.
        public mutating func next() async throws -> Data? {
            let piece = try await chunks.piece(index)
            index += 1
            return piece
        }
    }

    private func piece(_ index: Int) async throws -> Data? {
        switch source {
        case .memory(let data): index == 0 && !data.isEmpty ? data : nil
        case .file(let contents, let work): try await work.read { try contents.frame(index) }
        }
    }
}
