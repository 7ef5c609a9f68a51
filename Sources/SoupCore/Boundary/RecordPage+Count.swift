// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension RecordPage {
    /// The result of comparing the number of received records with the number that the server announced.
    public enum CountCheck: Sendable, Hashable {
        /// The numbers agree, or the server announced none.
        case complete
        /// Fewer records were received than announced.
        case tooFew(expected: Int)
        /// More records were received than announced.
        case tooMany(expected: Int)
    }

    /// Compares the number of records of all pages with the ``expectedCount`` of this page, which is the last one.
    public func check(count: Int) -> CountCheck {
        guard let expectedCount, !expectedCount.contains(count) else { return .complete }
        return count < expectedCount.lowerBound
            ? .tooFew(expected: expectedCount.lowerBound) : .tooMany(expected: expectedCount.upperBound)
    }
}

extension SoupError {
    /// Returns the error for responses that contain another number of records than they announce.
    ///
    /// - Parameter what: the name of the data that was read, such as `the query`.
    public static func incomplete(_ what: String, expected: Int, count: Int) -> SoupError {
        SoupError(
            .incompleteAnswer, "\(what) announced \(expected) record(s) and the server sent \(count)",
            hint: "Run it again. If it happens again: \(changedResponsesHint)")
    }

    /// The error for pages that contain only records of earlier pages, again and again.
    package static var repeatedPages: SoupError {
        SoupError(
            .incompleteAnswer, "the server sends pages without new records again and again",
            hint: "Check the parameter with the number of the page or the cursor: the server may ignore it.")
    }

    /// The hint for a response that the server did not send, or that was changed on its way.
    public static let changedResponsesHint =
        "Look for a proxy or a gateway between this device and the server that changes the server's responses."
}
