#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups of agents: what is written for one agent learns for all of them, with shared and with own weights."""

import json
import os
import shutil
import unittest

import numpy as np
from chunks_test import safetensors
from runs import MANIFESTS, RunCase, records

QMIX, VDN, IPPO = (MANIFESTS / name for name in ("qmix_two_step.toml", "vdn_two_step.toml", "ippo_spread.toml"))
RECALL = MANIFESTS / "ippo_recall.toml"
BRIEF = ["--set", "run.total_frames=6_400", "--set", "eval.every_frames=3_200", "--set", "eval.episodes=4", "--set", "log.every_frames=1"]
# Two batches of four updates, which is what on_both compares.
TWICE = [*BRIEF, "--set", "train.epochs=1"]
IQL = ["--set", "objective.plugin=dqn/dqn"]
EACH = ["--set", "log.every_frames=1"]
IQL_OF_SHIFTS = [*IQL, "--set", "remove=policy.mixer"]
OWN = ["--set", "policy.actor.weights=own", "--set", "policy.value.weights=own"]
SHIFTS = ["--set", "env.plugin=small/Shifts-v0"]
# An env of fixtures/agents, whose agents learn in a moment to choose the one that pays.
PAID = """
[run]
total_frames = 2_048
executor = "compiled"

[env]
plugin = "agents/Choosers-v0"
lanes = 8

[policy.actor]
plugin = "mlp/categorical"
group = "agents"
hidden = [8]

[policy.value]
plugin = "mlp/value"
group = "agents"
hidden = [8]

[objective]
plugin = "ppo/ppo"
group = "agents"

[train]
batch = 128

[optimiser]
lr = 0.03

[eval]
every_frames = 1_024
episodes = 8
"""
# The same by Q-learning from rows of three steps.
STEPS = PAID[: PAID.index("[policy.actor]")] + """
[policy.qvalue]
plugin = "mlp/q_value"
group = "agents"
hidden = [8]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 2_048
n_step = 3

[objective]
plugin = "dqn/dqn"
group = "agents"

[train]
batch = 32
minibatch = 32
updates_per_batch = 4
start_frames = 128

[optimiser]
lr = 0.01

[target]
every = 20

[eval]
every_frames = 1_024
episodes = 8
"""
# A judge of each agent, whose value is its reward.
JUDGE = """
[policy.judge]
plugin = "mlp/value"
group = "agents"
freeze = true

[columns]
"next.reward" = "judge.value"
"""
# The agents see no reward, but what tells their frames from those of an expert.
IMITATES = PAID.replace("[objective]\n", """[policy.discriminator]
plugin = "mlp/value"
group = "agents"
in = ["observation", "action"]
hidden = [8]

[buffer.expert]
plugin = "replay/uniform"
collects = false
init = "expert.frames"

[columns]
"next.agents.reward" = { of = "discriminator.value", for = ["ppo"] }

[[objective]]
name = "imitation"
plugin = "gail/discriminator"
group = "agents"
batches = { expert = "expert" }
minibatch = 64

[[objective]]
name = "ppo"
""")
CENTRAL = ["--set", "policy.value.group=", "--set", "policy.value.in=[\"state\"]"]
QUICK = ["--set", "run.executor=compiled"]


def through(*transforms):
    """Each with its options, "standard/" left out."""
    steps = (f'{{plugin = "standard/{name}"' + "".join(f", {key} = {json.dumps(value)}" for key, value in options.items()) + "}"
             for name, options in transforms)  # fmt: skip
    return ["--set", f"env.transforms=[{', '.join(steps)}]"]


SEEN = {"column": "agents.observation"}
# No shipped environment has agents whose actions are real numbers.
REAL_ACTIONS = through(("cast", {"columns": ["agents.action"]}), ("action_flatten", {"columns": ["agents.action"], "to": "agents.action"}))
OF_GROUP = [word for key in ("objective", "policy.actor", "policy.qvalue") for word in ("--set", f"{key}.group=agents")]

