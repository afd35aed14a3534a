# SPDX-License-Identifier: Apache-2.0
"""The gate of tools/generate/abi_lock.py itself: it has to refuse headers that were broken on purpose.

Usage: abi_lock_test.py REPOSITORY C_COMPILER
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, COMPILER = Path(sys.argv[1]), sys.argv[2]


class AbiLock(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.include = Path(self.folder.name) / "include"
        self.lock = Path(self.folder.name) / "abi.lock"
        shutil.copytree(ROOT / "plugin_api" / "include", self.include)
        self.assertEqual(self.tool().returncode, 0)
        self.assertEqual(self.tool("--check").returncode, 0)

    def tool(self, *options):
        command = [sys.executable, ROOT / "tools/generate/abi_lock.py", "--include", self.include, "--lock", self.lock]
        return subprocess.run([*command, "--compiler", COMPILER, *options], capture_output=True, text=True, check=False)

    def edit(self, header, old, new):
        path = self.include / "tenon" / "abi" / header
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1, f"{header} has changed: this test looks for '{old}'")
        path.write_text(text.replace(old, new), encoding="utf-8")

    def assert_broken(self, *words):
        for options in (["--check"], []):
            done = self.tool(*options)
            self.assertEqual(done.returncode, 1)
            for word in words:
                self.assertIn(word, done.stdout)

    def test_field_inserted(self):
        self.edit("types.h", "typedef struct tn_str {", "typedef struct tn_str {\n    uint64_t hash;")
        self.assert_broken("tn_str", "'data 0 8'", "'hash 0 8'")

    def test_fields_swapped(self):
        self.edit("random.h", "    uint64_t seed;\n    uint64_t stream;", "    uint64_t stream;\n    uint64_t seed;")
        self.assert_broken("tn_key", "'seed 0 8'")

    def test_field_widened(self):
        self.edit("sampler.h", "    uint32_t rows; /*", "    uint64_t rows; /*")
        self.assert_broken("tn_sample_call")

    def test_last_field_removed(self):
        self.edit("random.h", "    uint64_t stream;\n} tn_key;", "} tn_key;")
        self.assertIn("does not compile", self.tool("--check").stderr)
        self.edit("random.h", "(uint32_t)key.stream, c3 = (uint32_t)(key.stream >> 32)", "0, c3 = 0")
        self.assert_broken("tn_key", "'nothing'")

    def test_constant_changed(self):
        self.edit("types.h", "TN_DATA_LOSS = 7,", "TN_DATA_LOSS = 9,")
        self.assert_broken("constant TN_DATA_LOSS was 7 and is now 9")

    def test_struct_renamed(self):
        self.edit("tensor.h", "typedef struct tn_column {", "typedef struct tn_named {")
        self.edit("tensor.h", "} tn_column;", "} tn_named;\ntypedef tn_named tn_column;")
        self.assert_broken("struct tn_column is gone")

    def test_field_appended(self):
        self.edit("env.h", "    uint32_t flags; /* 0 */\n} tn_env_step;", "    uint32_t flags; /* 0 */\n    uint64_t added;\n} tn_env_step;")
        done = self.tool("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("write it anew", done.stderr)
        self.assertEqual(self.tool().returncode, 0)
        self.assertEqual(self.tool("--check").returncode, 0)
        self.assertIn("    added 24 8\n", self.lock.read_text(encoding="utf-8"))

    def test_broken_on_purpose(self):
        self.edit("types.h", "TN_FATAL = 64", "TN_FATAL = 65")
        self.assertEqual(self.tool("--break").returncode, 0)
        self.assertEqual(self.tool("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
