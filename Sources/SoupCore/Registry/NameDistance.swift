// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A search for the name that was probably intended.
package enum NameDistance {
    /// Returns the candidate that differs from `name` by the fewest edits.
    ///
    /// Nil if even that one differs by more than a third, and for names that are too short to distinguish.
    package static func nearest(to name: String, in candidates: some Collection<String>) -> String? {
        let scored = candidates.map { (candidate: $0, distance: distance(name.lowercased(), $0.lowercased())) }
        guard let best = scored.min(by: { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }),
            best.distance == 0 || name.count > 2, best.distance <= max(1, name.count / 3)
        else { return nil }
        return best.candidate
    }

    /// Returns the hint for an unknown name: the list of known names, and the nearest one.
    ///
    /// - Parameter others: the names among which the nearest one is searched; nil for the known ones.
    package static func hint(for name: String, among known: [String], orMeaning others: [String]? = nil) -> String {
        list(of: known) + (nearest(to: name, in: others ?? known).map { " Did you mean \"\($0)\"?" } ?? "")
    }

    /// Returns the nearest of the known names as a question, if one is near, else another hint.
    ///
    /// - Parameter otherwise: the other hint; nil for the list of the known names.
    package static func question(for name: String, among known: [String], else otherwise: String? = nil) -> String {
        nearest(to: name, in: known).map { "Did you mean \"\($0)\"?" } ?? otherwise ?? list(of: known)
    }

    /// Returns the known names as a sentence.
    package static func list(of known: [String]) -> String { "Known: \(known.joined(separator: ", "))." }

    /// Returns names as alternatives: `A, B or C`.
    package static func alternatives(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// Returns the number of edits between two texts.
    ///
    /// An edit inserts, deletes or replaces a character, or swaps it with its neighbor.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
