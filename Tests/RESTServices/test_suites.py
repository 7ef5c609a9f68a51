# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""The suites for targets of SoupTesting with each service, which the Swift tests ServiceSuiteTests run."""

import json
import os
import subprocess
import unittest
from pathlib import Path

import dialects
from service import Service

TESTS = Path(os.environ["SOUP"]).parent / "SoupKitPackageTests.xctest"


class Suites:
    dialect = None

    def setUp(self):
        self.service = Service(self.dialect)
        self.addCleanup(self.service.close)

    def description(self):
        """Keeps the states that the suites need, and returns the description of the service."""
        service, dialect = self.service, self.dialect
        names = ["Ada", "Ben", "Cyd", "Dan", "Eve"]
        for name in names:
            service.add(name)
        service.keep("full")
        records = service.records()
        known = [record for name in names for record in records.values() if record["name"] == name]
        for record in known:
            service.change(record["id"], city="Oslo")
        service.keep("changed")
        service.restore("full")
        for record in known[:3]:
            service.remove(record["id"])
        service.keep("missing")
        service.restore("full")
        address = {"type": "http", "url": service.url + dialect.path}
        paging = dialect.down.get("paging")
        return {
            "url": service.url, "path": dialect.path, "records": known, "badName": dialect.bad_name,
            "down": {**address, **dialect.down}, "up": {**address, **dialect.up}, "replaces": dialect.replaces,
            "headers": {"X-API-Key": dialect.key} if dialect.key else {}, "undated": "modified" not in dialect.down,
            "numbered": isinstance(paging, dict) and paging["type"] in ("page", "offset") or dialect.numbers_pages,
            "withoutLookups": "parameters" not in dialect.up.get("clientKey", {}),
        }

    @unittest.skipIf(TESTS.is_dir(), "on macOS the tests are a bundle and not a program")
    def test_the_targets_pass_the_suites(self):
        variables = {**os.environ, "SOUPKIT_SERVICE": json.dumps(self.description())}
        command = [str(TESTS), "--testing-library", "swift-testing", "--no-parallel", "--filter", "ServiceSuiteTests"]
        done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"run with 2 tests in 1 suite passed", done.stdout)


globals().update(dialects.test_cases(Suites))
