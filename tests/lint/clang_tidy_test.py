# SPDX-License-Identifier: Apache-2.0
"""What tools/clang_tidy.py remembers must fall when anything that a file reads changes, and what it runs together must be
alike."""

import contextlib
import io
import json
import shlex
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import clang_tidy  # noqa: E402
import clang_tidy_batches  # noqa: E402


class Remembers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=clang_tidy.ROOT / "build")
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name) / "a.cpp"
        self.header = Path(folder.name) / "a.inc"
        self.source.write_text('#include "a.inc"\n', encoding="utf-8")
        self.header.write_text('#include "area/b.hpp"\nint a;\n', encoding="utf-8")
        self.deeper = Path(folder.name) / "area" / "b.hpp"
        self.deeper.parent.mkdir()
        self.deeper.write_text("int b;\n", encoding="utf-8")
        self.command = {"file": str(self.source), "command": f"c++ -O2 -I{clang_tidy.ROOT} -o area/a.cpp.o -c {self.source}"}

    def key(self):
        headers = clang_tidy.Includes().of(self.command["file"], clang_tidy.folders_of(self.command))
        return clang_tidy.key_of(self.command, headers, "version", clang_tidy.Hashes())

    def test_what_is_included_counts(self):
        before = self.key()
        self.assertEqual(self.key(), before)
        self.header.write_text('#include "area/b.hpp"\nint c;\n', encoding="utf-8")
        self.assertNotEqual(self.key(), before)

    def test_what_a_header_includes_counts(self):
        before = self.key()
        self.deeper.write_text("int d;\n", encoding="utf-8")
        self.assertNotEqual(self.key(), before)

    def test_the_command_counts(self):
        before = self.key()
        self.command["command"] += " -DMORE"
        self.assertNotEqual(self.key(), before)

    def test_a_folder_of_ours_is_looked_through(self):
        folder = Path(self.source).parent
        self.header.write_text('#include "b.hpp"\n', encoding="utf-8")
        self.command["command"] += f" -I{shlex.quote(str(folder / 'area'))}"
        before = self.key()
        self.deeper.write_text("int e;\n", encoding="utf-8")
        self.assertNotEqual(self.key(), before)


# In place of clang-tidy: it finds the word BAD in a file, and in those that the file includes.
STAND_IN = """#!/usr/bin/env python3
import re, sys
from pathlib import Path
if sys.argv[1:] == ["--version"]:
    sys.exit(print("0"))
text = Path(sys.argv[-1]).read_text()
named = re.findall('#include "(.*)"', text)
with open(Path(__file__).parent / "runs", "a") as runs:
    runs.write(f"{len(named) or 1}\\n")
bad = [name for name in [sys.argv[-1], *named] if "BAD" in Path(name).read_text()]
print("".join(f"{name}:1:1: error: it is bad\\n" for name in bad), end="")
sys.exit(bool(bad))
"""


