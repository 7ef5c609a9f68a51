# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Tests every kind of call of simple-salesforce that the org supports."""

import csv
import datetime
import gzip
import io
import json
import tempfile
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from simple_salesforce import Salesforce
from simple_salesforce.exceptions import (
    SalesforceAuthenticationFailed,
    SalesforceExpiredSession,
    SalesforceGeneralError,
    SalesforceMalformedRequest,
    SalesforceMoreThanOneRecord,
    SalesforceResourceNotFound,
)

from served_org import OrgTestCase

VERSION = "62.0"
#: The time of the seed's clock.
NOW = datetime.datetime(2024, 1, 15, 12, 5, tzinfo=datetime.timezone.utc)


class LoginTests(OrgTestCase):
    def log_in(self, **options):
        return Salesforce(session=self.org.session(), version=VERSION, **options)

    def user(self, client):
        """Returns the user whom the org associates with the client's session."""
        created = client.Account.create({"Name": "Owned"})["id"]
        found = client.query(f"SELECT CreatedBy.Username FROM Account WHERE Id = '{created}'")
        return found["records"][0]["CreatedBy"]["Username"]

    def test_soap(self):
        client = self.log_in(username="other@example.org", password="demo", security_token="emu-token")
        self.assertEqual("https://" + client.sf_instance, self.org.url)
        self.assertEqual(self.user(client), "other@example.org")
        client = self.log_in(username="demo@example.org", password="demo", security_token="", domain="test")
        self.assertEqual(self.user(client), "demo@example.org")
        client = self.log_in(username="demo@example.org", password="demo", organizationId="00D000000000001EAA")
        self.assertEqual(self.user(client), "demo@example.org")

    def test_soap_refuses(self):
        for password, token in [("wrong", ""), ("demo", "wrong"), ("", "emu-token"), ("<&>", "")]:
            with self.assertRaises(SalesforceAuthenticationFailed) as caught:
                self.log_in(username="demo@example.org", password=password, security_token=token)
            self.assertEqual(caught.exception.code, "INVALID_LOGIN")

    def test_password(self):
        client = self.log_in(
            username="other@example.org", password="demo", consumer_key="emu-client", consumer_secret="emu-secret"
        )
        self.assertEqual(self.user(client), "other@example.org")
        with self.assertRaises(SalesforceAuthenticationFailed) as caught:
            self.log_in(username="x", password="y", consumer_key="emu-client", consumer_secret="emu-secret")
        self.assertEqual(caught.exception.code, "invalid_grant")

    def test_client_credentials(self):
        # simple-salesforce does not offer this login at the hosts that all orgs share.
        client = self.log_in(consumer_key="emu-client", consumer_secret="emu-secret", domain="my-own.my")
        self.assertEqual(self.user(client), "demo@example.org")
        with self.assertRaises(SalesforceAuthenticationFailed) as caught:
            self.log_in(consumer_key="emu-client", consumer_secret="wrong", domain="my-own.my")
        self.assertEqual(caught.exception.code, "invalid_client")

    def test_signed_login(self):
        key, other = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))

        def private(key):
            return key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ).decode()

        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.org.reset(
            {
                "users": [{"key": "me", "username": "demo@example.org", "password": "demo"}],
                "clients": [{"id": "signer", "publicKey": public.decode(), "grants": ["jwt"]}],
            }
        )

        def log_in(key):
            return self.log_in(username="demo@example.org", consumer_key="signer", privatekey=private(key))

        self.assertEqual(self.user(log_in(other)), "demo@example.org")
        self.org.request("POST", "/_emu/options", json={"strictGrants": True})
        self.assertEqual(self.user(log_in(key)), "demo@example.org")
        with self.assertRaises(SalesforceAuthenticationFailed):
            log_in(other)
        late = jwt.encode(
            {"iss": "signer", "sub": "demo@example.org", "aud": "https://login.salesforce.com", "exp": 1_600_000_000},
            private(key),
            algorithm="RS256",
        )
        answer = self.org.session().post(
            self.org.url + "/services/oauth2/token",
            data={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": late},
        )
        self.assertEqual((answer.status_code, answer.json()["error"]), (400, "invalid_grant"))

    def test_another_password(self):
        client = self.log_in(username="demo@example.org", password="demo", security_token="")
        client.set_password(self.keys["other"], "sesame")
        with self.assertRaises(SalesforceAuthenticationFailed):
            self.log_in(username="other@example.org", password="demo", security_token="")
        other = self.log_in(username="other@example.org", password="sesame", security_token="emu-token")
        self.assertEqual(self.user(other), "other@example.org")
        self.assertTrue(other.is_sandbox())

    def test_an_expired_session_is_renewed(self):
        client = self.log_in(username="demo@example.org", password="demo", security_token="")
        first = client.session_id
        self.org.request("POST", "/_emu/tokens/expire")
        self.assertEqual(client.query("SELECT Id FROM Account")["totalSize"], 3)
        self.assertNotEqual(client.session_id, first)
        # The token of this test has expired, too.
        self.org.token = client.session_id

    def test_an_expired_session_that_cannot_be_renewed_is_an_error(self):
        # A client that was created with the session of another client cannot log in again.
        own = self.log_in(username="demo@example.org", password="demo", security_token="")
        client = self.log_in(instance_url=self.org.url, session_id=own.session_id)
        before = self.org.state("Account")
        self.org.request("POST", "/_emu/tokens/expire")
        for call in [
            lambda: client.query("SELECT Id FROM Account"),
            lambda: client.Account.create({"Name": "Late"}),
            lambda: client.bulk2.Account.insert(records=[{"Name": "Late"}]),
        ]:
            with self.assertRaises(SalesforceExpiredSession) as caught:
                call()
            self.assertEqual(
                caught.exception.content,
                [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}],
            )
        self.org.token = self.log_in(username="demo@example.org", password="demo", security_token="").session_id
        self.assertEqual(self.org.state("Account"), before)


