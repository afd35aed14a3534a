#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A buffer that chooses its rows on a device gives the run of the same buffer on the CPU, byte for byte, resumed ones
too. The device is the emulated one; what there is no driver, or no use, for is refused in a sentence."""

import json
import os
import subprocess
import unittest

from runs import SMALL, TENON, RunCase, parameters, ppo_tables, records, without_time

SHORT = SMALL.replace("10_000", "3_000")
PRIORITISED = SHORT.replace('"replay/uniform"', '"replay/prioritised"')
PPO = """
[run]
total_frames = 2_000

[env]
plugin = "classic/CartPole-v1"
lanes = 5
""" + ppo_tables(16) + """
[train]
batch = 250
minibatch = 50
epochs = 2

[eval]
every_frames = 1_000
episodes = 2
"""


def with_device(text, device="emulated"):
    """Lanes on a device; updates, of which device_learning_test.py has the tests, stay on the CPU."""
    return text.replace("[run]", f'[run]\ndevice = "{device}"\nlearn_on = "cpu"')


def on_device(text, device="emulated"):
    return with_device(text.replace('"replay/', '"replay_cuda/'), device)


class Device(RunCase):
    def trained(self, text, name, *words):
        self.train(self.put(f"{name}.toml", text), "--out", self.folder / name, *words)
        return self.folder / name

    def test_the_same_bytes_as_on_the_cpu(self):
        for name, text in (("uniform", SHORT), ("prioritised", PRIORITISED)):
            with self.subTest(name):
                cpu = self.trained(text, f"{name}_cpu")
                device = self.trained(on_device(text), f"{name}_device")
                self.assertEqual(parameters(cpu), parameters(device))
                self.assertEqual(without_time(cpu), without_time(device))

    def test_lanes_on_the_device_give_the_bytes_of_the_cpu(self):
        for name, text in (("ppo", PPO), ("dqn", SHORT)):
            with self.subTest(name):
                cpu = self.trained(text, f"{name}_cpu")
                device = self.trained(with_device(text), f"{name}_device")
                self.assertEqual(parameters(cpu), parameters(device))
                self.assertEqual(without_time(cpu), without_time(device))

    def test_a_run_goes_on_on_another_device(self):
        whole = self.trained(PPO, "whole_ppo")
        parts = self.trained(PPO, "parts_ppo", "--set", "run.total_frames=1_000")
        self.train("--resume", parts, "--set", "run.total_frames=1_500", "--set", 'run.device="emulated"')
        self.train("--resume", parts, "--set", "run.total_frames=2_000")
        self.assertEqual(parameters(whole), parameters(parts))

    def test_what_was_trained_on_a_gpu_acts_where_there_is_none(self):
        run = self.trained(on_device(SHORT), "on_device")
        lock = run / "manifest.lock.toml"
        scores = self.tenon("eval", run, "--episodes", "2", "--json").stdout
        lock.write_text(lock.read_text(encoding="utf-8").replace('"emulated"', '"cuda"').replace('jit = "auto"', 'jit = "always"'), encoding="utf-8")
        done = self.tenon("eval", run, "--episodes", "2", "--json")
        self.assertEqual((done.returncode, done.stdout), (0, scores), done.stderr)
        self.assertEqual(self.tenon("export", run, "--out", self.folder / "policy.c").returncode, 0)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        text = on_device(PRIORITISED)
        whole = self.trained(text, "whole")
        parts = self.trained(text, "parts", "--set", "run.total_frames=2_000")
        self.train("--resume", parts, "--set", "run.total_frames=3_000")
        self.assertEqual(parameters(whole), parameters(parts))

    def test_a_sampler_of_the_device_is_kept(self):
        run = self.trained(on_device(SHORT), "run", "--set", "run.total_frames=300")
        more = ["run", "--resume", run, "--set", "run.total_frames=600", "--set", "run.device=cpu"]
        told = self.tenon(*more, code=2).stderr
        self.assertIn("replay_cuda/uniform chooses rows on a device, but run.device is \"cpu\"", told)
        self.assertIn('help: set run.device = "cuda", or "emulated" where there is no GPU; only a new run may use a sampler for the CPU instead\n', told)
        told = self.tenon(*more, "--change", "buffer", "--set", "buffer.plugin=replay/uniform", code=2).stderr
        self.assertIn('buffer.plugin was "replay_cuda/uniform" and is now "replay/uniform"', told)
        self.assertIn(f"help: name the old component again, or begin a new run with the old one's weights: --from {run}\n", told)

    def driven(self, *words, code=0, **settings):
        """The program with a driver that has no GPU (fake_driver.c), and with a compiler for it (fake_nvrtc.c)."""
        stand_ins = {"LD_LIBRARY_PATH": os.environ["FAKE_DRIVER"], "CUDA_PATH": os.environ["FAKE_TOOLKIT"]}
        variables = {**self.environment(), **stand_ins, **settings}
        command = [TENON, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=self.patience, cwd=self.folder, env=variables)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_what_the_driver_refuses(self):
        manifest = self.put("gpu.toml", on_device(PRIORITISED, "cuda"))
        told = self.driven("validate", manifest, code=4, FAKE_VERSION="12080")
        self.assertIn("the NVIDIA driver is too old: it is for CUDA 12.8, but this program needs one for CUDA 13.0", told)
        told = self.driven("validate", manifest, "--set", 'run.device="cuda:3"', code=4)
        self.assertIn("there is no device cuda:3; this machine has 1 CUDA device", told)
        told = self.driven("validate", manifest, code=4, FAKE_EXCLUSIVE="1")
        self.assertIn("cuda:0 is not available now: another program uses it exclusively, or its compute mode forbids every program", told)
        self.assertIn("gpu.toml:", told)

    def test_not_enough_memory(self):
        """Who asked, for how much, and what there is: the env, the buffer, collected frames."""
        small = r"cuda has not enough memory: \d+ bytes were asked for, and \d+ of \d+ are free"
        for manifest, memory, who in (
            (with_device(SHORT, "cuda"), 100, "classic/CartPole-v1, open"),
            (on_device(PRIORITISED, "cuda"), 20_000, "replay_cuda/prioritised, sample"),
            (with_device(SHORT, "cuda").replace('"cpu"', '"device"'), 20_000, "the columns of classic/CartPole-v1"),
        ):
            with self.subTest(who):
                told = self.driven("run", self.put("gpu.toml", manifest), "--quiet", "--out", f"of_{who[:6]}", code=4, FAKE_MEMORY=str(memory))
                self.assertRegex(told, f"^error: {who}: {small}")

    def test_a_device_that_vanishes(self):
        """The run ends with a sentence and keeps its checkpoint, from which it goes on elsewhere."""
        text = on_device(SHORT, "cuda")
        for name, launches, more in (("rows", 600, ()), ("updates", 800, ("--set", 'run.learn_on="device"'))):
            with self.subTest(name):
                told = self.driven("run", self.put("gpu.toml", text), "--quiet", "--out", name, *more, code=4, FAKE_LAUNCHES=str(launches))
                self.assertRegex(told, r"^error: (classic/CartPole-v1, step: |)cuda: launching a kernel failed: FAKE_GONE \((frame|update) \d+\)")
                self.assertRegex(told, "the run is saved up to frame 10[0-9][0-9]; fix the cause, then continue from there")
                checkpoint = self.folder / name / "checkpoints/last"
                self.assertTrue((checkpoint / "parameters.safetensors").exists())
                self.train("--resume", self.folder / name, "--set", 'run.device="emulated"', "--set", 'run.learn_on="cpu"')

    def test_two_runs_on_one_device(self):
        manifest = self.put("two.toml", on_device(SHORT))
        running = [subprocess.Popen([TENON, "run", manifest, "--quiet", "--out", self.folder / name], cwd=self.folder,
                                    env=self.environment(), stdout=subprocess.DEVNULL) for name in ("one", "two")]  # fmt: skip
        self.assertEqual([one.wait(self.patience) for one in running], [0, 0])
        self.assertEqual(parameters(self.folder / "one"), parameters(self.folder / "two"))

    def test_doctor_names_the_devices(self):
        variables = {**self.environment(), "LD_LIBRARY_PATH": os.environ["FAKE_DRIVER"]}

        def part(name, **settings):
            done = subprocess.run([TENON, "doctor", "--json"], capture_output=True, text=True, check=True, env=variables | settings)
            return next(part for part in json.loads(done.stdout)["parts"] if part["name"] == name)

        self.assertEqual(part("CUDA")["found"], "cuda:0, Stand-in 0, sm_90, 16 multiprocessors")
        self.assertIn("the NVIDIA driver is too old", part("CUDA", FAKE_VERSION="12080")["missing"])
        self.assertEqual(part("CUDA", FAKE_DEVICES="0")["missing"], "the NVIDIA driver knows no device")
        self.assertEqual(part("NVRTC", CUDA_PATH=os.environ["FAKE_TOOLKIT"])["found"], "NVRTC 13.0")
        self.assertEqual(part("NVRTC", CUDA_PATH=str(self.folder))["missing"],
                         f"there is no NVRTC in lib64 of the folder that CUDA_PATH names, {self.folder}: libnvrtc.so.13 "
                         "cannot be loaded; set CUDA_PATH to the folder of a CUDA Toolkit 13")  # fmt: skip
        usual = part("NVRTC", CUDA_PATH="")  # which this machine may have
        self.assertRegex(usual["found"] or usual["missing"],
                         r"^NVRTC [0-9.]+$|^there is no NVRTC where the system looks for libraries \(LD_LIBRARY_PATH\) or in "
                         "/usr/local/cuda/lib64: .*; install the CUDA Toolkit 13, and set CUDA_PATH to its folder if")  # fmt: skip

    def test_explain_says_where_rows_are_chosen(self):
        path = self.put("explained.toml", on_device(PRIORITISED))
        told = json.loads(self.tenon("explain", path, "--json").stdout)["device"]
        self.assertEqual(told, {"name": "emulated", "rows_of": ["replay_cuda/prioritised"], "steps": "classic/CartPole-v1",
                                "on_cpu": {"dqn/dqn": 'run.learn_on is "cpu"'}, "columns": "cpu",
                                "columns_at_home": "the updates of dqn/dqn are computed on the CPU",
                                "to_device": 32, "from_device": 88, "from_device_at_end": 64})  # fmt: skip
        told = self.tenon("explain", path).stdout
        self.assertIn("Device: emulated chooses the rows of replay_cuda/prioritised.", told)
        self.assertIn("Device: emulated steps the lanes of classic/CartPole-v1. It does not act, because the updates of dqn/dqn "
                      "are computed on the CPU. A step copies", told)
        apart = ("explain", path, "--set", "env.isolation=process")
        why = 'isolation = "process" has another process step the lanes'
        self.assertEqual(json.loads(self.tenon(*apart, "--json").stdout)["device"]["lanes_at_home"], why)
        self.assertIn(f"Device: the lanes are stepped on the CPU, where columns are: {why}.\n", self.tenon(*apart).stdout)
        path = self.put("plain.toml", SHORT)
        self.assertEqual(json.loads(self.tenon("explain", path, "--json").stdout)["device"], {"name": "cpu", "rows_of": []})
        self.assertNotIn("Device:", self.tenon("explain", path).stdout)

    def test_waits_once_for_every_batch_and_every_step(self):
        manifest = self.put("gpu.toml", on_device(SHORT, "cuda"))
        self.driven("run", manifest, "--quiet", "--out", "run", FAKE_REPORT=str(self.folder / "report"))
        launches, waits = map(int, (self.folder / "report").read_text().split())
        last = records(self.folder / "run")[-1]
        batches, steps = last["train/n_updates"], last["frames"] // 4
        self.assertGreater(batches, 100)
        # And the first reset; lanes are read for each of three checkpoints.
        self.assertEqual((launches, waits), (2 * batches + steps + 1, batches + steps + 1 + 3))

    def refused(self, text, code):
        return self.tenon("validate", self.put("refused.toml", text), code=code).stderr

    def test_what_cannot_be(self):
        told = self.refused(on_device(PRIORITISED, "cuda:7"), 4)
        self.assertRegex(told, "no NVIDIA driver on this machine|no device cuda:7|driver is too old")
        self.assertIn("refused.toml:", told)
        self.assertIn('run.device is "cpu"', self.refused(PRIORITISED.replace('"replay/', '"replay_cuda/'), 2))
        unused = on_device(PRIORITISED).replace("replay_cuda", "replay").replace("classic/CartPole-v1", "small/Bandit-v0")
        self.assertIn("nothing in this manifest can run on it", self.refused(unused, 2))
        self.assertIn("'gpu' is not a device", self.refused(on_device(PRIORITISED, "gpu"), 2))


if __name__ == "__main__":
    unittest.main()