class Together(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=clang_tidy.ROOT / "build")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tidy").write_text(STAND_IN, encoding="utf-8")
        (self.folder / "tidy").chmod(0o755)
        self.commands = [self.command(f"{i}.cpp") for i in range(7)]

    def command(self, name, target="area.dir", options="c++ -O2", text=None):
        file = self.folder / name
        file.write_text(text or f"int x{file.stem};\n", encoding="utf-8")
        return {"file": str(file), "command": f"{options} -o core/{target}/{name}.o -c {file}"}

    def names(self, batches):
        return [[Path(each["file"]).name for each in batch] for batch in batches]

    def test_batches_are_of_one_language_and_have_the_options_that_clang_tidy_reads(self):
        others = [self.command("a.cpp", target="other.dir", options="c++ -Og -Dother_EXPORTS"), self.command("b.cpp", options="c++ -DMORE"),
                  self.command("c.c"), *(self.command(f"kernels{i}.cpp", options=f"c++ -DTENON_KERNELS_FILE={i}") for i in range(2))]  # fmt: skip
        found = clang_tidy_batches.batches(self.commands + others, 4)
        self.assertEqual(self.names(found), [["0.cpp", "1.cpp", "2.cpp", "3.cpp"], ["4.cpp", "5.cpp", "6.cpp", "a.cpp"],
                                             ["kernels0.cpp", "kernels1.cpp"], ["b.cpp"], ["c.c"]])
        whole = clang_tidy_batches.command_of(found[2], self.folder / "batch.cpp")["command"]
        self.assertEqual(whole.count("-DTENON_KERNELS_FILE="), 1)

    def test_files_with_the_same_name_for_something_of_their_own_are_not_together(self):
        hidden = "namespace tenon {\nnamespace {\n%s\n}  // namespace\n\nvoid shared(int);\n}  // namespace tenon\n"
        texts = [hidden % "struct Row {\n    int x;\n};", hidden % "int row() {\n    return 1;\n}", hidden % "using Row = int;",
                 hidden % "constexpr int kRows[] = {1};", '#include "own.hpp"\n', hidden % "template <class T>\nint row(T) {\n}", "struct Row {\n    int x;\n};"]  # fmt: skip
        (self.folder / "own.hpp").write_text("class Row;\n", encoding="utf-8")
        commands = [self.command(f"own{i}.cpp", text=text) for i, text in enumerate(texts)]
        found = clang_tidy_batches.batches(commands)
        self.assertEqual(self.names(found), [["own0.cpp", "own1.cpp", "own3.cpp", "own4.cpp"], ["own2.cpp", "own5.cpp", "own6.cpp"]])

    def test_files_that_differ_in_what_they_look_through_are_together_with_all_of_it(self):
        options = ["c++ -O2 -falign-loops=32 -I/a/core -isystem /x", "c++ -Og -I/a/core -I/a/host -DBOOST_DLL_USE_STD_FS", "c++ -I/a/sdk/include"]
        commands = [self.command(f"more{i}.cpp", options=each) for i, each in enumerate(options)]
        found = clang_tidy_batches.batches(commands)
        self.assertEqual(self.names(found), [["more0.cpp", "more1.cpp"], ["more2.cpp"]])
        whole = clang_tidy_batches.command_of(found[0], self.folder / "batch.cpp")["command"]
        self.assertIn(" -I/a/core -isystem /x -I/a/host -DBOOST_DLL_USE_STD_FS -o ", whole)

    def test_names_of_headers_are_apart_from_those_of_a_file_and_types_from_types(self):
        headers = {"say": "namespace tenon {\nvoid say(int x);\n}  // namespace tenon\n", "more": "namespace tenon {\nvoid say(bool x);\nclass Row;\n}  // namespace tenon\n",
                   "row": "namespace tenon {\nclass Row {\n};\n}  // namespace tenon\n", "rows": "namespace tenon {\nstruct Row final {\n};\n}  // namespace tenon\n"}  # fmt: skip
        for name, text in headers.items():
            (self.folder / f"{name}.hpp").write_text(text, encoding="utf-8")
        commands = [self.command(f"reads_{name}.cpp") for name in headers]
        commands += [self.command("own.cpp", text="namespace tenon {\nnamespace {\nvoid say() {\n}\n}  // namespace\n}  // namespace tenon\n")]
        found = clang_tidy_batches.batches(commands, headers_of=lambda command: {self.folder / f"{name}.hpp" for name in headers if f"reads_{name}." in command["file"]})
        self.assertEqual(self.names(found), [["reads_say.cpp", "reads_more.cpp", "reads_row.cpp"], ["reads_rows.cpp", "own.cpp"]])

    def test_functions_of_other_parameters_are_together(self):
        hidden = "namespace tenon {\nnamespace {\n%s {\n}\n}  // namespace\n}  // namespace tenon\n"
        texts = ["void say(const Row& row, int x)", "void say(const Column& column)", "void say(const Row&, bool x)", "template <class T>\nvoid say(const T& x)"]
        commands = [self.command(f"said{i}.cpp", text=hidden % text) for i, text in enumerate(texts)]
        found = clang_tidy_batches.batches(commands)
        self.assertEqual(self.names(found), [["said0.cpp", "said1.cpp"], ["said2.cpp"], ["said3.cpp"]])

    def test_using_declarations_of_the_same_name_are_together(self):
        used = "namespace tenon {\nnamespace {\n%s\n}  // namespace\n}  // namespace tenon\n"
        texts = ["using graph::Node;", "using graph::Node;", "using tree::Node;", "struct Node {\n};"]
        commands = [self.command(f"used{i}.cpp", text=used % text) for i, text in enumerate(texts)]
        commands.append(self.command("open.cpp", text="namespace tenon {\nusing graph::Node;\n}  // namespace tenon\n"))
        self.assertEqual(self.names(clang_tidy_batches.batches(commands)), [["used0.cpp", "used1.cpp", "open.cpp"], ["used2.cpp"], ["used3.cpp"]])

    def test_a_type_that_is_announced_with_a_comment_is_no_second_one(self):
        for name, text in (("row", "class Row {\n};"), ("announced", "class Row;  // area/row.hpp"), ("empty", "struct Row {};")):
            (self.folder / f"{name}.hpp").write_text(f"namespace tenon {{\n{text}\n}}  // namespace tenon\n", encoding="utf-8")
        commands = [self.command(f"reads_{name}.cpp") for name in ("row", "announced", "empty")]
        found = clang_tidy_batches.batches(commands, headers_of=lambda command: {self.folder / Path(command["file"]).name.replace("reads_", "").replace("cpp", "hpp")})
        self.assertEqual(self.names(found), [["reads_row.cpp", "reads_announced.cpp"], ["reads_empty.cpp"]])

    def test_no_function_hides_one_of_the_system(self):
        own = "namespace tenon {\nnamespace {\nvoid write(int x) {\n}\n}  // namespace\n}  // namespace tenon\n"
        calls = "namespace tenon {\nvoid end() {\n    write(2, text, 1);\n}\n}  // namespace tenon\n"
        (self.folder / "declares.hpp").write_text("namespace tenon {\nvoid write(int x);\n}  // namespace tenon\n", encoding="utf-8")
        commands = [self.command("calls.cpp", text=calls), self.command("own.cpp", text=own), self.command("knows.cpp", text=calls)]
        found = clang_tidy_batches.batches(commands, headers_of=lambda command: {self.folder / "declares.hpp"} if "knows" in command["file"] else set())
        self.assertEqual(self.names(found), [["calls.cpp"], ["own.cpp"], ["knows.cpp"]])

    def test_plugins_are_together(self):
        plugins = [self.command(f"plugin{i}.cpp", text='TENON_PLUGIN("a", "1");\n') for i in range(2)]
        (batch,) = clang_tidy_batches.batches([*self.commands, *plugins])
        clang_tidy_batches.command_of(batch, self.folder / "batch.cpp")
        lines = (self.folder / "batch.cpp").read_text(encoding="utf-8").splitlines()
        self.assertEqual([line for line in lines if "v1" in line],
                         [line for i in (7, 8) for line in ("#undef tn_plugin_entry_v1", f"#define tn_plugin_entry_v1 tn_plugin_entry_v1{i}  // NOLINT")])
        self.assertEqual(lines[-1], f'#include "{plugins[1]["file"]}"')

    def test_a_file_in_which_something_is_found_is_named_and_run_again(self):
        # The folder is below build, where nothing is ours; the files count all the same.
        (self.folder / "compile_commands.json").write_text(json.dumps(self.commands), encoding="utf-8")
        with unittest.mock.patch.object(clang_tidy, "select", lambda commands: commands):
            for bad, code, runs in ((True, 1, [7, 3, 4, 2, 1, 1, 2]), (True, 1, [1]), (False, 0, [1]), (False, 0, [])):
                Path(self.commands[3]["file"]).write_text("BAD" if bad else "good", encoding="utf-8")
                (self.folder / "runs").write_text("", encoding="utf-8")
                words = ["clang_tidy", str(self.folder / "tidy"), str(self.folder), str(self.folder / "clean")]
                said = io.StringIO()
                with unittest.mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said):
                    self.assertEqual(clang_tidy.main(), code)
                self.assertEqual([int(line) for line in (self.folder / "runs").read_text().split()], runs)
                self.assertEqual("3.cpp:1:1: error: it is bad" in said.getvalue(), bad)
                self.assertNotIn("4.cpp", said.getvalue())


if __name__ == "__main__":
    unittest.main()
