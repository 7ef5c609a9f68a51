// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import SoupSync

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The facts about a server that its response to one request reports.
struct ServerFacts {
    let server: String?
    /// The API requests of the last 24 hours, and the maximum; nil if the server does not report them.
    var usage: APIUsage?
    /// The seconds by which the clock of this machine is ahead of the server's; nil if the server does not report its
    /// time.
    ///
    /// The value can be wrong by ``uncertainty``.
    var clockLead: Double?
    /// The share of the API requests at which syncs pause.
    var limit = SyncSettings.standardRequestLimit
    /// Half of the time between the request and its response, in seconds.
    var uncertainty = 0.0

    /// The difference of the clocks, in seconds, from which a warning is due.
    static let maximumClockDifference = 60.0
    /// The used share of the API requests from which a warning is due.
    static let highUsage = 0.9

    init(server: String?, usage: APIUsage?, clockLead: Double?) {
        self.server = server
        self.usage = usage
        self.clockLead = clockLead
    }

    /// - Parameters:
    ///   - sent: the time of the clock when the request was sent.
    ///   - received: the time of the clock when the response arrived.
    init(server: String?, answer: HTTPAnswer, sent: Date, received: Date) {
        self.server = server
        usage = APIUsage(answer.response.headerFields)
        uncertainty = max(0, received.timeIntervalSince(sent) / 2)
        let middle = sent.addingTimeInterval(uncertainty)
        // The header has whole seconds.
        clockLead = answer.serverTime.map { middle.timeIntervalSince($0.addingTimeInterval(0.5)) }
    }

    /// The findings: one that the session works, with the quota, and warnings.
    var findings: [Diagnosis.Finding] {
        var found = Diagnosis()
        let quota = usage.map { ", \($0.used) of \($0.maximum) API requests used in 24 hours" } ?? ""
        found.add(.ok, .server, message: "\(server.map { "\($0): " } ?? "")the session is valid\(quota)")
        if let usage, usage.reaches(1) {
            found.add(
                .warning, .server,
                message: "the API requests of 24 hours are used up: \(usage.used) of \(usage.maximum)",
                hint: "Wait, or ask the administrator of the org for a higher limit.")
        } else if let usage, usage.reaches(limit) {
            found.add(
                .warning, .server,
                message: "syncs pause: \(usage) are used, and the limit is \(Int((limit * 100).rounded())) %",
                hint: "Wait, or set \"requestLimitPercent\" in \(ConfigurationFolder.orgFile).")
        } else if let usage, usage.reaches(Self.highUsage) {
            found.add(
                .warning, .server,
                message: "only \(usage.maximum - usage.used) of \(usage.maximum) API requests are left",
                hint: "Sync less often until the limit of 24 hours allows more.")
        }
        if let clockLead, abs(clockLead) > Self.maximumClockDifference + uncertainty {
            found.add(
                .warning, .server,
                message:
                    "the clock of this machine is \(Self.text(abs(clockLead))) \(clockLead > 0 ? "ahead of" : "behind") "
                    + "the server's",
                hint: "Set the clock: conflict resolvers such as \"newest\" compare times of both.")
        }
        return found.findings
    }

    /// Returns a duration in its largest unit.
    private static func text(_ seconds: Double) -> String {
        let units = [(86_400.0, "days"), (3_600, "hours"), (60, "minutes")]
        let (length, name) = units.first { seconds >= 2 * $0.0 } ?? (1, "seconds")
        return "\(Int(min(seconds / length, 1e9).rounded())) \(name)"
    }
}