class ClientTestCase(OrgTestCase):
    def setUp(self):
        super().setUp()
        self.client = Salesforce(
            instance_url=self.org.url, session_id=self.org.token, version=VERSION, session=self.org.session()
        )

    def row(self, name, record_id):
        return next(row for row in self.org.state(name) if row["Id"] == record_id)


class QueryTests(ClientTestCase):
    seed = "medium"

    def test_pages(self):
        self.org.request("POST", "/_emu/options", json={"pageSizeMax": 300})
        found = self.client.query_all("SELECT Id, LastName, Account.Name FROM Contact ORDER BY LastName, Id")
        self.assertEqual((found["totalSize"], found["done"], len(found["records"])), (1000, True, 1000))
        rows = {row["Id"]: row for row in self.org.rows("Contact")}
        accounts = {row["Id"]: row["Name"] for row in self.org.rows("Account")}
        self.assertEqual(
            {record["Id"]: (record["LastName"], (record["Account"] or {}).get("Name")) for record in found["records"]},
            {key: (row["LastName"], accounts.get(row["AccountId"])) for key, row in rows.items()},
        )
        names = [record["LastName"].upper() for record in found["records"]]
        self.assertEqual(names, sorted(names))
        self.assertEqual(sum(1 for _ in self.client.query_all_iter("SELECT Id FROM Contact")), 1000)
        pages = [entry["path"] for entry in self.org.journal() if "/query/" in entry["path"] and "q=" not in entry["path"]]
        self.assertEqual(len(pages), 6)

    def test_shapes(self):
        counted = self.client.query("SELECT COUNT() FROM Contact")
        self.assertEqual((counted["totalSize"], counted["records"]), (1000, []))
        grouped = self.client.query("SELECT StageName, COUNT(Id) n, SUM(Amount) FROM Opportunity GROUP BY StageName")
        rows = self.org.rows("Opportunity")
        self.assertEqual(
            {record["StageName"]: (record["n"], record["expr0"]) for record in grouped["records"]},
            {
                stage: (
                    sum(row["StageName"] == stage for row in rows),
                    sum(row["Amount"] or 0 for row in rows if row["StageName"] == stage),
                )
                for stage in {row["StageName"] for row in rows}
            },
        )
        nested = self.client.query("SELECT Name, (SELECT LastName FROM Contacts) FROM Account ORDER BY Id LIMIT 5")
        contacts = self.org.rows("Contact")
        for record in nested["records"]:
            account = record["attributes"]["url"].split("/")[-1]
            expected = sorted(row["LastName"] for row in contacts if row["AccountId"] == account)
            children = record["Contacts"]["records"] if record["Contacts"] else []
            self.assertEqual(sorted(child["LastName"] for child in children), expected)

    def test_deleted_rows(self):
        gone = self.client.query("SELECT Id FROM Contact LIMIT 1")["records"][0]["Id"]
        self.assertEqual(self.client.Contact.delete(gone), 204)
        self.assertEqual(self.client.query("SELECT COUNT() FROM Contact")["totalSize"], 999)
        found = self.client.query_all("SELECT Id FROM Contact WHERE IsDeleted = true", include_deleted=True)
        self.assertEqual([record["Id"] for record in found["records"]], [gone])

    def test_usage(self):
        self.client.query("SELECT Id FROM Account LIMIT 1")
        usage = self.client.api_usage["api-usage"]
        limits = self.client.limits()["DailyApiRequests"]
        self.assertEqual((usage.total, limits["Max"]), (100_000, 100_000))
        self.assertEqual(limits["Max"] - limits["Remaining"], usage.used + 1)


