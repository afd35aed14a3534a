#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every logger reads of a run: tools/loggers/tail.py on files that grow, shrink and end in the middle of a line. And what
the loggers make of it, by packages that write down how they are called; tools/check_loggers logs with the real wandb and mlflow."""

import contextlib
import fcntl
import io
import json
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

LOGGERS = Path(__file__).resolve().parents[2] / "tools" / "loggers"
sys.path[:0] = [str(LOGGERS), str(LOGGERS.parents[1] / "tests" / "support")]
import tail as tails  # noqa: E402
from patience import PATIENCE  # noqa: E402

# What a logger may call of each package, and no more: a name that is not here is an error.
WANDB = """
import json, os, types
def write(*call):
    with open(os.environ["CALLS"], "a") as file:
        file.write(json.dumps(call) + "\\n")
class Run:
    def __init__(self, folder):
        self.dir = os.path.join(folder, "wandb")
        os.makedirs(self.dir, exist_ok=True)
    def define_metric(self, name, step_metric=None):
        write("define_metric", name, step_metric)
    def log(self, row):
        write("log", row)
    def finish(self):
        write("finish")
def init(*, project, name, id, resume, dir, config):
    write("init", project, name, id, resume, config)
    return Run(dir)
def Video(path, format):
    return [os.path.basename(path), format]
"""
MLFLOW = """
import contextlib, json, os, types
def write(*call):
    with open(os.environ["CALLS"], "a") as file:
        file.write(json.dumps(call) + "\\n")
def set_experiment(name):
    write("set_experiment", name)
class MlflowClient:
    def log_batch(self, run, metrics=(), params=()):
        write("log_batch", run, list(metrics), list(params))
    def log_artifact(self, run, path, place):
        write("log_artifact", run, os.path.basename(path), place)
@contextlib.contextmanager
def start_run(*, run_id, run_name):
    write("start_run", run_id, run_name)
    yield types.SimpleNamespace(info=types.SimpleNamespace(run_id=run_id or "new"))
    write("end_run")
"""
ENTITIES = """
def Metric(key, value, timestamp, step):
    return [key, value, step]
def Param(key, value):
    return [key, value]
