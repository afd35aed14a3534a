#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the tests and components that docs/from-torchrl.md and its pages name are there: programs of tests with their
files (`test_env`: lanes_test), other tests by name or label (`e2e.async`, `alloc`), components (`standard/rename`). What works
names a test."""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/from-torchrl.md"
PAGES = "docs/from-torchrl"
LABEL = re.compile(r"(?:LABELS?|set\(label)\s+\"?([a-z_]+)")
NAMED = re.compile(r"add_test\(NAME\s+([a-z_0-9]+\.[a-z_0-9]+)")
PROGRAM = re.compile(r"tenon_unit_test\(([a-z_0-9]+)(.*?)\)", re.DOTALL)
# Folders whose scripts are tests by their names, as their CMakeLists.txt has it.
SCRIPTS = {"tests/e2e": "e2e", "tests/cli": "cli", "host/commands/*/tests": "cli", "tests/check": "check", "tests/bad_input": "bad_input"}
COMPONENT = re.compile(r'tenon::[a-z_]+(?:<[^"]*>)?\(\s*"([A-Za-z0-9_-]+)"')
LIBRARY = re.compile(r'TENON_PLUGIN\(\s*"([a-z_0-9]+)"')


def tests_of(root):
    """Programs with the files of their cases, and the names and labels of all other tests."""
    programs, names = {}, set()
    for path in [path for folder in ("tests", "plugins", "host") for path in (root / folder).rglob("CMakeLists.txt")]:
        text = path.read_text(encoding="utf-8")
        names |= set(NAMED.findall(text)) | set(LABEL.findall(text))
        for name, rest in PROGRAM.findall(text):
            programs[f"test_{name}"] = {Path(file).stem for file in re.findall(r"[\w./]+_test\.cpp", rest)}
    for folder, prefix in SCRIPTS.items():
        names |= {f"{prefix}.{path.stem.removesuffix('_test')}" for path in root.glob(f"{folder}/*_test.py")}
    return programs, names


def components_of(root):
    """By library. One whose components a macro or a table makes has none here, and is not looked into."""
    found = {}
    for path in (root / "plugins").rglob("*.cpp"):
        text = path.read_text(encoding="utf-8")
        for match in LIBRARY.finditer(text):
            rest = text[match.end() :]
            whole = rest.count("tenon::") == len(COMPONENT.findall(rest))
            found[match.group(1)] = set(COMPONENT.findall(rest)) if whole else set()
    return found


def findings(root):
    programs, names = tests_of(root)
    libraries = components_of(root)
    for path in [root / PAGE, *sorted((root / PAGES).glob("*.md"))]:
        yield from findings_of(path, path.relative_to(root), programs, names, libraries)


def findings_of(path, page, programs, names, libraries):
    tests_shown = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            continue
        if line.startswith("| TorchRL |") or line.startswith("| TensorDict |"):
            tests_shown = line.endswith("| shown by |")
        for program, files in re.findall(r"`(test_[a-z_0-9]+)`(?::((?:,? [a-z_0-9]+_test\b)+))?", line):
            if program not in programs:
                yield f"{page}:{number}: there is no test program {program}"
                continue
            for file in re.findall(r"\w+", files):
                if file not in programs[program]:
                    yield f"{page}:{number}: {program} has no {file}.cpp"
        cells = line.split("|")[1:-1]
        here, shown = cells[1], cells[-1] if tests_shown else ""
        if tests_shown and here.strip().startswith("works") and not shown.strip():
            yield f"{page}:{number}: it works, and no test shows it"
        for name in re.findall(r"`([a-z_0-9]+(?:\.[a-z_0-9]+)?)`", shown):
            if not name.startswith("test_") and name not in names and not name.startswith("sdk"):
                yield f"{page}:{number}: there is no test {name}"
        for library, component in re.findall(r"`([a-z_0-9]+)/([A-Za-z0-9_-]+)`", line):
            if libraries.get(library, {component}) and component not in libraries.get(library, {component}):
                yield f"{page}:{number}: there is no component {library}/{component}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found) or f"what {PAGE} and its pages name is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
