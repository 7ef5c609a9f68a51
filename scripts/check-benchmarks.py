#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Compiles the benchmarks against the modules of a debug build, without machine code; a warning is an error.

    scripts/check-benchmarks.py [--build FOLDER]    by default .build

The benchmarks are a package of their own, which CI does not build: it is optimized code, and takes minutes. Type-checking alone does
not find data races.
"""

import argparse, os, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # No folder __pycache__ in scripts.
import built_modules

BENCHMARKS = built_modules.ROOT / "Benchmarks"


def check(*command):
    """Runs a compiler, and ends the process with its report if it fails."""
    if subprocess.run(command).returncode:
        sys.exit("benchmarks: code that does not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=built_modules.ROOT / ".build", metavar="FOLDER")
    build = parser.parse_args().build
    options = built_modules.import_options(build)
    features = re.findall(r'enableUpcomingFeature\("(\w+)"\)', (BENCHMARKS / "Package.swift").read_text())
    headers = BENCHMARKS / "Sources/CBaseline/include"
    with tempfile.TemporaryDirectory() as folder:
        # SwiftPM writes this map.
        modulemap = pathlib.Path(folder) / "module.modulemap"
        modulemap.write_text(f'module CBaseline {{\n    umbrella "{headers}"\n    export *\n}}\n')
        files = sorted(str(path) for path in (BENCHMARKS / "Sources/benchmarks").rglob("*.swift"))
        check(
            built_modules.COMPILER, "-emit-sil", "-o", os.devnull, "-wmo", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
            "-module-name", "benchmarks", "-module-cache-path", str(build / "articles"), *options,
            *built_modules.platform_options(), *[part for name in features for part in ("-enable-upcoming-feature", name)],
            "-Xcc", f"-fmodule-map-file={modulemap}", *files)
    sources = sorted(str(path) for path in (BENCHMARKS / "Sources/CBaseline").glob("*.c"))
    check(str(built_modules.toolchain() / "clang"), "-fsyntax-only", "-Wall", "-Werror", "-I", str(headers), *sources)
    print(f"benchmarks: {len(files)} Swift files and {len(sources)} C files compile")


main()
