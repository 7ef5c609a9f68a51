// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value piece by piece, as it was when it was asked for: later saves and deletes do not show.
///
/// It can be walked over more than once, each time from the beginning. A value in a file is read as the pieces are
/// asked for; the file stays open as long as this value, or a copy, lives.
public struct KeyValueChunks: AsyncSequence, Sendable {
    /// A piece of the value, never empty, of at most 64 KiB when it comes from a file.
    public typealias Element = Data

    private enum Source {
        case memory(Data)
        case file(FileContents, FileWork)
    }

    private let source: Source

    /// A value that is in memory, as one piece; the empty one has none.
    public init(_ value: Data) { source = .memory(value) }

    init(_ contents: FileContents, read work: FileWork) { source = .file(contents, work) }

    /// Begins at the first piece.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Holds one piece at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let chunks: KeyValueChunks
        private var index = 0

        init(_ chunks: KeyValueChunks) { self.chunks = chunks }

        /// The next piece; nil behind the last.
        ///
        /// - Throws: `SoupError` with `storeUnusable` when the file cannot be read on; `CancellationError`.
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
