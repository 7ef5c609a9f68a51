// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import HTTPTypes
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// The table of routes is complete, unambiguous, and the only access to a resource.
@Suite struct RoutesTests {
    // MARK: The table

    @Test func `No route hides a later one`() {
        // These accept only some of the paths that their patterns match.
        let conditional = ["PasswordHandler", "RelationshipHandler", "SOAPLoginHandler", "BulkQueryPagesHandler"]
        for (index, resource) in Routes.all.enumerated() where !conditional.contains(resource.handler) {
            for later in Routes.all.dropFirst(index + 1) {
                #expect(
                    !resource.pattern.covers(later.pattern), "\(resource.pattern.text) hides \(later.pattern.text)")
            }
        }
    }

    @Test func `A resource has each verb once`() {
        for resource in Routes.all {
            #expect(Set(resource.allMethods).count == resource.allMethods.count, "\(resource.pattern.text)")
            #expect(!resource.methods.isEmpty, "\(resource.pattern.text)")
        }
        #expect(Set(LocalOrg.routes).count == LocalOrg.routes.count)
    }

    @Test func `Patterns name, fold and cover segments`() {
        let row = PathPattern("/a/{object}/{id}")
        #expect(row.match(["a", "b", "c"])?["id"] == "c")
        #expect(row.match(["a", "b"]) == nil && row.match(["a", "b", "c", "d"]) == nil)
        let rest = PathPattern("/a/{names...}")
        #expect(rest.match(["a"]) == nil && rest.match(["a", "b", "c"])?.rest == ["b", "c"])
        let folded = PathPattern("/a/Results", ignoresCase: true)
        #expect(folded.match(["a", "results"]) != nil && folded.match(["A", "Results"]) == nil)
        #expect(PathPattern("/a/Results").match(["a", "results"]) == nil)
        #expect(row.covers(PathPattern("/a/{b}/c")) && !PathPattern("/a/{b}/c").covers(row))
        #expect(rest.covers(row) && !row.covers(rest))
        #expect(PathPattern("/").match([]) != nil)
    }

    /// The resources that the specification of the org names, with their verbs.
    private static let documented: [(String, String)] = [
        ("GET", "/"), ("GET", "/services/data"), ("GET", "/services/data/v60.0"), ("GET", "limits"),
        ("GET", "limits/recordCount"), ("GET", "recent"), ("GET", "sobjects"), ("GET", "sobjects/Account"),
        ("POST", "sobjects/Account"), ("GET", "sobjects/Account/describe"),
        ("GET", "sobjects/Account/describe/layouts"), ("GET", "sobjects/Account/describe/layouts/012000000000000AAA"),
        ("GET", "sobjects/Account/describe/compactLayouts"), ("GET", "sobjects/Account/001000000000001AAA"),
        ("HEAD", "sobjects/Account/001000000000001AAA"), ("PATCH", "sobjects/Account/001000000000001AAA"),
        ("DELETE", "sobjects/Account/001000000000001AAA"), ("POST", "sobjects/Account/Id"),
        ("GET", "sobjects/Lead/Legacy__c/L1"), ("PATCH", "sobjects/Lead/Legacy__c/L1"),
        ("DELETE", "sobjects/Lead/Legacy__c/L1"), ("PATCH", "sobjects/Account/Id/001000000000001AAA"),
        ("GET", "sobjects/Contact/003000000000001AAA/Account"), ("GET", "sobjects/Account/updated"),
        ("GET", "sobjects/Account/deleted"), ("GET", "sobjects/User/005000000000001AAA/password"),
        ("POST", "sobjects/User/005000000000001AAA/password"), ("DELETE", "sobjects/User/005000000000001AAA/password"),
        ("GET", "query"), ("GET", "queryAll"), ("GET", "query/01g000000000001AAA-200"),
        ("GET", "queryAll/01g000000000001AAA-200"), ("GET", "search"), ("GET", "search/scopeOrder"),
        ("GET", "search/layout"), ("GET", "parameterizedSearch"), ("POST", "parameterizedSearch"),
        ("POST", "composite"), ("POST", "composite/batch"), ("POST", "composite/graph"),
        ("POST", "composite/tree/Account"), ("POST", "composite/sobjects"), ("PATCH", "composite/sobjects"),
        ("DELETE", "composite/sobjects"), ("GET", "composite/sobjects/Account"),
        ("POST", "composite/sobjects/Account"), ("PATCH", "composite/sobjects/Lead/Legacy__c"),
        ("GET", "jobs/query"), ("POST", "jobs/query"), ("GET", "jobs/query/J"), ("PATCH", "jobs/query/J"),
        ("DELETE", "jobs/query/J"), ("GET", "jobs/query/J/results"), ("GET", "jobs/query/J/resultPages"),
        ("GET", "jobs/ingest"), ("POST", "jobs/ingest"), ("GET", "jobs/ingest/J"), ("PATCH", "jobs/ingest/J"),
        ("DELETE", "jobs/ingest/J"), ("PUT", "jobs/ingest/J/batches"), ("GET", "jobs/ingest/J/successfulResults"),
        ("GET", "jobs/ingest/J/failedResults"), ("GET", "jobs/ingest/J/unprocessedrecords"),
        ("GET", "tooling/query"), ("GET", "connect/briefcase/priming-records"), ("GET", "ui-api/layout/Account"),
        ("GET", "ui-api/object-info"), ("GET", "ui-api/object-info/Account"),
        ("GET", "ui-api/object-info/batch/Account,Contact"),
        ("GET", "ui-api/object-info/Account/picklist-values/012000000000000AAA"),
        ("GET", "ui-api/object-info/Account/picklist-values/012000000000000AAA/Industry"),
        ("GET", "ui-api/records/001000000000001AAA"), ("GET", "ui-api/records/batch/001000000000001AAA"),
        ("POST", "/services/oauth2/token"), ("GET", "/services/oauth2/authorize"), ("POST", "/services/oauth2/revoke"),
        ("POST", "/services/oauth2/introspect"), ("GET", "/services/oauth2/userinfo"),
        ("POST", "/services/oauth2/singleaccess"), ("POST", "/services/Soap/u/59.0"), ("POST", "/services/Soap/c/59.0"),
        ("GET", "/id/00D000000000001EAA/005000000000001AAA"), ("POST", "/services/async/60.0/job"),
        ("GET", "/services/async/60.0/job/J"), ("POST", "/services/async/60.0/job/J"),
        ("POST", "/services/async/60.0/job/J/batch"), ("GET", "/services/async/60.0/job/J/batch"),
        ("GET", "/services/async/60.0/job/J/batch/B"), ("GET", "/services/async/60.0/job/J/batch/B/request"),
        ("GET", "/services/async/60.0/job/J/batch/B/result"), ("GET", "/services/async/60.0/job/J/batch/B/result/R"),
        ("POST", "/_emu/reset"), ("POST", "/_emu/edit"), ("POST", "/_emu/undelete"), ("POST", "/_emu/purge"),
        ("GET", "/_emu/state/Account"), ("GET", "/_emu/journal"), ("POST", "/_emu/clock"),
        ("POST", "/_emu/tokens/expire"), ("GET", "/_emu/options"), ("POST", "/_emu/options"),
        ("POST", "/_emu/snapshot"), ("POST", "/_emu/restore"), ("POST", "/_emu/schema"), ("GET", "/_emu/schema"),
        ("POST", "/_emu/faults"), ("GET", "/_emu/faults"), ("DELETE", "/_emu/faults"), ("GET", "/_emu/health"),
    ]

    @Test func `Every documented resource has a route`() {
        for (method, path) in Self.documented {
            let url = path.hasPrefix("/") ? path : "/services/data/v60.0/\(path)"
            let segments = OrgRequest(method: method, url: url).segments
            let resource = Routes.all.first { !$0.isFallback && $0.pattern.match(segments) != nil }
            #expect(
                resource.map { $0.allMethods.contains(method) || $0.allMethods == ["*"] } == true, "\(method) \(path)")
        }
    }

    // MARK: The answers

    /// An org with a job of each kind, and the values for the named segments of the patterns.
    private struct Fixture {
        let client: OrgClient
        var values: [String: String] = [:]
        var classicJob = ""

        init() async throws {
            var options = OrgOptions()
            options.admin = true
            client = try OrgClient(options: options)
            values = [
                "object": "Account", "id": client.org.id(of: "acc1") ?? "", "relationships...": "Owner", "field": "Id",
                "value": client.org.id(of: "acc1") ?? "", "locator": "none", "recordType": "012000000000000AAA",
                "api": "u", "organization": "00D000000000001EAA", "user": client.org.id(of: "me") ?? "",
                "objects": "Account,Contact", "ids": client.org.id(of: "acc1") ?? "",
            ]
            let query: JSONValue = ["operation": "query", "query": "SELECT Id FROM Account"]
            values["query"] = try await client.json(.post, "jobs/query", body: query).id?.stringValue
            let ingest: JSONValue = ["operation": "insert", "object": "Account"]
            values["ingest"] = try await client.json(.post, "jobs/ingest", body: ingest).id?.stringValue
            let base = "/services/async/60.0/job"
            let classic = try await client.send(
                .post, base, text: #"{"operation": "query", "object": "Account", "contentType": "JSON"}"#,
                type: "application/json")
            classicJob = try JSONValue(parsing: classic.body).id?.stringValue ?? ""
            let batch = try await client.send(
                .post, "\(base)/\(classicJob)/batch", bytes: Array("SELECT Id FROM Account".utf8),
                headers: ["Content-Type": "application/json"])
            values["batch"] = try JSONValue(parsing: batch.body).id?.stringValue
            let results = try await client.json(.get, "\(base)/\(classicJob)/batch/\(values["batch"] ?? "")/result")
            values["result"] = results[0]?.stringValue
        }

        /// Returns a path that matches a pattern and names things that exist.
        func path(_ pattern: String) -> String {
            var values = values
            if pattern.contains("/password") {
                values["object"] = "User"
                values["id"] = values["user"]
            }
            if pattern.contains("picklist-values") { values["field"] = "Industry" }
            values["job"] =
                pattern.contains("/async/")
                ? classicJob : pattern.contains("/ingest/") ? values["ingest"] : values["query"]
            values["version"] = pattern.hasPrefix("/services/data") ? "v60.0" : "60.0"
            var path = pattern
            for (name, value) in values {
                path = path.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: value)
            }
            return path
        }

        func send(_ method: String, _ path: String) async throws -> HTTPAnswer {
            let method = try #require(HTTPRequest.Method(method))
            let headers: HTTPFields = [.contentType: "application/json"]
            return try await client.org.authorizedTransport.send(
                HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers), body: nil)
        }
    }

    @Test func `Every route answers`() async throws {
        for route in LocalOrg.routes {
            // A new org for each: some routes end jobs, tokens and records.
            let fixture = try await Fixture()
            let path = fixture.path(route.path)
            #expect(!path.contains("{"), "\(path)")
            let answer = try await fixture.send(route.method == "*" ? "GET" : route.method, path)
            let text = String(decoding: answer.body, as: UTF8.self)
            let isUnknown = text.contains("NOT_FOUND") || text.contains("InvalidUrl") || answer.status == 405
            #expect(
                !isUnknown && (answer.status != 500 || path.contains("/Soap/")),
                "\(route.method) \(path): \(answer.status) \(text.prefix(200))")
        }
    }

    @Test func `Each route answers by its own handler`() async throws {
        let fixture = try await Fixture()
        fixture.client.org.core.withLock { core in
            core.queue.inDatabase { db in
                let context = OrgContext(org: core, db: db, userId: core.definition.caller.id)
                for resource in Routes.all where !resource.isFallback {
                    let request = OrgRequest(method: "GET", url: fixture.path(resource.pattern.text))
                    let found = Routes.all.first { $0.match(request, in: context) != nil }
                    #expect(found?.pattern.text == resource.pattern.text, "\(request.url)")
                }
            }
        }
    }

    @Test func `A verb that a resource lacks gets 405`() async throws {
        let fixture = try await Fixture()
        for resource in Routes.all where !resource.allMethods.contains("*") && !resource.isFallback {
            let path = fixture.path(resource.pattern.text)
            let answer = try await fixture.send("LINK", path)
            #expect(answer.status == 405, "\(path): \(answer.status)")
            let allow = answer.response.headerFields[.allow]
            let isClassic = path.hasPrefix("/services/async")
            #expect(allow == (isClassic ? nil : resource.methods.joined(separator: ",")), "\(path)")
        }
    }

    @Test(arguments: [
        "/services/data/v60.0/nothing", "/services/data/v60.0/sobjects/Nothing", "/nothing", "/services",
        "/services/data/v60.0/query/a/b", "/services/Soap/x/60.0", "/services/oauth2/nothing", "/_emu/nothing",
        "/services/data/v60.0/limits/nothing", "/services/data/v60.0/ui-api/nothing", "/id/a",
    ])
    func `A path without a route gets 404`(_ path: String) async throws {
        let fixture = try await Fixture()
        let answer = try await fixture.send("GET", path)
        #expect(answer.status == 404)
        #expect(try JSONValue(parsing: answer.body)[0]?.errorCode == "NOT_FOUND")
    }

    @Test func `Administration needs the option`() async throws {
        let client = try OrgClient()
        for route in LocalOrg.routes where route.path.hasPrefix("/_emu") {
            #expect(try await client.send(.get, route.path).status == 404, "\(route.path)")
        }
    }
}
