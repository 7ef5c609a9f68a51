// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The possible ways to open the file of a store, derived from the rights of the process.
enum StoreAccess: Hashable {
    /// Reading and writing.
    case full
    /// Reading, with the locks and the log of SQLite: other processes may write meanwhile.
    case readOnly
    /// Reading a file without a log: without locks, as a file that does not change.
    case immutable
    /// No access: the log contains committed changes, and its missing index cannot be created.
    case logIsUnreadable

    /// The rights on the files, as the system reports them.
    struct Rights: Hashable {
        var fileIsWritable = true
        var folderIsWritable = true
        /// Whether `-wal` has content.
        var hasLog = false
        /// Whether there is a log with a readable index, `-shm`: another process may have the store open.
        var hasIndex = false
        /// Whether `-wal` and `-shm` exist and can be written.
        var logIsWritable = false
    }

    init(_ rights: Rights) {
        if rights.fileIsWritable, rights.folderIsWritable || rights.logIsWritable {
            self = .full
        } else if rights.hasIndex || (rights.hasLog && rights.folderIsWritable) {
            self = .readOnly
        } else {
            // Without a log no index is created: the file's owner could not write an index that belongs to this user.
            self = rights.hasLog ? .logIsUnreadable : .immutable
        }
    }
}
