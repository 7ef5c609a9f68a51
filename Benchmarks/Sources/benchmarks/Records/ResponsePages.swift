// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The complete responses of a query, page by page, as the bytes that a server sends.
struct ResponsePages: Sendable {
    static let pageSize = 2000

    /// The bodies, in order.
    let bodies: [[UInt8]]
    /// The number of records in all pages.
    let count: Int

    var byteCount: Int { bodies.reduce(0) { $0 + $1.count } }

    /// Creates pages of the records from 0 up to, but not including, `count`, in the same shuffled order for every
    /// version.
    ///
    /// - Parameter remark: a text that is appended to a field without an index in every tenth record.
    init(count: Int, version: Int, remark: String = "") {
        var order = Array(0..<count)
        var random = RandomNumbers(seed: 20_240_115)
        order.shuffle(using: &random)
        self.count = count
        self.bodies = stride(from: 0, to: count, by: Self.pageSize).map { start in
            let end = min(start + Self.pageSize, count)
            let records = order[start..<end].map { number in
                AccountRecord(number: number, version: version, remark: number.isMultiple(of: 10) ? remark : "")
            }
            return Self.body(records, of: count, next: end < count ? end : nil)
        }
    }

    /// Creates pages from a server's responses.
    init(_ bodies: [[UInt8]], count: Int) {
        self.bodies = bodies
        self.count = count
    }

    private static func body(_ records: [AccountRecord], of total: Int, next: Int?) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(records.count * 640 + 200)
        body += "{\"totalSize\":\(total),\"done\":\(next == nil),".utf8
        if let next { body += "\"nextRecordsUrl\":\"/services/data/v60.0/query/0r8xx0000000001AAA-\(next)\",".utf8 }
        body += "\"records\":[".utf8
        for (position, record) in records.enumerated() {
            if position > 0 { body.append(UInt8(ascii: ",")) }
            record.append(to: &body)
        }
        body += "]}".utf8
        return body
    }
}
