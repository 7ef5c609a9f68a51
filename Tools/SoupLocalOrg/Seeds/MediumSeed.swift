// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records of a small company: invented, plausible, and the same in every run.
struct MediumSeed {
    private var random = SplitMix(seed: 20_240_115)
    /// The last moment at which a record was modified: 2024-01-14T23:00:00Z.
    private static let end: Int64 = 1_705_273_200_000
    /// The half year before it, in milliseconds.
    private static let span: Int64 = 180 * 86_400_000

    mutating func rows() -> [OrgDefinition.Row] {
        accounts() + contacts() + opportunities() + cases() + tasks() + visits()
    }

    func load(into loader: SeedLoader) throws {
        var generator = self
        try loader.insert(generator.rows())
        for (name, prefix) in [("Account", "001"), ("Contact", "003"), ("Opportunity", "006")] {
            guard let object = loader.org.schema[name] else { continue }
            try loader.context.recentItems.noteViewed(
                (1...10).map { RecordID.make(prefix, Int64($0 * 7)) }, of: object, at: Self.end)
        }
    }

    /// Returns modification times for a number of records: each in its own interval, in random order.
    private mutating func moments(_ count: Int) -> [Int64] {
        let slot = Self.span / Int64(count)
        var slots = Array(0..<count)
        slots.shuffle(using: &random)
        return slots.map { index in
            let seconds = Int64(random.below(Int(slot / 1000)))
            return (Self.end - Self.span + Int64(index) * slot) / 1000 * 1000 + seconds * 1000
        }
    }

    private mutating func row(
        _ object: String, key: String?, modified: Int64, _ values: JSONObject
    ) -> OrgDefinition.Row {
        let age = Int64(random.below(400)) * 86_400_000
        return OrgDefinition.Row(
            object: object, key: key, values: values, modified: modified, created: modified - age)
    }

    private mutating func phone() -> JSONValue {
        .string("+1 555 \(100 + random.below(900)) \(1000 + random.below(9000))")
    }

    private mutating func day(_ from: Int, _ to: Int) -> JSONValue {
        .string(OrgDate(Self.end).adding(days: from + random.below(to - from)).text)
    }

    // MARK: Objects

    private mutating func accounts() -> [OrgDefinition.Row] {
        var names: Set<String> = []
        return moments(200).enumerated().map { index, modified in
            var name = ""
            repeat {
                name = "\(random.pick(Self.nouns)) \(random.pick(Self.trades)) \(random.pick(Self.forms))"
            } while !names.insert(name).inserted
            let host = name.lowercased().filter { $0.isLetter }
            var values: JSONObject = [
                "Name": .string(name), "AccountNumber": .string("CD\(451_000 + index)"),
                "Type": .string(random.pick(["Prospect", "Customer - Direct", "Customer - Channel", "Other"])),
                "Industry": .string(random.pick(Self.industries)),
                "Rating": .string(random.pick(["Hot", "Warm", "Cold"])),
                "Phone": phone(), "Website": .string("https://www.\(host).example.com"),
                "BillingStreet": .string("\(1 + random.below(900)) \(random.pick(Self.streets))"),
                "AnnualRevenue": .int(Int64(1 + random.below(900)) * 50_000),
                "NumberOfEmployees": .int(Int64(5 + random.below(5000))),
                "Description": .string("\(name) buys from us since \(1998 + random.below(25))."),
            ]
            let place = random.pick(Self.cities)
            values["BillingCity"] = .string(place.0)
            values["BillingState"] = .string(place.1)
            values["BillingCountry"] = .string(place.2)
            values["BillingPostalCode"] = .string(String(10_000 + random.below(89_999)))
            if index >= 20, random.below(8) == 0 { values["ParentId"] = .string("@m-acc\(random.below(20))") }
            return row("Account", key: "m-acc\(index)", modified: modified, values)
        }
    }

