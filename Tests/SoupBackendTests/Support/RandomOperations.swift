// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

/// Random operations, which are the same for the same seed.
struct RandomOperations {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }

    mutating func several<T>(_ counts: ClosedRange<Int>, _ make: (inout Self) -> T) -> [T] {
        (0..<Int.random(in: counts, using: &random)).map { _ in make(&self) }
    }

    mutating func soup() -> SoupName { chance(12) ? pick(["", "no", "a:b"]) : pick(["s", "s", "s", "t"]) }

    mutating func specs() -> [IndexSpec] {
        if chance(40) { return [] }
        if chance(40) { return [IndexSpec("a..b", .json1)] }
        var specs = [IndexSpec("k", pick([.string, .string, .integer, .floating, .json1]))]
        for path in ["n", "a.b", "a", "x"] as [JSONPath] where chance(2) { specs.append(IndexSpec(path, kind())) }
        for path in ["__local__", "__sync_id__", "__locally_deleted__"] as [JSONPath] where chance(2) {
            specs.append(IndexSpec(path, kind()))
        }
        if chance(8) { specs.append(IndexSpec("n", kind())) }
        if chance(4) { specs.append(IndexSpec("e", pick([.string, .integer, .floating]))) }
        return specs.shuffled(using: &random)
    }

    mutating func kind() -> IndexSpec.Kind { pick([.string, .integer, .floating, .json1]) }

    mutating func path() -> JSONPath {
        pick([
            "k", "k", "n", "n", "a.b", "a.b", "a", "x", "q", "a[0].b", "__local__", "_soupEntryId", "_soupCreatedDate",
        ])
    }

    /// Returns an operation, possibly on a soup that does not exist.
    mutating func operation() -> Operation {
        switch Int.random(in: 0..<24, using: &random) {
        case 0:
            let (soup, specs, reIndex) = (soup(), specs(), chance(2))
            return Operation("alter \(soup) \(specs) \(reIndex)") { store in
                try await store.alterSoup(soup, to: specs, reIndex: reIndex)
                return ["altered"]
            }
        case 1:
            let (soup, paths) = (soup(), several(0...3) { $0.path() })
            return Operation("reIndex \(soup) \(paths)") { store in
                try await store.reIndexSoup(soup, paths: paths)
                return ["done"]
            }
        case 2 where chance(6): return load()
        case 20: return migrate()
        case 21: return move()
        case 22: return replace()
        case 2..<6: return .transaction(several(2...4) { $0.step() }, ending: pick([.returning, .catching, .throwing]))
        default: return .transaction([step()], ending: .returning)
        }
    }

    /// Returns a load with a batch that is large enough to defer the indexes of an empty soup, and with calls before
    /// and after its end.
    private mutating func load() -> Operation {
        let records = several(110...110) { random in
            "{\"k\":\"\(Int.random(in: 0..<60, using: &random.random))\",\"n\":\(random.scalar())}"
        }
        let match: UpsertMatch = chance(2) ? .entryId : .path("k")
        let (during, after) = (several(1...3) { $0.step() }, several(1...2) { $0.step() })
        return Operation("load \(records) \(during.map(\.description)); \(after.map(\.description))") { store in
            await store.bulkLoad(true)
            var results: [String] = []
            let batch = RecordBatch(try records.map { try JSONText($0) })
            let upsert = Operation.Step("load") { "\(try $0.upsert(batch, into: "s", matching: match))" }
            results += await Operation.transaction([upsert], ending: .returning).run(on: store)
            results += await Operation.transaction(during, ending: .returning).run(on: store)
            await store.bulkLoad(false)
            return results + (await Operation.transaction(after, ending: .returning).run(on: store))
        }
    }

    private mutating func step() -> Operation.Step {
        switch Int.random(in: 0..<40, using: &random) {
        case 0, 1: register()
        case 2: clearOrRemove()
        case 3: retrieve()
        case 4..<15: upsert()
        case 15..<19: stampEntries()
        case 19, 20: delete()
        case 21: deleteByQuery()
        case 22, 23: lookup()
        case 24: cleanValues()
        case 25: setSyncedCopies()
        default: query()
        }
    }

    mutating func register(_ soup: SoupName? = nil) -> Operation.Step {
        let (soup, specs) = (soup ?? self.soup(), specs())
        return Operation.Step("register \(soup) \(specs)") { writer in
            try writer.registerSoup(soup, specs)
            return "registered"
        }
    }

    private mutating func clearOrRemove() -> Operation.Step {
        let (soup, removes) = (soup(), chance(3))
        return Operation.Step("\(removes ? "remove" : "clear") \(soup)") { writer in
            if removes { try writer.removeSoup(soup) } else { try writer.clearSoup(soup) }
            return "done"
        }
    }

    private mutating func upsert() -> Operation.Step {
        let soup = soup()
        let match: UpsertMatch =
            chance(3) ? .entryId : .path(chance(4) ? path() : pick(["k", "k", "k", "_soupEntryId"]))
        let records = several(0...5) { $0.record() }
        let stamp = chance(2) ? RecordBatch.Stamp.none : self.stamp()
        let stamps = chance(4) ? records.map { _ in self.stamp() } : []
        let guarding = pick([WriteGuard.none, .none, .dirty, .dirtySince(Int64.random(in: 990...1030, using: &random))])
        let bytes = records.map { Array($0.utf8) }
        var ranges: [Range<Int>] = []
        for record in bytes {
            ranges.append((ranges.last?.upperBound ?? 0)..<(ranges.last?.upperBound ?? 0) + record.count)
        }
        let batch = RecordBatch(bytes: bytes.flatMap { $0 }, ranges: ranges, stamps: stamps)
        return Operation.Step(
            "upsert \(soup) \(match) \(records) \(stamp.members) \(stamps.map(\.members)) \(guarding)"
        ) {
            let results = try $0.upsert(batch, into: soup, matching: match, stamping: stamp, guarding: guarding)
            return results.map { "\($0.outcome) \($0.id)@\($0.version) \($0.replacesLocalChanges)" }.joined(
                separator: ", ")
        }
    }

    private mutating func stampEntries() -> Operation.Step {
        let soup = soup()
        let stamps = several(0...3) { random in
            EntryStamp(
                id: random.id(), stamp: random.stamp(), ifVersion: random.version(),
                otherwise: random.chance(2) ? .none : random.stamp())
        }
        return Operation.Step("stamp \(soup) \(stamps)") { "\(try $0.stamp(stamps, in: soup))" }
    }

    private mutating func setSyncedCopies() -> Operation.Step {
        let soup = soup()
        let copies = Dictionary(
            several(0...3) { ($0.id(), JSONText(trusted: Array(#"{"copy":\#($0.id())}"#.utf8)[...])) },
            uniquingKeysWith: { first, _ in first })
        return Operation.Step("set copies \(soup) \(copies)") {
            try $0.setSyncedCopies(copies, in: soup)
            return "done"
        }
    }

    private mutating func delete() -> Operation.Step {
        let soup = soup()
        let deletions = several(0...3) { EntryRemoval(id: $0.id(), ifVersion: $0.version()) }
        return Operation.Step("delete \(soup) \(deletions)") { "\(try $0.remove(deletions, from: soup))" }
    }

    /// Returns a removal by query, in an order without ties, so that the entries of the page are defined.
    private mutating func deleteByQuery() -> Operation.Step {
        var (spec, soup) = (self.spec(), soup())
        if chance(10) { soup = "t" } else { spec.soup = soup }
        spec.orderPath = "_soupEntryId"
        return Operation.Step("delete from \(soup) \(spec)") { [spec, soup] in
            "\(try $0.remove(matching: spec, from: soup))"
        }
    }

    private mutating func retrieve() -> Operation.Step {
        let (soup, ids) = (soup(), several(0...4) { $0.id() })
        return Operation.Step("retrieve \(soup) \(ids)") { writer in
            try writer.retrieve(ids, from: soup).map { "\($0.id)@\($0.version) \($0.json)" }.joined(
                separator: ", ")
        }
    }

    private mutating func lookup() -> Operation.Step {
        let (soup, path, key) = (soup(), path(), key())
        return Operation.Step("lookup \(soup) \(path) \(key)") { writer in
            (try writer.lookup(key, at: path, in: soup)).map(String.init) ?? "nil"
        }
    }

    private mutating func cleanValues() -> Operation.Step {
        let (soup, path, sync) = (soup(), path(), pick([nil, 1, 2] as [Int64?]))
        return Operation.Step("cleanValues \(soup) \(path) \(sync ?? 0)") { writer in
            "\(try writer.cleanValues(at: path, in: soup, writtenBy: sync))"
        }
    }

    private mutating func query() -> Operation.Step {
        let (spec, arguments) = (spec(), chance(40) ? [JSONValue.int(1)] : [])
        return Operation.Step("query \(spec)") { try QueryOutcome(spec, arguments: arguments, from: $0).text }
    }

    private mutating func spec() -> QuerySpec {
        let kind: QuerySpec.Kind =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .all
            case 1: .exact(path: "__local__", key: pick([true, false, 1, 0, "1", "0", "true", "x", 1.0]))
            case 2..<4: .exact(path: path(), key: key())
            case 4, 5: .range(path: path(), begin: chance(3) ? nil : key(), end: chance(3) ? nil : key())
            default: .like(path: path(), key: pick(Self.patterns))
            }
        return QuerySpec(
            kind, soup: chance(60) ? nil : soup(), selectPaths: chance(3) ? several(0...3) { $0.path() } + ["k"] : nil,
            orderPath: chance(3) ? nil : path(), order: chance(2) ? .ascending : .descending,
            pageSize: pick([1, 2, 10, 100]))
    }
}