# Each agent's network reads what all agents observe, and then what the agent itself does.
SEES_ALL = """
[run]
total_frames = 64
executor = "compiled"

[env]
plugin = "small/Spread-v0"
lanes = 2

[policy.actor]
plugin = "mlp/q_value"
group = "agents"
in = ["agents.observation", "observation"]
hidden = [8]
activation = "relu"
"""


class Groups(RunCase):
    def losses(self, name):
        return [record["train/loss"] for record in records(self.folder / name) if "train/loss" in record]

    def assert_alike(self, one, other):
        """On both executors the same losses, to the rounding of some updates."""
        a, b = self.losses(one), self.losses(other)
        self.assertEqual(len(a), len(b))
        self.assertGreater(len(a), 1)
        for x, y in zip(a[:2], b[:2]):
            self.assertAlmostEqual(x, y, delta=1e-4 * max(abs(y), 1e-2))

    def on_both(self, manifest, *words):
        for executor in ("reference", "compiled"):
            self.train(manifest, "--out", self.folder / executor, "--set", f"run.executor={executor}", *words)
        self.assert_alike("reference", "compiled")

    def test_qmix_finds_the_best_joint_policy_and_a_sum_of_values_does_not(self):
        self.assertEqual(self.train(QMIX, "--out", self.folder / "qmix", *QUICK)["eval_return_mean"], 8)
        self.assertEqual(self.train(VDN, "--out", self.folder / "vdn", *QUICK)["eval_return_mean"], 7)

    def test_q_learning_of_each_agent_by_itself_is_no_better_than_the_sum(self):
        self.assertLessEqual(self.train(QMIX, "--out", self.folder / "iql", *IQL, *QUICK)["eval_return_mean"], 7)

    def test_executors_agree(self):
        self.on_both(QMIX, "--set", "run.total_frames=600", "--set", "log.every_frames=100")

    def test_executors_agree_on_shared_weights(self):
        self.on_both(IPPO, *TWICE)

    def test_executors_agree_on_own_weights(self):
        self.on_both(IPPO, *TWICE, *OWN)

    def test_executors_agree_on_rewards_that_a_network_gives_each_agent(self):
        for name, more in (("spread", []), ("shifts", SHIFTS)):
            judged = self.put(f"{name}.toml", f'include = ["{IPPO}"]\n{JUDGE}')
            self.on_both(judged, *TWICE, *more)
            told = self.tenon("explain", judged, *more).stdout
            self.assertRegex(told, r"judge\.value\s+next\.reward")
            shutil.rmtree(self.folder / "reference")
            shutil.rmtree(self.folder / "compiled")

    def test_a_group_imitates_an_expert_whose_frames_have_each_agent(self):
        fixtures = ["--plugins", os.environ["FIXTURES"]]
        expert = self.folder / "expert"
        self.assertGreater(self.train(self.put("paid.toml", PAID), "--out", expert, *fixtures)["eval_return_mean"], 7)
        self.tenon("record", expert, "--frames", "512", "--out", self.folder / "expert.frames", *fixtures)
        imitates = self.put("imitates.toml", IMITATES)
        blind = self.train(imitates, "--out", self.folder / "blind", *fixtures, "--set", "optimiser.lr=1e-9")
        self.assertLess(blind["eval_return_mean"], 7)
        self.assertGreater(self.train(imitates, "--out", self.folder / "imitates", *fixtures)["eval_return_mean"], 7)

    def test_executors_agree_on_a_value_of_the_state(self):
        self.on_both(IPPO, *TWICE, *CENTRAL)

    def test_soft_actor_critic_has_a_temperature_for_each_agent(self):
        agents = ["objective.group", "policy.actor.group", "policy.qvalue.group"]
        words = ["env.plugin=small/TwoStep-v0", "run.total_frames=192", "train.start_frames=64", "log.every_frames=64",
                 "eval.every_frames=192", "eval.episodes=4", *(f"{key}=agents" for key in agents)]  # fmt: skip
        self.on_both(MANIFESTS / "sac_cartpole.toml", *(word for each in words for word in ("--set", each)))

    def test_soft_actor_critic_learns_for_agents_with_critics_of_their_own_view_or_of_the_state(self):
        words = [*OF_GROUP, *QUICK, "--set", "train.minibatch=64", "--set", "train.start_frames=200", "--set", "policy.actor.hidden=[32]",
                 "--set", "policy.qvalue.hidden=[32]"]  # fmt: skip
        frames = lambda n: ["--set", f"run.total_frames={n}", "--set", f"eval.every_frames={n}"]
        result = self.train(MANIFESTS / "sac_cartpole.toml", "--out", self.folder / "own", *SHIFTS, *words, *frames(2_000))
        self.assertGreater(result["eval_return_mean"], 24)  # of 25; at random it is 8.3
        central = ["--set", "env.plugin=small/Spread-v0", "--set", 'policy.qvalue.in=["state", "observation"]']
        self.assertIsNotNone(self.train(MANIFESTS / "sac_cartpole.toml", "--out", self.folder / "central", *central, *words, *frames(400))["eval_return_mean"])

    def test_a_policy_begins_with_the_weights_of_another_role_of_a_run(self):
        words = ["--plugins", os.environ["FIXTURES"]]
        self.train(self.put("paid.toml", PAID), "--out", self.folder / "paid", *words)
        pupil = PAID.replace("[policy.actor]", '[policy.pupil]\ninit = "paid"\ninit_role = "actor"')
        pupil = self.put("pupil.toml", pupil.replace("[objective]", '[objective]\nnetworks = { actor = "pupil" }'))
        still = ["--set", "optimiser.lr=1e-12", "--set", "run.total_frames=1_024"]
        self.assertGreater(self.train(pupil, "--out", self.folder / "pupil", *words, *still)["eval_return_mean"], 7)
        told = self.tenon("validate", pupil, *words, "--set", "policy.pupil.init_role=critic", code=2).stderr
        self.assertIn("has no tensor 'critic/0.weight'; its networks are: actor, value", told)

    def test_each_agent_has_an_ensemble_of_its_own(self):
        words = [*OF_GROUP, *SHIFTS, "--set", "policy.qvalue.weights=own", "--set", "run.total_frames=192", "--set", "train.start_frames=64",
                 "--set", "log.every_frames=64", "--set", "eval.every_frames=96", "--set", "eval.episodes=4"]  # fmt: skip
        self.on_both(MANIFESTS / "sac_cartpole.toml", *words)
        told = json.loads(self.tenon("explain", MANIFESTS / "sac_cartpole.toml", "--json", *words).stdout)
        self.assertEqual({network["role"]: network["members"] for network in told["networks"]}["qvalue"], 8)  # 2 of each of 4
        self.same_in_halves(MANIFESTS / "sac_cartpole.toml", 96, *words, *QUICK, name="own")

    def test_rows_of_several_steps_have_the_rewards_of_each_agent(self):
        fixtures = ["--plugins", os.environ["FIXTURES"]]
        steps = self.put("steps.toml", STEPS)
        self.assertGreater(self.train(steps, "--out", self.folder / "steps", *fixtures)["eval_return_mean"], 7)  # of 8
        told = self.tenon("validate", steps, *fixtures, "--set", "env.plugin=small/Shifts-v0", code=2).stderr
        self.assertIn("agents leave between two steps, as 'agents.present' says", told)

    def test_rows_of_several_steps_end_where_an_agent_leaves(self):
        manifest = self.put("leave.toml", STEPS.replace("agents/Choosers-v0", "small/Shifts-v0"))
        until = lambda *columns: ["--set", f"buffer.until={json.dumps(columns)}", *QUICK]
        told = self.tenon("validate", manifest, *until("agents.present"), code=2).stderr
        self.assertIn("agents leave between two steps, as 'next.agents.terminated' says", told)
        both = until("agents.present", "agents.terminated")
        for what in ("0", "1e30"):
            result = self.train(manifest, "--out", self.folder / what, *both, "--set", f"env.left_behind={what}", "--set", "run.total_frames=8_000")
            self.assertGreater(result["eval_return_mean"], 12)  # of 25; at random it is 8.3
        same = lambda name: [[value for key, value in record.items() if not key.startswith("time/")] for record in records(self.folder / name)]
        self.assertEqual(same("0"), same("1e30"))
        self.same_in_halves(manifest, 1_024, *both, name="halves")
        by_column = ["--set", 'buffer={ plugin = "replay/by_column", column = "reward" }', "--set", "buffer.capacity=2_048", "--set", "buffer.n_step=3"]
        result = self.train(manifest, "--out", self.folder / "by_column", *by_column, *both, "--set", "run.total_frames=8_000")
        self.assertGreater(result["eval_return_mean"], 12)

    def test_own_weights_are_as_many_networks_as_agents(self):
        told = json.loads(self.tenon("explain", IPPO, "--json", "--set", "policy.actor.weights=own").stdout)
        networks = {network["role"]: network for network in told["networks"]}
        self.assertEqual((networks["actor"]["members"], networks["value"]["members"]), (3, 1))

    def test_networks_of_a_group_may_see_all_agents(self):
        """As TorchRL's MultiAgentMLP with centralised inputs, with shared weights and without: each agent has an output of its own."""
        for weights in ("shared", "own"):
            manifest = self.put("seen.toml", SEES_ALL + f'weights = "{weights}"\n')
            self.train(manifest, "--out", self.folder / weights, "--set", "checkpoint.every_frames=64")
            self.tenon("export", self.folder / weights, "--checkpoint", "last", "--format", "safetensors", "--out", self.folder / f"{weights}.w")
            self.tenon("record", self.folder / weights, "--checkpoint", "last", "--actions", "mode", "--frames", 20, "--out", self.folder / f"{weights}.frames")
            frames, network = safetensors(self.folder / f"{weights}.frames"), safetensors(self.folder / f"{weights}.w")
            seen = frames["agents.observation"][:10].astype(float)
            for agent in range(3):
                w0, b0, w1, b1 = ((x if weights == "shared" else x[agent]) for x in (network[f"actor/{i}.{of}"] for i in (0, 1) for of in ("weight", "bias")))
                both = np.concatenate([seen.reshape(10, 2, 54), seen[:, :, agent]], -1)
                values = np.maximum(both @ w0.T + b0, 0) @ w1.T + b1
                self.assertLess(np.abs(values - frames["agents.action_value"][:10, :, agent]).max(), 1e-5)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        self.same_in_halves(QMIX, 1_000, *QUICK, "--set", "run.total_frames=2_000", name="qmix")
        constant = [*QUICK, "--set", "remove=schedule", "--set", "train.epochs=2"]  # its schedule depends on the length of the run
        self.same_in_halves(IPPO, 3_200, *BRIEF, *OWN, *constant, name="own")
        self.same_in_halves(IPPO, 3_200, *BRIEF, *SHIFTS, *constant, name="shifts")
        self.same_in_halves(RECALL, 2_048, *QUICK, "--set", "run.total_frames=4_096", "--set", "eval.every_frames=2_048", name="recall")

    def test_agents_that_come_and_go_learn(self):
        result = self.train(IPPO, "--out", self.folder / "shifts", *SHIFTS, *BRIEF, *QUICK, "--set", "run.total_frames=32_000")
        self.assertGreater(result["eval_return_mean"], 24)  # of 25; at random it is 8.3

    def test_agents_remember_what_they_saw_since_they_came(self):
        brief = [*QUICK, "--set", "run.total_frames=16_000"]
        blind = [*brief, "--set", "policy.actor.cell=none", "--set", "policy.value.cell=none"]
        self.assertLess(self.train(RECALL, "--out", self.folder / "blind", *blind)["eval_return_mean"], 15)
        self.assertGreater(self.train(RECALL, "--out", self.folder / "recalls", *brief)["eval_return_mean"], 24)  # of 25

    def test_executors_agree_on_agents_that_remember(self):
        self.on_both(RECALL, "--set", "run.total_frames=2_048", "--set", "train.epochs=1", *EACH)

    def test_executors_agree_on_agents_that_remember_by_own_weights(self):
        self.on_both(RECALL, "--set", "run.total_frames=2_048", "--set", "train.epochs=1", *EACH, *OWN)

    def test_no_agent_takes_what_its_mask_forbids(self):
        masked = [*SHIFTS, *BRIEF, *QUICK, "--set", "env.mask=true"]  # which the env refuses
        self.assertIsNotNone(self.train(IPPO, "--out", self.folder / "ippo", *masked)["eval_return_mean"])
        words = [*masked, *IQL_OF_SHIFTS, "--set", "run.total_frames=1_600", "--set", "eval.every_frames=800"]
        self.assertIsNotNone(self.train(QMIX, "--out", self.folder / "iql", *words)["eval_return_mean"])

    def test_executors_agree_on_agents_that_come_and_go(self):
        self.on_both(IPPO, *SHIFTS, *TWICE, *OWN, "--set", "objective.value_normalisation=running")

    def test_what_stands_in_rows_of_absent_agents_does_not_matter(self):
        for what in ("0", "1e30"):
            self.train(IPPO, "--out", self.folder / what, *SHIFTS, *BRIEF, *QUICK, "--set", f"env.left_behind={what}", "--set", "eval.returns=agents.reward")
        records_of = lambda name: [{key: value for key, value in record.items() if not key.startswith("time/")}
                                   for record in records(self.folder / name)]
        self.assertEqual(records_of("0"), records_of("1e30"))

    def test_transforms_learn_nothing_from_rows_of_absent_agents(self):
        words = [*SHIFTS, *BRIEF, *QUICK, *through(("previous_action", {"action": "agents.action", "column": "agents.previous"}),
                                                   ("observation_norm", SEEN), ("reward_norm", {"column": "agents.reward"}),
                                                   ("frame_stack", {"columns": ["agents.observation"]}))]  # fmt: skip
        words += ["--set", "policy.actor.in=['observation', 'previous']"]
        for what in ("0", "1e30"):
            self.train(IPPO, "--out", self.folder / what, *words, "--set", f"env.left_behind={what}")
        for file in ("parameters.safetensors", "transforms.bin"):
            self.assertEqual(*((self.folder / what / "checkpoints" / "last" / file).read_bytes() for what in ("0", "1e30")))

    def test_returns_are_of_the_reward_that_is_named(self):
        told = {}
        for returns in ("reward", "agents.reward"):
            words = [*SHIFTS, *BRIEF, *QUICK, "--set", f"eval.returns={returns}"]
            told[returns] = self.train(IPPO, "--out", self.folder / returns, *words)["eval_return_mean"]
            self.assertIn(f"Returns are sums of '{returns}', ", self.tenon("explain", IPPO, *words).stdout)
        self.assertAlmostEqual(told["reward"], told["agents.reward"], delta=1e-4)

    def test_returns_are_of_one_agent_that_is_named(self):
        """Their mean over the agents who never leave is that of the group."""
        told = {}
        for returns in ("agents.reward", *(f"agents.reward.{agent}" for agent in range(3))):
            words = [*BRIEF, *QUICK, "--set", f"eval.returns={returns}"]
            told[returns] = self.train(IPPO, "--out", self.folder / returns, *words)["eval_return_mean"]
            self.assertIn(f"Returns are sums of '{returns}', ", self.tenon("explain", IPPO, *words).stdout)
        mean = told.pop("agents.reward")
        self.assertGreater(len(set(told.values())), 1)
        self.assertAlmostEqual(sum(told.values()) / 3, mean, delta=1e-4)

    def test_without_a_reward_of_the_lane_returns_are_sums_of_the_agents_mean(self):
        manifest, fixtures = self.put("paid.toml", PAID), ["--plugins", os.environ["FIXTURES"]]
        told = self.train(manifest, *fixtures, "--out", self.folder / "paid")
        self.assertGreater(told["eval_return_mean"], 7)  # of 8
        self.assertEqual(told["notices"], "")
        rollouts = [record["rollout/ep_rew_mean"] for record in records(self.folder / "paid")]
        self.assertGreater(rollouts[-1], rollouts[0])
        self.assertGreater(rollouts[0], 0)
        self.assertIn("Returns are sums of 'agents.reward', ", self.tenon("explain", manifest, *fixtures).stdout)

        silent = ["--set", "env.silent=true", *fixtures]  # a reward of the lane that is 0 in every step
        told = self.train(manifest, *silent, "--out", self.folder / "silent")
        self.assertEqual(told["eval_return_mean"], 0)
        hint = ("every episode of an evaluation had a return of 0, the sum of 'reward' of agents/Choosers-v0; if that env rewards "
                'only its agents, set eval.returns = "agents.reward"')
        self.assertEqual(told["notices"].count(hint), 1, told["notices"])
        told = self.train(manifest, *silent, "--set", "eval.returns=agents.reward", "--out", self.folder / "named")
        self.assertGreater(told["eval_return_mean"], 7)
        self.assertEqual(told["notices"], "")

    def test_transforms_are_of_each_agent(self):
        changed = through(("observation_norm", {**SEEN, "statistics": True}), ("select_indices", {**SEEN, "indices": [2, 0, 1]}),
                          ("frame_stack", {"columns": ["agents.observation"], "frames": 2}),
                          ("observation_delta", {**SEEN, "to": "agents.moved"}),
                          ("cat_columns", {"columns": ["agents.observation", "agents.moved"], "to": "agents.all"}),
                          ("reward_clip", {"column": "agents.reward"}), ("unary", {"columns": ["agents.all"], "function": "tanh"}))  # fmt: skip
        words = [*SHIFTS, *BRIEF, *QUICK, *changed, *(word for role in ("actor", "value") for word in ("--set", f'policy.{role}.in=["all"]'))]
        columns = {column["key"]: column["shape"] for column in json.loads(self.tenon("explain", IPPO, "--json", *words).stdout)["columns"]}
        self.assertEqual(columns["agents.all"], [4, 12])
        self.assertGreater(self.train(IPPO, "--out", self.folder / "out", *words, "--set", "run.total_frames=16_000")["eval_return_mean"], 15)

    def test_graphs_of_columns_see_one_agent(self):
        round_trip = through(("unsqueeze", {**SEEN, "dim": -1}), ("permute", {**SEEN, "dims": [1, 0]}), ("squeeze", {**SEEN, "dim": -2}))
        for name, words in (("plain", []), ("changed", round_trip)):
            self.train(IPPO, "--out", self.folder / name, *BRIEF, *QUICK, *words)
        self.assertGreater(len(self.losses("plain")), 1)
        self.assertEqual(self.losses("plain"), self.losses("changed"))
        for name in ("squeeze", "unsqueeze"):
            told = self.tenon("validate", IPPO, *through((name, {**SEEN, "dim": -3})), code=2).stderr
            self.assertIn(f"standard/{name}, apply: column 'agents.observation' has 1 dimension, but option 'dim' is -3", told)

    def test_a_critic_of_all_actions_learns_for_agents(self):
        small = (("run.total_frames", 512), ("train.start_frames", 128), ("train.minibatch", 64), ("policy.actor.hidden", "[16]"),
                 ("policy.qvalue.hidden", "[16]"), ("log.every_frames", 128), ("optimiser.lr", 0.01))  # fmt: skip
        manifest = MANIFESTS.parent / "bench" / "agents" / "maddpg.toml"
        self.train(manifest, "--out", self.folder / "joint", *(word for key, value in small for word in ("--set", f"{key}={value}")))
        losses = [record["train/loss/critic.q"] for record in records(self.folder / "joint") if record.get("train/loss/critic.q") is not None]
        self.assertGreater(len(losses), 1)

    def test_objectives_with_several_critics_learn_for_agents(self):
        own_critic = ["--set", "policy.qvalue.weights=own"]
        for name, critic, words in (("td3/td3", "q", [*OWN[:2], *own_critic]), ("td3_bc/td3_bc", "q", []), ("tqc/tqc", "q_quantiles", []),
                                    ("tqc/tqc", "q_quantiles", [*OWN[:2], *own_critic])):  # fmt: skip
            with self.subTest(name, words=words):
                out = self.folder / f"{name.split('/')[0]}{len(words)}"
                chosen = (("env.plugin", "small/Spread-v0"), ("objective.plugin", name), ("policy.qvalue.plugin", f"mlp/{critic}"),
                          ("run.total_frames", 240), ("train.start_frames", 64), ("train.minibatch", 16), ("policy.actor.hidden", "[16]"),
                          ("policy.qvalue.hidden", "[16]"), ("eval.every_frames", 240), ("eval.episodes", 2), ("log.every_frames", 40))  # fmt: skip
                named = [word for key, value in chosen for word in ("--set", f"{key}={value}")]
                result = self.train(MANIFESTS / "td3_pendulum.toml", "--out", out, *named, *OF_GROUP, *REAL_ACTIONS, *QUICK, *words)
                self.assertIsNotNone(result["eval_return_mean"])
                self.assertGreater(len(self.losses(out.name)), 1)

    def test_agents_remember_under_a_mixer_of_what_all_observe(self):
        """Of 25; agents that remember nothing get 11."""
        chosen = (("env.plugin", "small/Shifts-v0"), ("env.recall", "true"), ("policy.qvalue.cell", "gru"), ("policy.qvalue.cell_size", 16),
                  ("policy.qvalue.hidden", "[16]"), ("policy.mixer.in", '["agents.observation", "agents.present"]'), ("buffer.plugin", "replay/slices"),
                  ("buffer.length", 8), ("run.total_frames", 8_000), ("exploration.epsilon", 0.1), ("train.start_frames", 512), ("train.batch", 64),
                  ("train.updates_per_batch", 8), ("train.minibatch", 64), ("optimiser.lr", 3e-3), ("target.every", 50), ("eval.every_frames", 4_000))  # fmt: skip
        result = self.train(QMIX, "--out", self.folder / "out", *QUICK, *(word for key, value in chosen for word in ("--set", f"{key}={value}")))
        self.assertGreater(result["eval_return_mean"], 18)

    def test_noise_on_parameters_of_a_group(self):
        noisy = STEPS.replace("n_step = 3\n", "").replace('[exploration]\nplugin = "explore/epsilon_greedy"', "[parameter_noise]\nsigma = 0.3")
        result = self.train(self.put("noisy.toml", noisy), "--out", self.folder / "noisy", "--plugins", os.environ["FIXTURES"])
        self.assertGreater(result["eval_return_mean"], 7)
        self.assertGreater(max(record.get("rollout/parameter_noise_distance") or 0 for record in records(self.folder / "noisy")), 0)

    def test_the_third_dreamer_imagines_for_each_agent(self):
        small = ("world.memory_size=16", "world.blocks=2", "world.latents=2", "world.classes=4", "world.hidden=16", "world.bins=15", "value.bins=15",
                 "value.hidden=16", "actor.hidden=16", 'actor.plugin="world/categorical"', *(f"{role}.group=agents" for role in ("world", "actor", "value")))  # fmt: skip
        words = ["objective.group=agents", "objective.horizon=5", 'env.plugin="small/Spread-v0"', "buffer.length=8", "train.minibatch=64", "run.total_frames=400",
                 "train.start_frames=256", "eval.every_frames=0", "log.every_frames=16", *(f"policy.{key}" for key in small)]  # fmt: skip
        self.train(MANIFESTS / "dreamer_v3_reach.toml", "--out", self.folder / "out", *QUICK, *(w for word in words for w in ("--set", word)))
        learnt = [record for record in records(self.folder / "out") if record.get("train/imagined_return") is not None]
        self.assertGreater(len(learnt), 2)
        self.assertNotEqual(learnt[0]["train/imagined_return"], learnt[-1]["train/imagined_return"])

    def test_values_normalised_by_agent(self):
        result = self.train(IPPO, "--out", self.folder / "out", *BRIEF, *QUICK, "--set", "objective.value_normalisation=running")
        self.assertIsNotNone(result["eval_return_mean"])


if __name__ == "__main__":
    unittest.main()
