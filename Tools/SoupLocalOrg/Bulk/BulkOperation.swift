// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The operation of a job.
enum BulkOperation: String, Sendable, CaseIterable {
    case insert, update, upsert, delete, hardDelete, query, queryAll

    var isQuery: Bool { self == .query || self == .queryAll }
    var isDelete: Bool { self == .delete || self == .hardDelete }
}
