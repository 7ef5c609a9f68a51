// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A pattern of request paths: `/services/data/{version}/sobjects/{object}`.
///
/// A segment in braces matches any segment and gives it a name. `{name...}` at the end matches all remaining segments,
/// at least one.
struct PathPattern: Sendable, Hashable {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case value(String)
        case rest(String)
    }

    /// The pattern as it is written.
    let text: String
    let segments: [Segment]
    /// Whether the last segment is compared in any case of letters.
    let ignoresCase: Bool

    init(_ text: String, ignoresCase: Bool = false) {
        self.text = text
        self.ignoresCase = ignoresCase
        segments = text.split(separator: "/").map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(String(part)) }
            let name = part.dropFirst().dropLast()
            return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .value(String(name))
        }
    }

    /// Returns the values of the named segments of a path; nil for a path that does not match.
    func match(_ path: [String]) -> PathPattern.Values? {
        let hasRest = if case .rest? = segments.last { true } else { false }
        guard hasRest ? path.count >= segments.count : path.count == segments.count else { return nil }
        var values = PathPattern.Values()
        for (index, segment) in segments.enumerated() {
            switch segment {
            case .literal(let text):
                guard
                    path[index] == text
                        || (ignoresCase && index == segments.count - 1 && path[index].lowercased() == text.lowercased())
                else { return nil }
            case .value(let name): values.named.append((name, path[index]))
            case .rest: values.rest = Array(path[index...])
            }
        }
        return values
    }

    /// Returns whether every path that `other` matches is matched by this pattern too.
    func covers(_ other: PathPattern) -> Bool {
        for (index, segment) in segments.enumerated() {
            guard index < other.segments.count else { return false }
            switch (segment, other.segments[index]) {
            case (.rest, _): return true
            case (_, .rest): return false
            case (.value, _): continue
            case (.literal(let text), .literal(let otherText)):
                let isLast = ignoresCase && index == segments.count - 1
                guard isLast ? text.lowercased() == otherText.lowercased() : text == otherText else { return false }
            case (.literal, .value): return false
            }
        }
        return segments.count == other.segments.count
    }
}

extension PathPattern {
    /// The values of the named segments of a path.
    struct Values: Sendable {
        fileprivate(set) var named: [(name: String, value: String)] = []
        /// The segments that `{name...}` matched.
        fileprivate(set) var rest: [String] = []

        /// The segment with a name from the pattern; empty if the pattern has no such name.
        subscript(name: String) -> String { named.first { $0.name == name }?.value ?? "" }

        /// The segment with a name from the pattern; nil if the pattern has no such name.
        func optional(_ name: String) -> String? { named.first { $0.name == name }?.value }
    }
}
