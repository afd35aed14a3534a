#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluation envs of their own, and what `tenon eval` can be asked."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from runs import SMALL, RunCase

# The second can only be worse: the pole falls at once. The third is the first with other options given.
ENVS = """
[[eval.env]]

[[eval.env]]
name = "narrow"
theta_threshold = 2.0
lanes = 2

[[eval.env]]
name = "same"
gravity = 9.8
transforms = []
"""
# A policy whose draws, mode and mean are three things.
BOUNDED = """[run]
executor = "compiled"
total_frames = 1_024

[env]
plugin = "classic/Pendulum-v1"
lanes = 4

[policy.actor]
plugin = "mlp/truncated_normal"
hidden = [16]

[policy.value]
plugin = "mlp/value"
hidden = [16]

[objective]
plugin = "ppo/ppo"

[train]
batch = 512
minibatch = 128
epochs = 2

[eval]
every_frames = 1_024
episodes = 3
"""
SHORT = ["--set", "run.total_frames=3_000"]


class Evaluation(RunCase):
    def setUp(self):
        super().setUp()
        self.several = self.put("several.toml", SMALL + ENVS)

    def run_of(self, manifest, name, *words):
        self.train(manifest, "--out", self.folder / name, *SHORT, *words)
        return self.folder / name

    def records(self, run):
        records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        return [record for record in records if record["eval/mean_reward"] is not None]

    def score(self, *words):
        return json.loads(self.tenon("eval", *words, "--json").stdout)

    def test_values_of_the_manifest_can_be_set(self):
        narrow = '\n[[eval.env]]\n\n[[eval.env]]\nname = "narrow"\ntheta_threshold = 2.0\n'
        run = self.run_of(self.put("narrow.toml", SMALL + narrow), "run")
        wanted = self.score(run, "--env", "narrow")
        self.assertEqual(self.score(run, "--set", "env.theta_threshold=2.0"), wanted)
        self.assertLess(wanted["length_mean"], self.score(run)["length_mean"])
        self.assertEqual(self.score(run, "--env", "narrow", "--set", "env.theta_threshold=12.0"), self.score(run))
        plain = self.run_of(self.manifest, "plain")
        self.assertEqual(self.score(plain, "--set", "env.theta_threshold=2.0"), wanted)
        self.assertEqual(self.score(run, "--set", "eval.episodes=2")["episodes"], 2)
        for value, why in (("env.theta_treshold=2.0", "did you mean 'theta_threshold'?"),
                           ("objective.gamma=0.5", "an evaluation does not read 'objective.gamma'; it reads the values of "
                                                   "[env], [eval], [policy.NAME] and [run]"),
                           ("policy.qvalue.hidden=[7]", "tensor 'qvalue/0.weight' is F32 [32, 4], but F32 [7, 4] is needed")):  # fmt: skip
            self.assertIn(why, self.tenon("eval", run, "--set", value, code=2).stderr)

    def test_each_has_its_metrics_and_changes_nothing_else(self):
        plain, several = self.run_of(self.manifest, "plain"), self.run_of(self.several, "several")
        pairs = list(zip(self.records(plain), self.records(several), strict=True))
        self.assertGreater(len(pairs), 1)
        for one, other in pairs:
            for name in ("mean_reward", "std_reward", "mean_ep_length"):
                self.assertEqual(one[f"eval/{name}"], other[f"eval/{name}"])
                self.assertIn(f"eval/same/{name}", other)
            self.assertLess(other["eval/narrow/mean_reward"], one["eval/mean_reward"])
        self.assertEqual(
            (plain / "checkpoints/last/parameters.safetensors").read_bytes(),
            (several / "checkpoints/last/parameters.safetensors").read_bytes(),
        )
        last = self.records(several)[-1]
        for words, name in (([], ""), (["--env", "narrow"], "narrow/"), (["--env", "same"], "same/")):
            score = self.score(several, "--checkpoint", "last", *words)
            self.assertEqual(score["return_mean"], last[f"eval/{name}mean_reward"])
        done = self.tenon("eval", several, "--env", "narow", code=2)
        self.assertEqual(
            done.stderr,
            "error: the run has no evaluation env 'narow'; did you mean 'narrow'?\nhelp: it has: narrow, same\n",
        )
        self.assertIn("[eval.env] has a name", self.tenon("eval", plain, "--env", "x", code=2).stderr)

    def test_actions_are_what_the_policy_is_asked_for(self):
        run = self.folder / "bounded"
        self.train(self.put("bounded.toml", BOUNDED), "--out", run, "--set", "eval.actions=sample")
        returns = {how: self.score(run, "--actions", how)["return_mean"] for how in ("mode", "mean", "sample")}
        self.assertEqual(len(set(returns.values())), 3)
        self.assertEqual(self.score(run)["return_mean"], returns["sample"])
        self.assertEqual(self.records(run)[-1]["eval/mean_reward"], returns["sample"])
        chooses = self.run_of(self.manifest, "chooses")
        told = self.tenon("eval", chooses, "--actions", "mean", code=2).stderr
        self.assertIn("'mean' actions are set, but mlp/", told)
        self.assertIn(" --> --actions:1:14\n", told)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        whole = self.run_of(self.several, "whole")
        half = self.folder / "half"
        self.train(self.several, "--out", half, "--set", "run.total_frames=2_000")
        again = self.tenon("run", "--resume", half, "--quiet", "--set", 'eval.env.1.name="other"', code=2).stderr
        self.assertIn('eval.env.1.name was "narrow" and is now "other"', again)
        self.train("--resume", half, *SHORT)
        self.assert_same_run(whole, half)
        self.assertEqual((half / "manifest.lock.toml").read_text(), (whole / "manifest.lock.toml").read_text())

    def test_the_options_may_differ_when_a_run_goes_on(self):
        out = self.run_of(self.several, "out", "--set", "run.total_frames=2_000")
        self.train("--resume", out, *SHORT, "--set", "eval.env.1.theta_threshold=3.0")
        self.assertIn("theta_threshold = 3.0", (out / "manifest.lock.toml").read_text())

    def test_the_best_checkpoints_are_kept_and_named_by_their_ranks(self):
        words = ["--set", "checkpoint.best=3", "--set", "checkpoint.keep=1", "--set", "checkpoint.every_frames=0"]
        run, half = self.run_of(self.manifest, "run", *words, "--set", "run.total_frames=5_000"), self.folder / "half"
        scores = {record["frames"]: record["eval/mean_reward"] for record in self.records(run)}
        ranked = sorted(scores, key=lambda frames: (-scores[frames], frames))[:3]
        links = [int((run / "checkpoints" / name).readlink().name) for name in ("best", "best-2", "best-3")]
        self.assertEqual(links, ranked)
        kept = {int(path.name) for path in (run / "checkpoints").iterdir() if not path.is_symlink()}
        self.assertEqual(kept, {*ranked, self.last_frames(run)})
        self.assertEqual(self.score(run, "--checkpoint", "best-3")["return_mean"], scores[ranked[2]])
        told = self.tenon("eval", run, "--checkpoint", "best-4", code=2).stderr
        self.assertIn("which keeps the 3 best checkpoints\nhelp: checkpoint.best says how many a run keeps", told)
        self.run_of(self.manifest, "half", *words, "--set", "run.total_frames=2_000")
        self.train("--resume", half, "--set", "run.total_frames=5_000")
        self.assert_same_run(run, half)

    def test_evaluations_beside_the_training_leave_it_as_it_is(self):
        words = [*SHORT, "--set", "checkpoint.every_frames=0"]
        self.train(self.manifest, "--out", self.folder / "without", *words, "--set", "eval.every_frames=0")
        self.train(self.manifest, "--out", self.folder / "between", *words)
        words += ["--set", "eval.background=true"]
        for name in ("background", "again"):
            self.train(self.manifest, "--out", self.folder / name, *words, "--set", "run.threads=2")
        self.assert_same_run(self.folder / "background", self.folder / "again", events=False)
        for file in ("parameters.safetensors", "frames.safetensors", "optimiser.safetensors"):
            contents = {(self.folder / name / "checkpoints/last" / file).read_bytes() for name in ("without", "between", "background")}
            self.assertEqual(len(contents), 1, file)
        between, in_background = ({record["frames"]: record["eval/mean_reward"] for record in self.records(self.folder / name)}
                           for name in ("between", "background"))
        self.assertEqual(between, in_background)
        best, link = (self.folder / name / "checkpoints" / "best" for name in ("between", "background"))
        self.assertEqual(best.readlink(), link.readlink())
        self.assertEqual((best / "parameters.safetensors").read_bytes(), (link / "parameters.safetensors").read_bytes())
        scores = [self.score(self.folder / name, "--checkpoint", "best") for name in ("between", "background")]
        self.assertEqual(scores[0], scores[1])

    def test_a_run_that_stops_beside_an_evaluation_plays_it_again(self):
        words = ["--set", "eval.background=true", "--set", "eval.episodes=40", "--set", "run.total_frames=4_000",
                 "--set", "checkpoint.every_frames=700"]
        self.train(self.manifest, "--out", self.folder / "whole", *words)
        process = self.start("run", self.manifest, "--quiet", "--out", "stopped", *words)
        stopped = self.folder / "stopped"
        self.wait_for(process, lambda: list(stopped.glob("checkpoints/*/evaluated.state.bin")))
        process.terminate()
        process.wait(timeout=self.patience)
        self.train("--resume", stopped)
        self.assert_same_run(self.folder / "whole", stopped, events=False)

    def test_without_tensorboard(self):
        out = self.run_of(self.manifest, "out", "--set", "log.tensorboard=false")
        self.assertFalse((out / "tensorboard").exists())

    def test_the_checkpoint_may_stand_anywhere(self):
        out = self.run_of(self.manifest, "out")
        frames = self.last_frames(out)
        moved = self.folder / "kept"
        shutil.copytree(out / "checkpoints" / str(frames), moved)
        wanted = self.score(out, "--checkpoint", "last")
        self.assertEqual(self.score(out, "--checkpoint", frames), wanted)
        self.assertEqual(self.score(out, "--checkpoint", moved), wanted)
        self.assertEqual(self.score(out, "--checkpoint", out / "checkpoints/last"), wanted)
        self.assertIn("holds no checkpoint", self.tenon("eval", out, "--checkpoint", out, code=2).stderr)
        weights = bytearray((moved / "parameters.safetensors").read_bytes())
        weights[-1] ^= 1
        (moved / "parameters.safetensors").write_bytes(weights)
        self.assertIn("is damaged", self.tenon("eval", out, "--checkpoint", moved, code=2).stderr)

    def test_without_a_best_one_the_last_is_scored_and_that_is_said(self):
        out = self.run_of(self.manifest, "out", "--set", "eval.every_frames=0")
        done = self.tenon("eval", out, "--json")
        self.assertEqual(
            done.stderr,
            f"warning: the run in {out} has no best checkpoint, because it has had no evaluations: its last one, "
            f"{self.last_frames(out)}, is scored\n",
        )
        last = self.tenon("eval", out, "--json", "--checkpoint", "last")
        self.assertEqual((last.stdout, last.stderr), (done.stdout, ""))
        self.assertIn("is marked as the best", self.tenon("eval", out, "--checkpoint", "best", code=2).stderr)
        evaluated = self.run_of(self.manifest, "evaluated")
        best = self.tenon("eval", evaluated, "--json")
        self.assertEqual(best.stderr, "")
        self.assertEqual(best.stdout, self.tenon("eval", evaluated, "--json", "--checkpoint", "best").stdout)
        shutil.rmtree(out / "checkpoints")
        self.assertIn("there is no checkpoint in", self.tenon("eval", out, code=2).stderr)

    def test_weights_that_a_run_began_with_may_go(self):
        old = self.run_of(self.manifest, "old")
        out = self.folder / "out"
        self.train(self.manifest, "--out", out, *SHORT, "--set", f"policy.qvalue.init={old}")
        shutil.rmtree(old)
        self.score(out)
        self.train("--resume", out, "--set", "run.total_frames=3_200")
        self.assertIn(f'init = "{old}"', (out / "manifest.lock.toml").read_text())
        # Without a checkpoint it would begin at its beginning, for which they are wanted.
        shutil.rmtree(out / "checkpoints")
        self.assertIn(f"there is no file {old}", self.tenon("run", "--resume", out, code=2).stderr)


