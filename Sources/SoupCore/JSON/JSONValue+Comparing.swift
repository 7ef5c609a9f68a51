// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The number of levels of arrays and objects in a hash.
    ///
    /// Values that differ only below them have the same hash, and are still unequal.
    static let hashedLevels = 4

    /// Returns whether two arrays or two objects are equal.
    ///
    /// The use of the stack does not grow with their depth.
    static func haveSameParts(_ left: JSONValue, _ right: JSONValue) -> Bool {
        var pending = [(left, right)]
        while let pair = pending.popLast() {
            switch pair {
            case (.array(let left), .array(let right)):
                guard left.count == right.count else { return false }
                pending += zip(left, right)
            case (.object(let left), .object(let right)):
                guard left.count == right.count else { return false }
                for (key, value) in left.members {
                    guard let other = right[key] else { return false }
                    pending.append((value, other))
                }
            default:
                guard pair.0 == pair.1 else { return false }
            }
        }
        return true
    }

    /// Hashes an array by its elements in order, and an object by its members in any order, down to `levels`.
    func hashParts(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .array(let values):
            hasher.combine(values.count)
            guard levels > 0 else { return }
            for value in values { value.hashParts(into: &hasher, levels: levels - 1) }
        case .object(let object):
            hasher.combine(object.count)
            guard levels > 0 else { return }
            var all = 0
            for (key, value) in object.members {
                var member = hasher
                member.combine(key)
                value.hashParts(into: &member, levels: levels - 1)
                all ^= member.finalize()
            }
            hasher.combine(all)
        default: hash(into: &hasher)
        }
    }
}
