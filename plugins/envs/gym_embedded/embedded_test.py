#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with gym_embedded/env: the bytes of a plain Python loop and of gym/env, faults, refusals, isolation, resuming."""

import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gym"))

from worlds_case import HERE, PYTHON, WorldsCase, main

# Read by an interpreter as it starts: one that was built without a shared library.
NO_LIBRARY = """
import sys, sysconfig
sysconfig.get_config_vars().update(INSTSONAME="libpython3.a", LDVERSION="0.0", LIBDIR="/nowhere")
"""


class Embedded(WorldsCase):
    PLUGIN = "gym_embedded/env"
    WORKERS = {}

    def recorded(self, plugin, id, frames=300, **more):
        """The bytes of a recording, without the header, which has the manifest's hash."""
        self.PLUGIN = plugin
        file = self.folder / "frames.safetensors"
        manifest = self.manifest(id, lanes=3, **more)
        self.tenon("record", manifest, "--frames", frames, "--actions", "random", "--out", file)
        self.PLUGIN = Embedded.PLUGIN
        data = file.read_bytes()
        return data[8 + int.from_bytes(data[:8], "little") :]

    def equals_workers(self, id, **more):
        self.assertEqual(self.recorded("gym_embedded/env", id, **more), self.recorded("gym/env", id, workers=1, **more))

    def test_cartpole_equals_a_plain_loop(self):
        self.equals_a_plain_loop("CartPole-v1")

    def test_the_bytes_are_those_of_workers(self):
        # worlds.gym compares the first three with plain loops.
        for id, more in [("CartPole-v1", {}), ("FrozenLake-v1", {"kwargs": '{ is_slippery = true, map_name = "8x8" }'}),
                         ("Taxi-v4", {"action_mask": "none", "frames": 2400}), ("Blackjack-v1", {}),
                         ("Pendulum-v1", {"max_episode_steps": 7}), ("worlds:Spaces", {}), ("worlds:Images", {}),
                         ("worlds:Masked", {"infos": ["score", "wet"]}), ("worlds:MaskInObservation", {}),
                         ("worlds:Loose", {}), ("worlds:DmSteps", {"leave_out": ["observation.count"]})]:
            with self.subTest(id):
                self.equals_workers(id, **more)

    def test_a_failure_parks_the_lane_with_the_sentence_of_a_worker(self):
        for what, sentence in [("raise", "ValueError: the wheels came off ("), ("exit", "it called sys.exit(3)"),
                               ("nan", "its column 'reward' is nan"),
                               ("shape", "its column 'observation' has the shape (3,), and should have (2,)"),
                               ("dtype", "its column 'observation' has elements of type complex64, and should have float32"),
                               ("no-reward", "its reward is None, and should be one number"),
                               ("short", "step returned no (observation, reward, terminated, truncated, info)"), ("reset-again", "")]:
            with self.subTest(what):
                said = []
                for self.PLUGIN, more in (("gym/env", {"workers": 1}), ("gym_embedded/env", {})):
                    text = self.play("worlds:Faulty", kwargs=f'{{ what = "{what}", lane = 1 }}', seed_offset=0, lanes=3, **more)
                    said += [re.search("lane 1 is parked.*", text)]
                    self.assertIn("finished", text)
                    self.assertIsNotNone(said[-1], text)
                self.assertEqual(said[0].group(), said[1].group())
                self.assertIn(sentence, text)

    def test_what_would_end_a_worker_parks_the_lane(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "interrupt", lane = 1 }', seed_offset=0, lanes=3)
        self.assertIn("lane 1 is parked", text)
        self.assertIn("KeyboardInterrupt (", text)

    def test_a_storm_of_prints_is_not_shown(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "storm" }')
        self.assertIn("finished", text)
        self.assertNotIn("xxx", text)
        file = self.folder / "frames.safetensors"
        said = self.tenon("record", self.folder / "m.toml", "--frames", 40, "--actions", "random", "--out", file, "--json")
        self.assertEqual(json.loads(said)["frames"], 40)

    def test_two_environments_in_one_run(self):
        manifest = self.manifest("CartPole-v1", frames=64)
        manifest.write_text(manifest.read_text() + '\n[eval]\nevery_frames = 32\nepisodes = 2\nlanes = 2\n')
        out = self.folder / "out"
        self.assertIn("eval", self.tenon("run", manifest, "--out", out, "--quiet"))

    def test_an_interpreter_other_than_that_of_the_process_is_refused(self):
        other = self.folder / "python"
        other.symlink_to(PYTHON)
        manifest = self.manifest("CartPole-v1")
        manifest.write_text(manifest.read_text() + f'\n[eval]\nevery_frames = 32\n[eval.env]\npython = "{other}"\n')
        said = self.tenon("validate", manifest, code=2)
        self.assertIn(f"this process has the interpreter {PYTHON}, and can have no other one", said)

    def test_it_passes_the_checks_of_plugins(self):
        said = self.tenon("check", "gym_embedded", "--set", 'id="CartPole-v1"', "--set", f'python="{PYTHON}"',
                          "--timeout", 120)
        self.assertIn(" 0 failed", said)

    def test_isolated(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "raise", lane = 1 }', seed_offset=0, lanes=3,
                         isolation="process")
        self.assertIn("ValueError: the wheels came off", text)
        once = self.folder / "once"
        text = self.play("worlds:Faulty", kwargs=f'{{ what = "crash", once = "{once}" }}', isolation="process")
        self.assertIn("was ended by SIGSEGV in step", text)
        self.assertIn("finished", text)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        self.resumes()

    def test_what_cannot_be_pickled_begins_anew_and_says_so(self):
        self.resumes_anew()

    def test_what_can_be_known_before_is_said_by_validate(self):
        broken = self.folder / "broken"
        broken.write_text("#!/bin/sh\necho nothing here\n")
        broken.chmod(0o755)
        cases = [
            (dict(id="CartPole-v9"), "there is no environment 'CartPole-v9' in gymnasium"),
            (dict(id="worlds:Faulty", kwargs='{ what = "constructor" }'), "failed: ValueError: no wheels (/"),
            (dict(id="CartPole-v1", python="/nowhere/python"), "/nowhere/python is no program"),
            (dict(id="CartPole-v1", python=str(broken)), "exit code 0; its last output: nothing here"),
            (dict(id="CartPole-v1", workers=2), "unknown key 'env.workers'"),
            (dict(id="vmas:balance"), "a world of VMAS steps all lanes at once, which only gym/env can do: set plugin"),
        ]
        for more, said in cases:
            with self.subTest(said):
                self.assertIn(said, self.tenon("validate", self.manifest(**more), code=2))

    def test_a_python_without_a_shared_library_is_refused(self):
        (self.folder / "sitecustomize.py").write_text(NO_LIBRARY)
        (self.folder / "python").symlink_to(PYTHON)
        said = self.tenon("validate", self.manifest("CartPole-v1"), code=2,
                          PYTHONPATH=f"{self.folder}{os.pathsep}{HERE}")
        self.assertIn(f"{PYTHON} was built without a shared library (there is no libpython0.0.so.1.0)", said)
        self.assertIn('name another interpreter with python = "...", or use gym/env', said)

    def test_a_library_that_is_none_is_refused(self):
        (self.folder / "sitecustomize.py").write_text(
            f'import sysconfig\nsysconfig.get_config_vars().update(INSTSONAME="libx.so", LIBDIR="{self.folder}")\n')
        (self.folder / "libx.so").write_text("no library")
        said = self.tenon("validate", self.manifest("CartPole-v1"), code=2,
                          PYTHONPATH=f"{self.folder}{os.pathsep}{HERE}")
        self.assertIn("Python's library cannot be loaded: ", said)
        self.assertIn("libx.so", said)

    def test_a_python_without_gymnasium_gets_the_line_that_brings_it(self):
        python = self.make_bare(self.folder / "bare")
        text = self.tenon("validate", self.manifest("CartPole-v1", python=python), code=2)
        self.assertIn(f"{python} has no package", text)
        self.assertIn(f"install it with '{python} -m pip install gymnasium'", text)


if __name__ == "__main__":
    main()
