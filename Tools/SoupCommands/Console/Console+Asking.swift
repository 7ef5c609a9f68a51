// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation

extension Console {
    /// Whether a user reads the output and can answer.
    var canAsk: Bool { isTerminal && isatty(STDIN_FILENO) == 1 }

    /// Asks a question, and returns whether the user typed `y` or `yes`.
    ///
    /// Call it only if ``canAsk``; it blocks until the user presses Return.
    func ask(_ question: String) -> Bool {
        print("\(question) Type y to agree, anything else to stop.")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
        return answer == "y" || answer == "yes"
    }
}

#endif
