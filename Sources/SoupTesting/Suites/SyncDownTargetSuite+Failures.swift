// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension SyncDownTargetSuite {
    /// - Parameter cursor: the cursor of the page that the server does not return.
    func checkFailures(_ target: Target, after cursor: PageCursor?, _ report: inout SuiteReport) async {
        let place = cursor == nil ? "the first page" : "the second page"
        for (name, answer) in Self.unusableResponses {
            let transport = ScriptedTransport { _ in answer }
            do {
                let page = try await target.page(after: cursor, in: context(transport))
                report.require(
                    transport.requests.isEmpty,
                    "the server responds to the request for \(place) with \(name), and the target returns a page of "
                        + "\(page.levels.first?.count ?? 0) records: throw a SoupError, because the run ends as complete otherwise"
                )
            } catch is SoupError {
            } catch {
                report.note(
                    "the server responds to the request for \(place) with \(name), and the target threw \(error.quoted): throw a "
                        + "SoupError, as context.get and answer.json() do")
            }
        }
        let broken = ScriptedTransport { _ in throw SoupError.network(.unknown, "broken by the suite") }
        let rule = "rethrow the transport's SoupError, so that the engine receives its code network"
        do {
            _ = try await target.page(after: cursor, in: context(broken))
            report.require(
                broken.requests.isEmpty,
                "the connection breaks during the request for \(place), and the target returns a page: \(rule)")
        } catch let error as SoupError where error.code == .network {
        } catch {
            report.note(
                "the connection breaks during the request for \(place), and the target threw \(error.quoted): \(rule)")
        }
    }

    func checkForeignCursor(_ target: Target, _ report: inout SuiteReport) async {
        let situation = "neither the target nor the server knows the cursor"
        let rule =
            "throw SoupError cursorExpired, so that the engine starts the run again, because the next run fails at the same "
            + "cursor otherwise"
        do {
            let page = try await target.page(after: PageCursor(Self.foreignText), in: context)
            report.note(
                "\(situation), and the target returns a page of \(page.levels.first?.count ?? 0) records: \(rule), and let the "
                    + "suite's server reject unknown cursors")
        } catch let error as SoupError where error.code == .cursorExpired {
        } catch {
            report.note("\(situation), and the target threw \(error.quoted): \(rule)")
        }
    }

    /// A text that no target makes as a cursor, and no server as a token.
    static var foreignText: String { "\u{1}not yours \"{%" }

    func checkCancellation(_ target: Target, _ report: inout SuiteReport) async {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _ in
            signal.yield()
            return try await Stall.untilCancelled()
        }
        let context = self.context(transport)
        let task = Task {
            defer { signal.yield() }
            return try await target.page(after: nil, in: context)
        }
        for await _ in asked { break }
        task.cancel()
        switch await task.result {
        case .success:
            report.require(
                transport.requests.isEmpty,
                "the task is cancelled while the target waits, and the target returns a page: rethrow the transport's "
                    + "CancellationError")
        case .failure(let error):
            report.require(
                error is CancellationError,
                "the task is cancelled while the target waits, and the target threw \(error.quoted): rethrow the transport's "
                    + "CancellationError"
            )
        }
    }

    /// Checks that an unusable response does not count as a report of nothing: the covered period would then include
    /// deletions or changes that the sync has not received.
    func checkUnusableReports<Report: Equatable>(
        of method: String, unless incomplete: Report, _ report: inout SuiteReport,
        _ ask: (SyncContext) async throws -> Report?
    ) async {
        for (name, answer) in Self.unusableResponses {
            do {
                let found = try await ask(context(ScriptedTransport { _ in answer }))
                report.require(
                    found == incomplete,
                    "the server responds with \(name), and \(method) returns \(found.map { "\($0)" } ?? "nil"): throw a "
                        + "SoupError, or return .incomplete")
            } catch {
                continue
            }
        }
    }

    static var unusableResponses: [(String, HTTPAnswer)] {
        [
            ("HTTP 500", HTTPAnswer(status: 500, #"[{"errorCode":"UNKNOWN_EXCEPTION","message":"no"}]"#)),
            ("HTTP 404", HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"no"}]"#)),
            ("HTTP 404 and an HTML page", HTTPAnswer(status: 404, "<html><body>Not found</body></html>")),
            ("a redirect", HTTPAnswer(status: 302, "")),
            ("a truncated page", HTTPAnswer(#"{"records": [{"Id": "a"#)),
            ("an HTML page", HTTPAnswer("<html><body>Down for maintenance</body></html>")),
            ("an empty body", HTTPAnswer("")),
            ("a number instead of an object", HTTPAnswer("7")),
        ]
    }

    /// Returns an ID of the same form that does not exist on any server.
    static func ghost(like id: String) -> String {
        id.count >= 15 ? String(id.prefix(3)) + String(repeating: "z", count: id.count - 3) : "ghost-of-the-suite"
    }
}
