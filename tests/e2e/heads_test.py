#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every head of plugins/policies/mlp learns its kind of action by PPO, keeps to the masks of its env, and explores."""

import unittest

from runs import FIXTURES, RunCase

# By head: the kind of action, further options of the policy, whether there is a mask, and a return of ten steps that
# learning reaches. 10 is the best; who does not look gets 3.3, 7.5, 5 and for real numbers 6.7 at most. A scale for each
# row shrinks too soon at this rate with some seeds.
HEADS = {
    "categorical": ("categorical", "", True, 8),
    "one_hot": ("one_hot", "", True, 8),
    "multi_categorical": ("multi_categorical", "", True, 9),
    "bernoulli": ("binary", "", False, 8.5),
    "normal": ("unbounded", 'scale = "free"', False, 8.5),
    "tanh_normal": ("bounded", 'scale = "free"', False, 8.5),
    "hybrid": ("hybrid", "", False, 8.5),
    "gsde": ("unbounded", "initial_log_scale = -1.0", False, 8.5),
    "tanh_gsde": ("bounded", "initial_log_scale = -1.0", False, 7.5),
    "composite": ("several", 'scale = "free"', True, 8.5),
    "truncated_normal": ("bounded", 'scale = "free"', False, 8.5),
}

PPO = """[run]
executor = "compiled"
seed = 1
total_frames = 20_000

[plugins]
search = ["{fixtures}"]

[env]
plugin = "choices/Choices-v0"
action = "{action}"
mask = {mask}
lanes = 8

[policy.actor]
plugin = "mlp/{head}"
hidden = [32]
{options}

[policy.value]
plugin = "mlp/value"
hidden = [32]

[objective]
plugin = "ppo/ppo"
gamma = 0.0
normalise_advantage = true
entropy_coefficient = 0.001

[train]
batch = 256
minibatch = 64
epochs = 4

[optimiser]
lr = 3e-3

[eval]
every_frames = 20_000
episodes = 40
"""

# Networks without hidden layers.
SYMBOLS = PPO.replace('choices/Choices-v0"\naction = "{action}"\nmask = {mask}', 'choices/Symbols-v0"\nsymbols = "{symbols}"').replace(
    "hidden = [32]", "hidden = []")

DDPG = """[run]
executor = "compiled"
total_frames = 3_000

[plugins]
search = ["{fixtures}"]

[env]
plugin = "choices/Choices-v0"
action = "bounded"
lanes = 4

[policy.actor]
plugin = "mlp/deterministic"
hidden = [32]

[policy.qvalue]
plugin = "mlp/q"
hidden = [32]

[exploration]
plugin = "explore/gaussian"
sigma = 0.3

[buffer]
plugin = "replay/uniform"
capacity = 3_000

[objective]
plugin = "ddpg/ddpg"
gamma = 0.0

[train]
batch = 4
minibatch = 64
updates_per_batch = 2
start_frames = 200

[optimiser]
lr = 3e-3

[schedule]
"exploration.sigma" = {{ kind = "linear", from = 0.5, to = 0.1, fraction = 1.0 }}

[eval]
every_frames = 3_000
episodes = 40
"""

DQN = """[run]
executor = "compiled"
total_frames = 6_000

[plugins]
search = ["{fixtures}"]

[env]
plugin = "choices/Choices-v0"
action = "{action}"
mask = {mask}
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [32]

[exploration]
plugin = "explore/epsilon_greedy"
epsilon = 0.3

[buffer]
plugin = "replay/uniform"
capacity = 6_000

[objective]
plugin = "dqn/dqn"
gamma = 0.0

[train]
batch = 4
minibatch = 64
updates_per_batch = 2
start_frames = 200

[optimiser]
lr = 3e-3

[eval]
every_frames = 6_000
episodes = 40
"""

BC = """
[plugins]
search = ["{fixtures}"]

[env]
plugin = "choices/Choices-v0"
action = "several"
mask = true
lanes = 8

[policy.actor]
plugin = "mlp/composite"
hidden = [32]
scale = "free"

[buffer]
plugin = "replay/uniform"
capacity = 4_001
init = "{frames}"

[objective]
plugin = "bc/bc"

[train]
total_updates = 1_500
minibatch = 128

[optimiser]
lr = 3e-3

[eval]
every_updates = 1_500
episodes = 40
"""


