# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Creates virtual environments with published packages.

    scripts/python_environment.py FOLDER NAME     prints the Python of the environment for FOLDER/requirements.txt

The environment is in .build/NAME. SKIP_CLIENTS=1 skips everything that needs one.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)  # The versions that all packages support.


def fail(name, message):
    print(f"{name}: {message}", file=sys.stderr)
    print(f"Set SKIP_CLIENTS=1 to skip {name}.", file=sys.stderr)
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
        f"the packages need Python {supported}; found: {', '.join(found) or 'none'}. "
        "Install it; on Debian: apt-get install python3 python3-venv",
    )


def environment(folder, name):
    """Returns the Python of a virtual environment, which is created once for each requirements.txt.

    Fails without a supported Python, or if pip cannot access the network.
    """
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
    print(f"{name}: creating a virtual environment with {python}", file=sys.stderr, flush=True)
    # Standard output contains only the path.
    if subprocess.run([python, "-m", "venv", str(target)], stdout=sys.stderr).returncode != 0:
        fail(name, "the virtual environment cannot be created. Install venv; on Debian: apt-get install python3-venv")
    install = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    if subprocess.run(install, stdout=sys.stderr).returncode != 0:
        fail(name, "pip cannot install the packages. Check the network, or set PIP_INDEX_URL to a reachable index.")
    stamp.touch()
    return inside


if __name__ == "__main__":
    print(environment(Path(sys.argv[1]).resolve(), sys.argv[2]))
