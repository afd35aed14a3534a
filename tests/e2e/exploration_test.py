#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exploration of every kind: it changes what a run collects, follows its schedule, is off in evaluations, and a resumed
run goes on with it in the middle of an episode, bit for bit."""

import unittest

from runs import RunCase, ppo_tables, records

# Episodes of 200 steps in 4 lanes: the checkpoint at 500 lies within them.
RUN = """[run]
executor = "compiled"
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
PARAMETERS = "[parameter_noise]\nsigma = {}\ntarget = {}\nfactor = 1.2\n"
SAC = {"critics": 2, "objective": "sac/sac", "more": ""}

CHOICES = """[run]
executor = "compiled"
total_frames = 2_000

[env]
plugin = "classic/CartPole-v1"
lanes = 8
""" + ppo_tables(16) + """
[train]
batch = 40
minibatch = 40

[log]
every_frames = 500
"""

RUNS = {
    "gaussian": {**DETERMINISTIC, "more": NOISE.format("gaussian")},
    "ornstein_uhlenbeck": {**DETERMINISTIC, "more": NOISE.format("ornstein_uhlenbeck")},
    "parameter_noise": {**DETERMINISTIC, "more": PARAMETERS.format(0.3, 0.15) + "every_frames = 120\n"},
    "gsde": {**SAC, "actor": "mlp/tanh_gsde", "options": ""},
    "gsde_often": {**SAC, "actor": "mlp/tanh_gsde", "options": 'sample_freq = 16\ndeviations = "feature"'},
}


class Exploration(RunCase):
    def run_of(self, name, run, *words):
        manifest = self.put(f"{name}.toml", RUN.format(**run))
        self.train(manifest, "--out", self.folder / name, *words)
        return self.folder / name

    def assert_moved(self, moved, key):
        self.assertEqual(len(moved), 4)
        for record in moved:
            self.assertAlmostEqual(record[key], max(0.1, 0.4 - 0.3 * record["frames"] / 750), 6)

    def test_resumed_each_is_the_same_run(self):
        for name, run in RUNS.items():
            with self.subTest(name):
                self.same_in_halves(self.put(f"{name}.toml", RUN.format(**run)), 500, name=name)

    def test_schedules_move_strengths(self):
        for name in ("gaussian", "ornstein_uhlenbeck"):
            with self.subTest(name):
                moved = records(self.run_of(name, RUNS[name]))
                self.assert_moved(moved, "schedule/exploration.sigma")
                still = {**RUNS[name], "more": RUNS[name]["more"].split("[schedule]")[0] + "sigma = 0.4\n"}
                other = records(self.run_of(name + "_still", still))
                self.assertNotEqual([r["rollout/ep_rew_mean"] for r in moved], [r["rollout/ep_rew_mean"] for r in other])

    def test_evaluations_have_none(self):
        # Nothing is learnt, so every evaluation and the one without exploration play alike.
        words = ["--set", "optimiser.lr=0.0"]
        for name, run in RUNS.items():
            with self.subTest(name):
                means = {r["eval/mean_reward"] for r in records(self.run_of(name, run, *words))} - {None}
                self.assertEqual(len(means), 1)
                if run["more"]:
                    plain = records(self.run_of(name + "_plain", {**run, "more": ""}, *words))
                    self.assertEqual({r["eval/mean_reward"] for r in plain} - {None}, means)

    def test_noise_on_parameters_adapts_until_actions_move_as_far_as_they_should(self):
        words = ["--set", "optimiser.lr=0.0"]
        for start in (0.005, 2.0):
            with self.subTest(start=start):
                run = {**DETERMINISTIC, "more": PARAMETERS.format(start, 0.15)}
                last = records(self.run_of(f"from_{start}", run, *words))[-1]
                self.assertEqual(last["rollout/parameter_noise"] > start, start < 1)
                self.assertGreater(last["rollout/parameter_noise_distance"], 0.15 / 2)
                self.assertLess(last["rollout/parameter_noise_distance"], 0.15 * 2)

    def test_noise_on_parameters_follows_its_schedule_where_it_does_not_adapt(self):
        moves = '[schedule]\n"parameter_noise.sigma" = { from = 0.4, to = 0.1, frames = 750 }\n'
        moved = records(self.run_of("moved", {**DETERMINISTIC, "more": PARAMETERS.format(0.1, 0.0) + moves}))
        self.assert_moved(moved, "rollout/parameter_noise")
        self.assertEqual({r["rollout/parameter_noise_distance"] for r in moved}, {None})

    def test_choices_that_are_others_are_a_distance_too(self):
        self.train(self.put("choices.toml", CHOICES + PARAMETERS.format(0.005, 0.1)), "--out", self.folder / "choices")
        last = records(self.folder / "choices")[-1]
        self.assertGreater(last["rollout/parameter_noise"], 0.01)
        shares = {r["rollout/parameter_noise_distance"] for r in records(self.folder / "choices")}
        self.assertTrue(all(0 <= share <= 1 for share in shares), shares)
        self.assertGreater(len(shares), 1)


if __name__ == "__main__":
    unittest.main()
