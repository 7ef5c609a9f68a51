// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SalesforceClient {
    /// Counts a page of a query whose cursor is saved between its pages.
    ///
    /// - Throws: ``SoupError``: `incompleteAnswer` if the response contradicts itself; `cursorExpired` if rows are
    ///   missing that may have been deleted between two pages, so that the query has to begin again.
    public func countSaved(_ page: QueryPageScan, of what: String, in count: inout QueryCount) throws {
        do {
            try count.add(page, of: what)
        } catch let error as SoupError where count.mayHaveShrunk {
            throw SoupError(.cursorExpired, error.message, hint: error.hint, cause: error)
        }
    }
}
