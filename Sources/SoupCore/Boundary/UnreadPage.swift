// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A page that has arrived and tells the way on, while its records are still to be taken from the server's answer.
///
/// The engine asks for the next page at once, and reads this one while the other is on its way.
public struct UnreadPage: Sendable {
    /// The page as far as it is known: without its records, but for a page that was read already.
    public var head: Page
    private let records: (@Sendable () throws -> [RecordBatch])?

    /// A page that was read already.
    public init(_ page: Page) {
        head = page
        records = nil
    }

    /// - Parameters:
    ///   - head: the page with no parts.
    ///   - records: its parts, in the order of the layout; called once at most, on any thread. What it throws fails
    ///     the run, as an error of ``SyncDownTarget/page(after:in:)`` does.
    public init(head: Page, records: @escaping @Sendable () throws -> [RecordBatch]) {
        self.head = head
        self.records = records
    }

    /// Takes the records from the answer.
    ///
    /// - Throws: what the target throws when the answer is broken.
    public func read() throws -> Page {
        guard let records else { return head }
        var page = head
        page.parts = try records()
        return page
    }
}
