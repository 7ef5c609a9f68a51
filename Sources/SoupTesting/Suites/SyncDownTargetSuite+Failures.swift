// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension SyncDownTargetSuite {
    func checkSurvivors(_ target: Target, _ walk: PageWalk, _ report: inout SuiteReport) async {
        let parts = target.layout?.parts ?? [.init(soup: context.soup, idField: target.idField)]
        for (part, layout) in parts.enumerated() {
            let ids = walk.ids(part: part, idField: layout.idField)
            let ghost = Self.ghost(like: ids.first ?? "")
            let found = await askForSurvivors(target, ids + [ghost], part, &report)
            guard let found, let survivors = found else { continue }
            report.require(
                survivors.isSubset(of: ids + [ghost]),
                "survivors of part \(part) holds ids that were not asked for: return a subset of ids")
            report.require(
                !survivors.contains(ghost),
                "an id that the server does not know survives in part \(part): return only ids that the server confirms, "
                    + "or nil when it cannot tell")
            let lost = Set(ids).subtracting(survivors)
            report.require(
                lost.isEmpty,
                "ids that were just synced do not survive in part \(part), \(lost.sorted()), and would be deleted: return "
                    + "every id that the server still has")
            let again = await askForSurvivors(target, ids + [ghost], part, &report)
            report.require(
                again == survivors,
                "survivors of part \(part) differs the second time: the same server must give the same answer")
            let none = await askForSurvivors(target, [], part, &report)
            report.require(none == Set(), "no id is asked for in part \(part) and some survive: return an empty set")
            await checkSurvivorFailures(target, ids, part, &report)
        }
    }

    private func askForSurvivors(
        _ target: Target, _ ids: [String], _ part: Int, _ report: inout SuiteReport
    ) async -> Set<String>?? {
        await report.expect(
            "asked for \(ids.count) id(s) of part \(part), with a server that answers, survivors(of:part:in:)",
            rule: "return those of the ids that still belong to the target, or nil when it cannot tell"
        ) { try await target.survivors(of: ids, part: part, in: context) }
    }

    /// Checks that an unusable response does not count as "nothing survives": all entries would be deleted.
    private func checkSurvivorFailures(
        _ target: Target, _ ids: [String], _ part: Int, _ report: inout SuiteReport
    ) async {
        for (name, answer) in Self.uselessAnswers where !ids.isEmpty {
            let transport = ScriptedTransport { _ in answer }
            do {
                let survivors = try await target.survivors(of: ids, part: part, in: context(transport))
                report.require(
                    survivors == nil || survivors == Set(ids),
                    "the server answers with \(name), and survivors takes it for an answer, so records would be deleted: "
                        + "throw a SoupError")
            } catch is SoupError {
            } catch {
                report.note(
                    "the server answers with \(name), and survivors threw \(error.quoted): throw a SoupError, as "
                        + "context.get and answer.json() do")
            }
        }
    }

    /// Checks that an unusable response does not count as "nothing was deleted": the covered period would then include
    /// deletions that the sync has not received.
    func checkDeletionFailures(_ target: Target, _ report: inout SuiteReport) async {
        guard target.tracksDeletions else { return }
        for part in 0..<(target.layout?.parts.count ?? 1) {
            for (name, answer) in Self.uselessAnswers {
                let context = self.context(ScriptedTransport { _ in answer })
                let found = try? await target.deletions(since: context.clock.now, part: part, in: context)
                report.require(
                    found == nil || found == .some(nil),
                    "the server answers with \(name), and deletions of part \(part) takes it for an answer: throw a SoupError, or "
                        + "return nil")
            }
        }
    }

    /// - Parameter cursor: the cursor of the page that the server does not return.
    func checkFailures(_ target: Target, after cursor: PageCursor?, _ report: inout SuiteReport) async {
        let place = cursor == nil ? "the first page" : "the second page"
        for (name, answer) in Self.uselessAnswers {
            let transport = ScriptedTransport { _ in answer }
            do {
                let page = try await target.page(after: cursor, in: context(transport))
                report.require(
                    transport.requests.isEmpty,
                    "asked for \(place) the server answers with \(name), and it makes a page of "
                        + "\(page.parts.first?.count ?? 0) records of it: throw a SoupError, or the run ends as if all had come"
                )
            } catch is SoupError {
            } catch {
                report.note(
                    "asked for \(place) the server answers with \(name), and it threw \(error.quoted): throw a SoupError, "
                        + "as context.get and answer.json() do")
            }
        }
        let broken = ScriptedTransport { _ in throw SoupError.network(.unknown, "broken by the suite") }
        let rule = "let the transport's SoupError through, so that the engine sees its code network"
        do {
            _ = try await target.page(after: cursor, in: context(broken))
            report.require(
                broken.requests.isEmpty, "the connection breaks at \(place), and it makes a page all the same: \(rule)")
        } catch let error as SoupError where error.code == .network {
        } catch {
            report.note("the connection breaks at \(place), and it threw \(error.quoted): \(rule)")
        }
    }

    func checkForeignCursor(_ target: Target, _ report: inout SuiteReport) async {
        do {
            _ = try await target.page(after: PageCursor("\u{1}no cursor of yours \"{%"), in: context)
        } catch is SoupError {
        } catch {
            report.note(
                "a cursor that it cannot read makes it throw \(error.quoted): throw SoupError cursorExpired, and the engine "
                    + "starts again")
        }
    }

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
                "it is cancelled while it waits and makes a page: let the CancellationError of the transport through")
        case .failure(let error):
            report.require(
                error is CancellationError,
                "it is cancelled while it waits and threw \(error.quoted): let the CancellationError of the transport through"
            )
        }
    }

    static var uselessAnswers: [(String, HTTPAnswer)] {
        [
            ("HTTP 500", HTTPAnswer(status: 500, #"[{"errorCode":"UNKNOWN_EXCEPTION","message":"no"}]"#)),
            ("HTTP 404", HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"no"}]"#)),
            ("HTTP 404 and a page of HTML", HTTPAnswer(status: 404, "<html><body>Not found</body></html>")),
            ("a redirect", HTTPAnswer(status: 302, "")),
            ("a page that is cut off", HTTPAnswer(#"{"records": [{"Id": "a"#)),
            ("a page of HTML", HTTPAnswer("<html><body>Down for maintenance</body></html>")),
            ("an empty body", HTTPAnswer("")),
            ("a number for an answer", HTTPAnswer("7")),
        ]
    }

    /// Returns an ID of the same form that does not exist on any server.
    static func ghost(like id: String) -> String {
        id.count >= 15 ? String(id.prefix(3)) + String(repeating: "z", count: id.count - 3) : "ghost-of-the-suite"
    }
}
