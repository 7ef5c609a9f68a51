// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension JSONValue {
    /// The expected results of an operation, any of which is correct.
    ///
    /// The two platforms can have different expectations: the members `expectIOS` and `expectAndroid`, or members of
    /// `expect`.
    var expectations: [JSONValue] {
        let all = ["expect", "expectIOS", "expectAndroid"].compactMap { self[$0] }
        return all.flatMap { expectation -> [JSONValue] in
            guard let object = expectation.objectValue, !object.isEmpty else { return [expectation] }
            let isByPlatform = object.members.allSatisfy { ["ios", "android"].contains($0.key.lowercased()) }
            return isByPlatform ? object.members.map(\.value) : [expectation]
        }
    }

    /// Returns whether this result is one of those expected; without expectations, whether it is not an error.
    func satisfies(anyOf expected: [JSONValue]) -> Bool {
        expected.isEmpty ? self["error"] == nil : expected.contains { satisfies($0) }
    }

    /// Returns whether this object has every expected member with an equal value; any other value must be equal.
    private func satisfies(_ expected: JSONValue) -> Bool {
        if expected.isException { return self["error"] != nil }
        guard let members = expected.objectValue?.members else { return self == expected }
        guard case .object = self else { return false }
        return members.allSatisfy { self[$0.key] == $0.value }
    }

    /// Whether an expectation is an error, in the form in which cases describe exceptions of Android.
    private var isException: Bool { stringValue?.utf8.starts(with: "exception ".utf8) == true }

    /// The value without the modification dates of entries, which differ between runs.
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
    /// The code of the error in cases.
    var caseCode: String {
        switch self {
        case let error as SoupError: error.code.rawValue
        case is JSONError: SoupError.Code.json.rawValue
        default: "\(self)"
        }
    }
}
