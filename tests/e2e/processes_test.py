#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose lanes and policy are in worker processes: the bytes of `async` with any number of workers, and what happens when a
worker or the run ends."""

import os
import signal
import unittest
from pathlib import Path

from runs import MANIFESTS, RunCase, parameters, without_time

PROCESSES = ["--set", 'collector.kind="processes"']
LONG = ["--set", "run.total_frames=100_000_000"]


def workers_of(parent):
    """The worker processes that a process has now."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = status.read_text().rsplit(") ", 1)
        except OSError:
            continue  # it has ended
        if name.endswith("(tenon-worker") and int(rest.split()[1]) == parent:
            found.append(int(name.split()[0]))
    return sorted(found)


class Processes(RunCase):
    SHARED = {"async": ["--set", 'collector.kind="async"']}

    def long_run(self, out, *words):
        process = self.start("run", self.manifest, "--quiet", "--out", out, *PROCESSES, *LONG, *words)
        self.wait_for(process, self.has_records(out, 3))
        return process

    def assert_frames_of_async(self, manifest, counts, *words):
        self.manifest = manifest
        other = self.run_to("of_async", *words, "--set", 'collector.kind="async"')
        for count in counts:
            with self.subTest(workers=count):
                out = self.run_to(f"of_{count}", *words, *PROCESSES, "--set", f"collector.workers={count}")
                self.assertEqual(parameters(out), parameters(other))
                self.assertEqual(without_time(out), without_time(other))

    def test_any_number_of_workers_makes_the_frames_of_async(self):
        for count in 1, 2, 4:
            with self.subTest(workers=count):
                out = self.run_to(f"with_{count}", *PROCESSES, "--set", f"collector.workers={count}", "--set", f"run.threads={count}")
                self.assertEqual(parameters(out), parameters(self.shared / "async"))
                self.assertEqual(without_time(out), without_time(self.shared / "async"))

    # Products of fewer than four rows add in another order, which these networks are large enough to show. Draws differ by lane.
    def test_a_policy_that_draws_acts_as_for_all_lanes(self):
        few = ["--set", "run.total_frames=1_200", "--set", "train.start_frames=400", "--set", "env.lanes=8", "--set", "train.batch=16"]
        self.assert_frames_of_async(MANIFESTS / "sac_pendulum.toml", [2, 8], *few, "--set", 'run.executor="compiled"')

    def test_a_policy_that_remembers_acts_as_for_all_lanes(self):
        few = ["--set", "run.total_frames=2_048", "--set", "train.start_frames=500", "--set", "env.lanes=8", "--set", "remove=schedule",
               "--set", "exploration.epsilon=0.2"]  # fmt: skip
        self.assert_frames_of_async(MANIFESTS / "r2d2_tmaze.toml", [4, 8], *few, "--set", 'run.executor="compiled"')

    def test_libtorch_acts_as_for_all_lanes(self):
        few = ["--set", "run.total_frames=320", "--set", "train.start_frames=100", "--set", "train.batch=16", "--set", "train.updates_per_batch=1"]
        self.assert_frames_of_async(MANIFESTS / "sac_pendulum.toml", [4], *few, "--set", 'run.executor="reference"')

    def test_transforms_learn_from_the_lanes_of_all_workers(self):
        norms = ["--set", 'env.transforms=[{plugin="standard/observation_norm"},{plugin="standard/reward_norm"}]']
        runs = [self.run_to(f"norm_{count}", *PROCESSES, *norms, "--set", f"collector.workers={count}") for count in (1, 2, 4)]
        for other in runs[1:]:
            self.assertEqual(parameters(other), parameters(runs[0]))
            self.assertEqual(without_time(other), without_time(runs[0]))
            transforms = [(run / "checkpoints" / "last" / "transforms.bin").read_bytes() for run in (runs[0], other)]
            self.assertEqual(*transforms)
        self.same_in_halves(self.manifest, 5_000, *PROCESSES, *norms)

    def assert_batches_of_a_lag_of_one(self, manifest, *words):
        """Workers collect a batch while the one before is learnt from: with the parameters of one round before."""
        self.manifest = manifest
        few = ["--set", 'run.executor="compiled"', "--set", "train.epochs=2", "--set", "eval.every_frames=1_024", "--set", "env.lanes=8",
               "--set", "run.total_frames=4_096", "--set", "train.batch=512", "--set", "checkpoint.every_frames=1_024"]  # fmt: skip
        other = self.run_to("in_turn", *few, *words, "--set", "collector.lag=1")
        for count in 1, 2, 8:
            with self.subTest(workers=count):
                out = self.run_to(f"of_{count}", *few, *words, *PROCESSES, "--set", f"collector.workers={count}")
                self.assertEqual(parameters(out), parameters(other))
                self.assertEqual(without_time(out), without_time(other))
        return few

    def test_whole_batches_are_collected_one_round_ahead(self):
        few = self.assert_batches_of_a_lag_of_one(MANIFESTS / "ppo_cartpole.toml")
        self.same_in_halves(self.manifest, 2_048, *few, *PROCESSES, "--set", "remove=schedule")

    def test_whole_batches_of_a_policy_that_remembers(self):
        self.assert_batches_of_a_lag_of_one(MANIFESTS / "ppo_gru_cartpole.toml")

    def test_transforms_learn_from_whole_batches(self):
        norms = ["--set", 'env.transforms=[{plugin="standard/observation_norm"}]', "--set", "run.total_frames=4_096", "--set", "train.batch=512"]
        self.manifest = MANIFESTS / "ppo_cartpole.toml"
        one, four = (self.run_to(f"norm_{count}", *norms, *PROCESSES, "--set", f"collector.workers={count}") for count in (1, 4))
        self.assertEqual(parameters(one), parameters(four))

    def test_whole_batches_go_on_after_ctrl_c(self):
        self.manifest = MANIFESTS / "ppo_cartpole.toml"
        few = [*PROCESSES, "--set", 'run.executor="compiled"', "--set", "eval.every_frames=0", "--set", "remove=schedule"]
        for number in range(3):  # wherever it is: collecting or learning
            with self.subTest(number):
                out = self.folder / f"out_{number}"
                process = self.start("run", self.manifest, "--quiet", "--out", out, *few, *LONG)
                self.wait_for(process, self.has_records(out, 3 + number))
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate()
                self.assertEqual((process.returncode, errors), (0, ""))
                frames = self.last_frames(out) // 2_048 * 2_048 + 8_192
                self.train("--resume", out, "--set", f"run.total_frames={frames}")
                whole = self.run_to(f"whole_{number}", *few, "--set", f"run.total_frames={frames}")
                self.assertEqual(parameters(whole), parameters(out))
                self.assertEqual(without_time(whole), without_time(out))

    def test_a_killed_worker_loses_a_step_of_a_batch(self):
        self.manifest = MANIFESTS / "ppo_cartpole.toml"
        out = self.folder / "out"
        process = self.long_run(out)
        os.kill(workers_of(process.pid)[1], signal.SIGKILL)
        self.wait_for(process, self.has_records(out, len((out / "metrics.jsonl").read_text().splitlines()) + 3))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertRegex(errors, "worker 2 of 2 was ended by SIGKILL: lanes [0-9]+ to [0-9]+ lost a step and begin new episodes")

    def test_max_lag_and_lag_are_those_of_async(self):
        for key, value in (("max_lag", 1), ("lag", 2)):
            words = ["--set", f"collector.{key}={value}"]
            one = self.run_to(f"{key}_one", *PROCESSES, "--set", "collector.workers=1", *words)
            asynchronous = self.run_to(f"{key}_beside", "--set", 'collector.kind="async"', *words)
            self.assertEqual(without_time(one), without_time(asynchronous))

    def test_what_is_recorded_is_that_of_async(self):
        for kind in ("processes", "async"):
            words = ["--set", "collector.workers=1"] if kind == "processes" else []
            self.run_to(kind, "--set", f'collector.kind="{kind}"', *words, "--set", f'collector.record="{kind}.frames"')
        one, other = ((self.folder / f"{kind}.frames").read_bytes() for kind in ("processes", "async"))
        self.assertGreater(len(one), 200_000)
        self.assertEqual(one[4_096:], other[4_096:])  # without the head, which has a checksum of the manifest

    def test_two_workers_learn(self):
        short = ["--set", "run.total_frames=16_000", "--set", "train.updates_per_batch=64", "--set", 'run.executor="compiled"']
        result = self.train(MANIFESTS / "dqn_cartpole.toml", "--out", self.folder / "out", *PROCESSES, *short)
        self.assertGreater(result["best_return_mean"], 120)  # three seeds had 188 or more, random actions have 22

    def test_a_killed_worker_is_started_again(self):
        out = self.folder / "out"
        process = self.long_run(out)
        first, second = workers_of(process.pid)
        os.kill(second, signal.SIGKILL)
        self.wait_for(process, lambda: len(workers_of(process.pid)) == 2 and second not in workers_of(process.pid))
        self.wait_for(process, self.has_records(out, len((out / "metrics.jsonl").read_text().splitlines()) + 3))
        self.assertIn(first, workers_of(process.pid))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertRegex(errors, "worker ([12]) of 2 was ended by SIGKILL: lanes (0 to 1|2 to 3) lost a step and begin new episodes in "
                                 r"another process \(restart 1 of at most 5\)")

    def test_too_many_killed_workers_end_the_run(self):
        out = self.folder / "out"
        process = self.long_run(out, "--set", "isolation.restarts=0")
        self.wait_for(process, lambda: (out / "checkpoints" / "last").exists())
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 3)
        self.assertRegex(errors, "worker [12] of 2 was ended by SIGKILL, after 0 restarts of workers, and isolation.restarts allows no more")
        self.train("--resume", out, "--set", "run.total_frames=10_000")
        self.assertEqual(parameters(out), parameters(self.shared / "async"))

    def test_ctrl_c_leaves_a_checkpoint_to_go_on_from(self):
        # long rounds, which the signal interrupts, and rings that they fill
        rounds = [*PROCESSES, "--set", "train.batch=4_000", "--set", "train.updates_per_batch=400", "--set", "buffer.capacity=20_000"]
        out = self.folder / "out"
        process = self.start("run", self.manifest, "--quiet", "--out", out, *rounds, *LONG)
        self.wait_for(process, self.has_records(out, 4))
        workers = workers_of(process.pid)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertEqual([worker for worker in workers if Path(f"/proc/{worker}").exists()], [])
        frames = self.last_frames(out) + 10_000
        result = self.train("--resume", out, "--set", f"run.total_frames={frames}")
        self.assertEqual(result["notices"], "")
        whole = self.run_to("whole", *rounds, "--set", f"run.total_frames={frames}")
        self.assert_same_run(whole, out)

    def test_a_resumed_run_is_the_same(self):
        self.same_in_halves(self.manifest, 5_000, *PROCESSES)

    def test_a_resumed_run_may_have_another_number_of_workers(self):
        out, frames = self.folder / "fewer", 10_000
        norms = ["--set", 'env.transforms=[{plugin="standard/observation_norm"}]']
        self.train(self.manifest, "--out", out, *PROCESSES, *norms, "--set", "collector.workers=4", "--set", f"run.total_frames={frames // 4}")
        self.train("--resume", out, "--set", "collector.workers=1", "--set", f"run.total_frames={frames // 2}")
        self.train("--resume", out, "--set", "collector.workers=2", "--set", f"run.total_frames={frames}")
        other = self.run_to("same", *PROCESSES, *norms, "--set", "collector.workers=2")
        self.assertEqual(parameters(out), parameters(other))

    def test_a_memory_that_is_not_stored_is_resumed(self):
        few = ["--set", "run.total_frames=4_000", "--set", "eval.every_frames=2_000", "--set", "checkpoint.every_frames=1_000",
               "--set", "remove=schedule", "--set", "exploration.epsilon=0.5", "--set", 'train.initial_memory="zero"']
        self.same_in_halves(MANIFESTS / "r2d2_tmaze.toml", 2_000, *few, *PROCESSES)

    def test_an_env_of_its_own_process_is_lost_in_a_worker(self):
        out = self.folder / "out"
        process = self.long_run(out, "--set", 'env.isolation="process"')
        worker = workers_of(process.pid)[1]
        env = workers_of(worker)
        self.assertEqual(len(env), 1)
        os.kill(env[0], signal.SIGKILL)
        self.wait_for(process, lambda: workers_of(worker) not in ([], env))
        self.wait_for(process, self.has_records(out, len((out / "metrics.jsonl").read_text().splitlines()) + 3))
        self.assertEqual(workers_of(process.pid)[1], worker)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertRegex(errors, "worker [12] of 2: classic/CartPole-v1: its process was ended by SIGKILL in (step|save): 2 lanes, 0 to 1, lost")

    def test_explain_says_who_steps(self):
        said = " ".join(self.tenon("explain", self.manifest, *PROCESSES).stdout.split())
        self.assertIn("of the frames before them, while 2 worker processes collect", said)
        self.assertIn("Each worker process has 2 of the 4 lanes and the policy.", said)
        said = " ".join(self.tenon("explain", MANIFESTS / "ppo_cartpole.toml", *PROCESSES).stdout.split())
        self.assertIn("while 2 worker processes collect the next batch", said)
        self.assertIn("The parameters that act are those with which the previous round began.", said)


if __name__ == "__main__":
    unittest.main()
