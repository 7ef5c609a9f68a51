// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CSVTargets
import Foundation
import SoupCore
import SoupTesting
import Testing

/// A target with requests is tested with `SyncDownTargetSuite`; this one reads a file.
@Suite struct CSVTargetsTests {
    private func page(of text: String) async throws -> RecordPage {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).csv")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let json = #"{"file": "\#(file.path)", "idField": "code"}"#
        let configuration = try JSONDecoder().decode(CSVTarget.Configuration.self, from: Data(json.utf8))
        let context = SyncContext(transport: ScriptedTransport([]), soup: "stations")
        return try await CSVTarget(configuration: configuration).page(after: nil, in: context)
    }

    @Test func `Each line is a record`() async throws {
        let page = try await page(of: "code,name\nA,Aalen\nB,\n")
        let records = try (0..<page.levels[0].count).map { try page.levels[0].record($0).value }
        #expect(records == [["code": "A", "name": "Aalen"], ["code": "B", "name": ""]])
    }

    @Test(arguments: ["name\nAalen\n", "code,name\nA\n", "code,name\nA,Aalen,3\n", ""])
    func `A faulty file is an error`(text: String) async throws {
        await #expect(throws: SoupError.self) { try await page(of: text) }
    }
}
