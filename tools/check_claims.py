#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the pages and docs/catalogue.toml name exists. Pages: tests as ctest calls them (`e2e.async`), programs of
tests with their files (`test_env`: lanes_test), files of tests; in from-torchrl.md and its pages components, too
(`standard/rename`). The catalogue: each test is a case of its file, and that file is run; what works has a test; no limit is of
an item that works."""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from known_tests import KnownTests
from read_catalogue import FILE as CATALOGUE
from read_catalogue import STATES, read

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("*.md", "docs/**/*.md")
HISTORY = "CHANGELOG.md"  # says what there was, too
COMPONENTS_OF = "docs/from-torchrl"
COMPONENT = re.compile(r'tenon::[a-z_]+(?:<[^"]*>)?\(\s*"([A-Za-z0-9_-]+)"')
LIBRARY = re.compile(r'TENON_PLUGIN\(\s*"([a-z_0-9]+)"')
FILES = ("c", "cpp", "cu", "h", "hpp", "inc", "json", "lock", "md", "py", "so", "toml", "txt")


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
    tests = KnownTests(root)
    yield from findings_of_catalogue(root, tests)
    libraries = components_of(root)
    files = {path.relative_to(root).as_posix() for folder in ("tests", "plugins", "host") for path in (root / folder).rglob("*_test.*")}
    for path in sorted({path for pattern in PAGES for path in root.glob(pattern)} - {root / HISTORY}):
        page = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = [*findings_of_tests(line, tests), *findings_of_files(line, files)]
            found += findings_of_components(line, libraries) if page.startswith(COMPONENTS_OF) else []
            yield from (f"{page}:{number}: {finding}" for finding in found)


def findings_of_tests(line, tests):
    for family, name in re.findall(r"`([a-z_0-9]+)\.([a-z_0-9]+)(?:\.avx2)?`", line):
        if family in tests.families and name not in FILES and f"{family}.{name}" not in tests.names:
            yield f"there is no test {family}.{name}"
    for program, files in re.findall(r"`(test_[a-z_0-9]+)`(?::((?:,? [a-z_0-9]+_test\b)+))?", line):
        if program not in tests.programs:
            yield f"there is no test program {program}"
            continue
        for file in re.findall(r"\w+", files):
            if file not in tests.programs[program]:
                yield f"{program} has no {file}.cpp"


def findings_of_files(line, files):
    for name in re.findall(r"\b(?:[\w.-]+/)*\w+_test\.(?:cpp|py)\b", line):
        if not any(f"/{file}".endswith(f"/{name}") for file in files):
            yield f"there is no file {name}"


def findings_of_components(line, libraries):
    for library, component in re.findall(r"`([a-z_0-9]+)/([A-Za-z0-9_-]+)`", line) if line.startswith("|") else []:
        if libraries.get(library, {component}) and component not in libraries.get(library, {component}):
            yield f"there is no component {library}/{component}"


def findings_of_catalogue(root, tests):
    catalogue = read(root)
    states = {item.name: item.state for item in catalogue.items}
    for name, count in Counter(item.name for item in catalogue.items).items():
        if count > 1:
            yield f"{CATALOGUE}: '{name}' is there {count} times"
    cases = {}
    for item in catalogue.items:
        for finding in findings_of_item(item, catalogue.sections, root, tests, cases):
            yield f"{CATALOGUE}: '{item.name}': {finding}"
    for beyond in catalogue.beyond:
        for finding in findings_of_cases(beyond.tests, root, tests, cases):
            yield f"{CATALOGUE}: '{beyond.feature}': {finding}"
    for limit in catalogue.limits:
        for name in limit.items:
            if states.get(name, "works") == "works":
                what = "works" if name in states else "is no item"
                yield f"{CATALOGUE}: the limit '{limit.subject}' is of '{name}', which {what}"


def findings_of_item(item, sections, root, tests, cases):
    if item.section not in sections:
        yield f"there is no section {item.section}"
    if item.state not in STATES:
        yield f"the state '{item.state}' is none of {', '.join(STATES)}"
    if item.state == "works" and not item.tests:
        yield "it works, and no test shows it"
    if item.state != "works" and not item.reason:
        yield "it does not work, and no reason says what is missing"
    yield from findings_of_cases(item.tests, root, tests, cases)


def findings_of_cases(named, root, tests, cases):
    for test in named:
        file, _, case = test.partition(": ")
        if not case:
            yield f"'{test}' names no case: FILE: CASE"
        elif not (root / file).is_file():
            yield f"there is no file {file}"
        elif tests.runner(file) not in tests.files:
            yield f"no test runs {file}"
        elif case not in cases.setdefault(file, tests.cases(file)):
            yield f"{file} has no case '{case}'"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found) or f"what the pages and {CATALOGUE} name is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
