// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Synchronization
import Testing

/// The fault of a transform in these tests.
private enum TransformFault: String, CaseIterable {
    case none
    case changesNothing
    case changesOtherFields
    case returnsNoObject
    case throwsWithoutTheField
    case restoresNothing
    case inverseThrows
    case dependsOnTheCall
}

/// A transform that writes a number in cents, with a fault that its configuration selects.
private struct Cents: RecordTransform {
    struct Configuration: Decodable, Sendable {
        var field: String
        var fault: String?
    }

    static let name: PluginName = "cents"
    var field: String
    var fault: TransformFault
    var divides = false
    var calls = Counter()

    init(configuration: Configuration) {
        field = configuration.field
        fault = TransformFault(rawValue: configuration.fault ?? "") ?? .none
    }

    var fields: [String] { [field] }

    func apply(to record: JSONText) throws -> JSONText {
        guard let number = record[JSONPath(field)]?.intValue else {
            if fault == .throwsWithoutTheField { throw SoupError(.json, "no number") }
            return record
        }
        if divides, fault == .inverseThrows { throw SoupError(.json, "no inverse") }
        let factor: Int64 = fault == .dependsOnTheCall ? calls.next() : 100
        let result = divides ? (fault == .restoresNothing ? number : number / factor) : number * factor
        switch fault {
        case .changesNothing: return record
        case .returnsNoObject: return .integer(result)
        case .changesOtherFields: return record.setting([(name: "cents", value: .integer(result))])
        default: return record.setting([(name: field, value: .integer(result))])
        }
    }

    var inverse: (any RecordTransform)? {
        var copy = self
        copy.divides.toggle()
        return copy
    }
}

private final class Counter: Sendable {
    private let value = Mutex(Int64(0))
    func next() -> Int64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

@Suite struct RecordTransformSuiteTests {
    private func violations(_ fault: TransformFault) throws -> [String] {
        RecordTransformSuite(
            Cents.self, configuration: #"{"field":"price","fault":"\#(fault.rawValue)"}"#, badConfigurations: ["{}"],
            records: [try JSONText(#"{"Id":"p1","price":5}"#), try JSONText(#"{"Id":"p2"}"#)]
        ).violations()
    }

    @Test func `A correct transform passes`() throws { #expect(try violations(.none) == []) }

    @Test(arguments: [
        (TransformFault.changesNothing, "the transform changes none of the records of the suite, so it was not"),
        (.changesOtherFields, "apply changes cents of record 0, which fields does not contain: return"),
        (.returnsNoObject, "apply returned 500 for record 0, which is not a JSON object: return"),
        (.throwsWithoutTheField, "apply threw SoupError json (\"no number\") for record 1: return"),
        (.throwsWithoutTheField, "apply threw SoupError json (\"no number\") for a record without members: return"),
        (
            .restoresNothing,
            #"{"Id":"p1","price":50000} after it was sent and fetched again, and was {"Id":"p1","price":500}"#
        ),
        (.inverseThrows, "the inverse threw SoupError json (\"no inverse\") for record 0: return"),
        (.dependsOnTheCall, "apply returned another record for record 0 the second time: use only the record"),
    ])
    fileprivate func `Each fault is found`(fault: TransformFault, violation: String) throws {
        let violations = try violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }
}
