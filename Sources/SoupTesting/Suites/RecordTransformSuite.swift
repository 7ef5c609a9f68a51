// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A test of the rules of ``RecordTransform``: an author provides a configuration and records of the server, the suite
/// does the rest.
///
/// ```swift
/// @Test func `The transform follows the rules`() throws {
///     let record = try JSONText(#"{"Id": "c1", "Name": "Ada"}"#)
///     try RecordTransformSuite(UpperCase.self, configuration: #"{"field": "Name"}"#, records: [record]).check()
/// }
/// ```
public struct RecordTransformSuite<Transform: RecordTransform>: Sendable {
    /// The JSON object from which the transform is created.
    public var configuration: String
    /// Objects that must be rejected, each with a place.
    public var badConfigurations: [String]
    /// Records of the server; the transform must change at least one of them.
    public var records: [JSONText]

    /// - Parameter type: determines the type of the transform, and is not used otherwise.
    public init(
        _ type: Transform.Type, configuration: String, badConfigurations: [String] = [], records: [JSONText]
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.records = records
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() throws { try ConformanceError.check("\(Transform.name)", violations()) }

    /// Returns every rule that the transform violates, in the order of the checks.
    public func violations() -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(transform: Transform.self) } catch {
            return ["register(transform:) threw \(error.quoted): give the transform a unique name and unique aliases"]
        }
        let transform: Transform? = ConfigurationChecks.run(
            Transform.self, kind: "transform", configuration, bad: badConfigurations,
            make: { registry.recordTransform(TransformReference($0.json), problems: &$1) }, report: &report)
        guard let transform else { return report.violations }
        var isChanged = false
        for (number, record) in (records + [.object([])]).enumerated() {
            let name = number < records.count ? "record \(number)" : "a record without members"
            guard let stored = apply(transform, to: record, name: name, &report) else { continue }
            isChanged = isChanged || number < records.count && stored != record
            if number < records.count { checkInverse(of: transform, from: record, to: stored, name: name, &report) }
        }
        report.require(
            isChanged,
            "the transform changes none of the records of the suite, so it was not tested: add a record that it changes"
        )
        return report.violations
    }

    private func apply(
        _ transform: Transform, to record: JSONText, name: String, _ report: inout SuiteReport
    ) -> JSONText? {
        let rule = "return a JSON object, and a record without the fields as it is or with the added field"
        do {
            let stored = try transform.apply(to: record)
            guard let members = stored.members else {
                report.note("apply returned \(stored) for \(name), which is not a JSON object: \(rule)")
                return nil
            }
            report.require(
                try transform.apply(to: record) == stored,
                "apply returned another record for \(name) the second time: use only the record")
            checkOthers(of: transform, in: record.members ?? [], members, name: name, &report)
            return stored
        } catch {
            report.note("apply threw \(error.quoted) for \(name): \(rule)")
            return nil
        }
    }

    /// Checks that only members in `fields` change: the checks of a configuration depend on it.
    private func checkOthers(
        of transform: Transform, in before: [(key: String, value: JSONText)], _ after: [(key: String, value: JSONText)],
        name: String, _ report: inout SuiteReport
    ) {
        func others(_ members: [(key: String, value: JSONText)]) -> [String: JSONText] {
            Dictionary(
                members.filter { !transform.fields.contains($0.key) }.map { ($0.key, $0.value) },
                uniquingKeysWith: { $1 })
        }
        let (old, new) = (others(before), others(after))
        let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        report.require(
            changed.isEmpty,
            "apply changes \(changed.joined(separator: ", ")) of \(name), which fields does not contain: return every member that "
                + "the transform reads, sets or removes in fields")
    }

    /// Checks that a record which is fetched, pushed and fetched again is the same in the store.
    private func checkInverse(
        of transform: Transform, from record: JSONText, to stored: JSONText, name: String,
        _ report: inout SuiteReport
    ) {
        guard let inverse = transform.inverse else { return }
        let rule = "return the transform that restores the server's record, or nil if that is not possible"
        do {
            let sent = try inverse.apply(to: stored)
            guard let members = sent.members else {
                return report.note("the inverse returned \(sent) for \(name), which is not a JSON object: \(rule)")
            }
            let onServer = record.setting(members.map { (name: $0.key, value: $0.value) })
            let again = try transform.apply(to: onServer)
            report.require(
                again.value == stored.value,
                "\(name) is \(again) after it was sent and fetched again, and was \(stored): \(rule)")
        } catch {
            report.note("the inverse threw \(error.quoted) for \(name): \(rule)")
        }
    }
}
