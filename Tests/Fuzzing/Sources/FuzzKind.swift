// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A type that runs a part of SoupKit with damaged input and checks conditions that must be true for every input.
protocol FuzzKind: Sendable {
    /// The name of the folder of its corpus.
    var name: String { get }
    /// The number of time slices of this kind in each round.
    var share: Int { get }
    /// Pieces of the input language, which mutations insert.
    var words: [String] { get }

    /// Runs the part with the input.
    ///
    /// - Returns: a short description of the result; inputs with a new result are kept for more mutations.
    /// - Throws: ``Violation`` if a condition is not true.
    func check(_ input: [UInt8]) async throws -> String
}

extension FuzzKind {
    var share: Int { 1 }
}

/// An error for a condition that is not true.
struct Violation: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Checks a condition.
///
/// - Throws: ``Violation`` if it is not true.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw Violation(message()) }
}

/// Returns the parts of an error that do not depend on the input: its code, and its message up to the first quoted text
/// or number.
func outline(_ code: String, _ message: String) -> String {
    "\(code): \(message.prefix { !"\"'{(".contains($0) && !$0.isNumber })"
}

/// Prints a line immediately, so that it is visible even if the process ends afterwards.
func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
