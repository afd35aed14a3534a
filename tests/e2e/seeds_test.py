#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon run --seeds: runs in processes of their own, their table, and going on after kill -9."""

import json
import signal
import subprocess
import unittest
from pathlib import Path

from remote_workers_test import below
from runs import FIXTURES, TENON, RunCase, wait_until

# An env whose plugin ends the process as its option says.
ENDING = """[run]
total_frames = 64

[env]
plugin = "beast/Walk-v0"
fault = "FAULT"

[policy.actor]
plugin = "random/random"
"""


class Seeds(RunCase):
    SHARED = {"one": ["--seed", "1"]}

    def seeds(self, *words, code=0):
        done = self.tenon("run", self.manifest, "--seeds", "0-2", "--jobs", "2", "--out", "all", "--json", *words, code=code)
        return json.loads(done.stdout), done.stderr

    def test_each_is_the_run_with_that_seed_and_a_killed_launcher_goes_on(self):
        process = self.start("run", self.manifest, "--seeds", "0-2", "--jobs", "2", "--out", "all")
        self.wait_for(process, self.has_records(self.folder / "all" / "1", 6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        result, _ = self.seeds()
        self.assertEqual([(run["seed"], run["code"]) for run in result["runs"]], [(0, 0), (1, 0), (2, 0)])
        self.assert_same_run(self.shared / "one", self.folder / "all" / "1")
        self.assertEqual(result["runs"][1]["eval_return_mean"], self.results["one"]["eval_return_mean"])
        mean = sum(run["eval_return_mean"] for run in result["runs"]) / 3
        self.assertAlmostEqual(result["eval_return_mean"], mean)
        self.assertGreater(result["eval_return_interval"], 0)
        again, _ = self.seeds()
        self.assertEqual(again, result)
        self.is_a_folder_of_several_runs("all")

    def is_a_folder_of_several_runs(self, out):
        """It takes neither the runs of another manifest nor a run of its own, and says where the runs are."""
        changed = ["--set", "objective.gamma=0.9", "--set", "run.total_frames=20_000"]
        done = self.tenon("run", self.manifest, "--seeds", "0-2", "--out", out, *changed, code=2)
        self.assertEqual(done.stderr, f"error: the run in {out}/0 cannot be resumed with a different manifest: objective.gamma was 0.99 "
                                      "and is now 0.9\nhelp: give the runs of this manifest another folder with --out, or restore these values\n")  # fmt: skip
        done = self.tenon("run", self.manifest, "--out", out, code=2)
        self.assertEqual(done.stderr, f"error: {out} holds runs in folders of their own, {out}/0 and 2 more; give the run a new folder with --out\n")
        done = self.tenon("eval", out, code=2)
        self.assertEqual(done.stderr, f"error: there is no run in {out}: it has no manifest.lock.toml\nhelp: it holds runs: name one of them, {out}/0 and 2 more\n")
        files = sorted(str(path) for path in (self.folder / out).iterdir())  # as the shell's all/* gives them
        self.assertIn(str(self.folder / out / "0.log"), files)
        self.assertEqual(len(json.loads(self.tenon("compare", *files, "--json").stdout)["groups"][0]["runs"]), 3)

    def test_ctrl_c_leaves_with_checkpoints(self):
        process = self.start("run", self.manifest, "--seeds", "0-2", "--jobs", "2", "--out", "all")
        self.wait_for(process, self.has_records(self.folder / "all" / "0", 6))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertIn("the same command goes on", errors)
        self.assertGreater(self.last_frames(self.folder / "all" / "0"), 0)

    def test_ctrl_c_before_a_run_has_begun_is_no_failure(self):
        process = self.start("run", self.manifest, "--seeds", "0-2", "--jobs", "2", "--out", "all")
        self.wait_for(process, (self.folder / "all" / "0.log").exists)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        self.assertNotIn("failed", errors)

    def test_runs_without_evaluations_have_no_mean(self):
        words = ["--seeds", "0-1", "--out", "all", "--quiet", "--set", "eval.every_frames=0", "--set", "run.total_frames=1_000"]
        text = self.tenon("run", self.manifest, *words).stdout
        self.assertTrue(text.endswith("\nno run has been evaluated\n"), text)
        self.assertNotIn("mean", text)

    def test_without_out_they_are_in_a_folder_with_the_name_of_the_run(self):
        words = ["--seeds", "0-1", "--quiet", "--set", "eval.every_frames=0", "--set", "run.total_frames=200", "--set", 'run.name="walk"']
        text = self.tenon("run", self.manifest, *words).stdout
        self.assertTrue(text.endswith("\nrun folders: in runs/walk-1\n"), text)
        self.assertEqual(json.loads(self.tenon("run", self.manifest, *words, "--json").stdout)["out"], "runs/walk-2")
        for name in ("walk-1/0", "walk-1/1", "walk-2/0", "walk-2/1"):
            self.assertTrue((self.folder / "runs" / name / "metrics.csv").exists())

    def test_one_fails_and_the_others_go_on(self):
        (self.folder / "all").mkdir()
        (self.folder / "all" / "1").write_text("no folder")
        result, errors = self.seeds(code=2)
        self.assertEqual([run["code"] for run in result["runs"]], [0, 2, 0])
        self.assertIn("the run with seed 1 failed: ", errors)

    def test_a_plugin_that_ends_the_process_with_code_0_is_no_finished_run(self):
        for fault, sentence in [
            ("exits_at_once", "beast/Walk-v0, step: the plugin ended the program: it called _exit"),
            ("exits_quickly", "beast/Walk-v0, step: the plugin ended the program: it called quick_exit"),
            # by the system call itself, which no host sees
            ("exits_unnoticed", "its process ended in the middle of the run with exit code 0, probably by a plugin"),
        ]:
            with self.subTest(fault):
                manifest = self.folder / "ending.toml"
                manifest.write_text(ENDING.replace("FAULT", fault))
                done = self.tenon("run", manifest, "--plugins", FIXTURES, "--seeds", "2", "--out", fault, "--json", code=3)
                runs = json.loads(done.stdout)["runs"]
                self.assertEqual([(run["seed"], run["code"], run["frames"], run["error"]) for run in runs], [(2, 3, None, sentence)])
                self.assertIn(f"error: the run with seed 2 failed: {sentence}\n", done.stderr)

    def by_ssh(self, hosts):
        ssh = self.fake_ssh("an ssh")
        return ["--seeds", "0-2", "--out", "all", "--via", f"'{ssh}' {{host}}", "--hosts", hosts]

    def test_runs_on_other_machines_are_the_same(self):
        words = [*self.by_ssh("gone,a,b:2"), "--set", 'run.name="it\'s $HOME"', "--json"]
        done = self.tenon("run", self.manifest, *words)
        self.assertEqual([run["code"] for run in json.loads(done.stdout)["runs"]], [0, 0, 0])
        self.assertRegex(done.stderr, "no more runs start on gone, and seed [012] moves to another machine: '.*an ssh gone' ended by exit code 255 "
                                      "before the run began: connect to host gone: refused")  # fmt: skip
        self.assert_same_run(self.shared / "one", self.folder / "all" / "1")
        self.assertRegex((self.folder / "all" / "1.log").read_text(), "tenon: on .*, process [0-9]+\n")

    def test_a_killed_launcher_leaves_checkpoints_on_other_machines(self):
        words = self.by_ssh("a,b")
        process = self.start("run", self.manifest, *words)
        self.wait_for(process, self.has_records(self.folder / "all" / "1", 6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = json.loads(self.tenon("run", self.manifest, *words, "--json").stdout)
        self.assertEqual([run["code"] for run in result["runs"]], [0, 0, 0])
        self.assertIn("stopped at", (self.folder / "all" / "1.log").read_text())
        self.assert_same_run(self.shared / "one", self.folder / "all" / "1")

    def test_a_killed_launcher_leaves_a_checkpoint_of_what_srun_has_started(self):
        """A signal to srun kills the run."""
        srun = self.folder / "srun"
        srun.write_text('#!/bin/bash\ntrap "kill -9 \\$!; exit 143" TERM\nexec 9<&0\n"${@:2}" <&9 &\nwait\n')
        srun.chmod(0o755)
        process = self.start("run", self.manifest, "--seeds", "1", "--out", "all", "--via", f"'{srun}' -N1")
        self.wait_for(process, self.has_records(self.folder / "all" / "1", 6))
        started = [number for number, _ in below(process.pid)]
        process.kill()
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in started))
        self.assertTrue((self.folder / "all/1/checkpoints/last").exists())

    def test_ctrl_c_reaches_other_machines(self):
        process = self.start("run", self.manifest, *self.by_ssh("a,b"))
        self.wait_for(process, self.has_records(self.folder / "all" / "0", 6))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(self.last_frames(self.folder / "all" / "0"), 0)

    def test_no_machine_answers(self):
        done = self.tenon("run", self.manifest, *self.by_ssh("gone"), code=4)
        self.assertIn("the run with seed 0 failed: '", done.stderr)
        self.assertIn("an ssh gone' ended by exit code 255 before the run began: connect to host gone: refused", done.stderr)

    def test_a_machine_that_does_not_see_the_folder(self):
        request = json.dumps({"folder": "/no/such", "environment": [], "words": []})
        done = subprocess.run([TENON, "run", "--from-launcher"], input=request + "\n", text=True, capture_output=True)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, "error: the folder /no/such, in which the run was started, cannot be entered on .*: No such file or directory\n"
                                      "help: --via needs machines that see the same files under the same paths\n")  # fmt: skip

    def test_bad_input(self):
        out = ["--out", "all"]
        for words, sentence in [
            (["--seeds", "4-1", *out], "the range of seeds 4-1 begins after its end"),
            (["--seeds", "1,0-2", *out], "--seeds names the seed 1 twice"),
            (["--seeds", "0-99999", *out], "--seeds names more than 10000 seeds"),
            (["--seeds", "0-2", "--jobs", "0", *out], "--jobs must be from 1 to 1024, but is 0"),
            (["--seeds", "0-2", "--seed", "1", *out], "--seeds excludes --seed"),
            (["--jobs", "2"], "--jobs, --via and --hosts need --seeds"),
            (["--via", "env"], "--jobs, --via and --hosts need --seeds"),
            (["--seeds", "0-2", "--hosts", "a:2", *out], '--hosts needs a --via whose command has {host}, such as --via "ssh {host}"'),
            (["--seeds", "0-2", "--via", "ssh {host}", *out], "--hosts must list the machines, such as --hosts node7:4,node8:4"),
            (["--seeds", "0-2", "--via", "env {host}", "--hosts", "a:0", *out], "--hosts has 'a:0', but the number of runs at a time must be from 1 to 1024"),
            (["--seeds", "0-2", "--via", "env {host}", "--hosts", "a,,b", *out], "--hosts has '', which is no name of a machine"),
            (["--seeds", "0-2", "--via", "env {host}", "--hosts", "a:2,b,a", *out], "--hosts names 'a' twice"),
            (["--seeds", "0-2", "--via", "env {host}", "--hosts", "a", "--jobs", "2", *out], "so it excludes --jobs"),
            (["--seeds", "0-2", "--via", "ssh 'a", *out], "--via has a quotation mark without its second one: ssh 'a"),
            (["--from-launcher", "--seeds", "0-2"], "--from-launcher takes its options from standard input"),
            (["--seeds", "0-2", "--set", "objective.gama=1", *out], "did you mean 'gamma'?"),
            (["--seeds", "0-2", "--out", self.shared / "one"], f"{self.shared / 'one'} is the folder of a run; give several runs another --out"),
        ]:
            with self.subTest(words):
                self.assertIn(sentence, self.tenon("run", self.manifest, *words, code=2).stderr)
        done = self.tenon("run", self.manifest, "--seeds", "0-2", "--via", "no-such-command", *out, code=4)
        self.assertIn("--via starts processes by 'no-such-command', which is not on the PATH", done.stderr)
        self.assertIn("--seeds needs a manifest, or an algorithm and an env", self.tenon("run", "--seeds", "0-2", *out, code=2).stderr)
        self.assertFalse((self.folder / "all").exists())


if __name__ == "__main__":
    unittest.main()
