#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Updates on a device give the run of the CPU, byte for byte, resumed ones too. The device is the emulated one; what
cannot be computed there is told, or refused."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from runs import TENON, RunCase, parameters, records, without_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from device_manifests import DQN, IMAGES, MEMORIES, PPO, SAC, by_libtorch, on_device

# Rounds of 16 steps; what the device chooses stays on it.
DQN_ON_DEVICE = DQN.replace('"replay/', '"replay_cuda/').replace("accumulate = 2", "")


class DeviceLearning(RunCase):
    def trained(self, text, name, *words):
        self.train(self.put(f"{name}.toml", text), "--out", self.folder / name, *words)
        return self.folder / name

    def test_the_same_bytes_as_on_the_cpu(self):
        for name, text in (("dqn", DQN), ("dqn_there", DQN_ON_DEVICE), ("ppo", PPO), ("sac", SAC), ("images", IMAGES), ("memories", MEMORIES)):
            with self.subTest(name):
                cpu = self.trained(text.replace("replay_cuda/", "replay/"), f"{name}_cpu")
                device = self.trained(on_device(text, 'learn_on = "device"'), f"{name}_device")
                self.assertEqual(parameters(cpu), parameters(device))
                self.assertEqual(without_time(cpu), without_time(device))

    def test_shards_sum_gradients_of_the_device_on_the_host(self):
        """Each shard acts for 4 lanes: products of fewer rows round as those of all lanes on the CPU only."""
        shards = ["--set", "run.shards=2", "--set", "env.lanes=8"]
        for name, text in (("dqn", DQN), ("sac", SAC.replace("batch = 4", "batch = 8", 1))):
            with self.subTest(name):
                cpu = self.trained(text, f"{name}_cpu_shards", *shards)
                device = self.trained(on_device(text, 'learn_on = "device"'), f"{name}_device_shards", *shards)
                self.assertEqual(parameters(cpu), parameters(device))
                self.assertEqual((device / "checkpoints/last/shard-1/parameters.safetensors").read_bytes(), parameters(device))
                self.assertEqual(without_time(cpu), without_time(device))

    def test_shards_that_wait_for_values_of_all_rows_learn_on_the_cpu(self):
        shards = ["--set", "run.shards=2", "--set", "env.lanes=10"]
        cpu = self.trained(PPO, "ppo_cpu_shards", *shards)
        device = self.trained(on_device(PPO, ""), "ppo_device_shards", *shards)
        self.assertEqual(parameters(cpu), parameters(device))

    def test_updates_by_libtorch(self):
        """On the emulated device libtorch computes as on the CPU, and the steps are kernels."""
        for name, text in (("dqn", DQN), ("sac", SAC), ("memories", MEMORIES), ("images", IMAGES)):
            with self.subTest(name):
                runs = {}
                for device, keys in (("cpu", ()), ("emulated", ('learn_on = "device"',))):
                    runs[device] = self.trained(on_device(by_libtorch(text), *keys, device=device), f"{name}_{device}")
                self.assertEqual(parameters(runs["cpu"]), parameters(runs["emulated"]))
                self.assertEqual(without_time(runs["cpu"]), without_time(runs["emulated"]))

    def test_auto_leaves_to_libtorch_what_has_no_kernels(self):
        """An author's kernel. Acting has kernels, but libtorch reads columns of the host."""
        text = on_device(PPO.replace('"compiled"', '"auto"').replace('"ppo/ppo"', '"ppo_fused/ppo"'), 'learn_on = "device"')
        device = self.explained(text)[0]
        self.assertEqual((device["learns"], device["columns"]), (["ppo_fused/ppo"], "cpu"))
        self.assertEqual(device["columns_at_home"], "the updates of ppo_fused/ppo are computed by libtorch")
        told = self.tenon("run", self.put("fused.toml", text), "--out", "fused").stderr
        self.assertIn("the program 'update' runs on the reference executor on emulated: ", told)

    def test_libtorch_without_cuda(self):
        parts = {part["name"]: part for part in json.loads(self.tenon("doctor", "--json").stdout)["parts"]}
        if "has no CUDA" not in parts["libtorch"]["found"]:
            self.skipTest("the libtorch here has CUDA")
        text = on_device(by_libtorch(DQN), device="cuda")
        why = ('run.executor is "reference", and the libtorch that this program was built with has no CUDA '
               "(-DTENON_LIBTORCH=DIR takes another, see docs/cuda.md)")  # fmt: skip
        told = self.with_driver("explain", self.put("cuda.toml", text)).stdout
        self.assertIn(f"Device: the updates of dqn/dqn are computed on the CPU: {why}.", told)
        told = self.with_driver("validate", self.put("cuda.toml", text), "--set", 'run.learn_on="device"', code=2).stderr
        self.assertIn(f"the updates of dqn/dqn cannot be computed on cuda: {why}", told)

    def test_the_first_updates_are_compared_with_the_reference_and_columns_stay(self):
        for name, text in (("dqn", DQN_ON_DEVICE), ("ppo", PPO)):
            with self.subTest(name):
                auto = on_device(text).replace('"compiled"', '"auto"')
                self.assertEqual(self.explained(auto)[0]["columns"], "emulated")
                cpu = self.trained(text.replace("replay_cuda/", "replay/"), f"{name}_cpu")
                device = self.trained(auto, f"{name}_auto")
                self.assertEqual(parameters(cpu), parameters(device))
                self.assertEqual(without_time(cpu), without_time(device))

    def test_worker_processes_collect_beside_it(self):
        apart = ["--set", 'collector.kind="processes"']
        cpu = self.trained(SAC, "sac_cpu", *apart)
        device = self.trained(on_device(SAC, 'learn_on = "device"'), "sac_device", *apart)
        self.assertEqual(parameters(cpu), parameters(device))
        on_device_path = self.put("on_device.toml", on_device(DQN_ON_DEVICE))
        done = self.tenon("validate", on_device_path, *apart, code=2)
        self.assertIn('replay_cuda/prioritised chooses rows on a device, which has the frames of the host\'s process only, '
                      'but collector.kind = "processes" shares the lanes among worker processes', done.stderr)  # fmt: skip

    def test_a_run_goes_on_elsewhere(self):
        for name, text in (("prioritised", DQN), ("uniform", DQN.replace("prioritised", "uniform")), ("ppo", PPO)):
            with self.subTest(name):
                frames = 1_000 if name == "ppo" else 1_200
                whole = self.trained(text, f"whole_{name}", "--set", f"run.total_frames={frames}")
                parts = self.trained(on_device(text), f"parts_{name}", "--set", f"run.total_frames={frames // 2}")
                for more, on_device_path in ((3, 'run.learn_on="cpu"'), (4, 'run.learn_on="device"')):
                    self.train("--resume", parts, "--set", f"run.total_frames={frames * more // 4}", "--set", on_device_path)
                self.assertEqual(parameters(whole), parameters(parts))

    def explained(self, text):
        path = self.put("explained.toml", text)
        return json.loads(self.tenon("explain", path, "--json").stdout)["device"], self.tenon("explain", path).stdout

    def test_explain_says_what_is_there(self):
        device, told = self.explained(on_device(SAC))
        self.assertEqual(device["learns"], ["sac/sac"])
        self.assertIn("Device: emulated computes the updates of sac/sac.", told)
        for text, why in (
            (on_device(SAC, 'learn_on = "cpu"'), 'run.learn_on is "cpu"'),
            (on_device(SAC, 'dtype = "float64"'), "kernels compute in float32"),
        ):
            with self.subTest(why):
                device, told = self.explained(text)
                self.assertNotIn("learns", device)
                self.assertIn(why, "".join(device["on_cpu"].values()))
                self.assertRegex(told, "Device: the updates of [a-z]+/[a-z]+ are computed on the CPU: .*" + re.escape(why))

    def test_what_must_be_on_the_device_is_refused_otherwise(self):
        path = self.put("refused.toml", on_device(SAC, 'learn_on = "device"', 'dtype = "float64"'))
        told = self.tenon("validate", path, code=2).stderr
        self.assertIn("the updates of sac/sac cannot be computed on emulated", told)
        self.assertIn("refused.toml:4", told)

    def with_driver(self, *words, code=0, **more):
        """The program with a stand-in for the driver."""
        variables = {**self.environment(), "LD_LIBRARY_PATH": os.environ["FAKE_DRIVER"], "FAKE_REPORT": str(self.folder / "report"), **more}
        done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=self.patience, cwd=self.folder,
                              env=variables, check=False)  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def with_compiler(self, *words, code=0, **more):
        """With a stand-in for NVRTC as well (fake_nvrtc.c)."""
        return self.with_driver(*words, code=code, CUDA_PATH=os.environ["FAKE_TOOLKIT"], **more)

    def test_loops_compiled_at_run_time(self):
        often = DQN_ON_DEVICE.replace("total_frames = 1_200", "total_frames = 4_000").replace("updates_per_batch = 2", "updates_per_batch = 16")
        path = self.put("jit.toml", on_device(often, device="cuda"))
        wrong = 'jit.cu(7): warning: one\njit.cu(9): error: identifier "v3" is undefined\n1 error'
        interpreted = "stay interpreted"
        self.assertNotIn(interpreted, self.with_compiler("run", path, "--out", "fine").stderr)

        told = self.with_compiler("run", path, "--out", "wrong", FAKE_LOG=wrong).stderr
        why = 'NVRTC cannot compile kernels: jit.cu(9): error: identifier "v3" is undefined'
        self.assertIn(f'the loops of updates {interpreted}: {why}; run.jit = "off" does not try', told)
        self.assertEqual(told.count(interpreted), 1)

        told = self.with_driver("run", path, "--out", "missing", CUDA_PATH=str(self.folder)).stderr
        missing = f"there is no NVRTC in lib64 of the folder that CUDA_PATH names, {self.folder}: libnvrtc.so.13 cannot be loaded"
        self.assertIn(f"the loops of updates {interpreted} on cuda: {missing}; set CUDA_PATH to the folder of a CUDA Toolkit 13", told)
        self.assertEqual(told.count(interpreted), 1)
        off = ("--set", 'run.jit="off"')
        self.assertNotIn(interpreted, self.with_driver("run", path, "--out", "off", *off, CUDA_PATH=str(self.folder)).stderr)
        for words, loaded in (([], 1), (off, 0)):
            told = self.with_compiler("explain", path, *words, FAKE_TELLS="1").stderr
            self.assertEqual(told.count("NVRTC is loaded"), loaded)

        told = self.with_compiler("explain", path).stdout
        self.assertIn("Device: elementwise loops of updates are compiled by NVRTC 13.0 in the background, once they have been used often.", told)
        told = self.with_driver("explain", path, CUDA_PATH=str(self.folder)).stdout
        self.assertIn("Device: elementwise loops of updates are interpreted, because " + missing, told)

        always = ("--set", 'run.jit="always"')
        self.with_compiler("run", path, "--quiet", "--out", "always", *always)
        told = self.with_compiler("run", path, "--quiet", "--out", "refused", *always, code=4, FAKE_LOG=wrong).stderr
        self.assertIn(f"error: {why}", told)
        bench = ("bench", "update", path, "--seconds", "0.05")
        told = self.with_compiler(*bench, *always, code=4, FAKE_LOG=wrong).stderr
        self.assertIn(f"error: {why}", told)
        told = self.with_compiler(*bench, FAKE_LOG=wrong).stderr
        self.assertIn(f'the loops of updates {interpreted}: {why}; run.jit = "off" does not try', told)
        self.assertEqual(told.count(interpreted), 1)
        told = self.with_driver("validate", path, *always, code=4, CUDA_PATH=str(self.folder)).stderr
        self.assertIn(missing, told)
        told = self.tenon("validate", self.put("emulated.toml", on_device(often)), *always, code=2).stderr
        self.assertIn('run.jit = "always" compiles the updates of a device, but run.device = "emulated" has no compiler', told)

    def test_instructions_are_timed_when_results_are_kept_for_later(self):
        path = self.put("profiled.toml", on_device(DQN_ON_DEVICE.replace("prioritised", "uniform"), device="cuda"))
        told = self.with_driver("bench", "objective", path, "--backward", "--profile", "--seconds", "0.05").stderr
        self.assertIn("product", told)

    def counted(self, manifest, name="run", **more):
        """The launches and waits of a run, and its last record."""
        self.with_driver("run", manifest, "--quiet", "--out", name, **more)
        launches, waits = map(int, (self.folder / "report").read_text().split())
        return launches, waits, records(self.folder / name)[-1]

    def test_where_columns_are(self):
        device, told = self.explained(on_device(PPO))
        self.assertEqual(device["columns"], "emulated")
        self.assertIn("Device: emulated steps the lanes of classic/CartPole-v1, acts, and has all columns.", told)
        for text, why in (
            (on_device(PPO).replace('"compiled"', '"reference"'), 'run.executor is "reference"'),
            (on_device(PPO, 'learn_on = "cpu"'), "the updates of ppo/ppo are computed on the CPU"),
            (on_device(DQN), "replay/prioritised computes columns of its own on the CPU"),
            (on_device(PPO.replace("batch = 250", "episodes = 5")), "train.episodes ends a batch by its episodes"),
            (on_device(MEMORIES), "the acting policy remembers"),
        ):
            with self.subTest(why):
                device, told = self.explained(text)
                self.assertEqual((device["columns"], device["columns_at_home"]), ("cpu", why))
                self.assertIn(f"It does not act, because {why}. A step copies", told)

    def test_a_policy_whose_actions_are_not_finite(self):
        text = PPO.replace("CartPole-v1", "Pendulum-v1").replace("mlp/categorical", "mlp/tanh_normal")
        text = text.replace("minibatch = 50", "minibatch = 250").replace("every_frames = 250", "every_frames = 500")
        path = self.put("nan.toml", on_device(text.replace("epochs = 2", "epochs = 1\n[optimiser]\nlr = 1e38")))
        told = self.tenon("run", path, "--quiet", "--out", "nan", code=3).stderr
        self.assertIn("a step on emulated left a number that is not finite in the column 'action' in lane", told)

    def test_a_loss_that_is_not_finite(self):
        """The host reads it at the round's end, and names the update all the same."""
        text = DQN_ON_DEVICE.replace("prioritised", "uniform") + "[optimiser]\nlr = 1e38\n"
        sentences = {}
        for name, run in (("cpu", text.replace("replay_cuda/", "replay/")), ("device", on_device(text))):
            told = self.tenon("run", self.put(f"{name}.toml", run), "--quiet", "--out", f"of_{name}", code=3).stderr
            sentences[name] = re.search(r"the loss '\w+' of the stage '\w+' is .* \(update \d+\)", told)
            self.assertIsNotNone(sentences[name], told)
        # on the CPU the sentence also says where it began
        self.assertEqual(*(re.sub("; the first value .* [(]update", " (update", found[0]) for found in sentences.values()))

    def test_a_round_on_the_device(self):
        # A step is two launches: that of the lanes, and what makes it rows; after train.start_frames acting is a third. An
        # update is the sampler's launches, one that takes its rows, and one for all of the update; priorities stay on the
        # device. Two waits a round are all: for its steps, and for what its updates came to.
        uniform = DQN_ON_DEVICE.replace("prioritised", "uniform")
        for name, text, of_update in (("rows", DQN_ON_DEVICE, 5 + 1 + 1), ("uniform", uniform, 2 + 1 + 1)):
            launches, waits, last = self.counted(self.put("gpu.toml", on_device(text, device="cuda")), name)
            updates, steps = last["train/n_updates"], last["frames"] // 4
            acting = steps - 600 // 4
            self.assertEqual((updates, launches), (20, 1 + 2 * steps + acting + of_update * updates))
            others = waits - 2 * (steps // 16)
            self.assertGreaterEqual(others, 4)  # more for checkpoints
            self.assertLess(others, 70)

    def test_launches_and_waits(self):
        manifest = self.put("gpu.toml", on_device(DQN, device="cuda").replace("accumulate = 2", ""))
        launches, waits, last = self.counted(manifest)
        updates, steps = last["train/n_updates"], last["frames"] // 4
        # A step of all lanes is one launch, and so is the first reset; an update is two, before and after its losses are read.
        self.assertEqual((updates, launches), (20, steps + 1 + 2 * updates))
        # Without clusters every work is a launch.
        older, _, _ = self.counted(manifest, "older", FAKE_MAJOR="8")
        each, _ = divmod(older - steps - 1, updates)
        self.assertGreater(each, 20)
        self.assertLess(each, 50)
        # For losses and for the norm; parameters come back once a round, and more for checkpoints.
        others = waits - steps - 1 - 2 * updates
        self.assertGreaterEqual(others, 10)
        self.assertLess(others, 40)


if __name__ == "__main__":
    unittest.main()
