#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Buffers on a disk (storage = "mmap"): the same run as with one in memory, also after kill -9; and folders that cannot be
used."""

import json
import unittest

from runs import RunCase, parameters, without_time

OFFLINE = """
[run]
name = "offline"

[env]
plugin = "classic/CartPole-v1"
lanes = 2

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [32]

[buffer.recorded]
plugin = "replay/uniform"
collects = false
storage = "mmap"
path = "PATH"

[objective]
plugin = "dqn/dqn"
buffer = "recorded"

[train]
total_updates = 60
minibatch = 32

[eval]
every_updates = 0
"""


class DiskBuffer(RunCase):
    SHARED = {
        "memory": ["--set", "run.total_frames=5_000", "--set", "buffer.capacity=1_100"],
        "whole": ["--set", "run.total_frames=5_000", "--set", "buffer.capacity=1_100", "--set", "buffer.storage=mmap",
                  "--set", "buffer.path=shared-ring"],
    }

    def on_disk(self, ring, *words):
        """Words of a run whose buffer is in the folder `ring`: it holds a little more than is collected between two checkpoints, and wraps around four times."""
        return [self.manifest, "--set", "run.total_frames=5_000", "--set", "buffer.capacity=1_100", "--set",
                "buffer.storage=mmap", "--set", f"buffer.path={ring}", *words]

    def refused(self, *words, code=2):
        done = self.tenon("run", "--quiet", *words, code=code)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_it_is_the_run_of_a_buffer_in_memory(self):
        memory, whole = self.shared / "memory", self.shared / "whole"
        self.assertEqual(without_time(memory), without_time(whole))
        self.assertEqual(parameters(memory), parameters(whole))
        self.assertFalse((whole / "checkpoints" / "last" / "frames.safetensors").exists())
        self.assertLess((whole / "checkpoints" / "last" / "ring.bin").stat().st_size, 2000)

    def test_killed_at_any_moment_it_resumes_as_if_nothing_had_happened(self):
        for i, count in enumerate((3, 9, 14, 18)):
            with self.subTest(records=count):
                out = self.folder / f"killed-{i}"
                process = self.start("run", *self.on_disk(f"ring-{i}"), "--quiet", "--out", out)
                self.wait_for(process, self.has_records(out, count))
                process.kill()
                self.assertEqual(process.wait(), -9)
                resumed = self.train("--resume", out)
                self.assertNotIn("overwritten", resumed["notices"])
                self.assert_same_run(self.shared / "whole", out)

    def test_killed_while_a_checkpoint_is_written(self):
        for i, point in enumerate(("write:*/ring.bin:3", "write:*/state.bin:4", "rename:*/checkpoints/1024:1", "rename:*/checkpoints/3008:1")):
            with self.subTest(point):
                out = self.folder / f"killed-{i}"
                self.tenon("run", *self.on_disk(f"ring-{i}"), "--quiet", "--out", out, code=-9, die_at=point)
                self.train("--resume", out)
                self.assert_same_run(self.shared / "whole", out)

    def test_killed_before_the_first_checkpoint_it_starts_again(self):
        out = self.folder / "killed"
        self.tenon("run", *self.on_disk("ring"), "--quiet", "--out", out, code=-9, die_at="write:*/metrics.jsonl:2")
        self.assertFalse(any((out / "checkpoints").iterdir()))
        self.assertIn("the run starts at frame 0", self.train("--resume", out)["notices"])
        self.assert_same_run(self.shared / "whole", out)

    def test_what_has_been_overwritten_is_told(self):
        """Without checkpoints in between, nothing of what they would need is kept."""
        out = self.folder / "out"
        rare = ["--set", "checkpoint.every_frames=0", "--set", "eval.every_frames=0"]
        self.train(*self.on_disk("ring", *rare), "--set", "run.total_frames=2_000", "--out", out)
        longer = ["--resume", out, "--set", "run.total_frames=15_000"]
        process = self.start("run", "--quiet", *longer)
        self.wait_for(process, self.has_records(out, 12))
        process.kill()
        self.assertEqual(process.wait(), -9)
        notices = self.train(*longer)["notices"]
        self.assertRegex(notices, r"the buffer in .*/ring has overwritten its oldest \d+ steps since the checkpoint: the run "
                         "continues without these frames, its samplers start again, and it is not identical")

    def test_a_damaged_file_is_no_overwritten_step(self):
        out, ring = self.folder / "out", self.folder / "ring"
        self.train(*self.on_disk("ring"), "--set", "run.total_frames=1_000", "--out", out)
        action = ring / "columns" / "action"
        whole = action.read_bytes()
        longer = ["--resume", out, "--set", "run.total_frames=2_000"]
        action.write_bytes(bytes(len(whole)))
        text = self.refused(*longer, code=4)
        self.assertRegex(text, f"^error: the buffer in {ring} is damaged: step [0-9] in slot [0-9] of columns/action and [0-9]+ later steps are not as "
                         "the run wrote them\n")
        self.assertIn("help: put the folder back from a copy, or begin a new run with the run's weights: --from\n", text)
        action.write_bytes(whole[:3200])  # 100 steps
        self.assertRegex(self.refused(*longer, code=4), "step 1[0-9][0-9] in slot 1[0-9][0-9] of columns/action and [0-9]+ later steps ")
        action.write_bytes(whole)
        self.assertEqual(self.train(*longer)["notices"], "")

    def test_another_process_is_refused_while_it_runs(self):
        out = self.folder / "out"
        process = self.start("run", *self.on_disk("ring"), "--set", "run.total_frames=1_000_000", "--quiet", "--out", out)
        self.wait_for(process, self.has_records(out, 2))
        ring = self.folder / "ring"
        in_use = f"error: the buffer in {ring} is in use by another process (process {process.pid})\n"
        self.assertTrue(self.refused(*self.on_disk("ring"), "--out", "other").startswith(in_use))
        offline = self.put("offline.toml", OFFLINE.replace("PATH", "ring"))
        self.assertTrue(self.refused(offline, "--out", "other").startswith(in_use))
        self.assertFalse((self.folder / "other").exists())

    def test_another_run_begins_with_its_frames_or_not_at_all(self):
        self.train(*self.on_disk("ring"), "--out", self.folder / "first")
        ring = self.folder / "ring"
        text = self.refused(*self.on_disk("ring"), "--out", "second")
        self.assertTrue(text.startswith(f"error: {ring} already holds the frames of another run\n"), text)
        self.assertIn("help: begin with them by giving the same folder as buffer.init, or give another path\n", text)
        size = sum(path.stat().st_size for path in ring.rglob("*"))
        self.train(*self.on_disk("ring"), "--set", "buffer.init=ring", "--set", "train.start_frames=0", "--out",
                   self.folder / "third")
        self.assertEqual(sum(path.stat().st_size for path in ring.rglob("*")), size)
        # In memory, they are copied.
        self.train(self.manifest, "--set", "buffer.init=ring", "--set", "run.total_frames=1_000", "--out", self.folder / "fourth")

    def test_recorded_frames_are_learnt_from_where_they_are(self):
        self.train(*self.on_disk("ring"), "--out", self.folder / "first")
        before = {path: path.read_bytes() for path in (self.folder / "ring").rglob("*") if path.is_file()}
        offline = self.put("offline.toml", OFFLINE.replace("PATH", "ring"))
        result = self.train(offline, "--out", self.folder / "second")
        self.assertEqual((result["updates"], result["notices"]), (60, ""))
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_a_folder_with_another_layout(self):
        self.train(*self.on_disk("ring"), "--out", self.folder / "first")
        ring = self.folder / "ring"
        text = self.refused(*self.on_disk("ring"), "--set", "buffer.init=ring", "--set", "buffer.capacity=2_000", "--out", "other")
        self.assertTrue(text.startswith(
            f"error: the buffer in {ring} has 276 slots of 4 lanes: observation float32 [4], action int64 [], reward float32 [], "
            "but this run has 501 slots of 4 lanes: observation float32 [4], action int64 [], reward float32 []\n"), text)
        layout = json.loads((ring / "layout.json").read_text())
        (ring / "layout.json").write_text(json.dumps({**layout, "format": "tenon buffer/7"}))
        text = self.refused(*self.on_disk("ring"), "--set", "buffer.init=ring", "--out", "other")
        self.assertTrue(text.startswith(
            f'error: {ring}/layout.json is of the version "tenon buffer/7", but this Tenon reads "tenon buffer/1"\n'), text)

    def test_more_than_the_disk_has(self):
        text = self.refused(*self.on_disk("ring"), "--set", "buffer.capacity=900_000_000_000", "--out", "out", code=4)
        self.assertRegex(text, f"^error: the buffer in {self.folder}/ring needs [0-9.]+ GiB, but its disk has only [0-9.]+ .iB left\n")
        self.assertIn("help: lower the buffer's capacity, or give it a path on a larger disk\n", text)
        self.assertFalse((self.folder / "ring").exists())
        self.assertFalse((self.folder / "out").exists())

    def test_how_much_of_the_disk_it_takes_is_told_before(self):
        told = json.loads(self.tenon("explain", "--json", *self.on_disk("ring")).stdout)["memory"]
        self.assertEqual(told["columns"], 0)
        self.assertFalse((self.folder / "ring").exists())
        self.train(*self.on_disk("ring"), "--out", self.folder / "first")
        files = [path for path in (self.folder / "ring").rglob("*") if path.is_file()]
        sizes = sum(path.stat().st_size for path in files if path.name not in ("layout.json", "lock"))
        self.assertEqual(told["disk"], sizes)


if __name__ == "__main__":
    unittest.main(verbosity=2)
