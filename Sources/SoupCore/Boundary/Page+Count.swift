// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension Page {
    /// How the number of records that came compares with the number that the server announced.
    public enum CountCheck: Sendable, Hashable {
        /// The numbers agree, or the server announced none.
        case complete
        /// Records are missing.
        case tooFew(expected: Int)
        /// More records came than there are.
        case tooMany(expected: Int)
    }

    /// Compares the number of records of all pages with ``expectedCount`` of this page, the last one.
    public func check(count: Int) -> CountCheck {
        guard let expectedCount, !expectedCount.contains(count) else { return .complete }
        return count < expectedCount.lowerBound
            ? .tooFew(expected: expectedCount.lowerBound) : .tooMany(expected: expectedCount.upperBound)
    }
}

extension SoupError {
    /// The error for answers that hold another number of records than they announce.
    ///
    /// - Parameter what: names what was read, such as `the query`.
    public static func incomplete(_ what: String, expected: Int, count: Int) -> SoupError {
        SoupError(
            .incompleteAnswer, "\(what) announced \(expected) record(s) and the server sent \(count)",
            hint: "Run it again. If it happens again: \(changedResponsesHint)")
    }

    /// The remedy for a response that does not come from the server, or not unchanged.
    public static let changedResponsesHint =
        "Look for a proxy or a gateway between this device and the server that changes the server's responses."
}
