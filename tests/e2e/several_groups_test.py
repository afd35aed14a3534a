#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several groups of agents that act and learn: one policy acts for each, and objectives name their networks."""

import json
import os
import unittest

from chunks_test import safetensors
from runs import MANIFESTS, RunCase, records

FIXTURES = ["--plugins", os.environ["FIXTURES"]]
# Two finders who choose one of three signs, three hiders who choose a side and leave now and then (fixtures/agents).
TEAMS = """
[run]
total_frames = 4_096
executor = "compiled"

[env]
plugin = "agents/Teams-v0"
real = false
lanes = 8

[policy.finders]
plugin = "mlp/categorical"
group = "finders"
hidden = [8]

[policy.finders_value]
plugin = "mlp/value"
group = "finders"
hidden = [8]

[policy.hiders]
plugin = "mlp/categorical"
group = "hiders"
hidden = [8]

[policy.hiders_value]
plugin = "mlp/value"
group = "hiders"
hidden = [8]

[[objective]]
name = "find"
plugin = "ppo/ppo"
group = "finders"
networks = { actor = "finders", value = "finders_value" }

[[objective]]
name = "hide"
plugin = "ppo/ppo"
group = "hiders"
networks = { actor = "hiders", value = "hiders_value" }

[train]
batch = 128

[optimiser]
lr = 0.03

[eval]
every_frames = 2_048
episodes = 8
returns = "finders.reward"
"""
# Q-learning of finders and SAC of hiders, whose actions are real numbers, from one buffer. The finders explore.
KINDS = """
[run]
total_frames = 4_000
executor = "compiled"

[env]
plugin = "agents/Teams-v0"
lanes = 8

[policy.finders]
plugin = "mlp/q_value"
group = "finders"
hidden = [16]

[policy.hiders]
plugin = "mlp/tanh_normal"
group = "hiders"
hidden = [16]

[policy.hiders_q]
plugin = "mlp/q"
group = "hiders"
count = 2
hidden = [16]

[exploration.finders]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 4_000

[[objective]]
name = "find"
plugin = "dqn/dqn"
group = "finders"
networks = { qvalue = "finders" }

[[objective]]
name = "hide"
plugin = "sac/sac"
group = "hiders"
networks = { actor = "hiders", qvalue = "hiders_q" }

[train]
batch = 16
minibatch = 32
updates_per_batch = 4
start_frames = 160

[optimiser]
lr = 3e-3

[target]
kind = "soft"
tau = 0.02

[schedule]
"exploration.finders.epsilon" = { kind = "linear", from = 1.0, to = 0.05, fraction = 0.5 }
"objective.0.gamma" = { kind = "linear", from = 0.9, to = 0.5, fraction = 0.5 }

[eval]
every_frames = 2_000
episodes = 8
returns = "finders.reward"
"""
# Q-learning of both groups together: one mixer makes a joint value of what the agents of both kinds give.
JOINT = """
[run]
total_frames = 4_000
executor = "compiled"

[env]
plugin = "agents/Teams-v0"
real = false
lanes = 8

[policy.finders]
plugin = "mlp/q_value"
group = "finders"
hidden = [16]

[policy.hiders]
plugin = "mlp/q_value"
group = "hiders"
hidden = [16]

[policy.mixer]
plugin = "mixer/kinds"
of = ["finders", "hiders"]
adds = true

[exploration.finders]
plugin = "explore/epsilon_greedy"
epsilon = 0.2

[exploration.hiders]
plugin = "explore/epsilon_greedy"
epsilon = 0.2

[buffer]
plugin = "replay/uniform"
capacity = 4_000

[objective]
plugin = "qmix/kinds"
rewards = ["finders.reward", "hiders.reward"]

[train]
batch = 16
minibatch = 32
updates_per_batch = 4
start_frames = 160

[optimiser]
lr = 3e-3

[target]
kind = "soft"
tau = 0.02

[eval]
every_frames = 2_000
episodes = 8
"""
BEST, SOME = (7.5, -0.5), (4, -2)  # of 8 and of 0; by chance about 2.7 and -4

# MADDPG: the critic of each group reads what all agents of both groups observe and do.
HUNT = """
[run]
executor = "compiled"
total_frames = 640

[env]
plugin = "small/Hunt-v0"
prey = "learnt"
moves = "continuous"
lanes = 8

[buffer]
plugin = "replay/uniform"
capacity = 1_000

[train]
batch = 64
minibatch = 32
start_frames = 256

[target]
kind = "soft"
tau = 0.02

[log]
every_frames = 64
""" + "".join("""
[policy.{one}]
plugin = "mlp/deterministic"
group = "{one}"
hidden = [8]

[policy.{one}_q]
plugin = "mlp/joint_q"
group = "{one}"
in = ["predators.observation", "prey.observation", "{other}.action"]
hidden = [8]

[exploration.{one}]
plugin = "explore/gaussian"

[columns."next.{one}.action"]
of = "{one}.mode"

[[objective]]
name = "learn_{one}"
plugin = "ddpg/ddpg"
group = "{one}"
networks = {{ actor = "{one}", qvalue = "{one}_q" }}
""".format(one=one, other=other) for one, other in (("predators", "prey"), ("prey", "predators")))  # fmt: skip


