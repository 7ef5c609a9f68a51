// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension RecordPage {
    /// The page as lines, to compare it as a whole in a test: one record per line with its own stamp applied, then the
    /// rest.
    public var dump: [String] {
        var lines: [String] = []
        for (number, level) in levels.enumerated() {
            let prefix = levels.count > 1 ? "\(number): " : ""
            lines += (0..<level.count).map { prefix + level.dump(of: $0) }
        }
        if let next { lines.append("next \(next.rawValue)") }
        if let totalSize { lines.append("total \(totalSize)") }
        if let serverTime { lines.append("at \(DateText.format(serverTime))") }
        if isLimited { lines.append("limited") }
        return lines
    }
}

extension RecordBatch {
    /// Returns a record as it will be stored: members that its own stamp removes are missing, others are replaced or
    /// appended.
    public func dump(of index: Int) -> String {
        let stamp = stamps.isEmpty ? RecordBatch.Stamp.none : stamps[index]
        guard !stamp.isEmpty, var object = self[index].value.objectValue else { return self[index].description }
        for member in stamp.members { object[member.name] = member.value?.value }
        return JSONValue.object(object).description
    }
}

extension [PushOutcome] {
    /// The outcomes as lines: `ok a1 @2024-01-15T12:00:00.000+0000`, `failed STRING_TOO_LONG too long (Name)`.
    public var dump: [String] { flatMap { $0.dump } }
}

extension PushOutcome {
    /// The outcome as a line, followed by its children's, indented.
    public var dump: [String] {
        let line: String =
            switch result {
            case .ok: "ok"
            case .skipped: "skipped"
            case .failed(let failure): "failed \(failure.dump)"
            case .conflict(let failure): "conflict \(failure.dump)"
            case .unknown(let failure): "unknown \(failure.dump)"
            case .notSent(let error): "not sent: \(error.code) \(error.message)"
            }
        let id = serverId.map { " \($0)" } ?? ""
        let date = modificationDate.map { " @\($0)" } ?? ""
        let version = version.map { " version \($0)" } ?? ""
        return [line + id + date + version] + children.dump.map { "  \($0)" }
    }
}

extension PushFailure {
    /// The failure as text: code, message, fields and the resulting properties.
    public var dump: String {
        var words = [code, message]
        if !fields.isEmpty { words.append("(\(fields.joined(separator: ", ")))") }
        if isGone { words.append("[gone]") }
        if isRelatedGone { words.append("[related gone]") }
        if isRetryable { words.append("[retryable]") }
        return words.joined(separator: " ")
    }
}
