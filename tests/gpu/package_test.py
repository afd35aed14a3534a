#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package of tools/gpu_tests: it has what its tests need, which is seen without a GPU. Its kernels are listed, its runs of
DQN and PPO learn on the emulated device as on the CPU, and where there is no GPU it says so. On a GPU: ./test -L gpu."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "release" / "gpu_tests"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402


def ended(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=PATIENCE, check=False)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packed = ended(ROOT / "tools" / "gpu_tests", "--pack-only")
        assert packed.returncode == 0, packed.stderr
        sys.path.insert(0, str(FOLDER))

    def test_the_kernels_are_listed(self):
        for tag in ("[gpu]", "[race]"):
            listed = ended(FOLDER / "test_gpu", tag, "--list-tests", "--verbosity", "quiet")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            self.assertGreater(len(listed.stdout.splitlines()), 0)

    def test_its_runs_are_those_of_the_cpu(self):
        import device_manifests

        for name in ("DQN", "PPO"):
            text = getattr(device_manifests, name)
            parameters = []
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                for device, manifest in (("cpu", text), ("emulated", device_manifests.on_device(text))):
                    path, out = Path(folder) / f"{device}.toml", Path(folder) / device
                    path.write_text(manifest)
                    done = ended(FOLDER / "bin" / "tenon", "run", path, "--quiet", "--out", out)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    parameters.append((out / "checkpoints" / "last" / "parameters.safetensors").read_bytes())
                self.assertEqual(*parameters)

    def test_without_a_gpu_it_says_so(self):
        done = ended("env", "CUDA_VISIBLE_DEVICES=", FOLDER / "gpu_tests")  # also where there is one
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("gpu_tests: there is no GPU here, so no kernel was tested\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