class SeveralGroups(RunCase):
    def run_teams(self, name, *words, manifest=TEAMS):
        path = self.folder / f"{name}.toml"
        path.write_text(manifest)
        return self.train(path, "--out", self.folder / name, *FIXTURES, *words)

    def returns_of(self, name):
        """The last returns of finders and of hiders."""
        last = [record for record in records(self.folder / name) if "eval/finders/mean_reward" in record][-1]
        return last["eval/finders/mean_reward"], last["eval/hiders/mean_reward"], last["eval/mean_reward"]

    def test_both_groups_learn_by_objectives_of_their_own(self):
        self.run_teams("both")
        finders, hiders, whole = self.returns_of("both")
        self.assertGreater(finders, BEST[0])
        self.assertGreater(hiders, BEST[1])
        self.assertEqual(whole, finders)
        last = records(self.folder / "both")[-1]  # returns are sums of finders.reward
        self.assertEqual(last["rollout/finders/ep_rew_mean"], last["rollout/ep_rew_mean"])
        self.assertLess(last["rollout/hiders/ep_rew_mean"], 0)
        told = self.tenon("eval", self.folder / "both", "--json", *FIXTURES).stdout
        groups = json.loads(told)["groups"]
        self.assertAlmostEqual(groups["hiders"]["return_mean"], hiders, delta=0.5)
        cut = json.loads(self.tenon("eval", self.folder / "both", "--json", *FIXTURES, "--set", "eval.max_steps=4").stdout)
        self.assertGreater(cut["groups"]["finders"]["return_mean"], BEST[0] / 2)
        self.assertLessEqual(cut["groups"]["finders"]["return_mean"], 4)
        self.assertEqual(cut["groups"]["finders"]["cut_off"], cut["groups"]["finders"]["episodes"])

    def test_returns_of_groups_are_the_same_wherever_the_lanes_are(self):
        means = []
        for name, words in (("sync", []), ("processes", ["collector.workers=2"])):
            words = ["run.total_frames=1_024", "optimiser.find.lr=1e-12", "optimiser.hide.lr=1e-12", f'collector.kind="{name}"', *words]
            self.run_teams(name, *(part for word in words for part in ("--set", word)))
            last = records(self.folder / name)[-1]
            means.append([last[f"rollout/{of}ep_rew_mean"] for of in ("", "finders/", "hiders/")])
        self.assertLess(means[0][2], 0)
        self.assertEqual(means[0], means[1])  # nothing is learnt, so it does not matter that workers act by older weights

    def test_a_group_without_an_objective_stays_as_it_is(self):
        self.run_teams("one", "--set", "optimiser.hide.lr=1e-12")
        finders, hiders, _ = self.returns_of("one")
        self.assertGreater(finders, BEST[0])
        self.assertLess(hiders, SOME[1])

    def test_groups_learn_by_objectives_of_other_kinds_with_an_exploration_of_one(self):
        told = self.run_teams("kinds", manifest=KINDS)
        finders, hiders, _ = self.returns_of("kinds")
        self.assertGreater(finders, BEST[0])
        self.assertGreater(hiders, BEST[1])
        self.assertEqual(told["notices"], "")
        names = set(records(self.folder / "kinds")[-1])
        self.assertLessEqual({"train/find/loss/q", "train/hide/loss/critic.q", "schedule/exploration.finders.epsilon"}, names)

    def test_a_central_critic_reads_the_columns_of_all_groups(self):
        every = '["finders.observation", "hiders.observation", "hiders.present"]'
        words = [word for role in ("finders_value", "hiders_value")
                 for word in ("--set", f"policy.{role}.group=", "--set", f"policy.{role}.in={every}")]  # fmt: skip
        self.run_teams("central", *words)
        finders, hiders, _ = self.returns_of("central")
        self.assertGreater(finders, BEST[0])
        self.assertGreater(hiders, BEST[1])

    def test_critics_read_the_actions_of_all_groups(self):
        self.train(self.put("hunt.toml", HUNT), "--out", self.folder / "hunt", "--set", "checkpoint.every_frames=640")
        weights = safetensors(self.folder / "hunt/checkpoints/640/parameters.safetensors")
        seen = 3 * weights["predators/0.weight"].shape[1] + 2 * weights["prey/0.weight"].shape[1]  # of 3 predators and 2 prey
        for role in ("predators_q", "prey_q"):
            self.assertEqual(weights[f"{role}/0.weight"].shape[1], seen + 2 * (3 + 2))
        for role in ("predators", "prey"):
            losses = [record.get(f"train/learn_{role}/loss/critic.q") for record in records(self.folder / "hunt")]
            self.assertGreater(len(set(losses) - {None}), 2)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        for name, manifest, half in (("ppo", TEAMS, 1_024), ("kinds", KINDS, 800)):
            path = self.put(f"{name}.toml", manifest)
            constant = ["--set", "remove=schedule"] if name == "kinds" else []
            words = [*FIXTURES, *constant, "--set", f"run.total_frames={2 * half}", "--set", f"eval.every_frames={half}"]
            self.same_in_halves(path, half, *words, name=name)

    def test_executors_agree(self):
        for name, manifest in (("ppo", TEAMS), ("kinds", KINDS)):
            path = self.put(f"{name}.toml", manifest)
            words = [*FIXTURES, "--set", "run.total_frames=512", "--set", "log.every_frames=1"]
            losses = []
            for executor in ("reference", "compiled"):
                out = self.folder / f"{name}_{executor}"
                self.train(path, "--out", out, *words, "--set", f"run.executor={executor}")
                seen = [[record.get(f"train/{of}/loss") for of in ("find", "hide")] for record in records(out)]
                losses.append(next(each for each in seen if None not in each))  # of the first updates
            for x, y in zip(*losses):
                self.assertAlmostEqual(x, y, delta=1e-4 * max(abs(y), 1e-2))

    def test_executors_agree_on_a_mixer_of_two_groups(self):
        path, losses = self.put("joint.toml", JOINT), []
        for executor in ("reference", "compiled"):
            self.train(path, "--out", self.folder / executor, *FIXTURES, "--set", "run.total_frames=256", "--set", "log.every_frames=1",
                       "--set", "eval.every_frames=0", "--set", f"run.executor={executor}")
            losses.append(next(one["train/loss"] for one in records(self.folder / executor) if one.get("train/loss") is not None))
        self.assertAlmostEqual(*losses, delta=1e-4 * losses[1])

    def test_groups_of_processes_threads_and_pools_learn_as_well(self):
        path = self.put("kinds.toml", KINDS)
        for kind in ("async", "processes"):
            words = [*FIXTURES, "--set", f"collector.kind={kind}", "--set", "run.total_frames=960", "--set", "eval.every_frames=960"]
            self.assertIsNotNone(self.train(path, "--out", self.folder / kind, *words)["eval_return_mean"])

    def test_agents_of_two_kinds_learn_through_one_mixer(self):
        self.run_teams("joint", manifest=JOINT)
        finders, hiders, _ = self.returns_of("joint")
        self.assertGreater(finders, BEST[0])
        self.assertGreater(hiders, BEST[1])
        path = self.put("joint.toml", JOINT)
        self.same_in_halves(path, 800, *FIXTURES, "--set", "run.total_frames=1_600", "--set", "eval.every_frames=800", name="joint_again")

    def test_a_mixer_of_one_kind_is_that_of_its_group(self):
        """The same losses, as long as sums of other orders leave the same actions."""
        seen = []
        for name, more in (("group", ['objective.plugin="qmix/qmix"', 'objective.group="agents"', 'objective.networks={ qvalue = "agents" }']),
                           ("kinds", ['objective={ plugin = "qmix/kinds" }', 'policy.mixer={ plugin = "mixer/kinds", of = ["agents"] }'])):
            keys = ['policy.agents={ plugin = "mlp/q_value", group = "agents", hidden = [64], activation = "relu" }', "remove=policy.qvalue",
                    "run.total_frames=1_600", "log.every_frames=16", "eval.every_frames=1_600", "run.executor=compiled", *more]
            self.train(MANIFESTS / "qmix_two_step.toml", "--out", self.folder / name, *[word for key in keys for word in ("--set", key)])
            seen.append([record["train/loss"] for record in records(self.folder / name) if record.get("train/loss") is not None])
        self.assertGreater(len(seen[0]), 50)
        for one, other in zip(*seen, strict=True):
            self.assertAlmostEqual(one, other, delta=1e-3 * abs(one) + 1e-6)

    def test_explain_names_the_policies_of_each_column(self):
        path = self.put("kinds.toml", KINDS)
        self.assertIn(", with hiders as actor, hiders_q as qvalue", self.tenon("explain", path, *FIXTURES).stdout)
        columns = {column["key"]: column for column in json.loads(self.tenon("explain", path, "--json", *FIXTURES).stdout)["columns"]}
        self.assertEqual(columns["finders.action"]["writer"], "policy.finders, exploration.finders")
        self.assertEqual(columns["hiders.action"]["writer"], "policy.hiders")
        self.assertIn("policy.hiders", columns["hiders.observation"]["readers"])
        self.assertNotIn("policy.finders", columns["hiders.observation"]["readers"])


if __name__ == "__main__":
    unittest.main()
