#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon import`: a Stable-Baselines3 PPO model of CartPole keeps its return, exported weights come back as they were, and files
with code, of other sizes or of other kinds are refused with one sentence and leave nothing."""

import io
import json
import os
import pickle
import shutil
import struct
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

TENON = os.environ["TENON"]
MODEL = Path(__file__).resolve().parents[4] / "tests/golden/sb3_cartpole.zip"
PPO = """
[run]
executor = "compiled"
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

    def refused(self, sentence, *words, errors=1, **more):
        done = self.imported(*words, **more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("error:"), errors)
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

    def parts(self, path, kind="F32", **tensors):
        """A safetensors file with these lists of rows or numbers."""
        codes = {"F32": lambda x: struct.pack("<f", x), "F16": lambda x: struct.pack("<e", x), "BF16": lambda x: struct.pack("<f", x)[2:]}
        header, data = {}, b""
        for name, rows in tensors.items():
            flat = [x for row in rows for x in row] if isinstance(rows[0], list) else rows
            shape = [len(rows), len(rows[0])] if isinstance(rows[0], list) else [len(rows)]
            bytes_ = b"".join(map(codes[kind], flat))
            header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(bytes_)]}
            data += bytes_
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)

    def test_sixteen_bits_transposed_and_in_parts(self):
        """Weights whose numbers fit into 8 bits come back exactly, from every type, whichever way they are stored."""
        rows = lambda n, m, from_=0: [[((from_ + 7 * i * m + 7 * j) % 64 - 32) / 16 for j in range(m)] for i in range(n)]  # noqa: E731
        first, second, last = rows(64, 4), rows(64, 64, 5), rows(2, 64, 9)
        turned = [list(column) for column in zip(*second)]
        bias = {"l.0.bias": [0.5] * 64, "l.1.bias": [-0.25] * 64, "out.bias": [1.0, -1.0]}
        read = {}
        for kind in ("F32", "F16", "BF16"):
            with self.subTest(kind):
                path = self.folder / f"{kind}.safetensors"
                self.parts(path, kind, **{"low": first[:16], "high": first[16:], "l.1.weight": turned, "out.weight": last, **bias})
                self.out = self.folder / kind
                done = self.imported(path, "--map", "low=actor/0.weight[0]", "--map", "high=actor/0.weight[1]", "--map", "l.1.=actor/1.:t",
                                     "--map", "l.{n}.=actor/{n}.", "--map", "out.=actor/2.")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("actor/0.weight <- low + high", done.stdout)
                weights = self.folder / f"{kind}.out"
                self.assertEqual(tenon("export", self.out, "--format", "safetensors", "--out", weights).returncode, 0)
                read[kind] = weights.read_bytes()
        data = read["F32"]
        size = struct.unpack("<Q", data[:8])[0]
        entry = json.loads(data[8:8 + size])["actor/1.weight"]
        values = struct.unpack("<4096f", data[8 + size:][slice(*entry["data_offsets"])])
        self.assertEqual(list(values), [x for row in second for x in row])
        self.assertEqual(read["F16"], data)
        self.assertEqual(read["BF16"], data)

    def test_all_that_does_not_fit_is_told_with_what_is_near(self):
        path = self.folder / "w.safetensors"
        self.parts(path, **{"actor/0.weight": [[0.0] * 64] * 4, "actor/0.bias": [0.0] * 64, "actor/1.weights": [[0.0] * 64] * 64})
        done = self.imported(path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the tensor actor/0.weight is F32 [4, 64], but actor/0.weight is F32 [64, 4]", done.stderr)
        self.assertIn("has no tensor for actor/1.weight, which is F32 [64, 64]; the nearest is actor/1.weights, F32 [64, 64]", done.stderr)
        self.assertIn("has no tensor for actor/1.bias", done.stderr)
        self.assertIn("has no tensor for actor/2.bias", done.stderr)
        self.assertFalse(self.out.exists())

    def test_init_converts_and_tells_all_that_does_not_fit(self):
        """policy.NAME.init reads any type of real numbers, in a run of another type as well."""
        manifest = self.folder / "m.toml"
        path = self.folder / "w.safetensors"
        fits = {"actor/0.weight": [[0.5] * 4] * 64, "actor/0.bias": [0.0] * 64, "actor/1.weight": [[0.25] * 64] * 64, "actor/1.bias": [0.0] * 64,
                "actor/2.weight": [[-1.5] * 64] * 2, "actor/2.bias": [2.0, 1.0]}
        text = PPO.format(hidden=64).replace("[policy.value]", f'init = "{path}"\n[policy.value]').replace("[run]", '[run]\ndtype = "float64"')
        for kind in ("F32", "BF16", "F16"):
            self.parts(path, kind, **fits)
            manifest.write_text(text)
            done = tenon("record", manifest, "--actions", "mode", "--frames", 20, "--out", self.folder / f"{kind}.frames")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "F32.frames").read_bytes(), (self.folder / "BF16.frames").read_bytes())
        self.assertEqual((self.folder / "F32.frames").read_bytes(), (self.folder / "F16.frames").read_bytes())
        fits["actor/2.wight"] = fits.pop("actor/2.weight")
        fits["actor/1.bias"] = [0.0] * 32
        self.parts(path, **fits)
        done = tenon("validate", manifest)
        self.assertEqual(done.returncode, 2)
        self.assertIn("w.safetensors does not fit: tensor 'actor/1.bias' is F32 [32], but F64 [64] is needed; no tensor 'actor/2.weight' "
                      "(the nearest is 'actor/2.wight')", done.stderr)

    def test_code_is_refused(self):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as file:
            file.writestr("archive/data.pkl", pickle.dumps({"x": Code()}, protocol=2))
        path = self.folder / "bad.zip"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("policy.pth", inner.getvalue())
        self.refused("wants to call posix.system, which is refused", path)

    def test_what_does_not_fit(self):
        self.refused("has no tensor for actor/0.weight, which is F32 [32, 4]", MODEL, hidden=32, errors=3)
        self.refused("there is no network 'pi'", MODEL, "--map", "action_net.=pi/")
        self.refused("has no tensor whose name begins with nothing", MODEL, "--map", "nothing=actor/")
        self.refused("--map must be FROM=NETWORK/NAME", MODEL, "--map", "actor")
        self.refused("the tensor action_net.weight is F32 [2, 64], but actor/0.weight is F32 [64, 4]", MODEL, "--map", "action_net.=actor/0.", errors=4)
        self.refused("there is no layout and no file 'gpt9'", MODEL, "--layout", "gpt9")
        self.refused("is no file of weights", self.folder / "m.toml")


if __name__ == "__main__":
    unittest.main()
