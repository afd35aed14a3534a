#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tenon run` prints at its end, for a person and into a pipe."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from manifest_parts import ppo_tables  # noqa: E402
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
ACTS = """
[run]
total_frames = 512

[env]
plugin = "classic/CartPole-v1"

[policy.actor]
plugin = "random/random"

[eval]
every_frames = 256

[[eval.env]]

[[eval.env]]
name = "narrow"
theta_threshold = 2.0
"""
PPO = ppo_tables(8)
# Random actions never reach the top of the hill, so that all returns are -200.
LEARNS = PPO + """
[run]
executor = "compiled"
total_frames = 19_200

[env]
plugin = "classic/MountainCar-v0"
lanes = 24

[train]
batch = 4_800
minibatch = 4_800
epochs = 1

[eval]
every_frames = 9_600
episodes = 10
"""
# Begins with nearly equal probabilities, and stays there. The likelier action lets the pole fall at once.
DRAWS = PPO + """
[run]
executor = "compiled"
total_frames = 4_096

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[optimiser]
lr = 1e-9

[train]
batch = 1_024
minibatch = 1_024
epochs = 1

[eval]
every_frames = 2_048
"""
# Both see the right answers of the env, and read no reward.
SUPERVISED = """
[run]
executor = "compiled"
total_frames = 640

[env]
plugin = "small/Sort-v0"
lanes = 64
answers = 0

[train]
batch = 64
minibatch = 64
epochs = 1
"""
SFT = SUPERVISED + """
[policy.actor]
plugin = "transformer/language"
draws = false

[objective]
plugin = "language/sft"
answer = "target"
"""
JUDGE = SUPERVISED + """
[policy.actor]
plugin = "random/random"

[policy.judge]
plugin = "transformer/score"

[objective]
plugin = "language/reward_model"
"""
NOT_LEARNT = ("the run has not learnt: its last 72 training episodes returned -200 +- 0, its first 24 returned -200 +- 0; "
              "for this env there is manifests/dqn_mountain_car.toml")  # fmt: skip


