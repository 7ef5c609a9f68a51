// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

/// Damaged configuration files: whatever the damage, reading ends, and every problem says where it is.
@Suite struct ConfigurationMutationTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "SoupKitTests/Fixtures/real-configs")

    static let files: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".json") }
        .sorted()

    /// A linear congruential generator, so that a failure repeats.
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private func problems(of bytes: [UInt8], named file: String, _ registry: PluginRegistry) -> [ConfigurationProblem] {
        file.hasSuffix("store.json")
            ? StoreConfig.read(bytes, file: file, registry: registry).problems
            : SyncsConfig.read(bytes, file: file, registry: registry, soups: .registered(SyncsConfigTests.store))
                .problems
    }

    private func check(_ problems: [ConfigurationProblem], _ file: String, _ bytes: [UInt8]) {
        let lines = bytes.count { $0 == 0x0A } + 1
        for problem in problems {
            #expect(problem.place.file == file)
            #expect(problem.place.line.map { (1...lines).contains($0) } == true, "\(problem)")
            #expect(problem.place.column.map { $0 >= 1 } == true, "\(problem)")
            #expect(!problem.message.isEmpty)
        }
    }

    @Test func `The published files are there`() { #expect(Self.files.count == 20) }

    @Test(arguments: files) func `Damaged bytes never crash`(file: String) throws {
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
            check(problems(of: bytes, named: file, registry), file, bytes)
        }
    }

    @Test(arguments: files) func `Every value replaced by every other kind never crashes`(file: String) throws {
        let registry = try TestTargets.registry()
        let original = try JSONValue(parsing: Array(try Data(contentsOf: Self.folder.appending(path: file))))
        let others: [JSONValue] = [nil, true, 0, -1.5, "", "no such thing", [], [nil], [:], ["a": ["b": nil]]]
        for (count, variant) in Self.variants(of: original, others).enumerated() where count < 4000 {
            let bytes = Array(try JSONText(variant).bytes)
            check(problems(of: bytes, named: file, registry), file, bytes)
        }
    }

    /// Every tree that differs from `value` in one place: a value replaced or a member removed.
    private static func variants(of value: JSONValue, _ others: [JSONValue]) -> [JSONValue] {
        var result = others
        switch value {
        case .object(let object):
            for (key, member) in object.members {
                for variant in variants(of: member, others) {
                    var copy = object
                    copy[key] = variant
                    result.append(.object(copy))
                }
                var copy = object
                copy[key] = nil
                result.append(.object(copy))
            }
        case .array(let array):
            // The elements of a list are alike: the first and the last stand for all.
            for index in Set([array.startIndex, array.endIndex - 1]) where array.indices.contains(index) {
                for variant in variants(of: array[index], others) {
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
