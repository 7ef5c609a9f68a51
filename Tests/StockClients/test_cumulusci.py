# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""CumulusCI: datasets out of the org and into it, and data that Snowfakery makes up."""

from cumulus import Project, stored, tables
from served_org import OrgTestCase

#: An org with users and clients, and nothing in it.
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

    def test_a_dataset_comes_back_as_it_went_in(self):
        self.check_round_trip()
        self.assertFalse([path for path in self.paths() if "/services/async/" in path])
        # Loading again adds the rows once more.
        self.project.run("load_dataset", mapping="mapping.yml", sql_path="again.sql")
        self.assertEqual((len(self.org.rows("Account")), len(self.org.rows("Contact"))), (6, 8))

    def test_bulk_jobs_do_the_same(self):
        self.project.write("mapping.yml", self.project.text("mapping.yml").replace("api: rest", "api: bulk"))
        before = len(self.org.journal())
        self.check_round_trip()
        self.assertTrue([path for path in self.paths()[before:] if "/services/async/62.0/job" in path])
        self.assertFalse([path for path in self.paths()[before:] if "/composite/sobjects" in path])

    def test_a_refused_row_is_told(self):
        self.org.ask(
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

    def test_snowfakery(self):
        output = self.project.run("snowfakery", recipe="recipe.yml", run_until_recipe_repeated=2)
        self.assertIn("Account: 6 successes, 0 errors", output)
        self.assertIn("Contact: 12 successes, 0 errors", output)
        accounts, contacts = self.org.rows("Account"), self.org.rows("Contact")
        self.assertEqual((len(accounts), len(contacts)), (6, 12))
        self.assertTrue(all(row["Name"] for row in accounts))
        for account in accounts:
            self.assertEqual(sum(row["AccountId"] == account["Id"] for row in contacts), 2)