class RowTests(ClientTestCase):
    def test_rows(self):
        created = self.client.Account.create({"Name": "Naïve & Co", "AnnualRevenue": 12.5, "BillingCity": "Oslo"})
        self.assertEqual((created["success"], created["errors"]), (True, []))
        row = self.client.Account.get(created["id"])
        self.assertEqual((row["Name"], row["BillingCity"], row["Rating"]), ("Naïve & Co", "Oslo", None))
        self.assertEqual(row["attributes"]["url"], f"/services/data/v{VERSION}/sobjects/Account/{created['id']}")
        self.assertEqual(self.client.Account.get(created["id"][:15])["Id"], created["id"])
        self.assertEqual(self.client.Account.update(created["id"], {"Rating": "Warm", "BillingCity": None}), 204)
        stored = self.row("Account", created["id"])
        self.assertEqual((stored["Rating"], stored["BillingCity"]), ("Warm", None))
        self.assertEqual(self.client.Account.delete(created["id"]), 204)
        self.assertTrue(self.row("Account", created["id"])["IsDeleted"])
        with self.assertRaises(SalesforceResourceNotFound) as caught:
            self.client.Account.get(created["id"])
        self.assertEqual(caught.exception.content[0]["errorCode"], "ENTITY_IS_DELETED")

    def test_external_ids(self):
        self.assertEqual(self.client.Visit__c.upsert("External_Id__c/N%2F1", {"Status__c": "Done"}), 201)
        self.assertEqual(self.client.Visit__c.upsert("External_Id__c/N%2F1", {"Version__c": 3}), 200)
        row = self.client.Visit__c.get_by_custom_id("External_Id__c", "N/1")
        self.assertEqual((row["External_Id__c"], row["Status__c"], row["Version__c"]), ("N/1", "Done", 3))
        self.assertEqual(sum(row["External_Id__c"] == "N/1" for row in self.org.state("Visit__c")), 1)
        with self.assertRaises(SalesforceMoreThanOneRecord) as caught:
            self.client.Lead.upsert("Legacy__c/L-1", {"LastName": "x"})
        self.assertEqual(
            caught.exception.content,
            [f"/services/data/v{VERSION}/sobjects/Lead/{self.keys[key]}" for key in ("dupA", "dupB")],
        )

    def test_refusals(self):
        before = self.org.state("Contact")
        for body, code, fields in [
            ({"FirstName": "x"}, "REQUIRED_FIELD_MISSING", ["LastName"]),
            ({"LastName": "x", "Nope": 1}, "INVALID_FIELD", None),
            ({"LastName": "x", "Email": "no"}, "INVALID_EMAIL_ADDRESS", ["Email"]),
            ({"LastName": "x" * 81}, "STRING_TOO_LONG", ["LastName"]),
        ]:
            with self.assertRaises(SalesforceMalformedRequest) as caught:
                self.client.Contact.create(body)
            error = caught.exception.content[0]
            self.assertEqual((error["errorCode"], error.get("fields")), (code, fields))
        self.assertEqual(self.org.state("Contact"), before)
        with self.assertRaises(SalesforceMalformedRequest):
            self.client.query("SELECT Nope FROM Contact")
        self.assertEqual(self.org.state("Contact"), before)

    def test_conditions(self):
        path = f"sobjects/Account/{self.keys['acc1']}"
        late = {"If-Unmodified-Since": "Mon, 15 Jan 2024 11:59:00 GMT"}
        with self.assertRaises(SalesforceGeneralError) as caught:
            self.client.restful(path, method="PATCH", headers=late, json={"Name": "late"})
        self.assertEqual(caught.exception.status, 412)
        with self.assertRaises(SalesforceGeneralError) as caught:
            self.client.restful(path, headers={"If-Modified-Since": "Mon, 15 Jan 2024 12:00:00 GMT"})
        self.assertEqual(caught.exception.status, 304)
        self.assertEqual(self.row("Account", self.keys["acc1"])["Name"], "Acme")

    def test_relationships(self):
        parent = self.client.restful(f"sobjects/Contact/{self.keys['con1']}/Account", params={"fields": "Name"})
        self.assertEqual(parent["Name"], "Acme")
        children = self.client.restful(f"sobjects/Account/{self.keys['acc1']}/Contacts")
        self.assertEqual([row["LastName"] for row in children["records"]], ["Ng", "Smith"])

    def test_updated_and_deleted_rows(self):
        hour = datetime.timedelta(hours=1)
        updated = self.client.Account.updated(NOW - hour, NOW)
        self.assertEqual(updated["ids"], [self.keys[key] for key in ("acc1", "acc2", "acc3")])
        self.assertEqual(updated["latestDateCovered"], "2024-01-15T12:05:00.000+0000")
        self.client.Account.delete(self.keys["acc3"])
        self.org.request("POST", "/_emu/clock", json={"advance": 120})
        deleted = self.client.Account.deleted(NOW, NOW + hour)
        self.assertEqual(
            deleted["deletedRecords"], [{"deletedDate": "2024-01-15T12:05:00.000+0000", "id": self.keys["acc3"]}]
        )
        self.assertEqual(self.client.Account.updated(NOW, NOW + hour)["ids"], [])

    def test_windows_of_changes(self):
        minute = datetime.timedelta(minutes=1)

        def at(minutes, body):
            """Calls a function a number of minutes after the time of the seed's clock."""
            self.org.request("POST", "/_emu/clock", json={"freeze": (NOW + minutes * minute).isoformat()})
            return body()

        first = at(10, lambda: self.client.Account.create({"Name": "First"})["id"])
        second = at(20, lambda: self.client.Account.create({"Name": "Second"})["id"])
        at(30, lambda: self.client.Account.update(first, {"Rating": "Hot"}))
        at(40, lambda: self.client.Account.delete(second))
        at(60, lambda: None)

        def windows(fetch, key):
            minutes = [(5, 15), (15, 25), (25, 35), (35, 45)]
            return [fetch(NOW + start * minute, NOW + end * minute)[key] for start, end in minutes]

        self.assertEqual(windows(self.client.Account.updated, "ids"), [[], [], [first], []])
        deleted = windows(self.client.Account.deleted, "deletedRecords")
        self.assertEqual(deleted, [[], [], [], [{"id": second, "deletedDate": "2024-01-15T12:45:00.000+0000"}]])
        with self.assertRaises(SalesforceMalformedRequest) as caught:
            self.client.Account.updated(NOW, NOW - minute)
        self.assertEqual(caught.exception.content[0]["errorCode"], "INVALID_REPLICATION_DATE")
        self.assertEqual(
            [(row["Name"], row["IsDeleted"]) for row in self.org.state("Account")[-2:]],
            [("First", False), ("Second", True)],
        )

    def test_compressed_bodies(self):
        for level in range(10):
            text = json.dumps({"LastName": f"Level {level}", "Description": "gzip, packed " * 200 * level})
            answer = self.org.session().post(
                f"{self.org.url}/services/data/v{VERSION}/sobjects/Contact/",
                data=gzip.compress(text.encode(), level),
                headers={
                    "Authorization": f"Bearer {self.org.token}",
                    "Content-Type": "application/json",
                    "Content-Encoding": "gzip",
                },
            )
            self.assertEqual(answer.status_code, 201, answer.text)
            row = self.row("Contact", answer.json()["id"])
            self.assertEqual(row["LastName"], f"Level {level}")
            self.assertEqual(row["Description"] or "", ("gzip, packed " * 200 * level).strip())

    def test_chunked_bodies(self):
        parts = (part.encode() for part in ['{"LastName":', ' "In', ' parts"}'])
        answer = self.org.session().post(
            f"{self.org.url}/services/data/v{VERSION}/sobjects/Contact/",
            data=parts,
            headers={"Authorization": f"Bearer {self.org.token}", "Content-Type": "application/json"},
        )
        self.assertEqual(answer.status_code, 201, answer.text)
        self.assertEqual(self.row("Contact", answer.json()["id"])["LastName"], "In parts")


