# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Looks for 1,000 planted values in all blocks of a file system that soup used with an encrypted store.

Temporary and deleted files are part of it. A second run without encryption shows that the values would be found. It
needs root on Linux, for a file system of its own; elsewhere the test is skipped, except in CI (CI=true).
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

COUNT = 1000
PATTERN = re.compile(rb"planted[0-9a-f]{12}")
# The form that only a query creates, so that only its temporary file contains it.
SORTED = re.compile(rb"PLANTED[0-9A-F]{12}")


def can_mount():
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mkfs.ext4") is not None


class FileSystem:
    """A file system in a file, which is mounted in a folder."""

    def __init__(self, folder):
        self.image, self.path = folder / "image", folder / "mounted"
        with open(self.image, "wb") as image:
            image.truncate(192 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(self.image)], check=True)
        self.path.mkdir()

    def __enter__(self):
        # Every write reaches the image at once, so that it contains files that were removed soon after.
        subprocess.run(["mount", "-o", "loop,sync", str(self.image), str(self.path)], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", str(self.path)], check=True)


@unittest.skipUnless(can_mount() or os.environ.get("CI") == "true", "needs root on Linux")
class PlantedValuesTests(unittest.TestCase):
    def setUp(self):
        # In memory, because each write to the image waits until it has it.
        memory = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self.addCleanup(shutil.rmtree, self.folder)
        source = random.Random(23)
        self.values = [f"planted{source.getrandbits(48):012x}" for _ in range(COUNT)]
        self.key = f"{source.getrandbits(256):064x}"

    def test_encrypted_store_contains_no_value(self):
        image = self.use_store(encryption={"encryption": {"key": "environment"}})
        self.assertEqual(len(set(PATTERN.findall(image) + SORTED.findall(image))), 0)
        self.assertEqual(image.lower().count("planted".encode("utf-16-le")), 0)
        self.assertEqual(image.count(self.key.encode()), 0)
        self.assertEqual(image.count(bytes.fromhex(self.key)), 0)
        self.assertEqual(image.count(b"SQLite format"), 0)

    def test_values_are_found_without_encryption(self):
        image = self.use_store(encryption={})
        self.assertEqual(set(PATTERN.findall(image)), {value.encode() for value in self.values})
        self.assertGreater(len(SORTED.findall(image)), 0)
        self.assertGreater(image.count(b"SQLite format"), 0)

    def use_store(self, encryption):
        """Loads, changes, searches, sorts, migrates, compacts and kills; returns the bytes of the file system."""
        values = iter(self.values)
        soups = [next(values) for _ in range(20)]
        paths = [next(values) for _ in range(40)]
        fields, words = [next(values) for _ in range(440)], [next(values) for _ in range(500)]
        configuration = self.folder / "configuration"
        configuration.mkdir()

        def configure(kinds):
            indexes = [{"path": path, "type": kind} for path, kind in zip(paths, kinds)]
            content = {
                "soups": [{"soupName": soup, "indexes": indexes} for soup in soups],
                "backend": {"type": "sqlite", **encryption},
            }
            (configuration / "userstore.json").write_text(json.dumps(content))

        configure(["string", "full_text"] * 10)
        system = FileSystem(self.folder)
        with system:
            self.store = system.path / "store.db"
            self.environment = dict(
                os.environ, SOUPKIT_STORE_KEY=self.key, TMPDIR=str(system.path), SQLITE_TMPDIR=str(system.path)
            )
            self.command = [os.environ["SOUP"]]
            self.options = ["--config", str(configuration), "--store", str(self.store)]
            for round, soup in enumerate(soups[:4]):
                self.soup("upsert", soup, lines=self.records(paths, fields, words, round))
            for soup in soups[4:]:
                self.soup("upsert", soup, lines=self.records(paths, fields, words, 0, count=20))
            first, second = soups[0], paths[0]
            self.soup("query", f"select {{{first}:_soup}} from {{{first}}} order by {{{first}:other}}, {{{first}:{second}}}")
            # Longer than the memory of a sort.
            text = " || ".join([f"upper({{{first}:_soup}})"] * 8)
            self.soup("query", f"select {text} from {{{first}}} order by {text}")
            word = f"{{{first}:_soupEntryId}} in (select rowid from {{{first}}}_fts where {{{first}}}_fts match '{words[0]}')"
            self.soup("query", f"select count(*) from {{{first}}} where {word}")
            configure(["string", "full_text"] * 20)
            self.soup("migrate")
            self.kill_during_load(first, self.records(paths, fields, words, 9, count=20000))
            self.soup("compact")
            self.soup("soups", "--remove", soups[1])
            self.soup("soups")
        return system.image.read_bytes()

    @staticmethod
    def records(paths, fields, words, round, count=700):
        lines = []
        for number in range(count):
            record = {path: f"{fields[(number * 7 + i) % len(fields)]} {words[(number + i) % len(words)]}"
                      for i, path in enumerate(paths[:6])}
            record["other"] = [fields[number % len(fields)], {"round": round, "text": " ".join(words[number % 400:][:20])}]
            lines.append(json.dumps(record) + "\n")
        return "".join(lines)

    def soup(self, *arguments, lines=""):
        done = subprocess.run(
            [*self.command, *arguments, *self.options], env=self.environment, input=lines, text=True, capture_output=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def kill_during_load(self, soup, lines):
        log = Path(f"{self.store}-wal")
        source = self.folder / "lines"
        source.write_text(lines)
        with open(source) as stream:
            running = subprocess.Popen(
                [*self.command, "upsert", soup, *self.options], env=self.environment, stdin=stream, stdout=subprocess.DEVNULL
            )
            while running.poll() is None and (not log.exists() or log.stat().st_size < 1 << 20):
                time.sleep(0.001)
            running.kill()
            running.wait()


if __name__ == "__main__":
    unittest.main()
