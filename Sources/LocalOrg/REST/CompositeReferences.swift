// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Puts values of earlier answers in the place of `@{reference.path[0].field}`.
struct CompositeReferences {
    /// The bodies of earlier answers by their reference ids.
    let bodies: [String: JSONValue]

    func resolved(_ value: JSONValue) throws -> JSONValue {
        switch value {
        case .string(let text): return .string(try resolved(text))
        case .array(let values): return .array(try values.map { try resolved($0) })
        case .object(let object):
            return .object(JSONObject(try object.members.map { (key: $0.key, value: try resolved($0.value)) }))
        default: return value
        }
    }

    func resolved(_ text: String) throws -> String {
        var output = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "@{") {
            guard let close = rest[open.upperBound...].firstIndex(of: "}") else { break }
            output += rest[..<open.lowerBound]
            output += try value(of: rest[open.upperBound..<close])
            rest = rest[rest.index(after: close)...]
        }
        return output + rest
    }

    private func value(of reference: Substring) throws -> String {
        let name = reference.prefix { $0 != "." && $0 != "[" }
        var current = bodies[String(name)]
        for step in Self.steps(reference.dropFirst(name.count)) {
            switch step {
            case .key(let key):
                let members = current?.objectValue?.members ?? []
                current =
                    members.first { $0.key == key }?.value
                    ?? members.first {
                        $0.key.lowercased() == key.lowercased()
                    }?.value
            case .index(let index): current = current?[index]
            }
        }
        switch current {
        case .string(let text)?: return text
        case .int(let number)?: return String(number)
        case .double(let number)?: return "\(number)"
        case .bool(let value)?: return value ? "true" : "false"
        default:
            throw OrgError(
                400, "PROCESSING_HALTED",
                "Invalid reference specified. No value for \(reference) found in \(name)")
        }
    }

    private enum Step {
        case key(String)
        case index(Int)
    }

    private static func steps(_ path: Substring) -> [Step] {
        path.split { $0 == "." || $0 == "[" }.map { part in
            part.hasSuffix("]") ? Int(part.dropLast()).map { .index($0) } ?? .key(String(part)) : .key(String(part))
        }
    }
}
