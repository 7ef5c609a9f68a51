#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Checks the hash of the source code that plug-ins are compiled with, and the version that each boundary states.

`--write` updates the hash in the two files that contain it.

A plug-in that is loaded at run time uses the memory layout of the types it was compiled with. The hash is the same only
if all code of the product SoupPluginInterface is the same; lines with comments do not count.
"""

import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = [ROOT / "Sources/SoupCore/Registry" / name for name in ("PluginInterface.swift", "PluginEntry.swift")]
MARK = re.compile(r"soupkit-plugin-interface=(\d+)/([0-9a-f]{16});")
# The targets of the product SoupPluginInterface in Package.swift, without SoupTesting, which plug-ins use only in tests.
FOLDERS = ["Sources/SoupCore", "Sources/SoupHTTP", "Sources/SoupSalesforce", "Plugins/SoupMemory/Sources"]


def source_hash():
    digest = hashlib.sha256()
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.swift")):
            digest.update(f"{file.relative_to(ROOT).as_posix()}\n".encode())
            for line in file.read_text().splitlines():
                line = line.strip()
                if line and not line.startswith("//"):
                    digest.update(MARK.sub("", line).encode() + b"\n")
    return digest.hexdigest()[:16]


def check_boundaries(version):
    """Checks that each protocol in the table of PluginInterface.swift states the version."""
    rows = re.findall(r"^/// \| (`.*`.*) \| (\d+) \|$", FILES[0].read_text(), re.MULTILINE)
    sources = [file.read_text() for file in (ROOT / "Sources").rglob("*.swift")]
    for names, stated in rows:
        for name in re.findall(r"`([A-Z]\w+)`", names):
            declared = [text for text in sources if re.search(rf"^public protocol {name}\b", text, re.MULTILINE)]
            if stated != version or not any(f"Plug-in interface: version {version}." in text for text in declared):
                sys.exit(f"{name}: its documentation or the table of PluginInterface does not state version {version}")


def main():
    version = re.search(r"public static let version = (\d+)", FILES[0].read_text()).group(1)
    check_boundaries(version)
    mark = f"soupkit-plugin-interface={version}/{source_hash()};"
    for file in FILES:
        text = file.read_text()
        correct = MARK.sub(mark, text)
        if mark not in correct:
            sys.exit(f"{file.relative_to(ROOT)}: there is no mark {mark}")
        if "--write" in sys.argv[1:]:
            file.write_text(correct)
        elif text != correct:
            sys.exit(f"{file.relative_to(ROOT)}: the mark does not match the source code. Run make format.")


main()