class MetadataTests(ClientTestCase):
    def test_describes(self):
        found = self.client.describe()
        self.assertEqual((found["encoding"], found["maxBatchSize"]), ("UTF-8", 200))
        names = {entry["name"] for entry in found["sobjects"]}
        self.assertLessEqual({"Account", "Contact", "Opportunity", "Case", "Lead", "User", "Visit__c"}, names)
        for name in names:
            whole = getattr(self.client, name).describe()
            fields = {field["name"]: field for field in whole["fields"]}
            self.assertEqual(whole["name"], name)
            row = (self.org.state(name) or [None])[0]
            if row:
                self.assertEqual(set(row) - {"attributes"}, set(fields))
        account = next(f for f in self.client.Contact.describe()["fields"] if f["name"] == "AccountId")
        self.assertEqual((account["referenceTo"], account["relationshipName"]), (["Account"], "Account"))

    def test_recent_items(self):
        self.client.query("SELECT Id FROM Account WHERE Name = 'Acme' FOR VIEW")
        found = self.client.Account.metadata()
        self.assertEqual(found["objectDescribe"]["keyPrefix"], "001")
        self.assertEqual([item["Id"] for item in found["recentItems"]], [self.keys["acc1"]])
        self.assertEqual([item["Name"] for item in self.client.restful("recent")], ["Acme"])

    def test_layouts(self):
        layout = self.client.Account.describe_layout("012000000000000AAA")
        shown = {
            component["value"]
            for section in layout["detailLayoutSections"]
            for row in section["layoutRows"]
            for item in row["layoutItems"]
            for component in item["layoutComponents"]
        }
        self.assertLessEqual({"Name", "Type", "Phone", "BillingAddress"}, shown)


