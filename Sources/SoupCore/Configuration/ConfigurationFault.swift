// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A fault found while decoding; it is thrown until a container records it.
struct ConfigurationFault: Error {
    var problem: ConfigurationProblem

    init(_ path: [ConfigurationStep], _ message: String, hint: String? = nil) {
        problem = ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint)
    }
}

/// An error for a value without a placeholder, whose fault is already recorded.
struct FaultRecorded: Error {}

extension ConfigurationProblem {
    /// Creates the problem for an error of any type.
    ///
    /// - Parameter path: the current place of the decoder, for errors without a place.
    init(_ error: any Error, at path: [ConfigurationStep]) {
        switch error {
        case let fault as ConfigurationFault: self = fault.problem
        case let error as SoupError: self.init(error, within: path)
        case DecodingError.keyNotFound(let key, let context):
            let place = context.codingPath.isEmpty ? path : context.codingPath.steps
            self.init(
                at: SoupError.Place(path: (place + [.key(key.stringValue)]).text), "\"\(key.stringValue)\" is missing",
                hint: "Add \"\(key.stringValue)\".")
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            let place = context.codingPath.isEmpty ? path : context.codingPath.steps
            self.init(at: SoupError.Place(path: place.text), context.debugDescription)
        default:
            self.init(at: SoupError.Place(path: path.text), "\(error)")
        }
    }

    /// Creates the problem for an error, at the error's own place.
    init(_ error: SoupError) {
        self.init(.error, code: error.code, at: error.place ?? SoupError.Place(), error.message, hint: error.hint)
    }

    /// Returns the problems for an error: several if it is a ``ConfigurationError``.
    package static func all(in error: any Error, at path: [ConfigurationStep]) -> [ConfigurationProblem] {
        guard let error = error as? ConfigurationError else { return [ConfigurationProblem(error, at: path)] }
        return error.problems.map { $0.within(path) }
    }

    /// Returns the problem with its place inside the object at `path`.
    func within(_ path: [ConfigurationStep]) -> ConfigurationProblem {
        var problem = ConfigurationProblem(error, within: path)
        problem.severity = severity
        return problem
    }

    /// Returns whether both problems are about the same value, or one is about a value inside the other's.
    func overlaps(_ other: ConfigurationProblem) -> Bool {
        let (one, two) = (place.path ?? "", other.place.path ?? "")
        func contains(_ outer: String, _ inner: String) -> Bool {
            outer.isEmpty || inner == outer || inner.hasPrefix(outer + ".") || inner.hasPrefix(outer + "[")
        }
        return contains(one, two) || contains(two, one)
    }

    /// Creates the problem for an error of a plug-in about the object at `path`.
    ///
    /// A plug-in does not know the place of its object. The path in its error starts inside the object, and a line or
    /// column refers to a text in the object, such as a query.
    init(_ error: SoupError, within path: [ConfigurationStep]) {
        var place = error.place ?? SoupError.Place()
        var message = error.message
        if place.file == nil, let line = place.line {
            message += " (line \(line)\(place.column.map { ", column \($0)" } ?? "") of the text)"
            place.line = nil
            place.column = nil
        }
        let outer = path.text
        if let inner = place.path, !inner.isEmpty {
            let isWhole =
                outer.isEmpty || inner == outer || inner.hasPrefix(outer + ".") || inner.hasPrefix(outer + "[")
            place.path = isWhole ? inner : outer + (inner.hasPrefix("[") ? "" : ".") + inner
        } else {
            place.path = outer
        }
        self.init(.error, code: error.code, at: place, message, hint: error.hint)
    }
}

/// A step as a coding key, for `Codable`.
struct StepKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ step: ConfigurationStep) {
        switch step {
        case .key(let key): (stringValue, intValue) = (key, nil)
        case .index(let index): (stringValue, intValue) = (String(index), index)
        }
    }
    init?(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init?(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}

extension [any CodingKey] {
    var steps: [ConfigurationStep] { map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) } }
}
