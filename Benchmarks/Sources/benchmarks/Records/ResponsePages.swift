// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Whole responses of a query, page after page, as the bytes that a server sends.
struct ResponsePages: Sendable {
    static let pageSize = 2000

    /// The bodies, in order.
    let bodies: [[UInt8]]
    /// How many records they hold.
    let count: Int

    var byteCount: Int { bodies.reduce(0) { $0 + $1.count } }

    /// All records from 0 up to, not including, `count`, in one and the same shuffled order for every version.
    init(count: Int, version: Int) {
        var order = Array(0..<count)
        var random = RandomNumbers(seed: 20_240_115)
        order.shuffle(using: &random)
        self.count = count
        self.bodies = stride(from: 0, to: count, by: Self.pageSize).map { start in
            let end = min(start + Self.pageSize, count)
            return Self.body(order[start..<end], of: count, version: version, next: end < count ? end : nil)
        }
    }

    private static func body(_ numbers: ArraySlice<Int>, of total: Int, version: Int, next: Int?) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(numbers.count * 640 + 200)
        body += "{\"totalSize\":\(total),\"done\":\(next == nil),".utf8
        if let next { body += "\"nextRecordsUrl\":\"/services/data/v60.0/query/0r8xx0000000001AAA-\(next)\",".utf8 }
        body += "\"records\":[".utf8
        for (position, number) in numbers.enumerated() {
            if position > 0 { body.append(UInt8(ascii: ",")) }
            AccountRecord(number: number, version: version).append(to: &body)
        }
        body += "]}".utf8
        return body
    }
}
