#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decision Transformer on recorded frames, which lack what only acting reads, and its online form: both left in the middle and
resumed the same run to the byte."""

import json
import unittest

from runs import RunCase, parameters, records

TRUNK = """
[[env.transforms]]
plugin = "standard/target_return"
target = {target}

[[env.transforms]]
plugin = "standard/previous_action"

[policy.trunk]
plugin = "transformer/decision"
context = 5
width = 8
layers = 1
heads = 2
return_scale = 0.1
out = ["hidden"]

[policy.actor]
plugin = "{head}"
hidden = []
in = ["hidden"]

[buffer]
plugin = "replay/windows"
before = 4
columns = ["observation", "action", "return_to_go"]
"""
RECORDED = """
[run]
executor = "compiled"

[env]
plugin = "classic/CartPole-v1"
""" + TRUNK.format(target=50.0, head="mlp/categorical") + """
capacity = 1_000
init = "random.frames"

[objective]
plugin = "decision/transformer"

[train]
total_updates = 40
minibatch = 16

[optimiser]
lr = 3e-3

[eval]
every_updates = 20
episodes = 3

[checkpoint]
every_updates = 20

[log]
every_updates = 10
tensorboard = false
"""
ONLINE = """
[run]
executor = "compiled"
total_frames = 1_200

[env]
plugin = "classic/Pendulum-v1"
lanes = 2
""" + TRUNK.format(target=-200.0, head="mlp/tanh_normal") + """
ended = true
capacity = 2_000

[objective]
plugin = "decision/online"

[train]
batch = 200
start_frames = 400
updates_per_batch = 3
minibatch = 16

[checkpoint]
every_frames = 600

[log]
every_frames = 200
"""


class Decision(RunCase):
    SHARED = {"collected": []}

    def recorded(self):
        random = self.put("random.toml", '[run]\ntotal_frames = 600\n[env]\nplugin = "classic/CartPole-v1"\n[policy.actor]\nplugin = "random/random"\n')
        self.tenon("record", random, "--frames", 600, "--out", "random.frames")
        return self.put("recorded.toml", RECORDED)

    def test_frames_need_not_have_what_only_acting_reads(self):
        manifest = self.recorded()
        self.assertEqual(self.tenon("validate", manifest).stderr, "")
        reads = ("--set", 'buffer.columns=["observation", "action", "return_to_go", "target_return"]', "--set", 'policy.trunk.reached="target_return"')
        self.assertIn("have no column 'target_return'; they have observation, action, reward, ", self.tenon("validate", manifest, *reads, code=2).stderr)
        whole, left = self.folder / "whole", self.folder / "left"
        result = self.train(manifest, "--out", whole)
        self.assertEqual((result["updates"], result["notices"]), (40, ""))
        self.train(manifest, "--out", left, "--set", "train.total_updates=20")
        self.train("--resume", left, "--set", "train.total_updates=40")
        self.assertEqual(parameters(whole), parameters(left))

    def test_learning_lowers_the_loss(self):
        manifest = self.put("learnt.toml", RECORDED.replace('"random.frames"', json.dumps(str(self.shared / "collected")))
                            .replace("capacity = 1_000", "capacity = 5_000").replace('CartPole-v1"', 'CartPole-v1"\nlanes = 4'))
        self.train(manifest, "--out", "run", "--set", "train.total_updates=400", "--set", "log.every_updates=100", "--set", "eval.every_updates=0")
        losses = [record["train/loss/clone"] for record in records(self.folder / "run") if "train/loss/clone" in record]
        self.assertLess(losses[-1], losses[0] - 0.02, losses)

    def test_the_online_form_is_resumed_the_same_run(self):
        _, result = self.same_in_halves(self.put("online.toml", ONLINE), 600)
        self.assertGreater(result["updates"], 0)


if __name__ == "__main__":
    unittest.main()
