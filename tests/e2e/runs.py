# SPDX-License-Identifier: Apache-2.0
"""Runs of the program in folders of their own, and what must be equal between two of them.

TENON is the program, DIE_AT the library of die_at.cpp, FIXTURES the folder of the plugins made for tests, SANITIZED "1"
where all are built with sanitizers; SECOND_LEVEL "1" where TENON_LEVEL is lower than in another run of the same tests."""

import json
import os
import platform
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from manifest_parts import ppo_tables  # noqa: E402, F401
from patience import PATIENCE, wait_until  # noqa: E402

TENON = os.environ["TENON"]
DIE_AT = os.environ["DIE_AT"]
FIXTURES = Path(os.environ["FIXTURES"])
MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"
SANITIZED = os.environ.get("SANITIZED") == "1"
MIB = 1 << 20

# A quarter of a second of training, in which the best evaluation changes a few times. By compiled programs alone: mapping
# libtorch, to compare the first updates with it, takes longer than the run.
SMALL = """[run]
executor = "compiled"
total_frames = 10_000

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [32]
activation = "relu"

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 5_000

[objective]
plugin = "dqn/dqn"

[train]
batch = 64
updates_per_batch = 4
minibatch = 32
start_frames = 500

[optimiser]
lr = 3e-3

[target]
every = 50

[schedule]
"exploration.epsilon" = { kind = "linear", from = 1.0, to = 0.05, frames = 4000 }

[eval]
every_frames = 1_000
episodes = 4

[log]
every_frames = 250

[checkpoint]
every_frames = 1_000
"""


