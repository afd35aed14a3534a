#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tenon bench` prints of objectives, estimators and whole runs, the manifests that there are to measure by, and
that compiled programs are the faster ones."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE, processor_time  # noqa: E402

TENON = os.environ["TENON"]
TIMES = ["median_us", "min_us", "p95_us", "cpu_us"]
MANIFESTS = Path(TENON).resolve().parents[1] / "lib" / "tenon" / "bench"
SHIPPED = Path(__file__).resolve().parents[4] / "manifests"
RUNS = Path(__file__).resolve().parents[4] / "bench" / "manifests"


def bench(*words, what="objective", seconds=0.05):
    limit = [] if what == "manifest" else ["--seconds", str(seconds)]
    return subprocess.run([TENON, "bench", what, *words, *limit], capture_output=True, text=True, timeout=PATIENCE)


class BenchObjective(unittest.TestCase):
    def test_each_of_the_published_table_is_there_and_wired(self):
        names = {path.stem for path in MANIFESTS.glob("*.toml")}
        self.assertLessEqual({"dqn", "ddpg", "td3", "sac", "redq", "cql", "iql", "ppo", "a2c"}, names)
        for name in sorted(names):
            done = subprocess.run([TENON, "validate", str(MANIFESTS / f"{name}.toml")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_object_has_the_times(self):
        for backward in (False, True):
            done = bench("dqn", "--json", *(["--backward"] if backward else []))
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(list(result), ["name", "executor", "device", "threads", "dtype", "backward", "limit_us", *TIMES])
            self.assertEqual((result["name"], result["executor"], result["threads"], result["dtype"], result["backward"]),
                             ("dqn", "compiled", 1, "float32", backward))  # fmt: skip
            self.assertLessEqual(0 < result["min_us"], result["min_us"] <= result["median_us"] <= result["p95_us"])
            self.assertTrue(0 < result["limit_us"] < 2 * result["median_us"])

    def test_a_profile_has_each_instruction_and_its_share(self):
        done = bench("dqn", "--backward", "--profile")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("limit: ", done.stdout)
        head, *lines = done.stderr.splitlines()
        self.assertEqual(head.split(), ["us", "%", "limit", "instruction"])
        self.assertAlmostEqual(sum(float(line.split()[1]) for line in lines), 100, delta=1)
        self.assertTrue(any("= product" in line for line in lines) and any("tanh" in line for line in lines))

    def test_a_profile_has_the_instructions_of_a_scan_below_it(self):
        done = bench(SHIPPED / "ppo_gru_cartpole.toml", "--backward", "--profile", "--executor", "compiled")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, *lines = done.stderr.splitlines()
        column = head.index("instruction")
        inside = [line[column:].startswith("    ") for line in lines]
        shares = [float(line.split()[1]) for line in lines]
        self.assertAlmostEqual(sum(share for share, within in zip(shares, inside) if not within), 100, delta=1)
        scans = [i for i, line in enumerate(lines) if "= scan" in line]
        self.assertEqual(len(scans), 4)  # the actor's and the value's memory, and the gradients of both
        for scan in scans:
            last = next((i for i in range(scan + 1, len(lines)) if not inside[i]), len(lines))
            parts = shares[scan + 1 : last]
            self.assertGreater(len(parts), 2)
            self.assertEqual(parts, sorted(parts, reverse=True))
            self.assertTrue(0.3 * shares[scan] < sum(parts) < 3 * shares[scan] + 1, done.stderr)

    def test_the_reference_executor_has_no_limit_and_no_profile(self):
        done = bench("dqn", "--executor", "reference", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("limit_us", json.loads(done.stdout))
        for what, name in (("objective", "dqn"), ("estimator", "gae")):
            done = bench(name, "--profile", "--executor", "reference", what=what)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr,
                             "error: --profile shows compiled programs, but the reference executor computes this one\n"
                             "help: leave out --profile; --executor compiled compiles it, or says why it cannot\n")  # fmt: skip

    def test_an_estimator_has_a_profile_and_a_device_no_instruction_for_its_targets(self):
        for device, instructions in (("cpu", 2), ("emulated", 1)):
            done = bench("gae", "--lanes", "8", "--steps", "4", "--executor", "compiled", "--device", device, "--profile", what="estimator")
            self.assertEqual(done.returncode, 0, done.stderr)
            head, *lines = done.stderr.splitlines()
            self.assertEqual(head.split(), ["us", "%", "instruction"])
            self.assertEqual((len(lines), sum("composite" in line for line in lines)), (instructions, 1))

    def test_a_buffer_on_no_device_is_told_the_option(self):
        done = bench("replay_cuda/uniform", what="buffer")
        self.assertEqual(done.returncode, 2)
        self.assertIn("replay_cuda/uniform chooses its rows on a device, and none is named", done.stderr)
        self.assertIn("add --device cuda", done.stderr)

    def test_slow_calls_do_not_take_much_longer_than_they_may(self):
        start = processor_time()
        done = bench("gae", "--lanes", "4000", "--steps", "16", "--executor", "compiled", "--device", "emulated", what="estimator")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(processor_time() - start, 5)  # 1,600 calls take longer

    @unittest.skipIf(os.environ["SANITIZED"] == "1", "sanitizers slow each executor in another way")
    def test_compiled_programs_take_less_of_the_processor(self):
        for name in ("dqn", "td3"):
            times = {executor: min(json.loads(bench(name, "--backward", "--executor", executor, "--json", seconds=0.1).stdout)["cpu_us"] for _ in range(2))
                     for executor in ("reference", "compiled")}  # fmt: skip
            self.assertLess(times["compiled"], 0.9 * times["reference"], times)

    def test_a_batch_learner_is_measured_on_a_prepared_batch(self):
        done = bench("ppo", "--set", "env.lanes=8", "--set", "train.batch=80", "--set", "train.minibatch=80", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["median_us"], 0)

    def test_a_name_that_there_is_not(self):
        done = bench("dqm")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "there is no benchmark 'dqm'; did you mean 'dqn'\\?\nhelp: known names are a2c, .*its .toml\n")


class BenchUpdateAndAct(unittest.TestCase):
    def test_an_update_steps_whatever_the_rows_come_from(self):
        for name in ("td3", str(RUNS / "ppo_cartpole.toml")):
            done = bench(name, "--json", what="update")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(list(result), ["name", "executor", "device", "threads", "dtype", *TIMES])
            self.assertLess(0, result["min_us"])

    def test_an_update_on_a_device_says_what_it_enqueues(self):
        """Small networks: one launch; each work of a large one has its own. So it is wherever the device is."""
        manifest = str(RUNS.parent / "cuda" / "dqn.toml")
        words = ("--set", 'run.device="emulated"', "--set", 'run.learn_on="device"', "--executor", "compiled")
        done = bench(manifest, *words, "--json", what="update")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["works"], result["levels"], result["launches"]), (25, 10, 1))
        done = bench(manifest, *words, what="update")
        self.assertIn("\non the device: 25 works in 10 levels that wait for each other, 1 launch\n", done.stdout)

    def test_updates_are_measured_where_they_are_computed(self):
        small = ("--set", "policy.qvalue.hidden=[8]", "--set", 'run.device="emulated"', "--executor", "compiled", "--json")
        for more, device in (((), "emulated"), (("--set", 'run.learn_on="cpu"'), "cpu")):
            done = bench(str(RUNS / "dqn_cartpole.toml"), *small, *more, what="update")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(result["device"], device)
            self.assertEqual([key in result for key in ("works", "levels", "launches")], [device != "cpu"] * 3)
            self.assertIn("the emulated device is some 50 to 200 times slower than the CPU", done.stderr)

    def test_acting_is_measured_for_so_many_lanes(self):
        for executor in ("reference", "compiled"):
            done = bench("ppo", "--lanes", "5", "--executor", executor, "--json", what="act")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(list(result), ["name", "executor", "device", "threads", "dtype", "lanes", *TIMES])
            self.assertEqual((result["executor"], result["lanes"]), (executor, 5))

    def test_the_executor_is_the_manifests_unless_it_is_given(self):
        done = bench("ppo", "--set", 'run.executor="reference"', "--json", what="act")
        self.assertEqual(json.loads(done.stdout)["executor"], "reference")
        done = bench("ppo", "--set", 'run.executor="reference"', "--executor", "auto", "--json", what="act")
        self.assertEqual(json.loads(done.stdout)["executor"], "compiled")

    def test_what_evaluations_play_is_measured_without_its_draws(self):
        done = bench("ppo", "--mode", "--lanes", "5", "--json", what="act")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["lanes"], 5)
        done = bench("ppo", "--mode", what="update")
        self.assertEqual(done.stderr, "error: --mode is not for `tenon bench update`, only for act\n")

    def test_who_acts_without_a_graph_is_not_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder) / "random.toml"
            manifest.write_text('[run]\ntotal_frames = 100\n[env]\nplugin = "classic/CartPole-v1"\n[policy.actor]\nplugin = "random/random"\n')
            done = bench(str(manifest), what="act")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the acting policy is a procedure", done.stderr)


