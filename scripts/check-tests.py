#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Checks that the tests mirror the sources. Prints each file that does not, and fails if there is one.

The tests of `Folder/X.swift` are in `Folder/XTests.swift` or `Folder/X+AspectTests.swift` of the module's tests, with a
test type of that name without the plus sign. Tests over several files are in `Scenarios`; code without tests is in
`Support`, or beside the scenario that uses it.
"""
import pathlib
import re
import sys


def targets():
    """Yields the folder of each test target, with the sources that it tests; None if it tests several modules."""
    for tests in sorted(pathlib.Path("Tests").glob("Soup*Tests")):
        module = tests.name.removesuffix("Tests")
        found = [path for path in (pathlib.Path("Sources", module), pathlib.Path("Tools", module)) if path.is_dir()]
        yield tests, found[0] if found else None
    for tests in sorted(pathlib.Path("Plugins").glob("*/Tests")):
        yield tests, tests.parent / "Sources"


def problem(file, folder, sources):
    """Returns the problem of a file of a test target, or None. The folder is relative to the target."""
    text = file.read_text()
    top = folder.parts[0] if folder.parts else ""
    if not file.stem.endswith("Tests"):
        if "@Test" in text:
            return "it contains tests. Let its name end in Tests."
        return None if top in ("Scenarios", "Support") else "it contains no tests. Move it to Support."
    if top == "Support":
        return "Support contains no tests. Move it out of there."
    name = file.stem.replace("+", "")
    if not re.search(rf"\b(struct|class|actor|enum) {name}\b", text):
        return f"it has no type {name}. Name the test type after the file."
    tested = file.stem.removesuffix("Tests").split("+")[0]
    if top == "Scenarios" or (sources and any((sources / folder).glob(f"{tested}.swift"))):
        return None
    if sources and any((sources / folder).glob(f"{tested}+*.swift")):
        return None
    place = sources / folder / tested if sources else folder / tested
    return f"there is no {place}.swift. Name the tests after the source file, or move them to Scenarios."


wrong = [
    f"{file}: {found}"
    for tests, sources in targets()
    for file in sorted(tests.rglob("*.swift"))
    if (found := problem(file, file.parent.relative_to(tests), sources))
]
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(1 if wrong else 0)
