#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers and runs that a real ssh starts, by an sshd on loopback (tools/private_sshd): the bytes of those that are started here, also
if the run is stopped and resumed with another number of workers, and no process is left. Skipped with the reason where there is no
sshd; `tools/setup sshd` brings one."""

import subprocess
import unittest
from pathlib import Path

from runs import PATIENCE, TENON, RunCase, parameters, wait_until, without_time
from shards_test import is_alive

PRIVATE = Path(__file__).resolve().parents[2] / "tools/private_sshd"
NO_SSHD = 77
PROCESSES = ["--set", 'collector.kind="processes"']


class Sshd(RunCase):
    def by_sshd(self, *words, code=0):
        done = subprocess.run([PRIVATE, *words], capture_output=True, text=True, cwd=self.folder, env=self.environment(), timeout=PATIENCE)
        if done.returncode == NO_SSHD:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_workers_by_ssh_have_the_bytes_of_workers_here(self):
        self.train(self.manifest, "--out", self.folder / "here", *PROCESSES, "--set", "collector.workers=4")
        for workers in (1, 2, 4):
            out = self.folder / f"by_ssh_{workers}"
            words = ["--quiet", *PROCESSES, "--set", f"collector.workers={workers}", "--set", 'collector.via=["{ssh}"]']
            self.by_sshd(TENON, "run", self.manifest, "--out", out, *words, "--leave-at-frames", "2000")
            self.by_sshd(TENON, "run", "--resume", out, "--quiet", "--set", "collector.workers=2", "--set", 'collector.via=["{ssh}", "env"]')
            self.assertEqual(parameters(out), parameters(self.folder / "here"))
            self.assertEqual(without_time(out), without_time(self.folder / "here"))

    def test_a_trainer_that_is_killed_leaves_no_process(self):
        words = [TENON, "run", self.manifest, "--quiet", "--out", "out", *PROCESSES, "--set", 'collector.via=["{ssh}"]', "--set", "run.total_frames=100_000_000"]
        script = ('"$@" & while [ ! -s out/metrics.jsonl ] && kill -0 $!; do sleep 0.05; done; '
                  'pgrep -f "tenon-worker 3 collect|tenon-worker remote" >met; kill -9 $!; wait')  # fmt: skip
        self.by_sshd("bash", "-c", script, "bash", *words)
        met = [int(line) for line in (self.folder / "met").read_text().split()]
        self.assertGreaterEqual(len(met), 4)
        wait_until(lambda: not any(map(is_alive, met)))

    def test_runs_of_several_seeds(self):
        words = ["--quiet", "--set", "run.total_frames=512", "--seeds", "0-1", "--hosts", "a:1,b:1", "--via"]
        self.by_sshd(TENON, "run", self.manifest, "--out", self.folder / "sweep", *words, "{ssh} env HOST={host}")
        for seed in (0, 1):
            self.train(self.manifest, "--out", self.folder / f"alone_{seed}", "--set", "run.total_frames=512", "--seed", seed)
        found = sorted(self.folder.glob("sweep/*/checkpoints/last/parameters.safetensors"))
        self.assertEqual([path.read_bytes() for path in found], [parameters(self.folder / f"alone_{seed}") for seed in (0, 1)])


if __name__ == "__main__":
    unittest.main()
