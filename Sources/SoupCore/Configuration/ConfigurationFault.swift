// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A fault that decoding met, thrown until a container notes it.
struct ConfigurationFault: Error {
    var problem: ConfigurationProblem

    init(_ path: [ConfigurationStep], _ message: String, hint: String? = nil) {
        problem = ConfigurationProblem(at: Place(path: path.text), message, hint: hint)
    }
}

/// Thrown to leave a value for which there is no placeholder; its fault has been noted.
struct FaultNoted: Error {}

extension ConfigurationProblem {
    /// The problem that an error tells, whoever threw it.
    ///
    /// - Parameter path: where decoding stood, for errors that do not say.
    init(_ error: any Error, at path: [ConfigurationStep]) {
        switch error {
        case let fault as ConfigurationFault: self = fault.problem
        case let error as SoupError: self.init(error, within: path)
        case DecodingError.keyNotFound(let key, let context):
            let place = context.codingPath.isEmpty ? path : context.codingPath.steps
            self.init(
                at: Place(path: (place + [.key(key.stringValue)]).text), "\"\(key.stringValue)\" is missing",
                hint: "Add \"\(key.stringValue)\".")
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            let place = context.codingPath.isEmpty ? path : context.codingPath.steps
            self.init(at: Place(path: place.text), context.debugDescription)
        default:
            self.init(at: Place(path: path.text), "\(error)")
        }
    }

    /// The error as a problem at the place that it has.
    init(_ error: SoupError) {
        self.init(.error, error.code, at: error.place ?? Place(), error.message, hint: error.hint)
    }

    /// The problems that an error tells: several when it is a configuration's.
    static func all(in error: any Error, at path: [ConfigurationStep]) -> [ConfigurationProblem] {
        guard let error = error as? ConfigurationError else { return [ConfigurationProblem(error, at: path)] }
        return error.problems.map { $0.within(path) }
    }

    /// The problem with its place as one inside of the object at `path`.
    func within(_ path: [ConfigurationStep]) -> ConfigurationProblem {
        var problem = ConfigurationProblem(error, within: path)
        problem.severity = severity
        return problem
    }

    /// Whether the two are about the same value, or one about a value inside of the other's.
    func overlaps(_ other: ConfigurationProblem) -> Bool {
        let (one, two) = (place.path ?? "", other.place.path ?? "")
        func holds(_ outer: String, _ inner: String) -> Bool {
            outer.isEmpty || inner == outer || inner.hasPrefix(outer + ".") || inner.hasPrefix(outer + "[")
        }
        return holds(one, two) || holds(two, one)
    }

    /// The problem that a plug-in tells about the object at `path`.
    ///
    /// A plug-in does not know where its object is: the path that it gives starts inside of it, and a line or column is
    /// one in a text that the object holds, such as a query.
    init(_ error: SoupError, within path: [ConfigurationStep]) {
        var place = error.place ?? Place()
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
        self.init(.error, error.code, at: place, message, hint: error.hint)
    }
}

/// A step as the `Codable` machinery wants it.
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
