// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The lines of an example in an article, and of the test that runs it, without indentation and empty lines.
enum ArticleLines {
    /// Returns lines of an article of SoupKit.
    ///
    /// - Parameters:
    ///   - article: the file name.
    ///   - start: the first line.
    ///   - end: the first line after `start` that is not returned.
    static func shown(in article: String, from start: String, to end: String) throws -> [String] {
        let lines = try lines(of: folder.appending(path: article))
        let first = try #require(lines.firstIndex(of: start))
        let last = try #require(lines[first...].firstIndex(of: end))
        return Array(lines[first..<last])
    }

    /// Returns the lines of a test between the two comments that mark them.
    static func tested(in file: String) throws -> [String] {
        let lines = try lines(of: URL(filePath: file))
        let first = try #require(lines.firstIndex(of: "// Begin of the article's lines."))
        let last = try #require(lines[first...].firstIndex(of: "// End of the article's lines."))
        return Array(lines[(first + 1)..<last])
    }

    private static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Sources/SoupKit/SoupKit.docc")
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
