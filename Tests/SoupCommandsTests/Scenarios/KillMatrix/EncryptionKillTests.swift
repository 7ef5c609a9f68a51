// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server && Encryption

import Foundation
import SoupCore
import SoupTesting
import Testing

/// Tests that a process can be killed at random moments of changes of the encryption and of loads of encrypted stores.
///
/// The short run kills a few processes; `make torture` and `SOUPKIT_TORTURE` as for ``KillMatrixTests``.
@Suite struct EncryptionKillTests {
    private static let kills = KillMatrixTests.torture ?? 12
    /// The number of entries of a load.
    private static let batch = 3000
    private static let soups = #"""
        "soups": [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"},
          {"path": "round", "type": "string"}]}]
        """#

    /// A state of the store: not encrypted, or encrypted with a key.
    private enum Key: String, CaseIterable {
        case none, first, second

        var argument: String { #"{"type": "file", "path": "\#(rawValue).key"}"# }
        var backend: String {
            self == .none ? #""type": "sqlite""# : #""type": "sqlite", "encryption": {"key": \#(argument)}"#
        }
    }

    private let folder: WorkFolder

    init() throws { folder = try WorkFolder() }

    private func configure(_ key: Key) throws {
        try folder.write("{\(Self.soups), \"backend\": {\(key.backend)}}", to: "userstore.json")
    }

    private func soup(_ arguments: [String], input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    /// Returns the keys that open the store, and the content that each of them reads.
    private func opened() async throws -> [Key: [String]] {
        var contents: [Key: [String]] = [:]
        for key in Key.allCases {
            try configure(key)
            let run = try await soup(["query", "select {notes:key}, {notes:text} from {notes} order by 1"])
            if run.status == 0 { contents[key] = run.output }
        }
        return contents
    }

    private static func entries(_ range: Range<Int>, round: Int = 0) -> String {
        let texts = range.map { String(repeating: "plaintext\($0) ", count: 40) }
        return zip(range, texts).map {
            "{\"key\": \"\($0)\", \"round\": \"\(round)\", \"text\": \"\($1)\"}\n"
        }.joined()
    }

    /// Returns whether a text is in one of the files.
    private func filesContain(_ text: String) throws -> Bool {
        try folder.files.contains { name in
            guard let data = FileManager.default.contents(atPath: folder.path + "/" + name) else { return false }
            return data.range(of: Data(text.utf8)) != nil
        }
    }

    @Test(.timeLimit(.minutes(60))) func `One key opens the store after each kill`() async throws {
        var random = SeededRandom(seed: KillMatrixTests.seed)
        try configure(.none)
        let load = try await soup(["upsert", "notes", "--external-id", "key"], input: Self.entries(0..<500))
        #expect(load.status == 0, "\(load.errors)")
        var (current, killed) = (Key.none, 0)
        let content = try #require(try await opened()[.none])
        for cell in 0..<Self.kills * 3 where killed < Self.kills {
            let next = Key.allCases.filter { $0 != current }.randomElement(using: &random) ?? .first
            let again = Bool.random(using: &random)
            try configure(current)
            let arguments: [String] =
                switch (current, next) {
                case (.none, _): ["encrypt", "--key", next.argument]
                case (_, .none): ["decrypt"]
                default: ["rekey", "--to", next.argument] + (again ? ["--content"] : [])
                }
            let running = try SoupTool.start(arguments + ["--config", folder.path, "--json"])
            try running.write("")
            let moment = Duration.milliseconds(.random(in: 0...120, using: &random))
            let killer = Task {
                try await Task.sleep(for: moment)
                running.kill(SIGKILL)
            }
            for await _ in running.output {}
            let status = await running.end()
            killer.cancel()
            if status == -SIGKILL { killed += 1 }
            let found = try await opened()
            let comment: Comment = "cell \(cell): \(arguments) ended with \(status) at \(moment)"
            try #require(found.count == 1, "\(comment): \(found.keys)")
            let key = try #require(found.keys.first)
            #expect(key == next || (status != 0 && key == current), comment)
            #expect(found[key] == content, comment)
            current = key
            if key != .none { #expect(try !filesContain("plaintext"), comment) }
        }
        print("encryption kills: seed \(KillMatrixTests.seed), \(killed) kills")
        #expect(killed >= Self.kills / 2, "the process was not killed often enough")
    }

    @Test(.timeLimit(.minutes(60))) func `Kills during loads leave no plaintext`() async throws {
        // A write to a process that was killed must not end this one.
        signal(SIGPIPE, SIG_IGN)
        var random = SeededRandom(seed: KillMatrixTests.seed)
        var (content, killed) = ([String](), 0)
        for round in 1...Self.kills * 3 where killed < Self.kills {
            try configure(.first)
            let running = try SoupTool.start(
                ["upsert", "notes", "--external-id", "key", "--config", folder.path, "--json"])
            // A load takes about a second; at first it reads all of its input.
            let moment = Duration.milliseconds(.random(in: 100...1200, using: &random))
            let killer = Task {
                try await Task.sleep(for: moment)
                running.kill(SIGKILL)
            }
            // Each load replaces all entries, so that the store does not grow.
            try? running.write(Self.entries(0..<Self.batch, round: round))
            for await _ in running.output {}
            if await running.end() == -SIGKILL { killed += 1 }
            killer.cancel()
            #expect(try !filesContain("plaintext"))
            let rows = try await soup(["query", "select {notes:round}, count(*) from {notes} group by 1"])
            try #require(rows.status == 0, "\(rows.errors)")
            // The input is one transaction.
            #expect(
                [content, ["[\"\(round)\",\(Self.batch)]"]].contains(rows.output), "round \(round): \(rows.output)")
            content = rows.output
        }
        #expect(try !filesContain("plaintext"))
        #expect(try await Set(opened().keys) == [.first])
        #expect(killed >= Self.kills / 2, "the process was not killed often enough")
    }
}

#endif
