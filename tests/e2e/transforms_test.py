#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose env stands behind transforms: resumed, on several threads, evaluated."""

import json
import os
import unittest
from pathlib import Path

from runs import SMALL, WIDE, RunCase, ppo_tables

TRANSFORMS = """
[[env.transforms]]
plugin = "standard/time_limit"
max_steps = 60

[[env.transforms]]
plugin = "standard/observation_norm"

[[env.transforms]]
plugin = "standard/frame_stack"
frames = 2

[[env.transforms]]
plugin = "standard/reward_sum"

[[env.transforms]]
plugin = "standard/reward_scale"
factor = 0.1
"""
DRAWS = """
[[env.transforms]]
plugin = "standard/primer"
column = "skill"
shape = [2]
draw = "normal"

[[env.transforms]]
plugin = "standard/trajectory_counter"
unique = true

[[env.transforms]]
plugin = "standard/action_project"
choices = 4

[[env.transforms]]
plugin = "standard/terminate"
column = "observation"
value = 0.5
"""
# The second is what an evaluation without the statistics would be: results lie within the clip.
TWO_EVALUATIONS = """
[[eval.env]]
name = "same"

[[eval.env]]
name = "raw"
""" + TRANSFORMS.replace("env.transforms", "eval.env.transforms").replace(
    'plugin = "standard/observation_norm"', 'plugin = "standard/observation_scale"')
ADVANTAGES = """[run]
executor = "compiled"
total_frames = 1_024

[env]
plugin = "classic/CartPole-v1"
lanes = 4
""" + ppo_tables()