class SearchTests(ClientTestCase):
    def test_search(self):
        found = self.client.search("FIND {acm*} IN NAME FIELDS RETURNING Account(Name, Rating), Contact(LastName)")
        self.assertEqual([(row["Name"], row["Rating"]) for row in found["searchRecords"]], [("Acme", "Hot")])
        self.assertEqual(found["searchRecords"][0]["attributes"]["type"], "Account")
        self.client.Contact.create({"LastName": "Acmeson", "AccountId": self.keys["acc1"]})
        found = self.client.search("FIND {acm*} IN NAME FIELDS RETURNING Account(Name), Contact(LastName)")
        self.assertEqual([row.get("LastName") for row in found["searchRecords"]], [None, "Acmeson"])
        with self.assertRaises(SalesforceMalformedRequest) as caught:
            self.client.search("FIND Acme")
        self.assertEqual(caught.exception.content[0]["errorCode"], "MALFORMED_SEARCH")

    def test_quick_search(self):
        found = self.client.quick_search("Acme")["searchRecords"]
        self.assertEqual([(row["attributes"]["type"], row["Id"]) for row in found], [("Account", self.keys["acc1"])])
        self.assertEqual(self.client.quick_search("nowhere to be found"), {"searchRecords": []})
        self.client.Account.delete(self.keys["acc3"])
        self.assertEqual(self.client.quick_search("O'Neil"), {"searchRecords": []})


