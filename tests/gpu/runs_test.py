#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole runs on a GPU: the same parameters as on the CPU and on the emulated device, twice over, and when resumed; with
updates on the CPU, and on the GPU.

TENON is the program. Exit code 77 and a sentence: there is no GPU."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TENON = os.environ["TENON"]
NO_GPU = 77
MANIFEST = """
[run]
device = "DEVICE"
learn_on = "cpu"
total_frames = 3_000
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [32]
[exploration]
plugin = "explore/epsilon_greedy"
[buffer]
plugin = "BUFFER"
capacity = 2_000
[objective]
plugin = "dqn/dqn"
[train]
batch = 64
updates_per_batch = 4
minibatch = 32
start_frames = 500
[target]
every = 50
"""


PPO = """
[run]
device = "DEVICE"
learn_on = "LEARN"
total_frames = 2_000
executor = "compiled"
[env]
plugin = "classic/CartPole-v1"
lanes = 5
[policy.actor]
plugin = "mlp/categorical"
hidden = [64, 64]
[policy.value]
plugin = "mlp/value"
hidden = [64, 64]
[objective]
plugin = "ppo/ppo"
[train]
batch = 250
minibatch = 50
epochs = 2
"""
SAC = """
[run]
device = "DEVICE"
learn_on = "LEARN"
total_frames = 400
executor = "compiled"
[env]
plugin = "classic/Pendulum-v1"
lanes = 4
[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [64, 64]
[policy.qvalue]
plugin = "mlp/q"
count = 2
hidden = [64, 64]
[buffer]
plugin = "replay/uniform"
capacity = 2_000
[objective]
plugin = "sac/sac"
[train]
batch = 4
minibatch = 64
start_frames = 100
[target]
kind = "soft"
tau = 0.005
"""
DQN = MANIFEST.replace('learn_on = "cpu"', 'learn_on = "LEARN"').replace("BUFFER", "replay/uniform")


def tenon(folder, *words):
    """TENON_STATE: what the host keeps of plugin files stays here, too."""
    environment = os.environ | {"TENON_STATE": str(folder / "state")}
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=200, check=False, env=environment)


def manifest(folder, device, sampler):
    path = folder / f"{device}_{sampler}.toml"
    plugin = f"replay/{sampler}" if device == "cpu" else f"replay_cuda/{sampler}"
    path.write_text(MANIFEST.replace("DEVICE", device).replace("BUFFER", plugin), encoding="utf-8")
    return path


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
                    self.run_it(manifest(self.folder, device, sampler), "--out", self.folder / sampler / name)
                expected = self.parameters(f"{sampler}/cpu")
                for name in ("emulated", "one", "two"):
                    self.assertEqual(self.parameters(f"{sampler}/{name}"), expected, name)

    def test_updates_on_the_gpu(self):
        # The env of SAC has sines, whose last bits are CUDA's own there.
        for name, text, as_on_cpu in (("dqn", DQN, True), ("ppo", PPO, True), ("sac", SAC, False)):
            with self.subTest(name):
                for run, device, learn in (("cpu", "cpu", "cpu"), ("one", "cuda", "device"), ("two", "cuda", "device")):
                    path = self.folder / f"{name}_{run}.toml"
                    path.write_text(text.replace("DEVICE", device).replace("LEARN", learn), encoding="utf-8")
                    self.run_it(path, "--out", self.folder / name / run)
                self.assertEqual(self.parameters(f"{name}/two"), self.parameters(f"{name}/one"))
                if as_on_cpu:
                    self.assertEqual(self.parameters(f"{name}/one"), self.parameters(f"{name}/cpu"))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        path = manifest(self.folder, "cuda", "prioritised")
        self.run_it(path, "--out", self.folder / "whole")
        self.run_it(path, "--out", self.folder / "parts", "--set", "run.total_frames=2_000")
        self.run_it("--resume", self.folder / "parts", "--set", "run.total_frames=3_000")
        self.assertEqual(self.parameters("parts"), self.parameters("whole"))


def why_not():
    """The sentence of the program if a run on a GPU cannot start here."""
    with tempfile.TemporaryDirectory() as holder:
        folder = Path(holder)
        done = tenon(folder, "validate", manifest(folder, "cuda", "uniform"))
    return done.stderr.splitlines()[0].removeprefix("error: ") if done.returncode == 4 else None


if __name__ == "__main__":
    if reason := why_not():
        print(f"skipped: {reason}")
        sys.exit(NO_GPU)
    unittest.main()
