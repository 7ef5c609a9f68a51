# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Tests CumulusCI: loading and extracting datasets, changing rows, and data that Snowfakery generates."""

from cumulus import Project, stored, tables
from served_org import OrgTestCase

#: An org with users and clients, but without records.
EMPTY = {"users": [{"key": "me", "username": "demo@example.org", "password": "demo"}]}


class CumulusTests(OrgTestCase):
    seed = EMPTY

    def setUp(self):
        super().setUp()
        self.project = Project(self.org)
        self.addCleanup(self.project.remove)

    def paths(self):
        return [entry["path"] for entry in self.org.journal()]

    def check_round_trip(self):
        dataset = tables(self.project.text("dataset.sql"))
        self.project.run("load_dataset", mapping="mapping.yml", sql_path="dataset.sql")
        self.assertEqual(stored(self.org), dataset)
        self.project.run("extract_dataset", mapping="mapping.yml", sql_path="again.sql")
        self.assertEqual(tables(self.project.text("again.sql")), dataset)

    def test_a_dataset_is_loaded_and_extracted_unchanged(self):
        self.check_round_trip()
        self.assertFalse([path for path in self.paths() if "/services/async/" in path])
        # Loading the dataset again adds its rows a second time.
        self.project.run("load_dataset", mapping="mapping.yml", sql_path="again.sql")
        self.assertEqual((len(self.org.rows("Account")), len(self.org.rows("Contact"))), (6, 8))

    def test_bulk_jobs_have_the_same_result(self):
        self.project.write("mapping.yml", self.project.text("mapping.yml").replace("api: rest", "api: bulk"))
        before = len(self.org.journal())
        self.check_round_trip()
        self.assertTrue([path for path in self.paths()[before:] if "/services/async/62.0/job" in path])
        self.assertFalse([path for path in self.paths()[before:] if "/composite/sobjects" in path])

    def test_a_refused_row_is_reported(self):
        self.org.request(
            "POST",
            "/_emu/faults",
            json={
                "match": {"path": "/composite/sobjects"},
                "when": {"count": 1},
                "do": {"kind": "itemError", "index": 1, "statusCode": "UNABLE_TO_LOCK_ROW"},
            },
        )
        with self.assertRaises(AssertionError) as caught:
            self.project.run("load_dataset", mapping="mapping.yml", sql_path="dataset.sql")
        self.assertIn("UNABLE_TO_LOCK_ROW", str(caught.exception))

    def load_dataset(self):
        self.project.run("load_dataset", mapping="mapping.yml", sql_path="dataset.sql")

    def test_rows_are_updated_by_a_recipe(self):
        self.load_dataset()
        before = {row["Id"]: row for row in self.org.rows("Account")}
        self.project.write(
            "update.yml",
            "- object: Account\n  fields:\n    BillingCity: New ${{input.BillingCity}}\n    Rating: Cold\n",
        )
        for api, path in [("rest", "/composite/sobjects"), ("bulk", "/services/async/")]:
            self.project.run(
                "update_data", object="Account", where="BillingCity != null", fields="BillingCity", recipe="update.yml", api=api
            )
            self.assertTrue([each for each in self.paths() if path in each])
        after = {row["Id"]: row for row in self.org.rows("Account")}
        self.assertEqual(set(after), set(before))
        for key, row in after.items():
            city = before[key]["BillingCity"]
            expected = (f"New New {city}", "Cold") if city else (None, None)
            self.assertEqual((row["BillingCity"], row["Rating"]), expected)
            self.assertEqual(row["Name"], before[key]["Name"])

    def test_rows_are_deleted(self):
        self.load_dataset()
        self.project.run("delete_data", objects="Contact", where="Email != null", api="rest")
        self.assertEqual(sorted(row["LastName"] for row in self.org.rows("Contact")), ["Berg", "Orphan"])
        self.assertEqual(sum(row["IsDeleted"] for row in self.org.state("Contact")), 2)
        self.project.run("delete_data", objects="Contact,Account", api="bulk")
        self.assertEqual((self.org.rows("Contact"), self.org.rows("Account")), ([], []))
        self.assertEqual((len(self.org.state("Contact")), len(self.org.state("Account"))), (4, 3))
        self.load_dataset()
        self.project.run("delete_data", objects="Account", api="bulk", hardDelete=True)
        # Contacts are deleted with their account; one contact has none.
        self.assertEqual([row["LastName"] for row in self.org.rows("Contact")], ["Orphan"])
        self.assertEqual(len(self.org.state("Account")), 3)

    def test_rows_with_restricting_children_are_reported(self):
        self.load_dataset()
        account = next(row for row in self.org.rows("Account") if row["Name"] == "Nordic Books")
        self.org.request(
            "POST",
            "/services/data/v62.0/sobjects/Case",
            json={"Subject": "Open", "AccountId": account["Id"]},
        )
        with self.assertRaises(AssertionError) as caught:
            self.project.run("delete_data", objects="Account", api="bulk")
        self.assertIn("DELETE_FAILED", str(caught.exception))
        self.assertEqual([row["Name"] for row in self.org.rows("Account")], ["Nordic Books"])

    def test_three_levels_of_relationships(self):
        self.org.reset("tiny")
        fields = {"Visit__c": ["External_Id__c", "Status__c"], "Visit_Item__c": ["External_Id__c"]}
        self.project.write(
            "visits.yml",
            "Accounts:\n    sf_object: Account\n    api: rest\n    fields: [Name]\n"
            "Visits:\n    sf_object: Visit__c\n    api: rest\n    fields: [External_Id__c, Status__c]\n"
            "    lookups:\n        Account__c: {table: Account}\n"
            "Items:\n    sf_object: Visit_Item__c\n    api: bulk\n    fields: [External_Id__c]\n"
            "    lookups:\n        Visit__c: {table: Visit__c}\n",
        )

        def rows():
            accounts = {row["Id"]: row["Name"] for row in self.org.rows("Account")}
            visits = {row["Id"]: row for row in self.org.rows("Visit__c")}
            return sorted(
                (item["External_Id__c"], visits[item["Visit__c"]]["External_Id__c"], accounts[visits[item["Visit__c"]]["Account__c"]])
                for item in self.org.rows("Visit_Item__c")
            )

        before = rows()
        self.assertEqual(before, [("I-1", "V/1", "Acme"), ("I-2", "V/1", "Acme")])
        self.project.run("extract_dataset", mapping="visits.yml", sql_path="visits.sql")
        extracted = tables(self.project.text("visits.sql"))
        self.assertEqual([row["Name"] for row in extracted["Account"]], ["Acme", "Globex", "O'Neil 100%_x"])
        self.assertEqual({name: len(extracted[name]) for name in fields}, {"Visit__c": 1, "Visit_Item__c": 2})
        self.project.run("delete_data", objects="Visit_Item__c,Visit__c", api="rest")
        # Accounts can have the names of existing accounts, and the external IDs of deleted rows can be used again.
        self.project.run("load_dataset", mapping="visits.yml", sql_path="visits.sql")
        self.assertEqual(rows(), before)

    def test_snowfakery(self):
        output = self.project.run("snowfakery", recipe="recipe.yml", run_until_recipe_repeated=2)
        self.assertIn("Account: 6 successes, 0 errors", output)
        self.assertIn("Contact: 12 successes, 0 errors", output)
        accounts, contacts = self.org.rows("Account"), self.org.rows("Contact")
        self.assertEqual((len(accounts), len(contacts)), (6, 12))
        self.assertTrue(all(row["Name"] for row in accounts))
        for account in accounts:
            self.assertEqual(sum(row["AccountId"] == account["Id"] for row in contacts), 2)
