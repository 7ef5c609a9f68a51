// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Creates a seed file from the describes of an org.
///
/// ```swift
/// var describes = OrgDescribeImport()
/// try describes.add(bytes, file: "Account.json")   // the response to GET /sobjects/Account/describe
/// let seed = try OrgSeed(json: describes.seedFile())
/// ```
/// The parts that a seed file cannot express are left out: the labels of picklist values, page layouts, formulas that a
/// local org cannot compute (their fields exist and are empty), and fields of unsupported types. ``notes`` reports the
/// important ones.
public struct OrgDescribeImport: Sendable {
    /// The describes of objects in the order in which they were added.
    private var describes: [JSONValue] = []
    /// The entries of global describes, by name in lower case.
    private var summaries: [String: JSONValue] = [:]

    /// Creates an import without describes.
    public init() {}

    /// Adds the response of a describe: of one object, of all (`/sobjects`), or an array of such responses.
    ///
    /// Of two describes of one object the later one is used.
    ///
    /// - Parameter file: the name of the text in errors.
    /// - Throws: ``SoupError``: `json` for a text that is not JSON, `badConfiguration` for one that describes no
    /// object.
    public mutating func add(_ json: [UInt8], file: String? = nil) throws {
        let text = ConfigurationDocument(json, file: file ?? "")
        guard let value = text.json else {
            throw text.located([]).first?.error ?? SoupError(.json, "the describe is not JSON")
        }
        var isDescribe = false
        for part in value.arrayValue ?? [value] {
            let summaries = part["sobjects"]?.arrayValue ?? part["objectDescribe"].map { [$0] } ?? []
            for summary in summaries {
                guard let name = summary["name"]?.stringValue else { continue }
                self.summaries[name.lowercased()] = summary
                isDescribe = true
            }
            guard let name = part["name"]?.stringValue, part["fields"]?.arrayValue != nil else { continue }
            describes.removeAll { $0["name"]?.stringValue?.lowercased() == name.lowercased() }
            describes.append(part)
            isDescribe = true
        }
        guard isDescribe else {
            throw SoupError(
                .badConfiguration, "\(file ?? "the text") describes no object",
                place: file.map { SoupError.Place(file: $0) },
                hint: "Save the response of GET /services/data/v60.0/sobjects/Account/describe.")
        }
    }

    /// Returns the seed file as formatted JSON: the objects, without rows.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` if no object was described with its fields;
    /// ``ConfigurationError`` for inconsistent describes.
    public func seedFile() throws -> [UInt8] {
        let document = try made().document
        let problems = OrgDefinition.problems(of: document)
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        return PrettyJSON.text(Array(try JSONText(document).bytes)) + [UInt8(ascii: "\n")]
    }

    /// The parts of the describes that are not in the seed file, one sentence each.
    ///
    /// - Throws: as ``seedFile()``.
    public var notes: [String] { get throws { try made().notes } }

    private func made() throws -> (document: JSONValue, notes: [String]) {
        guard !describes.isEmpty else {
            throw SoupError(
                .badConfiguration, "no object is described with its fields",
                hint: "A global describe only lists objects; add GET /services/data/v60.0/sobjects/Account/describe.")
        }
        var reader = SchemaReader()
        try StandardObjects.add(to: &reader)
        var writer = DescribedObjects(describes, summaries, standard: try reader.schema())
        return (writer.document(), writer.notes)
    }
}
