// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Query specs in the JSON form of the JavaScript API.
extension QuerySpec {
    /// Reads a spec.
    ///
    /// As on iOS, a page size that is missing or not positive is 10, an order that is missing or unknown is ascending,
    /// and null counts as missing; ``warnings(in:)`` reports these cases. The mobile SDKs do not have the type `all`;
    /// they use a range without limits. Keys that the kind of query does not use are ignored.
    ///
    /// - Parameter soup: the soup of the call; smart queries need none.
    /// - Throws: ``SoupError`` with `badQuerySpec`; its place names the key.
    public init(json: JSONValue, soup: SoupName?) throws {
        guard case .object(let object) = json else { throw Self.bad("", "a query spec must be an object") }
        let reader = SpecReader(object: object)
        let kind = try reader.kind()
        if case .smart = kind {
            self.init(kind, soup: nil, pageSize: try reader.pageSize())
            return
        }
        guard let soup else { throw Self.bad("queryType", "a query that is not a smart query needs a soup") }
        self.init(
            kind, soup: soup, selectPaths: try reader.selectPaths(), orderPath: try reader.path("orderPath"),
            order: try reader.text("order") == "descending" ? .descending : .ascending,
            pageSize: try reader.pageSize())
        try requireValidPaths()
    }

    /// The spec with the keys of the JavaScript API; ``init(json:soup:)`` reads it.
    public var json: JSONValue {
        var object: JSONObject = [:]
        switch kind {
        case .all: object["queryType"] = "range"
        case .exact(let path, let key):
            object["queryType"] = "exact"
            object["indexPath"] = .string(path.rawValue)
            object["matchKey"] = key
        case .range(let path, let begin, let end):
            object["queryType"] = "range"
            object["indexPath"] = .string(path.rawValue)
            object["beginKey"] = begin
            object["endKey"] = end
        case .like(let path, let key):
            object["queryType"] = "like"
            object["indexPath"] = .string(path.rawValue)
            object["likeKey"] = .string(key)
        case .match(let path, let key):
            object["queryType"] = "match"
            object["indexPath"] = path.map { .string($0.rawValue) }
            object["matchKey"] = .string(key)
        case .smart(let text):
            object["queryType"] = "smart"
            object["smartSql"] = .string(text)
        }
        object["selectPaths"] = selectPaths.map { .array($0.map { .string($0.rawValue) }) }
        object["orderPath"] = orderPath.map { .string($0.rawValue) }
        object["order"] = .string(order.rawValue)
        object["pageSize"] = .int(Int64(pageSize))
        return .object(object)
    }

    static func bad(_ key: String, _ message: String) -> SoupError {
        SoupError(.badQuerySpec, message, place: key.isEmpty ? nil : SoupError.Place(path: key))
    }
}

/// A reader for the keys of a spec, whose errors name the key.
private struct SpecReader {
    let object: JSONObject

    func kind() throws -> QuerySpec.Kind {
        let type = try required("queryType", try text("queryType"))
        switch type {
        case "smart": return .smart(try required("smartSql", try text("smartSql")))
        case "all": return .all
        case "exact": return .exact(path: try requiredPath(), key: try required("matchKey", value("matchKey")))
        case "like": return .like(path: try requiredPath(), key: try required("likeKey", try keyText("likeKey")))
        case "match":
            return .match(path: try path("indexPath"), key: try required("matchKey", try keyText("matchKey")))
        case "range":
            let (begin, end) = (value("beginKey"), value("endKey"))
            guard let path = try path("indexPath") else {
                if begin != nil || end != nil { _ = try requiredPath() }
                return .all
            }
            return begin == nil && end == nil ? .all : .range(path: path, begin: begin, end: end)
        default:
            throw QuerySpec.bad(
                "queryType", "unknown query type \"\(type)\"; known: all, exact, like, match, range, smart")
        }
    }

    /// Returns the value of a key; nil if it is missing or null.
    private func value(_ key: String) -> JSONValue? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    func text(_ key: String) throws -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.stringValue else { throw QuerySpec.bad(key, "a text is required, not \(value)") }
        return text
    }

    /// Returns a key that is compared as text; scripts also write numbers.
    private func keyText(_ key: String) throws -> String? {
        switch value(key) {
        case .int(let number)?: String(number)
        case .double(let number)?: "\(number)"
        case .number(let number)?: number.text
        default: try text(key)
        }
    }

    func path(_ key: String) throws -> JSONPath? { try text(key).map { JSONPath($0) } }

    private func requiredPath() throws -> JSONPath { JSONPath(try required("indexPath", try text("indexPath"))) }

    private func required<T>(_ key: String, _ value: T?) throws -> T {
        guard let value else { throw QuerySpec.bad(key, "\(key) is missing") }
        return value
    }

    func selectPaths() throws -> [JSONPath]? {
        guard let value = value("selectPaths") else { return nil }
        guard let list = value.arrayValue, !list.isEmpty else {
            throw QuerySpec.bad("selectPaths", "a list of one or more paths is required")
        }
        return try list.enumerated().map { index, item in
            guard let text = item.stringValue else {
                throw QuerySpec.bad("selectPaths[\(index)]", "a path must be a text, not \(item)")
            }
            return JSONPath(text)
        }
    }

    func pageSize() throws -> Int {
        guard let value = value("pageSize") else { return 10 }
        guard let size = value.intValue else {
            throw QuerySpec.bad("pageSize", "a whole number is required, not \(value)")
        }
        return size > 0 ? Int(clamping: size) : 10
    }
}
