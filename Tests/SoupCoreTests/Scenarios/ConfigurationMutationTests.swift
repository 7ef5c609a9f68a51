// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

/// Damaged configuration files: reading always ends, and every problem has a place.
@Suite struct ConfigurationMutationTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "SoupKitTests/Fixtures/real-configs")

    static let files: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".json") }
        .sorted()

    /// A linear congruential generator, so that a failure is reproducible.
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private func problems(
        of bytes: [UInt8], named file: String, registry: PluginRegistry
    ) -> [ConfigurationProblem] {
        file.hasSuffix("store.json")
            ? StoreConfig.read(bytes, file: file, registry: registry).problems
            : SyncsConfig.read(bytes, file: file, registry: registry, soups: .registered(SyncsConfigTests.store))
                .problems
    }

    private func checkPlaces(of problems: [ConfigurationProblem], in file: String, bytes: [UInt8]) {
        let lines = bytes.count { $0 == 0x0A } + 1
        for problem in problems {
            #expect(problem.place.file == file)
            #expect(problem.place.line.map { (1...lines).contains($0) } == true, "\(problem)")
            #expect(problem.place.column.map { $0 >= 1 } == true, "\(problem)")
            #expect(!problem.message.isEmpty)
        }
    }

    @Test func `All published files are found`() { #expect(Self.files.count == 20) }

    @Test(arguments: files) func `Damaged bytes never cause a crash`(file: String) throws {
        let registry = try TestTargets.registry()
        let original = Array(try Data(contentsOf: Self.folder.appending(path: file)))
        var dice = Dice(state: 11)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\u00", "null", "-1e999", "\u{7f}", "\u{0}", "ä", "\"x\":1,",
        ]
        for _ in 0..<150 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                let at = Int.random(in: 0...bytes.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: bytes.insert(contentsOf: pieces.randomElement(using: &dice)?.utf8 ?? "".utf8, at: at)
                case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &dice)))
                case 2 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &dice)
                default: bytes = Array(bytes[..<at])
                }
            }
            checkPlaces(of: problems(of: bytes, named: file, registry: registry), in: file, bytes: bytes)
        }
    }

    @Test(arguments: files) func `Values of every other kind never cause a crash`(file: String) throws {
        let registry = try TestTargets.registry()
        let original = try JSONValue(parsing: Array(try Data(contentsOf: Self.folder.appending(path: file))))
        let others: [JSONValue] = [nil, true, 0, -1.5, "", "no such thing", [], [nil], [:], ["a": ["b": nil]]]
        for (count, variant) in Self.variants(of: original, replacements: others).enumerated() where count < 4000 {
            let bytes = Array(try JSONText(variant).bytes)
            checkPlaces(of: problems(of: bytes, named: file, registry: registry), in: file, bytes: bytes)
        }
    }

    /// Returns every tree that differs from `value` in one place: a value is replaced or a member is removed.
    private static func variants(of value: JSONValue, replacements: [JSONValue]) -> [JSONValue] {
        var result = replacements
        switch value {
        case .object(let object):
            for (key, member) in object.members {
                for variant in variants(of: member, replacements: replacements) {
                    var copy = object
                    copy[key] = variant
                    result.append(.object(copy))
                }
                var copy = object
                copy[key] = nil
                result.append(.object(copy))
            }
        case .array(let array):
            // The elements of a list are similar: the first and the last represent all of them.
            for index in Set([array.startIndex, array.endIndex - 1]) where array.indices.contains(index) {
                for variant in variants(of: array[index], replacements: replacements) {
                    var copy = array
                    copy[index] = variant
                    result.append(.array(copy))
                }
            }
        default: break
        }
        return result
    }
}
