# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Resolves a creation without a response by hand, at a service that does not recognize it."""

import unittest

import dialects
from faults import FAULTS
from proxy import Proxy
from service import Service
from store import Store, fields


class ResolveTests(unittest.TestCase):
    def test_the_record_that_was_fetched_meanwhile_is_merged(self):
        dialect = dialects.Deltas()
        service = Service(dialect)
        self.addCleanup(service.close)
        proxy = Proxy(service.port)
        self.addCleanup(proxy.close)
        store = Store(dialect, proxy.url)
        self.addCleanup(store.close)

        store.soup("create", "contacts", "name=Fay", "city=Rom")
        created = store.entry("Fay")
        [lost] = [fault for fault in FAULTS if fault.name == "answer lost"]
        proxy.arm(lost, 1)
        store.soup("sync", "up", status=1)
        proxy.disarm()
        store.soup("sync", "down")
        self.assertEqual(len(store.entries()), 2)

        # The index of the IDs contains numbers.
        process = store.start("resolve", "contacts", created, "--created", str(service.id("Fay")), flags=())
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("which had the same record, is merged into it", output)
        [entry] = store.entries()
        self.assertEqual([fields(entry)], list(service.records().values()))
        self.assertFalse(entry["__local__"])
