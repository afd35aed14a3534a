#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transforms over recorded frames (buffer.transform_init): a run from frames that were recorded without them is the run from
frames that were recorded with them."""

import json
import statistics
import struct
import unittest

from runs import RunCase, parameters

ENV = """
[run]
executor = "compiled"

[env]
plugin = "classic/Pendulum-v1"
lanes = 2
"""
TRANSFORMS = """
[[env.transforms]]
plugin = "standard/previous_action"

[[env.transforms]]
plugin = "standard/target_return"
target = -200.0

[[env.transforms]]
plugin = "standard/frame_stack"
frames = 3

[[env.transforms]]
plugin = "standard/step_counter"
"""
NORM = """
[[env.transforms]]
plugin = "standard/observation_norm"
clip = 100.0
"""
LEARNS = """
[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [8]
in = {columns}

[buffer]
plugin = "replay/uniform"
capacity = 2_000
init = "{frames}.frames"

[objective]
plugin = "bc/bc"

[train]
total_updates = 20
minibatch = 16

[log]
tensorboard = false
"""


def column(path, name):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    about = json.loads(data[8 : 8 + size])[name]
    begin, end = about["data_offsets"]
    return about["shape"], struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin : 8 + size + end])


class TransformInit(RunCase):
    def recorded(self, name, transforms):
        acts = '[policy.actor]\nplugin = "random/random"\n'
        manifest = self.put(f"{name}.toml", ENV.replace('"compiled"\n', '"compiled"\ntotal_frames = 10\n') + transforms + acts)
        self.tenon("record", manifest, "--frames", 1000, "--out", f"{name}.frames")

    def learner(self, name, transforms, frames, *columns):
        return self.put(f"{name}.toml", ENV + transforms + LEARNS.format(columns=json.dumps(columns), frames=frames))

    def test_a_run_from_frames_without_transforms_is_the_run_from_frames_with_them(self):
        self.recorded("plain", "")
        self.recorded("rich", TRANSFORMS)
        columns = ("observation", "previous_action", "target_return", "step_count")
        manifest = self.learner("learns", TRANSFORMS, "plain", *columns)
        self.assertIn("have no column 'previous_action'; they have observation, ", self.tenon("validate", manifest, "--set", "remove=env.transforms.2", code=2).stderr)
        fill = ("--set", "buffer.transform_init=true")
        self.assertEqual(self.tenon("validate", manifest, *fill).stderr, "")
        self.train(manifest, "--out", "filled", *fill)
        self.train(manifest, "--out", "rich", "--set", 'buffer.init="rich.frames"')
        self.assertEqual(parameters(self.folder / "filled"), parameters(self.folder / "rich"))
        held = ("--set", 'buffer.other={plugin="replay/uniform", collects=false, init="plain.frames", transform_init=true}', "--set", 'objective.buffer="other"',
                "--set", 'remove=["buffer.plugin", "buffer.capacity", "buffer.init", "buffer.transform_init"]')
        self.train(manifest, "--out", "held", *fill, *held)
        for whole, more in (("filled", ()), ("held", held)):
            left = f"{whole}_left"
            self.train(manifest, "--out", left, *fill, *more, "--set", "train.total_updates=10")
            self.train("--resume", left, "--set", "train.total_updates=20")
            self.assertEqual(parameters(self.folder / left), parameters(self.folder / whole), left)
        named = self.tenon("validate", manifest, *fill, "--set", "env.transforms.target_return.reward=prize", code=2).stderr
        self.assertIn("prize", named)
        wrong = self.tenon("validate", manifest, *fill, "--set", 'buffer.init="rich.frames"', code=2).stderr
        self.assertIn("have the column 'observation' as float32 [9], but this run has float32 [3]", wrong)

    def test_statistics_are_those_of_all_frames_and_the_run_goes_on_with_them(self):
        self.recorded("plain", "")
        shape, values = column(self.folder / "plain.frames", "observation")
        _, ends = column(self.folder / "plain.frames", "observation/final")
        seen = [(values + ends)[i::3] for i in range(3)]
        manifest = self.learner("norm", NORM, "plain", "observation")
        self.train(manifest, "--out", "run", "--set", "buffer.transform_init=true", "--set", "train.total_updates=20")
        learnt_shape, learnt = column(self.folder / "run" / "checkpoints" / "last" / "frames.safetensors", "observation")
        self.assertEqual((learnt_shape[1:], learnt_shape[0]), (shape[1:], shape[0]))
        for i in range(3):
            mean, deviation = statistics.fmean(seen[i]), statistics.pstdev(seen[i])
            for raw, made in zip(values[i::3][:-2], learnt[i::3][:-2]):  # in the last slot episodes begin
                self.assertAlmostEqual(made, (raw - mean) / deviation, delta=1e-5)
        cosine, sine = ([made * statistics.pstdev(seen[i]) + statistics.fmean(seen[i]) for made in learnt[i::3][-2:]] for i in range(2))
        for x, y in zip(cosine, sine):
            self.assertAlmostEqual(x**2 + y**2, 1, delta=1e-5)

    def test_what_cannot_be_done_is_one_sentence(self):
        self.recorded("plain", "")
        fill = ("--set", "buffer.transform_init=true")
        for transform, said in (
            ('plugin = "standard/action_scale"', "standard/action_scale changes the policy's actions into those of the env, but recorded frames"),
            ('plugin = "standard/time_limit"\nmax_steps = 50', "a transform ends an episode of the recorded frames after step 50 of its lane, where it goes on"),
        ):
            manifest = self.learner("refused", f"\n[[env.transforms]]\n{transform}\n", "plain", "observation")
            self.assertIn(said, self.tenon("validate", manifest, *fill, code=2).stderr)
        manifest = self.learner("without", "", "plain", "observation")
        without = self.tenon("validate", manifest, *fill, "--set", "remove=buffer.init", "--set", "remove=train.total_updates", "--set", "run.total_frames=100", code=2)
        self.assertIn("buffer.transform_init is about the frames of init, but [buffer] has none", without.stderr)


if __name__ == "__main__":
    unittest.main()
