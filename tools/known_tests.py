# SPDX-License-Identifier: Apache-2.0
"""Which tests there are, as the CMakeLists.txt and the files of tests say: names, labels, programs, and the cases of each file."""

import re
from pathlib import Path

LABEL = re.compile(r"(?:LABELS?|set\(label)\s+\"?([a-z_]+)")
ADDED = re.compile(r"add_test\(NAME\s+(\S+)(.*?)\n(?=\S|$)", re.DOTALL)
SCRIPT = re.compile(r"\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\w+_test\.py)")
PROGRAM = re.compile(r"tenon_unit_test\(([a-z_0-9]+)(.*?)\)", re.DOTALL)
# Folders whose scripts are tests by their names, as their CMakeLists.txt has it.
SCRIPTS = {"tests/e2e": "e2e", "tests/cli": "cli", "host/commands/*/tests": "cli", "tests/check": "check", "tests/bad_input": "bad_input"}
CASES = {
    ".cpp": re.compile(r'TEST_CASE(?:_METHOD)?\(\s*(?:\w+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)'),
    ".py": re.compile(r'\bdef (\w+)\(|^ +"(\w+)": \(', re.MULTILINE),  # a function, or a row of a table that a loop makes tests of
    ".txt": re.compile(r"^case (\w+)$", re.MULTILINE),  # golden values, all of which one test compares
}
GOLDEN = {"tests/golden/objectives": "tests/unit/objectives/peer_test.cpp"}


class KnownTests:
    """Of a tree. `names` are what ctest calls them, with their labels; `programs` have the files of their cases; `files` says
    how a file's test is named and, where it is one of a program's, how the file is."""

    def __init__(self, root):
        self.root, self.names, self.labels, self.programs, self.files = root, set(), set(), {}, {}
        for path in [path for folder in ("tests", "plugins", "host") for path in (root / folder).rglob("CMakeLists.txt")]:
            self.read(path.parent.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        for folder, family in SCRIPTS.items():
            for path in root.glob(f"{folder}/*_test.py"):
                self.add(f"{family}.{path.stem.removesuffix('_test')}", path.relative_to(root).as_posix())
        for path in root.glob("sdk/templates/*/CMakeLists.txt"):
            self.names.add(f"package.{path.parent.name}")
        self.families = {name.partition(".")[0] for name in self.names}

    def read(self, folder, text):
        self.labels |= set(LABEL.findall(text))
        for name, rest in ADDED.findall(text):
            script = SCRIPT.search(rest)
            if "${" in name:
                name = name.partition("${")[0].rstrip(".")  # all tests of a loop, by their label
            else:
                self.names.add(name)
            if script:
                self.files[f"{folder}/{script[1]}"] = (name, None)
        for name, rest in PROGRAM.findall(text):
            files = re.findall(r"[\w/]+_test\.cpp", rest)
            self.programs[f"test_{name}"] = {Path(file).stem for file in files}
            for file in files:
                self.files[f"{folder}/{file}"] = (f"test_{name}", Path(file).stem)

    def add(self, name, file):
        self.names.add(name)
        self.files[file] = (name, None)

    def runner(self, file):
        """The file whose test looks at this one: itself, or that of golden values."""
        return GOLDEN.get(Path(file).parent.as_posix(), file)

    def cases(self, file):
        """The names of what a file tests."""
        text = (self.root / file).read_text(encoding="utf-8")
        found = CASES[Path(file).suffix].findall(text)
        found = [name for each in found for name in (each if isinstance(each, tuple) else (each,)) if name]
        if not file.endswith(".cpp"):
            return set(found)
        return {re.sub(r'\\(.)', r"\1", "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', name))) for name in found}
