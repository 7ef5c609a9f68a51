# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Compares the JSON Schemas that `soup schema` prints with `soup validate`, on published and on damaged configurations.

    python3 Tests/Schemas/run.py path/to/soup [test ...]

SOUPKIT_MUTATIONS is the number of damaged files, SOUPKIT_MUTATION_SEED the seed. scripts/python_tests.py describes the
environment and SKIP_CLIENTS.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # No folder __pycache__ in scripts.
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "scripts"))

import python_tests

sys.exit(python_tests.main(FOLDER, "schemas", "swift build --product soup --traits Tools,Server,TLS"))
