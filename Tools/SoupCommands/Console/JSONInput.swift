// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// JSON that a command reads from a file or from standard input.
enum JSONInput {
    /// Reads the bytes of a file; `-` is standard input.
    private static func read(_ file: String) async throws -> [UInt8] {
        if file == "-" { return try await standardInput() }
        guard FileManager.default.fileExists(atPath: file) else {
            throw SoupError(
                .json, "there is no file \(file)",
                hint: "Check the path, which may be relative to the current folder, or pass - for standard input.")
        }
        do {
            return Array(try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw SoupError(
                .json, "\(file) cannot be read",
                hint: "Check that it is a file and that you have permission to read it.")
        }
    }

    /// Reads all of standard input; a cancelled task does not wait for its end.
    private static func standardInput() async throws -> [UInt8] {
        let (contents, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread {
            continuation.yield(with: Result { Array(try FileHandle.standardInput.readToEnd() ?? Data()) })
        }
        for try await bytes in contents { return bytes }
        throw CancellationError()
    }

    /// Reads the JSON value of a file, with the places of its members.
    ///
    /// - Throws: ``SoupError`` with `json` if the file cannot be read or is not one JSON value; `CancellationError`.
    static func document(from file: String) async throws -> ConfigurationDocument {
        let bytes = try await read(file)
        do {
            _ = try JSONValue(parsing: bytes)
        } catch {
            throw failure(error, in: bytes, of: file)
        }
        return ConfigurationDocument(bytes, file: file == "-" ? "standard input" : file)
    }

    private static func failure(
        _ error: JSONError, in bytes: [UInt8], of file: String, from start: Int = 0
    ) -> SoupError {
        SoupError(
            .json, "not JSON: \(error.reason.rawValue)",
            place: SoupError.Place(
                file: file == "-" ? "standard input" : file, offset: min(start + error.offset, bytes.count), in: bytes),
            hint: error.hint)
    }
}

#endif