class RunOutput(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        (self.folder / "m.toml").write_text(ACTS)
        self.command = [TENON, "run", "m.toml", "--quiet", "--out", "out"]

    def last_record(self):
        return json.loads((self.folder / "out/metrics.jsonl").read_text().splitlines()[-1])

    def assert_rounded(self, text, value):
        self.assertLessEqual(abs(float(text) - value), 5e-4 * abs(value), (text, value))

    def text_on_a_terminal(self, last_line):
        # Both ends stay open here until the last line has come: what is on its way when a terminal's last writer goes
        # may be lost.
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        text = b""
        with subprocess.Popen(self.command, stdout=theirs, cwd=self.folder) as process:
            while not text.endswith(f"{last_line}\r\n".encode()):
                self.assertTrue(select.select([ours], [], [], PATIENCE)[0], f"nothing more came after {text}")
                text += os.read(ours, 4096)
            self.assertEqual(process.wait(PATIENCE), 0)
        return text.decode()

    def test_the_lines_on_stderr_that_log_level_chooses(self):
        for level, told in (("debug", True), ("info", False)):
            command = [*self.command[:-1], level, "--log-level", level]
            run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
            self.assertEqual("debug: evaluated at frame 256" in run.stderr, told, run.stderr)
            self.assertEqual("debug: wrote a checkpoint at frame 512" in run.stderr, told, run.stderr)

    def test_a_pipe_gets_one_plain_line_a_metric(self):
        run = subprocess.run(self.command, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        lines = run.stdout.splitlines()
        self.assertRegex(lines[0], r"^finished at 512 frames, 0 updates, in \d+\.\d\d s \(\d+ frames/s\)$")
        told = dict(line.split() for line in lines if line.startswith("  "))
        record = {k: v for k, v in self.last_record().items() if not k.startswith("time/") and v is not None}
        self.assertEqual(list(told), list(record))
        for name, value in record.items():
            self.assert_rounded(told[name], value)
        after = [line for line in lines[1:] if not line.startswith("  ")]
        self.assertRegex(after[0], r"^last evaluation: return \S+ \+- \S+ over 10 episodes of \S+ steps$")
        self.assertTrue(after[1].startswith("last evaluation in narrow: return "))
        self.assert_rounded(after[1].split()[5], record["eval/narrow/mean_reward"])
        self.assertTrue(after[2].startswith("best evaluation: return "))
        self.assertEqual(after[3:], ["run folder: out"])

    def test_a_run_that_had_finished_looks_like_no_new_one(self):
        subprocess.run(self.command, capture_output=True, cwd=self.folder, timeout=PATIENCE, check=True)
        again = [TENON, "run", "--resume", "out"]
        run = subprocess.run(again, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0], "the run had already finished at 512 frames, 0 updates; nothing was done")
        self.assertTrue(lines[1].startswith("last evaluation: return "))
        self.assertNotIn("frames/s", run.stdout + run.stderr)
        self.assertRegex(run.stderr, r"^warning: the run in out has finished at 512 frames: .*\n$")

    def test_a_run_that_reached_its_return_says_so(self):
        command = [*self.command, "--set", "run.stop_at_return=1"]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        lines = run.stdout.splitlines()
        self.assertRegex(lines[0], r"^finished at 256 frames, ")
        self.assertEqual(lines[1], "run.stop_at_return is reached")

    def test_a_run_that_had_its_episodes_says_so(self):
        command = [*self.command, "--set", "run.stop_at_episodes=1"]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        self.assertRegex(
            run.stdout.splitlines()[1],
            r"^\d+ training episodes have ended \(run.stop_at_episodes; with a larger one the run can be continued\)$",
        )

    def test_a_run_that_got_no_better_says_so(self):
        command = [*self.command, "--set", "eval.patience=1", "--set", "run.total_frames=2048"]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        self.assertEqual(
            run.stdout.splitlines()[1],
            "the return has not become better in 1 evaluation (eval.patience; with a larger one the run can be continued)",
        )

    def lines_of(self, *words):
        """What `tenon run` prints, without the metrics."""
        command = [TENON, "run", "--quiet", *words]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        return [line for line in run.stdout.splitlines() if not line.startswith("  ")]

    def test_a_run_whose_policy_is_better_with_drawn_actions_says_so(self):
        (self.folder / "m.toml").write_text(DRAWS)
        self.lines_of("m.toml", "--out", "out")
        begun = ["m.toml", "--from", "out"]  # otherwise it would say that it has not learnt
        self.assertRegex(
            self.lines_of(*begun, "--out", "mode")[-2],
            r"^the policy is far better with drawn actions: the last 30 training episodes returned \S+ \+- \S+, the last evaluation, which "
            r"does not draw, \S+ \+- \S+; to score it as it trains, set eval.actions = \"sample\"$",
        )
        for name, other in (("sample", "eval.actions=sample"), ("once", "eval.every_frames=4_096")):
            self.assertTrue(self.lines_of(*begun, "--out", name, "--set", other)[-2].startswith("best evaluation: "))

    def test_a_run_that_has_not_learnt_says_so(self):
        (self.folder / "m.toml").write_text(LEARNS)
        self.assertEqual(self.lines_of("m.toml", "--out", "out")[2:], ["best evaluation: return -200", NOT_LEARNT, "run folder: out"])
        run = subprocess.run([*self.command[:-1], "json", "--json"], capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE, check=True)
        self.assertEqual((json.loads(run.stdout)["verdict"], run.stderr), (NOT_LEARNT, ""))
        self.assertNotIn(NOT_LEARNT, self.lines_of("--resume", "out"))  # nothing was done
        self.assertNotIn(NOT_LEARNT, self.lines_of("m.toml", "--from", "out", "--out", "from"))  # it may have begun with skill

    def test_a_run_that_learns_from_no_reward_is_not_judged_by_its_returns(self):
        for name, manifest in (("sft", SFT), ("judge", JUDGE)):
            (self.folder / "m.toml").write_text(manifest)
            self.assertEqual(self.lines_of("m.toml", "--out", name)[1:], [f"run folder: {name}"])

    def test_a_terminal_gets_groups(self):
        text = self.text_on_a_terminal(last_line="run folder: out")
        rows = [line.split() for line in text.splitlines() if line.startswith("  ")]
        self.assertEqual([row[0] for row in rows if len(row) == 3], ["rollout", "eval"])
        record = self.last_record()
        (mean,) = [row[-1] for row in rows if "ep_rew_mean" in row]
        self.assert_rounded(mean, record["rollout/ep_rew_mean"])
        self.assertTrue(any(row[0] == "narrow/mean_reward" for row in rows))
        self.assertFalse(any(re.match("time|fps", word) for row in rows for word in row))


if __name__ == "__main__":
    unittest.main()
