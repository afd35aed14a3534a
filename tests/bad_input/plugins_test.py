#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that a manifest names and that are no usable plugin: `validate` says which file, why, and the manifest's line;
`run` says the same and leaves nothing behind."""

import hashlib
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from program import FIXTURES, LEAST, PLUGINS, tenon, told

NEWER = "help: use a newer Tenon, or build the plugin with the SDK of this one"
OLDER = "help: build the plugin with the SDK of this Tenon"

# Library of tests/fixtures/plugins -> what is said of LIBRARY/Count-v1, the exit code, what follows the caret.
FIXTURE_SENTENCES = {
    "absurd_component": (
        "absurd_component/Count-v1 has struct_size 4294967280, which is invalid; this host knows 48",
        3,
    ),
    "absurd_size": (
        "the entry of FIXTURES/absurd_size.so has struct_size 4294967280, which is invalid; this host knows 64",
        3,
    ),
    "bad_default": (
        "FIXTURES/bad_default.so has a damaged Tenon note: the default of B.x must be an int, but is a string",
        3,
    ),
    "damaged_note": (
        "FIXTURES/damaged_note.so has a damaged Tenon note: its text is not JSON at byte 1: syntax error",
        3,
    ),
    "failing_create": ("failing_create/Count-v1: limit is too bold", 2),
    "failing_init": ("failing_init, init: no licence found", 4),
    "lost_component": (
        "FIXTURES/lost_component.so: its note and its code disagree: the note lists 'Count-v1', but the code has no such component",
        3,
    ),
    "misnamed": (
        "FIXTURES/misnamed.so is the plugin 'proper'; rename the file to proper.so, or the plugin in its source, "
        "because plugins are found by their file names",
        3,
    ),
    "newer_entry": (
        "FIXTURES/newer_entry.so was built for a newer plugin ABI: it needs 9.1, but this host has 0.1",
        3,
        NEWER,
    ),
    "newer_major": (
        "FIXTURES/newer_major.so was built for a newer plugin ABI: it needs 9.0, but this host has 0.1",
        3,
        NEWER,
    ),
    "newer_minor": (
        "FIXTURES/newer_minor.so needs plugin ABI 0.99 or a later minor, but this host has 0.1",
        3,
        NEWER,
    ),
    "no_entry": ("FIXTURES/no_entry.so does not export 'tn_plugin_entry_v1'", 3),
    "no_note": ("FIXTURES/no_note.so is not a Tenon plugin: it is a shared library without a Tenon note", 3),
    "null_function": (
        "null_function/Count-v1 offers an interface 'tenon.env/1' that has a null in place of function 4",
        3,
    ),
    "null_interface": (
        "null_interface/Count-v1 does not offer the interface 'tenon.env/1', which its kind 'env' requires",
        3,
    ),
    "older_minor": (
        "FIXTURES/older_minor.so was built for an older plugin ABI: it needs 0.0, but this host has 0.1",
        3,
        OLDER,
    ),
    "other_count": (
        "FIXTURES/other_count.so: its note and its code disagree: the note lists 1 components, but the code has 2",
        3,
    ),
    "other_id": (
        "FIXTURES/other_id.so: its note and its code disagree: the id is 'Count-v1' in the note, but 'Count-v2' in the "
        "code",
        3,
    ),
    "other_kind": (
        "FIXTURES/other_kind.so: its note and its code disagree: the kind of Count-v1 is 'env' in the note, but "
        "'policy' in the code",
        3,
    ),
    "other_name": (
        "FIXTURES/other_name.so: its note and its code disagree: the name is 'other_name' in the note, but 'another' in "
        "the code",
        3,
    ),
    "out_of_memory": ("out_of_memory/Count-v1: no memory for the lanes", 4),
    "short_interface": (
        "short_interface/Count-v1 offers an interface 'tenon.env/1' that is too short: its struct_size is 16, but at least "
        "40 is needed",
        3,
    ),
    "silent_create": ("silent_create/Count-v1: create failed without saying why (invalid argument)", 3),
    "sound": ("sound/Count-v1: it has no observation column; an env needs at least one", 3),
    "undefined_symbol": (
        "FIXTURES/undefined_symbol.so cannot be loaded: undefined symbol: tn_test_nobody_defines_this",
        3,
    ),
    "unknown_kind": ("[env] needs an env, but unknown_kind/Count-v1 is a widget", 2),
    "unknown_status": (
        "unknown_status/Count-v1: create returned status 4711, which is not a status; it is treated as an internal error",
        3,
    ),
    "wrong_magic": (
        "FIXTURES/wrong_magic.so exports 'tn_plugin_entry_v1', but this is not a plugin entry: its magic number is wrong",
        3,
    ),
    "wrong_size": (
        "the entry of FIXTURES/wrong_size.so has struct_size 3, which is invalid; this host knows 64",
        3,
    ),
}


def patched(offset, value):
    """The sound plugin with other bytes at one place of its ELF header."""
    image = bytearray((FIXTURES / "sound.so").read_bytes())
    image[offset : offset + len(value)] = value
    return bytes(image)


class Plugins(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()

    def refused(self, component, sentence, code, *after, search=None):
        """Both commands refuse a manifest with that env, at its line."""
        (self.folder / "m.toml").write_text(LEAST.format(env=component))
        quoted = f'"{component}"'
        shown = ["  |", f"5 | plugin = {quoted}", f"  |          {'^' * len(quoted)}"]
        lines = [f"error: {sentence}", " --> m.toml:5:10", *shown]
        for words in (["validate", "m.toml"], ["run", "m.toml"]):
            run = tenon(*words, folder=self.folder, search=search or self.plugins)
            self.assertEqual(told(run.stderr, self.folder).splitlines(), [*lines, *after])
            self.assertEqual((run.returncode, run.stdout), (code, ""))
        self.assertFalse((self.folder / "runs").exists())

    def test_plugins_with_one_thing_wrong(self):
        for library, (sentence, code, *after) in FIXTURE_SENTENCES.items():
            with self.subTest(library):
                self.refused(f"{library}/Count-v1", sentence, code, *after, search=FIXTURES)

    def test_a_crash_is_told_with_the_plugin_and_its_line(self):
        if os.environ.get("SANITIZED") == "1":
            self.skipTest("a SIGSEGV is the sanitizer's in this build")
        (self.folder / "m.toml").write_text(LEAST.format(env="wrong_envs/CrashesInStep-v0"))
        run = tenon("run", "m.toml", folder=self.folder, search=FIXTURES)
        self.assertEqual((run.returncode, run.stdout), (3, ""))
        crash = "wrong_envs/CrashesInStep-v0, step: the plugin crashed (SIGSEGV: it accessed memory that is not mapped)"
        self.assertEqual(run.stderr.splitlines()[:2], [f"error: {crash}", " --> m.toml:5:10"])

    def test_mistakes_that_were_found_before_a_crash_are_told_first(self):
        if os.environ.get("SANITIZED") == "1":
            self.skipTest("a SIGSEGV is the sanitizer's in this build")
        manifest = Path(__file__).parent / "manifests" / "author_poisoned_size.toml"
        (self.folder / "m.toml").write_text(manifest.read_text().replace("/poisoned", "/crashes"))
        for words in (["validate", "m.toml"], ["run", "m.toml"]):
            run = tenon(*words, folder=self.folder, search=FIXTURES)
            errors = [line for line in told(run.stderr, self.folder).splitlines() if line.startswith("error: ")]
            self.assertEqual(run.returncode, 3, run.stderr)
            self.assertEqual(len(errors), 3, run.stderr)
            self.assertIn("wrong_graphs/crashes, update: there is no column 'observatoin'", errors[0])
            self.assertIn("wrong_graphs/crashes, update: squeeze:", errors[1])
            self.assertIn("wrong_graphs/crashes, update: the plugin crashed (SIGSEGV", errors[2])
        self.assertFalse((self.folder / "runs").exists())

    def test_every_hostile_fixture_is_here_or_explained(self):
        # Fine themselves, or tried where 4 KiB of babble can be looked at (unit tests), and what becomes of them (the zoo,
        # tests/cli).
        in_other_tests = {"aborts", "babbling", "counts_loads", "crashes_in_init", "exits_in_init", "fast_math", "hangs_in_init", "sound_with_text"}
        source = Path(__file__).resolve().parents[1] / "fixtures" / "plugins" / "CMakeLists.txt"
        names = set(re.findall(r"^hostile_plugin\((\w+)", source.read_text(), flags=re.MULTILINE))
        self.assertEqual(names, set(FIXTURE_SENTENCES) | in_other_tests)

    def test_files_that_are_no_plugins(self):
        whole = (FIXTURES / "sound.so").read_bytes()
        cases = {
            "empty": (b"", "is empty"),
            "text": (b"hello\n", "is not a shared library: it has no ELF header"),
            "stub": (whole[:40], "is cut off: its headers name parts beyond its end"),
            "half": (whole[: len(whole) // 2], "is cut off: its headers name parts beyond its end"),
            "most": (whole[:-1], "is cut off: its headers name parts beyond its end"),
            "bits": (patched(4, b"\1"), "is for another kind of machine: plugins must be 64-bit and little-endian"),
            "ends": (patched(5, b"\2"), "is for another kind of machine: plugins must be 64-bit and little-endian"),
            "program": (patched(16, b"\2\0"), "is an ELF file but not a shared library"),
        }
        for library, (image, sentence) in cases.items():
            with self.subTest(library):
                (self.plugins / f"{library}.so").write_bytes(image)
                self.refused(f"{library}/Count-v1", f"plugins/{library}.so {sentence}", 3)

    def test_wrong_machine(self):
        own = int.from_bytes((FIXTURES / "sound.so").read_bytes()[18:20], "little")
        number, name = (62, "x86-64") if own == 183 else (183, "AArch64")
        here = {62: "x86-64", 183: "AArch64"}[own]
        (self.plugins / "foreign.so").write_bytes(patched(18, number.to_bytes(2, "little")))
        sentence = f"plugins/foreign.so is for another machine: it holds {name} code, but this host runs on {here}"
        self.refused("foreign/Count-v1", sentence, 3)

    def test_missing_file(self):
        sentence = "no component 'nowhere/Count-v1'"
        help_line = "help: `tenon list` shows all components; searched: plugins, PLUGINS"
        self.refused("nowhere/Count-v1", sentence, 2, help_line, search="plugins")
        (self.plugins / "dangling.so").symlink_to("nowhere.so")
        self.refused("dangling/Count-v1", "there is no file plugins/dangling.so", 3)

    def test_folder(self):
        (self.plugins / "folder.so").mkdir()
        self.refused("folder/Count-v1", "plugins/folder.so is a folder, not a file", 3)

    def test_duplicates(self):
        second = self.folder / "second"
        second.mkdir()
        for folder in (self.plugins, second):
            shutil.copy(FIXTURES / "sound.so", folder)
        sentence = "two plugins have the name 'sound': plugins/sound.so and second/sound.so"
        help_line = "help: remove one of them, or take its folder out of TENON_PLUGIN_PATH"
        self.refused("sound/Count-v1", sentence, 2, help_line, search=f"{self.plugins}:{second}")

    def test_a_bad_file_that_nobody_names_harms_nothing(self):
        (self.plugins / "text.so").write_text("hello\n")
        (self.folder / "m.toml").write_text(LEAST.format(env="classic/CartPole-v1"))
        run = tenon("validate", "m.toml", folder=self.folder, search=self.plugins)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "m.toml: fine\n", ""))

    def test_pins(self):
        digest = hashlib.sha256((PLUGINS / "classic.so").read_bytes()).hexdigest()
        manifest = self.folder / "m.toml"
        pin = f'\n[plugins.sha256]\nclassic = "{digest.upper()}"\n'
        manifest.write_text(LEAST.format(env="classic/CartPole-v1") + pin)
        self.assertEqual(tenon("validate", "m.toml", folder=self.folder).returncode, 0)
        wrong = ("0" if digest[0] != "0" else "1") + digest[1:]
        manifest.write_text(manifest.read_text().replace(digest.upper(), wrong))
        run = tenon("run", "m.toml", folder=self.folder)
        self.assertEqual(run.returncode, 3)
        self.assertEqual(
            told(run.stderr, self.folder).splitlines()[:2],
            [
                f"error: PLUGINS/classic.so is not the pinned file: its SHA-256 is HASH, but the pin is {wrong}",
                " --> m.toml:11:11",
            ],
        )
        self.assertFalse((self.folder / "runs").exists())


if __name__ == "__main__":
    unittest.main()
