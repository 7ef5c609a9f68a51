#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation of every library product into .docs, and fails if there is a warning.

    scripts/docs.py [MODULE...]    by default every library product of Package.swift

    --build FOLDER      the folder of the debug build; by default .build
    --output FOLDER     the folder of the documentation; by default .docs

The symbols are read from the modules of a debug build, so nothing is compiled. The DocC plug-in of SwiftPM would load the
package and plan a build of all of its dependencies once for each module.

Every product needs a catalog MODULE.docc. Two kinds of warnings are not reported:

* A parameter without documentation. The documentation of a parameter is omitted if its name explains it.
* A link to a public symbol of another module of this package that the module imports, such as ``SoupError`` in SoupStore. DocC
  resolves links within one module, Xcode and editors also resolve these. The script looks the symbol up in the other modules.
"""

import argparse, concurrent.futures, json, os, pathlib, platform, re, shutil, subprocess, sys, urllib.parse

sys.dont_write_bytecode = True  # No folder __pycache__ in scripts.
import built_modules

ROOT = built_modules.ROOT
FOLDERS = ["Sources/{}", "Plugins/{}/Sources", "Tools/{}"]


def products():
    """Returns the modules of the library products of Package.swift."""
    return re.findall(r'\.library\(name: "\w+", targets: \["(\w+)"\]\)', (ROOT / "Package.swift").read_text())


def folder(module):
    """Returns the folder with the sources of a module."""
    paths = [ROOT / pattern.format(module) for pattern in FOLDERS]
    return next((path for path in paths if path.is_dir()), None) or sys.exit(f"There is no module {module}.")


def imports(module):
    """Returns the names of the modules that a module imports."""
    text = "\n".join(path.read_text() for path in folder(module).rglob("*.swift"))
    return set(re.findall(r"^ *(?:@\w+ +)*(?:\w+ +)?import +(?:(?:struct|class|enum|protocol|func) +)?(\w+)", text, re.M))


def triple():
    """Returns the target of the debug build."""
    if platform.system() == "Darwin":
        return f"{platform.machine()}-apple-macosx15.0"
    done = subprocess.run([built_modules.COMPILER, "-print-target-info"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["target"]["triple"]


class Documentation:
    """The documentation of some modules in a folder."""

    def __init__(self, build, output):
        self.output = output
        # On macOS both commands are in the toolchain of Xcode.
        self.toolchain = ["xcrun"] if platform.system() == "Darwin" else []
        self.options = ["-target", triple(), "-minimum-access-level", "public", "-emit-extension-block-symbols"]
        self.options += ["-module-cache-path", str(build / "articles"), *built_modules.import_options(build)]
        if platform.system() == "Darwin":
            self.options += ["-sdk", subprocess.run(["xcrun", "--show-sdk-path"], capture_output=True, text=True).stdout.strip()]

    def symbols(self, module):
        """Reads the public symbols of a module into a folder, and returns their paths, such as `SoupError/code`."""
        graphs = self.output / "symbols" / module
        shutil.rmtree(graphs, ignore_errors=True)
        graphs.mkdir(parents=True)
        self.run(["swift", "symbolgraph-extract", "-module-name", module, "-output-dir", str(graphs), *self.options], module)
        paths = set()
        for graph in graphs.glob("*.symbols.json"):
            paths |= {"/".join(symbol["pathComponents"]) for symbol in json.loads(graph.read_text())["symbols"]}
        return paths

    def convert(self, module):
        """Builds the documentation of a module, and returns its warnings."""
        catalog = folder(module) / f"{module}.docc"
        if not (catalog / f"{module}.md").exists():
            return [{"summary": f"{module}: the catalog {catalog.relative_to(ROOT)}/{module}.md is missing. Add it."}]
        report = self.output / f"{module}.json"
        self.run(
            ["docc", "convert", str(catalog), "--fallback-display-name", module, "--fallback-bundle-identifier", module,
             "--additional-symbol-graph-dir", str(self.output / "symbols" / module),
             "--output-path", str(self.output / module), "--diagnostics-output-path", str(report)], module)
        return json.loads(report.read_text())["diagnostics"]

    def run(self, command, module):
        """Runs a command, and ends the process with its output if it fails."""
        done = subprocess.run([*self.toolchain, *command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"documentation of {module}: {done.stdout}{done.stderr}")


def link(warning):
    """Returns the link that a warning is about; None if it is not about a link."""
    if "doesn't exist at" not in warning["summary"] or "source" not in warning:
        return None
    start = warning["range"]["start"]
    line = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(warning["source"]).path)).read_text().splitlines()[start["line"] - 1]
    # The warning names one part of the link. Columns are counted in bytes.
    column = len(line.encode()[:start["column"] - 1].decode())
    return next((match[1] for match in re.finditer(r"``([^`]+)``", line) if match.start() <= column < match.end()), None)


def description(warning):
    """Returns a warning with its place, as compilers write it."""
    if "source" not in warning or "range" not in warning:
        return f"error: {warning['summary']}"
    path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(warning["source"]).path))
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    start = warning["range"]["start"]
    return f"{place}:{start['line']}:{start['column']}: error: {warning['summary']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / ".build", metavar="FOLDER")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / ".docs", metavar="FOLDER")
    arguments = parser.parse_args()
    every = products()
    modules = arguments.modules or every
    arguments.output.mkdir(exist_ok=True)
    documentation = Documentation(arguments.build, arguments.output)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The symbols of every module, because links can name them.
        symbols = dict(zip(every, pool.map(documentation.symbols, every)))
        warnings = dict(zip(modules, pool.map(documentation.convert, modules)))
    faults = []
    for module, found in warnings.items():
        visible = set().union(*(symbols[name] for name in imports(module) & set(every) - {module}))
        for warning in found:
            name = link(warning)
            is_parameter = re.match(r"Parameter '.*' is missing documentation$", warning["summary"])
            if not is_parameter and not (name and re.sub(r"-\w+$", "", name) in visible):
                faults.append(description(warning))
    if faults:
        print("\n".join(sorted(set(faults))), file=sys.stderr)
        sys.exit("documentation: correct the warnings above")
    print(f"documentation: {len(modules)} modules in {arguments.output}")


main()
