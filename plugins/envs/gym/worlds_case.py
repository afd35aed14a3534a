# SPDX-License-Identifier: Apache-2.0
"""What tests of environments in Python share. TENON is the program, WORLDS_PYTHON an interpreter with gymnasium; without
one a test is skipped."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "support"))
from patience import PATIENCE, wait_until  # noqa: E402

HERE = Path(__file__).resolve().parent
TENON = os.environ["TENON"]
PYTHON = os.environ["WORLDS_PYTHON"]
RANDOM = """
[run]
total_frames = {frames}

[env]
plugin = "{plugin}"
id = "{id}"
lanes = {lanes}
{more}

[policy.any]
plugin = "random/random"

[train]
batch = {batch}

[log]
every_frames = 16

[checkpoint]
every_frames = 64
"""
# A plain loop over the recorded actions. Prints a line where a column differs.
LOOP = """
import json, sys
import gymnasium, numpy as np
file, id, lanes, seed, kwargs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), json.loads(sys.argv[5])
data = open(file, "rb").read()
size = int.from_bytes(data[:8], "little")
header = json.loads(data[8 : 8 + size])
types = {"F32": "f4", "F64": "f8", "I64": "i8", "I32": "i4", "U8": "u1", "BOOL": "?"}
def column(name):
    entry = header[name]
    begin, end = entry["data_offsets"]
    return np.frombuffer(data[8 + size + begin : 8 + size + end], types[entry["dtype"]]).reshape(entry["shape"])
actions, observations, rewards = column("action"), column("observation"), column("reward")
terminated, truncated, finals = column("terminated"), column("truncated"), column("observation/final")
steps = len(rewards) - 1
last = dict(zip(map(tuple, np.argwhere((terminated | truncated)[:steps]).tolist()), finals))
class Late:
    # A vector environment of one that begins an episode in the step after the end.
    def __init__(self, id, **kwargs):
        self.env = gymnasium.make_vec(id, 1, vectorization_mode="vector_entry_point", **kwargs)
        assert self.env.metadata["autoreset_mode"].name == "NEXT_STEP"
        self.action_space, self.was = self.env.single_action_space, None
    def reset(self, seed=None):
        result = self.env.step(self.was) if seed is None else self.env.reset(seed=seed)
        return result[0][0], {}
    def step(self, action):
        self.was = np.asarray([action])
        return [part[0] for part in self.env.step(self.was)[:4]] + [{}]
for lane in range(lanes):
    env = (Late if sys.argv[6] == "late" else gymnasium.make)(id, **kwargs)
    observation, _ = env.reset(seed=seed + lane)
    for step in range(steps):
        assert np.array_equal(observations[step, lane], observation), (lane, step, observations[step, lane], observation)
        action = actions[step, lane].reshape(env.action_space.shape).astype(env.action_space.dtype)
        observation, reward, over, cut, _ = env.step(action if action.shape else action[()])
        assert rewards[step, lane].reshape(()) == np.float32(reward), (lane, step, rewards[step, lane], reward)
        assert bool(terminated[step, lane]) == over and bool(truncated[step, lane]) == cut, (lane, step)
        if over or cut:
            assert np.array_equal(last[step, lane], observation), (lane, step, last[step, lane], observation)
            observation, _ = env.reset()
ends = len(last)
print(steps, ends)
"""


def workers():
    """The ids of all worker processes of this user that run the package tenon_worker."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"/tenon_worker" in (entry / "cmdline").read_bytes():
                if f"TENON_TEST={os.getpid()}".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
        except OSError:
            continue
    return found


TYPES = {"F32": "f", "F64": "d", "I64": "q", "I32": "i", "U8": "B", "BOOL": "?"}


class Frames:
    """A recorded file."""

    def __init__(self, path):
        data = path.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        self.header, self.data = json.loads(data[8 : 8 + size]), data[8 + size :]

    def rows(self, name):
        """The bytes of a column, a row for all lanes in each step."""
        begin, end = self.header[name]["data_offsets"]
        step = (end - begin) // self.header[name]["shape"][0]
        return [self.data[at : at + step] for at in range(begin, end, step)]

    def numbers(self, name):
        """All numbers of a column, one lane after the other in each step."""
        letter = "<" + TYPES[self.header[name]["dtype"]]
        return [number for (number,) in struct.iter_unpack(letter, b"".join(self.rows(name)))]


