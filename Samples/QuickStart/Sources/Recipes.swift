// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit

/// Part one, the store by itself: no server, no sync.
enum Recipes {
    /// An app's own type; a soup takes and gives any `Codable` one.
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

        // Index what you want to search by. Paths lead into objects; full-text indexes find words.
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
        print("stored \(entries.count), with the ids \(entries.map(\.id))")

        // A query spec asks for entries; a page of them comes at a time.
        let spanish = QuerySpec.exact("recipes", "kitchen.country", "Spain", orderedBy: "title")
        for entry in try await store.query(spanish).entries {
            let recipe: Recipe = try entry.decode()
            print("from Spain: \(recipe.title), \(recipe.minutes) minutes")
        }

        // Full text, on the words of a path.
        let garlic = try await store.query(QuerySpec(.match(path: "steps", key: "garlic"), soup: "recipes"))
        print("with garlic: \(garlic.entries.compactMap { $0["title"]?.stringValue })")

        // Smart SQL is SELECT over soups: {soup:path} stands for a value, and arguments for the question marks.
        let rows = try await store.rows(
            "select {recipes:kitchen.country}, count(*) from {recipes} where {recipes:minutes} < ? group by 1 order by 1",
            [20])
        for row in rows { print("quick ones from \(row[0]?.stringValue ?? ""): \(row[1]?.intValue ?? 0)") }

        // An entry is replaced by upserting it with its id, or by a key of your own.
        var shorter = recipes[0]
        shorter.minutes = 25
        try await store.upsert(encoding: [shorter], into: "recipes", externalIdPath: "title")
        print("after the upsert: \(try await store.count(.all("recipes"))) recipes, still")

        // Several steps that belong together go into one transaction: all of it is kept, or none.
        let quickest = try await store.write { writer in
            _ = try writer.delete(matching: .exact("recipes", "title", "Gazpacho"), from: "recipes")
            return try writer.query(.all("recipes", orderedBy: "minutes", pageSize: 1)).entries.first?["title"]
        }
        print("without the gazpacho the quickest is \(quickest?.stringValue ?? "none")")
    }
}
