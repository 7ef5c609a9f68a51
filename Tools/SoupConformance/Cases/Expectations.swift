// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension JSONValue {
    /// What may come of an operation: any of these will do.
    ///
    /// The two platforms are told apart by the members `expectIOS` and `expectAndroid`, or inside of `expect`.
    var expectations: [JSONValue] {
        let all = ["expect", "expectIOS", "expectAndroid"].compactMap { self[$0] }
        return all.flatMap { expectation -> [JSONValue] in
            guard let object = expectation.objectValue, !object.isEmpty else { return [expectation] }
            let isByPlatform = object.members.allSatisfy { ["ios", "android"].contains($0.key.lowercased()) }
            return isByPlatform ? object.members.map(\.value) : [expectation]
        }
    }

    /// Whether something came that is expected.
    ///
    /// An operation without expectations must not fail.
    func satisfies(anyOf expected: [JSONValue]) -> Bool {
        expected.isEmpty ? self["error"] == nil : expected.contains { satisfies($0) }
    }

    /// Whether this has every member that is expected with an equal value; a value that is no object must be equal.
    private func satisfies(_ expected: JSONValue) -> Bool {
        if expected.isException { return self["error"] != nil }
        guard let members = expected.objectValue?.members else { return self == expected }
        guard case .object = self else { return false }
        return members.allSatisfy { self[$0.key] == $0.value }
    }

    /// Whether an expectation is that of an error, as cases write the exceptions of Android.
    private var isException: Bool { stringValue?.utf8.starts(with: "exception ".utf8) == true }

    /// The value without the dates of its entries, which differ from run to run.
    var withoutDates: JSONValue {
        switch self {
        case .array(let values): return .array(values.map(\.withoutDates))
        case .object(var object):
            object[EntryField.lastModified] = nil
            return .object(object)
        default: return self
        }
    }
}

extension Error {
    /// The code by which cases call an error.
    var caseCode: String {
        switch self {
        case let error as SoupError: error.code.rawValue
        case is JSONError: SoupError.Code.json.rawValue
        default: "\(self)"
        }
    }
}
