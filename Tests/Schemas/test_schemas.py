# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""The schemas and `soup validate` agree about the form of configurations."""

import itertools
import json
import os
import random
import re
import subprocess
import tempfile
import time
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jsonschema import Draft202012Validator

import configurations
from mutations import mutated

SOUP = os.environ["SOUP"]
COUNT = int(os.environ.get("SOUPKIT_MUTATIONS", "300"))
SEED = int(os.environ.get("SOUPKIT_MUTATION_SEED", str(int(time.time()))))

# The messages of `soup validate` about the form of a file: kinds of values, keys, and names of a closed set.
FORM = re.compile(
    r"^expected .* found |is not an object$|\" is (missing|null)$|is not one of the values allowed here$|^no (sync-|store backend|conflict"
    r"|record|transport|merge mode|sync type|index type)|^the key .* is not known and is ignored$|^the target has no"
    r"|has no \"type\"$|^the (conflict resolver|record transform|transport) has no name$|must name its class$|\" is empty$|^the soup has no indexes$|cannot be the name of a soup$"
)
# A misspelling in a target that names a class of another platform: the schema allows the keys of that class.
UNKNOWN_KEY = re.compile(r"^the key .* is not known and is ignored$")
ABSENT = object()
FOREIGN = {"iOSImpl", "androidImpl", "AndroidImpl"}


def schemas():
    names = ["userstore.json", "usersyncs.json", "org.json"]
    return {name: json.loads(soup("schema", name).stdout) for name in names}


def soup(*arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SOUP_")}
    return subprocess.run([SOUP, *arguments], capture_output=True, text=True, env=environment)


def problems(folder):
    """The errors, and the warnings about keys, that `soup validate` reports, by file."""
    run = soup("validate", "--config", folder, "--json")
    found = {}
    for line in (run.stdout + run.stderr).splitlines():
        event = json.loads(line)
        problem = event.get("error") or event.get("warning")
        if problem and ("error" in event or UNKNOWN_KEY.search(problem["message"])):
            found.setdefault(problem.get("file"), []).append(problem)
    return found


def is_in_foreign_target(problem, document):
    """Whether a problem is an unknown key of a target, not of an object in it, that names a class of another platform."""
    place = re.fullmatch(r"syncs\[(\d+)\]\.target\.[^.\[]+", problem.get("path", ""))
    if not place or not UNKNOWN_KEY.search(problem["message"]):
        return False
    return bool(FOREIGN & document["syncs"][int(place[1])]["target"].keys())


class SchemaTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validators = {}
        for name, schema in schemas().items():
            Draft202012Validator.check_schema(schema)
            cls.validators[name] = Draft202012Validator(schema)

    def compare(self, file, document, found):
        """Returns the disagreement about a document; None if there is none."""
        errors = [error.message[:200] for error in self.validators[file].iter_errors(document)]
        form = [problem for problem in found if FORM.search(problem["message"])]
        form = [problem for problem in form if not is_in_foreign_target(problem, document)]
        if errors and not found:
            return f"only the schema: {errors[:3]}: {json.dumps(document)}"
        if form and not errors:
            return f"only validate: {[problem['message'] for problem in form[:3]]}: {json.dumps(document)}"
        return None

    def check(self, documents):
        """Compares documents, each with the name of its file."""
        by_file = {name: [document for file, document in documents if file == name] for name in self.validators}
        # A store and syncs in the two scopes of one folder, so that they do not depend on each other. If a plug-in of
        # org.json cannot be loaded, the other files are not checked.
        pairs = itertools.zip_longest(by_file["usersyncs.json"], by_file["userstore.json"], fillvalue=ABSENT)
        folders = [{"usersyncs.json": syncs, "globalstore.json": store} for syncs, store in pairs]
        folders += [{"org.json": org} for org in by_file["org.json"]]
        counts = Counter()

        def compare(files):
            files = {name: document for name, document in files.items() if document is not ABSENT}
            with tempfile.TemporaryDirectory() as folder:
                for name, document in files.items():
                    Path(folder, name).write_text(json.dumps(document))
                found = problems(folder)
            disagreements = []
            for name, document in files.items():
                schema = name.replace("global", "user")
                reported = found.get(name, [])
                verdict = self.compare(schema, document, reported)
                is_form = any(FORM.search(problem["message"]) for problem in reported)
                counts[f"{schema}: {'refused' if is_form else 'values refused' if reported else 'accepted'}"] += 1
                if verdict:
                    disagreements.append(f"{schema}: {verdict}")
            return disagreements

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(compare, folders))
        disagreements = [text for result in results for text in result]
        print(f"\n{sum(counts.values())} files, seed {SEED}: {dict(sorted(counts.items()))}")
        self.assertEqual(len(disagreements), 0, "\n".join(disagreements[:20]))
        return counts

    def documents(self):
        stores = configurations.STORES + configurations.files("store.json")
        syncs = configurations.targets(SOUP) + configurations.files("syncs.json")
        orgs = configurations.ORGS + configurations.files("org.json")
        return {"userstore.json": stores, "usersyncs.json": syncs, "org.json": orgs}

    def test_published_configurations(self):
        documents = self.documents()
        counts = self.check([(file, document) for file, all in documents.items() for document in all])
        self.assertEqual(sum(count for name, count in counts.items() if name.endswith("accepted")) > 60, True, counts)

    def test_damaged_configurations(self):
        generator = random.Random(SEED)
        documents = self.documents()
        damaged = []
        for file, share in [("usersyncs.json", 0.6), ("userstore.json", 0.2), ("org.json", 0.2)]:
            for _ in range(int(COUNT * share)):
                damaged.append((file, mutated(generator.choice(documents[file]), generator)))
        self.check(damaged)


if __name__ == "__main__":
    unittest.main()