class Endless(RunCase):
    """Without a time limit, a policy that is stuck would be evaluated for ever."""

    WORDS = ["--set", "env.max_episode_steps=0", "--set", "eval.episodes=3", "--set", "eval.lanes=2"]

    def setUp(self):
        super().setUp()
        self.manifest = self.put("endless.toml", BOUNDED)

    def test_an_evaluation_cuts_off_episodes_of_an_env_without_a_time_limit(self):
        done = self.tenon("run", self.manifest, "--out", self.folder / "auto", *self.WORDS, "--set", "eval.lanes=3")
        self.assertIn("warning: classic/Pendulum-v1 has no time limit, and an evaluation has cut off 3 of its 3 episodes after 27000 "
                      "steps; set env.max_episode_steps, if the env has it, or eval.max_steps\n", done.stderr)  # fmt: skip
        self.assertRegex(done.stdout, r"last evaluation: return \S+ \+- \S+ over 3 episodes of 27000 steps, 3 of them cut off "
                                      r"\(eval.max_steps\)\n")  # fmt: skip

    def test_a_run_says_after_how_many_steps(self):
        out = self.folder / "out"
        done = self.tenon("run", self.manifest, "--out", out, *self.WORDS, "--set", "eval.max_steps=50")
        self.assertNotIn("has no time limit", done.stderr)  # the manifest has chosen the number
        explained = self.tenon("explain", self.manifest, *self.WORDS, "--set", "eval.max_steps=50").stdout
        self.assertIn("Evaluations cut off episodes after 50 steps.", " ".join(explained.split()))
        self.assertIn("over 3 episodes of 50 steps, 3 of them cut off", done.stdout)
        scored = self.tenon("eval", out).stdout
        self.assertEqual(scored, done.stdout.partition("last evaluation: ")[2].splitlines(True)[0])
        shorter = json.loads(self.tenon("eval", out, "--max-steps", "20", "--json").stdout)
        self.assertEqual((shorter["length_mean"], shorter["cut_off"]), (20, 3))
        self.assertIn("1 episode of 50 steps, 1 of them cut off", self.tenon("play", out, "--video", self.folder / "video.png").stdout)

    def test_a_cut_off_episode_counts_as_one_that_the_env_has_truncated(self):
        """Of three episodes on two lanes, the third begins where the first was cut off, with the env's next draws."""
        cut = self.put("cut.toml", BOUNDED + "max_steps = 200\n[eval.env]\nmax_episode_steps = 0\n")
        scores = []
        for manifest in (self.manifest, cut):
            out = self.folder / manifest.stem
            self.train(manifest, "--out", out, "--set", "eval.lanes=2")
            record = json.loads((out / "metrics.jsonl").read_text().splitlines()[-1])
            scores.append({name: value for name, value in record.items() if name.startswith("eval/")})
        self.assertEqual(*scores)

    def test_an_evaluation_of_very_long_episodes_is_told(self):
        """Otherwise the run would stand still without a word."""
        words = ["run", self.manifest, "--out", "endless", *self.WORDS, "--set", "eval.max_steps=0"]
        process = subprocess.Popen([os.environ["TENON"], *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   text=True, cwd=self.folder)  # fmt: skip
        for line in process.stderr:
            if line.startswith("warning: no episode"):
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=self.patience)
        self.assertEqual(line, "warning: no episode has ended in 100000 steps of an evaluation of classic/Pendulum-v1, which waits "
                               "for all of them; set eval.max_steps to cut them off sooner\n")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
