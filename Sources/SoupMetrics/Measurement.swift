// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupSync

/// A value for a metric.
struct Measurement: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case count(Int)
        case duration(Duration)
    }

    struct Label: Sendable, Hashable {
        var name: String
        var value: String
    }

    var name: String
    var labels: [Label]
    var value: Value

    /// The labels in the form of swift-metrics.
    var dimensions: [(String, String)] { labels.map { ($0.name, $0.value) } }

    /// Returns the measurements of an activity that has ended.
    ///
    /// Counts of 0 are left out, except those of the activities themselves.
    static func all(of activity: SyncActivity, _ result: SyncActivityResult, duration: Duration) -> [Measurement] {
        let outcome = result.label(of: activity.kind)
        switch activity.kind {
        case .run:
            let ended = activity.syncLabels + [outcome, Label(name: "error", value: result.errorCode)]
            return [
                Measurement(name: "soupkit_runs", labels: ended, value: .count(1)),
                Measurement(
                    name: "soupkit_run_duration", labels: activity.syncLabels + [outcome], value: .duration(duration)),
            ] + records(of: activity, result) { $0 != .ghosts }
        case .ghostCleaning:
            return timed("soupkit_ghost_cleanings", activity.syncLabels + [outcome], for: duration)
                + records(of: activity, result) { $0 == .ghosts }
        case .pageFetch: return timed("soupkit_page_fetches", activity.targetLabels + [outcome], for: duration)
        case .pageSave:
            let labels = [Label(name: "backend", value: activity.backend?.rawValue ?? ""), outcome]
            return timed("soupkit_page_saves", labels, for: duration)
                + records(of: activity, result) { $0 == .fetched || $0 == .ghosts }
        case .push: return timed("soupkit_pushes", activity.targetLabels + [outcome], for: duration)
        case .request:
            return timed("soupkit_requests", activity.requestLabels + [outcome], for: duration)
                + counts(
                    [
                        ("soupkit_request_retries", result.retries), ("soupkit_request_sent_bytes", result.bytesSent),
                        ("soupkit_request_received_bytes", result.bytesReceived),
                    ], activity.requestLabels)
        case .streamedBody:
            return counts([("soupkit_request_received_bytes", result.bytesReceived)], activity.requestLabels)
        }
    }

    /// Returns the number of an activity and its duration: `soupkit_pushes` and `soupkit_pushes_duration`.
    private static func timed(_ name: String, _ labels: [Label], for duration: Duration) -> [Measurement] {
        [
            Measurement(name: name, labels: labels, value: .count(1)),
            Measurement(name: name + "_duration", labels: labels, value: .duration(duration)),
        ]
    }

    private static func counts(_ counts: [(name: String, count: Int)], _ labels: [Label]) -> [Measurement] {
        counts.filter { $0.count > 0 }.map { Measurement(name: $0.name, labels: labels, value: .count($0.count)) }
    }

    /// Returns the numbers of records, which several kinds of activities report parts of.
    private static func records(
        of activity: SyncActivity, _ result: SyncActivityResult,
        where isReported: (SyncActivityResult.RecordCount) -> Bool
    ) -> [Measurement] {
        SyncActivityResult.RecordCount.allCases.filter(isReported).compactMap { key in
            result.records[key].map { count in
                let labels = activity.syncLabels + [Label(name: "result", value: key.rawValue)]
                return Measurement(name: "soupkit_records", labels: labels, value: .count(count))
            }
        }
    }
}

extension SyncActivity {
    fileprivate var syncLabels: [Measurement.Label] {
        [
            .init(name: "sync", value: sync ?? ""), .init(name: "type", value: syncType.rawValue),
            .init(name: "soup", value: soup.rawValue), .init(name: "target", value: target.rawValue),
        ]
    }

    fileprivate var targetLabels: [Measurement.Label] { [.init(name: "target", value: target.rawValue)] }

    fileprivate var requestLabels: [Measurement.Label] {
        [
            .init(name: "target", value: target.rawValue), .init(name: "connection", value: connection ?? ""),
            .init(name: "transport", value: transport?.rawValue ?? ""), .init(name: "method", value: method ?? ""),
        ]
    }
}

extension SyncActivityResult {
    /// The code of the error; empty without one.
    var errorCode: String { error?.code.rawValue ?? "" }

    /// The outcome; of a request the class of its status, such as `2xx`, or the code of its error.
    fileprivate func label(of kind: SyncActivity.Kind) -> Measurement.Label {
        let status = status.map { "\($0 / 100)xx" }
        let isRequest = kind == .request
        let code = isRequest && error != nil ? errorCode : nil
        return .init(name: "outcome", value: (isRequest ? status : nil) ?? code ?? outcome.rawValue)
    }
}
