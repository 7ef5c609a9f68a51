// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension RunExpectation {
    /// Returns the messages about the differences between the expected result and the result of a run.
    ///
    /// - Parameters:
    ///   - found: the numbers of records of the run.
    ///   - error: the error that ended the run.
    ///   - outcomes: the records that were not synced.
    func differences(
        from found: [String: Int], error: SoupError?, outcomes: [RecordOutcome] = []
    ) -> [(expected: String, found: String, message: String)] {
        if let error, error.code.rawValue == self.error {
            return differences(of: counts, from: found, outcomes)
        }
        if let error {
            let wanted = self.error.map { "the error \($0)" } ?? "success"
            let text = "\(error.code): \(error.message)"
            return [(wanted, text, "expected \(wanted), found \(text)")]
        }
        if let code = self.error {
            return [("the error \(code)", "success", "expected the error \(code), but the run succeeded")]
        }
        let named = counts.map(\.key)
        let all = counts + Self.problems.filter { !named.contains($0) && found[$0] != nil }.map { ($0, 0) }
        return differences(of: all, from: found, outcomes)
    }

    private func differences(
        of counts: [(key: String, count: Int)], from found: [String: Int], _ outcomes: [RecordOutcome]
    ) -> [(expected: String, found: String, message: String)] {
        counts.filter { $0.count != found[$0.key] ?? 0 }.map { key, count in
            let number = found[key] ?? 0
            let reasons = outcomes.filter { $0.key == key }.map { "\n  " + $0.line }.joined()
            return ("\(count)", "\(number)", "\(key): expected \(count), found \(number)\(reasons)")
        }
    }
}

extension SyncResult {
    /// The numbers of records by the names in test files.
    var counts: [String: Int] {
        [
            "saved": saved, "unchanged": unchanged, "replaced": replaced, "merged": merged, "ghosts": ghosts,
            "created": created, "updated": updated, "deleted": deleted, "skipped": skipped, "conflicts": conflicted,
            "failed": failed, "unknown": unknown,
        ]
    }
}

extension RecordOutcome {
    /// The name of the count in test files; nil for a record that was synced.
    fileprivate var key: String? {
        switch result {
        case .ok: nil
        case .skipped: "skipped"
        case .conflicted: "conflicts"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }

    fileprivate var line: String {
        let reason = error.map { ": \($0.code) \($0.message)" } ?? ""
        return "\(action.rawValue) of \(soup) \(entryId)\(id.map { " (\($0))" } ?? ""): \(result.rawValue)\(reason)"
    }
}

#endif
