// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore
import SoupTesting

/// Generates valid queries.
struct QueryGenerator {
    let world: QueryWorld
    var random: SeededRandom

    typealias Kind = QueryModel.Kind

    /// A field and the path to it.
    struct Field {
        var path: SOQLPath
        var kind: Kind
    }

    mutating func query() -> SOQLQuery {
        switch int(10) {
        case 0: count()
        case 1, 2, 3: groups()
        default: rows()
        }
    }

    // MARK: Choices

    mutating func int(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    mutating func chance(_ of: Int) -> Bool { int(of) == 0 }
    mutating func one<T>(_ values: [T]) -> T { values[int(values.count)] }

    private mutating func entity() -> QueryModel.Entity { one(QueryModel.entities + [QueryModel.entities[0]]) }

    /// Returns a field of an object or of one of its parents.
    mutating func field(_ entity: QueryModel.Entity, hops: Int = 3, where fits: (Kind) -> Bool = { _ in true }) -> Field
    {
        while true {
            var current = entity
            var names: [String] = []
            while names.count < hops, chance(4), let parent = current.parents.isEmpty ? nil : one(current.parents) {
                names.append(parent.name)
                if parent.targets.count > 1 {
                    let common: [(String, Kind)] = [("Name", .text), ("Type", .text), ("Id", .id)]
                    let (name, kind) = one(
                        common.filter { fits($0.1) } + (fits(.text) ? [("Name", .text)] : []) + [("Id", .id)])
                    if fits(kind) { return Field(path: SOQLPath(names + [name]), kind: kind) }
                    names.removeLast()
                    break
                }
                current = QueryModel.entity(parent.targets[0]) ?? current
            }
            let fields = current.fields.filter { fits($0.kind) }
            if fields.isEmpty { continue }
            let (name, kind) = one(fields)
            return Field(path: SOQLPath(names + [chance(10) ? name.lowercased() : name]), kind: kind)
        }
    }

    // MARK: Queries

    private mutating func base(_ items: [SOQLSelectItem], _ entity: QueryModel.Entity) -> SOQLQuery {
        var query = SOQLQuery(items, from: SOQLSource(SOQLPath([chance(8) ? entity.name.uppercased() : entity.name])))
        if !chance(4) { query.condition = filter(entity) }
        if chance(12), entity.kind("OwnerId") != nil { query.scope = "mine" }
        return query
    }

    private mutating func cut(_ query: inout SOQLQuery) {
        if chance(3) { query.limit = int(12) }
        if chance(5) { query.offset = int(6) }
    }

    private mutating func count() -> SOQLQuery {
        var query = base([.call(SOQLCall("COUNT", []), alias: nil)], entity())
        cut(&query)
        return query
    }

    private mutating func rows() -> SOQLQuery {
        let entity = entity()
        var query = base(items(entity, depth: 0), entity)
        query.order = order(entity)
        cut(&query)
        return query
    }

    private mutating func order(_ entity: QueryModel.Entity) -> [SOQLSortKey] {
        (0..<int(3)).map { _ in
            let key: SOQLOperand = chance(6) ? .call(dateCall(entity)) : .path(field(entity, where: \.isSortable).path)
            return SOQLSortKey(key, descending: chance(2), nulls: one([nil, .first, .last]))
        }
    }

    private mutating func items(_ entity: QueryModel.Entity, depth: Int) -> [SOQLSelectItem] {
        var items: [SOQLSelectItem] = []
        var seen: Set<String> = []
        var hasTypeOf = false
        for _ in 0...int(5) {
            let path = field(entity).path
            let isAny = path.names.count > 1 && path.names[0].lowercased() == "any__r"
            if !(isAny && hasTypeOf), seen.insert(path.description.lowercased()).inserted {
                items.append(.path(path, alias: nil))
            }
            if chance(8), entity.parent("Any__r") != nil, !hasTypeOf, !seen.contains(where: { $0.hasPrefix("any__r") })
            {
                hasTypeOf = true
                items.append(.typeOf(typeOf()))
            }
        }
        if depth < 3 {
            for child in entity.children where chance(4 + depth * 3) {
                guard let object = QueryModel.entity(child.object) else { continue }
                var query = SOQLQuery(self.items(object, depth: depth + 1), from: SOQLSource(SOQLPath([child.name])))
                if chance(2) { query.condition = filter(object) }
                query.order = order(object)
                cut(&query)
                items.append(.child(query))
            }
        }
        return items
    }

    private mutating func typeOf() -> SOQLTypeOf {
        var branches: [SOQLTypeOf.Branch] = []
        for name in ["Account", "Thing__c"] where !chance(3) || (name == "Thing__c" && branches.isEmpty) {
            guard let entity = QueryModel.entity(name) else { continue }
            let names = Set((0...int(3)).map { _ in one(entity.fields).name })
            branches.append(SOQLTypeOf.Branch(name, names.sorted().map { SOQLPath([$0]) }))
        }
        return SOQLTypeOf(
            SOQLPath(["Any__r"]), branches, otherwise: chance(2) ? [] : [SOQLPath(["Name"]), SOQLPath(["Id"])])
    }

    mutating func dateCall(_ entity: QueryModel.Entity) -> SOQLCall {
        let day = field(entity) { $0 == .day || $0 == .instant }
        let names = [
            "CALENDAR_YEAR", "CALENDAR_QUARTER", "CALENDAR_MONTH", "FISCAL_QUARTER", "DAY_IN_MONTH", "DAY_IN_YEAR",
            "DAY_IN_WEEK", "WEEK_IN_YEAR", "WEEK_IN_MONTH",
        ]
        if day.kind == .instant, chance(3) {
            let argument: SOQLCall.Argument =
                chance(2) ? .path(day.path) : .call(SOQLCall("convertTimezone", [.path(day.path)]))
            return SOQLCall(one(["HOUR_IN_DAY", "DAY_ONLY"]), [argument])
        }
        return SOQLCall(one(names), [.path(day.path)])
    }
}

extension QueryGenerator {
    // MARK: Groups

