# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Runs the clients of others against the local org, and checks what they return and what the org holds afterwards.

    python3 Tests/StockClients/run.py path/to/soup [test ...]

Makes a virtual environment in .build/clients, installs requirements.txt into it, and runs the tests of this folder in it.
Without a fitting Python, or without the network that pip needs, it fails; SKIP_CLIENTS=1 leaves everything out, and says so.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACE = HERE.parent.parent / ".build" / "clients"
OLDEST, YOUNGEST = (3, 11), (3, 13)  # what CumulusCI takes


def fail(message):
    print(f"stock clients: {message}", file=sys.stderr)
    print("SKIP_CLIENTS=1 leaves the stock clients out.", file=sys.stderr)
    sys.exit(1)


def version_of(python):
    """The version of a Python, or nothing when there is none at that place."""
    try:
        text = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True
        ).stdout
        return tuple(int(part) for part in text.split())
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def fitting_python():
    names = [sys.executable, "python3"] + [f"python3.{minor}" for minor in range(YOUNGEST[1], OLDEST[1] - 1, -1)]
    seen = []
    for name in names:
        python = shutil.which(name)
        version = version_of(python) if python else None
        if version is None:
            continue
        if OLDEST <= version <= YOUNGEST:
            return python
        seen.append("{}.{}".format(*version))
    wanted = "{}.{} to {}.{}".format(*OLDEST, *YOUNGEST)
    fail(f"CumulusCI needs Python {wanted}; found: {', '.join(seen) or 'none'}. Debian: apt-get install python3 python3-venv")


def environment():
    """A virtual environment with the clients, made once for each list of them."""
    requirements = HERE / "requirements.txt"
    python = fitting_python()
    key = hashlib.sha256(requirements.read_bytes() + python.encode()).hexdigest()[:16]
    folder = PLACE / f"venv-{key}"
    inside = folder / "bin" / "python"
    stamp = folder / "complete"
    if stamp.exists():
        return inside
    shutil.rmtree(PLACE, ignore_errors=True)
    print(f"stock clients: making a virtual environment with {python}", flush=True)
    if subprocess.run([python, "-m", "venv", str(folder)]).returncode != 0:
        fail("no virtual environment can be made. Debian: apt-get install python3-venv")
    install = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    if subprocess.run(install).returncode != 0:
        fail("pip could not install the clients; it needs the network, or an index that PIP_INDEX_URL names.")
    stamp.touch()
    return inside


def main():
    if os.environ.get("SKIP_CLIENTS") == "1":
        print("stock clients: skipped, as SKIP_CLIENTS=1 says")
        return 0
    if len(sys.argv) < 2:
        fail("which soup? Give its path, or run make clients.")
    soup = Path(sys.argv[1]).resolve()
    if not os.access(soup, os.X_OK):
        fail(f"{soup} is no program; swift build --product soup makes it.")
    python = environment()
    tests = sys.argv[2:] or sorted(file.stem for file in HERE.glob("test_*.py"))
    variables = dict(os.environ, SOUP=str(soup), PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1")
    for name in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SOUP_INSTANCE_URL", "SOUP_ACCESS_TOKEN"]:
        variables.pop(name, None)
    return subprocess.run([str(python), "-m", "unittest", "--verbose", *tests], env=variables).returncode


if __name__ == "__main__":
    sys.exit(main())
