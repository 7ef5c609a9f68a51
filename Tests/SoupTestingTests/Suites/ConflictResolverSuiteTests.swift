// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Synchronization
import Testing

/// The fault of a resolver in these tests.
private enum ResolverFault: String, CaseIterable {
    case none
    case acceptsAnyConfiguration
    case resolvesNothing
    case changesItsMind
    case throwsForDeletions
    case mergesNoObject
    case mergesLocalFlags
    case mergesOtherId
}

/// A resolver that keeps the longer text of a field, with a fault that its configuration selects.
private struct LongerText: ConflictResolver {
    struct Configuration: Decodable, Sendable {
        var field: String?
        var fault: String?
    }

    static let name: PluginName = "longerText"
    private let field: JSONPath
    private let fault: ResolverFault
    private let calls = Counter()

    init(configuration: Configuration) throws {
        fault = ResolverFault(rawValue: configuration.fault ?? "") ?? .none
        guard let field = configuration.field ?? (fault == .acceptsAnyConfiguration ? "Note" : nil) else {
            throw SoupError(.badConfiguration, "no field", place: SoupError.Place(path: "field"))
        }
        self.field = JSONPath(field)
    }

    func resolve(_ conflict: RecordConflict) throws -> ConflictResolution {
        switch fault {
        case .resolvesNothing: return .unresolved
        case .changesItsMind: return calls.next().isMultiple(of: 2) ? .local : .remote
        case .throwsForDeletions where conflict.local == nil: throw SoupError(.server, "no local record")
        case .mergesNoObject: return .merged(try JSONText("[]"))
        case .mergesLocalFlags: return .merged(try JSONText(#"{"Note":"a","__local__":true}"#))
        case .mergesOtherId: return .merged(try JSONText(#"{"Note":"a","Id":"c2"}"#))
        default: break
        }
        func length(_ record: JSONText?) -> Int { record?[field]?.stringValue?.count ?? 0 }
        return length(conflict.local) < length(conflict.remote) ? .remote : .local
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

@Suite struct ConflictResolverSuiteTests {
    private func violations(_ fault: ResolverFault) throws -> [String] {
        let conflict = RecordConflict(
            soup: "contacts", entryId: 1, serverId: "c1", base: try JSONText(#"{"Id":"c1","Note":"a"}"#),
            local: try JSONText(#"{"Id":"c1","Note":"a b"}"#), remote: try JSONText(#"{"Id":"c1","Note":"c"}"#),
            fields: ["Note"])
        return ConflictResolverSuite(
            LongerText.self, configuration: #"{"field":"Note","fault":"\#(fault.rawValue)"}"#,
            badConfigurations: [#"{"fault":"\#(fault.rawValue)"}"#], conflicts: [conflict]
        ).violations()
    }

    @Test func `A correct resolver passes`() throws { #expect(try violations(.none) == []) }

    @Test(arguments: [
        (ResolverFault.acceptsAnyConfiguration, "is accepted: throw SoupError badConfiguration from"),
        (.resolvesNothing, "the resolver resolves none of the conflicts of the suite, so it was not tested: add"),
        (.changesItsMind, "conflict 0 has another resolution the second time: use only the contents of the conflict"),
        (.throwsForDeletions, "resolve threw SoupError server (\"no local record\") for conflict 0 deleted "),
        (.mergesNoObject, "the merged record of conflict 0 is not a JSON object: return the members"),
        (.mergesLocalFlags, "the merged record of conflict 0 contains __local__, which the store sets: return"),
        (.mergesOtherId, "the merged record of conflict 0 has another ID in Id: keep the ID of the record"),
    ])
    fileprivate func `Each fault is found`(fault: ResolverFault, violation: String) throws {
        let violations = try violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    @Test func `Check throws all violations at once`() {
        let suite = ConflictResolverSuite(LongerText.self, configuration: #"{"field":"Note"}"#, conflicts: [])
        let error = #expect(throws: ConformanceError.self) { try suite.check() }
        #expect(error?.description.hasPrefix("longerText breaks 1 rule(s):\n- the resolver resolves none") == true)
    }
}
