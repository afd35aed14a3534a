#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planners act by models: by the equations of an env without learning, by an ensemble that learns them, and by the latent states of
a world model. A run with a planner that was stopped goes on as if it had not been."""

import json
import unittest

from runs import MANIFESTS, RunCase, records

SHORT = ["--set", "run.executor=compiled", "--set", "log.tensorboard=false"]
LATENT = """[run]
executor = "compiled"
total_frames = 512

[env]
plugin = "classic/Pendulum-v1"
lanes = 4

[policy.world]
plugin = "world/rssm"
memory_size = 8
belief_size = 4

[policy.actor]
plugin = "plan/mppi"
in = ["world.features"]
model = "world"
step = "imagine"
continues = "continues"
horizon = 4
candidates = 8
elites = 3
iterations = 2
"""
FIRST = 'world/rssm"\nmemory_size = 8\nbelief_size = 4'
THIRD = 'world/rssm3"\nmemory_size = 8\nlatents = 2\nclasses = 4\nhidden = 8'
# The latent states of a world model as an env: each episode begins with what the model believes of a real first observation.
IMAGINED = LATENT.split("[policy.actor]")[0] + """
[[env.wrappers]]
plugin = "wrap/imagined"
horizon = 20

[policy.dreamer]
plugin = "model/dream"
in = ["world.features"]
model = "world"
step = "imagine"
continues = "continues"
decode = "decoded"
arrives = true
symlog = true

[policy.actor]
plugin = "world/bounded_normal"
hidden = 8
"""


class Planning(RunCase):
    def test_planners_swing_up_in_the_true_equations(self):
        """Random actions return -1,200; SAC, when it has learnt, -140 on such episodes."""
        for name, more in (("cem", []), ("mppi", []), ("shooting", ["policy.actor.candidates=256", "policy.actor.horizon=15"])):
            with self.subTest(name):
                keys = [f'policy.actor.plugin="plan/{name}"', "eval.every_frames=200", "eval.episodes=6", "run.total_frames=200", *more]
                self.train(MANIFESTS / "cem_pendulum.toml", "--out", self.folder / name, *SHORT, *[w for k in keys for w in ("--set", k)])
                self.assertGreater(records(self.folder / name)[-1]["eval/mean_reward"], -300)

    def test_an_ensemble_learns_what_steps_do(self):
        keys = ["run.total_frames=1_000", "train.start_frames=200", "policy.actor.candidates=12", "policy.actor.horizon=5", "policy.model.hidden=[32]",
                "policy.actor.iterations=2", "eval.every_frames=0", "log.every_frames=100", "policy.model.count=2"]
        for name, more in (("several", []), ("one", ["policy.model.count=1"]), ("drawn", ["policy.model.draws=true"])):
            with self.subTest(name):
                self.train(MANIFESTS / "pets_pendulum.toml", "--out", self.folder / name, *SHORT, *[w for k in keys + more for w in ("--set", k)])
                errors = [one["train/squared_error"] for one in records(self.folder / name) if one.get("train/squared_error") is not None]
                self.assertLess(errors[-1], 0.5 * errors[0])

    def test_a_planner_acts_in_latent_states(self):
        """The models are untrained; what they imagine is drawn, so it is not the same for all plans."""
        for name, text in (("first", LATENT), ("third", LATENT.replace(FIRST, THIRD) + "arrives = true\n")):
            with self.subTest(name):
                manifest = self.put(f"{name}.toml", text)
                result = self.train(manifest, "--out", self.folder / name, "--set", "eval.every_frames=512", "--set", "eval.episodes=2")
                self.assertEqual(result["frames"], 512)
                self.assertLess(result["eval_return_mean"], 0)

    def test_a_model_is_stepped_as_the_env(self):
        """By the true equations, a policy has the same returns in the model and in the env."""
        keys = ['policy.model={ plugin = "model/pendulum" }', "run.total_frames=2_048", "eval.every_frames=0"]
        self.train(MANIFESTS / "ppo_imagined_pendulum.toml", "--out", self.folder / "dreamt", *SHORT, *[w for k in keys for w in ("--set", k)])
        returns = []
        for real in ("true", "false"):
            wrapper = 'eval.env.wrappers=[{ plugin = "wrap/imagined", real = %s }]' % real
            words = ["--episodes", 4, "--json", "--set", wrapper, "--set", "eval.max_steps=40"]
            returns.append(json.loads(self.tenon("eval", self.folder / "dreamt", *words).stdout)["return_mean"])
        self.assertLess(returns[0], -1)
        self.assertAlmostEqual(returns[0], returns[1], delta=1e-3 * -returns[0])

    def test_a_run_in_latent_states_resumes_to_the_bit(self):
        text = IMAGINED.replace(FIRST, THIRD)
        whole, result = self.same_in_halves(self.put("imagined.toml", text), 256, "--set", "log.every_frames=256", "--set", "checkpoint.every_frames=256")
        self.assertEqual(result["frames"], 512)
        self.assertLessEqual(records(whole)[-1]["rollout/ep_len_mean"], 20)


if __name__ == "__main__":
    unittest.main()
