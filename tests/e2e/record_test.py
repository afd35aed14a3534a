#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon record`: what it writes, that it does so again, and that others learn from it as from the frames themselves."""

import json
import struct
import unittest

from evaluation_test import BOUNDED
from only_learns_test import LEARNS
from runs import SMALL, RunCase, contents

FRAMES = 2_000


def header(path):
    """The header of a safetensors file: shapes by name, and the metadata."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    tensors = json.loads(data[8 : 8 + size])
    about = tensors.pop("__metadata__")
    return {name: (tensor["dtype"], tensor["shape"]) for name, tensor in tensors.items()}, about


class Record(RunCase):
    SHARED = {"trained": ["--set", "checkpoint.keep=20"], "unscored": ["--set", "run.total_frames=600", "--set", "eval.every_frames=0"]}

    def record(self, source, name, *words, **more):
        done = self.tenon("record", source, "--frames", FRAMES, "--out", self.folder / name, "--json", *words, **more)
        return json.loads(done.stdout), self.folder / name

    def learn(self, init, name):
        manifest = self.put(f"{name}.toml", LEARNS.replace('"collected"', json.dumps(str(init))))
        self.train(manifest, "--out", self.folder / name, "--set", "train.total_updates=200",
                   "--set", "checkpoint.buffer=false")
        return contents(self.folder / name / "checkpoints")

    def test_a_file_says_what_is_in_it(self):
        made, file = self.record(self.shared / "trained", "expert", "--actions", "mode")
        tensors, about = header(file)
        slots = FRAMES // 4 + 1
        ends = tensors["observation/final"][1][0]
        self.assertEqual(tensors["observation"], ("F32", [slots, 4, 4]))
        self.assertEqual(tensors["reward"], ("F32", [slots, 4]))
        self.assertEqual(tensors["action"], ("I64", [slots, 4]))
        self.assertEqual((made["frames"], made["episodes"]), (FRAMES, ends))
        self.assertEqual((about["format"], about["env"]), ("tenon frames/1", "classic/CartPole-v1"))
        self.assertEqual((about["actions"], about["frames"], about["seed"]), ("mode", str(FRAMES), "0"))
        self.assertEqual(about["spec.action"], "action: int64, 2 categories")
        self.assertEqual(float(about["return_mean"]), made["return_mean"])
        best = json.loads((self.shared / "trained" / "checkpoints" / "best" / "complete.json").read_text())
        self.assertEqual(int(about["checkpoint"]), best.get("frames", int(about["checkpoint"])))

    def test_a_policy_plays_as_in_an_evaluation(self):
        done = self.tenon("eval", self.shared / "trained", "--checkpoint", "last", "--episodes", "100", "--json")
        mode, _ = self.record(self.shared / "trained", "mode", "--actions", "mode", "--checkpoint", "last")
        self.assertAlmostEqual(mode["return_mean"], json.loads(done.stdout)["return_mean"], delta=1)
        drawn, _ = self.record(self.shared / "trained", "random", "--actions", "random")
        self.assertGreater(drawn["return_mean"], mode["return_mean"] + 5)  # in 10,000 frames it has unlearnt to balance

    def test_the_same_words_write_the_same_bytes(self):
        for how in ("sample", "mode", "random"):
            with self.subTest(how):
                _, first = self.record(self.shared / "trained", "first", "--actions", how)
                _, again = self.record(self.shared / "trained", "again", "--actions", how)
                _, other = self.record(self.shared / "trained", "other", "--actions", how, "--seed", "7")
                self.assertEqual(first.read_bytes(), again.read_bytes())
                self.assertNotEqual(first.read_bytes(), other.read_bytes())

    def test_the_mean_is_where_the_policy_has_one(self):
        manifest = self.put("bounded.toml", BOUNDED)
        means = {how: self.record(manifest, how, "--actions", how)[0]["return_mean"] for how in ("sample", "mode", "mean")}
        self.assertEqual(len(set(means.values())), 3)
        told = self.tenon("record", self.shared / "trained", "--frames", "8", "--actions", "mean", "--out", "file", code=2).stderr
        self.assertIn("'mean' actions are set, but ", told)
        self.assertIn(" --> --actions:1:14\n", told)

    def test_exploration_is_as_it_was_at_the_checkpoint(self):
        """Epsilon goes from 1 to 0.05 in 4,000 frames, and random actions are better than those of this policy."""
        returns = {}
        for frames in ("1024", "last"):
            for how in ("sample", "mode"):
                made, _ = self.record(self.shared / "trained", "file", "--checkpoint", frames, "--actions", how)
                returns[frames, how] = made["return_mean"]
        self.assertGreater(returns["1024", "sample"], returns["1024", "mode"] + 2)
        self.assertAlmostEqual(returns["last", "sample"], returns["last", "mode"], delta=1)

    def test_learning_from_the_file_is_learning_from_the_buffer(self):
        """The same random actions, recorded and collected by a run."""
        manifest = self.put("collects.toml", SMALL.replace("start_frames = 500", f"start_frames = {FRAMES}"))
        self.train(manifest, "--out", self.folder / "collected", "--set", f"run.total_frames={FRAMES}",
                   "--set", f"buffer.capacity={FRAMES}", "--set", f"train.batch={FRAMES}")
        _, file = self.record(manifest, "random", "--actions", "random")
        ours, theirs = (header(f)[0] for f in (file, self.folder / "collected/checkpoints/last/frames.safetensors"))
        self.assertEqual(ours, theirs)
        self.assertEqual(self.learn(file, "from_file"), self.learn(self.folder / "collected", "from_run"))
        self.assertEqual(self.learn(file, "from_file_again"),
                         self.learn(self.folder / "collected/checkpoints/last", "from_checkpoint"))

    def test_a_run_without_evaluations_has_a_last_checkpoint(self):
        done = self.tenon("record", self.shared / "unscored", "--frames", "8", "--out", "new/folder/few")
        self.assertIn("its last one, 640, is played", done.stderr)
        self.assertRegex(done.stdout, "^8 frames in new/folder/few; no episode has ended\n$")

    def test_what_makes_no_sense(self):
        run, out = self.shared / "trained", ("--out", "file")
        for words, sentence in (
            ([], "record needs the folder of a run, or a manifest"),
            ([run, "--frames", "8"], "record needs --frames N and --out FILE"),
            ([run, *out], "record needs --frames N and --out FILE"),
            ([run, "--frames", "0", *out], "--frames must be in [1,1e9], but is 0"),
            ([run, "--frames", "8", "--seed", "-1", *out], "--seed must be at least 0, but is -1"),
            ([run, "--frames", "8", "--actions", "best", *out], "--actions must be sample, mode, mean or random, but is 'best'"),
            ([run, "--frames", "8", "--out", self.folder], "is a folder; give a file for the frames"),
            ([run, "--frames", "8", "--checkpoint", "newest", *out], "'newest' is not a checkpoint"),
            (["nothing", "--frames", "8", *out], "there is no run in nothing: it has no manifest.lock.toml"),
            ([self.manifest, "--frames", "8", "--checkpoint", "best", *out],
             "small.toml is a manifest, which has no checkpoints; give the folder of a run"),
        ):
            with self.subTest(sentence):
                self.assertIn(sentence, self.tenon("record", *words, code=2).stderr)
                self.assertFalse((self.folder / "file").exists())

    def test_frames_of_another_env_are_refused(self):
        _, file = self.record(self.shared / "trained", "file", "--actions", "random")
        data = file.read_bytes()
        file.write_bytes(data.replace(b"action: int64, 2 categories", b"action: int64, 3 categories"))
        manifest = self.put("learns.toml", LEARNS.replace('"collected"', json.dumps(str(file))))
        told = self.tenon("validate", manifest, code=2).stderr
        self.assertIn("have action: int64, 3 categories, but this run has action: int64, 2 categories; they come from another env",
                      told)


if __name__ == "__main__":
    unittest.main()
