// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// How the file of a store can be opened, judged by what the process may do there.
enum StoreAccess: Hashable {
    /// Reads and writes.
    case full
    /// Reads, with the locks and the log of SQLite: other processes may write meanwhile.
    case readOnly
    /// Reads a file without a log: without locks, as a file that does not change.
    case immutable
    /// The log holds committed changes, and its index, which is missing, cannot be created.
    case logIsUnreadable

    /// What decides, as the system reports it.
    struct Rights: Hashable {
        var fileIsWritable = true
        var folderIsWritable = true
        /// Whether `-wal` holds anything.
        var hasLog = false
        /// Whether there is a log with its index, `-shm`, which can be read: another process may have the store open.
        var hasIndex = false
        /// Whether `-wal` and `-shm` are there and can be written.
        var logIsWritable = false
    }

    init(_ rights: Rights) {
        if rights.fileIsWritable, rights.folderIsWritable || rights.logIsWritable {
            self = .full
        } else if rights.hasIndex || (rights.hasLog && rights.folderIsWritable) {
            self = .readOnly
        } else {
            // Without a log no index is created: the owner of the file could not write an index of this user.
            self = rights.hasLog ? .logIsUnreadable : .immutable
        }
    }
}
