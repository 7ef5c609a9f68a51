// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SoupCore

/// The cases of one file: an array of objects, or one object per line.
public struct ConformanceSet: Sendable {
    /// The name of the set in reports: the path of the file, relative to the folder of the sets.
    public let name: String
    /// The valid cases, in order.
    public let cases: [ConformanceCase]
    /// The errors of elements that are not valid cases; each counts as a failed case.
    public let problems: [SoupError]

    /// Reads a set; errors in it are added to ``problems``.
    public init(_ bytes: [UInt8], name: String) {
        self.name = name
        let values: [(Result<JSONValue, SoupError>, SoupError.Place)] =
            name.hasSuffix(".jsonl") ? Self.lines(bytes, name) : Self.elements(bytes, name)
        var cases: [ConformanceCase] = []
        var problems: [SoupError] = []
        for (value, place) in values {
            do {
                cases.append(try ConformanceCase(try value.get(), at: place))
            } catch let error as SoupError {
                problems.append(error)
            } catch {
                problems.append(SoupError(.json, "\(error)", place: place))
            }
        }
        self.cases = cases
        self.problems = problems
    }

    /// Reads a file, or every `*.json` and `*.jsonl` file in a folder and its subfolders, sorted by name.
    ///
    /// A `*.json` file with one JSON object, such as a list of deviations, is not a set and is ignored.
    ///
    /// - Throws: ``SoupError`` with `json` if a file cannot be read, or if there is no set.
    public static func sets(at url: URL) throws -> [ConformanceSet] {
        let path = url.filePath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw SoupError(
                .json, "there is no file or folder \(path)", hint: "Give a file or a folder with sets of cases.")
        }
        guard isFolder.boolValue else {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return [ConformanceSet(try read(path), name: name)]
        }
        let names = try files(in: path)
        let sets = try names.compactMap { name -> ConformanceSet? in
            let bytes = try read(path + "/" + name)
            return isOneObject(bytes, name) ? nil : ConformanceSet(bytes, name: name)
        }
        guard !sets.isEmpty else {
            throw SoupError(
                .json, "there is no set of cases in \(path)",
                hint: "Add a file NAME.json with an array of cases, or NAME.jsonl with one case per line.")
        }
        return sets
    }

    private static func files(in folder: String) throws -> [String] {
        let all: [String]
        do {
            all = try FileManager.default.subpathsOfDirectory(atPath: folder)
        } catch {
            throw SoupError(.json, "\(folder) cannot be read", cause: error)
        }
        return all.filter { name in
            (name.hasSuffix(".json") || name.hasSuffix(".jsonl"))
                && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }.sorted()
    }

    private static func read(_ file: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw SoupError(
                .json, "\(file) cannot be read",
                hint: "Check that it is a file and that you have permission to read it.", cause: error)
        }
    }

    private static func isOneObject(_ bytes: [UInt8], _ name: String) -> Bool {
        !name.hasSuffix(".jsonl") && bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
            && (try? JSONText(bytes[...])) != nil
    }

    private static func elements(
        _ bytes: [UInt8], _ name: String
    ) -> [(Result<JSONValue, SoupError>, SoupError.Place)] {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: bytes)
        } catch {
            let place = SoupError.Place(file: name, offset: min(error.offset, bytes.count), in: bytes)
            return [(.failure(SoupError(.json, "not JSON: \(error.reason.rawValue)", place: place)), place)]
        }
        guard let values = document.arrayValue else {
            let place = SoupError.Place(file: name, line: 1, column: 1)
            return [(.failure(SoupError(.json, "a set must be an array of cases", place: place)), place)]
        }
        let starts = (try? JSONScanner.page(bytes, recordsAt: ""))?.records.map(\.lowerBound) ?? []
        return values.enumerated().map { index, value in
            var place = SoupError.Place(file: name, path: "[\(index)]")
            if starts.count == values.count {
                place = SoupError.Place(file: name, offset: starts[index], in: bytes, path: "[\(index)]")
            }
            return (.success(value), place)
        }
    }

    private static func lines(_ bytes: [UInt8], _ name: String) -> [(Result<JSONValue, SoupError>, SoupError.Place)] {
        var values: [(Result<JSONValue, SoupError>, SoupError.Place)] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
            var place = SoupError.Place(file: name, line: number + 1)
            do {
                values.append((.success(try JSONValue(parsing: Array(line))), place))
            } catch {
                place.column = min(error.offset, line.count) + 1
                let problem = SoupError(.json, "not JSON: \(error.reason.rawValue)", place: place)
                values.append((.failure(problem), place))
            }
        }
        return values
    }
}
