// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that changes records between the server and the store.
///
/// The options of a sync name transforms, which are applied in order to the records that a sync down fetches:
/// `"transforms": [{"type": "rename", "fields": {"Name": "title"}}]`. A sync up with the same list applies the
/// ``inverse`` of each one, in the opposite order, to the records that it sends.
///
/// ```swift
/// struct UpperCase: RecordTransform {
///     struct Configuration: Decodable, Sendable { var field: String }
///     static let name: PluginName = "upperCase"
///     let field: String
///     init(configuration: Configuration) { field = configuration.field }
///
///     var fields: [String] { [field] }
///     func apply(to record: JSONText) throws -> JSONText {
///         guard let text = record[JSONPath(field)]?.stringValue else { return record }
///         return record.setting([(name: field, value: .string(text.uppercased()))])
///     }
/// }
/// ```
///
/// An object of the list can have the member `soupName`: the transform is then applied only to the records of that
/// soup, for targets that span several.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol RecordTransform: SyncPlugin {
    /// The members of records that the transform reads, sets or removes.
    ///
    /// The member of the ID and those of the modification date, the version and the parent must not be among them: a
    /// configuration with such a transform is refused.
    var fields: [String] { get }

    /// Returns the changed record.
    ///
    /// It must depend on the record only, and return a JSON object with the same ID. A record without the fields is
    /// returned as it is. An error fails the page, or the change that is to be sent.
    func apply(to record: JSONText) throws -> JSONText

    /// The transform for the opposite direction, which makes the server's record from that of the store; nil if the
    /// record cannot be restored. Default: nil.
    ///
    /// A sync up whose options contain a transform without an inverse is refused.
    var inverse: (any RecordTransform)? { get }
}

extension RecordTransform {
    /// Nil: the record cannot be restored.
    public var inverse: (any RecordTransform)? { nil }
}

/// An element of the `transforms` of a sync's options: a name, or an object whose `type` is the name.
public struct TransformReference: Sendable, Hashable {
    /// The name or the object, as written.
    public let json: JSONValue

    /// Creates a reference from any value; the registry checks it when it creates the transform.
    public init(_ json: JSONValue) { self.json = json }
    /// Creates a reference to a transform without options.
    public init(named name: PluginName) { json = .string(name.rawValue) }

    /// The name; nil if there is none.
    public var name: PluginName? { json.pluginName }

    /// The soup whose records are changed; nil for all soups of the sync.
    public var soup: SoupName? { json["soupName"]?.stringValue.map { SoupName($0) } }

    /// The options of the transform itself.
    var configuration: JSONValue {
        guard var object = json.objectValue else { return json }
        object["soupName"] = nil
        return .object(object)
    }
}

extension JSONText {
    /// Returns an object with members set or removed; a member with the value nil is removed.
    ///
    /// A member that the object has keeps its place; others are added at the end. A text that is not an object is
    /// returned as it is.
    public func setting(_ changes: [(name: String, value: JSONText?)]) -> JSONText {
        guard let members else { return self }
        let changed = Dictionary(changes.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        var found: Set<String> = []
        var result: [(name: String, value: JSONText)] = []
        for member in members {
            guard let change = changed[member.key] else {
                result.append((name: member.key, value: member.value))
                continue
            }
            if found.insert(member.key).inserted, let change { result.append((name: member.key, value: change)) }
        }
        for change in changes where !found.contains(change.name) {
            found.insert(change.name)
            if let value = changed[change.name] ?? nil { result.append((name: change.name, value: value)) }
        }
        return .object(result)
    }
}
