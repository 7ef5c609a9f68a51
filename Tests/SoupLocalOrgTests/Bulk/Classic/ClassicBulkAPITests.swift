// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupLocalOrg

@Suite struct ClassicBulkAPITests: ClassicBulkRequests {
    @Test func `A job has all properties in XML`() async throws {
        let client = try OrgClient()
        let made = try await post(
            client, "", body: jobInfo("upsert", "Contact", members: "<externalIdFieldName>Id</externalIdFieldName>"),
            type: "application/xml; charset=UTF-8")
        #expect(made.status == 201 && made.header("Content-Type") == "application/xml")
        #expect(
            made.text == """
                <?xml version="1.0" encoding="UTF-8"?><jobInfo xmlns="http://www.force.com/2009/06/asyncapi/dataload">\
                <id>750000000000001AAA</id><operation>upsert</operation><object>Contact</object>\
                <createdById>\(client.org.id(of: "me") ?? "")</createdById>\
                <createdDate>2024-01-15T12:05:00.000Z</createdDate>\
                <systemModstamp>2024-01-15T12:05:00.000Z</systemModstamp><state>Open</state>\
                <externalIdFieldName>Id</externalIdFieldName><concurrencyMode>Parallel</concurrencyMode>\
                <contentType>CSV</contentType><numberBatchesQueued>0</numberBatchesQueued>\
                <numberBatchesInProgress>0</numberBatchesInProgress><numberBatchesCompleted>0</numberBatchesCompleted>\
                <numberBatchesFailed>0</numberBatchesFailed><numberBatchesTotal>0</numberBatchesTotal>\
                <numberRecordsProcessed>0</numberRecordsProcessed><numberRetries>0</numberRetries>\
                <apiVersion>60.0</apiVersion><numberRecordsFailed>0</numberRecordsFailed>\
                <totalProcessingTime>0</totalProcessingTime><apiActiveProcessingTime>0</apiActiveProcessingTime>\
                <apexProcessingTime>0</apexProcessingTime></jobInfo>
                """)
    }

    /// The requests of CumulusCI for a mapping step.
    @Test func `Records are read from CSV`() async throws {
        let client = try OrgClient()
        let job = try id(
            await post(
                client, "", body: jobInfo("insert", "Contact", members: "<concurrencyMode>Parallel</concurrencyMode>"),
                type: "application/xml; charset=UTF-8"))
        let batch = try await post(
            client, "/\(job)/batch",
            body: "\"LastName\",\"Email\",\"AccountId\"\r\n\"One\",\"1@b.org\",\"\"\r\n\"\",\"\",\"\"\r\n",
            type: "text/csv; charset=UTF-8")
        #expect(batch.status == 201 && batch.header("Content-Type") == "application/xml")
        #expect(try XMLElement.parse(batch.body).first("state")?.text == "Queued")
        let batchId = try id(batch)
        let closed = try await post(
            client, "/\(job)", body: "<jobInfo xmlns=\"\(ClassicFormat.namespace)\"><state>Closed</state></jobInfo>",
            type: "application/xml; charset=UTF-8")
        #expect(closed.status == 200)
        let list = try XMLElement.parse(await get(client, "/\(job)/batch").body)
        #expect(list.name == "batchInfoList" && list.elements.map { $0.first("state")?.text } == ["Completed"])
        #expect(list.descendant("numberRecordsProcessed")?.text == "2")
        #expect(list.descendant("numberRecordsFailed")?.text == "1")
        let info = try XMLElement.parse(await get(client, "/\(job)").body)
        #expect(info.first("numberBatchesCompleted")?.text == "1" && info.first("state")?.text == "Closed")
        let result = try await get(client, "/\(job)/batch/\(batchId)/result")
        #expect(result.header("Content-Type") == "text/csv")
        let made = try client.org.state(of: "Contact").last?["Id"]?.stringValue ?? ""
        #expect(
            result.text == """
                "Id","Success","Created","Error"
                "\(made)","true","true",""
                "","false","false","REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"

                """)
        #expect(try await get(client, "/\(job)/batch/\(batchId)/request").text.hasPrefix("\"LastName\",\"Email\""))
        #expect(try client.state(contacts).hasSuffix("Contact Orphan null\nContact One 1@b.org"))
        let late = try await post(client, "/\(job)/batch", body: "LastName\nTwo\n", type: "text/csv")
        #expect(late.status == 400 && late.text.contains("<exceptionCode>InvalidJobState</exceptionCode>"))
    }

    /// The requests of simple-salesforce.
    @Test func `Records are read from JSON`() async throws {
        let client = try OrgClient()
        func json(_ answer: HTTPAnswer) throws -> JSONValue {
            #expect(answer.header("Content-Type") == "application/json")
            return try JSONValue(parsing: answer.body)
        }
        let job = try json(
            await post(
                client, "",
                body: #"{"operation": "upsert", "object": "Contact", "concurrencyMode": 1, "contentType": "JSON", "#
                    + #""externalIdFieldName": "Email"}"#, type: "application/json"))
        #expect(job.state == "Open" && job.concurrencyMode == "Serial" && job.apiVersion == 60)
        let path = "/\(job.id?.stringValue ?? "")"
        let records = #"""
            [{"attributes": {"type": "Contact"}, "Email": "ANA@example.org", "FirstName": null, "Department": "X"},
             {"Email": "new@example.org", "LastName": "New", "Owner": {"Username": "demo@example.org"}}, {"Email": "bad"}]
            """#
        let batch = try json(await post(client, "\(path)/batch", body: records, type: "application/json"))
        #expect(batch.state == "Queued" && batch.jobId == job.id)
        let batchPath = "\(path)/batch/\(batch.id?.stringValue ?? "")"
        #expect(try json(await get(client, batchPath, type: "application/json")).state == "Completed")
        let result = try json(await get(client, "\(batchPath)/result", type: "application/json"))
        #expect(result.arrayValue?.map { $0.success } == [true, true, false])
        #expect(result.arrayValue?.map { $0.created } == [false, true, false])
        #expect(result[0]?.id == client.org.id(of: "con1").map { .string($0) } && result[2]?.id == .null)
        #expect(result[2]?.errors?[0]?.statusCode == "REQUIRED_FIELD_MISSING")
        #expect(try json(await get(client, "\(batchPath)/request", type: "application/json")).arrayValue?.count == 3)
        #expect(
            try json(await get(client, "\(path)/batch", type: "application/json")).batchInfo?.arrayValue?.count == 1)
        #expect(
            try await client.values("SELECT Name FROM Contact WHERE Department = 'X' OR LastName = 'New' ORDER BY Name")
                == ["New", "Ng"])
        let closed = try json(await post(client, path, body: #"{"state": "Closed"}"#, type: "application/json"))
        #expect(closed.state == "Closed" && closed.numberRecordsProcessed == 3)
    }

    @Test func `Records are read from XML`() async throws {
        let client = try OrgClient()
        let job = try id(
            await post(client, "", body: jobInfo("insert", "Contact", type: "XML"), type: "application/xml"))
        let batch = try id(
            await post(
                client, "/\(job)/batch",
                body: """
                    <sObjects xmlns="http://www.force.com/2009/06/asyncapi/dataload" xmlns:xsi="http://www.w3.org/x">
                    <sObject><LastName>A &amp; B</LastName><Email xsi:nil="true"/><FirstName></FirstName></sObject>
                    <sObject><LastName/></sObject></sObjects>
                    """, type: "application/xml"))
        let result = try await get(client, "/\(job)/batch/\(batch)/result")
        #expect(result.header("Content-Type") == "application/xml")
        let root = try XMLElement.parse(result.body)
        #expect(root.elements.map { $0.first("success")?.text } == ["true", "false"])
        #expect(root.elements[1].first("errors")?.first("statusCode")?.text == "REQUIRED_FIELD_MISSING")
        #expect(try client.state(contacts).hasSuffix("Contact A & B null"))
    }

    @Test func `Query results are returned`() async throws {
        let client = try OrgClient()
        let job = try id(await post(client, "", body: jobInfo("query", "Contact"), type: "application/xml"))
        let soql = "SELECT Id, CreatedDate FROM Contact WHERE LastName = 'Ng'"
        let batch = try id(await post(client, "/\(job)/batch", body: soql, type: "text/csv"))
        let list = try await get(client, "/\(job)/batch/\(batch)/result")
        #expect(
            list.text == """
                <?xml version="1.0" encoding="UTF-8"?>\
                <result-list xmlns="http://www.force.com/2009/06/asyncapi/dataload"><result>752000000000001AAA</result>\
                </result-list>
                """)
        #expect(
            try await get(client, "/\(job)/batch/\(batch)/result/752000000000001AAA").text
                == "\"Id\",\"CreatedDate\"\n\"003000000000001AAA\",\"2024-01-15T12:00:00.000Z\"\n")
        let none = try id(
            await post(client, "/\(job)/batch", body: "SELECT Id FROM Contact WHERE LastName = 'x'", type: "text/csv"))
        #expect(
            try await get(client, "/\(job)/batch/\(none)/result/752000000000002AAA").text
                == "\"Records not found for this query\"\n")
        let wrong = try id(await post(client, "/\(job)/batch", body: "SELECT Id FROM Lead", type: "text/csv"))
        let info = try XMLElement.parse(await get(client, "/\(job)/batch/\(wrong)").body)
        #expect(info.first("state")?.text == "Failed")
        #expect(
            info.first("stateMessage")?.text
                == "InvalidBatch : Failed to process query: INVALID_TYPE_FOR_OPERATION: The root entity of the requested "
                + "query (Lead) does not match the entity of the requested Bulk API Job (Contact).")
        #expect(try await get(client, "/\(job)/batch/\(wrong)/result").status == 400)
        let rows = try id(
            await post(client, "", body: jobInfo("query", "Contact", type: "JSON"), type: "application/xml"))
        let answer = try await post(
            client, "/\(rows)/batch", body: "SELECT Account.Name FROM Contact ORDER BY LastName LIMIT 2",
            type: "application/json")
        let rowsBatch = try JSONValue(parsing: answer.body).id?.stringValue ?? ""
        let ids = try JSONValue(
            parsing: await get(client, "/\(rows)/batch/\(rowsBatch)/result", type: "application/json").body)
        let found = try await get(client, "/\(rows)/batch/\(rowsBatch)/result/\(ids[0]?.stringValue ?? "")")
        #expect(found.header("Content-Type") == "application/json")
        #expect(try JSONValue(parsing: found.body).arrayValue?.map { $0.Account?["Name"] } == ["Acme", nil])
    }

    @Test func `A query is split by the records' IDs`() async throws {
        let client = try OrgClient()
        let job = try id(
            await post(
                client, "", body: jobInfo("query", "Contact"), type: "application/xml",
                headers: ["Sforce-Enable-PKChunking": "chunkSize=2; parent=Account"]))
        _ = try await post(client, "/\(job)/batch", body: "SELECT LastName FROM Contact", type: "text/csv")
        let list = try XMLElement.parse(await get(client, "/\(job)/batch").body)
        #expect(list.elements.map { $0.first("state")?.text } == ["Not Processed", "Completed", "Completed"])
        #expect(list.elements.map { $0.first("numberRecordsProcessed")?.text } == ["0", "2", "1"])
        let refused = try await post(
            client, "", body: jobInfo("query", "Contact"), type: "application/xml",
            headers: ["Sforce-Enable-PKChunking": "chunkSize=0"])
        #expect(refused.status == 400)
    }

    @Test(arguments: [
        ("LastName\n\"A", "CSV", "InvalidBatch : Failed to parse the CSV in line 2: a quote is not closed"),
        ("", "CSV", "InvalidBatch : Records not found"),
        ("Nope\nA\n", "CSV", "InvalidBatch : Field name not found : Nope"),
        ("LastName\nA,B\n", "CSV", "InvalidBatch : The record in line 2 has 2 fields, the header has 1"),
        (#"[{"LastName": "A"}, {"Nope": 1}]"#, "JSON", "InvalidBatch : Field name not found : Nope"),
        (#"[{"LastName": "A"}, 1]"#, "JSON", "InvalidBatch : A record is not an object"),
        ("{", "JSON", "InvalidBatch : Failed to parse the JSON: it is not an array of records"),
        (
            "<sObjects><sObject>", "XML",
            "InvalidBatch : Failed to parse the XML in line 1, column 20: <sObject> is not closed"
        ),
        ("<a/>", "XML", "InvalidBatch : Failed to parse the XML: it is not a list of sObjects"),
    ])
    func `A malformed batch changes nothing`(_ body: String, _ type: String, _ message: String) async throws {
        let client = try OrgClient()
        let before = try client.state(contacts)
        let job = try id(
            await post(client, "", body: jobInfo("insert", "Contact", type: type), type: "application/xml"))
        let batch = try id(await post(client, "/\(job)/batch", body: body, type: "application/xml"))
        let info = try XMLElement.parse(await get(client, "/\(job)/batch/\(batch)").body)
        #expect(info.first("state")?.text == "Failed" && info.first("stateMessage")?.text == message)
        #expect(try client.state(contacts) == before)
    }

    @Test func `Errors use the format of the request`() async throws {
        let client = try OrgClient()
        let stranger = try await client.send(
            .post, base, text: jobInfo("insert", "Contact"), type: "application/xml", headers: ["X-SFDC-Session": "bad"]
        )
        #expect(stranger.status == 401)
        #expect(
            stranger.text == """
                <?xml version="1.0" encoding="UTF-8"?><error xmlns="http://www.force.com/2009/06/asyncapi/dataload">\
                <exceptionCode>InvalidSessionId</exceptionCode><exceptionMessage>Invalid session id</exceptionMessage>\
                </error>
                """)
        let bodies = [
            "", "<jobInfo>", "<x/>", jobInfo("eat", "Contact"), jobInfo("insert", "Nope"), jobInfo("upsert", "Contact"),
            jobInfo("insert", "Contact", type: "ZIP_CSV"), jobInfo("query", "Contact", type: "XML"),
        ]
        for body in bodies {
            let answer = try await post(client, "", body: body, type: "application/xml")
            #expect(answer.status == 400, "\(body)")
            #expect(answer.text.contains("<exceptionCode>InvalidJob</exceptionCode>"), "\(body)")
        }
        let spoken = try await post(client, "", body: "{}", type: "application/json")
        #expect(try JSONValue(parsing: spoken.body).exceptionCode == "InvalidJob")
        #expect(try await get(client, "/750000000000009AAA").status == 400)
        let other = try await client.send(.get, "/services/async/99.0/job", headers: session(client))
        #expect(other.status == 404)
    }
}