class Transforms(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("small.toml", SMALL.replace("[policy.qvalue]", TRANSFORMS + "\n[policy.qvalue]"))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        whole = self.run_to("whole")
        half = self.run_to("half", "--set", "run.total_frames=5_000")
        self.assertTrue((half / "checkpoints" / "last" / "transforms.bin").is_file())
        self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)

    def test_generators_and_numbers_of_episodes_go_on_and_evaluations_begin_them_anew(self):
        skill = SMALL.replace("[policy.qvalue]", DRAWS + "\n[policy.qvalue]").replace(
            'plugin = "mlp/q_value"', 'plugin = "mlp/q_value"\nin = ["observation", "skill"]')
        self.manifest = self.put("draws.toml", skill)
        whole = self.run_to("whole", "--set", "run.threads=2")
        half = self.run_to("half", "--set", "run.total_frames=5_000")
        result = self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)
        again = json.loads(self.tenon("eval", whole, "--checkpoint", "last", "--episodes", 4, "--json").stdout)
        self.assertEqual(again["return_mean"], result["eval_return_mean"])

    def test_a_killed_run_goes_on(self):
        whole, out = self.run_to("whole"), self.folder / "out"
        self.killed(out, "write:*/transforms.bin:4")
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_the_number_of_threads_changes_nothing(self):
        one = self.run_to("one", *WIDE, "--set", "run.threads=1")
        self.assert_same_run(one, self.run_to("three", *WIDE, "--set", "run.threads=3"))

    def test_evaluations_see_what_training_has_learnt(self):
        out = self.folder / "out"
        result = self.train(self.manifest, "--out", out)
        for which, mean in (("last", result["eval_return_mean"]), ("best", result["best_return_mean"])):
            score = json.loads(self.tenon("eval", out, "--checkpoint", which, "--episodes", 4, "--json").stdout)
            self.assertEqual(score["return_mean"], mean)
            self.assertLessEqual(mean, 60)  # a reward of 1 a step
            self.assertGreaterEqual(mean, 8)  # no pole falls earlier: returns are sums of what the env gave

    def test_updates_learn_from_the_policys_action_whether_or_not_a_transform_keeps_its_spec(self):
        # Under another key the policy's action must have memory of its own.
        plugins = Path(os.environ["FIXTURES"]).parent / "mirrors"
        back = '\n[[env.transforms]]\nplugin = "standard/rename"\ncolumns = ["move"]\nto = ["action"]\n'
        parameters = {}
        for to, more in (("action", ""), ("move", back)):
            text = f'\n[[env.transforms]]\nplugin = "mirrors/mirror"\nto = "{to}"\n'
            self.train(self.put(f"{to}.toml", SMALL + text + more), "--plugins", plugins, "--out", self.folder / to)
            parameters[to] = (self.folder / to / "checkpoints/last/parameters.safetensors").read_bytes()
        self.assertEqual(parameters["action"], parameters["move"])

    def test_returns_are_sums_of_what_the_env_gave(self):
        out = self.run_to("out")
        records = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        returns = 0
        for record in records:  # a reward of 1 a step, of which the objective sees a tenth
            for mean_return, mean_length in (("rollout/ep_rew_mean", "rollout/ep_len_mean"),
                                             ("eval/mean_reward", "eval/mean_ep_length")):
                if record.get(mean_return) is not None:
                    self.assertEqual(record[mean_return], record[mean_length])
                    returns += 1
        self.assertGreater(returns, 2)
        self.assertLessEqual(records[-1]["rollout/ep_len_mean"], 60)  # a transform ends episodes, and their returns

    def test_evaluations_without_the_statistics_are_others(self):
        out = self.folder / "out"
        manifest = self.put("two.toml", self.manifest.read_text() + TWO_EVALUATIONS)
        self.train(manifest, "--out", out)
        same, raw = (json.loads(self.tenon("eval", out, "--env", name, "--episodes", 20, "--json").stdout)
                     for name in ("same", "raw"))
        self.assertNotEqual(same["return_mean"], raw["return_mean"])

    def test_weights_bring_their_statistics_along(self):
        idle = ["--set", "run.total_frames=256", "--set", "train.start_frames=1_000_000", "--set", "env.lanes=1",
                "--set", "eval.every_frames=256"]
        old = self.folder / "old"
        trained = self.train(self.manifest, "--out", old)
        new = self.train(self.manifest, "--out", self.folder / "new", "--from", old, *idle)
        # 256 rows more among 10,000 move the statistics a little, none would be another policy altogether.
        statistics = "checkpoints/last/transforms.bin"
        self.assertEqual((old / statistics).stat().st_size, (self.folder / "new" / statistics).stat().st_size)
        self.assertNotEqual((old / statistics).read_bytes(), (self.folder / "new" / statistics).read_bytes())
        self.assertGreater(new["eval_return_mean"], trained["eval_return_mean"] / 2)

    def test_a_graph_between_the_env_and_its_readers_is_the_procedure_of_the_same_arithmetic(self):
        # A power of two: float32 and float64 round alike, so that both runs are the same to the bit.
        runs = {}
        for name, transform in (("graph", 'plugin = "standard/as_real"\nfactor = 0.5'),
                                ("procedure", 'plugin = "standard/observation_scale"\nscale = [2.0]')):
            manifest = self.put(f"{name}.toml", SMALL + f"\n[[env.transforms]]\n{transform}\n")
            self.train(manifest, "--out", self.folder / name)
            runs[name] = (self.folder / name / "checkpoints/last/parameters.safetensors").read_bytes()
            records = (self.folder / name / "metrics.jsonl").read_text().splitlines()
            runs[name] += str([{k: v for k, v in json.loads(line).items() if not k.startswith("time/")}
                               for line in records]).encode()
        self.assertEqual(runs["graph"], runs["procedure"])
        self.train(self.manifest, "--out", self.folder / "neither")
        self.assertNotEqual((self.folder / "neither/checkpoints/last/parameters.safetensors").read_bytes(),
                            (self.folder / "graph/checkpoints/last/parameters.safetensors").read_bytes())

    def test_a_graph_on_rewards_reaches_whoever_reads_them(self):
        several = SMALL.replace('"replay/uniform"', '"replay/uniform"\nn_step = 3')
        for name, manifest in (("one step", SMALL), ("several steps", several), ("advantages", ADVANTAGES)):
            with self.subTest(name):
                seen = {}
                for transform in ('"standard/as_real"\ncolumn = "reward"\nfactor = 0.5', '"standard/reward_scale"\nfactor = 0.5',
                                  '"standard/reward_scale"\nfactor = 1.0'):
                    path = self.put("rewards.toml", manifest + f"\n[[env.transforms]]\nplugin = {transform}\n")
                    out = self.folder / f"{name} {len(seen)}"
                    self.train(path, "--out", out)
                    seen[transform] = (out / "checkpoints/last/parameters.safetensors").read_bytes()
                graph, procedure, neither = seen.values()
                self.assertEqual(graph, procedure)
                self.assertNotEqual(graph, neither)

    def test_transforms_of_sampled_rows_do_what_those_of_the_env_do(self):
        # Actions are drawn whatever is observed, so that both runs collect the same; halves are exact.
        drawn = SMALL.replace("to = 0.05", "to = 1.0")
        several = drawn.replace('"replay/uniform"', '"replay/slices"\nlength = 8')
        halves = '"standard/observation_scale"\nscale = [2.0]', '"standard/reward_scale"\nfactor = 0.5'
        for name, manifest in (("rows", drawn), ("sequences", several)):
            for transform in halves:
                with self.subTest(f"{name} {transform}"):
                    seen = []
                    for where in ("env", "buffer", None):
                        text = f"\n[[{where}.transforms]]\nplugin = {transform}\n" if where else ""
                        path = self.put("halves.toml", manifest + text)
                        out = self.folder / f"{name} {transform[10:16]} {where}"
                        self.train(path, "--out", out)
                        seen.append((out / "checkpoints/last/parameters.safetensors").read_bytes())
                    self.assertEqual(seen[0], seen[1])
                    self.assertNotEqual(seen[0], seen[2])

    def test_transforms_of_sampled_rows_resume_with_several_threads(self):
        text = SMALL + '\n[[buffer.transforms]]\nplugin = "standard/reward_clip"\nhigh = 0.5\n'
        self.manifest = self.put("clipped.toml", text)
        whole = self.run_to("whole")
        half = self.run_to("half", "--set", "run.total_frames=5_000", "--set", "run.threads=3")
        self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)
        self.assertIn("sampled through standard/reward_clip", self.tenon("explain", self.manifest).stdout)

    def test_crops_are_drawn_by_the_number_of_the_minibatch(self):
        catch = SMALL.replace("classic/CartPole-v1", "small/Catch-v0").replace("10_000", "2_048").replace('activation = "relu"', """in = ["trunk.features"]

[policy.trunk]
plugin = "cnn/convnet"
channels = [4]
kernels = [3]
size = 16""")
        crops = catch + '\n[[buffer.transforms]]\nplugin = "standard/random_crop"\npad = 1\n'
        parameters = []
        for name, text in {"stored": catch, "crops": crops, "prefetched": crops.replace("capacity", "prefetch = true\ncapacity")}.items():
            self.manifest = self.put(f"{name}.toml", text)
            folder = self.run_to(name)
            half = self.run_to(f"half {name}", "--set", "run.total_frames=1_024")
            self.train("--resume", half, "--set", "run.total_frames=2_048")
            self.assert_same_run(folder, half)
            parameters.append((folder / "checkpoints/last/parameters.safetensors").read_bytes())
        self.assertNotEqual(parameters[0], parameters[1])
        self.assertEqual(parameters[1], parameters[2])

    def test_bits_are_stored_as_bytes_and_read_as_numbers(self):
        bits = self.put("bits.toml", SMALL.replace("classic/CartPole-v1", "small/BitFlip-v0"))
        self.train(bits, "--out", self.folder / "bits")
        bytes_only = '\n[[env.transforms]]\nplugin = "standard/cast"\ncolumns = ["observation"]\ndtype = "uint8"\n'
        stored = self.put("stored.toml", bits.read_text() + bytes_only)
        stored.write_text(stored.read_text() + '\n[[env.transforms]]\nplugin = "standard/as_real"\n')
        self.train(stored, "--out", self.folder / "stored")
        columns = json.loads(self.tenon("explain", stored, "--json").stdout)["columns"]
        self.assertEqual([c["dtype"] for c in columns if c["key"] == "observation"], ["uint8"])
        self.assertEqual(*[(self.folder / name / "checkpoints/last/parameters.safetensors").read_bytes()
                           for name in ("bits", "stored")])


if __name__ == "__main__":
    unittest.main()