    private mutating func contacts() -> [OrgDefinition.Row] {
        moments(1000).enumerated().map { index, modified in
            let first = random.pick(Self.firstNames)
            let last = random.pick(Self.lastNames)
            let place = random.pick(Self.cities)
            var values: JSONObject = [
                "FirstName": .string(first), "LastName": .string(last), "Title": .string(random.pick(Self.titles)),
                "Department": .string(random.pick(Self.departments)), "Phone": phone(), "MobilePhone": phone(),
                "Email": .string("\(first.lowercased()).\(last.lowercased())\(index)@example.com"),
                "LeadSource": .string(random.pick(["Web", "Phone Inquiry", "Partner Referral", "Other"])),
                "MailingCity": .string(place.0), "MailingState": .string(place.1), "MailingCountry": .string(place.2),
            ]
            if random.below(3) == 0 { values["HomePhone"] = phone() }
            if random.below(4) == 0 { values["Birthdate"] = day(-20_000, -8000) }
            if index % 50 != 49 { values["AccountId"] = .string("@m-acc\(random.below(200))") }
            return row("Contact", key: "m-con\(index)", modified: modified, values)
        }
    }

    private mutating func opportunities() -> [OrgDefinition.Row] {
        let stages = [
            "Prospecting", "Qualification", "Needs Analysis", "Value Proposition", "Proposal/Price Quote",
            "Negotiation/Review", "Closed Won", "Closed Lost",
        ]
        return moments(400).enumerated().map { index, modified in
            row(
                "Opportunity", key: "m-opp\(index)", modified: modified,
                [
                    "Name": .string("\(random.pick(Self.products)) \(2023 + random.below(2))-\(index + 1)"),
                    "AccountId": .string("@m-acc\(random.below(200))"), "StageName": .string(random.pick(stages)),
                    "CloseDate": day(-120, 180), "Amount": .int(Int64(1 + random.below(400)) * 250),
                    "LeadSource": .string(random.pick(["Web", "Phone Inquiry", "Partner Referral", "Other"])),
                ])
        }
    }

    private mutating func cases() -> [OrgDefinition.Row] {
        moments(300).enumerated().map { index, modified in
            row(
                "Case", key: "m-case\(index)", modified: modified,
                [
                    "Subject": .string("\(random.pick(Self.products)): \(random.pick(Self.troubles))"),
                    "Status": .string(random.pick(["New", "Working", "Escalated", "Closed"])),
                    "Origin": .string(random.pick(["Phone", "Email", "Web"])),
                    "Priority": .string(random.pick(["High", "Medium", "Low"])),
                    "AccountId": .string("@m-acc\(random.below(200))"),
                    "ContactId": .string("@m-con\(random.below(1000))"),
                ])
        }
    }

    private mutating func tasks() -> [OrgDefinition.Row] {
        moments(500).enumerated().map { index, modified in
            row(
                "Task", key: nil, modified: modified,
                [
                    "Subject": .string(random.pick(["Call", "Send quote", "Follow up", "Visit", "Send contract"])),
                    "Status": .string(random.pick(["Not Started", "In Progress", "Completed"])),
                    "Priority": .string(random.pick(["High", "Normal", "Low"])), "ActivityDate": day(-60, 60),
                    "WhoId": .string("@m-con\(random.below(1000))"),
                    "WhatId": .string(index % 2 == 0 ? "@m-acc\(random.below(200))" : "@m-opp\(random.below(400))"),
                ])
        }
    }

    private mutating func visits() -> [OrgDefinition.Row] {
        let visits = moments(100).enumerated().map { index, modified in
            row(
                "Visit__c", key: "m-vis\(index)", modified: modified,
                [
                    "Account__c": .string("@m-acc\(random.below(200))"), "External_Id__c": .string("V-\(index + 1)"),
                    "Status__c": .string(random.pick(["Planned", "Done", "Cancelled"])),
                    "Starts_At__c": .string(DateText.format(modified + 7 * 86_400_000)),
                    "Distance__c": .double(Double(random.below(5000)) / 10), "Version__c": 1,
                ])
        }
        let items = moments(500).enumerated().map { index, modified in
            row(
                "Visit_Item__c", key: nil, modified: modified,
                [
                    "Visit__c": .string("@m-vis\(index / 5)"), "External_Id__c": .string("VI-\(index + 1)"),
                    "Product__c": .string(random.pick(Self.products)), "Quantity__c": .int(Int64(1 + random.below(40))),
                ])
        }
        return visits + items
    }
}
