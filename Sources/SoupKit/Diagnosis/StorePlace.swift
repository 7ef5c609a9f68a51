// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The facts about the place of a store's file.
struct StorePlace {
    let file: String
    var exists: Bool
    /// The folder of the file, or the nearest one that exists.
    var folder: String
    var isFolderWritable: Bool
    /// The unused bytes of the volume; nil if the system does not report them.
    var freeBytes: Int64?
    /// The size of the file.
    var size: Int64 = 0
    /// Whether missing folders of the path are created.
    var createsFolders = false
    /// Whether the file is a symbolic link to a file that does not exist.
    var isBrokenLink = false

    /// The free space below which no sync can be expected to succeed.
    static let minimumFreeBytes: Int64 = 10_000_000
    /// The free space below which a warning is due, for a small store.
    static let lowFreeBytes: Int64 = 100_000_000

    /// Reads the facts about a file.
    init(file: String, createsFolders: Bool) {
        self.createsFolders = createsFolders
        let manager = FileManager.default
        self.file = file
        exists = manager.fileExists(atPath: file)
        isBrokenLink = !exists && (try? manager.destinationOfSymbolicLink(atPath: file)) != nil
        var folder = URL(filePath: file).deletingLastPathComponent().filePath
        while !manager.fileExists(atPath: folder), folder != "/", !folder.isEmpty {
            folder = URL(filePath: folder).deletingLastPathComponent().filePath
        }
        self.folder = folder
        isFolderWritable = manager.isWritableFile(atPath: folder)
        freeBytes = (try? manager.attributesOfFileSystem(forPath: folder))?[.systemFreeSize].flatMap(Self.integer)
        if exists { size = (try? manager.attributesOfItem(atPath: file))?[.size].flatMap(Self.integer) ?? 0 }
    }

    init(file: String, exists: Bool, isFolderWritable: Bool, freeBytes: Int64?, size: Int64 = 0) {
        self.file = file
        self.exists = exists
        folder = URL(filePath: file).deletingLastPathComponent().filePath
        self.isFolderWritable = isFolderWritable
        self.freeBytes = freeBytes
        self.size = size
    }

    /// Returns a number, which each Foundation stores in another type.
    private static func integer(_ value: Any) -> Int64? {
        (value as? Int64) ?? (value as? Int).map { Int64($0) } ?? (value as? UInt64).map { Int64(clamping: $0) }
    }

    /// Whether the file can be created, or exists.
    var canBeCreated: Bool { exists || isFolderWritable && hasFolder && !isBrokenLink }

    private var hasFolder: Bool {
        createsFolders || folder == URL(filePath: file).deletingLastPathComponent().filePath
    }

    /// The file with its size, or the intention to create it.
    var description: String { exists ? "\(file), \(Self.text(size))" : "\(file) will be created at the first use" }

    /// The problems; an existing file is also opened, which finds a file that is not writable.
    var problems: [Diagnosis.Finding] {
        var found = Diagnosis()
        if isBrokenLink {
            found.add(
                .failure, .store, message: "\(file) is a symbolic link to a file that does not exist",
                hint: "Correct or remove the link.")
        } else if !exists, !hasFolder {
            found.add(
                .failure, .store,
                message: "the folder \(URL(filePath: file).deletingLastPathComponent().filePath) does not exist",
                hint: "Create it, or choose another path.")
        } else if !canBeCreated {
            found.add(
                .failure, .store, message: "\(file) does not exist, and the folder \(folder) is not writable",
                hint: "Give the user of this process the right to write the folder, or choose another path.")
        }
        if let freeBytes {
            let needed = max(Self.lowFreeBytes, size)
            if freeBytes < Self.minimumFreeBytes {
                found.add(
                    .failure, .store, message: "only \(Self.text(freeBytes)) are free on the volume of \(folder)",
                    hint: "Free space, or move the store to another volume.")
            } else if freeBytes < needed {
                found.add(
                    .warning, .store, message: "only \(Self.text(freeBytes)) are free on the volume of \(folder)",
                    hint: "Free at least \(Self.text(needed)): a migration needs as much space as the store.")
            }
        }
        return found.findings
    }

    /// Returns a size in bytes, kB or MB.
    static func text(_ bytes: Int64) -> String {
        switch bytes {
        case ..<10_000: "\(bytes) bytes"
        case ..<10_000_000: "\(bytes / 1_000) kB"
        default: "\(bytes / 1_000_000) MB"
        }
    }
}
