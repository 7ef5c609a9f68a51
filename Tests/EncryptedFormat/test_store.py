# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Reads stores that soup has encrypted, also one with a log, and damaged ones."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parent.parent / "Sources/SoupEncryption/SoupEncryption.docc/Format-of-encrypted-files.md"
PASSPHRASE = "correct horse"


class StoreTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = self.folder / "userstore.db"

    def configure(self, key):
        soups = [
            {"soupName": name, "indexes": [{"path": "key", "type": "string"}, {"path": "text", "type": "full_text"}]}
            for name in ["notes", "pages"]
        ]
        backend = {"type": "sqlite", "encryption": {"key": key}}
        (self.folder / "userstore.json").write_text(json.dumps({"soups": soups, "backend": backend}))

    def soup(self, *arguments, lines=""):
        environment = dict(os.environ, SOUPKIT_STORE_PASSPHRASE=PASSPHRASE)
        command = [os.environ["SOUP"], *arguments, "--config", str(self.folder)]
        done = subprocess.run(command, env=environment, input=lines, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    @staticmethod
    def write(stream, text):
        try:
            stream.write(text)
            stream.close()
        except BrokenPipeError:
            pass  # The process was killed.

    def read(self, *arguments, store=None):
        command = [sys.executable, str(FOLDER / "reader.py"), str(store or self.store), *arguments]
        return subprocess.run(command, text=True, capture_output=True)

    def fill(self, count):
        entries = "".join(json.dumps({"key": str(i), "text": "word " * 300}) + "\n" for i in range(count))
        self.soup("upsert", "notes", "--external-id", "key", lines=entries)

    def assert_reads(self, *arguments, lines):
        done = self.read(*arguments)
        self.assertEqual((done.returncode, done.stdout.splitlines(), done.stderr), (0, lines, ""))

    def test_key_of_a_file(self):
        self.configure("file")
        self.fill(200)
        self.assert_reads("--key-file", f"{self.store}.key", lines=["notes: 200", "pages: 0"])
        plain = self.folder / "plain.db"
        self.assert_reads("--key-file", f"{self.store}.key", "--output", str(plain), lines=["notes: 200", "pages: 0"])
        # The decrypted database is a store that is not encrypted.
        self.configure("file")
        configuration = json.loads((self.folder / "userstore.json").read_text())
        del configuration["backend"]["encryption"]
        (self.folder / "userstore.json").write_text(json.dumps(configuration))
        query = [os.environ["SOUP"], "query", "select count(*) from {notes}", "--config", str(self.folder), "--json"]
        found = subprocess.run([*query, "--store", str(plain)], text=True, capture_output=True)
        self.assertEqual(found.stdout.strip(), "[200]", found.stderr)

    def test_passphrase_and_new_key(self):
        self.configure("passphrase")
        self.fill(3)
        self.assert_reads("--passphrase", PASSPHRASE, lines=["notes: 3", "pages: 0"])
        self.soup("rekey", "--to", "file")
        self.assertIn("wrong key", self.read("--passphrase", PASSPHRASE).stderr)
        self.assert_reads("--key-file", f"{self.store}.key", lines=["notes: 3", "pages: 0"])

    def test_log(self):
        self.configure("file")
        self.fill(1)
        # The process is killed while the store has a log.
        command = [os.environ["SOUP"], "upsert", "notes", "--external-id", "key", "--config", str(self.folder)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
            entries = "".join(json.dumps({"key": str(i), "text": "word " * 300}) + "\n" for i in range(100, 30100))
            threading.Thread(target=self.write, args=(running.stdin, entries)).start()
            log = Path(f"{self.store}-wal")
            while self.assertIsNone(running.poll()) or not log.exists() or log.stat().st_size < 1 << 20:
                time.sleep(0.001)
            running.kill()
        done = self.read("--key-file", f"{self.store}.key")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # soup reads the same number of entries from the files.
        query = [os.environ["SOUP"], "query", "select count(*) from {notes}", "--config", str(self.folder), "--json"]
        count = json.loads(subprocess.run(query, text=True, capture_output=True, check=True).stdout)[0]
        self.assertEqual(done.stdout.splitlines(), [f"notes: {count}", "pages: 0"])

    def test_errors(self):
        self.configure("file")
        self.fill(20)
        key = Path(f"{self.store}.key").read_text().strip()
        for arguments, error in [(["--passphrase", "x"], "wrong key"), (["--key", key[::-1]], "wrong key")]:
            done = self.read(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(error, done.stderr)
        while Path(f"{self.store}-wal").exists():
            self.soup("compact")  # A process can leave a log when it ends.
        valid = self.store.read_bytes()
        for offset, error in [(8192 + 16424 + 5, "unit 1"), (60, None), (0, None)]:
            changed = bytearray(valid)
            changed[offset] ^= 1
            self.store.write_bytes(changed)
            done = self.read("--key", key)
            if error:
                self.assertIn(error, done.stderr)
            else:
                self.assertEqual(done.stdout.splitlines(), ["notes: 20", "pages: 0"])
        self.store.write_bytes(b"SQLite format 3\0" + valid[16:])
        self.assertEqual(self.read("--key", key).returncode, 0)
        plain = self.folder / "other"
        plain.write_bytes(b"SQLite format 3\0" * 1000)
        self.assertIn("not encrypted", self.read("--key", key, store=plain).stderr)

    def test_page_has_the_vectors(self):
        page = "".join(PAGE.read_text().split())
        source = (FOLDER / "test_vectors.py").read_text().replace('"""', '"')
        texts = ["".join(text.split()) for text in source.split('"')]
        vectors = [text for text in texts if len(text) >= 64 and set(text) <= set("0123456789abcdef")]
        self.assertEqual(len(vectors), 6)
        for vector in vectors:
            self.assertIn(vector, page)


if __name__ == "__main__":
    unittest.main()