class Heads(RunCase):
    def test_each_learns(self):
        for head, (action, options, mask, learnt) in HEADS.items():
            with self.subTest(head):
                text = PPO.format(
                    fixtures=FIXTURES, head=head, action=action, options=options, mask="true" if mask else "false"
                )
                path = self.put(f"{head}.toml", text)
                result = self.train(path, "--out", self.folder / head)
                self.assertEqual(result["notices"], "")
                self.assertGreater(result["eval_return_mean"], learnt)

    def test_actions_of_two_columns_learn_together(self):
        text = PPO.format(fixtures=FIXTURES, head="categorical", action="two_columns", options="", mask="false")
        path = self.put("two.toml", text.replace("mlp/categorical\"\nhidden = [32]", "choices/two_columns\""))
        result = self.train(path, "--out", self.folder / "two")
        self.assertEqual(result["notices"], "")
        self.assertGreater(result["eval_return_mean"], 8)

    def test_heads_of_a_composite_learn_by_ratios_of_their_own_and_are_chosen_by_name(self):
        options = 'scale = "free"\nlog_prob = "separate"\nheads = ["action.dial = truncated_normal"]'
        text = PPO.format(fixtures=FIXTURES, head="composite", action="several", options=options, mask="true")
        for objective in ("ppo/ppo", "ppo/kl"):
            with self.subTest(objective):
                path = self.put("apart.toml", text.replace("ppo/ppo", objective))
                out = self.folder / objective.replace("/", "_")
                result = self.train(path, "--out", out)
                self.assertEqual(result["notices"], "")
                self.assertGreater(result["eval_return_mean"], 8.5)

    def test_a_resumed_composite_goes_on_as_it_was(self):
        text = PPO.format(fixtures=FIXTURES, head="composite", action="several", options='log_prob = "separate"', mask="true")
        self.same_in_halves(self.put("halves.toml", text), 2_048, "--set", "run.total_frames=4096", "--set", "eval.every_frames=2048")

    def test_what_a_composite_did_is_recorded_and_copied(self):
        text = PPO.format(fixtures=FIXTURES, head="composite", action="several", options='scale = "free"', mask="true")
        self.train(self.put("teacher.toml", text), "--out", self.folder / "teacher")
        words = ["--frames", "4000", "--actions", "mode", "--out", self.folder / "frames"]
        self.tenon("record", self.folder / "teacher", "--plugins", FIXTURES, *words)
        pupil = self.put("pupil.toml", BC.format(fixtures=FIXTURES, frames=self.folder / "frames"))
        for log_prob in ("sum", "separate"):
            with self.subTest(log_prob):
                out = self.folder / f"pupil_{log_prob}"
                result = self.train(pupil, "--out", out, "--set", f"policy.actor.log_prob={log_prob}")
                self.assertEqual(result["notices"], "")
                self.assertGreater(result["eval_return_mean"], 8.5)
        made = [(self.folder / f"pupil_{log_prob}" / "checkpoints" / "last" / "parameters.safetensors").read_bytes()
                for log_prob in ("sum", "separate")]
        self.assertEqual(*made)

    def test_categories_are_told_apart_without_hidden_layers(self):
        for symbols in ("one", "several", "even"):
            with self.subTest(symbols):
                text = SYMBOLS.format(fixtures=FIXTURES, head="categorical", symbols=symbols, options="")
                result = self.train(self.put(f"{symbols}.toml", text), "--out", self.folder / symbols)
                self.assertEqual((result["notices"], result["eval_return_mean"]), ("", 10))
        # As a number, no linear network gets more than four of the five right.
        result = self.train(self.folder / "one.toml", "--out", self.folder / "number", "--set", "policy.actor.categories=number")
        self.assertLess(result["eval_return_mean"], 9)

    def test_values_of_choices_are_learnt(self):
        for action, mask, learnt in (("one_hot", True, 8.5), ("multi_categorical", True, 9), ("multi_categorical", False, 9),
                                     ("binary", False, 9)):  # fmt: skip
            with self.subTest(action, mask=mask):
                text = DQN.format(fixtures=FIXTURES, action=action, mask="true" if mask else "false")
                result = self.train(self.put("dqn.toml", text), "--out", self.folder / f"dqn_{action}_{mask}")
                self.assertEqual(result["notices"], "")
                self.assertGreater(result["eval_return_mean"], learnt)

    def test_a_deterministic_one_learns_with_noise(self):
        path = self.put("ddpg.toml", DDPG.format(fixtures=FIXTURES))
        result = self.train(path, "--out", self.folder / "ddpg")
        self.assertEqual(result["notices"], "")
        self.assertGreater(result["eval_return_mean"], 9.5)


if __name__ == "__main__":
    unittest.main()
