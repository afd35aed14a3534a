#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks that share a trunk: trained by the stage that is said, by all that reach it where one stage owns everything,
and resumed like any other."""

import json
import unittest
from pathlib import Path

from runs import RunCase

PPO = """[run]
executor = "compiled"
total_frames = 2_048

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.trunk]
plugin = "mlp/features"
hidden = [16]
size = 12
out = ["hidden"]

[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
in = ["hidden"]

[policy.value]
plugin = "mlp/value"
hidden = []
in = ["trunk.features"]

[objective]
plugin = "ppo/ppo"

[train]
batch = 256

[checkpoint]
every_frames = 512
"""

SAC = """[run]
executor = "compiled"
total_frames = 600

[env]
plugin = "classic/Pendulum-v1"

[policy.trunk]
plugin = "mlp/features"
hidden = [16]
size = 12

[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [8]
in = ["trunk.features"]

[policy.qvalue]
plugin = "mlp/q"
hidden = [8]
count = 2
in = ["trunk.features"]

[buffer]
plugin = "replay/uniform"
capacity = 1_000

[objective]
plugin = "sac/sac"

[train]
minibatch = 32
start_frames = 100

[target]
kind = "soft"
tau = 0.01
"""


class Trunk(RunCase):
    def parameters(self, out, checkpoint):
        data = (out / "checkpoints" / checkpoint / "parameters.safetensors").read_bytes()
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
        return {key: data[8 + size + at["data_offsets"][0] : 8 + size + at["data_offsets"][1]]
                for key, at in header.items() if key != "__metadata__"}  # fmt: skip

    def moved(self, out):
        checkpoints = sorted(int(path.name) for path in (out / "checkpoints").iterdir() if path.name.isdigit())
        first = self.parameters(out, str(checkpoints[0]))
        last = self.parameters(out, str(checkpoints[-1]))
        return {key for key in first if first[key] != last[key]}

    def test_one_stage_trains_all_that_it_reaches(self):
        manifest = self.put("ppo.toml", PPO)
        whole, _ = self.same_in_halves(manifest, 1_024)
        moved = self.moved(whole)
        for role in ("trunk", "actor", "value"):
            self.assertTrue(any(key.startswith(role) for key in moved), moved)

    def test_images_are_read_alike_whatever_the_threads_and_after_a_pause(self):
        manifest = Path(__file__).resolve().parents[2] / "manifests/ppo_catch.toml"
        every = ["--set", "run.total_frames=4096", "--set", "checkpoint.every_frames=2048",
                 "--set", "eval.every_frames=2048"]  # fmt: skip
        whole, _ = self.same_in_halves(manifest, 2_048, *every)
        moved = self.moved(whole)
        self.assertTrue({"trunk/0.weight", "trunk/1.weight", "trunk/2.weight"} <= moved, moved)

    def test_the_manifest_says_which_stage_trains_it(self):
        manifest = self.put("sac.toml", SAC)
        refused = self.tenon("run", manifest, "--out", self.folder / "refused", code=2)
        self.assertIn("no stage of the objective trains [policy.trunk], which the stage 'critic' reads; set policy.trunk.stage to one (the objective has: critic, actor, temperature), or freeze it",
                      refused.stderr)  # fmt: skip
        every = ["--set", "checkpoint.every_frames=200"]
        out = self.folder / "critic"
        self.train(manifest, "--out", out, "--set", "policy.trunk.stage=critic", *every)
        moved = self.moved(out)
        self.assertTrue(any(key.startswith("trunk") for key in moved), moved)
        frozen = self.folder / "frozen"
        self.train(manifest, "--out", frozen, "--set", "policy.trunk.freeze=true", *every)
        self.assertFalse(any(key.startswith("trunk") for key in self.moved(frozen)))

    def test_actor_and_critic_of_ddpg_have_convolutions_of_their_own(self):
        eyes = '[policy.{}_eyes]\nplugin = "cnn/convnet"\nstage = "{}"\nchannels = [4]\nkernels = [4]\nstrides = [4]\nsize = 12\n\n'
        text = SAC[: SAC.index("[policy.trunk]")].replace('"classic/Pendulum-v1"', '"small/Reach-v0"\npictures = true')
        text += eyes.format("actor", "actor") + eyes.format("critic", "critic") + SAC[SAC.index("[policy.actor]") :]
        for one, other in (("mlp/tanh_normal", "mlp/deterministic"), ("count = 2\n", ""), ("sac/sac", "ddpg/ddpg")):
            text = text.replace(one, other)
        for role in ("actor", "critic"):
            text = text.replace("trunk.features", f"{role}_eyes.features", 1)
        out = self.folder / "pictures"
        self.train(self.put("pictures.toml", text + '\n[exploration]\nplugin = "explore/gaussian"\n'), "--out", out, "--set", "checkpoint.every_frames=200")
        moved = self.moved(out)
        self.assertTrue({"actor_eyes/0.weight", "critic_eyes/0.weight", "actor/0.weight", "qvalue/0.weight"} <= moved, moved)

    def test_what_cannot_be(self):
        manifest = self.put("sac.toml", SAC)
        for setting, sentence in (
            ("policy.trunk.stage=critc", "policy.trunk.stage is \"critc\", but the objective has no stage of that name"),
            ("policy.actor.stage=critic", "policy.actor.stage is \"critic\", but the objective chooses its stage itself"),
            ('policy.trunk.out=["a", "b"]', "[policy.trunk] has 2 names in out, but mlp/features has 1 function that"),
            ('policy.trunk.out=["observation"]', "provides the column 'observation', which the env already has"),
            ('policy.actor.in=["trunk.feature"]', "did you mean 'trunk.features'?"),
            ('policy.trunk.in=["trunk.features"]', "it reads 'trunk.features', which is what comes out of it"),
        ):
            done = self.tenon("validate", manifest, "--set", setting, code=2)
            self.assertIn(sentence, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
