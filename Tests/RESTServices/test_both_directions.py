# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Syncs a soup with each service in both directions, and compares all entries with all records."""

import json

import dialects
from service import Service
from store import Store, fields, outcomes


class BothDirections:
    dialect = None

    def setUp(self):
        self.service = Service(self.dialect)
        self.addCleanup(self.service.close)
        self.store = Store(self.dialect, self.service.url)
        self.addCleanup(self.store.close)

    def compare(self):
        """Compares all entries with all records of the service."""
        entries = {}
        for entry in self.store.entries():
            self.assertFalse(entry["__local__"], entry)
            entries[entry["id"]] = fields(entry)
        self.assertEqual(entries, self.service.records())

    def edit(self, name, *values):
        self.store.soup("edit", "contacts", self.store.entry(name), *values)

    def push(self, status=0):
        return self.store.soup("sync", "up", status=status)

    def test_a_soup_is_synced_in_both_directions(self):
        store, service = self.store, self.service
        problems = [line for line in store.soup("validate") if "severity" in line]
        self.assertEqual(problems, [])
        for name in ["Ada", "Ben", "Cyd", "Dan", "Eve"]:
            service.add(name)
        store.soup("sync", "down")
        self.assertEqual(len(store.entries()), 5)
        self.compare()

        # Edits without a connection.
        self.edit("Ada", "name=Ada L.")
        store.soup("create", "contacts", "name=Fay", "city=Rom")
        store.soup("delete", "contacts", store.entry("Ben"))
        self.assertEqual(outcomes(self.push()), [("create", "ok"), ("delete", "ok"), ("update", "ok")])
        names = [record["name"] for record in service.records().values()]
        self.assertEqual(sorted(names), ["Ada L.", "Cyd", "Dan", "Eve", "Fay"])
        store.soup("sync", "down")
        self.compare()
        # A second edit of the same entry is no conflict with the first one.
        self.edit("Ada L.", "name=Ada M.")
        self.assertEqual(outcomes(self.push()), [("update", "ok")])

        # The service rejects a value; the entry stays dirty until it is correct.
        self.edit("Cyd", f"name={self.dialect.bad_name}")
        [failure] = [line for line in self.push(status=1) if line["event"] == "outcome"]
        self.assertEqual(failure["result"], "failed", failure)
        self.assertIn("name", json.dumps(failure["error"]))
        self.edit(self.dialect.bad_name, "name=Cyd B.")
        self.assertEqual(outcomes(self.push()), [("update", "ok")])

        # Both sides change a record.
        store.soup("sync", "down")
        other = service.id("Dan")
        service.change(other, name="Dan the other")
        self.edit("Dan", "name=Dan the local")
        if self.dialect.mode == "OVERWRITE":
            self.assertEqual(outcomes(self.push()), [("update", "ok")])
            self.assertEqual(service.records()[other]["name"], "Dan the local")
        else:
            [outcome] = [line for line in self.push(status=None) if line["event"] == "outcome"]
            self.assertIn(outcome["result"], ["skipped", "conflicted"], outcome)
            self.assertEqual(service.records()[other]["name"], "Dan the other")
            self.assertEqual(len(store.soup("conflicts")), 1)
            store.soup("discard", "contacts", store.entry("Dan the local"))
        store.soup("sync", "down")
        self.compare()

        # Another client deletes records; one of them is also deleted here, and one is changed.
        edited, also, gone = service.id("Eve"), service.id("Fay"), service.id("Cyd B.")
        store.soup("delete", "contacts", store.entry("Fay"))
        self.edit("Eve", "city=Oslo")
        for key in (edited, also, gone):
            service.remove(key)
        pushed = outcomes(self.push(status=None))
        if self.dialect.mode == "OVERWRITE":
            self.assertEqual(pushed, [("create", "ok"), ("delete", "ok")])
        else:
            result = "conflicted" if self.dialect.mode == "MERGE" else "skipped"
            self.assertEqual(pushed, [("delete", "ok"), ("update", result)])
            self.assertEqual([line["remote"] for line in store.soup("conflicts")], [None])
            store.soup("discard", "contacts", store.entry("Eve"))
        store.soup("sync", "down")
        if not self.dialect.reports_deletions:
            self.assertIn("Cyd B.", [entry["name"] for entry in store.entries()])
            store.soup("clean-ghosts", "down")
        left = ["Ada M.", "Dan the local", "Eve"] if self.dialect.mode == "OVERWRITE" else ["Ada M.", "Dan the other"]
        self.assertEqual(sorted(entry["name"] for entry in store.entries()), left)
        self.compare()


globals().update(dialects.test_cases(BothDirections))
