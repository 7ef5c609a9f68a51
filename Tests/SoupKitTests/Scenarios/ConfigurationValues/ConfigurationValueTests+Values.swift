// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupKit
import Testing

/// The values inside of a target object, and values to replace them.
extension ConfigurationValueTests {
    static func expectReadable(_ problem: ConfigurationProblem, needsHint: Bool = true) {
        let text = problem.description
        #expect(problem.place.file == "usersyncs.json" && problem.place.line == 1 && problem.place.column ?? 0 > 1)
        #expect(problem.hint != nil || !needsHint, "\(text)")
        for word in ["initialize", "Decod", "Optional", "Swift", "Coding", "RawValue", "debugDescription"] {
            #expect(!text.contains(word), "\(text)")
        }
    }

    /// Returns the paths to all values, including those in arrays and objects.
    static func values(in value: JSONValue) -> [[ConfigurationStep]] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                [[.key(member.key)]] + values(in: member.value).map { [.key(member.key)] + $0 }
            }
        case .array(let array):
            array.enumerated().flatMap { index, value in
                [[.index(index)]] + values(in: value).map { [.index(index)] + $0 }
            }
        default: []
        }
    }

    static func value(at path: [ConfigurationStep], in value: JSONValue) -> JSONValue {
        path.reduce(value) { value, step in
            switch step {
            case .key(let key): value[key] ?? .null
            case .index(let index): value.arrayValue?[index] ?? .null
            }
        }
    }

    static func replacing(
        _ path: [ConfigurationStep], in value: JSONValue, by other: JSONValue
    ) -> JSONValue {
        guard let step = path.first else { return other }
        let rest = Array(path.dropFirst())
        switch step {
        case .key(let key):
            var object = value.objectValue ?? [:]
            object[key] = replacing(rest, in: value[key] ?? .null, by: other)
            return .object(object)
        case .index(let index):
            var array = value.arrayValue ?? []
            array[index] = replacing(rest, in: array[index], by: other)
            return .array(array)
        }
    }

    /// Returns values whose types are invalid in the place of this value.
    static func wrong(for value: JSONValue) -> [JSONValue] {
        switch value {
        case .string: [5, true, ["x"], ["x": 1]]
        case .bool: ["true", 1, []]
        case .int, .double, .number: ["5", true, [5], ["x": 1]]
        case .array: ["x", 5, true]
        case .object: ["x", 5, true]
        case .null: []
        }
    }
}
