# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A service in a process of its own, and requests to it as another client sends them."""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class Service:
    """A running service of a dialect, which is ended by `close`."""

    def __init__(self, dialect):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.dialect = dialect
        self.log = tempfile.TemporaryFile(mode="w+")
        script = str(FOLDER / "services" / dialect.script)
        self.process = subprocess.Popen([sys.executable, script, str(self.port)], stdout=self.log, stderr=self.log)
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
        """Sends a request; returns the status and the body."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-API-Key": self.dialect.key or "", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def expect(self, status, method, path, body=None):
        """Sends a request, and returns the body of a response with the status."""
        found, answer = self.call(method, path, body)
        assert found == status, f"{method} {path}: {found} {answer}\n{self.output()}"
        return answer

    # The records, which the dialect finds at its own paths.

    def records(self):
        """Returns all records by their IDs."""
        return self.dialect.records(self)

    def id(self, name):
        [found] = [key for key, record in self.records().items() if record["name"] == name]
        return found

    def add(self, name):
        return self.expect(201, "POST", self.dialect.path, {"name": name, "city": "Bern"})

    def change(self, key, **fields):
        record = self.records()[key]
        body = {"name": record["name"], "city": record["city"], **fields} if self.dialect.replaces else fields
        self.expect(200, "PUT" if self.dialect.replaces else "PATCH", self.dialect.item.format(key), body)

    def remove(self, key):
        self.expect(204, "DELETE", self.dialect.item.format(key))

    # Copies of all records inside the service, which no client sees.

    def keep(self, name):
        self.expect(200, "POST", f"/keep/{name}")

    def restore(self, name):
        self.expect(200, "POST", f"/restore/{name}")