class CompositeTests(ClientTestCase):
    def test_a_composite_is_rolled_back(self):
        base = f"/services/data/v{VERSION}"
        before = {name: self.org.state(name) for name in ("Account", "Contact")}

        def send(all_or_none):
            requests = [
                ("POST", "Account", "a", {"Name": "Never"}),
                ("PATCH", f"Contact/{self.keys['con1']}", "b", {"AccountId": "@{a.id}"}),
                ("POST", "Contact", "c", {"FirstName": "No last name", "AccountId": "@{a.id}"}),
                ("DELETE", f"Contact/{self.keys['con3']}", "d", None),
            ]
            body = [
                {"method": method, "url": f"{base}/sobjects/{path}", "referenceId": reference}
                | ({"body": body} if body else {})
                for method, path, reference, body in requests
            ]
            answer = self.client.restful(
                "composite", method="POST", json={"allOrNone": all_or_none, "compositeRequest": body}
            )
            parts = answer["compositeResponse"]
            self.assertEqual([part["referenceId"] for part in parts], list("abcd"))
            codes = [part["body"][0]["errorCode"] if part["httpStatusCode"] >= 400 else None for part in parts]
            return [part["httpStatusCode"] for part in parts], codes

        halted = "PROCESSING_HALTED"
        self.assertEqual(send(True), ([400] * 4, [halted, halted, "REQUIRED_FIELD_MISSING", halted]))
        self.assertEqual({name: self.org.state(name) for name in before}, before)
        self.assertEqual(send(False), ([201, 204, 400, 204], [None, None, "REQUIRED_FIELD_MISSING", None]))
        [account] = [row for row in self.org.rows("Account") if row["Name"] == "Never"]
        self.assertEqual(self.row("Contact", self.keys["con1"])["AccountId"], account["Id"])
        self.assertTrue(self.row("Contact", self.keys["con3"])["IsDeleted"])

    def test_references(self):
        base = f"/services/data/v{VERSION}"
        answer = self.client.restful(
            "composite",
            method="POST",
            json={
                "allOrNone": True,
                "compositeRequest": [
                    {"method": "POST", "url": f"{base}/sobjects/Account", "referenceId": "a", "body": {"Name": "Both"}},
                    {
                        "method": "POST",
                        "url": f"{base}/sobjects/Contact",
                        "referenceId": "c",
                        "body": {"LastName": "Both", "AccountId": "@{a.id}"},
                    },
                    {
                        "method": "GET",
                        "url": f"{base}/query?q=select Account.Name from Contact where Id = '@{{c.id}}'",
                        "referenceId": "q",
                    },
                ],
            },
        )
        parts = answer["compositeResponse"]
        self.assertEqual([part["httpStatusCode"] for part in parts], [201, 201, 200])
        self.assertEqual(parts[2]["body"]["records"][0]["Account"]["Name"], "Both")
        self.assertEqual(self.row("Contact", parts[1]["body"]["id"])["AccountId"], parts[0]["body"]["id"])

    def test_all_or_nothing(self):
        before = self.org.state("Account")
        records = [{"attributes": {"type": "Account"}, "Name": name} for name in ("One", "")]
        body = {"allOrNone": True, "records": records}
        answer = self.client.restful("composite/sobjects", method="POST", json=body)
        self.assertEqual([item["success"] for item in answer], [False, False])
        self.assertEqual(answer[0]["errors"][0]["statusCode"], "ALL_OR_NONE_OPERATION_ROLLED_BACK")
        self.assertEqual(self.org.state("Account"), before)


