#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on the compiled executor: the same run as on the reference one until rounding parts them, the same bytes twice,
resumed or not, and the reference executor for what has no compiled form."""

import json
import os
import re
import unittest
from pathlib import Path
from xml.etree import ElementTree

from runs import FIXTURES, MANIFESTS, RunCase

PYTHON = Path(__file__).resolve().parents[2] / ".deps" / "python" / "bin" / "python"
WORLDS = ["dreamer_v3_cartpole_swingup.toml", "gail_half_cheetah.toml", "gym_cartpole.toml", "gym_highway.toml", "gym_minigrid.toml",
          "open_spiel_tic_tac_toe.toml", "ppo_half_cheetah.toml", "ppo_pong.toml", "sac_half_cheetah.toml",
          "tdmpc2_pendulum_swingup.toml"]  # which need packages of Python
SETS = {"ppo_satellite.toml": ("--set", f'env.model="{MANIFESTS}/satellite.xml"')}  # a path from where it is started
COMPILED = ["--set", 'run.executor="compiled"']

AVERAGES = f"""
[plugins]
search = ["{FIXTURES}"]

[run]
total_frames = 2_048

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.actor]
plugin = "mlp/categorical"

[policy.value]
plugin = "mlp/value"
hidden = [16]

[objective]
plugin = "averages/%s"

[train]
batch = 256
shuffle = "lanes"

