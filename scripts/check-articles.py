#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Compiles the Swift code of the documentation against the modules of a debug build.

    scripts/check-articles.py [ARTICLE...]      by default README.md, CONTRIBUTING.md, every README.md of a plug-in, a tool or a
                                                sample, and every article of a DocC catalog
    scripts/check-articles.py --self-test       checks that broken blocks are reported

    --build FOLDER      the folder of the debug build; by default .build
    --modules FOLDER    a folder with modules that are newer than those of the build; repeatable

Each article is a module of its own, and each block of code that begins with ```swift is a file of it:

* A block of imports and declarations is compiled as it is. Its declarations are visible in the other blocks of the article.
* Any other block is the body of a function that is `async throws`. Its local names are not visible in other blocks.
* A block without imports imports Foundation, SoupKit, the module of its catalog, plug-in or tool, and what earlier blocks of the
  article import. A block that has imports gets no others.
* Tests/Articles/Preamble.swift declares names that many articles use, such as `kit`. An article may declare them itself.

A block that cannot be compiled begins with ```swift no-compile, after an HTML comment with the reason. The script lists them.
"""

import argparse, concurrent.futures, os, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # No folder __pycache__ in scripts.
import built_modules

ROOT = built_modules.ROOT
PREAMBLE = ROOT / "Tests/Articles/Preamble.swift"
FEATURES = ["ExistentialAny", "MemberImportVisibility"]
FOLDERS = ["Sources", "Plugins", "Tools", "Samples", "Benchmarks"]

FENCE = re.compile(r"^( *)(`{3,})(.*)$")
IMPORT = re.compile(r"^(@\w+(\(\w+\))? +)*((public|package|internal|private) +)?import +\w")
MODIFIER = r"(@\w+(\(.*?\))?|public|open|package|internal|fileprivate|private|final|indirect|nonisolated|distributed)"
DECLARATION = re.compile(rf"^({MODIFIER} +)*(struct|class|enum|protocol|extension|func|actor|macro|typealias)\b")
ATTRIBUTE = re.compile(r"^@\w+(\(.*\))?$")
CONTINUATION = re.compile(r"^(\s|$|//|/\*|\}|\)|\]|#if|#else|#endif)")


class Block:
    """A block of Swift code in an article."""

    def __init__(self, article, line, info):
        self.article, self.line, self.info = article, line, info  # `line` is that of the first line of code.
        self.code = []
        self.reason = None  # For blocks that are not compiled.

    @property
    def is_compiled(self):
        return "no-compile" not in self.info

    @property
    def imports(self):
        return [line for line in self.code if IMPORT.match(line)]

    @property
    def is_declarations(self):
        """Whether the code has only imports and declarations at its top level, which is what is not indented."""
        top = [line for line in self.code if not CONTINUATION.match(line) and not IMPORT.match(line)]
        return all(DECLARATION.match(line) or ATTRIBUTE.match(line) for line in top)

    def source(self, imports):
        """Returns a file with the code, whose lines are reported as those of the article."""
        code = self.code
        if not self.is_declarations:
            code = ["" if IMPORT.match(line) else line for line in code]
        if self.imports:
            imports = []  # A reader copies the block as it is: its imports must suffice.
        place = f'#sourceLocation(file: "{self.article}", line: {self.line})'
        lines = list(imports) + ["@testable import ArticlePreamble"]
        if self.is_declarations:
            lines += [place, *code, "#sourceLocation()"]
        else:
            lines += self.imports
            lines += [f"private func block{self.line}() async throws {{", place, *code, "#sourceLocation()", "}"]
        return "\n".join(lines) + "\n"


def blocks(path, name):
    """Returns the blocks of Swift code of an article, and the faults of their marks."""
    found, faults, block, fence, comment = [], [], None, None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = FENCE.match(line)
        if fence is None and match:
            fence = match
            info = match[3].strip().split()
            if info[:1] == ["swift"]:
                block = Block(name, number + 1, info[1:])
                found.append(block)
                for word in info[1:]:
                    if word != "no-compile":
                        faults.append(f'{name}:{number}: error: unknown word "{word}" after swift. Write no-compile.')
                text = re.search(r"<!--(.*?)-->\s*$", "\n".join(comment), re.S)
                block.reason = " ".join(text[1].split()) if text else None
                if not block.is_compiled and not block.reason:
                    faults.append(f"{name}:{number}: error: the reason is missing. Write it in an HTML comment above.")
        elif fence is not None and match and not match[3].strip() and len(match[2]) >= len(fence[2]):
            fence, block, comment = None, None, []
        elif fence is not None:
            if block:
                indentation = len(fence[1])
                block.code.append(line[indentation:] if not line[:indentation].strip() else line)
        else:
            comment.append(line)
    if fence is not None:
        faults.append(f"{name}: error: a block of code has no end.")
    return found, faults


def articles():
    """Returns the articles of the package."""
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.md")):
            if ".build" not in path.parts and (path.name == "README.md" or path.parent.name.endswith(".docc")):
                paths.append(path)
    return paths


class Compiler:
    """Compiles articles against the modules of a build, without machine code: type-checking alone finds no data races."""

    def __init__(self, build, modules, scratch):
        self.scratch = scratch
        self.options = ["-swift-version", "6", "-suppress-warnings", "-diagnostic-style", "llvm"]
        self.options += ["-module-cache-path", str(build / "articles")]
        self.options += built_modules.import_options(build, newer=modules)
        self.options += built_modules.macro_options() + built_modules.platform_options()
        for feature in FEATURES:
            self.options += ["-enable-upcoming-feature", feature]
        modules = scratch / "modules"
        modules.mkdir()
        self.options += ["-I", str(modules)]
        report = self.run(
            ["-emit-module", "-enable-testing", "-parse-as-library", "-module-name", "ArticlePreamble",
             "-o", str(modules / "ArticlePreamble.swiftmodule"), str(PREAMBLE)])
        if report:
            sys.exit(report)

    def run(self, arguments):
        """Returns the report of the compiler; an empty text if it reports no error."""
        done = subprocess.run([built_modules.COMPILER, *self.options, *arguments], capture_output=True, text=True)
        return (done.stderr or f"swiftc ended with {done.returncode}") if done.returncode else ""

    def check(self, name, found):
        """Returns the compiler's report on the blocks of an article."""
        folder = self.scratch / re.sub(r"\W", "_", name)
        folder.mkdir()
        imports = ["import Foundation", "import SoupKit"]
        module = re.search(r"(\w+)\.docc/|^(?:Plugins|Tools)/(\w+)/", name)
        if module and (module[1] or module[2]) != "SoupKit":
            imports.append(f"import {module[1] or module[2]}")
        files = []
        for block in found:
            files.append(str(folder / f"Block{block.line}.swift"))
            pathlib.Path(files[-1]).write_text(block.source(imports))
            imports += [line for line in block.imports if line not in imports]
        return self.run(["-emit-sil", "-o", os.devnull, "-wmo", "-parse-as-library", "-module-name", "Article", *files]) if files else ""


