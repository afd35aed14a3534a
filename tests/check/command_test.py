#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command itself: what it prints, writes and refuses."""

import ctypes
import os
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from checked import FIXTURES, checked, failures, tenon_check

PLUGIN = FIXTURES / "contract" / "broken_env.so"
PLUGINS = Path(os.environ["PLUGINS"])
MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"


class Command(unittest.TestCase):
    def refused(self, sentence, *words):
        run = tenon_check(*words)
        self.assertEqual((run.returncode, run.stdout, run.stderr.splitlines()[0]), (2, "", f"error: {sentence}"))

    def test_a_list_for_people(self):
        run = tenon_check(PLUGIN, "--set", "fault=flags_two", "--timeout", 5)
        self.assertEqual(run.returncode, 3)
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0], "the file")
        self.assertIn("  pass  exports only its entry", lines)
        at = lines.index("  FAIL  flags are 0 or 1 and respect the episode limit")
        self.assertEqual(lines[at + 1 : at + 3], ["        after 12 steps in lane 0: 'truncated' is 2",
                                                  "        breaks tenon/abi/env.h: tn_env_info"])
        self.assertRegex(lines[-1], r"^\d+ passed, 1 failed, 3 skipped in \d.* s, seed 0$")

    def test_what_is_behind_a_failure_is_skipped_with_the_reason(self):
        report = checked(PLUGIN, "--set", "fault=crashes")[1]
        rows = {row["check"]: row for row in report["checks"]}
        self.assertEqual(rows["does not grow while it runs"]["outcome"], "skip")
        self.assertEqual(rows["does not grow while it runs"]["sentence"],
                         "not reached: 'begins episodes and steps' failed")

    def test_a_reason_that_holds_for_many_is_said_once(self):
        lines = tenon_check(PLUGIN, "--set", "fault=crashes").stdout.splitlines()
        said = [line for line in lines if line.startswith("  skip")]
        self.assertEqual(said, ["  skip  23 checks: not reached: 'begins episodes and steps' failed"])

    def test_what_is_not_deterministic_is_not_compared(self):
        code, report = checked(PLUGIN, "--set", "fault=announces_none")
        rows = {row["check"]: row for row in report["checks"]}
        self.assertEqual(code, 0)
        self.assertEqual(rows["a lane does not depend on other lanes"]["sentence"], "it announces TN_DETERMINISM_NONE")

    def test_some_checks(self):
        report = checked(PLUGIN, "--only", "grow", "--only", "truncated saved", "--set", "fault=flags_two")[1]
        rows = {row["check"]: row["outcome"] for row in report["checks"]}
        self.assertEqual((rows["does not grow while it runs"], rows["truncated saved state is refused"]), ("pass", "pass"))
        self.assertEqual(rows["begins episodes and steps"], "pass", "what others rest on")
        self.assertNotIn("flags are 0 or 1 and respect the episode limit", rows)
        self.assertNotIn("has no unique symbols, which all libraries share", rows)
        run = tenon_check(PLUGIN, "--only", "to gorw")
        self.assertEqual((run.returncode, run.stderr.splitlines()[0]), (2, f"error: no check of {PLUGIN} has 'to gorw' in its name"))

    def test_fewer_lanes(self):
        for lanes in (6, 7, 11):
            code, report = checked(PLUGIN, "--lanes", lanes)
            self.assertEqual((code, failures(report)), (0, {}))
            said = failures(checked(PLUGIN, "--lanes", lanes, "--set", "fault=writes_another_slot")[1])
            self.assertIn(f"in slot 0 of lane {lanes - 1}", said["writes no other row"][0])
            self.assertIn("a lane does not depend on other lanes", failures(checked(PLUGIN, "--lanes", lanes, "--set", "fault=draws_for_all")[1]))

    def test_json(self):
        code, report = checked(PLUGIN, "--component", "Walk-v0", "--seed", 7)
        self.assertEqual((code, report["plugin"], report["seed"], report["failed"]), (0, "broken_env", 7, 0))
        self.assertEqual(report["passed"] + report["skipped"], len(report["checks"]))
        self.assertEqual(list(report["checks"][0]),
                         ["component", "kind", "check", "outcome", "breaks", "sentence", "seconds"])

    def test_names_as_manifests_have_them(self):
        folder = ("--plugins", FIXTURES / "contract")
        for name, components in (("broken_env", ["", "Walk-v0"]), ("broken_env/Walk-v0", ["", "Walk-v0"])):
            code, report = checked(name, *folder)
            self.assertEqual((code, Path(report["path"])), (0, PLUGIN))
            self.assertEqual(sorted({row["component"] for row in report["checks"]}), components)
        self.refused("the plugin 'broken_env' has no component 'Wolk-v0'; did you mean 'Walk-v0'?", "broken_env/Wolk-v0", *folder)

    def test_the_manifest_is_read_once(self):
        in_open, nonblocking = 0x20, 0o4000
        libc = ctypes.CDLL(None, use_errno=True)
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder) / "m.toml"
            shutil.copy(MANIFESTS / "dqn_cartpole.toml", manifest)
            watch = libc.inotify_init1(nonblocking)
            self.assertGreaterEqual(libc.inotify_add_watch(watch, bytes(manifest), in_open), 0, os.strerror(ctypes.get_errno()))
            code, report = checked(PLUGINS / "dqn.so", "--manifest", manifest)
            wired = [row for row in report["checks"] if row["component"] == "dqn" and row["outcome"] == "pass"]
            self.assertEqual((code, len(wired) > 3), (0, True), report)
            event = 16  # bytes: nothing in it is named, since a file is watched
            self.assertEqual(len(os.read(watch, 100 * event)), event, "times that the manifest was opened")
            os.close(watch)

    def test_options_are_those_of_the_manifest_and_of_set_above_them(self):
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder) / "m.toml"
            manifest.write_text('[env]\nplugin = "broken_env/Walk-v0"\nfault = "crashes"\n')
            subject = (PLUGIN, "--component", "Walk-v0")
            self.assertEqual(checked(*subject, "--manifest", manifest)[0], 3)
            code, report = checked(*subject, "--manifest", manifest, "--set", "fault=announces_none")
            self.assertEqual((code, report["failed"]), (0, 0))
            manifest.write_text('[buffer]\nplugin = "replay/by_column"\ncolumn = "reward"\n')
            code, report = checked(PLUGINS / "replay.so", "--component", "by_column", "--manifest", manifest)
            self.assertEqual((code, [row for row in report["checks"] if "required option" in row["sentence"]]), (0, []))

    def test_a_manifest_that_names_another_component_says_nothing_of_this_one(self):
        manifest = MANIFESTS / "ppo_cartpole.toml"
        code, report = checked(PLUGINS / "dqn.so", "--manifest", manifest)
        said = {row["sentence"] for row in report["checks"] if row["outcome"] == "skip"}
        self.assertEqual(code, 0)
        self.assertIn(f'{manifest} does not use it: none of its tables has plugin = "dqn/dqn"', said)
        self.refused("there is no file nosuch.toml", PLUGINS / "dqn.so", "--manifest", "nosuch.toml")

    def test_junit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.xml"
            run = tenon_check(PLUGIN, "--set", "fault=rewards_nan", "--junit", path)
            suite = xml.parse(path).getroot()
        self.assertEqual(run.returncode, 3)
        self.assertEqual((suite.get("name"), suite.get("failures")), ("broken_env", "1"))
        failed = [case for case in suite if case.find("failure") is not None]
        self.assertEqual([(case.get("classname"), case.find("failure").get("message")) for case in failed],
                         [("broken_env/Walk-v0", "after 1 step in lane 0: 'reward' is nan")])

    def test_wrong_words(self):
        self.refused("check needs the file of a plugin, or the name of a plugin or component")
        self.refused("there is no file nowhere.so", "nowhere.so")
        self.refused(f"{PLUGIN} has no component 'Walk-v1'; did you mean 'Walk-v0'?", PLUGIN, "--component", "Walk-v1")
        self.refused("no checked component has an option 'fuult'; did you mean 'fault'?", PLUGIN, "--set",
                     "fuult=none")
        self.refused("Walk-v0.fault must be a string, but is an int", PLUGIN, "--set", "fault=3")
        self.refused("--timeout must be 1 to 3600 and --seed not negative", PLUGIN, "--timeout", 0)
        for lanes in (5, 12):
            self.refused("--lanes must be 6 to 11", PLUGIN, "--lanes", lanes)


if __name__ == "__main__":
    unittest.main()