[log]
every_frames = 512
"""

# The instructions of the machine decide how a program computes, not whether it compiles, nor what is said of it.
whatever_the_level = unittest.skipIf(os.environ.get("SECOND_LEVEL") == "1", "it does not depend on the level; e2e.compiled has it")

ENSEMBLES = AVERAGES.replace("averages/%s", "ensembles/%s").replace("hidden = [16]", "hidden = [16]\ncount = 3")


class Compiled(RunCase):
    def run_with(self, name, *words, manifest=None):
        result = self.train(manifest or self.manifest, "--out", self.folder / name, *words)
        self.assertNotIn("reference executor", result["notices"])
        return self.folder / name

    def records(self, run):
        return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]

    def assert_same_curves(self, keys, *words, manifest=None):
        words = ["--set", 'run.dtype="float64"', *words]
        reference = self.records(self.run_with("reference", *words, "--set", 'run.executor="reference"', manifest=manifest))
        compiled = self.records(self.run_with("compiled", *words, *COMPILED, manifest=manifest))
        self.assertEqual(len(reference), len(compiled))
        for left, right in zip(reference, compiled):
            for key in keys:
                if left[key] is not None:
                    self.assertAlmostEqual(left[key], right[key], delta=1e-6 * max(1, abs(left[key])), msg=f"{key} at {left['frames']}")
        return reference

    def test_in_float64_a_thousand_updates_are_those_of_the_reference_executor(self):
        keys = ("train/loss", "train/q_value", "train/grad_norm/update", "rollout/ep_rew_mean")
        reference = self.assert_same_curves(keys, "--set", "run.total_frames=17_000")
        self.assertGreater(reference[-1]["train/n_updates"], 1000)

    def test_a_policy_in_several_lanes_acts_by_its_newest_parameters(self):
        words = ["--set", "run.total_frames=6_000", "--set", "eval.every_frames=0"]
        manifest = MANIFESTS / "ppo_cartpole.toml"
        reference = self.assert_same_curves(("train/loss", "train/entropy", "rollout/ep_rew_mean"), *words, manifest=manifest)
        self.assertGreater(len(reference), 3)

    def test_filters_over_images_are_those_of_the_reference_executor(self):
        words = ["--set", "run.total_frames=4_096", "--set", "eval.every_frames=0", "--set", "log.every_frames=1_024"]
        manifest = MANIFESTS / "ppo_catch.toml"
        reference = self.assert_same_curves(("train/loss", "train/entropy", "rollout/ep_rew_mean"), *words, manifest=manifest)
        self.assertGreater(len(reference), 3)

    def test_a_run_twice_is_the_same_and_so_is_one_that_was_resumed(self):
        first = self.run_with("first", *COMPILED)
        self.assert_same_run(first, self.run_with("second", *COMPILED))
        resumed = self.folder / "resumed"
        self.train(self.manifest, "--out", resumed, *COMPILED, "--set", "run.total_frames=5_000")
        self.train("--resume", resumed, "--set", "run.total_frames=10_000")
        whole = [r for r in self.records(first) if r["frames"] > 5_000]
        rest = [r for r in self.records(resumed) if r["frames"] > 5_000]
        for left, right in zip(whole, rest):
            self.assertEqual({k: v for k, v in left.items() if not k.startswith("time/")},
                             {k: v for k, v in right.items() if not k.startswith("time/")})  # fmt: skip
        parameters = "checkpoints/last/parameters.safetensors"
        self.assertEqual((first / parameters).read_bytes(), (resumed / parameters).read_bytes())

    def test_memories_over_sequences_are_those_of_the_reference_executor(self):
        words = ["--set", "run.total_frames=6_144", "--set", "eval.every_frames=0", "--set", "log.every_frames=1_024"]
        words += ["--set", 'policy.value.cell="lstm"', "--set", "train.burn_in=4", "--set", "train.epochs=3"]
        manifest = MANIFESTS / "ppo_gru_cartpole.toml"
        reference = self.assert_same_curves(("train/loss", "train/entropy", "rollout/ep_rew_mean"), *words, manifest=manifest)
        self.assertGreater(len(reference), 4)

    def test_a_scan_of_an_authors_own_is_that_of_the_reference_executor(self):
        manifest = self.put("own.toml", AVERAGES % "own")
        reference = self.assert_same_curves(("train/loss", "train/average"), manifest=manifest)
        self.assertGreater(len(reference), 3)

    def test_a_kernel_over_the_members_of_an_ensemble_is_watched_like_any_other(self):
        for kernel in ("body", "secret"):
            manifest = self.put("ensembles.toml", ENSEMBLES % kernel)
            reference = self.records(self.run_with(f"reference-{kernel}", "--set", 'run.executor="reference"', manifest=manifest))
            watched = self.records(self.run_with(f"auto-{kernel}", "--set", 'run.executor="auto"', manifest=manifest))
            self.assertEqual(len(reference), len(watched))
            for left, right in zip(reference, watched):
                self.assertAlmostEqual(left["train/loss"], right["train/loss"], delta=1e-4)
            timed = json.loads(self.tenon("bench", "update", manifest, "--json", "--seconds", "0.05").stdout)
            self.assertEqual(timed["executor"], "compiled")

    @whatever_the_level
    def test_what_has_no_compiled_form_runs_on_the_reference_executor_and_says_so(self):
        manifest = self.put("mixed.toml", AVERAGES % "mixed")
        dump = self.folder / "dump"
        result = self.train(manifest, "--out", self.folder / "out", "--dump-graph", dump)
        what = "in a scan that a gradient passes through, 'batch_mean' cannot be compiled"
        self.assertIn(f"the program 'update' runs on the reference executor: {what} (", result["notices"])
        self.assertEqual(result["frames"], 2_048)
        timed = json.loads(self.tenon("bench", "update", manifest, "--json", "--seconds", "0.05").stdout)
        self.assertEqual(timed["executor"], "reference")
        left = f"the program 'update' runs on the reference executor: {what} ("
        self.assertTrue((dump / "update.txt").read_text().startswith(left))
        self.assertFalse(list(dump.glob("update-*")))
        self.assertTrue(list(dump.glob("act-*.txt")))
        said = (rf"^error: the program 'update' cannot be compiled: {what}\n --> .*averages.cpp:\d+:\d+\n(.*\n)*"
                r'help: run.executor = "auto" runs such a program on the reference executor')
        refused = self.tenon("run", manifest, "--out", self.folder / "refused", *COMPILED, code=3)
        self.assertRegex(refused.stderr, said)
        for command in ("validate", "explain"):
            self.assertEqual(self.tenon(command, manifest, *COMPILED, code=3).stderr, refused.stderr)
            self.tenon(command, manifest)

    @whatever_the_level
    def test_validate_and_run_agree_on_what_compiles(self):
        frames = {}  # for those that take another policy's, by env
        for env in ("classic/Pendulum-v1", "small/Reach-v0", *(["mujoco/HalfCheetah-v5"] if PYTHON.exists() else [])):
            frames[env] = self.folder / f"{env.partition('/')[2]}.frames"
            acts = self.put("acts.toml", (MANIFESTS / "sac_pendulum.toml").read_text().replace("classic/Pendulum-v1", env))
            self.tenon("record", acts, "--actions", "random", "--frames", "400", "--out", frames[env])
        for manifest in sorted(MANIFESTS.glob("*.toml")):
            if manifest.name in WORLDS and not PYTHON.exists():
                print(f"left out: {manifest.name}, for there is no {PYTHON}; ./test makes it", flush=True)
                continue
            with self.subTest(manifest.name):
                text = manifest.read_text()
                buffers = re.findall(r"^\[buffer\.(\w+)\]\n(?:.+\n)*init = ", text, re.MULTILINE)
                of_env = frames[next((env for env in frames if f'plugin = "{env}"' in text), "classic/Pendulum-v1")]
                taken = [word for name in buffers for word in ("--set", f"buffer.{name}.init={json.dumps(str(of_env))}")]
                self.tenon("validate", manifest, *COMPILED, *taken, *SETS.get(manifest.name, ()))

    @whatever_the_level
    def test_what_programs_have_become_is_written_where_it_is_wanted(self):
        dump = self.folder / "dump"
        self.train(self.manifest, "--out", self.folder / "out", "--set", "run.total_frames=2_000", "--dump-graph", dump)
        self.assertLessEqual({"act", "mode"}, {file.name.split("-")[0] for file in dump.iterdir()})
        texts = [file for file in dump.iterdir() if file.suffix == ".txt"]
        self.assertTrue(any(file.name.startswith("update-B") for file in texts), texts)
        for file in texts:
            picture = ElementTree.parse(file.with_suffix(".svg")).getroot()
            lines = [line for line in file.read_text().splitlines() if re.match(r"\d+ phase ", line)]
            self.assertEqual(len(picture.findall("{http://www.w3.org/2000/svg}text")), len(lines))
            self.assertTrue(any("= product" in line for line in lines), file)
        (update,) = [file.read_text() for file in texts if re.match(r"update-B\d+-due1\.txt", file.name)]
        nodes = re.findall(r"^(%\d+): ", update, re.MULTILINE)
        gradients = re.findall(r'^gradient "(.*)" (%\d+)$', update, re.MULTILINE)
        self.assertIn("qvalue/0.weight", [name for name, _ in gradients])
        self.assertLessEqual({value for _, value in gradients}, set(nodes))
        self.assertIn('stage "update" owns ["qvalue"]', update)
        wrong = self.tenon("run", self.manifest, "--out", self.folder / "wrong", "--dump-graph", self.manifest, code=4)
        self.assertIn("cannot be created", wrong.stderr)
        words = ["--out", self.folder / "none", "--dump-graph", dump, "--set", 'run.executor="reference"']
        self.assertIn("--dump-graph shows compiled programs", self.tenon("run", self.manifest, *words, code=2).stderr)

    @whatever_the_level
    def test_a_resumed_run_goes_on_with_the_executor_that_it_began_with(self):
        words = ["--set", "run.total_frames=2_000"]
        for executor, chosen in (("auto", "compiled"), ("reference", "reference")):
            run = self.run_with(executor, *words, "--set", f'run.executor="{executor}"')
            self.assertEqual(self.computed_by(run), chosen)
            self.train("--resume", run, "--set", "run.total_frames=3_000")
            self.assertEqual(self.computed_by(run), chosen)

    def computed_by(self, run):
        state = (run / "checkpoints" / "last" / "state.bin").read_bytes()
        return [name for name in ("reference", "compiled") if name.encode() in state][0]


if __name__ == "__main__":
    unittest.main()