class BenchEstimator(unittest.TestCase):
    def test_the_object_has_the_times(self):
        for name in ("gae", "td_lambda", "vtrace", "reward_to_go"):
            for dtype in ("float32", "float64") if name == "gae" else ("float32",):
                done = bench(name, "--steps", "32", "--lanes", "3", "--dtype", dtype, "--json", what="estimator")
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(list(result), ["name", "executor", "device", "threads", "dtype", "steps", "lanes", *TIMES])
                self.assertEqual([result[key] for key in list(result)[:7]], [name, "compiled", "cpu", 1, dtype, 32, 3])
                self.assertLess(0, result["min_us"])

    def test_a_name_that_there_is_not(self):
        done = bench("gea", what="estimator")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'gae'", done.stderr)


class BenchBuffer(unittest.TestCase):
    def test_it_takes_options(self):
        words = ("replay/prioritised", "--frames", "1000")
        self.assertEqual(bench(*words, "--set", "buffer.alpha=0.9", what="buffer").returncode, 0)
        for given, sentence in (("buffer.alpah=0.9", "unknown key 'buffer.alpah'; did you mean 'alpha'?"),
                                ("buffer.alpha=-1.0", "buffer.alpha must be in "),
                                ("buffer.capacity=3", "unknown key 'buffer.capacity'; it is a key of [buffer]"),
                                ("env.id='x'", "bench buffer has no manifest, and reads only options of the buffer")):
            done = bench(*words, "--set", given, what="buffer")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(sentence, done.stderr)


