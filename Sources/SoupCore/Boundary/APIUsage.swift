// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The number of requests to an API in the last 24 hours, and its maximum.
public struct APIUsage: Sendable, Hashable, CustomStringConvertible {
    /// The number of requests that were used.
    public var used: Int
    /// The maximum number of requests; above 0.
    public var maximum: Int

    /// Stores the values, which are not checked.
    public init(used: Int, maximum: Int) {
        self.used = used
        self.maximum = maximum
    }

    /// Reads the header `Sforce-Limit-Info` of Salesforce: `api-usage=18/5000`.
    ///
    /// It is nil if the header is missing, contains no `api-usage`, or numbers that cannot be read.
    ///
    /// Source: the REST API Developer Guide, *Limit Info Header*.
    public init?(_ fields: HTTPFields) {
        guard let name = HTTPField.Name("Sforce-Limit-Info") else { return nil }
        for part in (fields[name] ?? "").split(whereSeparator: { $0 == "," || $0 == ";" }) {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }) == "api-usage" else { continue }
            let numbers = pair[1].split(separator: "/").map { Int($0.prefix { $0.isNumber }) }
            guard numbers.count == 2, let used = numbers[0], let maximum = numbers[1], maximum > 0 else { return nil }
            self.init(used: used, maximum: maximum)
            return
        }
        return nil
    }

    /// Returns whether a share of the maximum is used; 1 is the whole maximum.
    public func reaches(_ share: Double) -> Bool { Double(used) >= Double(maximum) * share }

    /// The numbers as text, for messages.
    public var description: String { "\(used) of \(maximum) API requests of 24 hours" }
}
