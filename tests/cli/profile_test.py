#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a run goes: the table at its end, the metrics under time/, and the trace."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TENON = os.environ["TENON"]
SAC = """
[run]
total_frames = 600

[env]
plugin = "classic/Pendulum-v1"
lanes = 2

[[env.transforms]]
plugin = "standard/observation_norm"

[policy.actor]
plugin = "mlp/tanh_normal"

[policy.qvalue]
plugin = "mlp/q"
count = 2

[buffer]
plugin = "replay/uniform"
capacity = 1000

[objective]
plugin = "sac/sac"

[train]
batch = 2
start_frames = 100
minibatch = 32
updates_per_batch = 1

[eval]
every_frames = 300
episodes = 2

[checkpoint]
every_frames = 300

[log]
every_frames = 200
"""
WORKS = {"policy", "env", "transforms", "lanes", "sampling", "gathering", "preparing", "updating", "stepping", "evaluating",
         "recording", "saving", "other"}


class WhereTheTimeGoes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        (self.folder / "m.toml").write_text(SAC)

    def run_tenon(self, *words, code=0):
        done = subprocess.run([TENON, "run", *words, "--quiet"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def records(self, run):
        return [json.loads(line) for line in (self.folder / run / "metrics.jsonl").read_text().splitlines()]

    def test_the_parts_add_up_to_the_run(self):
        result = json.loads(self.run_tenon("m.toml", "--out", "out", "--profile", "--json").stdout)
        seconds = {}
        for part in result["spent"]:
            seconds[part["work"]] = seconds.get(part["work"], 0) + part["seconds"]
        self.assertLessEqual(set(seconds), WORKS)
        for work in WORKS - {"preparing"}:  # sac has no whole batches
            self.assertGreater(seconds[work], 0, work)
        self.assertGreaterEqual(sum(seconds.values()), result["seconds"])  # building programs comes before the run's clock
        counts = {part["name"]: part["count"] for part in result["spent"]}
        # the first updates are computed twice, to compare the executors
        self.assertIn(counts["stepping critic"], range(result["updates"], result["updates"] + 20))
        self.assertEqual(counts["sampling"], result["updates"])
        self.assertEqual(counts["lanes"], result["frames"] / 2)

    def test_records_have_the_seconds_since_the_record_before(self):
        self.run_tenon("m.toml", "--out", "out", "--profile")
        records = self.records("out")
        for record in records:
            self.assertEqual({name for name in WORKS if f"time/{name}" in record}, WORKS)
        early, later = records[0]["time/time_elapsed"], records[-1]["time/time_elapsed"]
        between = sum(record[f"time/{work}"] for record in records[1:] for work in WORKS)
        self.assertAlmostEqual(between, later - early, delta=0.02 + 0.05 * (later - early))

    def test_a_run_that_is_not_measured_is_the_same_but_for_the_times(self):
        self.run_tenon("m.toml", "--out", "plain")
        self.run_tenon("m.toml", "--out", "measured", "--profile")
        untimed = [[{k: v for k, v in record.items() if not k.startswith("time/")} for record in self.records(run)]
                   for run in ("plain", "measured")]
        self.assertEqual(*untimed)
        self.assertFalse(any("time/env" in record for record in self.records("plain")))

    def test_a_trace_has_spans_that_nest(self):
        self.run_tenon("m.toml", "--out", "out", "--trace", "trace.json")
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        names = {event["name"] for event in events}
        self.assertLessEqual({"policy", "lanes", "sampling", "gathering", "evaluating", "saving"}, names)
        open_until = []
        for event in sorted(events, key=lambda each: (each["ts"], -each["dur"])):
            while open_until and event["ts"] >= open_until[-1] - 1e-3:
                open_until.pop()
            end = event["ts"] + event["dur"]
            self.assertTrue(not open_until or end <= open_until[-1] + 1e-3, event)
            open_until.append(end)
        self.assertFalse(any("time/env" in record for record in self.records("out")))

    def test_a_trace_that_cannot_be_written_is_told_before_the_run(self):
        done = self.run_tenon("m.toml", "--out", "out", "--trace", "nowhere/trace.json", code=4)
        self.assertIn("nowhere/trace.json", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_a_resumed_run_is_measured_without_other_columns(self):
        self.run_tenon("m.toml", "--out", "out")
        done = self.run_tenon("--resume", "out", "--set", "run.total_frames=900", "--profile")
        self.assertIn("where the time went", done.stdout)
        self.assertFalse(any("time/env" in record for record in self.records("out")))

    def test_resuming_with_columns_that_the_run_has_not_is_refused(self):
        self.run_tenon("m.toml", "--out", "out")
        done = self.run_tenon("--resume", "out", "--set", "log.profile=true", code=2)
        self.assertIn("has other columns than this run", done.stderr)


if __name__ == "__main__":
    unittest.main()