    private mutating func groups() -> SOQLQuery {
        let entity = entity()
        var keys: [SOQLOperand] = []
        var names: Set<String> = []
        for _ in 0..<int(4) {
            let path = field(entity, where: \.isGroupable).path
            let key: SOQLOperand = chance(4) ? .call(dateCall(entity)) : .path(SOQLPath(path.names))
            if case .path(let path) = key {
                // The response names keys as the schema does, so each name may occur only once.
                let last = path.last == path.last.lowercased() ? "Name" : path.last
                guard names.insert(last).inserted else { continue }
                keys.append(.path(SOQLPath(path.names.dropLast() + [last])))
            } else if names.insert("\(key)").inserted {
                keys.append(key)
            }
        }
        var items: [SOQLSelectItem] = []
        for key in keys where !chance(4) {
            switch key {
            case .path(let path): items.append(.path(path, alias: nil))
            case .call(let call): items.append(.call(call, alias: nil))
            }
        }
        let kind: SOQLGrouping.Kind = keys.isEmpty ? .plain : one([.plain, .plain, .rollup, .cube])
        if kind != .plain, case .path(let path) = keys[0] {
            items.append(.call(SOQLCall("GROUPING", [.path(path)]), alias: "isTotal"))
        }
        for number in 0...int(3) { items.append(.call(aggregate(entity), alias: chance(2) ? "n\(number)" : nil)) }
        var query = base(items, entity)
        if !keys.isEmpty { query.grouping = SOQLGrouping(kind, keys) }
        if !keys.isEmpty, chance(3) { query.having = having(entity, keys) }
        var sortable: [SOQLOperand] = keys + [.call(aggregate(entity))]
        for case .call(_, let alias?) in items { sortable.append(.path(SOQLPath([alias]))) }
        for _ in 0..<int(3) {
            query.order.append(SOQLSortKey(one(sortable), descending: chance(2), nulls: one([nil, .first, .last])))
        }
        cut(&query)
        return query
    }

    private mutating func aggregate(_ entity: QueryModel.Entity) -> SOQLCall {
        switch int(6) {
        case 0: return SOQLCall("COUNT", [.path(SOQLPath(["Id"]))])
        case 1, 2: return SOQLCall(one(["SUM", "AVG"]), [.path(field(entity, where: \.isNumber).path)])
        default:
            let path = field(entity) { ![.flag, .multi, .time].contains($0) }.path
            return SOQLCall(one(["COUNT", "COUNT_DISTINCT", "MIN", "MAX"]), [.path(path)])
        }
    }

    private mutating func having(_ entity: QueryModel.Entity, _ keys: [SOQLOperand]) -> SOQLCondition {
        let count = SOQLComparison(
            .call(SOQLCall("COUNT", [.path(SOQLPath(["Id"]))])),
            .compare(one([.greater, .equal, .notEqual, .lessOrEqual]), .number("\(int(5))")))
        guard chance(2), let key = keys.first, case .path = key else { return .comparison(count) }
        let present = SOQLComparison(key, .compare(one([.equal, .notEqual]), .null))
        return chance(2)
            ? .and([.comparison(count), .comparison(present)]) : .or([.comparison(present), .not(.comparison(count))])
    }
}
