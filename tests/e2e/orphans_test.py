#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No process outlives a run that is killed, and none that outlives it keeps the run from being resumed."""

import os
import signal
import time
import unittest
from pathlib import Path

from runs import FIXTURES, RunCase, wait_until

# A collector in a process, whose env is in another one, and evaluations in a third.
CHAIN = ["--set", 'collector.kind="processes"', "--set", "collector.workers=1", "--set", "env.isolation=process",
         "--set", "eval.env.isolation=process", "--set", "run.total_frames=2_000"]
FAULTY = """
[run]
total_frames = 256

[plugins]
search = ["{plugins}"]

[env]
plugin = "faulty/Walk-v0"
fault = "{fault}"
at = 4
{more}

[policy.anything]
plugin = "faulty/act"
"""


class Orphans(RunCase):
    state = {}  # where it is known which files can be loaded, if that is not the usual folder

    def environment(self, die_at=None):
        return dict(super().environment(die_at), TENON_ORPHANS=str(self.folder), **self.state)

    def tearDown(self):
        for process in self.running():
            signal_to(process, signal.SIGKILL)

    def running(self):
        """What this test has started and what that has started, apart from what has ended."""
        mark, found = f"TENON_ORPHANS={self.folder}\0".encode(), []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended, or is another user's
        return found

    def children(self, process):
        return [each for each in self.running() if each != process.pid]

    def assert_none_running(self):
        """Two looks: the kernel shows no environment of a process that is just becoming another program."""
        wait_until(lambda: not self.running() and (time.sleep(0.05) or not self.running()), lambda: f"{self.running()} run still")

    def faulty(self, fault, more=""):
        return self.put("faulty.toml", FAULTY.format(plugins=FIXTURES, fault=fault, more=more))

    def test_killed_at_every_phase(self):
        for phase, point in {"start": "rename:*/manifest.lock.toml:1", "collecting": "write:*/metrics.jsonl:2",
                             "an evaluation's end": "write:*/metrics.jsonl:4", "checkpoint": "write:*/state.bin:1",
                             "end": "rename:*/checkpoints/[0-9]*:2"}.items():
            with self.subTest(phase):
                self.killed(self.folder / point.replace("/", "_"), point, *CHAIN)
                self.assert_none_running()

    def test_killed_while_a_child_starts(self):
        """Also if the child is stopped until its parent is gone, as it may be on a busy machine."""
        plugins = self.folder / "plugins"
        plugins.mkdir()
        (plugins / "hangs.so").symlink_to(FIXTURES / "hangs_in_init.so")
        for name, words in {"collector": ["run", self.manifest, "--quiet", *CHAIN[:4]],
                            "isolation": ["run", self.manifest, "--quiet", *CHAIN[4:6]],
                            "first loading": ["list", "--rescan", "--plugins", plugins],
                            "check": ["check", FIXTURES / "faulty.so"]}.items():
            for stops in (False, True):
                with self.subTest(name, stops=stops):
                    out = ["--out", self.folder / f"{name} {stops}"] if words[0] == "run" else []
                    self.state = {"TENON_STATE": str(self.folder / "state")} if name == "first loading" else {}
                    process = self.start(*words, *out)
                    self.wait_for(process, lambda: self.children(process))
                    found = self.children(process) if stops else []
                    for each in found:
                        signal_to(each, signal.SIGSTOP)
                    process.kill()
                    process.wait()
                    for each in found:
                        signal_to(each, signal.SIGCONT)
                    self.assert_none_running()

    def test_killed_while_a_plugin_does_not_return(self):
        manifest = self.faulty("hangs", 'isolation = "process"\n\n[isolation]\ntime_limit = 600')
        process = self.start("run", manifest, "--quiet", "--out", self.folder / "out")

        def spins():
            return any(processor_time(each) > 0.1 for each in self.children(process))

        self.wait_for(process, spins)
        process.kill()
        process.wait()
        self.assert_none_running()

    def test_what_an_isolated_plugin_has_forked_ends_too(self):
        manifest = self.faulty("leaves_a_child", 'isolation = "process"')
        process = self.start("run", manifest, "--quiet", "--out", self.folder / "out", "--set", "run.total_frames=100_000_000")
        self.wait_for(process, lambda: len(self.children(process)) >= 2)
        process.kill()
        process.wait()
        self.assert_none_running()

    def test_what_a_plugin_has_forked_does_not_keep_the_run(self):
        manifest = self.faulty("leaves_a_child")
        for name, code, die_at in (("ended", 0, None), ("killed", -signal.SIGKILL, "rename:*/checkpoints/[0-9]*:1")):
            with self.subTest(name):
                self.tenon("run", manifest, "--quiet", "--out", self.folder / name, code=code, die_at=die_at)
                left = self.running()
                self.assertEqual(len(left), 1)
                self.train("--resume", self.folder / name, "--set", "run.total_frames=512")
                self.assertIn(left[0], self.running())
                for each in self.running():  # the resumed run has left one, too
                    signal_to(each, signal.SIGKILL)
                self.assert_none_running()


def signal_to(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass  # it has ended


def processor_time(process):
    """In seconds."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
