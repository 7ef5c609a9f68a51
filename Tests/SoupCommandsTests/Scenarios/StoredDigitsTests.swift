// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests that edits store values byte for byte, and do not change the bytes of other fields.
@Suite struct StoredDigitsTests {
    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs]) }

    private func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    /// Returns the stored members of an entry, without the system fields.
    private func stored(_ id: Int64) async throws -> [(key: String, value: String)] {
        let line = try #require(try await soup("retrieve", "notes", "\(id)").output.first)
        return (try JSONText(line).members ?? []).filter { !EntryField.own.contains($0.key) && $0.key != "Id" }
            .map { ($0.key, $0.value.description) }
    }

    private static let numbers = [
        "18446744073709551615", "0.12345678901234567890123", "1e400", "1E2", "-0", "1.50", "-0.0", "5.0E8",
    ]

    @Test func `An edit keeps the bytes of other fields`() async throws {
        let members = Self.numbers.enumerated().map { #""n\#($0)" : \#($1)"# }.joined(separator: ", ")
        let record =
            #"{"key": "a", \#(members), "o": {"x": 1E2, "x": 2, "y" : -0}, "a":[ 1.50 ], "key2": "\u00e9", "key2": "b"}"#
        _ = try await soup("upsert", "notes", input: record)
        let before = try await stored(1)
        #expect(before.count == Self.numbers.count + 5)
        _ = try await soup("edit", "notes", "1", "key=b")
        let after = try await stored(1)
        #expect(after.filter { $0.key != "key" }.map(\.value) == before.filter { $0.key != "key" }.map(\.value))
        #expect(after.first { $0.key == "key" }?.value == #""b""#)
    }

    @Test(arguments: numbers + [#"{"x": 1E2, "x":-0}"#, "[ 1.50,18446744073709551615 ]"])
    func `A set value keeps its digits`(_ value: String) async throws {
        _ = try await soup("create", "notes", "key=a", "N:=\(value)", "--type", "Note")
        #expect(try await stored(1).first { $0.key == "N" }?.value == value)
        _ = try await soup("edit", "notes", "1", "M:=\(value)", "N=\(value)")
        #expect(try await stored(1).filter { ["M", "N"].contains($0.key) }.map(\.value) == [value, value])
    }

    /// A duplicate key is one value for readers.
    @Test func `Setting a duplicate key leaves one value`() async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a", "n": 1, "n": 2, "m": 3}"#)
        _ = try await soup("edit", "notes", "1", "n=5")
        #expect(try await stored(1).map { "\($0.key) \($0.value)" } == [#"key "a""#, "m 3", "n 5"])
    }

    // MARK: Input that is refused

    /// Runs a shell script that calls the program.
    private func shell(_ script: String) async throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, SoupTool.url.path, folder.path]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test(arguments: [
        #""$0" edit notes 1 "key=$(printf 'a\377')""#, #""$0" create notes "key=$(printf '\303')" --type Note"#,
        #""$0" query "select '$(printf '\300\257')'""#, #""$0" query "select ?" "$(printf '\355\240\200')""#,
    ])
    func `An argument that is not UTF-8 is refused`(_ command: String) async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a"}"#)
        let run = try await shell(command + #" --config "$1" --json"#)
        #expect(run.status == 2)
        #expect(run.output.contains("is not valid UTF-8") && run.output.contains(#""hint""#))
        #expect(try await stored(1).map(\.value) == [#""a""#])
    }

    @Test(arguments: [
        (#"printf '{"key":"\377"}'"#, "the bytes are not UTF-8", "Convert it to UTF-8."),
        (
            #"printf '\357\273\277{"key":"b"}'"#, "the text begins with a byte order mark, which JSON does not allow",
            "Save it as UTF-8 without a byte order mark."
        ),
        (
            #"printf '\377\376{\0'"#, "the text is UTF-16, and JSON is UTF-8",
            "Save it as UTF-8 without a byte order mark."
        ),
    ])
    func `Standard input that is not UTF-8 is refused`(_ input: String, _ reason: String, _ hint: String) async throws {
        let run = try await shell(input + #" | "$0" upsert notes --config "$1" --json"#)
        #expect(run.status == 1)
        #expect(run.output.contains("not JSON: \(reason)") && run.output.contains(hint), "\(run.output)")
        #expect(try await soup("query", "select count(*) from {notes}").output == ["[0]"])
    }

    /// A sync up cannot send a record without a type.
    @Test(arguments: ["null", "5", "[]", #""Note""#, "{}", #"{"type": null}"#, #"{"type": 5}"#, #"{"type": ""}"#])
    func `Attributes without a type are refused`(_ value: String) async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a", "attributes": {"type": "Note"}}"#)
        let before = try await stored(1)
        let edited = try await soup("edit", "notes", "1", "attributes:=\(value)")
        #expect(edited.status == 1)
        #expect(try edited.jsonErrors.map { $0["code"] } == ["badAttributes"])
        #expect(try await stored(1).map(\.value) == before.map(\.value))
        guard !["{}", #"{"type": ""}"#].contains(value) else { return }
        let created = try await soup("create", "notes", "key=b", "attributes:=\(value)", "--type", "Note")
        #expect(try created.jsonErrors.map { $0["code"] } == ["badAttributes"])
    }
}

#endif
