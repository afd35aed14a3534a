#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole runs on a GPU: the same parameters as on the CPU and on the emulated device, twice over, and when resumed; with
updates on the CPU, and on the GPU.

TENON is the program. Exit code 77 and a sentence: there is no GPU."""

import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from device_manifests import DQN, IMAGES, MEMORIES, PPO, SAC, by_libtorch, on_device

TENON = os.environ["TENON"]
NO_GPU = 77
WIDE = ("[16, 16]", "[64, 64]")  # networks that fill more than one block of a kernel


def tenon(folder, *words):
    """TENON_STATE: what the host keeps of plugin files stays here, too."""
    environment = os.environ | {"TENON_STATE": str(folder / "state")}
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=600, check=False, env=environment)


def sampling(folder, device, sampler):
    """The device chooses rows and steps lanes; updates are computed on the CPU."""
    path = folder / f"{device}_{sampler}.toml"
    plugin = f"replay/{sampler}" if device == "cpu" else f"replay_cuda/{sampler}"
    path.write_text(on_device(DQN.replace("replay/prioritised", plugin), 'learn_on = "cpu"', device=device), encoding="utf-8")
    return path


def part_of(name, folder):
    """What `tenon doctor` says of a part of this machine."""
    parts = json.loads(tenon(folder, "doctor", "--json").stdout)["parts"]
    return next(part for part in parts if part["name"] == name)


def without_libtorch(folder):
    """Why libtorch does not compute on GPUs here; empty: it does."""
    part = part_of("libtorch", folder)
    return part["missing"] or ("" if "on GPUs" in part["found"] else part["found"])


def numbers(parameters):
    """All of a file of parameters in float32, in its order."""
    start = 8 + struct.unpack("<Q", parameters[:8])[0]
    return [each for (each,) in struct.iter_unpack("<f", parameters[start:])]


def norm(values):
    return math.sqrt(math.fsum(value * value for value in values))


class Runs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_it(self, *words):
        done = tenon(self.folder, "run", *words, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def parameters(self, name):
        return (self.folder / name / "checkpoints/last/parameters.safetensors").read_bytes()

    def test_the_same_bytes_as_on_the_cpu(self):
        for sampler in ("uniform", "prioritised"):
            with self.subTest(sampler):
                for name, device in (("cpu", "cpu"), ("emulated", "emulated"), ("one", "cuda"), ("two", "cuda")):
                    self.run_it(sampling(self.folder, device, sampler), "--out", self.folder / sampler / name)
                expected = self.parameters(f"{sampler}/cpu")
                for name in ("emulated", "one", "two"):
                    self.assertEqual(self.parameters(f"{sampler}/{name}"), expected, name)

    def test_updates_on_the_gpu(self):
        # In the first four all of a round is on the GPU, with rows that the CPU or the GPU has chosen. The env of SAC has
        # sines, whose last bits are CUDA's own there.
        uniform = DQN.replace("replay/prioritised", "replay/uniform")
        kinds = (("dqn", uniform), ("rows", DQN), ("ppo", PPO), ("images", IMAGES), ("memories", MEMORIES), ("sac", SAC))
        for name, text in kinds:
            with self.subTest(name):
                for run, device, learn in (("cpu", "cpu", "cpu"), ("one", "cuda", "device"), ("two", "cuda", "device")):
                    path = self.folder / f"{name}_{run}.toml"
                    chosen = text.replace("replay/", "replay_cuda/") if name == "rows" and device == "cuda" else text
                    path.write_text(on_device(chosen.replace(*WIDE), f'learn_on = "{learn}"', device=device), encoding="utf-8")
                    self.run_it(path, "--out", self.folder / name / run)
                self.assertEqual(self.parameters(f"{name}/two"), self.parameters(f"{name}/one"))
                if name != "sac":
                    self.assertEqual(self.parameters(f"{name}/one"), self.parameters(f"{name}/cpu"))

    def test_shards(self):
        """With NCCL and two GPUs gradients go from one to the other, otherwise through the host."""
        if why := part_of("link zmq", self.folder)["missing"]:
            self.skipTest(why)
        uniform = DQN.replace("replay/prioritised", "replay/uniform").replace("minibatch = 16", "minibatch = 32")
        for name, device, learn in (("cpu", "cpu", "cpu"), ("gpus", "cuda", "device")):
            path = self.folder / f"{name}.toml"
            path.write_text(on_device(uniform, f'learn_on = "{learn}"', "shards = 2", device=device), encoding="utf-8")
            self.run_it(path, "--out", self.folder / "shards" / name, "--set", "env.lanes=8")
        self.assertEqual(self.parameters("shards/gpus"), self.parameters("shards/cpu"))

    def test_what_a_link_costs_an_update(self):
        """One rank's NCCL in an update, and the same update without it: prints both."""
        if why := part_of("NCCL", self.folder)["missing"]:
            self.skipTest(why)
        for name, text in (("dqn", DQN), ("ppo", PPO), ("sac", SAC)):
            path = self.folder / f"{name}.toml"
            path.write_text(on_device(text, 'learn_on = "device"', device="cuda"), encoding="utf-8")
            us = []
            for more in ([], ["--linked"]):
                done = tenon(self.folder, "bench", "update", path, "--json", *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                us.append(json.loads(done.stdout)["median_us"])
            print(f"{name}: an update takes {us[0]:.1f} us, and with one rank's NCCL {us[1]:.1f} us, {us[1] / us[0]:.2f} times as long", flush=True)

    def test_loops_compiled_at_run_time(self):
        """The same parameters as when loops are interpreted."""
        if why := part_of("NVRTC", self.folder)["missing"]:
            self.skipTest(why)
        for name, text in (("dqn", DQN), ("ppo", PPO), ("sac", SAC), ("memories", MEMORIES)):
            with self.subTest(name):
                path = self.folder / f"{name}.toml"
                path.write_text(on_device(text.replace(*WIDE), 'learn_on = "device"', device="cuda"), encoding="utf-8")
                for jit in ("off", "always"):
                    self.run_it(path, "--out", self.folder / name / jit, "--set", f"run.jit={jit}")
                self.assertEqual(self.parameters(f"{name}/always"), self.parameters(f"{name}/off"))

    def test_updates_by_libtorch(self):
        """Twice the same bytes, and nearly the numbers of the CPU, whose last bits are others."""
        if why := without_libtorch(self.folder):
            self.skipTest(why)
        for name, text in (("dqn", DQN), ("ppo", PPO), ("sac", SAC), ("memories", MEMORIES), ("images", IMAGES)):
            with self.subTest(name):
                for run, device, keys in (("cpu", "cpu", ()), ("one", "cuda", ('learn_on = "device"',)), ("two", "cuda", ('learn_on = "device"',))):
                    path = self.folder / f"{name}_{run}.toml"
                    path.write_text(on_device(by_libtorch(text), *keys, device=device), encoding="utf-8")
                    self.run_it(path, "--out", self.folder / name / run)
                self.assertEqual(self.parameters(f"{name}/two"), self.parameters(f"{name}/one"))
                expected, got = numbers(self.parameters(f"{name}/cpu")), numbers(self.parameters(f"{name}/one"))
                self.assertLess(norm([a - b for a, b in zip(expected, got)]), 1e-4 * norm(expected))

    def test_chosen_by_itself(self):
        """executor = "auto" computes with kernels, and an update with a loss of its author, which has none, by libtorch."""
        learns = 'learn_on = "device"'
        for name, plugin, executor in (("compiled", "ppo/ppo", "compiled"), ("auto", "ppo/ppo", "auto"), ("fused", "ppo_fused/ppo", "auto")):
            with self.subTest(name):
                if name == "fused" and (why := without_libtorch(self.folder)):
                    self.skipTest(why)
                text = PPO.replace('"compiled"', f'"{executor}"').replace("ppo/ppo", plugin)
                path = self.folder / f"{name}.toml"
                path.write_text(on_device(text, learns, device="cuda"), encoding="utf-8")
                self.run_it(path, "--out", self.folder / name)
        self.assertEqual(self.parameters("auto"), self.parameters("compiled"))
        if (self.folder / "fused").exists():
            expected, got = numbers(self.parameters("compiled")), numbers(self.parameters("fused"))
            self.assertLess(norm([a - b for a, b in zip(expected, got)]), 1e-4 * norm(expected))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        manifest = self.folder / "on_device.toml"
        manifest.write_text(on_device(DQN.replace("replay/", "replay_cuda/"), 'learn_on = "device"', device="cuda"), encoding="utf-8")
        for name, path in (("sampling", sampling(self.folder, "cuda", "prioritised")), ("on_device", manifest)):
            with self.subTest(name):
                whole, parts = self.folder / name / "whole", self.folder / name / "parts"
                self.run_it(path, "--out", whole)
                self.run_it(path, "--out", parts, "--set", "run.total_frames=800")
                self.run_it("--resume", parts, "--set", "run.total_frames=1_200")
                self.assertEqual(self.parameters(f"{name}/parts"), self.parameters(f"{name}/whole"))

    def test_kernels_keep_to_the_contract(self):
        for plugin in ("classic", "replay_cuda"):
            done = tenon(self.folder, "check", plugin, "--json")
            report = json.loads(done.stdout.splitlines()[-1])
            wrong = [row for row in report["checks"] if row["outcome"] == "fail"]
            on_device = {row["outcome"] for row in report["checks"] if row["check"].endswith("on a GPU")}
            self.assertEqual((wrong, on_device), ([], {"pass"}))


def why_not():
    """The sentence of the program if a run on a GPU cannot start here."""
    with tempfile.TemporaryDirectory() as holder:
        folder = Path(holder)
        done = tenon(folder, "validate", sampling(folder, "cuda", "uniform"))
    return done.stderr.splitlines()[0].removeprefix("error: ") if done.returncode == 4 else None


if __name__ == "__main__":
    if reason := why_not():
        print(f"skipped: {reason}")
        sys.exit(NO_GPU)
    unittest.main()
