// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A large number of accounts, created one at a time.
///
/// Account `n` has the ID with the number `n`, and was modified `n` seconds after 2020-01-01T00:00:00Z.
struct LargeSeed {
    let count: Int

    private static let start: Int64 = 1_577_836_800_000
    private static let kinds = ["Prospect", "Customer - Direct", "Customer - Channel", "Technology Partner"]
    private static let industries = [
        "Agriculture", "Banking", "Construction", "Energy", "Healthcare", "Retail", "Utilities",
    ]
    private static let cities = ["Oslo", "Bergen", "Hamburg", "Lyon", "Porto", "Turin", "Gdansk", "Leeds"]
    private static let text =
        "Supplies parts and service to plants in the region; reviewed each quarter."

    func load(into loader: SeedLoader) throws {
        guard let object = loader.org.schema["Account"] else { return }
        func position(_ name: String) -> Int { object.position(name) }
        let blank = loader.blank(object)
        let places = [
            "Name", "AccountNumber", "Type", "Industry", "Phone", "Website", "BillingStreet", "BillingCity", "Rating",
            "Description",
        ].map(position)
        let revenue = position("AnnualRevenue")
        let employees = position("NumberOfEmployees")
        for index in 1...max(1, count) where count > 0 {
            try Task.checkCancellation()
            let digits = String(index)
            let padded = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
            var cells = blank
            let texts = [
                "Account \(padded)", "A-\(padded)", Self.kinds[index % Self.kinds.count],
                Self.industries[index % Self.industries.count], "+47 22 \(padded)",
                "https://account\(digits).example.com",
                "\(index % 200 + 1) Harbour Street", Self.cities[index % Self.cities.count],
                ["Hot", "Warm", "Cold"][index % 3], Self.text,
            ]
            for (place, text) in zip(places, texts) { cells[place] = .text(text) }
            cells[revenue] = .real(Double(index % 9973) * 1000)
            cells[employees] = .int(Int64(index % 997 + 1))
            loader.stamp(
                object, &cells, id: RecordID.make(object.keyPrefix, Int64(index)), created: Self.start,
                modified: Self.start + Int64(index) * 1000)
            try loader.context.rows.insert(cells, into: object, number: Int64(index))
        }
        loader.org.reserve(object, upTo: Int64(count))
    }
}
