# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Tests a dataset that CumulusCI loads, SoupKit syncs and edits, and CumulusCI extracts.

The extracted dataset differs from the loaded one only by the edits.
"""

import copy
import json
import os
import shutil
import subprocess
from pathlib import Path

from cumulus import FOLDER, Project, tables
from served_org import OrgTestCase
from test_cumulusci import EMPTY


class RoundTripTests(OrgTestCase):
    seed = EMPTY

    def setUp(self):
        super().setUp()
        self.project = Project(self.org)
        self.addCleanup(self.project.remove)
        self.folder = self.project.folder / "sync"
        shutil.copytree(FOLDER / "sync", self.folder)

    def soup(self, *arguments):
        """Runs a soup command, and returns the JSON values that it printed."""
        done = subprocess.run(
            [os.environ["SOUP"], *arguments, "--config", str(self.folder), "--json"],
            # Plain HTTP, because soup does not trust the org's certificate.
            env=dict(os.environ, SOUP_INSTANCE_URL=self.org.http_url, SOUP_ACCESS_TOKEN=self.org.token),
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def entry(self, soup, field, value):
        """Returns the ID of the entry with a value in a field."""
        found = self.soup("query", f"select {{{soup}:_soupEntryId}} from {{{soup}}} where {{{soup}:{field}}} = '{value}'")
        self.assertEqual(len(found), 1, found)
        return str(found[0][0])

    def test_the_dataset_differs_by_the_edits(self):
        self.project.run("load_dataset", mapping="mapping.yml", sql_path="dataset.sql")
        # The dataset that CumulusCI itself extracts is the reference.
        self.project.run("extract_dataset", mapping="mapping.yml", sql_path="before.sql")
        before = tables(self.project.text("before.sql"))
        self.assertEqual(before, tables(self.project.text("dataset.sql")))

        self.soup("sync", "accountsDown", "contactsDown")
        self.assertEqual(self.soup("query", "select count(*) from {accounts}"), [[3]])
        self.assertEqual(self.soup("query", "select count(*) from {contacts}"), [[4]])

        nordic = self.entry("accounts", "Name", "Nordic Books")
        [[nordic_id]] = self.soup("query", "select {accounts:Id} from {accounts} where {accounts:Name} = 'Nordic Books'")
        self.soup("edit", "accounts", nordic, "Name=Nordic Bøker \"AS\"", "BillingCity=null", "AnnualRevenue=7")
        self.soup("edit", "contacts", self.entry("contacts", "LastName", "Berg"), "Title=Captain")
        self.soup("edit", "contacts", self.entry("contacts", "LastName", "Orphan"), f"AccountId={nordic_id}")
        self.soup("create", "contacts", "FirstName=Gro", "LastName=Holm", "Email=gro@example.org", f"AccountId={nordic_id}")
        self.soup("delete", "contacts", self.entry("contacts", "LastName", "Dahl"))
        outcomes = [
            line for name in ("accountsUp", "contactsUp") for line in self.soup("sync", name) if line["event"] == "outcome"
        ]
        self.assertEqual(
            sorted((line["soup"], line["action"], line["result"]) for line in outcomes),
            [
                ("accounts", "update", "ok"),
                ("contacts", "create", "ok"),
                ("contacts", "delete", "ok"),
                ("contacts", "update", "ok"),
                ("contacts", "update", "ok"),
            ],
        )

        self.project.run("extract_dataset", mapping="mapping.yml", sql_path="after.sql")
        after = tables(self.project.text("after.sql"))
        expected = self.edited(before)
        self.assertEqual(after, expected)

        # No record has changed since the last sync: SoupKit fetches nothing new and pushes nothing again.
        written = sum(entry["rowsWritten"] for entry in self.org.journal())
        self.soup("sync", "accountsUp", "contactsUp", "accountsDown", "contactsDown")
        self.assertEqual(sum(entry["rowsWritten"] for entry in self.org.journal()), written)
        self.assertEqual(self.soup("query", "select count(*) from {contacts} where {contacts:__local__} = 'true'"), [[0]])

        # The dataset that CumulusCI extracted can be loaded into an empty org.
        self.org.reset(EMPTY)
        self.project.run("load_dataset", mapping="mapping.yml", sql_path="after.sql")
        self.project.run("extract_dataset", mapping="mapping.yml", sql_path="again.sql")
        self.assertEqual(tables(self.project.text("again.sql")), after)

    @staticmethod
    def edited(before):
        """Returns the dataset with the same edits."""
        result = copy.deepcopy(before)
        renamed = 'Nordic Bøker "AS"'
        for table, reference in (("Account", "ParentId"), ("Contact", "AccountId")):
            for row in result[table]:
                if row[reference] == "Nordic Books":
                    row[reference] = renamed
        for row in result["Account"]:
            if row["Name"] == "Nordic Books":
                row.update(Name=renamed, BillingCity="", AnnualRevenue="7.0")
        result["Contact"] = [row for row in result["Contact"] if row["LastName"] != "Dahl"]
        for row in result["Contact"]:
            if row["LastName"] == "Berg":
                row["Title"] = "Captain"
            if row["LastName"] == "Orphan":
                row["AccountId"] = renamed
        result["Contact"].append(
            {"FirstName": "Gro", "LastName": "Holm", "Email": "gro@example.org", "Title": "", "AccountId": renamed}
        )
        for rows in result.values():
            rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
        return result
