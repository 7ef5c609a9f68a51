// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The files with the texts of entries in soups with external storage: `FOLDER/TABLE_n/soupelt_ID`.
struct EntryBodies {
    /// The folders that may contain them.
    let folders: [String]

    /// Returns the places of the folder beside a database: with the whole name of the file on Android, without its
    /// extension on iOS.
    static func standardFolders(ofFile path: String) -> [String] {
        let ending = "_external_soup_blobs"
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return [path + ending] }
        return [path + ending, path.dropLast(name.distance(from: dot, to: name.endIndex)) + ending]
    }

    /// The reason why a text cannot be read, as the end of a sentence about its file.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the bytes of an entry's file.
    ///
    /// - Throws: ``Failure``.
    func text(of id: Int64, soup number: Int64) throws -> [UInt8] {
        let paths = folders.map { "\($0)/TABLE_\(number)/soupelt_\(id)" }
        guard let path = paths.first(where: FileManager.default.fileExists(atPath:)) else {
            throw Failure(description: "and there is no \(paths.joined(separator: " or "))")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(description: "and \(path) cannot be read")
        }
        guard data.first(where: { !$0.isJSONSpace }) == UInt8(ascii: "{") else {
            throw Failure(description: "and \(path) is encrypted, or is not a JSON object")
        }
        return Array(data)
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