def machine_levels():
    """The values of TENON_LEVEL for which this machine has the instructions, best first, without "base"."""
    if platform.machine() != "x86_64":
        return []
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")]
    flags = set(lines[0].split()) if lines else set()
    needed = {"avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}, "avx2": {"avx2", "fma"}}
    return [level for level, instructions in needed.items() if flags >= instructions]


def limit_memory(size):
    """For a child: no more address space than that, so that allocations fail as they do where memory is used up."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))}


def records(folder):
    """What a run has recorded, in its order."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def without_time(folder):
    """The metric files of a run, each line without what stands under time/."""
    jsonl = [[(key, value) for key, value in record.items() if not key.startswith("time/")] for record in records(folder)]
    rows = [line.split(",") for line in (folder / "metrics.csv").read_text().splitlines()]
    kept = [i for i, name in enumerate(rows[0]) if not name.startswith("time/")]
    return jsonl, [[row[i] for i in kept] for row in rows]


def parameters(folder):
    return (folder / "checkpoints" / "last" / "parameters.safetensors").read_bytes()


def tensorboard_steps(folder):
    """The step of every event with scalars in a run's event files, in the order in which TensorBoard reads them."""
    steps = []
    for path in sorted((folder / "tensorboard").glob("events.out.tfevents.*")):
        data, at = path.read_bytes(), 0
        while at < len(data):
            (size,) = struct.unpack_from("<Q", data, at)
            event = data[at + 12 : at + 12 + size]
            at += size + 16
            step, shift, next_byte = 0, 0, 9  # behind the wall time
            if event[next_byte] != 0x10:
                continue  # the first of a file has no step
            while True:
                next_byte += 1
                step |= (event[next_byte] & 127) << shift
                shift += 7
                if event[next_byte] < 128:
                    break
            if event[next_byte + 1] == 0x2A:
                steps.append(step)
    return steps


def contents(folder):
    """Every file below a folder with its bytes, links with where they lead."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = "-> " + os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


# The work is cut into ranges of at most 64 lanes: these are three or more.
WIDE = ["--set", "env.lanes=160", "--set", "train.batch=160"]


class RunCase(unittest.TestCase):
    maxDiff = 2000
    # Runs that all tests of a class begin with, read only: name -> words after `tenon run small.toml`.
    SHARED = {}
    patience = PATIENCE  # in seconds, with one run of the program

    @classmethod
    def setUpClass(cls):
        if os.environ.get("SECOND_LEVEL") == "1" and "avx512" not in machine_levels():
            reason = "this machine has no AVX-512, so that the same tests run at its best level only"
            print(f"left out: {reason}")
            raise unittest.SkipTest(reason)
        holder = tempfile.TemporaryDirectory(prefix="tenon-e2e-")
        cls.addClassCleanup(holder.cleanup)
        cls.shared = Path(holder.name).resolve()
        (cls.shared / "small.toml").write_text(SMALL)
        cls.results = {}
        for name, words in cls.SHARED.items():
            command = [TENON, "run", "small.toml", "--quiet", "--json", "--out", name, *words]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=cls.shared)
            cls.results[name] = json.loads(done.stdout)

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tenon-e2e-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.manifest = self.put("small.toml", SMALL)

    def copy(self, run, name):
        shutil.copytree(run, self.folder / name, symlinks=True)
        return self.folder / name

    def put(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def environment(self, die_at=None):
        variables = {k: v for k, v in os.environ.items() if k not in ("TENON_PLUGIN_PATH", "LD_PRELOAD")}
        if die_at:
            # By name, found in its folder: the loader takes a space in LD_PRELOAD for the end of a path.
            folder, name = os.path.split(DIE_AT)
            path = ":".join(filter(None, [folder, variables.get("LD_LIBRARY_PATH")]))
            variables.update(LD_PRELOAD=name, LD_LIBRARY_PATH=path, DIE_AT=die_at)
            if SANITIZED:
                variables["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return variables

    def tenon(self, *words, code=0, die_at=None, **more):
        """The program run to its end, with the exit code that is expected."""
        done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=self.patience, cwd=self.folder,
                              env=self.environment(die_at), **more)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def train(self, *words, **more):
        """`tenon run --json` and its object."""
        done = self.tenon("run", "--quiet", "--json", *words, **more)
        result = json.loads(done.stdout.splitlines()[-1])
        result["notices"] = done.stderr
        return result

    def run_to(self, name, *words):
        """The folder of a run of self.manifest that has nothing to say."""
        result = self.train(self.manifest, "--out", self.folder / name, *words)
        self.assertEqual(result["notices"], "")
        return self.folder / name

    def fake_ssh(self, name="ssh"):
        """A program that does what ssh does: one machine does not answer; on the others a shell runs the words, in another folder and
        environment."""
        path = self.folder / name
        path.write_text('#!/bin/sh\nhost=$1; shift\n[ "$host" = gone ] && { echo "connect to host gone: refused" >&2; exit 255; }\n'
                        'cd / && env -i PATH="$PATH" sh -c "$*"\n')  # fmt: skip
        path.chmod(0o755)
        return path

    def start(self, *words):
        """The program in the background."""
        process = subprocess.Popen([TENON, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.folder, env=self.environment())
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, what):
        """Until what() is true, which must come before the process ends."""
        def happened():
            found = what()
            if not found:
                self.assertIsNone(process.poll(), "it ended too early")
            return found

        wait_until(happened)

    def has_records(self, folder, count):
        """Whether the run has written so many records."""
        path = folder / "metrics.jsonl"
        return lambda: path.is_file() and path.read_bytes().count(b"\n") >= count

    def killed(self, out, die_at, *words):
        self.tenon("run", self.manifest, "--quiet", "--out", out, *words, code=-signal.SIGKILL, die_at=die_at)

    def last_frames(self, folder):
        return int(os.readlink(folder / "checkpoints" / "last"))

    def assert_same_run(self, one, other, events=True):
        self.assertEqual(without_time(one), without_time(other))
        for run in (one, other) if events else ():
            self.assertEqual(tensorboard_steps(run), [record["frames"] for record in records(run)])
        left, right = contents(one / "checkpoints"), contents(other / "checkpoints")
        self.assertEqual(list(left), list(right))
        self.assertEqual([name for name in left if left[name] != right[name]], [])
        self.assertEqual([p.name for p in one.iterdir() if p.name.startswith(".")], [])

    def same_in_halves(self, manifest, half_frames, *words, name="whole"):
        """A run on one thread, and one on two that paused after so many frames, are the same. Gives the former's folder and
        what it printed."""
        whole, half = self.folder / name, self.folder / f"{name}_half"
        result = self.train(manifest, "--out", whole, *words, "--set", "run.threads=1")
        words = [*words, "--set", "run.threads=2"]
        self.train(manifest, "--out", half, *words, "--set", f"run.total_frames={half_frames}")
        self.train("--resume", half, manifest, *words)
        self.assert_same_run(whole, half)
        return whole, result
