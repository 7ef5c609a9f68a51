// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Runs the cases with queries, which are built, changed, checked or split into tokens.
enum QueryCaseRunner {
    /// Returns whether the runner supports an operation.
    static func supports(_ operation: String) -> Bool { Operation(operation) != nil }

    static func result(of example: JSONValue) -> OperationResult {
        guard let operation = Operation(example["op"]?.stringValue ?? "") else {
            return .found(["error": .string("unknown operation")])
        }
        do {
            return .found(try found(by: operation, in: example))
        } catch {
            return .found(["error": .string(error.caseCode), "message": .string("\(error)")])
        }
    }

    private enum Operation {
        case mutate, hasOrderBy, tokenize, buildQuery, buildPath, buildSearch, remoteIds
        case isSelecting(String)
        case isOrdering(String)
        case changes(field: String)

        init?(_ text: String) {
            let words = text.split(separator: " ").map(String.init)
            switch words.first {
            case "mutate": self = .mutate
            case "hasOrderBy": self = .hasOrderBy
            case "isSelectingField" where words.count > 1: self = .isSelecting(words[1])
            case "isOrderingBy" where words.count > 1: self = .isOrdering(words[1])
            case "remote-ids": self = .remoteIds
            case "resync" where words.dropFirst().first == "rewrite":
                let field = words.drop { $0 != "(field" }.dropFirst().first ?? "LastModifiedDate"
                self = .changes(field: String(field.prefix { $0 != ")" }))
            default:
                switch text {
                case "tokenize, join with #": self = .tokenize
                case "SOQL build": self = .buildQuery
                case "SOQL buildWithPath": self = .buildPath
                case "SOSL build": self = .buildSearch
                default: return nil
                }
            }
        }
    }

    private static func found(by operation: Operation, in example: JSONValue) throws -> JSONValue {
        let soql = example["soql"]?.stringValue ?? ""
        let given = example["given"] ?? .null
        switch operation {
        case .tokenize: return .string(SOQLPieces.split(example["text"]?.stringValue ?? "").joined(separator: "#"))
        case .buildQuery: return .string(try query(given).build())
        case .buildPath:
            return .string(try query(given).path(under: given["path"]?.stringValue ?? "", percentEncoded: false))
        case .buildSearch: return search(given).build().map { .string($0) } ?? .null
        case .mutate:
            let steps = (example["steps"]?.arrayValue ?? []).compactMap(\.stringValue)
            return .string(try steps.reduce(SOQLRewriter(soql), changed).text)
        case .hasOrderBy: return .bool(try SOQLRewriter(soql).hasOrderBy)
        case .isSelecting(let field): return .bool(try SOQLRewriter(soql).selects(field))
        case .isOrdering(let field): return .bool(try SOQLRewriter(soql).isOrdered(by: field))
        case .remoteIds: return .string(try SOQLRewriter(soql).remoteIds(idField: "Id").text)
        case .changes(let field):
            let changed = try SOQLRewriter(soql).changed(after: CaseTime.mark, modificationDateField: field)
            return .string(CaseTime.shown(in: changed.text))
        }
    }

    private static func changed(_ query: SOQLRewriter, by step: String) throws -> SOQLRewriter {
        let parts = step.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = parts.count > 1 && parts[1] != "(empty)" ? parts[1] : ""
        switch parts.first {
        case "addSelectFields": return query.adding(field: argument)
        case "replaceSelectFields": return query.replacing(fields: argument)
        case "addWherePredicates": return query.adding(condition: argument)
        case "replaceOrderBy": return query.ordered(by: argument.isEmpty ? nil : argument)
        default: throw SoupError(.json, "unknown step \(step)")
        }
    }

    private static func query(_ given: JSONValue) -> SOQLBuilder {
        let list = given["fields"]?.arrayValue?.compactMap(\.stringValue)
        let from = given["from"]?.stringValue ?? ""
        var builder =
            list.map { SOQLBuilder(fields: $0, from: from) }
            ?? SOQLBuilder(fields: given["fields"]?.stringValue ?? "", from: from)
        builder.condition = given["where"]?.stringValue ?? ""
        builder.groupBy = given["groupBy"]?.stringValue ?? ""
        builder.having = given["having"]?.stringValue ?? ""
        builder.orderBy = given["orderBy"]?.stringValue ?? ""
        builder.limit = Int(clamping: given["limit"]?.intValue ?? 0)
        builder.offset = Int(clamping: given["offset"]?.intValue ?? 0)
        return builder
    }

    private static func search(_ given: JSONValue) -> SOSLBuilder {
        var builder = SOSLBuilder(searchTerm: given["searchTerm"]?.stringValue ?? "")
        builder.searchGroup = given["searchGroup"]?.stringValue ?? ""
        builder.divisionFilter = given["divisionFilter"]?.stringValue ?? ""
        builder.dataCategory = given["dataCategory"]?.stringValue ?? ""
        builder.limit = Int(clamping: given["limit"]?.intValue ?? 0)
        builder.returning = (given["returning"]?.arrayValue ?? []).map { object in
            var returning = SOSLReturning(
                object["objectName"]?.stringValue ?? "", fields: object["fields"]?.stringValue ?? "")
            returning.condition = object["where"]?.stringValue ?? ""
            returning.orderBy = object["orderBy"]?.stringValue ?? ""
            returning.network = object["withNetwork"]?.stringValue ?? ""
            returning.limit = Int(clamping: object["limit"]?.intValue ?? 0)
            return returning
        }
        return builder
    }
}

/// The time that is `D` in cases.
enum CaseTime {
    static let mark = HighWaterMark(milliseconds: 1_705_320_000_123, inclusive: false)

    /// Returns a text in which `D` replaces the time.
    static func shown(in text: String) -> String {
        text.replacing(SOQLLiteral.dateTime(mark.time), with: "D")
    }
}
