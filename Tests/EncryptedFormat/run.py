# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Reads encrypted stores of `soup` with a program that was written from the page on the format alone.

    python3 Tests/EncryptedFormat/run.py path/to/soup [test ...]

scripts/python_tests.py describes the environment and SKIP_CLIENTS.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # No folder __pycache__ in scripts.
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "scripts"))

import python_tests

sys.exit(python_tests.main(FOLDER, "encrypted-format", "swift build --product soup --traits Tools,Encryption"))
