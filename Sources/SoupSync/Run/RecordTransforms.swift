// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The record transforms of a sync, in the order of the way down.
struct RecordTransforms: Sendable {
    private struct Step: Sendable {
        var transform: any RecordTransform
        /// The soup whose records are changed; `nil` for all.
        var soup: SoupName?

        func isUsed(for soup: SoupName) -> Bool { self.soup == nil || self.soup == soup }
    }

    private let steps: [Step]

    /// Makes the transforms that the options of a sync name.
    ///
    /// - Throws: `ConfigurationError`, also for a sync up with a transform that cannot be undone.
    init(_ definition: SyncDefinition, registry: PluginRegistry) throws {
        var problems: [ConfigurationProblem] = []
        steps = definition.options.transforms.enumerated().compactMap { index, reference in
            let path: [ConfigurationStep] = [.key("options"), .key("transforms"), .index(index)]
            let made = registry.recordTransform(reference, at: path, problems: &problems)
            guard let made, definition.type == .syncUp, made.inverse == nil else {
                return made.map { Step(transform: $0, soup: reference.soup) }
            }
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: path.text),
                    "the transform cannot be undone, and the sync pushes records", hint: "Remove it."))
            return nil
        }
        let errors = problems.filter { $0.severity == .error }
        guard errors.isEmpty else { throw ConfigurationError(errors) }
    }

    var isEmpty: Bool { steps.isEmpty }

    /// Returns a record of the server as the store has it.
    ///
    /// - Throws: ``SoupError`` with `badTransform`, which names the transform.
    func fetched(_ record: JSONText, of soup: SoupName) throws -> JSONText {
        try steps.reduce(record) { record, step in
            step.isUsed(for: soup) ? try Self.apply(step.transform, to: record) : record
        }
    }

    /// Returns the records of a batch as the store has them; their stamps stay.
    func fetched(_ batch: RecordBatch, of soup: SoupName) throws -> RecordBatch {
        guard steps.contains(where: { $0.isUsed(for: soup) }) else { return batch }
        let records = try batch.ranges.indices.map { try fetched(batch[$0], of: soup) }
        let plain = RecordBatch(records)
        return RecordBatch(bytes: plain.bytes, ranges: plain.ranges, stamps: batch.stamps)
    }

    /// Returns a change with its records as the server has them.
    ///
    /// - Throws: as ``fetched(_:of:)-(JSONText,_)``.
    func pushed(_ change: RecordChange) throws -> RecordChange {
        var change = change
        change.record = try pushed(change.record, of: change.soup)
        change.base = try change.base.map { try pushed($0, of: change.soup) }
        change.children = try change.children.map { try pushed($0) }
        return change
    }

    private func pushed(_ record: JSONText, of soup: SoupName) throws -> JSONText {
        try steps.reversed().reduce(record) { record, step in
            guard step.isUsed(for: soup), let inverse = step.transform.inverse else { return record }
            return try Self.apply(inverse, to: record)
        }
    }

    private static func apply(_ transform: any RecordTransform, to record: JSONText) throws -> JSONText {
        let name = type(of: transform).name
        let result: JSONText
        do {
            result = try transform.apply(to: record)
        } catch {
            throw SoupError(
                .badTransform, "the transform \"\(name)\" failed: \(SoupError(wrapping: error).message)", cause: error)
        }
        guard result.members != nil else {
            throw SoupError(.badTransform, "the transform \"\(name)\" did not return a JSON object")
        }
        return result
    }
}

extension SoupError.Code {
    /// A record transform failed, or returned something else than a record.
    public static let badTransform: Self = "badTransform"
}