class BulkTests(ClientTestCase):
    seed = "medium"

    def test_query(self):
        soql = "SELECT Id, LastName, Account.Name FROM Contact"
        pages = list(self.client.bulk2.Contact.query(soql, max_records=400, wait=0.05))
        self.assertEqual(len(pages), 3)
        found = [row for page in pages for row in csv.DictReader(io.StringIO(page))]
        accounts = {row["Id"]: row["Name"] for row in self.org.rows("Account")}
        self.assertEqual(
            {row["Id"]: (row["LastName"], row["Account.Name"]) for row in found},
            {row["Id"]: (row["LastName"], accounts.get(row["AccountId"], "")) for row in self.org.rows("Contact")},
        )

    def test_query_into_files(self):
        with tempfile.TemporaryDirectory() as folder:
            soql = "SELECT Id, LastName FROM Contact ORDER BY LastName DESC, Id"
            pages = self.client.bulk2.Contact.download(soql, folder, max_records=300, wait=0.05)
            self.assertEqual([page["number_of_records"] for page in pages], [300, 300, 300, 100])
            self.assertEqual([bool(page["locator"]) for page in pages], [True, True, True, False])
            texts = [Path(page["file"]).read_text() for page in pages]
        found = [row for text in texts for row in csv.DictReader(io.StringIO(text))]
        rows = sorted(self.org.rows("Contact"), key=lambda row: row["Id"])
        rows.sort(key=lambda row: row["LastName"].upper(), reverse=True)
        self.assertEqual([row["Id"] for row in found], [row["Id"] for row in rows])
        self.assertEqual(self.client.restful("jobs/query")["records"][0]["state"], "JobComplete")

    def test_query_of_deleted_rows(self):
        gone = [row["Id"] for row in self.org.rows("Contact")[:3]]
        self.client.bulk2.Contact.delete(records=[{"Id": key} for key in gone], wait=0.05)
        soql = "SELECT Id FROM Contact WHERE IsDeleted = true"
        [page] = self.client.bulk2.Contact.query_all(soql, wait=0.05)
        self.assertEqual([row["Id"] for row in csv.DictReader(io.StringIO(page))], sorted(gone))
        [page] = self.client.bulk2.Contact.query(soql, wait=0.05)
        self.assertEqual(list(csv.DictReader(io.StringIO(page))), [])

    def test_updates_and_results(self):
        known = self.org.rows("Contact")[:2]
        records = [{"Id": row["Id"], "Title": f"No. {n}"} for n, row in enumerate(known)]
        records.append({"Id": "003000000000000AAA", "Title": "unknown"})
        [result] = self.client.bulk2.Contact.update(records=records, wait=0.05)
        self.assertEqual((result["numberRecordsProcessed"], result["numberRecordsFailed"]), (3, 1))
        ingested = self.client.bulk2.Contact.get_all_ingest_records(result["job_id"])
        self.assertEqual(
            ingested["successfulRecords"],
            [{"sf__Id": record["Id"], "sf__Created": "false"} | record for record in records[:2]],
        )
        [failed] = ingested["failedRecords"]
        self.assertTrue(failed["sf__Error"].startswith("INVALID_CROSS_REFERENCE_KEY:"), failed)
        self.assertEqual(ingested["unprocessedRecords"], [])
        self.assertEqual([self.row("Contact", row["Id"])["Title"] for row in known], ["No. 0", "No. 1"])
        [gone] = self.client.bulk2.Contact.hard_delete(records=[{"Id": known[0]["Id"]}], wait=0.05)
        self.assertEqual((gone["numberRecordsProcessed"], gone["numberRecordsFailed"]), (1, 0))
        self.assertNotIn(known[0]["Id"], [row["Id"] for row in self.org.state("Contact")])

    def test_ingest(self):
        records = [{"LastName": f"Bulk {n}", "Email": "bad" if n == 7 else f"b{n}@example.org"} for n in range(500)]
        [result] = self.client.bulk2.Contact.insert(records=records, wait=0.05)
        self.assertEqual((result["numberRecordsProcessed"], result["numberRecordsFailed"]), (500, 1))
        inserted = {row["LastName"]: row for row in self.org.rows("Contact") if row["LastName"].startswith("Bulk ")}
        self.assertEqual(set(inserted), {f"Bulk {n}" for n in range(500) if n != 7})
        failed = self.client.bulk2.Contact.get_failed_records(result["job_id"])
        self.assertIn("INVALID_EMAIL_ADDRESS", failed)
        self.assertEqual(failed.count("Bulk"), 1)
        ids = [{"Id": row["Id"]} for row in inserted.values()]
        [gone] = self.client.bulk2.Contact.delete(records=ids, wait=0.05)
        self.assertEqual((gone["numberRecordsProcessed"], gone["numberRecordsFailed"]), (499, 0))
        self.assertEqual(len(self.org.rows("Contact")), 1000)

    def test_upsert(self):
        known = self.org.rows("Visit__c")[0]["External_Id__c"]
        records = [{"External_Id__c": known, "Notes__c": "old"}, {"External_Id__c": "bulk-new", "Notes__c": "new"}]
        # A validation rule of the seed requires a new version number.
        for record in records:
            record["Version__c"] = "99"
        [result] = self.client.bulk2.Visit__c.upsert(records=records, external_id_field="External_Id__c", wait=0.05)
        self.assertEqual((result["numberRecordsProcessed"], result["numberRecordsFailed"]), (2, 0))
        notes = {row["External_Id__c"]: row["Notes__c"] for row in self.org.rows("Visit__c")}
        self.assertEqual((notes[known], notes["bulk-new"], len(notes)), ("old", "new", 101))

    def test_the_first_bulk_api(self):
        results = self.client.bulk.Contact.insert([{"LastName": "Old"}, {"FirstName": "None"}], batch_size=100)
        self.assertEqual([item["success"] for item in results], [True, False])
        found = self.client.bulk.Contact.query("SELECT Id, LastName FROM Contact WHERE LastName = 'Old'")
        self.assertEqual([(row["Id"], row["LastName"]) for row in found], [(results[0]["id"], "Old")])
        self.assertEqual(self.row("Contact", results[0]["id"])["LastName"], "Old")
