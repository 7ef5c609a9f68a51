// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Finds what somebody probably meant.
public enum NameDistance {
    /// The candidate that differs from `name` by the fewest edits; nil when even that one differs by more than a third.
    public static func nearest(to name: String, in candidates: some Collection<String>) -> String? {
        let scored = candidates.map { (candidate: $0, distance: distance(name.lowercased(), $0.lowercased())) }
        guard let best = scored.min(by: { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }),
            best.distance <= max(1, name.count / 3)
        else { return nil }
        return best.candidate
    }

    /// How many characters must be inserted, deleted or replaced to make one text of the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (character == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
