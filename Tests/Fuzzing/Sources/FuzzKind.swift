// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A part of SoupKit that is given damaged input, with what must hold whatever the input.
protocol FuzzKind: Sendable {
    /// The name of the folder of its corpus.
    var name: String { get }
    /// How much of the time is its own, in turns a round.
    var share: Int { get }
    /// Pieces of its language, which mutations put in.
    var words: [String] { get }

    /// Gives the input to the part.
    ///
    /// - Returns: in a few words what the part did; inputs that make it do something new are kept for more mutations.
    /// - Throws: ``Violation`` when something did not hold.
    func check(_ input: [UInt8]) async throws -> String
}

extension FuzzKind {
    var share: Int { 1 }
}

/// Something that did not hold.
struct Violation: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// - Throws: ``Violation`` unless it holds.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    guard holds else { throw Violation(message()) }
}

/// An error without what differs from input to input: its code, and its message up to the first quoted text or number.
func outline(_ code: String, _ message: String) -> String {
    "\(code): \(message.prefix { !"\"'{(".contains($0) && !$0.isNumber })"
}

/// Prints a line at once, so that it is seen even when the process ends over what comes next.
func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
