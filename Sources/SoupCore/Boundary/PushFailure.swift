// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a record was not accepted.
public struct PushFailure: Error, Sendable, Hashable {
    /// The server's error code, such as `STRING_TOO_LONG`.
    public var code: String
    /// The message of the server, or of the target, for users.
    public var message: String
    /// The fields that the server reports as the cause; empty if it names none.
    public var fields: [String]
    /// Whether the record is not, or no longer, on the server.
    ///
    /// Set it only if the server reports that about this record, in its own form. A status of 404 is not sufficient: a
    /// gateway, a wrong path and a wrong version return it too.
    public var isGone: Bool
    /// Whether a record that this one refers to (a parent) is no longer on the server.
    public var isRelatedGone: Bool
    /// The way in which the same change can be pushed again without a change of the record.
    public var retry: Retry

    /// A way to push a rejected change again.
    public enum Retry: Sendable, Hashable {
        /// The server rejects the change until the record is changed.
        case never
        /// A later run may succeed, but not this one.
        case inLaterRun
        /// The record is locked by another transaction. The run can push the change again after a pause.
        ///
        /// For a change, or a tree, of which nothing was saved by the server.
        case afterPause
        /// The request was too large. The run can push the change again in a smaller batch.
        ///
        /// For a change, or a tree, of which nothing was saved by the server.
        case inSmallerBatch
    }

    /// Whether the same push may succeed in a later run.
    public var isRetryable: Bool { retry == .inLaterRun || retry == .afterPause }

    /// Creates a failure; by the defaults the record exists, and a retry is useless until it is changed.
    public init(
        code: String, message: String, fields: [String] = [], isGone: Bool = false, isRelatedGone: Bool = false,
        retry: Retry = .never
    ) {
        self.code = code
        self.message = message
        self.fields = fields
        self.isGone = isGone
        self.isRelatedGone = isRelatedGone
        self.retry = retry
    }
}
