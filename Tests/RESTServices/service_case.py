# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""The scenario of a sync with a service, and the functions of the tests for both sides."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class Service:
    """A service in a process of its own, which is ended by `close`."""

    def __init__(self, script, headers=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.headers = headers or {}
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [sys.executable, str(FOLDER / "services" / script), str(port)], stdout=self.log, stderr=self.log
        )
        self.wait()

    def wait(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.call("GET", "/")
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the service did not start:\n{self.output()}") from None
                time.sleep(0.05)

    def output(self):
        self.log.seek(0)
        return self.log.read()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def call(self, method, path, body=None):
        """Sends a request, as another client would; returns the status and the body."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, error.read()


class ServiceCase(unittest.TestCase):
    """The scenario; a class for each service sets these members."""

    script = None
    headers = {}
    #: The path of the list, and of a record with {}.
    path = None
    item = None
    id_type = "string"
    #: The target of each direction, without type and url.
    down = {}
    up = {}
    mode = "LEAVE_IF_CHANGED"
    #: Whether a sync down itself removes deleted records.
    reports_deletions = False

    def setUp(self):
        self.service = Service(self.script, self.headers)
        self.addCleanup(self.service.close)
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        address = {"type": "http", "url": self.service.url + self.path, **({"headers": self.headers} if self.headers else {})}
        indexes = [{"path": "id", "type": self.id_type}, {"path": "name", "type": "string"}]
        indexes.append({"path": "__local__", "type": "string"})
        self.write("userstore.json", {"soups": [{"soupName": "contacts", "indexes": indexes}]})
        self.write(
            "usersyncs.json",
            {
                "syncs": [
                    self.sync("down", "syncDown", {**address, **self.down}),
                    self.sync("up", "syncUp", {**address, **self.up}),
                ]
            },
        )

    def sync(self, name, kind, target):
        return {
            "syncName": name, "syncType": kind, "soupName": "contacts", "target": target,
            "options": {"mergeMode": self.mode},
        }

    def write(self, name, value):
        (self.folder / name).write_text(json.dumps(value))

    # Requests to the service.

    def records(self):
        """Returns the records of the service by their IDs."""
        raise NotImplementedError

    def add(self, name):
        status, body = self.service.call("POST", self.path, {"name": name, "city": "Bern"})
        self.assertEqual(status, 201, body)
        return body

    # Commands.

    def run_soup(self, *arguments):
        # A sync needs a session; absolute URLs do not use it, and its server does not exist.
        session = {"SOUP_INSTANCE_URL": "http://127.0.0.1:1", "SOUP_ACCESS_TOKEN": "none"}
        return subprocess.run(
            [os.environ["SOUP"], *arguments, "--config", str(self.folder), "--json"],
            env={**os.environ, **session}, capture_output=True, text=True,
        )

    def soup(self, *arguments, status=0):
        """Runs a soup command, and returns the JSON values that it printed."""
        done = self.run_soup(*arguments)
        if status is None:
            status = done.returncode
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout}{done.stderr}{self.service.output()}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def entries(self):
        self.write("all.json", {"queryType": "all", "soupName": "contacts", "pageSize": 1000})
        return self.soup("query", "--spec", str(self.folder / "all.json"))

    def entry(self, name):
        [entry] = [entry for entry in self.entries() if entry["name"] == name]
        return str(entry["_soupEntryId"])

    def outcomes(self, lines):
        return sorted((line["action"], line["result"]) for line in lines if line["event"] == "outcome")

    def compare(self):
        """Compares all entries with all records of the service."""
        entries = {}
        for entry in self.entries():
            self.assertFalse(entry["__local__"], entry)
            entries[entry["id"]] = {
                key: value for key, value in entry.items() if not key.startswith("__") and not key.startswith("_soup")
            }
        self.assertEqual(entries, self.records())

    # The scenario.

    def test_a_soup_is_synced_in_both_directions(self):
        self.assertEqual([line for line in self.soup("validate") if line.get("severity") == "error"], [])
        for name in ["Ada", "Ben", "Cyd", "Dan", "Eve"]:
            self.add(name)
        self.soup("sync", "down")
        self.assertEqual(len(self.entries()), 5)
        self.compare()

        # Edits without a connection.
        self.soup("edit", "contacts", self.entry("Ada"), "name=Ada L.")
        self.soup("create", "contacts", "name=Fay", "city=Rom")
        self.soup("delete", "contacts", self.entry("Ben"))
        outcomes = self.outcomes(self.soup("sync", "up"))
        self.assertEqual(outcomes, [("create", "ok"), ("delete", "ok"), ("update", "ok")])
        self.assertEqual(
            sorted(record["name"] for record in self.records().values()), ["Ada L.", "Cyd", "Dan", "Eve", "Fay"])
        self.soup("sync", "down")
        self.compare()
        # A second edit of the same entry is no conflict with the first one.
        self.soup("edit", "contacts", self.entry("Ada L."), "name=Ada M.")
        self.assertEqual(self.outcomes(self.soup("sync", "up")), [("update", "ok")])

        # The service rejects a value; the entry stays dirty until it is correct.
        self.soup("edit", "contacts", self.entry("Cyd"), f"name={self.bad_name}")
        lines = self.soup("sync", "up", status=1)
        [failure] = [line for line in lines if line["event"] == "outcome"]
        self.assertEqual(failure["result"], "failed", failure)
        self.check_failure(failure["error"])
        self.soup("edit", "contacts", self.entry(self.bad_name), "name=Cyd B.")
        self.assertEqual(self.outcomes(self.soup("sync", "up")), [("update", "ok")])

        # Both sides change a record.
        self.soup("sync", "down")
        [other] = [key for key, record in self.records().items() if record["name"] == "Dan"]
        self.change(other, "Dan the other")
        self.soup("edit", "contacts", self.entry("Dan"), "name=Dan the local")
        [outcome] = [line for line in self.soup("sync", "up", status=None) if line["event"] == "outcome"]
        self.assertIn(outcome["result"], ["skipped", "conflicted"], outcome)
        self.assertEqual(self.records()[other]["name"], "Dan the other")
        self.assertEqual(len(self.soup("conflicts")), 1)
        self.soup("discard", "contacts", self.entry("Dan the local"))
        self.soup("sync", "down")
        self.compare()

        # Another client deletes records; one of them was edited here and is deleted here, too.
        [gone] = [key for key, record in self.records().items() if record["name"] == "Eve"]
        [also] = [key for key, record in self.records().items() if record["name"] == "Fay"]
        self.soup("delete", "contacts", self.entry("Fay"))
        for key in (gone, also):
            self.assertEqual(self.service.call("DELETE", self.item.format(key))[0], 204)
        self.assertEqual(self.outcomes(self.soup("sync", "up")), [("delete", "ok")])
        self.soup("sync", "down")
        if not self.reports_deletions:
            self.assertEqual(len(self.entries()), 4)
            self.soup("clean-ghosts", "down")
        self.assertEqual(len(self.entries()), 3)
        self.compare()

    bad_name = "a name of more than 20 characters"

    def check_failure(self, error):
        self.assertIn("name", json.dumps(error))

    def change(self, key, name):
        status, body = self.service.call("PATCH", self.item.format(key), {"name": name})
        self.assertEqual(status, 200, body)
