// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

@Suite struct RecordDateFormatTests {
    @Test(arguments: [
        ("iso8601", #""2015-02-05T13:12:03.956-0800""#, 1_423_170_723_956),
        ("epochSeconds", "1423170723", 1_423_170_723_000),
        ("epochSeconds", "1423170723.956", 1_423_170_723_956), ("epochSeconds", #""1423170723""#, 1_423_170_723_000),
        ("epochSeconds", "-0.5", -500), ("epochMilliseconds", "1423170723956", 1_423_170_723_956),
        ("epochMilliseconds", "1.423170723956E12", 1_423_170_723_956),
        ("httpDate", #""Sun, 06 Nov 1994 08:49:37 GMT""#, 784_111_777_000),
        ("yyyy-MM-dd HH:mm:ss", #""1994-11-06 08:49:37""#, 784_111_777_000),
        ("yyyy-MM-dd'T'HH:mm:ss.SSS", #""1994-11-06T08:49:37.1239""#, 784_111_777_123),
        ("dd.MM.yyyy", #""06.11.1994""#, 784_080_000_000), ("yyyyMMdd", #""19941106""#, 784_080_000_000),
    ])
    func `Dates are read`(name: String, value: String, expected: Int64) throws {
        let format = try RecordDateFormat(named: name)
        #expect(format.name == name)
        #expect(format.milliseconds(in: try JSONText(value)) == expected)
        #expect(format.date(in: try JSONText(value)) == Date(millisecondsSince1970: expected))
    }

    @Test(arguments: [
        ("iso8601", "1423170723"), ("iso8601", #""06.11.1994""#), ("epochSeconds", #""""#), ("epochSeconds", #""nan""#),
        ("epochSeconds", #""0x10""#), ("epochSeconds", "1e300"), ("epochSeconds", "null"), ("epochSeconds", "[1]"),
        ("epochMilliseconds", #""1 2""#), ("httpDate", "1423170723"), ("yyyyMMdd", #""1994-11-06""#),
        ("yyyyMMdd", #""199411061""#), ("yyyyMMdd", #""19941306""#), ("yyyy-MM-dd HH:mm", #""1994-11-06 99:00""#),
        ("yyyyMMdd", "19941106"),
    ])
    func `Other values are no dates`(name: String, value: String) throws {
        #expect(try RecordDateFormat(named: name).milliseconds(in: try JSONText(value)) == nil)
    }

    @Test(arguments: [
        "", "iso", "EpochSeconds", "yyyy", "yyyy-MM", "yyyy-MM-dd hh:mm", "yyyy-MM-dd yyyy", "'yyyy-MM-dd",
        "yyyy-MM-dd é",
    ])
    func `Texts that are no formats are refused`(name: String) {
        let error = #expect(throws: SoupError.self) { try RecordDateFormat(named: name) }
        #expect(error?.code == .badConfiguration)
        #expect(error?.message.contains("\"\(name)\"") == true)
    }

    @Test func `A written date is read as the same date`() throws {
        var random = SeededRandom(seed: 3)
        let names = [
            "iso8601", "epochSeconds", "epochMilliseconds", "yyyy-MM-dd'T'HH:mm:ss.SSS", "SSS ss:mm:HH dd.MM.yyyy",
        ]
        for name in names {
            let format = try RecordDateFormat(named: name)
            for _ in 0..<500 {
                let time = Int64.random(in: -2_208_988_800_000..<64_060_588_800_000, using: &random)
                let value = format.value(ofMilliseconds: time)
                #expect(format.milliseconds(in: value) == time, "\(name): \(value)")
                #expect(try JSONText("\(value)").bytes == value.bytes)
            }
        }
        let whole = try RecordDateFormat(named: "httpDate")
        #expect(whole.milliseconds(in: whole.value(ofMilliseconds: 784_111_777_000)) == 784_111_777_000)
        #expect(RecordDateFormat.epochSeconds.value(ofMilliseconds: 784_111_777_000).description == "784111777")
        #expect(RecordDateFormat.epochSeconds.value(ofMilliseconds: -1).description == "-0.001")
    }

    @Test func `A format is coded by its name`() throws {
        let format = try JSONDecoder().decode(RecordDateFormat.self, from: Data(#""dd.MM.yyyy""#.utf8))
        #expect(format == .pattern(try #require(DatePattern("dd.MM.yyyy"))))
        #expect(try JSONEncoder().encode(format) == Data(#""dd.MM.yyyy""#.utf8))
    }
}