class BenchManifest(unittest.TestCase):
    def test_those_that_there_are_fit_the_plugins(self):
        names = {path.stem for path in RUNS.glob("*.toml")}
        self.assertLessEqual({"dqn_cartpole", "ppo_cartpole", "sac_pendulum", "td3_pendulum_64"}, names)
        for name in sorted(names):
            done = subprocess.run([TENON, "validate", str(RUNS / f"{name}.toml")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_object_has_time_and_return(self):
        done = bench(str(RUNS / "ppo_cartpole.toml"), "--set", "run.total_frames=2_048", "--json", what="manifest")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(list(result), ["name", "executor", "frames", "updates", "seconds", "frames_per_s", "return_mean"])
        self.assertEqual((result["executor"], result["frames"], result["updates"]), ("compiled", 2048, 32))
        self.assertAlmostEqual(result["frames_per_s"] * result["seconds"], 2048, delta=1)

    def test_neither_evaluations_nor_checkpoints_are_on_the_way(self):
        before = set(Path().iterdir())
        words = ["--set", "run.total_frames=2_048", "--set", "eval.every_frames=0", "--executor", "reference"]
        done = bench(str(RUNS / "ppo_cartpole.toml"), *words, what="manifest")
        self.assertRegex(done.stdout, r"2048 frames and 32 updates in .* s, .* frames/s, reference executor\n")
        self.assertEqual(set(Path().iterdir()), before)

    def test_a_manifest_that_there_is_not(self):
        done = bench("nothing.toml", what="manifest")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing.toml", done.stderr)


class Env(unittest.TestCase):
    def measured(self, *words):
        done = bench(*words, "--json", what="env")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_one_with_options_and_wrappers(self):
        found = self.measured("small/Catch-v0", "--lanes", "3", "--set", 'env.wrappers=[{plugin="wrap/frame_skip", steps=2}]')
        self.assertEqual(found["lanes"], 3)
        self.assertGreater(found["frames_per_s"], 0)

    def test_one_whose_mask_forbids_actions(self):
        self.assertGreater(self.measured("small/TicTacToe-v0", "--lanes", "3")["frames_per_s"], 0)

    def test_several_tasks(self):
        """Without regard to the lanes that they have in training."""
        tasks = ("--set", "env.tasks=[{ lanes = 60 }, {}]")
        self.assertEqual(self.measured("small/Catch-v0", *tasks)["lanes"], 64)
        self.assertEqual(self.measured("small/Catch-v0", *tasks, "--lanes", "3")["lanes"], 3)

    def test_that_of_a_manifest(self):
        self.assertEqual(self.measured(str(MANIFESTS / "ppo.toml"))["lanes"], 128)
        self.assertEqual(self.measured(str(MANIFESTS / "ppo.toml"), "--set", "env.lanes=2")["lanes"], 2)

    def test_options_that_it_has_not(self):
        done = bench("small/Catch-v0", "--set", "env.rowz=3", what="env")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (2, "error: unknown key 'env.rowz'; did you mean 'rows'?"))
        done = bench("small/Catch-v0", "--set", "run.seed=3", what="env")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--set run.seed=3 changes nothing here: bench env reads only [env], [isolation] and [plugins]", done.stderr)


class BenchCluster(unittest.TestCase):
    def cluster(self, *words, **variables):
        environment = {**os.environ, **variables}
        return subprocess.run([TENON, "bench", "cluster", *words, "--seconds", "0.05"], env=environment, capture_output=True, text=True,
                              timeout=PATIENCE)  # fmt: skip

    def test_two_processes_of_this_machine(self):
        done = self.cluster("--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.assertEqual((result["name"], result["link"]), ("cluster", "zmq"))
        self.assertEqual([each["floats"] for each in result["exchanges"]], [5_000, 70_000, 300_000, 3_000_000])
        for each in result["exchanges"]:
            self.assertTrue(0 < each["median_us"] <= each["p90_us"] and 0 < each["raw_median_us"] <= each["raw_p90_us"], each)
        predicted = {each["shards"]: each["exchange_us"] for each in result["predicted"]}
        self.assertEqual(list(predicted), [2, 4, 8, 16, 32, 64])
        self.assertAlmostEqual(predicted[16] / predicted[2], 1.875)  # large ones by halves: 2 (S - 1) / S

    def test_beside_the_update_of_a_manifest(self):
        done = self.cluster("ppo", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shares = [each["of_ideal"] for each in json.loads(done.stdout)["predicted"]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertTrue(0 < shares[-1] < shares[0] < 1)
        self.assertIn("each shard computes as much", self.cluster("ppo").stdout)
        lanes = [int(re.search(r"one update of a shard with (\d+) lanes", self.cluster("ppo", *words).stdout)[1]) for words in ([], ["--set", "run.shards=2"])]
        self.assertEqual(lanes[0], 2 * lanes[1])
        said = self.cluster("ppo", "--set", "objective.normalise_advantage=true").stdout
        self.assertRegex(said, r"exchanges [0-9]+ floats, after 1 message with values of all rows; each shard computes as much")

    def test_mistakes(self):
        for words, variables, sentence in (
            ([], {"TENON_LINK": "pigeon"}, "the shards' link 'pigeon' cannot be loaded: there is no libtenon_link_pigeon.so"),
            (["--lanes", "3"], {}, "--lanes is not for `tenon bench cluster`"),
            (["pppo"], {}, "there is no benchmark 'pppo'; did you mean 'ppo'?"),
            ([], {"RANK": "2", "WORLD_SIZE": "3"}, "RANK is 2 and WORLD_SIZE is 3"),
        ):
            done = self.cluster(*words, **variables)
            self.assertIn(sentence, done.stderr)
            self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
