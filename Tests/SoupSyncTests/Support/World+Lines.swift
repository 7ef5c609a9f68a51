// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Logging
import SoupSync
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting

extension SoupEntry {
    /// `1 a1 {"Name":"Ann"} +5s clean sync 2`.
    var line: String {
        var object = stored.value.objectValue ?? [:]
        let id = object["Id"]?.stringValue ?? "no id"
        let date = object["LastModifiedDate"]?.stringValue.flatMap { DateText.milliseconds($0) }.map { Moment.text($0) }
        let flags = zip(["local", "created", "updated", "deleted"], EntryField.localFlags).filter {
            object[$1] == true
        }.map(\.0)
        let sync = object[EntryField.syncId]?.intValue.map { "sync \($0)" }
        let error = object[EntryField.lastError]?.stringValue.flatMap { try? JSONValue(parsing: $0) }
        for key in ["Id", "LastModifiedDate"] + EntryField.localFlags + [EntryField.syncId, EntryField.lastError] {
            object[key] = nil
        }
        let words: [String?] = [
            "\(self.id)", id, "\(JSONValue.object(object))", date,
            flags.isEmpty ? "clean" : flags.joined(separator: "+"),
            sync, error.map { "error \($0["errorCode"]?.stringValue ?? "?")" },
        ]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}

extension SyncEvent {
    /// `RUNNING 33/3`, or `update 1 a1 ok`.
    var line: String {
        switch self {
        case .state(let state): state.line
        case .outcome(let outcome): outcome.line
        }
    }
}

extension SyncState {
    var line: String { "\(status.rawValue) \(progress)/\(totalSize)" }
}

extension RecordOutcome {
    var line: String {
        [action.rawValue, "\(entryId)", id, result.rawValue, error?.code].compactMap { $0 }.joined(separator: " ")
    }
}