def check(paths, arguments):
    """Returns the reports on articles, the blocks that were compiled, and those that were not."""
    reports, compiled, skipped = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        compiler = Compiler(arguments.build.resolve(), [path.resolve() for path in arguments.modules], pathlib.Path(scratch))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            running = []
            for path in paths:
                path = path.resolve()
                name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
                found, faults = blocks(path, name)
                reports += faults
                compiled += [block for block in found if block.is_compiled]
                skipped += [block for block in found if not block.is_compiled]
                running.append(pool.submit(compiler.check, name, [block for block in found if block.is_compiled]))
            reports += [report.result() for report in running]
    return [report.rstrip() for report in reports if report], compiled, skipped


SELF_TEST = """# An article

```swift
import SoupCore

struct Note: Codable { var text: String }
```

```swift
let notes = try await kit.store.soupNames()  // correct
let note = Note(text: notes.first?.rawValue ?? "")
```

```swift
let text: String = try await kit.noSuchMember()
```

1. A list:

   ```swift
   extension Note {
       var length: Int { text }
   }
   ```

```swift
import Testing

@Test func `A test`() { #expect(Note(text: "").missing) }
```

<!-- The reason of the first. -->
```swift no-compile
this is not Swift
```

```swift no-compile
this has no reason
```

```json
{"type": "not Swift"}
```
"""
# The beginnings of the errors that the article has.
EXPECTED = [
    ":15:", "has no member 'noSuchMember'", ":22:", "cannot convert return expression of type 'String'", ":29:",
    "has no member 'missing'", ":37: error: the reason is missing",
]


def self_test(arguments):
    """Checks an article with broken and correct blocks, and ends the process if the result is not the expected one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "Broken.md"
        path.write_text(SELF_TEST)
        reports, compiled, skipped = check([path], arguments)
    text = "\n".join(reports)
    missing = [words for words in EXPECTED if words not in text]
    # The wrapped code is in files of other names, whose errors would have no line in the article.
    places = set(re.findall(r"Broken\.md:(\d+)(?::\d+)?: error", text))
    if missing or places != {"15", "22", "29", "37"} or len(compiled) != 5 or len(skipped) != 2:
        sys.exit(f"articles: the self-test failed. Not reported: {missing}. Lines: {sorted(places)}. The report was:\n{text}")
    print("articles: the self-test reported each broken block")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles", nargs="*", type=pathlib.Path, metavar="ARTICLE")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / ".build", metavar="FOLDER")
    parser.add_argument("--modules", type=pathlib.Path, action="append", default=[], metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test(arguments)
    reports, compiled, skipped = check(arguments.articles or articles(), arguments)
    for report in reports:
        print(report, file=sys.stderr)
    for block in skipped:
        print(f"{block.article}:{block.line}: not compiled: {block.reason}")
    names = {block.article for block in compiled}
    if reports:
        sys.exit(f"articles: code that does not compile, of {len(compiled)} blocks in {len(names)} articles")
    print(f"articles: {len(compiled)} blocks in {len(names)} articles compile")


main()