class PythonCase(unittest.TestCase):
    patience = PATIENCE  # in seconds, with one run of the program

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon worlds "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ, PYTHONPATH=str(HERE), TENON_TEST=str(os.getpid()))
        self.environment.pop("VIRTUAL_ENV", None)

    def tearDown(self):
        wait_until(lambda: not workers(), lambda: f"processes are left behind: {workers()}", every=0.05)

    def tenon(self, *words, code=0, **environment):
        done = subprocess.run([TENON, *map(str, words)], env=dict(self.environment, **environment), capture_output=True,
                              text=True, timeout=self.patience, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr


class WorldsCase(PythonCase):
    PLUGIN = "gym/env"
    WORKERS = {"workers": 2}  # options for several processes, if the plugin has them

    def manifest(self, id, lanes=2, frames=40, python=PYTHON, **more):
        lines = [f"{key} = {value if isinstance(value, str) and value[:1] in '{[' else json.dumps(value)}"
                 for key, value in more.items()]
        if python:
            lines.append(f'python = "{python}"')
        path = self.folder / "m.toml"
        path.write_text(RANDOM.format(plugin=self.PLUGIN, id=id, lanes=lanes, frames=frames, batch=4 * lanes,
                                      more="\n".join(lines)))
        return path

    def play(self, id, code=0, **more):
        """The output of a short run with random actions, in one process: each starts a Python."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        more = ({"workers": 1} if self.WORKERS else {}) | more
        return self.tenon("run", self.manifest(id, **more), "--out", out, "--quiet", code=code)

    def equals_a_plain_loop(self, id, kwargs=None, frames=600, loop="single", **more):
        file = self.folder / "frames.safetensors"
        if kwargs:
            more["kwargs"] = "{ " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in kwargs.items()) + " }"
        manifest = self.manifest(id, lanes=3, seed_offset=7, **self.WORKERS, **more)
        self.tenon("record", manifest, "--frames", frames, "--actions", "random", "--out", file)
        done = subprocess.run([PYTHON, "-c", LOOP, file, id, "3", "7", json.dumps(kwargs or {}), loop],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps, ends = map(int, done.stdout.split())
        self.assertEqual(steps, frames // 3)
        self.assertGreater(ends, 2)

    def resumes(self, id="CartPole-v1", **more):
        """A resumed run equals one that never stopped."""
        manifest = self.manifest(id, lanes=4, frames=512, **more)
        whole, half = self.folder / "whole", self.folder / "half"
        self.tenon("run", manifest, "--out", whole, "--quiet")
        self.tenon("run", manifest, "--out", half, "--quiet", "--set", "run.total_frames=256")
        self.tenon("run", "--resume", half, "--quiet", "--set", "run.total_frames=512")

        def returns(folder):
            lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
            return [{k: v for k, v in line.items() if k.startswith("rollout")} for line in lines]

        self.assertEqual(returns(half), returns(whole))

    def resumes_anew(self):
        """What cannot be pickled begins anew, and says so."""
        manifest = self.manifest("worlds:Unpicklable", frames=256)
        out = self.folder / "out"
        said = self.tenon("run", manifest, "--out", out, "--quiet")
        self.assertIn("'worlds:Unpicklable' cannot be saved, so that a resumed run begins new episodes", said)
        said = self.tenon("run", "--resume", out, "--quiet", "--set", "run.total_frames=512")
        self.assertIn("its lanes begin new episodes", said)

    def make_bare(self, folder):
        """The interpreter of a new virtual environment without packages."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        return str(folder / "bin/python")


def main(module="gymnasium"):
    if not os.path.exists(PYTHON) or subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode:
        print(f"skipped: there is no {PYTHON} with the module {module}; ./test brings it")
        sys.exit(77)
    unittest.main(verbosity=2)
