// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that forwards all reading methods to another reader, and implements only what it changes.
public protocol ForwardingReader: StoreReader {
    /// The reader that the calls are forwarded to.
    var reader: any StoreReader { get }
}

extension ForwardingReader {
    /// Forwards the call.
    public func soupNames() throws -> [SoupName] { try reader.soupNames() }

    /// Forwards the call.
    public func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try reader.indexSpecs(of: soup) }

    /// Forwards the call.
    public func generation(of soup: SoupName) throws -> String { try reader.generation(of: soup) }

    /// Forwards the call.
    public func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        try reader.retrieve(ids, from: soup)
    }

    /// Forwards the call.
    public func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try reader.lookup(value, at: path, in: soup)
    }

    /// Forwards the call.
    public func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: page, arguments: arguments)
    }

    /// Forwards the call.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        try reader.query(spec, after: position, arguments: arguments)
    }

    /// Forwards the call.
    public func positionedPage(
        _ number: Int, of spec: QuerySpec, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        try reader.positionedPage(number, of: spec, arguments: arguments)
    }

    /// Forwards the call.
    public func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws {
        try reader.walk(spec, arguments: arguments, body)
    }

    /// Forwards the call.
    public func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        try reader.plan(of: spec, arguments: arguments)
    }

    /// Forwards the call.
    public func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        try reader.plan(of: spec, after: position, arguments: arguments)
    }

    /// Forwards the call.
    public func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int {
        try reader.count(spec, arguments: arguments)
    }

    /// Forwards the call.
    public func dirtyIds(in soup: SoupName) throws -> [Int64] { try reader.dirtyIds(in: soup) }

    /// Forwards the call.
    public func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] {
        try reader.cleanValues(at: path, in: soup, writtenBy: syncId)
    }

    /// Forwards the call.
    public func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        try reader.syncedCopies(of: ids, in: soup)
    }
}
