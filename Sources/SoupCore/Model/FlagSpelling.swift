// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Whether a local flag of this value is set: `true`, a number other than 0, or the text `true` or `1`.
    ///
    /// JavaScript apps sometimes write flags as numbers or text. Every other value, including null, means not set.
    public var isSetFlag: Bool {
        switch self {
        case .bool(let value): value
        case .int(let number): number != 0
        case .double(let number): number != 0
        case .number(let number): number.doubleValue != 0
        case .string(let text): text == "true" || text == "1"
        case .null, .array, .object: false
        }
    }
}
