// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A page whose next cursor is known while its records have not yet been read from the server's response.
public struct UnreadPage: Sendable {
    /// The known members of the page: without its records, unless the page was already read.
    public var head: RecordPage
    private let records: (@Sendable () throws -> [RecordBatch])?

    /// Creates a page that was already read.
    public init(_ page: RecordPage) {
        head = page
        records = nil
    }

    /// Creates a page whose records are read later.
    ///
    /// - Parameters:
    ///   - head: the page without levels.
    ///   - records: returns its levels, in the order of the layout; called at most once, on any thread. Its error fails
    ///     the run, as an error of ``SyncDownTarget/page(after:in:)`` does.
    public init(head: RecordPage, records: @escaping @Sendable () throws -> [RecordBatch]) {
        self.head = head
        self.records = records
    }

    /// Reads the records from the response.
    ///
    /// - Throws: the target's error if the response is invalid.
    public func read() throws -> RecordPage {
        guard let records else { return head }
        var page = head
        page.levels = try records()
        return page
    }
}
