#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Creates plug-ins with `soup new` in a copy of this clone, and builds and tests them there.

    scripts/check-clone-scaffolds.py SOUP KIND:NAME:MODULE...

The copy is not built as a whole, which would take as long as this clone's build: the new modules and their tests are
compiled with the modules of the debug build and linked with its tests, as a build of the copy would do. The changed
manifest is loaded, the changed files of SoupKit are type-checked, and everything is formatted as `make lint` wants it.
"""

import os, pathlib, re, shlex, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # No folder __pycache__ in scripts.
import built_modules

ROOT = built_modules.ROOT
BUILD = ROOT / ".build"
SWIFT = shlex.split(os.environ.get("SWIFT", "swift"))
MANIFEST = (ROOT / "Package.swift").read_text()
FEATURES = re.findall(r'enableUpcomingFeature\("(\w+)"\)', MANIFEST)
TRAITS = re.findall(r'\.trait\(\s*name: "(\w+)"', MANIFEST)
# The name that the modules of the build give their package: SwiftPM makes it from that of the folder.
PACKAGE = re.sub(r"\W", "_", ROOT.name.lower())


def run(*command, **options):
    """Runs a program, and ends the process if it fails."""
    command = [str(part) for part in command]
    print("+", " ".join(command if len(command) < 12 else [*command[:6], "...", *command[-3:]]), flush=True)
    if subprocess.run(command, **options).returncode:
        sys.exit(f"scaffolds in a clone: {command[0]} failed")


def copy(folder):
    """Copies the files of this clone that git knows or would add."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)


class Compiler:
    """Compiles with the modules of the debug build, and with those that it has compiled."""

    def __init__(self, folder):
        self.folder = folder
        self.objects = []
        self.options = [
            "-swift-version", "6", *[part for name in FEATURES for part in ("-enable-upcoming-feature", name)],
            "-warnings-as-errors", "-parse-as-library", "-wmo", "-Onone", "-enable-testing", "-package-name", PACKAGE,
            *[f"-D{trait}" for trait in TRAITS],
            *built_modules.import_options(BUILD, newer=[folder]), *built_modules.platform_options(),
            *built_modules.macro_options(),
        ]

    def compile(self, module, sources):
        self.objects.append(self.folder / f"{module}.o")
        run(built_modules.COMPILER, *self.options, "-emit-module", "-emit-module-path", self.folder / f"{module}.swiftmodule",
            "-module-name", module, *files(sources), "-c", "-o", self.objects[-1])

    def check(self, module, sources):
        run(built_modules.COMPILER, *self.options, "-typecheck", "-module-name", module, *files(sources))

    def link_tests(self):
        """Links the tests of the build with the compiled modules, and returns the program."""
        program = self.folder / "PackageTests.xctest"
        binaries = built_modules.binaries(BUILD)
        listed = (binaries / "SoupKitPackageTests.product/Objects.LinkFileList").read_text()
        (self.folder / "objects").write_text("\n".join([listed, *map(str, self.objects)]))
        run(built_modules.COMPILER, "-emit-executable", "-use-ld=lld", "-lz", "-lcurl", "-lstdc++", "-L", binaries,
            f"@{self.folder}/objects", "-o", program)
        return program


def test(program, module):
    """Runs the tests of a module. A filter without a match is a failure."""
    command = [program, "--testing-library", "swift-testing", "--no-parallel", "--filter", f"^{module}Tests\\."]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(ended.stdout, flush=True)
    if ended.returncode or not re.search("Test run with [1-9]", ended.stdout):
        sys.exit(f"scaffolds in a clone: the tests of {module} failed")


def files(folder):
    return sorted(folder.rglob("*.swift"))


def main():
    soup, plugins = pathlib.Path(sys.argv[1]).resolve(), [entry.split(":") for entry in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        clone = folder / "clone"
        copy(clone)
        for kind, name, _ in plugins:
            run(soup, "new", kind, name, cwd=clone)
        run(*SWIFT, "format", "lint", "--strict", "--recursive", "Package.swift", "Sources/SoupKit",
            *[f"Plugins/{module}" for _, _, module in plugins], cwd=clone)
        run("scripts/check-rules.sh", cwd=clone)
        run(*SWIFT, "package", "dump-package", cwd=clone, stdout=subprocess.DEVNULL)

        compiler = Compiler(folder)
        for _, _, module in plugins:
            compiler.compile(module, clone / "Plugins" / module / "Sources")
        compiler.check("SoupKit", clone / "Sources/SoupKit")
        for _, _, module in plugins:
            compiler.compile(f"{module}Tests", clone / "Plugins" / module / "Tests")
        if sys.platform != "linux":
            print("scaffolds in a clone: compiled; not run, because a test bundle of this platform is not one program")
            return
        program = compiler.link_tests()
        for _, _, module in plugins:
            test(program, module)


main()
