#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with atari/*: the bytes of Gymnasium's AtariPreprocessing and of ale-py's own chain, saved games, and mistakes."""

import json
import subprocess
import sys
import time
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "gym"))

from worlds_case import PYTHON, TENON, Frames, PythonCase, main, workers

HEAD = """
[run]
total_frames = {frames}

[env]
plugin = "atari/{game}-v5"
lanes = {lanes}
python = "{python}"
{more}

[policy.any]
plugin = "random/random"

[train]
batch = 8

[checkpoint]
every_frames = 64
"""
NOOPS = """
[[env.wrappers]]
plugin = "wrap/noop_reset"
most = {most}
"""
SKIP_AND_RESIZE = """
[[env.wrappers]]
plugin = "wrap/max_frame_skip"

[[env.transforms]]
plugin = "standard/resize"
"""
CHAIN = SKIP_AND_RESIZE + """
[[env.transforms]]
plugin = "standard/frame_stack"
"""

class Atari(PythonCase):
    patience = 300

    def manifest(self, game="Pong", lanes=1, frames=64, more="", tail=""):
        path = self.folder / "m.toml"
        head = HEAD.format(game=game, lanes=lanes, frames=frames, python=PYTHON, more=more)
        path.write_text(head + tail)
        return path

    def record(self, frames, **more):
        file = self.folder / "frames.safetensors"
        self.tenon("record", self.manifest(**more), "--frames", frames, "--actions", "random", "--out", file)
        return Frames(file)

    def equals_golden(self, game):
        golden = json.loads((HERE / "golden" / f"{game.lower()}.json").read_text())
        steps = len(golden["rewards"])
        chain = 'repeat_action_probability = 0.0\nseed_offset = 5'
        frames = self.record(steps, game=game, more=chain, tail=NOOPS.format(most=1) + CHAIN)
        actions = frames.numbers("action")[:steps]
        self.assertEqual("".join(map(str, actions)), golden["actions"],
                         "random actions changed: write the golden data anew (tests/golden/generate/atari.py)")
        self.assertEqual([zlib.crc32(row) for row in frames.rows("observation")[: steps + 1]], golden["observations"])
        self.assertEqual(frames.numbers("reward")[:steps], golden["rewards"])
        self.assertEqual([t for t, over in enumerate(frames.numbers("terminated")[:steps]) if over], golden["ends"])

    def test_pong_equals_gymnasiums_preprocessing(self):
        self.equals_golden("Pong")

    def test_breakout_equals_gymnasiums_preprocessing(self):
        self.equals_golden("Breakout")

    def test_ale_pys_own_preprocessing_equals_the_chain(self):
        chain = "repeat_action_probability = 0.0\nfull_action_space = true\n"
        ours = self.record(260, game="Breakout", more=chain, tail=SKIP_AND_RESIZE)
        theirs = self.record(260, game="Breakout", more=chain + 'preprocessing = "standard"\nnoops = 1')
        for name in ("action", "observation", "reward", "terminated", "truncated"):
            pairs = zip(ours.rows(name), theirs.rows(name))
            self.assertEqual([t for t, (mine, other) in enumerate(pairs) if mine != other], [], name)
        self.assertIn(True, theirs.numbers("terminated"))

    def test_ale_pys_fire_reset_equals_the_wrapper(self):
        chain = "repeat_action_probability = 0.0\nfull_action_space = true\n"
        fire = '[[env.wrappers]]\nplugin = "wrap/fire_reset"\n'
        ours = self.record(260, game="Breakout", more=chain, tail=fire + SKIP_AND_RESIZE)
        theirs = self.record(260, game="Breakout", more=chain + 'preprocessing = "standard"\nnoops = 1\nfire_reset = true')
        for name in ("action", "observation", "reward", "terminated", "truncated"):
            pairs = zip(ours.rows(name), theirs.rows(name))
            self.assertEqual([t for t, (mine, other) in enumerate(pairs) if mine != other], [], name)
        self.assertIn(True, theirs.numbers("terminated"))
        waiting = self.record(9, game="Breakout", more=chain, tail=SKIP_AND_RESIZE)
        self.assertNotEqual(ours.rows("observation")[0], waiting.rows("observation")[0], "the ball is not there yet")

    def test_workers_are_threads_of_one_process_where_ale_py_preprocesses(self):
        frames = []
        for count in (1, 3):
            manifest = self.manifest(game="Breakout", lanes=4, more=f'preprocessing = "standard"\nworkers = {count}')
            file, seen = self.folder / f"{count}.safetensors", set()
            words = [TENON, "record", manifest, "--frames", "1000", "--actions", "random", "--out", file]
            with subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL) as run:
                while run.poll() is None:
                    seen.update(workers())
                    time.sleep(0.01)
            self.assertEqual((run.returncode, len(seen)), (0, 1))
            frames.append(Frames(file))
        for name in ("action", "observation", "reward", "terminated", "truncated"):
            self.assertTrue(frames[0].rows(name) == frames[1].rows(name), name)

    def test_colours_and_memory(self):
        said = self.tenon("explain", self.manifest(more='obs = "rgb"'))
        self.assertRegex(said, r"observation +uint8 +\[210, 160, 3\]")
        self.assertIn("info.lives", said)
        self.assertIn("[128]", self.tenon("explain", self.manifest(more='obs = "ram"')))
        grey = '[[env.transforms]]\nplugin = "standard/grey"\nlayout = "hwc"\n'
        self.assertIn("[210, 160, 1]", self.tenon("explain", self.manifest(more='obs = "rgb"', tail=grey)))

    def test_games_draw_pictures(self):
        pixels = '[[env.wrappers]]\nplugin = "wrap/pixels"\ngrey = false\n'
        self.assertIn("[3, 84, 84]", self.tenon("explain", self.manifest(more='obs = "ram"', tail=pixels)))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        manifest = self.manifest(game="Breakout", frames=256, lanes=2)
        ends = {}
        for name, stops in (("whole", [256]), ("half", [128, 256])):
            out = self.folder / name
            self.tenon("run", manifest, "--out", out, "--quiet", "--set", f"run.total_frames={stops[0]}")
            for stop in stops[1:]:
                self.tenon("run", "--resume", out, "--quiet", "--set", f"run.total_frames={stop}")
            ends[name] = (out / "checkpoints" / "256" / "frames.safetensors").read_bytes()
        self.assertIn(b"observation", ends["whole"])
        self.assertTrue(ends["whole"] == ends["half"])

    def test_mistakes_are_sentences(self):
        for more, said in [
            ("mode = 7", "'pong' has no mode 7; there are 0, 1"),
            ("difficulty = 9", "'pong' has no difficulty 9; there are 0, 1, 2, 3"),
            ('game = "pnog"', "ale-py has no game 'pnog'; did you mean 'pong'"),
            ("fire_reset = true", "option 'fire_reset' goes with preprocessing"),
            ('preprocessing = "standard"\nobs = "ram"', "leave out 'obs', 'frame_skip', 'mode' and 'difficulty'"),
        ]:
            with self.subTest(more):
                self.assertIn(said, self.tenon("validate", self.manifest(more=more), code=2))

    def test_without_ale_py_the_line_that_brings_it(self):
        (self.folder / "ale_py.py").write_text("raise ModuleNotFoundError('no ale_py', name='ale_py')")
        said = self.tenon("validate", self.manifest(), code=2, PYTHONPATH=str(self.folder))
        self.assertIn(f"'pong' needs the module ale_py, which {PYTHON} does not find", said)
        self.assertIn(f"-m pip install ale-py'", said)

    def test_a_wrapper_that_steps_single_lanes_is_refused_by_a_vector_environment(self):
        manifest = self.manifest(lanes=4, frames=256, more='workers = 1\npreprocessing = "standard"',
                                 tail=NOOPS.format(most=9))
        said = self.tenon("run", manifest, "--out", self.folder / "out", "--quiet", code=3)
        self.assertIn("a wrapper steps some lanes without the others, which a vector environment cannot do", said)

    def test_the_games_are_those_of_ale_py(self):
        done = subprocess.run([PYTHON, ROOT / "tools/generate/atari_games.py", "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


if __name__ == "__main__":
    main("ale_py")
