// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Values of limited total size; if there is no more room, the least recently used one is removed.
struct LeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let capacity: Int
    private(set) var size = 0
    private var entries: [Key: (value: Value, size: Int, use: Int)] = [:]
    /// All uses, oldest first; a use that is followed by a later one of the same key is ignored.
    private var uses: [(key: Key, use: Int)] = []
    private var firstUse = 0
    private var lastUse = 0

    init(capacity: Int) { self.capacity = max(0, capacity) }

    var count: Int { entries.count }

    mutating func value(_ key: Key) -> Value? {
        guard let value = entries[key]?.value else { return nil }
        touch(key)
        return value
    }

    /// Inserts a value unless it alone is too large.
    mutating func insert(_ value: Value, size: Int, for key: Key) {
        remove(key)
        guard size <= capacity else { return }
        entries[key] = (value, size, 0)
        self.size += size
        touch(key)
        while self.size > capacity, firstUse < uses.count {
            let oldest = uses[firstUse]
            firstUse += 1
            if entries[oldest.key]?.use == oldest.use { remove(oldest.key) }
        }
    }

    mutating func remove(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { size -= entry.size }
    }

    mutating func removeAll() {
        entries = [:]
        uses = []
        (size, firstUse) = (0, 0)
    }

    private mutating func touch(_ key: Key) {
        lastUse += 1
        entries[key]?.use = lastUse
        uses.append((key, lastUse))
        if uses.count > 2 * entries.count + 16 {
            uses = uses[firstUse...].filter { entries[$0.key]?.use == $0.use }
            firstUse = 0
        }
    }
}
