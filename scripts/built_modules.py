# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""The modules of a debug build, for scripts that use them without building.

check-articles.py, check-benchmarks.py, check-clone-scaffolds.py and docs.py import it.
"""

import os, pathlib, platform, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILER = os.environ.get("SWIFTC", "swiftc")


def binaries(build):
    """Returns the folder of a debug build with all traits, and ends the process if there is none."""
    # SwiftPM replaces the link at each build, so do not read through it.
    folder = (build / "debug").resolve()
    if not (folder / "Modules/SoupKit.swiftmodule").exists():
        sys.exit(f"{folder}/Modules has no SoupKit.swiftmodule. Build first: make test, or swift build --enable-all-traits.")
    return folder


def import_options(build, newer=()):
    """Returns the options with which a compiler finds the modules of a debug build, C modules included.

    `newer` are folders with modules that replace those of the build.
    """
    folder = binaries(build)
    options = []
    for path in [*newer, folder / "Modules"]:
        options += ["-I", str(path)]
    maps = [*ROOT.glob("Sources/*/module.modulemap"), *ROOT.glob("Tools/*/module.modulemap")]
    maps += build.glob("checkouts/*/Sources/*/module.modulemap")
    maps += build.glob("checkouts/*/Sources/*/include/module.modulemap")
    # SwiftPM writes a map for a C target that has none; those of Swift targets contain a header for Objective-C.
    generated = folder.glob("*.build/module.modulemap")
    for path in maps + [path for path in generated if "-tool.build" not in str(path)]:
        options += ["-Xcc", f"-fmodule-map-file={path}", "-Xcc", "-I", "-Xcc", str(path.parent)]
    return options


def platform_options():
    """Returns the options for the deployment target of the build on this system."""
    if platform.system() != "Darwin":
        return []
    sdk = subprocess.run(["xcrun", "--show-sdk-platform-path"], capture_output=True, text=True).stdout.strip()
    return ["-F", f"{sdk}/Developer/Library/Frameworks", "-target", f"{platform.machine()}-apple-macosx15.0"]


def toolchain():
    """Returns the folder with the programs of the toolchain."""
    return pathlib.Path(os.path.realpath(shutil.which(COMPILER) or COMPILER)).parent


def macro_options():
    """Returns the options with which the compiler finds the macros of the toolchain, such as those of Swift Testing."""
    folders = [toolchain().parent / "lib/swift" / name for name in ("host/plugins", "host/plugins/testing")]
    return [option for folder in folders if folder.exists() for option in ("-plugin-path", str(folder))]
