// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// An account as the query resource of Salesforce's REST API writes it, of about 565 bytes.
///
/// All values are derived from the record's number and its version, so that another version of the same number is the
/// same record with some changed fields.
struct AccountRecord {
    let number: Int
    /// The version, 0 for the first load.
    ///
    /// Later versions have other descriptions and dates, and another revenue for every tenth record.
    let version: Int
    /// A text that is appended to the description, which has no index.
    var remark = ""

    /// The external ID, which is unique and does not have the order of the numbers.
    var id: String {
        // An odd factor permutes the 32-bit numbers, so that no two records have the same ID.
        var rest = UInt32(truncatingIfNeeded: number) &* 2_654_435_769
        var text = Array("0015g00000AAAAAAA2".utf8)
        for position in stride(from: 14, through: 9, by: -1) {
            text[position] = Self.digits[Int(rest % 62)]
            rest /= 62
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the record's JSON.
    ///
    /// One of twenty names has letters outside ASCII, and one of thirty has an escape.
    func append(to output: inout [UInt8]) {
        var random = RandomNumbers(seed: UInt64(number))
        let id = self.id
        let city = Self.cities[random.below(Self.cities.count)]
        let branch = Self.branches[random.below(Self.branches.count)]
        let name =
            Self.names[random.below(Self.names.count)] + (number % 20 == 0 ? " Ångström" : "")
            + (number % 30 == 0 ? " \\\"Group\\\"" : " Group")
        let phone = "(\(200 + random.below(800))) \(100 + random.below(900))-\(1000 + random.below(9000))"
        var revenue = 1_000_000 + random.below(900_000_000)
        if version > 0 && number % 10 == 0 { revenue += version }
        let street = "\(1 + random.below(999)) \(Self.streets[random.below(Self.streets.count)])"
        let employees = random.below(20_000)
        random = RandomNumbers(seed: UInt64(number) &+ UInt64(version) << 32)
        var description = ""
        for _ in 0..<6 { description += Self.words[random.below(Self.words.count)] + " " }
        let day = 1 + random.below(28)
        let date = "2024-0\(version % 9 + 1)-\(day < 10 ? "0" : "")\(day)T12:\(10 + random.below(50)):07.000+0000"
        output +=
            """
            {"attributes":{"type":"Account","url":"/services/data/v60.0/sobjects/Account/\(id)"},"Id":"\(id)",\
            "Name":"\(name) \(number)","Type":"Customer - Direct","Industry":"\(branch)","AnnualRevenue":\(revenue).5,\
            "NumberOfEmployees":\(employees),"Phone":"\(phone)","BillingStreet":"\(street)","BillingCity":"\(city)",\
            "Website":"https://accounts.example.org/\(number)","IsDeleted":false,"OwnerId":"0055g000000DEMOAAQ",\
            "Description":"\(description)\(version)\(remark)","LastModifiedDate":"\(date)"}
            """.utf8
    }

    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let names = [
        "Acme", "Globex", "Initech", "Umbrella", "Stark Industries", "Wayne Enterprises", "Hooli", "Vehement Capital",
        "Massive Dynamic", "Soylent", "Wonka Industries", "Cyberdyne",
    ]
    private static let branches = ["Agriculture", "Banking", "Construction", "Energy", "Retail", "Technology"]
    private static let cities = ["Oslo", "Lisbon", "Nairobi", "Santiago", "Kyoto", "Winnipeg", "Adelaide"]
    private static let streets = ["Harbour Road", "Mill Lane", "Station Street", "Park Avenue", "Market Square"]
    private static let words = [
        "reliable", "supplier", "quarterly", "meeting", "contract", "renewal", "logistics", "priority", "regional",
        "partner", "delivery", "schedule", "warehouse", "support",
    ]
}
