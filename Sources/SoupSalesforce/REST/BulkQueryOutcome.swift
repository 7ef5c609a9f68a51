// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// Whether a run fetched its records with a Bulk 2.0 query job.
///
/// It is one of the details of a run: see ``init(in:)``.
public enum BulkQueryOutcome: String, Sendable, Hashable, Codable {
    /// The job was started, or its result was read.
    case used
    /// The job failed or no longer exists, and the records are fetched page by page.
    case lost

    /// The name of the outcome in `RecordPage.details` and in the details of a run's result.
    public static let detailName = "bulkQuery"

    /// Reads the outcome from the details of a run or of a page; nil if there was no job.
    public init?(in details: [String: String]) {
        guard let outcome = details[Self.detailName].flatMap(Self.init) else { return nil }
        self = outcome
    }
}

extension RecordPage {
    /// The outcome of the job that this page depends on, in ``details``; nil if the page reports nothing about a job.
    package var bulkQuery: BulkQueryOutcome? {
        get { BulkQueryOutcome(in: details) }
        set { details[BulkQueryOutcome.detailName] = newValue?.rawValue }
    }
}
