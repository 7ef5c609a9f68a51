// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Computes fields from other fields of the same record.
enum RecordDerivation {
    private struct Stage {
        var probability: Double
        var isClosed = false
        var isWon = false
        var forecast: String
    }

    private static let stages: [String: Stage] = [
        "Prospecting": Stage(probability: 10, forecast: "Pipeline"),
        "Qualification": Stage(probability: 10, forecast: "Pipeline"),
        "Needs Analysis": Stage(probability: 20, forecast: "Pipeline"),
        "Value Proposition": Stage(probability: 50, forecast: "Pipeline"),
        "Id. Decision Makers": Stage(probability: 60, forecast: "Pipeline"),
        "Perception Analysis": Stage(probability: 70, forecast: "Pipeline"),
        "Proposal/Price Quote": Stage(probability: 75, forecast: "Pipeline"),
        "Negotiation/Review": Stage(probability: 90, forecast: "Pipeline"),
        "Closed Won": Stage(probability: 100, isClosed: true, isWon: true, forecast: "Closed"),
        "Closed Lost": Stage(probability: 0, isClosed: true, forecast: "Omitted"),
    ]

    /// - Parameters:
    ///   - changed: the positions of the fields that the client changed.
    ///   - now: the time of the change, in milliseconds since 1970.
    static func apply(_ object: OrgObject, _ cells: inout [CellValue], changed: Set<Int>, now: Int64) {
        func text(_ name: String) -> String? { object.field(name).flatMap { cells[$0.position].text } }
        func set(_ name: String, _ value: CellValue) {
            if object.field(name) != nil { cells[object.position(name)] = value }
        }
        switch object.name {
        case "Contact", "Lead", "User":
            let name = [text("FirstName"), text("LastName")].compactMap { $0 }.joined(separator: " ")
            set("Name", name.isEmpty ? .null : .text(name))
        case "Opportunity":
            let stage = stages[text("StageName") ?? ""]
            set("IsClosed", .int(stage?.isClosed == true ? 1 : 0))
            set("IsWon", .int(stage?.isWon == true ? 1 : 0))
            set("ForecastCategoryName", .text(stage?.forecast ?? "Pipeline"))
            let moved = changed.contains(object.position("StageName"))
            if moved, !changed.contains(object.position("Probability")), let stage {
                set("Probability", .real(stage.probability))
            }
            let amount = cells[object.position("Amount")].double
            let probability = cells[object.position("Probability")].double ?? 0
            set("ExpectedRevenue", amount.map { .real(($0 * probability).rounded() / 100) } ?? .null)
        case "Attachment": set("BodyLength", .int(Int64(text("Body").map(Base64.byteCount) ?? 0)))
        case "Case":
            let isClosed = text("Status") == "Closed"
            set("IsClosed", .int(isClosed ? 1 : 0))
            let hasDate = object.field("ClosedDate").map { !cells[$0.position].isNull } ?? false
            if !isClosed { set("ClosedDate", .null) } else if !hasDate { set("ClosedDate", .int(now)) }
        case "Event": EventTimes.apply(object, &cells, changed: changed)
        case "Task":
            set("IsClosed", .int(text("Status") == "Completed" ? 1 : 0))
            set("IsHighPriority", .int(text("Priority") == "High" ? 1 : 0))
        default: break
        }
    }
}
