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
        shutil.copy(ROOT / "plugin_api" / "abi_v0.lock", self.lock)

    def tool(self, *options):
        command = [sys.executable, ROOT / "tools/generate/abi_lock.py", "--include", self.include, "--lock", self.lock]
        return subprocess.run([*command, "--compiler", COMPILER, *options], capture_output=True, text=True, check=False)

    def edit(self, header, old, new):
        path = self.include / "tenon" / "abi" / header
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1, f"{header} has changed: this test looks for '{old}'")
        path.write_text(text.replace(old, new), encoding="utf-8")

    def assert_broken(self, *words):
        done = self.tool("--check")
        self.assertEqual(done.returncode, 1)
        for word in words:
            self.assertIn(word, done.stdout)

    def test_the_headers_as_they_are(self):
        self.lock.unlink()
        self.assertEqual(self.tool().returncode, 0)
        self.assertEqual(self.tool("--check").returncode, 0)
        self.assertEqual(self.lock.read_bytes(), (ROOT / "plugin_api" / "abi_v0.lock").read_bytes())

    def test_what_breaks_is_not_written(self):
        self.edit("types.h", "TN_FATAL = 64", "TN_FATAL = 65")
        self.assertEqual(self.tool().returncode, 1)
        self.assertEqual(self.lock.read_bytes(), (ROOT / "plugin_api" / "abi_v0.lock").read_bytes())

    def test_field_inserted(self):
        self.edit("types.h", "typedef struct tn_str {", "typedef struct tn_str {\n    uint64_t hash;")
        self.assert_broken("tn_str", "'data 0 8: const char*'", "'hash 0 8: uint64_t'")

    def test_fields_swapped(self):
        self.edit("random.h", "    uint64_t seed;\n    uint64_t stream;", "    uint64_t stream;\n    uint64_t seed;")
        self.assert_broken("tn_key", "'seed 0 8: uint64_t'")

    def test_field_removed(self):
        self.edit("env.h", "    uint32_t first;     /* the lanes first .. first + count - 1     */\n", "")
        self.assert_broken("tn_env_step", "'first 12 4: uint32_t'", "'count 12 4: uint32_t'")

    def test_field_inserted_in_the_middle(self):
        self.edit("env.h", "    uint32_t count;\n    uint32_t flags; /* TN_STEP_... */\n} tn_env_step;",
                  "    uint32_t stride;\n    uint32_t count;\n    uint32_t flags; /* TN_STEP_... */\n} tn_env_step;")
        self.assert_broken("tn_env_step", "'count 16 4: uint32_t'", "'stride 16 4: uint32_t'")

    def test_function_inserted_in_the_middle(self):
        self.edit("env.h", "    tn_status (*reset)(", "    tn_status (*pause)(void* self);\n    tn_status (*reset)(")
        self.assert_broken("tn_env_api", "'reset 24 8: tn_status", "'pause 24 8: tn_status (*)(void*)'")

    def test_reserved_field_gets_a_name(self):
        self.edit("dataset.h", "    uint32_t reserved;", "    uint32_t units;")
        self.assertEqual(self.tool("--check").returncode, 1)  # until the lock is written
        self.assertEqual(self.tool().returncode, 0)
        self.edit("dataset.h", "    uint32_t units;", "    uint32_t others;")
        self.assert_broken("units", "others")

    def test_reserved_field_of_another_type(self):
        self.edit("dataset.h", "    uint32_t reserved;", "    int32_t units;")
        self.assert_broken("reserved", "units")

    def test_type_of_the_same_size(self):
        self.edit("option.h", "    double real;", "    int64_t real;")
        self.assert_broken("tn_option_value", "real 32 8: double", "real 32 8: int64_t")

    def test_sign(self):
        self.edit("env.h", "    uint32_t slot;      /*", "    int32_t slot;      /*")
        self.assert_broken("tn_env_step", "slot 4 4: uint32_t", "slot 4 4: int32_t")

    def test_what_a_name_stands_for(self):
        self.edit("graph.h", "typedef uint32_t tn_value; ", "typedef int32_t tn_value; ")
        self.assert_broken("type tn_value was uint32_t and is now int32_t")

    def test_parameter_of_another_type(self):
        self.edit("env.h", "(*reset)(void* self, uint32_t slot,", "(*reset)(void* self, uint64_t slot,")
        self.assert_broken("tn_env_api", "(void*, uint32_t, const uint8_t*", "(void*, uint64_t, const uint8_t*")

    def test_parameter_added(self):
        self.edit("env.h", "(*step)(void* self, const tn_env_step* step)",
                  "(*step)(void* self, const tn_env_step* step, void* stream)")
        self.assert_broken("tn_env_api", "(void*, const tn_env_step*, void*)")

    def test_parameter_of_a_callback(self):
        self.edit("host.h", "void (*body)(void* arg, uint64_t first, uint64_t count)", "void (*body)(void* arg, uint64_t first)")
        self.assert_broken("tn_host", "void (*)(void*, uint64_t, uint64_t)", "void (*)(void*, uint64_t)")

    def test_result_changed(self):
        self.edit("plugin.h", "    void (*destroy)(void* self);", "    tn_status (*destroy)(void* self);")
        self.assert_broken("tn_component", "void (*)(void*)", "tn_status (*)(void*)")

    def test_names_of_parameters_are_free(self):
        self.edit("env.h", "(*step)(void* self, const tn_env_step* step)", "(*step)(void* instance, const tn_env_step* call)")
        self.assertEqual(self.tool("--check").returncode, 0)

    def test_struct_without_a_size_grows(self):
        self.edit("random.h", "    uint64_t stream;\n} tn_key;", "    uint64_t stream;\n    uint64_t lane;\n} tn_key;")
        self.assert_broken("tn_key has no struct_size")

    def test_struct_without_a_size_grows_alone(self):
        self.edit("graph.h", "    uint32_t line;\n    uint32_t column;\n} tn_source;",
                  "    uint32_t line;\n    uint32_t column;\n    uint64_t last_line;\n} tn_source;")
        self.assert_broken("tn_source has no struct_size, so that nobody can tell how much of it is there: it cannot grow")

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

    def test_constant_in_the_middle(self):
        self.edit("spec.h", "TN_SPEC_ONE_HOT = 4,", "TN_SPEC_PICTURE = 4, TN_SPEC_ONE_HOT = 7,")
        self.assert_broken("constant TN_SPEC_ONE_HOT was 4 and is now 7")

    def test_constant_gone(self):
        self.edit("types.h", "enum { TN_DEVICE_CPU = 1, TN_DEVICE_CUDA = 2 };", "enum { TN_DEVICE_CPU = 1 };")
        self.assert_broken("constant TN_DEVICE_CUDA was 2 and is now gone")

    def test_macros(self):
        self.edit("plugin.h", "#define TN_NOTE_TYPE 1u", "#define TN_NOTE_TYPE 2u")
        self.edit("plugin.h", '#define TN_ENTRY_SYMBOL "tn_plugin_entry_v1"', '#define TN_ENTRY_SYMBOL "tn_entry"')
        self.assert_broken("constant TN_NOTE_TYPE was 1 and is now 2", "constant TN_ENTRY_SYMBOL was tn_plugin_entry_v1")

    def test_struct_renamed(self):
        self.edit("tensor.h", "typedef struct tn_column {", "typedef struct tn_named {")
        self.edit("tensor.h", "} tn_column;", "} tn_named;\ntypedef tn_named tn_column;")
        self.assert_broken("struct tn_column is gone")

    def test_field_appended(self):
        self.edit("env.h", "    uint32_t flags; /* TN_STEP_... */\n} tn_env_step;", "    uint32_t flags; /* TN_STEP_... */\n    uint64_t added;\n} tn_env_step;")
        done = self.tool("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("regenerate it", done.stderr)
        self.assertEqual(self.tool().returncode, 0)
        self.assertEqual(self.tool("--check").returncode, 0)
        self.assertIn("    added 24 8: uint64_t\n", self.lock.read_text(encoding="utf-8"))

    def test_broken_on_purpose(self):
        self.edit("types.h", "TN_FATAL = 64", "TN_FATAL = 65")
        self.assertEqual(self.tool("--break").returncode, 0)
        self.assertEqual(self.tool("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
