#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon compare: real runs of two manifests on three seeds, its outputs, a run that was killed, and what it refuses."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE, wait_until  # noqa: E402

TENON = os.environ["TENON"]
MANIFEST = """
[run]
executor = "compiled"
total_frames = 1000
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.actor]
plugin = "mlp/categorical"
[policy.value]
plugin = "mlp/value"
[objective]
plugin = "ppo/ppo"
[train]
batch = 200
minibatch = 100
epochs = {epochs}
[eval]
every_frames = 250
episodes = 2
"""


def tenon(*words, folder):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, cwd=folder, timeout=PATIENCE)


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = Path(cls.holder.name).resolve()
        for name, epochs in (("lazy", 1), ("eager", 8)):
            (cls.folder / f"{name}.toml").write_text(MANIFEST.format(epochs=epochs))
            for seed in range(3):
                out = f"runs/{name}/{seed}"
                run = tenon("run", f"{name}.toml", "--quiet", "--out", out, "--set", f"run.seed={seed}", folder=cls.folder)
                assert run.returncode == 0, run.stderr

    def compared(self, *words):
        run = tenon("compare", *words, folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def refused(self, sentence, *words):
        run = tenon("compare", *words, folder=self.folder)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertEqual(run.stderr.splitlines()[0], f"error: {sentence}")

    def test_groups_are_what_a_person_means(self):
        expected = {"lazy": 3, "eager": 3}
        ways = [["runs"], ["runs/lazy", "runs/eager"], sorted(str(p) for p in (self.folder / "runs").glob("*/*"))]
        for words in ways:
            groups = json.loads(self.compared(*words, "--json"))["groups"]
            self.assertEqual({group["name"]: len(group["runs"]) for group in groups}, expected)
        by_epochs = json.loads(self.compared("runs", "--group-by", "train.epochs", "--json"))["groups"]
        self.assertEqual([group["name"] for group in by_epochs], ["train.epochs=1", "train.epochs=8"])

    def test_the_first_line_says_which_value_counts(self):
        for at, line in (("last", "last value of each run"), ("best", "best value of each run"),
                         ("500", "last value of each run at or before 500")):  # fmt: skip
            self.assertEqual(self.compared("runs", "--at", at).splitlines()[0], f"eval/mean_reward, {line}")

    def test_scores_and_costs_are_those_of_the_records(self):
        got = json.loads(self.compared("runs/lazy", "runs/eager", "--json"))
        self.assertEqual((got["metric"], got["unit"], got["notes"]), ("eval/mean_reward", "frames", []))
        self.assertEqual(got["differences"], [{"key": "train.epochs", "values": ["1", "8"]}])
        for group in got["groups"]:
            for seed, run in enumerate(group["runs"]):
                lines = (self.folder / run["folder"] / "metrics.jsonl").read_text().splitlines()
                last = json.loads(lines[-1])
                told = (run["seed"], run["state"], run["score"], run["at"], run["frames"], run["seconds"])
                recorded = (last["eval/mean_reward"], last["frames"], last["frames"], last["time/time_elapsed"])
                self.assertEqual(told, (str(seed), "ended", *recorded))
            scores = [run["score"] for run in group["runs"]]
            self.assertAlmostEqual(group["iqm"]["value"], sum(scores) / 3)
            self.assertLessEqual(group["iqm"]["low"], group["iqm"]["value"])
        self.assertEqual(self.compared("runs", "--json"), self.compared("runs", "--json"))  # draws are the same always

    def test_every_form_of_output(self):
        text = self.compared("runs", "--target", "500", "--plot", "curves.svg", "--profile", "profile.svg")
        self.assertIn("\ndiffers       ", text)
        self.assertIn("train.epochs", text)
        markdown = self.compared("runs", "--markdown")
        self.assertIn("|---|---:|", markdown)
        rows = list(csv.DictReader(io.StringIO(self.compared("runs", "--csv"))))
        self.assertEqual([row["group"] for row in rows], ["eager"] * 3 + ["lazy"] * 3)
        for name in ("curves.svg", "profile.svg"):
            root = xml.etree.ElementTree.parse(self.folder / name).getroot()
            curves = [e for e in root.iter() if e.get("class", "").startswith("curve ") and e.tag.endswith("polyline")]
            self.assertEqual(len(curves), 2)

    def test_png_is_what_rsvg_convert_makes_of_the_svg(self):
        """Stand-ins of that program: one that works, one that fails, and none."""
        stand_in = self.folder / "bin" / "rsvg-convert"
        stand_in.parent.mkdir()
        environment = {**os.environ, "PATH": str(stand_in.parent)}
        words = [TENON, "compare", "runs", "--csv", "--plot", "curves.png"]
        picture = self.folder / "curves.png"

        def plot(script=None):
            if script:
                stand_in.write_text(f"#!/bin/sh\n{script}\n")
                stand_in.chmod(0o755)
            run = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, env=environment, timeout=PATIENCE)
            return run.returncode, run.stderr

        code, told = plot()
        self.assertEqual(code, 4)
        self.assertIn("error: PNG needs the program rsvg-convert, which is not installed\n", told)
        code, told = plot("echo out of ink >&2; exit 1")
        self.assertEqual((code, told), (4, f"error: {stand_in} could not convert a picture to PNG: out of ink\n"))
        self.assertFalse(picture.exists())
        self.assertEqual(plot(r"printf '\211PNG '; echo $*; /bin/cat"), (0, ""))
        made = picture.read_bytes()
        self.assertTrue(made.startswith(b"\x89PNG --zoom=2 --format=png\n<svg "), made[:80])
        self.assertTrue(made.endswith(b"</svg>\n"))

    def test_a_killed_run_is_compared_up_to_its_last_record(self):
        out = self.folder / "killed/0"
        words = ["run", "lazy.toml", "--quiet", "--out", out, "--set", "run.total_frames=100000000"]
        process = subprocess.Popen([TENON, *map(str, words)], cwd=self.folder)
        try:
            metrics = out / "metrics.jsonl"
            wait_until(lambda: metrics.exists() and metrics.read_bytes().count(b"\n") >= 3)
            running = json.loads(self.compared("killed", "--json"))
            self.assertEqual(running["groups"][0]["runs"][0]["state"], "running")
            self.assertIn("is running", running["notes"][0])
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        with metrics.open("a") as file:
            file.write('{"frames":99999999,"rollout/ep')
        killed = json.loads(self.compared("killed", "runs/lazy", "--json"))
        self.assertEqual(killed["groups"][0]["runs"][0]["state"], "died")
        self.assertLess(killed["groups"][0]["runs"][0]["frames"], 99999999)

    def test_notes_of_what_makes_a_comparison_weak(self):
        notes = json.loads(self.compared("runs/lazy/0", "runs/eager/0", "--json"))["notes"]
        self.assertEqual(notes, ["one run of each has no interval: `tenon run MANIFEST --seeds 0-4 --out DIR` makes five"])
        words = ["run", "lazy.toml", "--quiet", "--out", "short/0", "--set", "run.total_frames=500"]
        self.assertEqual(tenon(*words, folder=self.folder).returncode, 0)
        notes = json.loads(self.compared("short", "runs/lazy", "--json"))["notes"]
        self.assertEqual(notes, ["the runs of lazy are longer (1000 frames) than those of short (600); --at 600 compares both at the same length"])
        self.assertEqual(json.loads(self.compared("short", "runs/lazy", "--at", "600", "--json"))["notes"], [])

    def test_what_is_refused(self):
        (self.folder / "empty").mkdir()
        self.refused("name folders of runs: tenon compare runs/dqn runs/ppo")
        self.refused("there is no folder nowhere", "nowhere")
        self.refused("there is no run in empty or at most 3 folders below it: none has a manifest.lock.toml", "empty")
        self.refused("runs/lazy/0 is given twice", "runs/lazy/0", "runs/lazy")
        self.refused("--range must be LOW:HIGH or TASK=LOW:HIGH, but is 'high'", "runs", "--range", "high")
        self.refused("--json, --csv and --markdown exclude each other", "runs", "--json", "--csv")
        self.refused("a picture is written as .svg or .png, not as 'a.gif'", "runs", "--plot", "a.gif")
        wrong = "no run has the metric 'eval/mean_rewart'; did you mean 'eval/mean_reward'?"
        self.refused(wrong, "runs", "--metric", "eval/mean_rewart", "--plot", "none.svg")
        self.refused("no run has the metric 'mean_reward'; did you mean 'eval/mean_reward'?", "runs", "--metric", "mean_reward")
        self.assertFalse((self.folder / "none.svg").exists())
        unwritable = tenon("compare", "runs", "--plot", "nowhere/a.svg", folder=self.folder)
        self.assertEqual((unwritable.returncode, unwritable.stdout), (4, ""))


if __name__ == "__main__":
    unittest.main()
