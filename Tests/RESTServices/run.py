# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Syncs with services of published Python frameworks, and compares the store with each service.

    python3 Tests/RESTServices/run.py path/to/soup [test ...]

Creates a virtual environment in .build/services, installs requirements.txt into it, and runs the tests of this folder in it.
Fails without a supported Python, or if pip cannot access the network. With SKIP_CLIENTS=1, prints a line and runs no test.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SERVICES = FOLDER.parent.parent / ".build" / "services"
OLDEST, NEWEST = (3, 11), (3, 13)  # The versions that all packages support.


def fail(message):
    print(f"services: {message}", file=sys.stderr)
    print("Set SKIP_CLIENTS=1 to skip the tests with REST services.", file=sys.stderr)
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


def supported_python():
    names = [sys.executable, "python3"] + [f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    found = []
    for name in names:
        python = shutil.which(name)
        version = version_of(python) if python else None
        if version is None:
            continue
        if OLDEST <= version <= NEWEST:
            return python
        found.append("{}.{}".format(*version))
    supported = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
    fail(
        f"The services need Python {supported}; found: {', '.join(found) or 'none'}. "
        "Install it; on Debian: apt-get install python3 python3-venv"
    )


def environment():
    """Returns the Python of a virtual environment with the frameworks, which is created once for each requirements.txt."""
    requirements = FOLDER / "requirements.txt"
    python = supported_python()
    key = hashlib.sha256(requirements.read_bytes() + python.encode()).hexdigest()[:16]
    folder = SERVICES / f"venv-{key}"
    inside = folder / "bin" / "python"
    stamp = folder / "complete"
    if stamp.exists():
        return inside
    shutil.rmtree(SERVICES, ignore_errors=True)
    print(f"services: creating a virtual environment with {python}", flush=True)
    if subprocess.run([python, "-m", "venv", str(folder)]).returncode != 0:
        fail("the virtual environment cannot be created. Install venv; on Debian: apt-get install python3-venv")
    install = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    if subprocess.run(install).returncode != 0:
        fail("pip cannot install the packages. Check the network, or set PIP_INDEX_URL to a reachable index.")
    stamp.touch()
    return inside


def main():
    if os.environ.get("SKIP_CLIENTS") == "1":
        print("services: skipped because of SKIP_CLIENTS=1")
        return 0
    if len(sys.argv) < 2:
        fail("the path of soup is missing. Give it as the first argument, or run make services.")
    soup = Path(sys.argv[1]).resolve()
    if not os.access(soup, os.X_OK):
        fail(f"{soup} is not an executable file. Build it with: swift build --product soup --traits Tools")
    python = environment()
    tests = sys.argv[2:] or sorted(file.stem for file in FOLDER.glob("test_*.py"))
    variables = dict(os.environ, SOUP=str(soup), PYTHONPATH=str(FOLDER), PYTHONDONTWRITEBYTECODE="1")
    for name in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SOUP_INSTANCE_URL", "SOUP_ACCESS_TOKEN"]:
        variables.pop(name, None)
    return subprocess.run([str(python), "-m", "unittest", "--verbose", *tests], env=variables).returncode


if __name__ == "__main__":
    sys.exit(main())
