#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon prune: what it would delete of a real run, what stays and still works, which runs it leaves alone, and what it refuses."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
MANIFEST = """
[run]
executor = "compiled"
total_frames = 1000
[env]
plugin = "classic/CartPole-v1"
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]
[buffer]
plugin = "replay/uniform"
capacity = 1000
[objective]
plugin = "dqn/dqn"
[train]
batch = 8
start_frames = 100
[eval]
episodes = 1
[checkpoint]
every_frames = 200
keep = 4
"""


def tenon(*words):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, check=False)


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


class Prune(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        manifest = Path(cls.holder.name) / "dqn.toml"
        manifest.write_text(MANIFEST)
        cls.whole = manifest.with_name("dqn")
        done = tenon("run", manifest, "--quiet", "--out", cls.whole)
        assert done.returncode == 0, done.stderr
        *_, cls.best = sorted((path.name for path in (cls.whole / "checkpoints").iterdir() if path.name != "last"), key=int, reverse=True)
        (cls.whole / "checkpoints" / "best").symlink_to(cls.best)

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.run_folder = self.folder / "runs" / "dqn"
        shutil.copytree(self.whole, self.run_folder, symlinks=True)

    def prune(self, *words, of=None):
        done = tenon("prune", of or self.run_folder, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def objects(self, *words, of=None):
        return [json.loads(line) for line in self.prune("--json", *words, of=of).splitlines()]

    def refused(self, *words):
        done = tenon("prune", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def checkpoints(self):
        return sorted((path.name for path in (self.run_folder / "checkpoints").iterdir() if not path.is_symlink()), key=int)

    def make_unfinished(self, died):
        manifest = self.run_folder / "manifest.lock.toml"
        manifest.write_text(manifest.read_text().replace("total_frames = 1000", "total_frames = 5000"))
        (self.run_folder / "lock").write_text("1\n" if died else "")

    def test_without_yes_it_only_says_what_it_would_delete(self):
        before = self.checkpoints()
        text = self.prune()
        self.assertIn("WOULD DELETE", text)
        self.assertRegex(text, r"--yes deletes this and frees [\d.]+ kB\n$")
        self.assertEqual(self.checkpoints(), before)

    def test_the_best_and_the_newest_stay_and_the_bytes_are_those_that_are_freed(self):
        before, had = self.checkpoints(), size_of(self.run_folder)
        said = self.objects()
        stay = {self.best, "1000"}
        self.assertEqual(said, [{"run": str(self.run_folder), "state": "ended", "checkpoints": [int(name) for name in before if name not in stay],
                                 "buffers": [], "bytes": said[0]["bytes"], "deleted": False}])  # fmt: skip
        self.assertTrue(said[0]["checkpoints"])
        self.assertEqual(self.objects("--yes"), [{**said[0], "deleted": True}])
        self.assertEqual(set(self.checkpoints()), stay)
        self.assertEqual(had - size_of(self.run_folder), said[0]["bytes"])

    def test_what_is_done_with_a_run_by_default_stays_as_it_was(self):
        words = [("eval", "--json"), ("eval", "--json", "--checkpoint", "last")]
        scores = [tenon(verb, self.run_folder, *more).stdout for verb, *more in words]
        self.assertIn("freed", self.prune("--yes"))
        self.assertEqual([tenon(verb, self.run_folder, *more).stdout for verb, *more in words], scores)
        longer = tenon("run", "--resume", self.run_folder, "--quiet", "--set", "run.total_frames=1100")
        self.assertEqual(longer.returncode, 0, longer.stderr)
        self.assertGreaterEqual(int(self.checkpoints()[-1]), 1100)

    def test_keep_counts_the_newest_besides_the_best(self):
        newest = self.checkpoints()[-2:]
        self.prune("--yes", "--keep", "2")
        self.assertEqual(set(self.checkpoints()), {self.best, *newest})

    def test_the_second_best_stays_too(self):
        second = self.objects()[0]["checkpoints"][0]
        (self.run_folder / "checkpoints" / "best-2").symlink_to(str(second))
        self.assertNotIn(second, self.objects("--yes")[0]["checkpoints"])
        self.assertIn(str(second), self.checkpoints())

    def test_without_buffers_a_run_scores_as_before_but_is_not_resumed(self):
        score = tenon("eval", self.run_folder, "--json").stdout
        last = tenon("eval", self.run_folder, "--json", "--checkpoint", "last").stdout
        had = size_of(self.run_folder)
        said = self.objects("--buffers")[0]
        self.assertEqual(said["buffers"], sorted({int(self.best), 1000}))
        text = self.prune("--buffers", "--yes")
        self.assertIn("without its buffer a run cannot be resumed: 1 run\nfreed ", text)
        kept_notes = sum(path.stat().st_size for path in self.run_folder.rglob("scored_only"))
        self.assertAlmostEqual(had - size_of(self.run_folder), said["bytes"], delta=kept_notes + 400)  # complete.json is shorter, too
        self.assertFalse(list(self.run_folder.rglob("frames.safetensors")))
        self.assertEqual(os.readlink(self.run_folder / "checkpoints" / "last"), "1000")
        self.assertEqual(tenon("eval", self.run_folder, "--json").stdout, score)
        self.assertEqual(tenon("eval", self.run_folder, "--json", "--checkpoint", "last").stdout, last)
        resumed = tenon("run", "--resume", self.run_folder, "--set", "run.total_frames=1100")
        self.assertEqual(resumed.returncode, 2)
        self.assertIn(f"there is no file {self.run_folder}/checkpoints/1000/frames.safetensors", resumed.stderr)
        self.assertIn("nothing to free in 1 run", self.prune("--buffers"))

    def test_a_run_without_a_buffer_keeps_its_newest_observations(self):
        manifest = self.run_folder / "manifest.lock.toml"
        text = manifest.read_text()
        start = text.index("[buffer]")
        manifest.write_text(text[:start] + text[text.index("\n[", start) + 1 :])
        self.assertEqual(self.objects("--buffers")[0]["buffers"], [])

    def test_files_that_other_runs_share_free_nothing(self):
        shared = self.folder / "shared"
        shutil.copytree(self.run_folder, shared, symlinks=True, copy_function=os.link)
        self.assertEqual(self.objects()[0]["bytes"], 0)

    def test_a_running_run_is_left_alone(self):
        before = self.checkpoints()
        other = self.folder / "runs" / "other"
        shutil.copytree(self.run_folder, other, symlinks=True)
        with open(self.run_folder / "lock", "r+", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual(self.refused(self.run_folder, "--yes"), f"error: the run in {self.run_folder} is running, so nothing of it is deleted\n")
            self.assertRegex(self.prune("--yes", of=self.folder / "runs"), r"runs/dqn +nothing: running\n.*runs/other +\d")
        self.assertEqual(self.checkpoints(), before)
        self.assertEqual(len(list((other / "checkpoints").iterdir())), 4)  # two checkpoints, two links

    def test_runs_of_a_sweep_that_is_running_are_left_alone(self):
        before = self.checkpoints()
        with open(self.folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual(self.refused(self.run_folder, "--yes"), f"error: the run in {self.run_folder} is one of those in {self.folder}, "
                                                                     "which are running, so nothing of it is deleted\n")
            self.assertEqual(self.checkpoints(), before)
        self.prune("--yes")

    def test_a_run_that_has_not_ended_is_pruned_if_asked_and_stays_what_it_was(self):
        for state in ("stopped", "died"):
            self.make_unfinished(state == "died")
            self.assertEqual(self.refused(self.run_folder),
                             f"error: the run in {self.run_folder} has not ended ({state}), so nothing of it is deleted\n"
                             "help: --unfinished prunes it, too; its best and newest checkpoints stay\n")  # fmt: skip
            said = self.objects("--unfinished", "--yes")[0]
            self.assertEqual(said["state"], state)
            self.assertEqual(self.objects("--unfinished")[0]["state"], state)
        self.assertEqual(set(self.checkpoints()), {self.best, "1000"})

    def test_nothing_to_free_is_said_and_no_mistake(self):
        self.prune("--yes")
        self.assertIn("nothing to free in 1 run\n", self.prune("--yes"))
        self.assertFalse(self.objects("--yes")[0]["deleted"])

    def test_mistakes_have_a_sentence_each(self):
        self.assertEqual(self.refused(), "error: prune needs a run or a folder of runs: tenon prune runs\n")
        self.assertEqual(self.refused("/no/such"), "error: there is no folder /no/such\n")
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertEqual(self.refused(empty), f"error: there is no run in {empty} or at most 3 folders below it: none has a manifest.lock.toml\n")
        self.assertEqual(self.refused(self.run_folder, "--keep", "0"), "error: --keep must be at least 1, but is 0\n")

    def test_a_run_that_cannot_be_read_does_not_stop_the_others(self):
        broken = self.folder / "runs" / "broken"
        broken.mkdir()
        (broken / "manifest.lock.toml").write_text("[")
        done = tenon("prune", self.folder / "runs", "--yes")
        self.assertEqual(done.returncode, 2)
        self.assertIn("broken/manifest.lock.toml", done.stderr)
        self.assertEqual(set(self.checkpoints()), {self.best, "1000"})


if __name__ == "__main__":
    unittest.main()
