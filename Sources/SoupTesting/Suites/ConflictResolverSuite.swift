// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A test of the rules of ``ConflictResolver``: an author provides a configuration and conflicts, the suite does the
/// rest.
///
/// ```swift
/// @Test func `The resolver follows the rules`() throws {
///     let conflict = RecordConflict(
///         soup: "contacts", entryId: 1, serverId: "c1", base: try JSONText(#"{"Id": "c1", "Note": "a"}"#),
///         local: try JSONText(#"{"Id": "c1", "Note": "a b"}"#), remote: try JSONText(#"{"Id": "c1", "Note": "c"}"#),
///         fields: ["Note"])
///     try ConflictResolverSuite(LongerText.self, configuration: #"{"field": "Note"}"#, conflicts: [conflict]).check()
/// }
/// ```
///
/// The suite also passes variants of the conflicts: without a synced copy, without fields in conflict, without a time
/// of the server, deleted on one side, and with a server that could not be queried.
public struct ConflictResolverSuite<Resolver: ConflictResolver>: Sendable {
    /// The JSON object from which the resolver is created.
    public var configuration: String
    /// Objects that must be rejected, each with a place.
    public var badConfigurations: [String]
    /// Conflicts with a synced copy and both sides; the resolver must resolve at least one of them.
    public var conflicts: [RecordConflict]

    /// - Parameter type: determines the type of the resolver, and is not used otherwise.
    public init(
        _ type: Resolver.Type, configuration: String, badConfigurations: [String] = [], conflicts: [RecordConflict]
    ) {
        self.configuration = configuration
        self.badConfigurations = badConfigurations
        self.conflicts = conflicts
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() throws { try ConformanceError.check("\(Resolver.name)", violations()) }

    /// Returns every rule that the resolver violates, in the order of the checks.
    public func violations() -> [String] {
        var report = SuiteReport()
        var registry = PluginRegistry()
        do { try registry.register(resolver: Resolver.self) } catch {
            return ["register(resolver:) threw \(error.quoted): give the resolver a unique name and unique aliases"]
        }
        func make() -> Resolver? {
            var ignored = SuiteReport()
            return resolver(registry, &ignored)
        }
        guard let resolver = resolver(registry, &report), let other = make() else { return report.violations }
        var isResolved = false
        for (number, conflict) in conflicts.enumerated() {
            let name = "conflict \(number)"
            if let result = resolution(of: conflict, name: name, by: resolver, other, &report) {
                isResolved = isResolved || result != .unresolved
            }
            for (variant, changed) in Self.variants(of: conflict) {
                _ = resolution(of: changed, name: "\(name) \(variant)", by: resolver, other, &report)
            }
        }
        report.require(
            isResolved,
            "the resolver resolves none of the conflicts of the suite, so it was not tested: add a conflict that it resolves"
        )
        return report.violations
    }

    private func resolver(_ registry: PluginRegistry, _ report: inout SuiteReport) -> Resolver? {
        ConfigurationChecks.run(
            Resolver.self, kind: "resolver", configuration, bad: badConfigurations,
            make: { registry.conflictResolver(ResolverReference($0.json), problems: &$1) }, report: &report)
    }

    private func resolution(
        of conflict: RecordConflict, name: String, by resolver: Resolver, _ other: Resolver,
        _ report: inout SuiteReport
    ) -> ConflictResolution? {
        do {
            let result = try resolver.resolve(conflict)
            let again = [try resolver.resolve(conflict), try other.resolve(conflict)]
            report.require(
                again.allSatisfy { $0 == result },
                "\(name) has another resolution the second time: use only the contents of the conflict")
            if case .merged(let record) = result { check(record, of: conflict, name: name, &report) }
            return result
        } catch {
            report.note(
                "resolve threw \(error.quoted) for \(name): return .unresolved for a conflict that the resolver cannot resolve, "
                    + "because an error is logged as a fault of the resolver")
            return nil
        }
    }

    private func check(_ record: JSONText, of conflict: RecordConflict, name: String, _ report: inout SuiteReport) {
        guard let members = record.members else {
            return report.note(
                "the merged record of \(name) is not a JSON object: return the members to write over the local record")
        }
        let own = members.map(\.key).filter(EntryField.own.contains)
        report.require(
            own.isEmpty,
            "the merged record of \(name) contains \(own.joined(separator: ", ")), which the store sets: return the members of the "
                + "record only")
        let idFields = [conflict.local, conflict.remote].compactMap(\.self).flatMap { side in
            (side.members ?? []).filter { $0.value.value.idText == conflict.serverId }.map(\.key)
        }
        for member in members where conflict.serverId != nil && idFields.contains(member.key) {
            report.require(
                member.value.value.idText == conflict.serverId,
                "the merged record of \(name) has another ID in \(member.key): keep the ID of the record")
        }
    }

    /// Returns the conflicts that the engine can also pass for such a record.
    private static func variants(of conflict: RecordConflict) -> [(String, RecordConflict)] {
        func changed(_ change: (inout RecordConflict) -> Void) -> RecordConflict {
            var copy = conflict
            change(&copy)
            return copy
        }
        return [
            ("without a synced copy", changed { $0.base = nil }),
            ("without fields", changed { $0.fields = [] }),
            ("without a time of the server", changed { $0.remoteTime = nil }),
            (
                "deleted locally",
                changed {
                    $0.local = nil
                    $0.fields = []
                }
            ),
            (
                "deleted on the server",
                changed {
                    $0.remote = nil
                    $0.remoteTime = nil
                    $0.fields = []
                    $0.code = "DELETED_ON_SERVER"
                }
            ),
            (
                "whose server could not be queried",
                changed {
                    $0.remote = .object([])
                    $0.remoteTime = nil
                }
            ),
        ]
    }
}
