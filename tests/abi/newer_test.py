# SPDX-License-Identifier: Apache-2.0
"""Plugins whose SDK is newer than this host. There is no newer SDK, so one is made: of today's headers with the next minor,
every struct that may grow grown by a field, and a function of a later op. With it
  - the plugins of tests/abi/released, built for this host's ABI, do what they did;
  - a plugin that needs the newer ABI is refused; so is a primitive op that this host has not; a composite runs its body;
  - what came later is refused by the compiler, with the field's line, where an older host is aimed at.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kept import HERE, RELEASED, check, numbers, tenon

ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools" / "generate"))
import ops_cpp
import ops_table

TYPES = (ROOT / "plugin_api/include/tenon/abi/types.h").read_text()
MAJOR, MINOR = (int(re.search(rf"#define TN_ABI_{part} (\d+)", TYPES)[1]) for part in ("MAJOR", "MINOR"))
HOST, LATER = f"{MAJOR}.{MINOR}", f"{MAJOR}.{MINOR + 1}"
MARK = f"TN_SINCE_{MAJOR}_{MINOR + 1}"
MARKS = f"""#if TN_TARGET_MINOR < {MINOR + 1}
#define {MARK} TN_LATER("{LATER}")
#else
#define {MARK}
#endif
"""
SENTENCE = f"it came with plugin ABI {LATER}, and TENON_TARGET is older"
STRUCT = re.compile(r"(typedef struct (\w+) \{)(.*?)(\n\} \2;)", re.DOTALL)
COMPILERS = {".c": [os.environ["CC"], "-std=c11"], ".cpp": [os.environ["CXX"], "-std=c++20"]}


def grown(match):
    if "uint32_t struct_size;" not in match[3]:
        return match[0]  # it cannot grow
    return f"{match[1]}{match[3]}\n    uint64_t added_later {MARK};{match[4]}"


def make_newer_sdk(include):
    """Headers of the next minor, as a later SDK would have them."""
    for folder in ("plugin_api/include", "sdk/include"):
        shutil.copytree(ROOT / folder, include, dirs_exist_ok=True)
    count = 0
    for header in (include / "tenon" / "abi").glob("*.h"):
        text, changed = STRUCT.subn(grown, header.read_text())
        count += changed
        if header.name == "types.h":
            text = text.replace(f"#define TN_ABI_MINOR {MINOR}", f"#define TN_ABI_MINOR {MINOR + 1}")
            text = text.replace("typedef int32_t tn_status;", f"{MARKS}typedef int32_t tn_status;")
        header.write_text(text)
    assert count > 20, f"{count} structs"
    ops = include / "tenon" / "generated" / "ops.hpp"
    later = ops_table.op_of({"name": "bessel", "revision": 1, "group": "elementwise", "inputs": ["x: real"], "rule": "special",
                             "since": LATER, "summary": "a Bessel function"})  # fmt: skip
    function = "\n".join(ops_cpp.sdk_function(later, later.inputs))
    ops.write_text(ops.read_text().replace("// a + b\n", f"{function}\n\n// a + b\n"))


class Newer(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = Path(cls.holder.name).resolve()
        cls.include = cls.folder / "include"
        make_newer_sdk(cls.include)

    def compile(self, source, out=None, target=HOST):
        """The compiler's words about a file; a target builds for an older host."""
        words = [*COMPILERS[source.suffix], f"-I{self.include}", f"-ffile-prefix-map={source.parent}/="]
        if target:
            words += [f"-DTN_TARGET_MAJOR={target.split('.')[0]}", f"-DTN_TARGET_MINOR={target.split('.')[1]}"]
        what = ["-fsyntax-only"] if out is None else [
            "-O0", "-fPIC", "-shared", "-fvisibility=hidden", f"-Wl,--version-script={ROOT}/sdk/cmake/tenon_plugin.map",
            "-o", str(out / f"{source.stem}.so")]  # fmt: skip
        return subprocess.run([*words, *what, str(source)], capture_output=True, text=True, check=False)

    def build(self, sources, out, target=HOST):
        out.mkdir()
        with ThreadPoolExecutor(2) as pool:
            for done in pool.map(lambda source: self.compile(source, out, target), sources):
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_was_built_for_this_host_does_what_it_did(self):
        release = RELEASED / "0.1"
        out = self.folder / "for_this_host"
        self.build([*release.glob("*.c"), *release.glob("*.cpp")], out)
        check(self, out, self.folder, release)

    def test_what_needs_a_newer_host_is_refused(self):
        out = self.folder / "for_a_newer_host"
        self.build([RELEASED / "0.1" / "drift_c.c"], out, target=None)
        run = tenon("validate", RELEASED / "recorded.toml", plugins=out, code=3)
        self.assertEqual(run.stderr.splitlines()[0],
                         f"error: {out}/drift_c.so needs plugin ABI {LATER} or a later minor, but this host has {HOST}")
        self.assertIn("help: use a newer Tenon, or build the plugin with the SDK of this one", run.stderr)

    def manifest(self, objective):
        text = (RELEASED / "learnt.toml").read_text().replace("FOLDER", str(RELEASED / "0.1"))
        path = self.folder / f"{objective}.toml"
        path.write_text(text.replace('"td/td"\ngamma = 0.9', f'"newer/{objective}"').replace("every = 2", "every = 1"))
        return path

    def test_ops(self):
        out = self.folder / "ops"
        self.build([HERE / "newer" / "newer.cpp"], out)
        for library in (RELEASED / "0.1").glob("*.so"):
            shutil.copy(library, out)
        found = {}
        for objective in ("plain", "composed"):
            tenon("run", self.manifest(objective), "--quiet", "--out", self.folder / objective, plugins=out)
            found[objective] = numbers(self.folder / objective / "checkpoints" / "last" / "parameters.safetensors")
        self.assertEqual(found["plain"], found["composed"])
        for objective, what, line in (("primitive", "'bessel' of revision 2", 36), ("revised", "'exp' of revision 9; its newest is revision 1", 40)):
            run = tenon("validate", self.manifest(objective), plugins=out, code=3)
            said = run.stderr.splitlines()
            self.assertEqual(said[0], f"error: newer/{objective}, update: this host (ABI {HOST}) has no op {what}")
            self.assertRegex(said[1], rf"^ --> newer\.cpp:{line}:\d+$")
            self.assertEqual(run.stderr.count("error: "), 1)

    def refused(self, suffix, text, **how):
        """The distinct sentences that the compiler has for a file that uses what came later."""
        source = self.folder / f"uses{suffix}"
        source.write_text(text)
        done = self.compile(source, **how)
        return sorted(set(re.findall(r"error: (.*)", done.stderr)))

    def test_what_came_later_does_not_compile_for_an_older_host(self):
        field = '#include "tenon/abi/env.h"\nuint64_t f(const tn_env_step* s) {\n    return s->added_later;\n}\n'
        for suffix in (".c", ".cpp"):
            sentences = self.refused(suffix, field)
            self.assertEqual(len(sentences), 1, sentences)
            self.assertRegex(sentences[0], rf"added_later.*{SENTENCE}")
            self.assertEqual(self.refused(suffix, field, target=LATER), [])
            self.assertEqual(self.refused(suffix, field, target=None), [])
        op = "#include <tenon/objective.hpp>\ntenon::Value f(tenon::Value x) {\n    return bessel(x);\n}\n"
        sentences = self.refused(".cpp", op)
        self.assertEqual(len(sentences), 1, sentences)
        self.assertRegex(sentences[0], rf"bessel.*{SENTENCE}")
        self.assertEqual(self.refused(".cpp", op, target=None), [])

    def test_targets_that_there_are_not(self):
        for target in (f"{MAJOR}.{MINOR + 2}", f"{MAJOR}.0", f"{MAJOR + 1}.{MINOR}"):
            sentences = self.refused(".c", '#include "tenon/abi/types.h"\n', target=target)
            self.assertEqual(len(sentences), 1, sentences)
            self.assertIn("this SDK cannot build for the plugin ABI that TENON_TARGET names", sentences[0])

    def configure(self, line):
        """What CMake says of a project with the SDK as it is in the build folder."""
        folder = self.folder / "project"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(RELEASED / "0.1" / "drift_c.c", folder)
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(one LANGUAGES C)\n"
                                               f"find_package(tenon CONFIG REQUIRED)\n{line}\n")  # fmt: skip
        command = [os.environ["CMAKE"], "-S", folder, "-B", folder / "build", f"-Dtenon_DIR={os.environ['PACKAGE']}",
                   f"-DCMAKE_C_COMPILER={os.environ['CC']}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        commands = folder / "build" / "compile_commands.json"
        return done, commands.read_text() if commands.exists() else ""

    def test_cmake_passes_the_target_on(self):
        for line in (f"tenon_add_plugin(drift_c drift_c.c TENON_TARGET {HOST})",
                     f"set(TENON_TARGET {HOST})\ntenon_add_plugin(drift_c drift_c.c)"):  # fmt: skip
            done, commands = self.configure(line)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"-DTN_TARGET_MAJOR={MAJOR} -DTN_TARGET_MINOR={MINOR} ", commands)
        done, _ = self.configure("tenon_add_plugin(drift_c drift_c.c TENON_TARGET old)")
        self.assertEqual(done.returncode, 1)
        self.assertIn("drift_c: TENON_TARGET must be a plugin ABI such as 0.1, not 'old'", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
