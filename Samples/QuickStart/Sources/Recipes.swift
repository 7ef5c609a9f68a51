// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit

/// Part one: the store, without a server.
enum Recipes {
    /// A type of the app; a soup can store values of any `Codable` type.
    struct Recipe: Codable {
        var title: String
        var minutes: Int
        var kitchen: Kitchen
        var steps: [String]

        struct Kitchen: Codable {
            var country: String
        }
    }

    static func run(_ store: SmartStore) async throws {
        print("== Recipes: a soup")

        // Define an index for each path to search by. A path can lead into objects; a full-text index finds words.
        try await store.registerSoup(
            "recipes",
            [
                IndexSpec("title", .string), IndexSpec("minutes", .integer), IndexSpec("kitchen.country", .string),
                IndexSpec("steps", .fullText),
            ])

        let recipes = [
            Recipe(title: "Sopa de ajo", minutes: 30, kitchen: .init(country: "Spain"), steps: ["Brown the garlic"]),
            Recipe(
                title: "Gazpacho", minutes: 15, kitchen: .init(country: "Spain"), steps: ["Chop", "Chill the soup"]),
            Recipe(title: "Miso soup", minutes: 10, kitchen: .init(country: "Japan"), steps: ["Stir in the miso"]),
        ]
        let entries = try await store.upsert(encoding: recipes, into: "recipes")
        print("stored \(entries.count) entries with the IDs \(entries.map(\.id))")

        // A query spec selects entries, which are returned in pages.
        let spanish = QuerySpec.exact("recipes", "kitchen.country", equals: "Spain", orderedBy: "title")
        for entry in try await store.query(spanish).entries {
            let recipe: Recipe = try entry.decode()
            print("from Spain: \(recipe.title), \(recipe.minutes) minutes")
        }

        // A match query searches the words of a path with a full-text index.
        let garlic = try await store.query(QuerySpec(.match(path: "steps", key: "garlic"), soup: "recipes"))
        print("with garlic: \(garlic.entries.compactMap { $0["title"]?.stringValue })")

        // Smart SQL is a SELECT over soups: {soup:path} is a value, and arguments replace the question marks.
        let rows = try await store.rows(
            "select {recipes:kitchen.country}, count(*) from {recipes} where {recipes:minutes} < ? group by 1 order by 1",
            [20])
        for row in rows { print("quick recipes from \(row[0]?.stringValue ?? ""): \(row[1]?.intValue ?? 0)") }

        // An upsert replaces an entry, which is found by its ID or by the value at another path.
        var shorter = recipes[0]
        shorter.minutes = 25
        try await store.upsert(encoding: [shorter], into: "recipes", externalIdPath: "title")
        print("after the upsert: \(try await store.count(.all("recipes"))) recipes")

        // A transaction applies all of its changes or none.
        let quickest = try await store.write { writer in
            _ = try writer.remove(matching: .exact("recipes", "title", equals: "Gazpacho"), from: "recipes")
            return try writer.query(.all("recipes", orderedBy: "minutes", pageSize: 1)).entries.first?["title"]
        }
        print("the quickest recipe without the gazpacho: \(quickest?.stringValue ?? "none")")
    }
}
