#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose loss is a kernel of the plugin's own."""

import unittest

from runs import RunCase, records

PPO = """
[run]
total_frames = 4_096

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.actor]
plugin = "mlp/categorical"
hidden = [32]

[policy.value]
plugin = "mlp/value"
hidden = [32]

[objective]
plugin = "ppo_fused/ppo"
normalise_advantage = true

[train]
batch = 512
minibatch = 128
epochs = 4

[log]
every_frames = 512

[checkpoint]
every_frames = 1_024
"""


class Fused(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("fused.toml", PPO)

    def test_a_resumed_run_is_the_same_on_either_executor(self):
        for executor in ("compiled", "reference", "auto"):
            with self.subTest(executor):
                self.same_in_halves(self.manifest, 2_048, "--set", f'run.executor="{executor}"', name=executor)

    def test_the_compiled_program_calls_the_kernel(self):
        graphs = self.folder / "graphs"
        done = self.tenon("run", self.manifest, "--out", self.folder / "out", "--quiet", "--dump-graph", graphs)
        self.assertNotIn("reference executor", done.stderr)
        text = (graphs / "update-B128-due1.txt").read_text()
        self.assertIn('kernel="clipped" of="ppo_fused/ppo" revision=1', text)
        self.assertIn(" = fused 'clipped' of ppo_fused/ppo b", text)
        self.assertIn(" = fused 'clipped' of ppo_fused/ppo, backward b", text)

    def test_it_learns_as_the_same_loss_op_by_op(self):
        words = ["--set", 'run.dtype="float64"', "--set", "run.total_frames=1024"]
        found = {}
        for name in ("ppo_fused", "ppo"):
            self.train(self.manifest, "--out", self.folder / name, *words, "--set", f'objective.plugin="{name}/ppo"')
            found[name] = records(self.folder / name)[-1]
        self.assertEqual(list(found["ppo_fused"]), list(found["ppo"]))
        for key, value in found["ppo"].items():
            if isinstance(value, float) and not key.startswith("time/"):
                self.assertAlmostEqual(found["ppo_fused"][key], value, delta=1e-6 * (1 + abs(value)), msg=key)


if __name__ == "__main__":
    unittest.main()
