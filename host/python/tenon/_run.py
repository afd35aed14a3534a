# SPDX-License-Identifier: Apache-2.0
"""Runs as processes of the program, whose exit code and sentence become a value or an exception."""

import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ._program import PROGRAM


class TenonError(RuntimeError):
    """What the program says of an input, a plugin or the machine; `code` is its exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@dataclass
class Run:
    """A finished run: its folder, and the values that `tenon run --json` prints."""

    folder: Path
    frames: int
    updates: int
    result: dict


def value_text(value):
    """A Python value as TOML, for --set."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {value_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Path):
        return json.dumps(str(value))
    raise TypeError(f"{value!r} has no form in a manifest")


def overrides(sets, above=""):
    """run={"seed": 1} becomes run.seed=1."""
    for key, value in sets.items():
        if isinstance(value, dict):
            yield from overrides(value, f"{above}{key}.")
        else:
            yield f"{above}{key}={value_text(value)}"


class Records:
    """The records of a run that goes on, each once."""

    def __init__(self, folder):
        self.path, self.read = folder / "metrics.jsonl", 0

    def new(self):
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            file.seek(self.read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.read += len(line)
                yield json.loads(line)


def run(manifest, world=None, *, env=None, out=None, callback=None, every=0.1, **sets):
    """Trains a manifest, or an algorithm in an env, as `tenon run ppo CartPole-v1` does, and returns its Run:

    tenon.run("ppo.toml"), tenon.run("ppo", env="CartPole-v1"), tenon.run("ppo", "CartPole-v1", env={"lanes": 4})

    sets: values of the manifest, by table: run={"seed": 1}, objective={"gamma": 0.98}. callback gets each record of the
    metrics as a dictionary while the run goes on; if it returns False, the run writes a checkpoint and ends, as after
    Ctrl-C. What the program refuses is a TenonError with its sentence.
    """
    if isinstance(env, (str, os.PathLike)):
        if world is not None:
            raise TypeError(f"two envs are named, {world!r} and {env!r}")
        world, env = env, None
    named = [os.fspath(word) for word in (manifest, world) if word is not None]
    words = [str(PROGRAM), "run", *named, "--quiet", "--json"]
    for text in overrides({"env": env or {}, **sets}):
        words += ["--set", text]
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="tenon-")) / "run"
    words += ["--out", str(folder)]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as told:
        process = subprocess.Popen(words, stdout=said, stderr=told, stdin=subprocess.DEVNULL)
        try:
            watch(process, Records(folder), callback, every)
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
        said.seek(0)
        told.seek(0)
        if process.returncode != 0:
            raise TenonError(process.returncode, told.read().decode("utf-8", "replace").strip())
        result = json.loads(said.read().splitlines()[-1])
    return Run(folder, result["frames"], result["updates"], result)


def watch(process, records, callback, every):
    stopped = False
    ended = False
    while not ended:
        if callback is None:
            process.wait()
            return
        ended = process.poll() is not None
        for record in records.new():
            if callback(record) is False and not stopped and not ended:
                stopped = True
                process.send_signal(signal.SIGINT)
        if not ended:
            time.sleep(every)
