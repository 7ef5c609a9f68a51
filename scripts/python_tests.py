# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Runs Python tests of the command soup in a virtual environment with published packages.

A folder of tests has a requirements.txt, files test_*.py, and a run.py that calls main().
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)  # The versions that all packages support.


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


def fail(name, message):
    print(f"{name}: {message}", file=sys.stderr)
    print(f"Set SKIP_CLIENTS=1 to skip make {name}.", file=sys.stderr)
    sys.exit(1)


def version_of(python):
    """Returns the version of a Python, or None if it cannot be run."""
    try:
        text = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True
        ).stdout
        return tuple(int(part) for part in text.split())
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def supported_python(name):
    names = [sys.executable, "python3"] + [f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    found = []
    for candidate in names:
        python = shutil.which(candidate)
        version = version_of(python) if python else None
        if version is None:
            continue
        if OLDEST <= version <= NEWEST:
            return python
        found.append("{}.{}".format(*version))
    supported = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
    fail(
        name,
        f"the tests need Python {supported}; found: {', '.join(found) or 'none'}. "
        "Install it; on Debian: apt-get install python3 python3-venv",
    )


def environment(folder, name):
    """Returns the Python of a virtual environment with the packages, which is created once for each requirements.txt."""
    requirements = folder / "requirements.txt"
    environments = Path(__file__).resolve().parent.parent / ".build" / name
    python = supported_python(name)
    key = hashlib.sha256(requirements.read_bytes() + python.encode()).hexdigest()[:16]
    target = environments / f"venv-{key}"
    inside = target / "bin" / "python"
    stamp = target / "complete"
    if stamp.exists():
        return inside
    shutil.rmtree(environments, ignore_errors=True)
    print(f"{name}: creating a virtual environment with {python}", flush=True)
    if subprocess.run([python, "-m", "venv", str(target)]).returncode != 0:
        fail(name, "the virtual environment cannot be created. Install venv; on Debian: apt-get install python3-venv")
    install = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    if subprocess.run(install).returncode != 0:
        fail(name, "pip cannot install the packages. Check the network, or set PIP_INDEX_URL to a reachable index.")
    stamp.touch()
    return inside
