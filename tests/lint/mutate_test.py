# SPDX-License-Identifier: Apache-2.0
"""tools/slips.py on small sources, and tools/mutate on a tree of one file, which a compiler builds."""

import contextlib
import importlib.machinery
import importlib.util
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import slips  # noqa: E402

loader = importlib.machinery.SourceFileLoader("mutate", str(TOOLS / "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)

# The tests of `last` and `sum` are good, the one of `limit` never comes near 5, and `least` is the same either way.
SOURCE = """// a < b is no code
#include <vector>
int last(const int* x, int size) { return x[size - 1]; }
int sum(int a, int b) { return a + b; }
int limit(int a) { return a < 5 ? a : 10; }
int least(int a) { return a < 5 ? a : 5; }
"""
TEST = """int last(const int*, int); int sum(int, int); int limit(int); int least(int);
int main() { int x[] = {1, 2}; return last(x, 2) == 2 && sum(1, 2) == 3 && limit(1) == 1 && limit(9) == 10 && least(9) == 5 ? 0 : 1; }
"""
BUILD = 'cd "$(dirname "$0")"; mkdir -p build/release/tests; c++ -O1 core/base/tiny/*.cpp test.cpp -o build/release/tests/$1\n'


def changed(text):
    """Each slip as its kind and the changed lines."""
    out = []
    for slip in slips.slips_of("a.cpp", text):
        lines = zip(text.splitlines(), slips.with_slip(text, slip).splitlines(), strict=True)
        out.append((slip.kind, *(new.strip() for old, new in lines if new != old)))
    return out


class Slips(unittest.TestCase):
    def test_kinds(self):
        for line, *wanted in (
            ("x = a < b;", ("comparison", "x = a <= b;"), ("comparison", "x = a >= b;")),
            ("x = a == b;", ("comparison", "x = a != b;")),
            ("x = a - 1;", ("dropped term", "x = a;"), ("sign", "x = a + 1;")),
            ("x = a && !b;", ("dropped term", "x = a;")),
            ("x = a[i];", ("index", "x = a[i + 1];"), ("index", "x = a[i - 1];")),
            ("x = a[0];", ("index", "x = a[1];")),
            ("x_.clear();", ("reset left out", ";")),
            ("x = {};", ("reset left out", ";")),
            ("++x.y;", ("count left out", ";")),
            ("x += f(y);", ("count left out", ";"), ("sign", "x -= f(y);")),
            ("x = -y;", ("sign", "x = y;")),
            ("if (f(x)) {\n    return;\n}", ("early return left out", "if (false && (f(x))) {"), ("negated condition", "if (!(f(x))) {")),
            ("if (f(x)) {\n    g();\n}", ("negated condition", "if (!(f(x))) {")),
            ("if (const auto y = f(x); g(y)) {\n    h();\n}", ("negated condition", "if (const auto y = f(x);!( g(y))) {")),
        ):
            with self.subTest(line):
                self.assertEqual(changed("{\n" + line + "\n}\n"), sorted(wanted))

    def test_a_field_is_neither_written_nor_read(self):
        text = "{\nsink.number(taken_);\nsink.number(other);\n}{\ntaken_ = source.number<int>();\n}\n"
        self.assertEqual(changed(text), [("field not saved", ";", ";")])

    def test_what_is_not_touched(self):
        for line in ("// a < b", '#define X (a < b)', "static_assert(a < b);", "assert(a == b && c);", 'x = "a < b";', "vector<int> x;",
                     "[[nodiscard]] int f();", "const auto [a, b] = f();", "f([&] {});", "char x[64];", "if (!done) {\n    return done;\n}",
                     'return input_problem("there are " + counted(a - 1, "lane") + ", but it has " + b);', "if constexpr (a) {\n    return;\n}",
                     "int* x = f();", "f(a, *b);", "x = a ? b : c;"):
            with self.subTest(line):
                self.assertEqual(changed("{\n" + line + "\n}\n"), [])

    def test_lines_stay(self):
        for path in (TOOLS.parent / "core/experience/env").glob("*.cpp"):
            text = path.read_text(encoding="utf-8")
            for slip in slips.slips_of(path.name, text):
                new = slips.with_slip(text, slip)
                self.assertEqual(new.count("\n"), text.count("\n"), slip)
                self.assertNotEqual(new, text)


@unittest.skipUnless(shutil.which("c++"), "there is no c++")
class Mutate(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tenon-mutate-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.root, self.tree = self.folder / "root", self.folder / "tree"
        (self.root / "core/base/tiny").mkdir(parents=True)
        self.source = self.root / "core/base/tiny/tiny.cpp"
        for path, text in ((self.source, SOURCE), (self.root / "test.cpp", TEST), (self.root / "build.sh", BUILD)):
            path.write_text(text)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        for name, value in (("ROOT", self.root), ("AREAS", {"tiny": (("tiny",), ())})):
            self.addCleanup(setattr, mutate, name, getattr(mutate, name))
            setattr(mutate, name, value)

    def run_tool(self, *words):
        out = io.StringIO()
        argv, sys.argv = sys.argv, ["mutate", "--tree", str(self.tree), "--build", f"sh {self.tree}/build.sh", *map(str, words)]
        try:
            with contextlib.redirect_stdout(out):
                code = mutate.main()
        finally:
            sys.argv = argv
        return code, out.getvalue()

    def test_survivors_are_told(self):
        code, told = self.run_tool("--count", "100", "--seed", "3")
        self.assertEqual(code, 1)  # there are fewer
        self.assertIn("SURVIVED", told)
        self.assertIn("left to whole runs", told)
        self.assertIn("survived: core/base/tiny/tiny.cpp:5 comparison", told)
        self.assertIn("    -int limit(int a) { return a < 5 ? a : 10; }\n    +int limit(int a) { return a <= 5 ? a : 10; }", told)
        self.assertIn("6 of 7 caught; draws that did not compile or changed nothing: 1\n", told)
        for line in (3, 4):
            self.assertIn(f"s: core/base/tiny/tiny.cpp:{line} ", told)
            self.assertNotIn(f"survived: core/base/tiny/tiny.cpp:{line}", told)
        self.assertEqual(self.source.read_text(), SOURCE)
        self.assertEqual((self.tree / "core/base/tiny/tiny.cpp").read_text(), SOURCE)

    def test_what_is_known_to_change_nothing_is_left_out(self):
        known = self.root / mutate.KNOWN
        known.parent.mkdir()
        entry = ("core/base/tiny/tiny.cpp\n    - int limit(int a) { return a < 5 ? a : 10; }\n"
                 "    + int limit(int a) { return a <= 5 ? a : 10; }\n    Nobody asks for 5.\n")  # fmt: skip
        known.write_text("Slips.\n\n" + entry)
        self.assertNotIn("a <= 5 ? a : 10", self.run_tool("--list", "--count", "100")[1])
        known.write_text(entry.replace("- int limit", "- int limits"))
        with self.assertRaises(SystemExit) as stopped:
            self.run_tool("--list")
        self.assertIn("mutate: tools/slips_without_effect.txt names a slip in 'int limits(int a) {", stopped.exception.code)
        known.unlink()
        self.assertIn("a <= 5 ? a : 10", self.run_tool("--list", "--count", "100")[1])

    def test_the_list_of_those_is_true(self):
        root = TOOLS.parent
        entries = mutate.ENTRY.findall((root / mutate.KNOWN).read_text(encoding="utf-8"))
        self.assertGreater(len(entries), 3)
        found = [slip for file, *_ in entries for slip in slips.slips_of(file, (root / file).read_text(encoding="utf-8"))]
        self.assertEqual(len(mutate.without_effect(root, found)), len(entries))

    def test_the_same_seed_draws_the_same(self):
        told = [self.run_tool("--list", "--count", "6", "--seed", seed)[1] for seed in (1, 1, 2)]
        self.assertEqual(told[0], told[1])
        self.assertNotEqual(told[0], told[2])
        self.assertFalse(self.tree.exists())

    def test_a_stopped_one_leaves_the_sources(self):
        def stopped(copy, *targets):
            if (self.tree / "core/base/tiny/tiny.cpp").read_text() != SOURCE:
                raise KeyboardInterrupt
            return build(copy, *targets)

        build = mutate.Copy.build
        self.addCleanup(setattr, mutate.Copy, "build", build)
        mutate.Copy.build = stopped
        self.assertIn("stopped", self.run_tool("--count", "2")[1])
        self.assertEqual((self.tree / "core/base/tiny/tiny.cpp").read_text(), SOURCE)

    def test_a_hang_is_noticed(self):
        self.source.write_text(SOURCE.replace("return a + b;", "while (a < 0) { b = a; } return a + b;"))
        copy = mutate.Copy(self.root, self.tree, ["sh", str(self.tree / "build.sh")], [])
        copy.refresh()
        copy.learn_plain(["tiny"])
        copy.parts["tiny"][0].seconds = -5.97  # 0.3 s are the limit
        text = self.source.read_text()
        turned = next(slip for slip in slips.slips_of("core/base/tiny/tiny.cpp", text) if "(a >= 0)" in slips.with_slip(text, slip))
        self.assertEqual(copy.tried(turned, copy.units("tiny")).caught_by, "tiny")

    def test_times_are_learnt_once_for_a_tree(self):
        copy = mutate.Copy(self.root, self.tree, ["sh", str(self.tree / "build.sh")], [])
        asked, timed = [], copy.timed
        copy.timed = lambda test: asked.append(test) or timed(test)
        for text, expected in ((TEST, 1), (TEST, 1), (TEST + "// changed", 2)):
            (self.root / "test.cpp").write_text(text)
            copy.refresh()
            copy.learn_plain(["tiny"])
            self.assertEqual(len(asked), expected)
            self.assertEqual([part.test for part in copy.units("tiny")], ["tiny"])

    def test_the_copy_follows_the_tree(self):
        copy = mutate.Copy(self.root, self.tree, ["sh", str(self.tree / "build.sh")], [])
        (self.root / "old.txt").write_text("")
        copy.refresh()
        (self.root / "old.txt").unlink()
        (self.tree / "test.cpp").write_text("a slip that a killed run has left")
        copy.refresh()
        self.assertFalse((self.tree / "old.txt").exists())
        self.assertEqual((self.tree / "test.cpp").read_text(), TEST)

    def test_failing_without_a_slip(self):
        (self.root / "test.cpp").write_text(TEST.replace("== 3", "== 4"))
        with self.assertRaises(SystemExit) as stopped:
            self.run_tool()
        self.assertIn("mutate: without a slip tiny fails", stopped.exception.code)

    def test_wrong_words(self):
        for words, sentence in ((["--file", "core/base/tiny/none.cpp"], "is no file of an area with tests here: tiny"),
                                (["--tree", self.root], "--tree is the working tree, where no slip may be made")):
            with self.assertRaises(SystemExit) as stopped:
                self.run_tool(*words)
            self.assertIn(sentence, stopped.exception.code)


if __name__ == "__main__":
    unittest.main()
