#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exploration of every kind: it changes what a run collects, follows its schedule, is off in evaluations, and a resumed
run goes on with it in the middle of an episode, bit for bit."""

import json
import unittest

from runs import RunCase

# Episodes of 200 steps in 4 lanes: the checkpoint at 500 lies within them.
RUN = """
[run]
total_frames = 1_000

[env]
plugin = "classic/Pendulum-v1"
lanes = 4

[policy.actor]
plugin = "{actor}"
hidden = [16]
{options}

[policy.qvalue]
plugin = "mlp/q"
hidden = [16]
count = {critics}

[buffer]
plugin = "replay/uniform"
capacity = 2_000

[objective]
plugin = "{objective}"

[train]
batch = 20
minibatch = 32
start_frames = 100

[eval]
every_frames = 500
episodes = 4

[log]
every_frames = 250

[checkpoint]
every_frames = 500
{more}
"""

NOISE = '[exploration]\nplugin = "explore/{}"\n[schedule]\n"exploration.sigma" = {{ from = 0.4, to = 0.1, frames = 750 }}\n'
DETERMINISTIC = {"actor": "mlp/deterministic", "options": "", "critics": 1, "objective": "ddpg/ddpg"}
SAC = {"critics": 2, "objective": "sac/sac", "more": ""}

RUNS = {
    "gaussian": {**DETERMINISTIC, "more": NOISE.format("gaussian")},
    "ornstein_uhlenbeck": {**DETERMINISTIC, "more": NOISE.format("ornstein_uhlenbeck")},
    "gsde": {**SAC, "actor": "mlp/tanh_gsde", "options": ""},
    "gsde_often": {**SAC, "actor": "mlp/tanh_gsde", "options": 'sample_freq = 16\ndeviations = "feature"'},
}


class Exploration(RunCase):
    def run_of(self, name, run, *words):
        manifest = self.put(f"{name}.toml", RUN.format(**run))
        self.train(manifest, "--out", self.folder / name, *words)
        return self.folder / name

    def records(self, out):
        return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]

    def test_resumed_each_is_the_same_run(self):
        for name, run in RUNS.items():
            with self.subTest(name):
                whole = self.run_of(name, run)
                half = self.run_of(name + "_half", run, "--set", "run.total_frames=500")
                self.train("--resume", half, "--set", "run.total_frames=1000")
                self.assert_same_run(whole, half)

    def test_schedules_move_strengths(self):
        for name in ("gaussian", "ornstein_uhlenbeck"):
            with self.subTest(name):
                moved = self.records(self.run_of(name, RUNS[name]))
                # sigma at 250, 500, 750, 1000 frames
                self.assertEqual([round(r["schedule/exploration.sigma"], 6) for r in moved], [0.3, 0.2, 0.1, 0.1])
                still = {**RUNS[name], "more": RUNS[name]["more"].split("[schedule]")[0] + "sigma = 0.4\n"}
                other = self.records(self.run_of(name + "_still", still))
                self.assertNotEqual([r["rollout/ep_rew_mean"] for r in moved], [r["rollout/ep_rew_mean"] for r in other])

    def test_evaluations_have_none(self):
        # Nothing is learnt, so every evaluation and the one without exploration play alike.
        words = ["--set", "optimiser.lr=0.0"]
        for name, run in RUNS.items():
            with self.subTest(name):
                means = {r["eval/mean_reward"] for r in self.records(self.run_of(name, run, *words))} - {None}
                self.assertEqual(len(means), 1)
                if "explore/" in run["more"]:
                    plain = self.records(self.run_of(name + "_plain", {**run, "more": ""}, *words))
                    self.assertEqual({r["eval/mean_reward"] for r in plain} - {None}, means)


if __name__ == "__main__":
    unittest.main()
