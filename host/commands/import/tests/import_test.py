#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon import`: a Stable-Baselines3 PPO model of CartPole keeps its return, exported weights come back as they were, and files
with code, of other sizes or of other kinds are refused with one sentence and leave nothing."""

import io
import json
import os
import pickle
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

TENON = os.environ["TENON"]
MODEL = Path(__file__).resolve().parents[4] / "tests/golden/sb3_cartpole.zip"
PPO = """
[run]
total_frames = 64
[env]
plugin = "classic/CartPole-v1"
lanes = 1
[policy.actor]
plugin = "mlp/categorical"
hidden = [{hidden}, 64]
[policy.value]
plugin = "mlp/value"
[objective]
plugin = "ppo/ppo"
[train]
batch = 64
minibatch = 64
epochs = 1
"""


class Code:
    def __reduce__(self):
        return os.system, ("touch ran",)


def tenon(*words):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True)


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-import-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "run"

    def imported(self, file, *words, hidden=64):
        manifest = self.folder / "m.toml"
        manifest.write_text(PPO.format(hidden=hidden))
        return tenon("import", file, "--manifest", manifest, "--out", self.out, *words)

    def refused(self, sentence, *words, **more):
        done = self.imported(*words, **more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1)
        self.assertFalse(self.out.exists())

    def test_a_model_of_stable_baselines3_keeps_its_return(self):
        done = self.imported(MODEL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("actor/2.weight <- action_net.weight", done.stdout)
        self.assertIn("value/1.bias <- mlp_extractor.value_net.2.bias", done.stdout)
        done = tenon("eval", self.out, "--episodes", 20, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["return_mean"], 490)  # Stable-Baselines3 has 500
        done = tenon("run", "--resume", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_exported_weights_come_back(self):
        self.assertEqual(self.imported(MODEL).returncode, 0)
        weights = self.folder / "w.safetensors"
        self.assertEqual(tenon("export", self.out, "--format", "safetensors", "--out", weights).returncode, 0)
        self.out = self.folder / "again"
        self.assertEqual(self.imported(weights).returncode, 0)
        again = self.folder / "w2.safetensors"
        self.assertEqual(tenon("export", self.out, "--format", "safetensors", "--out", again).returncode, 0)
        self.assertEqual(weights.read_bytes(), again.read_bytes())

    def test_code_is_refused(self):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as file:
            file.writestr("archive/data.pkl", pickle.dumps({"x": Code()}, protocol=2))
        path = self.folder / "bad.zip"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("policy.pth", inner.getvalue())
        self.refused("wants to call posix.system, which is refused", path)

    def test_what_does_not_fit(self):
        self.refused("has no tensor for actor/0.weight, which is F32 [32, 4]", MODEL, hidden=32)
        self.refused("there is no network 'pi'", MODEL, "--map", "action_net.=pi/")
        self.refused("has no tensor whose name begins with nothing", MODEL, "--map", "nothing=actor/")
        self.refused("--map must be FROM=NETWORK/NAME", MODEL, "--map", "actor")
        self.refused("the tensor action_net.weight is F32 [2, 64], but actor/0.weight is F32 [64, 4]", MODEL, "--map", "action_net.=actor/0.")
        self.refused("is no file of weights", self.folder / "m.toml")


if __name__ == "__main__":
    unittest.main()
