// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The known facts about the records of a tree, from which a policy decides about it.
struct TreeFacts: Sendable {
    /// The server's states of records, if they were requested; `unknown` if the target cannot report states.
    var states: [EntryKey: ServerState] = [:]
    /// The server's versions of records, if they were requested.
    var records: [EntryKey: FetchedRecord] = [:]
    /// The error of a question about the tree; `nil` if the server answered every question.
    var failure: PushFailure?
    /// The entries that are equal to their last synced version although they have local flags.
    var unchanged: Set<EntryKey> = []
    /// The entries with an open conflict in some fields.
    var inConflict: Set<EntryKey> = []
    /// The entries whose changes the user decided to push although the server has newer versions in their tree.
    var decided: Set<EntryKey> = []
    /// The entries that this run has already merged with the server's version.
    var merged: Set<EntryKey> = []
    /// The changes whose push asks the server to refuse them if the record has another version; their states are not
    /// requested first.
    var conditional: Set<EntryKey> = []
    /// The changes that the server refused in this run because their records have other versions.
    var refused: Set<EntryKey> = []
    /// The soups whose records have versions; those of the others have only dates.
    var versionedSoups: Set<SoupName> = []
    /// The entries whose existence on the server this run has already checked.
    var verified: Set<EntryKey> = []
}

/// The server's version of a record, as a target returned it.
enum FetchedRecord: Sendable, Hashable {
    case record(JSONText)
    /// The server does not have the record.
    case missing
    /// The target cannot fetch records.
    case unsupported
    /// The request failed.
    case failed(SoupError)

    /// The record, if it was fetched.
    var record: JSONText? { if case .record(let record) = self { record } else { nil } }
    /// The error, if the request failed.
    var error: SoupError? { if case .failed(let error) = self { error } else { nil } }
}
