# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Runs Python tests of the command soup in a virtual environment with published packages.

A folder of tests has a requirements.txt, files test_*.py, and a run.py that calls main().
"""

import os
import subprocess
import sys
from pathlib import Path

from python_environment import environment, fail


def main(folder, name, build):
    """Runs the tests of a folder, and returns the exit code.

    The first argument of the command line is the path of soup; the others name tests. Creates the environment in
    .build/NAME. Fails without a supported Python, or if pip cannot access the network. With SKIP_CLIENTS=1, prints a
    line and runs no test.

    name: the name of the make target.
    build: the command that builds soup for these tests.
    """
    folder = Path(folder).resolve()
    if os.environ.get("SKIP_CLIENTS") == "1":
        print(f"{name}: skipped because of SKIP_CLIENTS=1")
        return 0
    if len(sys.argv) < 2:
        fail(name, f"the path of soup is missing. Give it as the first argument, or run make {name}.")
    soup = Path(sys.argv[1]).resolve()
    if not os.access(soup, os.X_OK):
        fail(name, f"{soup} is not an executable file. Build it with: {build}")
    python = environment(folder, name)
    tests = sys.argv[2:] or sorted(file.stem for file in folder.glob("test_*.py"))
    variables = dict(os.environ, SOUP=str(soup), PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1")
    for variable in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SOUP_INSTANCE_URL", "SOUP_ACCESS_TOKEN"]:
        variables.pop(variable, None)
    return subprocess.run([str(python), "-m", "unittest", "--verbose", *tests], env=variables).returncode
