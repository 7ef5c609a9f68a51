// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// An error as the command line reports it.
struct CommandFailure {
    var code: SoupError.Code
    var message: String
    var place: SoupError.Place?
    var hint: String?
    var isWarning = false

    init(_ code: SoupError.Code, _ message: String, place: SoupError.Place? = nil, hint: String? = nil) {
        (self.code, self.message, self.place, self.hint) = (code, message, place, hint)
    }

    init(_ problem: ConfigurationProblem) {
        self.init(problem.code, problem.message, place: problem.place, hint: problem.hint)
        isWarning = problem.severity == .warning
    }

    /// Returns the failures in an error; a configuration error can contain several.
    static func all(in error: any Error) -> [CommandFailure] {
        switch error {
        case let error as ConfigurationError: error.problems.map { CommandFailure($0) }
        case let error as SoupError:
            [CommandFailure(error.code, error.message, place: error.place, hint: error.hint)]
        case is CancellationError: [CommandFailure("cancelled", "cancelled")]
        default: [CommandFailure("unexpected", "\(error)")]
        }
    }

    /// `{"error": {"code", "message", "file"?, "line"?, "column"?, "path"?, "excerpt"?, "hint"?}}`.
    var json: JSONValue {
        var object: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
        object["file"] = place?.file.map { .string($0) }
        object["line"] = place?.line.map { .int(Int64($0)) }
        object["column"] = place?.column.map { .int(Int64($0)) }
        object["path"] = place?.path.map { .string($0) }
        object["excerpt"] = place?.excerpt.map { .string($0) }
        object["hint"] = hint.map { .string($0) }
        return [isWarning ? "warning" : "error": .object(object)]
    }

    /// The failure as text, with the hint on a line of its own.
    var text: String {
        // The format of compilers, so that editors and terminals recognize the place.
        var position = place ?? SoupError.Place()
        position.path = nil
        let start = position.description.isEmpty ? "" : "\(position): "
        let path = place?.path.map { "\($0): " } ?? ""
        return start + (isWarning ? "warning: " : "error: ") + path + message + (hint.map { "\n    \($0)" } ?? "")
    }
}

#endif
