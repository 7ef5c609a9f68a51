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
            let found = await report.expect("survivors of part \(part)") {
                try await target.survivors(of: ids + [ghost], part: part, in: context)
            }
            guard let found, let survivors = found else { continue }
            report.require(
                survivors.isSubset(of: ids + [ghost]), "survivors of part \(part) holds ids that were not asked for")
            report.require(!survivors.contains(ghost), "an id that the server does not know survives in part \(part)")
            let lost = Set(ids).subtracting(survivors)
            report.require(lost.isEmpty, "ids that were just synced do not survive in part \(part): \(lost.sorted())")
            let again = await report.expect("survivors again") {
                try await target.survivors(of: ids + [ghost], part: part, in: context)
            }
            report.require(again == survivors, "survivors of part \(part) differs the second time")
            let none = await report.expect("survivors of no id") {
                try await target.survivors(of: [], part: part, in: context)
            }
            report.require(none == Set(), "no id is asked for and some survive")
            await checkSurvivorFailures(target, ids, part, &report)
        }
    }

    /// An answer that cannot be used must never look like "nothing survives": everything would be deleted.
    private func checkSurvivorFailures(
        _ target: Target, _ ids: [String], _ part: Int, _ report: inout SuiteReport
    ) async {
        for (name, answer) in Self.uselessAnswers where !ids.isEmpty {
            let transport = ScriptedTransport { _ in answer }
            do {
                let survivors = try await target.survivors(of: ids, part: part, in: context(transport))
                report.require(
                    survivors == nil || survivors == Set(ids),
                    "\(name): survivors takes it for an answer, and records would be deleted")
            } catch is SoupError {
            } catch {
                report.note("\(name): survivors throws \(error), and not a SoupError")
            }
        }
    }

    func checkFailures(_ target: Target, _ report: inout SuiteReport) async {
        for (name, answer) in Self.uselessAnswers {
            let transport = ScriptedTransport { _ in answer }
            do {
                let page = try await target.page(after: nil, in: context(transport))
                report.require(
                    transport.requests.isEmpty, "\(name): it makes a page of \(page.parts.first?.count ?? 0)")
            } catch is SoupError {
            } catch {
                report.note("\(name): it throws \(error), and not a SoupError")
            }
        }
        let broken = ScriptedTransport { _ in throw SoupError.network(.unknown, "broken by the suite") }
        do {
            _ = try await target.page(after: nil, in: context(broken))
            report.require(broken.requests.isEmpty, "the connection breaks and it makes a page all the same")
        } catch let error as SoupError {
            report.require(error.code == .network, "the connection breaks and it throws \(error.code): \(error)")
        } catch {
            report.note("the connection breaks and it throws \(error), and not a SoupError")
        }
        do {
            _ = try await target.page(after: PageCursor("\u{1}no cursor of yours \"{%"), in: context)
        } catch is SoupError {
        } catch {
            report.note("a cursor that it cannot read makes it throw \(error), and not a SoupError")
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
        case .success: report.require(transport.requests.isEmpty, "it is cancelled while it waits and makes a page")
        case .failure(let error):
            report.require(error is CancellationError, "it is cancelled while it waits and throws \(error)")
        }
    }

    static var uselessAnswers: [(String, HTTPAnswer)] {
        [
            ("HTTP 500", HTTPAnswer(status: 500, #"[{"errorCode":"UNKNOWN_EXCEPTION","message":"no"}]"#)),
            ("HTTP 404", HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"no"}]"#)),
            ("a page that is cut off", HTTPAnswer(#"{"records": [{"Id": "a"#)),
            ("a page of HTML", HTTPAnswer("<html><body>Down for maintenance</body></html>")),
            ("an empty body", HTTPAnswer("")),
            ("a number for an answer", HTTPAnswer("7")),
        ]
    }

    /// An id of the same form that no server has.
    static func ghost(like id: String) -> String {
        id.count >= 15 ? String(id.prefix(3)) + String(repeating: "z", count: id.count - 3) : "ghost-of-the-suite"
    }
}
