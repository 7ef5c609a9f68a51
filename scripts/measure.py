#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Measures the structure of the Swift sources.

    scripts/measure.py [FOLDER]        prints the figures of a clone; by default, of this clone
    scripts/measure.py --unlabelled    lists the functions with three or more unlabelled parameters, and fails if there are any
"""
import pathlib
import re
import statistics
import sys

SHIPPED = ["Sources", "Plugins", "Tools"]
ALL = SHIPPED + ["Tests", "Benchmarks", "Samples"]


def files(root, folders):
    """Yields the Swift files of some folders, without build products."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.swift")):
            if ".build" not in path.parts:
                yield path


def is_test(path, root):
    return "Tests" in path.relative_to(root).parts


def code(text):
    """Returns the source with spaces instead of comments and strings, so that lines and columns do not change."""
    out = []
    position = 0
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)"""[\s\S]*?"""\1|(#+)"(?:[^"]|"(?!\2))*"\2|"(?:\\.|[^"\\\n])*"', re.S)
    for match in pattern.finditer(text):
        out.append(text[position:match.start()])
        out.append(re.sub(r"[^\n]", " ", match.group()))
        position = match.end()
    out.append(text[position:])
    return "".join(out)


def closing(text, start, pair):
    """Returns the position after the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        if text[position] == pair[0]:
            depth += 1
        elif text[position] == pair[1]:
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def parameters(signature):
    """Returns the parameters of a signature, split at the commas of the outermost level."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(signature):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and signature[position - 1] != "-":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(signature[start:position])
            start = position + 1
    return [part.strip() for part in parts + [signature[start:]] if part.strip()]


def functions(text):
    """Yields the name, line, number of unlabelled parameters and number of lines of each function and initializer."""
    stripped = code(text)
    for match in re.finditer(r"\b(?:func\s+([^\s(<]+|`[^`]*`)|init[?!]?)\s*(?=[(<])", stripped):
        before = stripped[max(0, match.start() - 1):match.start()]
        if not match.group(1) and before in (".", "?"):
            continue
        start = match.end()
        if stripped[start] == "<":
            start = closing(stripped, start, "<>")
        if start >= len(stripped) or stripped[start] != "(":
            continue
        end = closing(stripped, start, "()")
        unlabelled = sum(part.startswith("_ ") for part in parameters(stripped[start + 1:end - 1]))
        brace = re.compile(r"[^\n{}]*(?:\n[^\n{}]*)??\{").match(stripped, end)
        length = 1
        if brace:
            length = stripped.count("\n", match.start(), closing(stripped, brace.end() - 1, "{}")) + 1
        is_operator = bool(match.group(1)) and not re.match(r"[\w`]", match.group(1))
        yield match.group(1) or "init", stripped.count("\n", 0, match.start()) + 1, unlabelled, length, is_operator


def unlabelled(root):
    for path in files(root, ALL):
        for name, line, count, _, is_operator in functions(path.read_text()):
            # Operators have no labels, and neither do tests, whose parameters are the arguments of the test.
            if count >= 3 and not is_operator and not name.startswith("`"):
                yield f"{path.relative_to(root)}:{line}: {name} has {count} unlabelled parameters"


def main():
    arguments = sys.argv[1:]
    here = pathlib.Path(__file__).resolve().parent.parent
    if arguments == ["--unlabelled"]:
        found = list(unlabelled(here))
        print("\n".join(found), end="\n" if found else "")
        sys.exit(1 if found else 0)
    root = pathlib.Path(arguments[0]).resolve() if arguments else here
    shipped = [path for path in files(root, SHIPPED) if not is_test(path, root)]
    lengths = {path: path.read_text().count("\n") for path in shipped}
    largest = max(lengths, key=lengths.get)
    every = [entry for path in files(root, ALL) for entry in functions(path.read_text())]
    own = [entry for path in shipped for entry in functions(path.read_text())]
    public = sum(
        len(re.findall(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public (?!import)", code(path.read_text()), re.M)) for path in shipped)
    manifest = (root / "Package.swift").read_text()
    up = [path for path in shipped if re.search(r"\b(struct|extension|class) UpRun\b", path.read_text())]
    engine = "\n".join(path.read_text() for path in shipped)
    run = "\n".join(path.read_text() for path in up)
    writers = "OutcomeWriter|UpWriter"
    print(f"shipped files                {len(shipped)}")
    print(f"lines                        {sum(lengths.values())}")
    print(f"median file                  {statistics.median(lengths.values()):g} lines")
    print(f"largest file                 {lengths[largest]} lines, {largest.relative_to(root)}")
    print(f"functions over 40 lines      {sum(entry[3] > 40 for entry in own)} of {len(own)}")
    print(f"three unlabelled parameters  {len(list(unlabelled(root)))} of {len(every)} functions, tests included")
    print(f"public declarations          {public}")
    print(f"library products             {len(re.findall(r'[.]library[(]', manifest))}")
    print(f"UpRun                        {len(up)} files, {sum(lengths[path] for path in up)} lines")
    declared = re.findall(r"^    (?:private |fileprivate )?(?:private\(set\) )?var \w+(?:: [^{=\n]+)?(?: = [^{\n]*)?$", run, re.M)
    print(f"UpRun, mutable variables     {len(declared)}")
    print(f"up writer, constructed at    {len(re.findall(rf'(?<!struct )[ (](?:{writers})[(]', engine))} places")


main()
