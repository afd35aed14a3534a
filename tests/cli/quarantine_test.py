#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""First loadings happen in a process of their own: what becomes of a file that ends it, and how often others are loaded.

TENON is the program, FIXTURES the folder of tests/fixtures/plugins as built; counts_loads there counts how often it is."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
FIXTURES = Path(os.environ["FIXTURES"])
MANIFEST = """[run]
total_frames = 64

[env]
plugin = "{library}/Count-v1"

[policy.actor]
plugin = "random/random"
"""
TRIED, LOADED = 1, 1  # times that a file is loaded


class Quarantine(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.state = self.folder / "state"
        self.count = self.folder / "count"
        (self.folder / "plugins").mkdir()
        self.file = self.put("counts_loads")
        (self.folder / "m.toml").write_text(MANIFEST.format(library="counts_loads"))

    def put(self, name):
        return Path(shutil.copy(FIXTURES / f"{name}.so", self.folder / "plugins"))

    def tenon(self, *words, **variables):
        environment = {k: v for k, v in os.environ.items() if k not in ("TENON_PLUGIN_PATH", "XDG_STATE_HOME")}
        environment |= {"TENON_STATE": str(self.state), "COUNT_LOADS_IN": str(self.count)} | variables
        return subprocess.run([TENON, *map(str, words), "--plugins", self.folder / "plugins"], capture_output=True,
                              text=True, cwd=self.folder, env=environment, timeout=PATIENCE)  # fmt: skip

    def validate(self, **variables):
        return self.tenon("validate", "m.toml", **variables).stderr

    def loads(self):
        """How often the file was loaded since this was asked last."""
        count = len(self.count.read_bytes()) if self.count.exists() else 0
        self.count.unlink(missing_ok=True)
        return count

    def records(self):
        """What is kept of the file."""
        kept = (self.state / "plugins").iterdir()
        return [path for path in kept if json.loads(path.read_text())["path"] == str(self.file)]

    def assert_held(self, text):
        self.assertRegex(text.splitlines()[0], f"^error: {self.file} is in quarantine since [-0-9]+: the first process that loaded it was ended by SIGSEGV in init")
        self.assertIn(" --> m.toml:5:10\n", text)
        self.assertIn("help: change the file, or run `tenon list --rescan --plugins "
                      f"{self.file.parent}` to test it again", text)

    def test_a_fine_file_is_tried_once(self):
        first = self.validate()
        self.assertNotIn("quarantine", first)
        self.assertEqual(self.loads(), TRIED + LOADED)
        self.assertEqual(self.validate(), first)
        self.assertEqual(self.loads(), LOADED)
        os.utime(self.file)  # touched, and the same
        self.assertEqual(self.validate(), first)
        self.assertEqual(self.loads(), LOADED)

    def test_one_that_crashes_is_not_loaded_again(self):
        run = self.tenon("validate", "m.toml", CRASH_IN_INIT="1")
        self.assert_held(run.stderr)
        self.assertEqual((run.returncode, run.stdout), (3, ""))
        self.assertEqual(self.loads(), TRIED)
        again = self.tenon("validate", "m.toml")  # it would not crash
        self.assertEqual((again.returncode, again.stderr), (3, run.stderr))
        self.assertEqual(self.tenon("run", "m.toml", "--out", "out").stderr, run.stderr)
        self.assertEqual(self.loads(), 0)
        self.assertFalse((self.folder / "out").exists())

    def test_a_file_that_has_changed_is_tried_again(self):
        self.validate(CRASH_IN_INIT="1")
        os.utime(self.file)
        self.assert_held(self.validate())
        self.assertEqual(self.loads(), TRIED)
        with self.file.open("ab") as file:
            file.write(b"built anew")
        self.assertNotIn("quarantine", self.validate())
        self.assertEqual(self.loads(), TRIED + LOADED)
        with self.file.open("ab") as file:
            file.write(b", and worse")
        self.assert_held(self.validate(CRASH_IN_INIT="1"))
        self.assertEqual(self.loads(), TRIED)

    def test_the_list_shows_it_and_loads_nothing(self):
        self.put("sound")
        self.validate(CRASH_IN_INIT="1")
        self.loads()
        run = self.tenon("list")
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stderr, rf"^warning: {self.file} is in quarantine since [-0-9]+: .* SIGSEGV in init")
        self.assertRegex(run.stdout, r"\ncounts_loads/Count-v1 +env +cpu .*in quarantine\n")
        run = self.tenon("list", "--json")
        held = {r["plugin"]: r["quarantine"] for r in map(json.loads, run.stdout.splitlines())}
        self.assertIsNone(held["sound"])
        self.assertIn("SIGSEGV in init", held["counts_loads"])
        self.assertEqual(self.loads(), 0)

    def test_a_rescan_tries_every_file(self):
        for name in ("sound", "exits_in_init", "failing_init"):
            self.put(name)
        run = self.tenon("list", "--rescan", CRASH_IN_INIT="1")
        self.assertEqual((run.returncode, self.loads()), (0, TRIED))
        rows = {line.split()[0]: line for line in run.stdout.splitlines()}
        self.assertTrue(rows["counts_loads/Count-v1"].endswith("  in quarantine"))
        self.assertTrue(rows["exits_in_init/Count-v1"].endswith("  in quarantine"))
        self.assertTrue(rows["failing_init/Count-v1"].endswith("  refused"))
        self.assertNotRegex(rows["sound/Count-v1"], "quarantine|refused")
        self.assertIn("warning: failing_init, init: no licence found\n", run.stderr)
        self.assert_held(self.validate())
        run = self.tenon("list", "--rescan", "--json", CRASH_IN_INIT="1")
        refused = {r["plugin"]: r["refused"] for r in map(json.loads, run.stdout.splitlines())}
        self.assertEqual((refused["sound"], refused["failing_init"]), (None, "failing_init, init: no licence found"))
        self.assertEqual(self.loads(), TRIED)
        run = self.tenon("list", "--rescan")
        self.assertNotIn(str(self.file), run.stderr)
        self.assertEqual(self.loads(), TRIED)
        self.assertNotIn("quarantine", self.validate())
        self.assertEqual(self.loads(), LOADED)
        (record,) = self.records()
        self.file.unlink()
        self.tenon("list", "--rescan")
        self.assertFalse(record.exists())

    def test_an_orderly_failure_is_told_as_ever(self):
        self.put("failing_init")
        (self.folder / "m.toml").write_text(MANIFEST.format(library="failing_init"))
        for _ in range(2):
            self.assertTrue(self.validate().startswith("error: failing_init, init: no licence found\n --> m.toml:5:10\n"))

    def test_where_nothing_can_be_kept_it_is_tried_each_time(self):
        self.state.write_text("no folder")
        for _ in range(2):
            self.assert_held(self.validate(CRASH_IN_INIT="1"))
            self.assertEqual(self.loads(), TRIED)
        said = self.validate()
        self.assertNotIn("state", said)
        self.assertEqual(self.loads(), TRIED + LOADED)

    def test_records_that_are_damaged_are_no_records(self):
        self.validate(CRASH_IN_INIT="1")
        self.loads()
        (record,) = self.records()
        whole = record.read_bytes()
        for damaged in (b"", whole[: len(whole) // 2], b"\0" * 100, b"[" * 1000, whole.replace(b"host", b"hast")):
            record.write_bytes(damaged)
            self.assertNotIn("quarantine", self.validate())
            self.assertEqual(self.loads(), TRIED + LOADED)

    def test_the_folder_of_the_state(self):
        homes = {"TENON_STATE": "", "XDG_STATE_HOME": str(self.folder / "xdg"), "HOME": str(self.folder / "home")}
        self.validate(**homes)
        self.assertTrue(any((self.folder / "xdg" / "tenon" / "plugins").iterdir()))
        self.validate(**homes | {"XDG_STATE_HOME": "relative"})
        self.assertTrue(any((self.folder / "home" / ".local" / "state" / "tenon" / "plugins").iterdir()))
        self.assertFalse((self.folder / "relative").exists())

    def test_in_a_process_of_its_own_it_is_not_tried_before(self):
        self.tenon("validate", "m.toml", "--set", "env.isolation=process")
        self.assertGreater(self.loads(), 0)
        self.assertEqual(self.records(), [])


if __name__ == "__main__":
    unittest.main()