"""


class Tail(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.run = Path(holder.name)
        self.metrics = self.run / "metrics.jsonl"
        self.logged = []

    def write(self, *positions, more=""):
        with open(self.metrics, "a") as file:
            file.write("".join(f'{{"frames":{at},"loss":{at / 4},"none":null}}\n' for at in positions) + more)

    def tail(self):
        return tails.Tail(self.run, "test")

    def follow(self, tail, once=True):
        tails.follow(tail, lambda at, numbers: self.logged.append((at, numbers)), lambda at, path: self.logged.append((at, path.name)), 0.01, once)

    def positions(self):
        out, self.logged = [at for at, _ in self.logged], []
        return out

    def test_numbers_without_those_that_have_none(self):
        self.write(4)
        self.follow(self.tail())
        self.assertEqual(self.logged, [(4, {"loss": 1.0})])

    def test_a_line_that_is_still_written(self):
        self.write(4, more='{"frames":8,"lo')
        tail = self.tail()
        self.follow(tail)
        self.assertEqual(self.positions(), [4])
        with open(self.metrics, "a") as file:
            file.write('ss":2.5}\n')
        self.follow(tail)
        self.assertEqual(self.logged, [(8, {"loss": 2.5})])

    def test_another_process_goes_on_where_the_last_one_stood(self):
        self.write(4, 8)
        self.follow(self.tail())
        self.write(12)
        self.follow(self.tail())
        self.assertEqual(self.positions(), [4, 8, 12])
        self.follow(self.tail())
        self.assertEqual(self.positions(), [])

    def test_a_resumed_run_writes_some_records_again(self):
        self.write(4, 8, 12)
        tail = self.tail()
        self.follow(tail)
        self.metrics.write_text("")  # cut to those before the checkpoint: here none
        self.write(4, 8)
        self.follow(tail)
        self.write(12, 16)
        self.follow(tail)
        self.assertEqual(self.positions(), [4, 8, 12, 16])

    def test_a_line_that_is_no_record(self):
        self.write(4, more="nonsense\n[]\n{}\n")
        self.write(8)
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            self.follow(self.tail())
        self.assertEqual(self.positions(), [4, 8])
        self.assertEqual(told.getvalue().count("is no record, and is left out"), 3)

    def test_the_end_of_the_run_is_the_end(self):
        self.write(4)
        lock = open(self.run / "lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        thread = threading.Thread(target=self.follow, args=(self.tail(), False))
        thread.start()
        thread.join(0.2)
        self.assertTrue(thread.is_alive())
        self.write(8)
        lock.close()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())
        self.assertEqual(self.positions(), [4, 8])

    def test_videos_of_checkpoints_once(self):
        for at in (4, 8):
            (self.run / "checkpoints" / str(at)).mkdir(parents=True)
            (self.run / "checkpoints" / str(at) / "video.png").write_text("")
        (self.run / "checkpoints" / "last").symlink_to("8")
        self.follow(self.tail())
        self.follow(self.tail())
        self.assertEqual(self.logged, [(4, "video.png"), (8, "video.png")])

    def test_a_logger_that_fails_has_not_got_the_record(self):
        self.write(4)

        def fail(at, numbers):
            raise OSError("no connection")

        with self.assertRaises(OSError):
            tails.follow(self.tail(), fail, fail, 0.01, True)
        self.follow(self.tail())
        self.assertEqual(self.positions(), [4])

    def test_the_manifest_by_dotted_keys(self):
        (self.run / "manifest.lock.toml").write_text('[run]\nname = "a"\n[[env.transforms]]\nplugin = "x/y"\nk = [1, 2]\n')
        self.assertEqual(tails.manifest_of(self.run), {"run.name": "a", "env.transforms.0.plugin": "x/y", "env.transforms.0.k": [1, 2]})

    def test_a_python_without_the_package(self):
        for name in ("wandb", "mlflow"):
            script = f"import sys, runpy; sys.path.insert(0, {str(LOGGERS)!r}); sys.modules[{name!r}] = None; runpy.run_path({str(LOGGERS / f'to_{name}.py')!r})"
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"error: this Python has no package {name}; install it with: pip install {name}\n"))

    def test_a_folder_that_is_no_run(self):
        parsed = f"import sys; sys.path.insert(0, {str(LOGGERS)!r}); sys.argv = ['x', {str(self.run)!r}]; import tail; tail.arguments('', 'x')"
        done = subprocess.run([sys.executable, "-c", parsed], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, f"error: there is no run in {self.run}: it has no manifest.lock.toml\n"))


class Packages(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.run = self.folder / "first"
        (self.run / "checkpoints" / "8").mkdir(parents=True)
        (self.run / "manifest.lock.toml").write_text('[run]\nseed = 3\n')
        (self.run / "checkpoints" / "8" / "video.mp4").write_text("")
        self.write(4, 8)

    def write(self, *positions):
        with open(self.run / "metrics.jsonl", "a") as file:
            file.write("".join(f'{{"frames":{at},"loss":{at / 4}}}\n' for at in positions))

    def calls(self, name, modules=()):
        """What a logger calls of its package, which has these modules."""
        for module, text in dict(modules).items():
            path = self.folder / "site" / module
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = {"PYTHONPATH": str(self.folder / "site"), "CALLS": str(self.folder / "calls")}
        done = subprocess.run([sys.executable, LOGGERS / f"to_{name}.py", self.run, "--project", "mine"], capture_output=True, text=True,
                              env=environment, timeout=PATIENCE)  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        calls = [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
        (self.folder / "calls").unlink()
        return calls

    def test_wandb(self):
        first = self.calls("wandb", {"wandb.py": WANDB})
        own = first[0][3]
        self.assertRegex(own, "^[0-9a-f]{8}$")
        begin = [["init", "mine", "first", own, "allow", {"run.seed": 3}], ["define_metric", "position", None], ["define_metric", "*", "position"]]
        self.assertEqual(first, [*begin, ["log", {"position": 4, "loss": 1.0}], ["log", {"position": 8, "loss": 2.0}],
                                 ["log", {"position": 8, "video": ["video.mp4", "mp4"]}], ["finish"]])  # fmt: skip
        self.write(12)
        self.assertEqual(self.calls("wandb"), [*begin, ["log", {"position": 12, "loss": 3.0}], ["finish"]])

    def test_wandb_knows_no_animated_png(self):
        (self.run / "checkpoints" / "8" / "video.mp4").rename(self.run / "checkpoints" / "8" / "video.png")
        self.assertEqual([call[0] for call in self.calls("wandb", {"wandb.py": WANDB})][-3:], ["log", "log", "finish"])
        self.assertTrue((self.run / "wandb" / "videos" / "8.png").exists())

    def test_mlflow(self):
        first = self.calls("mlflow", {"mlflow/__init__.py": MLFLOW, "mlflow/entities.py": ENTITIES})
        self.assertEqual(first, [["set_experiment", "mine"], ["start_run", None, "first"], ["log_batch", "new", [], [["run.seed", "3"]]],
                                 ["log_batch", "new", [["loss", 1.0, 4]], []], ["log_batch", "new", [["loss", 2.0, 8]], []],
                                 ["log_artifact", "new", "video.mp4", "videos/8"], ["end_run"]])  # fmt: skip
        self.write(12)
        self.assertEqual(self.calls("mlflow"), [["set_experiment", "mine"], ["start_run", "new", None],
                                                ["log_batch", "new", [["loss", 3.0, 12]], []], ["end_run"]])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
