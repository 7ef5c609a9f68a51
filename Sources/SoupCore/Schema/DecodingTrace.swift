// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The requests of a type that decodes itself: those for its value, its members and its elements.
///
/// The requests of the members themselves are not recorded. One thread uses it.
final class DecodingTrace {
    /// The requests for the value of a key.
    struct Member {
        var types: [any Decodable.Type] = []
        /// Whether the type fails without the key.
        var isRequired = false
    }

    /// The types that the value itself is read as, beside the decoded type.
    private(set) var ownTypes: [any Decodable.Type] = []
    /// Whether the value is read as an object.
    private(set) var isObject = false
    /// Whether all keys of the object are read, whatever their names are.
    private(set) var isMap = false
    /// Whether the value is read as an array.
    private(set) var isArray = false
    /// The keys in the order of their first request.
    private(set) var keys: [String] = []
    private(set) var members: [String: Member] = [:]
    private(set) var elementTypes: [any Decodable.Type] = []

    func noteObject(at path: [ConfigurationStep]) { isObject = isObject || path.isEmpty }
    func noteMap(at path: [ConfigurationStep]) { isMap = isMap || path.isEmpty }
    func noteArray(at path: [ConfigurationStep]) { isArray = isArray || path.isEmpty }

    /// Records that a value is read as a type.
    func note(_ type: any Decodable.Type, at path: [ConfigurationStep], isRequired: Bool = false) {
        guard let step = path.first else { return Self.add(type, to: &ownTypes) }
        guard path.count == 1 else { return }
        switch step {
        case .index: Self.add(type, to: &elementTypes)
        case .key(let key):
            if members[key] == nil { keys.append(key) }
            Self.add(type, to: &members[key, default: Member()].types)
            if isRequired { members[key]?.isRequired = true }
        }
    }

    private static func add(_ type: any Decodable.Type, to types: inout [any Decodable.Type]) {
        if !types.contains(where: { $0 == type }) { types.append(type) }
    }
}

extension ConfigurationDecoder {
    /// Decodes a value, and returns the requests of the type.
    ///
    /// Missing members get placeholders, so that the type requests all members.
    static func trace<T: Decodable>(_ type: T.Type, from value: JSONValue) -> (trace: DecodingTrace, isValid: Bool) {
        let report = DecodingReport()
        report.isCollecting = true
        let trace = DecodingTrace()
        report.trace = trace
        let decoded = try? ConfigurationValueDecoder(value: value, path: [], report: report).unbox(type)
        return (trace, decoded != nil && report.problems.allSatisfy { $0.severity == .warning })
    }
}
