// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSync
import Testing

@testable import SoupMetrics

@Suite struct MeasurementTests {
    private static func names(_ kind: SyncActivity.Kind, _ result: SyncActivityResult) -> [String] {
        var activity = SyncActivity(kind, sync: nil, syncType: .syncDown, soup: "contacts", target: "soql")
        activity.method = "GET"
        return Measurement.all(of: activity, result, duration: .seconds(1)).map { measurement in
            let labels = measurement.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let value =
                switch measurement.value {
                case .count(let count): "\(count)"
                case .duration(let duration): "\(duration)"
                }
            return "\(measurement.name){\(labels)} \(value)"
        }
    }

    private static let sync = "sync=,type=syncDown,soup=contacts,target=soql"

    @Test func `A run reports its records, but not its ghosts`() {
        var result = SyncActivityResult(.stopped)
        result.records = [.saved: 2, .ghosts: 1]
        #expect(
            Self.names(.run, result) == [
                "soupkit_runs{\(Self.sync),outcome=stopped,error=} 1",
                "soupkit_run_duration{\(Self.sync),outcome=stopped} 1.0 seconds",
                "soupkit_records{\(Self.sync),result=saved} 2",
            ])
    }

    @Test func `A page reports what it fetched and removed`() {
        var result = SyncActivityResult()
        result.records = [.fetched: 3, .saved: 2, .ghosts: 1]
        #expect(
            Self.names(.pageSave, result).suffix(2) == [
                "soupkit_records{\(Self.sync),result=fetched} 3", "soupkit_records{\(Self.sync),result=ghosts} 1",
            ])
    }

    @Test(arguments: [
        (SyncActivityResult(.failed, error: SoupError(.network, "x")), "network"),
        (SyncActivityResult(.stopped), "stopped"),
        (SyncActivityResult(.waitingForLogin, error: SoupError(.sessionExpired, "x")), "sessionExpired"),
    ])
    func `The outcome of a request is a status or a code`(result: SyncActivityResult, outcome: String) {
        let labels = "target=soql,connection=,transport=,method=GET"
        #expect(
            Self.names(.request, result) == [
                "soupkit_requests{\(labels),outcome=\(outcome)} 1",
                "soupkit_requests_duration{\(labels),outcome=\(outcome)} 1.0 seconds",
            ])
        var answered = SyncActivityResult()
        answered.status = 503
        answered.retries = 3
        #expect(
            Self.names(.request, answered) == [
                "soupkit_requests{\(labels),outcome=5xx} 1",
                "soupkit_requests_duration{\(labels),outcome=5xx} 1.0 seconds",
                "soupkit_request_retries{\(labels)} 3",
            ])
    }

    /// All labels of all kinds: none of them can have an ID, a URL or a message as its value.
    @Test func `Labels come from the configuration and from code`() {
        let error = SoupError("code", "a message with https://example.com/003A")
        var activity = SyncActivity(.run, sync: "down", syncType: .syncDown, soup: "contacts", target: "soql")
        activity.backend = "sqlite"
        activity.connection = "kinto"
        activity.transport = "curl"
        activity.method = "GET"
        var values: Set<String> = []
        for kind in SyncActivity.Kind.allCases {
            activity.kind = kind
            var result = SyncActivityResult(.failed, error: error)
            for count in SyncActivityResult.RecordCount.allCases { result.records[count] = 1 }
            for measurement in Measurement.all(of: activity, result, duration: .zero) {
                values.formUnion(measurement.labels.map(\.value))
            }
        }
        let counts = SyncActivityResult.RecordCount.allCases.map(\.rawValue)
        #expect(
            values
                == Set(counts).union([
                    "down", "syncDown", "contacts", "soql", "sqlite", "kinto", "curl", "GET", "failed", "code",
                ]))
    }
}
