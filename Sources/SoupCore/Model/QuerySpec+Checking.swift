// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension QuerySpec {
    /// Returns warnings about parts of a spec that ``init(json:soup:)`` ignores, as the mobile SDKs do.
    ///
    /// - Returns: warnings with paths in the spec: an order and a page size that are not used, and unknown keys.
    public static func warnings(in json: JSONValue) -> [ConfigurationProblem] {
        guard let object = json.objectValue else { return [] }
        var problems: [ConfigurationProblem] = []
        if let order = object["order"]?.stringValue, Order(rawValue: order) == nil {
            problems.append(
                ConfigurationProblem(
                    .warning, code: .badQuerySpec, at: SoupError.Place(path: "order"),
                    "\"\(order)\" is not an order; \"ascending\" is used",
                    hint: order.lowercased().hasPrefix("desc")
                        ? "Did you mean \"descending\"?" : "Known: ascending, descending."))
        }
        if let size = object["pageSize"]?.intValue, size < 1 {
            problems.append(
                ConfigurationProblem(
                    .warning, code: .badQuerySpec, at: SoupError.Place(path: "pageSize"),
                    "\(size) is not a page size; 10 is used",
                    hint: "Use a page size of at least 1."))
        }
        return problems + ConfigurationProblem.unknownKeys(in: object.keys, known: keys, at: [])
    }

    /// All keys of a spec; `soupName` and `args` are for callers that send them with it.
    private static let keys = [
        "queryType", "soupName", "indexPath", "matchKey", "likeKey", "beginKey", "endKey", "smartSql", "selectPaths",
        "orderPath", "order", "pageSize", "args",
    ]
}
