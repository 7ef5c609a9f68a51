// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The soup that all contestants fill.
enum BenchmarkSoup {
    static let name: SoupName = "accounts"
    static let externalId: JSONPath = "Id"
    /// Four indexed columns; the external ID is first.
    static let indexes = [
        IndexSpec(externalId, .string), IndexSpec("Name", .string), IndexSpec("AnnualRevenue", .floating),
        IndexSpec("__local__", .string),
    ]
    /// The ID of the sync that owns the records.
    static let syncId: Int64 = 1
}
