// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The values that resolve a conflict, read from a file.
struct MergedRecord {
    /// The object, byte for byte as in the file.
    let json: JSONText
    /// The fields in conflict that the object does not contain: they keep the local values.
    let fieldsLeftOut: [String]

    /// Reads the object.
    ///
    /// - Parameter file: `-` for standard input.
    /// - Throws: ``SoupError`` with `json` if the file does not contain an object; `ConfigurationError` with the places
    ///   of fields that the record does not have and of an ID that belongs to another record.
    init(readFrom file: String, for conflict: RecordConflict) async throws {
        let document = try await JSONInput.document(from: file)
        guard let text = document.text, let object = document.json?.objectValue else {
            throw SoupError(
                .json, "the merged record is not a JSON object", place: SoupError.Place(file: file),
                hint: "Give an object with the fields in conflict.")
        }
        let problems = document.located(Self.problems(of: object, conflict)).filter { $0.severity == .error }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        json = text
        fieldsLeftOut = conflict.fields.filter { object[$0] == nil }
    }

    private static func problems(of object: JSONObject, _ conflict: RecordConflict) -> [ConfigurationProblem] {
        let versions = [conflict.local, conflict.remote, conflict.base].compactMap { $0?.members }
        var known: [String] = []
        for member in versions.joined() where !known.contains(member.key) { known.append(member.key) }
        let own = Set(EntryField.own)
        var problems: [ConfigurationProblem] = []
        for member in object.members where !own.contains(member.key) {
            if !known.contains(member.key) {
                problems.append(
                    ConfigurationProblem(
                        .error, code: .json, at: SoupError.Place(path: member.key),
                        "the record has no field \"\(member.key)\"",
                        hint: NameDistance.question(for: member.key, among: known)
                            + " Use soup edit to add a new field to the record."))
            } else if let id = conflict.serverId, member.value.stringValue != id,
                versions.contains(where: { $0.contains { $0.key == member.key && $0.value.string == id } })
            {
                problems.append(
                    ConfigurationProblem(
                        .error, code: .json, at: SoupError.Place(path: member.key),
                        "this is not the ID of the record in conflict, \(id)",
                        hint: "Remove the ID from the object; the record keeps its own."))
            }
        }
        return problems
    }
}

#endif
