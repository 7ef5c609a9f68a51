// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupLocalOrg

@Suite struct BulkIngestTests {
    let visits = [("Visit__c", ["Name", "External_Id__c", "Status__c", "Notes__c"])]
    let accounts = [("Account", ["Name", "Rating", "ParentId"])]
    let upsert: JSONValue = [
        "operation": "upsert", "object": "visit__c", "externalIdFieldName": "External_Id__c", "contentType": "CSV",
        "lineEnding": "LF", "columnDelimiter": "COMMA",
    ]

    @Test func `A job has all properties`() async throws {
        let client = try OrgClient()
        let job = try await client.json(.post, "jobs/ingest", body: upsert)
        #expect(
            job == [
                "id": "750000000000001AAA", "operation": "upsert", "object": "Visit__c",
                "createdById": .string(client.org.id(of: "me") ?? ""), "createdDate": "2024-01-15T12:05:00.000+0000",
                "systemModstamp": "2024-01-15T12:05:00.000+0000", "state": "Open", "concurrencyMode": "Parallel",
                "contentType": "CSV", "apiVersion": 60, "externalIdFieldName": "External_Id__c", "jobType": "V2Ingest",
                "contentUrl": "services/data/v60.0/jobs/ingest/750000000000001AAA/batches", "lineEnding": "LF",
                "columnDelimiter": "COMMA",
            ])
    }

    @Test func `Rows succeed and fail independently`() async throws {
        let client = try OrgClient()
        let lines = [
            "External_Id__c,Status__c,Notes__c,Version__c", "V/1,Done,#N/A,7", #"V/7,,"two"#, #"""lines""","#,
            "V/8,Bogus,,", ",Done,,", "",
        ]
        let job = try await client.ingest(upsert, lines.joined(separator: "\n"))
        #expect(job.state == "JobComplete" && job.numberRecordsProcessed == 4 && job.numberRecordsFailed == 2)
        #expect(
            try client.state(visits) == """
                Visit__c V-00001 V/1 Done null
                Visit__c V-00002 V/7 Planned two
                "lines"
                """)
        let ids = try client.org.state(of: "Visit__c").compactMap { $0["Id"]?.stringValue }
        let header = #""External_Id__c","Status__c","Notes__c","Version__c""#
        let successful = [
            #""sf__Id","sf__Created","# + header, "\"\(ids[0])\",\"false\",\"V/1\",\"Done\",\"#N/A\",\"7\"",
            "\"\(ids[1])\",\"true\",\"V/7\",\"\",\"two", #"""lines""","""#, "",
        ]
        #expect(try await client.results(job, "successfulResults") == successful.joined(separator: "\n"))
        let failed = [
            #""sf__Id","sf__Error","# + header,
            #""","INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST:Status: bad value for restricted picklist field: Bogus"#
                + #":Status__c --","V/8","Bogus","","""#,
            #""","MISSING_ARGUMENT:External_Id__c not specified:--","","Done","","""#, "",
        ]
        #expect(try await client.results(job, "failedResults") == failed.joined(separator: "\n"))
        #expect(try await client.results(job, "unprocessedrecords") == header + "\n")
    }

    @Test func `Fields are read as their types`() async throws {
        let client = try OrgClient()
        let acme = client.org.id(of: "acc1") ?? ""
        let insert: JSONValue = ["operation": "insert", "object": "Contact"]
        let job = try await client.ingest(
            insert, "LastName,Birthdate,AccountId\nA,1990-02-03,\(acme.prefix(15))\nB,soon,\nC,,\(acme)\n")
        #expect(job.numberRecordsFailed == 1)
        let failed = try await client.results(job, "failedResults")
        #expect(
            failed.contains(
                #""INVALID_TYPE_ON_FIELD_IN_RECORD:Birthdate: value not of required type: soon:Birthdate --""#))
        #expect(
            try await client.values("SELECT LastName FROM Contact WHERE AccountId = '\(acme)' ORDER BY LastName")
                == ["A", "C", "Ng", "Smith"])
    }

    @Test func `Parents are referred to by external ID`() async throws {
        let client = try OrgClient()
        let insert: JSONValue = ["operation": "insert", "object": "Visit_Item__c"]
        let job = try await client.ingest(
            insert, "External_Id__c,Visit__r.External_Id__c\nI-8,v/1\nI-9,V/404\n")
        #expect(job.numberRecordsFailed == 1)
        #expect(
            try await client.results(job, "failedResults").contains(
                "INVALID_FIELD:Foreign key external ID: V/404 not found for field External_Id__c in entity Visit__c:--")
        )
        #expect(
            try await client.values("SELECT External_Id__c FROM Visit_Item__c WHERE Visit__r.External_Id__c = 'V/1'")
                == ["I-1", "I-2", "I-8"])
    }

    @Test func `A polymorphic reference names the object`() async throws {
        let client = try OrgClient()
        let insert: JSONValue = ["operation": "insert", "object": "Task"]
        let job = try await client.ingest(insert, "Subject,Contact:Who.Email\nCall,ANA@example.org\n")
        #expect(job.numberRecordsFailed == 0 && job.numberRecordsProcessed == 1)
        #expect(try await client.values("SELECT WhoId FROM Task") == [.string(client.org.id(of: "con1") ?? "")])
    }

    @Test(arguments: [
        ("Nope,Name\n,A\n", "InvalidBatch : Field name not found : Nope"),
        ("Nope.Name,Name\n,A\n", "InvalidBatch : Field name not found : Nope.Name"),
        ("User:Nope.Name,Name\n,A\n", "InvalidBatch : Unable to find relationship: Nope"),
        (
            "User:Owner.Username,Name\n,A\n",
            "InvalidBatch : type is not needed for non polymorphic foreign key references: Owner"
        ),
        ("Name,name\nA,B\n", "InvalidBatch : Duplicate field name : name"),
        ("Name\nA\n\"B", "InvalidBatch : Failed to parse the CSV in line 3: a quote is not closed"),
        ("Name,Rating\nA,Hot\nB\n", "InvalidBatch : The record in line 3 has 1 fields, the header has 2"),
        ("Name\r\nA\r\n", "ClientInputError : LineEnding is invalid on user data. Current LineEnding setting is LF"),
    ])
    func `A malformed file changes nothing`(_ csv: String, _ message: String) async throws {
        let client = try OrgClient()
        let before = try client.state(accounts)
        let job = try await client.ingest(["operation": "insert", "object": "Account"], csv)
        #expect(job.state == "Failed" && job.errorMessage == .string(message))
        #expect(job.numberRecordsProcessed == 0)
        #expect(try client.state(accounts) == before)
        #expect(try await client.results(job, "successfulResults") == "")
        #expect(try await client.results(job, "unprocessedrecords").isEmpty == false)
    }

    @Test func `The file must have the job's format`() async throws {
        let client = try OrgClient()
        for (name, byte) in CSVFormat.delimiters {
            let delimiter = String(decoding: [byte], as: UTF8.self)
            let job = try await client.ingest(
                ["operation": "insert", "object": "Account", "columnDelimiter": .string(name), "lineEnding": "CRLF"],
                "\u{FEFF}Name\(delimiter)Rating\r\n\"a\(delimiter)b\"\(delimiter)Hot\r\n")
            #expect(job.state == "JobComplete" && job.numberRecordsFailed == 0, "\(name)")
            let id = try client.org.state(of: "Account").last?["Id"]?.stringValue ?? ""
            #expect(
                try await client.results(job, "successfulResults")
                    == [
                        "\"sf__Id\"\(delimiter)\"sf__Created\"\(delimiter)\"Name\"\(delimiter)\"Rating\"\r\n",
                        "\"\(id)\"\(delimiter)\"true\"\(delimiter)\"a\(delimiter)b\"\(delimiter)\"Hot\"\r\n",
                    ].joined(), "\(name)")
        }
    }

    @Test func `Deletes are soft unless they are hard`() async throws {
        let client = try OrgClient()
        let objects = [("Contact", ["LastName"]), ("Account", ["Name"])]
        func id(_ key: String) -> String { client.org.id(of: key) ?? "" }
        let job = try await client.ingest(
            ["operation": "delete", "object": "Contact"], "Id\n\(id("con1"))\n\(id("con1"))\nbogus\n")
        #expect(job.numberRecordsProcessed == 3 && job.numberRecordsFailed == 2)
        let failed = try await client.results(job, "failedResults")
        #expect(failed.contains("\"\(id("con1"))\",\"ENTITY_IS_DELETED:entity is deleted:--\""))
        #expect(failed.contains("\"MALFORMED_ID:"))
        let hard = try await client.ingest(
            ["operation": "hardDelete", "object": "Account"], "Id\n\(id("acc1"))\n\(id("delAcc"))\n")
        #expect(hard.numberRecordsFailed == 0)
        #expect(
            try client.state(objects) == """
                [Contact Ng]
                Contact Orphan
                Account Globex
                Account O'Neil 100%_x
                """)
        let wide = try await client.ingest(
            ["operation": "delete", "object": "Contact"], "Id,LastName\n\(id("con3")),x\n")
        #expect(wide.errorMessage == "InvalidBatch : The 'delete' batch must contain only ids")
    }

    @Test func `A job and its data may be in one body`() async throws {
        let client = try OrgClient()
        func body(_ end: String) -> String {
            "--x\r\nContent-Type: application/json\r\nContent-Disposition: form-data; name=\"job\"\r\n\r\n"
                + "{\"object\": \"Account\", \"operation\": \"insert\"}\r\n--x\r\nContent-Type: text/csv\r\n"
                + "Content-Disposition: form-data; name=\"content\"; filename=\"c\"\r\n\r\nName\nOne\nTwo\n\r\n\(end)"
        }
        let type = "multipart/form-data; boundary=\"x\""
        let made = try await client.send(.post, "jobs/ingest", text: body("--x--\r\n"), type: type)
        let job = try JSONValue(parsing: made.body)
        #expect(job.state == "UploadComplete")
        #expect(try await client.json(.get, "jobs/ingest/\(job.id?.stringValue ?? "")").numberRecordsProcessed == 2)
        #expect(try client.state([("Account", ["Name"])]).hasSuffix("Account One\nAccount Two"))
        #expect(try await client.send(.post, "jobs/ingest", text: body(""), type: type).status == 400)
        #expect(try await client.send(.post, "jobs/ingest", text: "no", type: type).status == 400)
    }

    @Test func `A job changes only to a possible state`() async throws {
        let client = try OrgClient()
        let job = try await client.json(.post, "jobs/ingest", body: upsert).id?.stringValue ?? ""
        for body: JSONValue in [[:], ["state": 7], ["state": nil]] {
            let refused = try await client.send(.patch, "jobs/ingest/\(job)", body: body)
            #expect(refused.status == 400)
            #expect(
                try JSONValue(parsing: refused.body) == [
                    [
                        "message": "The request has no state: a job can be made UploadComplete or Aborted",
                        "errorCode": "INVALIDJOB",
                    ]
                ])
        }
        for state in ["InProgress", "JobComplete", "uploadcomplete"] {
            let refused = try await client.json(.patch, "jobs/ingest/\(job)", body: ["state": .string(state)])
            #expect(
                client.code(refused) == "INVALIDJOBSTATE" && refused[0]?.message?.stringValue?.contains(state) == true)
        }
        #expect(try await client.json(.get, "jobs/ingest/\(job)").state == "Open")
        let query = try await client.json(
            .post, "jobs/query", body: ["operation": "query", "query": "SELECT Id FROM Account"])
        let refused = try await client.json(
            .patch, "jobs/query/\(query.id?.stringValue ?? "")", body: ["state": "UploadComplete"])
        #expect(refused[0]?.message?.stringValue?.hasSuffix("it can be made Aborted") == true)
    }

    @Test func `Jobs are listed by their type`() async throws {
        let client = try OrgClient()
        let job = try await client.json(.post, "jobs/ingest", body: upsert).id
        _ = try await client.json(.post, "jobs/query", body: ["operation": "query", "query": "SELECT Id FROM Account"])
        #expect(try await client.json(.get, "jobs/ingest?jobType=V2Ingest").records?.arrayValue?.map { $0.id } == [job])
        #expect(try await client.json(.get, "jobs/ingest?jobType=Classic").records == [])
        #expect(try await client.json(.get, "jobs/ingest").records?.arrayValue?.map { $0.id } == [job])
    }

    @Test func `Invalid jobs are rejected`() async throws {
        let client = try OrgClient()
        let bodies: [JSONValue] = [
            [], [:], ["operation": "insert"], ["operation": "query", "object": "Account"],
            ["operation": "insert", "object": "Nope"], ["operation": "upsert", "object": "Account"],
            ["operation": "upsert", "object": "Account", "externalIdFieldName": "Name"],
            ["operation": "insert", "object": "Account", "columnDelimiter": "COLON"],
            ["operation": "insert", "object": "Account", "lineEnding": "CR"],
            ["operation": "insert", "object": "Account", "contentType": "JSON"],
        ]
        for body in bodies { #expect(try await client.send(.post, "jobs/ingest", body: body).status == 400, "\(body)") }
        #expect(try await client.json(.get, "jobs/ingest").records == [])
        #expect(try await client.send(.get, "jobs/ingest/750000000000001AAA").status == 404)
        #expect(try await client.send(.get, "jobs/nope").status == 404)
    }
}
