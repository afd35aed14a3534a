# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a run as it writes them, and remembers which of them a logger has.

The run does not know that it is read: nothing here writes to its files, holds its lock or talks to it. The state of a
logger is a file of its own in DIR/loggers/. A resumed run writes the records after its checkpoint again; they are the same
numbers, so records up to the last one that was logged are left out.
"""

import argparse
import fcntl
import json
import os
import sys
import time
from pathlib import Path


def is_running(folder):
    """Whether a process holds the lock of the run."""
    try:
        with open(folder / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False


def manifest_of(folder):
    """Every value of the run's manifest by its dotted key: {"objective.gamma": 0.99}. Python 3.11 or the package tomli reads it."""
    try:
        import tomllib
    except ModuleNotFoundError:
        try:
            import tomli as tomllib
        except ModuleNotFoundError:
            print("the manifest is not logged: this needs Python 3.11 or the package tomli", file=sys.stderr)
            return {}
    flat = {}

    def add(key, value):
        if isinstance(value, dict) and value:
            for name, inner in value.items():
                add(f"{key}.{name}" if key else name, inner)
        elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
            for at, inner in enumerate(value):
                add(f"{key}.{at}", inner)
        else:
            flat[key] = value

    add("", tomllib.loads((folder / "manifest.lock.toml").read_text(encoding="utf-8")))
    return flat


class Tail:
    """The records that a logger does not have yet."""

    def __init__(self, folder, logger):
        self.folder = Path(folder)
        self.file = self.folder / "loggers" / f"{logger}.json"
        self.state = {"position": None, "id": None, "files": []}
        if self.file.exists():
            self.state.update(json.loads(self.file.read_text(encoding="utf-8")))
        self.offset = 0

    def save(self):
        """Whole or not at all: the process may end at any time."""
        self.file.parent.mkdir(exist_ok=True)
        draft = self.file.with_suffix(".draft")
        draft.write_text(json.dumps(self.state) + "\n", encoding="utf-8")
        os.replace(draft, self.file)

    def records(self):
        """(position, {name: number}) of each complete record that is new; names without a value are left out."""
        path = self.folder / "metrics.jsonl"
        if not path.exists():
            return
        if path.stat().st_size < self.offset:
            self.offset = 0  # the run was resumed from an earlier checkpoint
        with open(path, "rb") as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # is still being written
                self.offset += len(line)
                try:
                    record = json.loads(line)
                    key, position = next(iter(record.items()))
                except (ValueError, StopIteration, AttributeError):
                    print(f"a line of {path} is no record, and is left out: {line[:60]!r}", file=sys.stderr)
                    continue
                if self.state["position"] is not None and position <= self.state["position"]:
                    continue
                yield position, {name: value for name, value in record.items() if name != key and value is not None}
                self.state["position"] = position

    def videos(self):
        """Videos of checkpoints that are new: [(position, path)]."""
        checkpoints = self.folder / "checkpoints"
        # Names first: a glob would enter temporary folders, which vanish.
        names = [name for name in os.listdir(checkpoints) if name.isdigit()] if checkpoints.exists() else []
        new = sorted(int(name) for name in names if name not in self.state["files"])
        files = [(at, checkpoints / str(at) / f"video.{kind}") for at in new for kind in ("mp4", "png")]
        return [(at, file) for at, file in files if file.exists()]


def follow(tail, log, log_video, every, once):
    """Logs what is there and what comes, until the run ends. log(position, numbers); log_video(position, path)."""
    while True:
        running = is_running(tail.folder)  # before the last look, so that nothing is missed
        count = 0
        for position, numbers in tail.records():
            log(position, numbers)
            count += 1
        for position, path in tail.videos():
            try:
                log_video(position, path)
            except FileNotFoundError:
                continue  # the run keeps only its newest checkpoints
            tail.state["files"].append(path.parent.name)
            count += 1
        if count:
            tail.save()
        if once or not running:
            return
        time.sleep(every)


def arguments(about, logger):
    """The command line that all loggers share, and the tail of the run."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the run's folder, which may be written to at the same time")
    parser.add_argument("--project", default="tenon", help="the project or experiment; the default is tenon")
    parser.add_argument("--name", help="the name of the run there; the default is that of its folder")
    parser.add_argument("--every", type=float, default=2, metavar="S", help="seconds between looks at the run; the default is 2")
    parser.add_argument("--once", action="store_true", help="log what is there, and do not wait for more")
    given = parser.parse_args()
    if not (given.run / "manifest.lock.toml").exists():
        parser.exit(2, f"error: there is no run in {given.run}: it has no manifest.lock.toml\n")
    given.name = given.name or given.run.resolve().name
    return given, Tail(given.run, logger)
