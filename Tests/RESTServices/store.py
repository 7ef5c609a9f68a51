# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A store with one soup, and the commands of soup on it."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class Store:
    """A configuration folder with a store, which is removed by `close`."""

    def __init__(self, dialect, url):
        self.dialect = dialect
        self.folder = Path(tempfile.mkdtemp())
        address = {"type": "http", "url": url + dialect.path}
        if dialect.key:
            address = {"type": "http", "connection": "service", "path": dialect.path}
            auth = {"type": "apiKey", "name": "X-API-Key", "value": "${SERVICE_KEY}"}
            self.write("org.json", {"connections": {"service": {"baseURL": url, "auth": auth}}})
        indexes = [("id", dialect.id_type), ("name", "string"), ("__local__", "string")]
        indexes = [{"path": path, "type": kind} for path, kind in indexes]
        self.write("userstore.json", {"soups": [{"soupName": "contacts", "indexes": indexes}]})
        syncs = [self.sync("down", "syncDown", address, dialect.down), self.sync("up", "syncUp", address, dialect.up)]
        self.write("usersyncs.json", {"syncs": syncs})
        self.write("all.json", {"queryType": "all", "soupName": "contacts", "pageSize": 1000})

    def sync(self, name, kind, address, target):
        return {
            "syncName": name, "syncType": kind, "soupName": "contacts", "target": {**address, **target},
            "options": {"mergeMode": self.dialect.mode},
        }

    def write(self, name, value):
        (self.folder / name).write_text(json.dumps(value))

    def close(self):
        shutil.rmtree(self.folder)

    # Copies of the folder.

    def keep(self, name):
        shutil.copytree(self.folder, self.folder.with_name(f"{self.folder.name}-{name}"))

    def restore(self, name):
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder.with_name(f"{self.folder.name}-{name}"), self.folder)

    def forget(self, name):
        shutil.rmtree(self.folder.with_name(f"{self.folder.name}-{name}"))

    # Commands.

    def start(self, *arguments, flags=("--json",)):
        return subprocess.Popen(
            [os.environ["SOUP"], *arguments, "--config", str(self.folder), *flags],
            env={**os.environ, "SERVICE_KEY": self.dialect.key or ""}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )

    def soup(self, *arguments, status=0):
        """Runs a command, and returns the JSON values that it printed; a status of None accepts any exit code."""
        process = self.start(*arguments)
        output, errors = process.communicate()
        assert status in (None, process.returncode), f"{arguments}: {process.returncode} {output}{errors}"
        return [json.loads(line) for line in output.splitlines()]

    def entries(self):
        return self.soup("query", "--spec", str(self.folder / "all.json"))

    def entry(self, name):
        [entry] = [entry for entry in self.entries() if entry["name"] == name]
        return str(entry["_soupEntryId"])


def fields(entry):
    """Returns the server's fields of an entry."""
    return {key: value for key, value in entry.items() if not key.startswith("__") and not key.startswith("_soup")}


def outcomes(lines):
    return sorted((line["action"], line["result"]) for line in lines if line["event"] == "outcome")
