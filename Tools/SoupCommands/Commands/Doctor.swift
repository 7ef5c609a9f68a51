// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup doctor`.
struct Doctor: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Examine the configuration, the store, the server and every sync, and explain what would fail.",
        discussion: """
            Changes no soup, no sync and no record, here or on the server. Checks the files; the store's file, its \
            permissions and the free space; whether the files differ from the store; the session, the API requests that are \
            left, and the clock; and the objects and fields of the syncs. Fetches and discards the first page of each sync \
            down. Decides the local changes of each sync up as a run does, without sending them.

            Exits 1 if a sync would fail, or would leave records behind.

            With --json prints {"event":"finding","subject","status","message","file"?,"line"?,"column"?,"path"?,"hint"?} \
            for each finding, whose status is ok, warning or failure, and at the end \
            {"event":"diagnosis","ok","warnings","failures"}.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let diagnosis = try await SoupClient.diagnose(at: options.folder, options: options.clientOptions) { finding in
            console.event(finding.json)
            console.print(finding.text)
        }
        let (ok, warnings, failures) = (
            diagnosis.count(of: .ok), diagnosis.count(of: .warning), diagnosis.count(of: .failure)
        )
        console.event([
            "event": "diagnosis", "ok": .int(Int64(ok)), "warnings": .int(Int64(warnings)),
            "failures": .int(Int64(failures)),
        ])
        console.print(
            "\(ok) ok, \(warnings) \(warnings == 1 ? "warning" : "warnings"), "
                + "\(failures) \(failures == 1 ? "failure" : "failures")")
        if failures > 0 { throw ExitCode(1) }
    }
}

extension Diagnosis.Finding {
    fileprivate var json: JSONValue {
        var failure = CommandFailure("finding", message, place: place, hint: hint)
        failure.isWarning = false
        var object: JSONObject = [
            "event": "finding", "subject": .string(subject.description), "status": .string(status.rawValue),
        ]
        for (key, value) in failure.json["error"]?.objectValue?.members ?? [] where key != "code" {
            object[key] = value
        }
        return .object(object)
    }

    fileprivate var text: String {
        let label = status.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        let position = place.map { "\($0): " } ?? ""
        return "\(label) \(subject): \(position)\(message)" + (hint.map { "\n         \($0)" } ?? "")
    }
}

#endif
