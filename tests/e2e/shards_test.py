#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose minibatches several processes share (run.shards): the bytes do not depend on where these are, and no process is
left when one ends."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
import unittest
from pathlib import Path

from runs import DIE_AT, FIXTURES, MANIFESTS, PATIENCE, SANITIZED, TENON, RunCase, parameters, records, wait_until, without_time

PPO = """[run]
executor = "compiled"
total_frames = 4_096
shards = 2

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.actor]
plugin = "mlp/categorical"
hidden = [32]

[policy.value]
plugin = "mlp/value"
hidden = [32]

[objective]
plugin = "ppo/ppo"
normalise_advantage = true
target_kl = 0.05
value_normalisation = "popart"

[train]
batch = 512
minibatch = 128
epochs = 4
clip_norm = 0.5

[eval]
every_frames = 2_048
episodes = 4

[log]
every_frames = 512

[checkpoint]
every_frames = 1_024
"""


def children_of(process):
    """The ids of the processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def shards_of(process):
    """Those that have begun. One that is only about to (vfork) has its parent's memory still, so what stops it stops both."""
    return [each for each in children_of(process) if b"RANK=" in Path(f"/proc/{each}/environ").read_bytes()]


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wrong_exp(at, by):
    """What stands before a command to preload wrong_exp.cpp."""
    folder, name = Path(DIE_AT).parent, "wrong_exp.so"  # by name: the loader takes a space in LD_PRELOAD for the end of a path
    return ["env", f"LD_PRELOAD={name}", f"LD_LIBRARY_PATH={folder}", f"WRONG_AT={at}", f"WRONG_BY={by}"]


def tensors_of(path, lanes):
    """The rows of each tensor of a buffer, by lane."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    out = {}
    for name, tensor in json.loads(data[8 : 8 + size]).items():
        shape = tensor.get("shape", [])
        if len(shape) < 2 or shape[1] != lanes or "/" in name:  # what episodes end with is apart
            continue
        first, last = (8 + size + offset for offset in tensor["data_offsets"])
        bytes_of_row = (last - first) // (shape[0] * lanes)
        rows = [data[at : at + bytes_of_row] for at in range(first, last, bytes_of_row)]
        out[name] = [rows[lane::lanes] for lane in range(lanes)]
    return out


def numbers_of(path):
    """The float64 tensors of a file, by name."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    out = {}
    for name, tensor in json.loads(data[8 : 8 + size]).items():
        if tensor.get("dtype") == "F64":
            first, last = (8 + size + offset for offset in tensor["data_offsets"])
            out[name] = struct.unpack(f"<{(last - first) // 8}d", data[first:last])
    return out


class Shards(RunCase):
    def setUp(self):
        super().setUp()
        self.ppo = self.put("ppo.toml", PPO)

    def run_ppo(self, name, *words):
        result = self.train(self.ppo, "--out", self.folder / name, *words)
        self.assertEqual(result["notices"], "")
        return self.folder / name

    def parameters_of_shards(self, folder, shards):
        last = folder / "checkpoints" / "last"
        return [(last / f"shard-{i}" / "parameters.safetensors").read_bytes() for i in range(1, shards)]

    def launched(self, places, variables, *words):
        """Starts each shard as a launcher does, the last one first, and returns their exit codes and what they print. A place is what
        stands before the command."""
        started = []
        for rank in reversed(range(len(places))):
            environment = {**self.environment(), **variables, "RANK": str(rank), "WORLD_SIZE": str(len(places))}
            process = subprocess.Popen([*places[rank], TENON, "run", "--quiet", *words], env=environment, cwd=self.folder, text=True,
                                       stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(process.kill)
            started.insert(0, process)
            time.sleep(0.05)
        said = [process.communicate(timeout=PATIENCE)[1] for process in started]
        return [process.returncode for process in started], said

    def by_hand(self, out, places, variables):
        codes, said = self.launched(places, variables, self.ppo, "--out", out)
        self.assertEqual(codes, [0] * len(places), said)
        for rank, text in enumerate(said):
            self.assertIn(f"shard {rank} of {len(places)} meets the others at ", text)
        return out

    def test_the_bytes_do_not_depend_on_where_shards_are(self):
        first = self.run_ppo("first")
        self.assertEqual(self.parameters_of_shards(first, 2), [parameters(first)])
        for record in records(first):
            self.assertGreater(record["time/exchange"] + record["time/wait"], 0)
            self.assertIn(record["time/slowest_shard"], (0, 1))
        self.assert_same_run(first, self.run_ppo("again"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        ports = self.by_hand(self.folder / "ports", [[], []], {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)})
        self.assert_same_run(first, ports)
        if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
            print("left out: this machine does not permit network namespaces")
            return
        apart = [["unshare", "-n"], ["unshare", "-n"]]
        files = self.by_hand(self.folder / "files", apart, {"MASTER_ADDR": str(self.folder / "meeting")})
        self.assert_same_run(first, files)

    def test_a_run_says_that_shards_make_its_updates_slower(self):
        words = [self.ppo, "--out", self.folder / "told", "--set", "run.total_frames=512"]
        told = self.tenon("run", *words).stderr
        line = r"^warning: 2 shards make updates of ppo/ppo slower: about [0-9.]+ ms on one machine, instead of [0-9.]+ ms; they pay where "
        self.assertRegex(told, re.compile(line + r"collecting takes most of the time \(`tenon explain`\)$", re.MULTILINE))
        self.assertEqual(told.count("slower"), 1)  # of two processes

    def test_lanes_have_the_draws_of_one_process(self):
        """Frames of random actions, before the first update: those of the shards together are those of one process."""
        words = ["--set", "run.total_frames=512", "--set", "train.start_frames=1000", "--set", "eval.every_frames=0"]
        for name, more in [("whole", []), ("shared", ["--set", "run.shards=2"])]:
            self.train(self.manifest, "--out", self.folder / name, *words, *more)
        whole = tensors_of(self.folder / "whole/checkpoints/last/frames.safetensors", 4)
        shared = self.folder / "shared/checkpoints/last"
        shards = [tensors_of(shared / name / "frames.safetensors", 2) for name in (".", "shard-1")]
        self.assertGreater(len(whole), 3)
        for name, lanes in whole.items():
            self.assertEqual(lanes[:2], shards[0][name], name)
            self.assertEqual(lanes[2:], shards[1][name], name)

    def test_ppo_with_values_of_all_rows_is_that_of_one_process(self):
        """Minibatches are whole batches, so they have the same rows. Advantages are normalised by minibatch or before, values by popart,
        and the divergence of all rows ends the epochs."""
        words = ["--set", "run.dtype='float64'", "--set", "train.minibatch=512", "--set", "run.total_frames=1536", "--set", "eval.every_frames=0",
                 "--set", "objective.target_kl=0.002", "--set", "optimiser.lr=0.01"]
        for more in (["run.executor='compiled'"], ["run.executor='reference'", "objective.normalise_over='batch'"], ["run.executor='auto'"]):
            with self.subTest(more):
                sets = [word for each in more for word in ("--set", each)]
                one, two = self.folder / f"one {more[0]}", self.folder / f"two {more[0]}"
                self.train(self.ppo, "--out", one, *words, *sets, "--set", "run.shards=1")
                self.train(self.ppo, "--out", two, *words, *sets)
                self.assertEqual([record["train/n_updates"] for record in records(one)], [record["train/n_updates"] for record in records(two)])
                self.assertLess(records(one)[-1]["train/n_updates"], 12)  # of 3 batches with 4 epochs: some have ended early
                self.assertEqual(self.parameters_of_shards(two, 2), [parameters(two)])
                left, right = (numbers_of(out / "checkpoints/last/parameters.safetensors") for out in (one, two))
                self.assertEqual(list(left), list(right))
                for name, values in left.items():
                    scale = max(1, *map(abs, values))
                    self.assertLess(max(abs(a - b) for a, b in zip(values, right[name])), 1e-9 * scale, name)
                for key in ("train/approx_kl", "train/clip_fraction"):
                    for a, b in zip(records(one), records(two)):
                        self.assertAlmostEqual(a[key], b[key], delta=1e-9)

    def test_running_moments_of_a_network_are_means_over_the_shards(self):
        """CrossQ's moments come from the rows of each shard, and those of all shards are compared after each round."""
        words = ["--set", "run.total_frames=240", "--set", "train.start_frames=120", "--set", "policy.qvalue.hidden=[16]", "--set", "policy.actor.hidden=[16]",
                 "--set", "eval.every_frames=0", "--set", "run.shards=2", "--set", "run.executor='compiled'"]
        out = self.folder / "crossq"
        self.train(MANIFESTS / "crossq_pendulum.toml", "--out", out, *words)
        self.assertEqual(self.parameters_of_shards(out, 2), [parameters(out)])
        self.assertGreater(records(out)[-1]["train/n_updates"], 100)

    def test_four_shards_and_three(self):
        four = self.run_ppo("four", "--set", "run.shards=4")
        self.assertEqual(self.parameters_of_shards(four, 4), [parameters(four)] * 3)
        three = self.run_ppo("three", "--set", "run.shards=3", "--set", "env.lanes=6", "--set", "train.batch=384",
                             "--set", "train.minibatch=96")
        self.assertEqual(self.parameters_of_shards(three, 3), [parameters(three)] * 2)

    def test_a_run_of_one_shard_is_a_run_without_shards(self):
        one = self.run_ppo("one", "--set", "run.shards=1")
        self.put("ppo.toml", PPO.replace("shards = 2\n", ""))
        self.assert_same_run(one, self.run_ppo("none"))

    def test_a_buffer_by_shard(self):
        words = ["--set", "run.shards=2", "--set", "run.total_frames=3000"]
        whole, half = self.folder / "whole", self.folder / "half"
        self.train(self.manifest, "--out", whole, *words)
        self.assertEqual(self.parameters_of_shards(whole, 2), [parameters(whole)])
        self.train(self.manifest, "--out", half, *words[:2], "--set", "run.total_frames=1024")
        self.train("--resume", half, self.manifest, *words)
        self.assert_same_run(whole, half)

    def test_another_number_of_shards_begins_the_frames_anew(self):
        for number, (manifest, shards) in enumerate([(self.ppo, (2, 4, 1)), (self.manifest, (1, 2))]):
            out = self.folder / f"changed-{number}"
            self.train(manifest, "--out", out, "--set", "run.total_frames=2048", "--set", f"run.shards={shards[0]}")
            for round_, (before, after) in enumerate(zip(shards, shards[1:])):
                words = ["--resume", out, manifest, "--set", f"run.total_frames={4096 + 2048 * round_}", "--set", f"run.shards={after}"]
                said = self.tenon("run", *words, code=2).stderr
                self.assertIn(f"run.shards was {before} and is now {after}", said)
                result = self.train(*words, "--change", "run.shards")
                self.assertIn(f"the checkpoint is of {before} shard{'s' if before > 1 else ''}, and the run has {after} now: it continues with "
                              "the weights and optimisers, and begins new episodes", result["notices"])
                self.assertEqual(self.parameters_of_shards(out, after), [parameters(out)] * (after - 1))
                self.assertGreater(result["frames"], 4000)
            frames = [record["frames"] for record in records(out)]
            self.assertEqual(frames, sorted(set(frames)))

    def test_interrupted_and_resumed(self):
        whole = self.run_ppo("whole", "--set", "run.total_frames=16384")
        process = self.start("run", self.ppo, "--quiet", "--out", "half", "--set", "run.total_frames=16384")
        self.wait_for(process, self.has_records(self.folder / "half", 3))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.train("--resume", self.folder / "half")
        self.assert_same_run(whole, self.folder / "half", events=False)

    def test_any_shard_may_be_asked_to_stop(self):
        process = self.start("run", self.ppo, "--quiet", "--out", "out", "--set", "run.total_frames=100000000", "--set", "run.shards=4")
        self.wait_for(process, self.has_records(self.folder / "out", 1))
        os.kill(shards_of(process.pid)[-1], signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, said), (0, ""))
        self.assertEqual(self.parameters_of_shards(self.folder / "out", 4), [parameters(self.folder / "out")] * 3)

    def test_shards_learn_before_an_episode_has_ended(self):
        """Hindsight takes its goals from episodes that have ended, and some shards have none yet."""
        words = ["--set", "run.executor=compiled", "--set", "run.total_frames=320", "--set", "train.batch=32", "--set", "train.start_frames=16",
                 "--set", "train.updates_per_batch=2", "--set", "eval.every_frames=0", "--set", "policy.qvalue.hidden=[16]"]  # fmt: skip
        for shards in (2, 4):
            out = self.folder / str(shards)
            result = self.train(MANIFESTS / "her_bitflip.toml", "--out", out, *words, "--set", f"run.shards={shards}")
            self.assertEqual(result["updates"], 20)
            self.assertEqual(self.parameters_of_shards(out, shards), [parameters(out)] * (shards - 1))

    def test_a_resumed_shard_keeps_its_executor(self):
        """Such as one that no longer trusts the compiled executor: `auto` goes on with the one of the checkpoint, in every shard."""
        words = ["--set", "run.executor=reference", "--set", "train.epochs=1", "--set", "eval.every_frames=0"]
        whole = self.run_ppo("whole", *words, "--set", "run.total_frames=1024")
        half = self.run_ppo("half", *words, "--set", "run.total_frames=512")
        self.train("--resume", half, "--set", "run.executor=auto", "--set", "run.total_frames=1024", "--change", "run.executor")
        self.assertEqual(parameters(whole), parameters(half))
        self.assertEqual(self.parameters_of_shards(half, 2), [parameters(half)])

    @unittest.skipIf(SANITIZED, "a library is preloaded, which must not come before that of the sanitizers")
    def test_trust_that_one_shard_loses_is_lost_by_all_before_the_same_update(self):
        """libtorch computes a wrong exponential in one shard, once: when the first update is compared. Whichever shard it is, all updates
        are computed by the reference executor, so the bytes are the same."""
        where = {"MASTER_ADDR": str(self.folder / "meeting"), "ATEN_CPU_CAPABILITY": "default"}
        words = [self.ppo, "--set", "run.executor=auto", "--set", "run.total_frames=1024", "--set", "train.epochs=1", "--set", "eval.every_frames=0",
                 "--set", "checkpoint.every_frames=512"]  # fmt: skip
        wrong = wrong_exp(at=300, by="2")
        outs = [self.folder / "0", self.folder / "1"]
        for out, places in zip(outs, ([wrong, []], [[], wrong])):
            codes, said = self.launched(places, where, *words, "--out", out)
            self.assertEqual(codes, [0, 0], said)
            for place, text in zip(places, said):
                self.assertEqual("the run continues on the reference executor: in the program 'update'" in text, place == wrong, said)
            self.assertEqual(self.parameters_of_shards(out, 2), [parameters(out)])
            states = list((out / "checkpoints/512").rglob("state.bin"))
            self.assertEqual([b"reference" in state.read_bytes() for state in states], [True, True])
        self.assertEqual(parameters(outs[0]), parameters(outs[1]))
        self.assertEqual(without_time(outs[0]), without_time(outs[1]))
        self.train(*words, "--set", "run.executor=compiled", "--out", self.folder / "compiled")
        self.assertNotEqual(parameters(outs[0]), parameters(self.folder / "compiled"))

    @unittest.skipIf(SANITIZED, "a library is preloaded, which must not come before that of the sanitizers")
    def test_a_loss_that_is_not_finite_in_one_shard(self):
        """It ends the run with the sentence of that shard, or all leave the minibatch out."""
        where = {"MASTER_ADDR": str(self.folder / "meeting"), "ATEN_CPU_CAPABILITY": "default"}
        words = [self.ppo, "--set", "run.executor=reference", "--set", "run.total_frames=512", "--set", "train.epochs=1", "--set", "eval.every_frames=0"]
        wrong = wrong_exp(at=1600, by="nan")
        codes, said = self.launched([[], wrong], where, *words, "--out", self.folder / "stop")
        self.assertEqual(codes, [3, 3], said)
        self.assertRegex(said[0], r"error: shard 1 of 2 \(.*\): the loss '\w+' of the stage 'update' is nan in the program 'update'.*[^)] \(update 0\)\n")
        self.assertEqual(said[0].count("error:") + said[1].count("error:"), 1)
        out = self.folder / "leave_out"
        codes, said = self.launched([[], wrong, [], []], where, *words, "--out", out, "--set", "run.shards=4", "--set", "train.on_not_finite=leave_out")
        self.assertEqual(codes, [0] * 4, said)
        self.assertRegex(said[1], r"warning: shard 1 of 4 \(.*\): the loss '\w+' .* is nan .*; its minibatch is left out")
        self.assertEqual(self.parameters_of_shards(out, 4), [parameters(out)] * 3)

    def test_a_lane_that_one_shard_loses_ends_all(self):
        """Its reward is not a number. Shards count frames together, so none goes on without one of its lanes."""
        walk = self.put("walk.toml", PPO.replace("classic/CartPole-v1", "faulty/Walk-v0"))
        words = [walk, "--plugins", FIXTURES, "--set", "env.fault=nan_reward", "--set", "env.at=30", "--set", "env.shard=1", "--set", "env.lane=9"]
        for shards in (2, 4):
            with self.subTest(shards=shards):
                done = self.tenon("run", "--quiet", *words, "--set", f"run.shards={shards}", "--out", f"out-{shards}", code=3)
                self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
                self.assertRegex(done.stderr, rf"error: shard 1 of {shards} \(.*\): faulty/Walk-v0: lane 1 cannot go on: its column 'reward' is nan \(frame \d+\)")

    def test_what_shard_0_decides_ends_all(self):
        """An evaluation's return is known to shard 0 only, and so is how many have not been better."""
        for words, frames in ([["run.stop_at_return=9"], 2048], [["eval.patience=1", "optimiser.lr=0.0", "eval.every_frames=512"], 1024]):
            with self.subTest(words):
                sets = [part for word in words for part in ("--set", word)]
                result = self.train(self.ppo, "--out", self.folder / words[0], "--set", "run.shards=4", *sets)
                self.assertEqual(result["frames"], frames)

    def test_hooks_are_called_by_shard_0_and_end_all_after_the_same_round(self):
        """16 updates a round: the hook stops the run in the second of eight rounds. A run that is continued does not start again."""
        self.put("ppo.toml", PPO.replace("target_kl = 0.05\n", "").replace("eval]\nevery_frames = 2_048", "eval]\nevery_frames = 1_024"))
        alone = self.run_ppo("alone", "--set", "run.total_frames=1024")
        self.put("hooked.toml", self.ppo.read_text() + f'[plugins]\nsearch = ["{FIXTURES}"]\n[[hooks]]\nplugin = "faulty/caller"\nuntil = 20\n')
        done = self.tenon("run", "hooked.toml", "--out", "hooked")
        rounds = [["collected 0", *(f"updated {i}" for i in range(1, 17))], ["collected 16", *(f"updated {i}" for i in range(17, 33))]]
        end = ["evaluated 32", "checkpoint 32", "ended 32"]
        calls = r"^(?:started|collected|updated|evaluated|checkpoint|ended) \d+$"
        self.assertEqual(re.findall(calls, done.stderr, re.MULTILINE), ["started 0", *rounds[0], *rounds[1], *end])
        self.assertIn("faulty/caller ends the run: it has called enough\n", done.stdout)
        self.assertEqual(parameters(self.folder / "hooked"), parameters(alone))
        self.assertEqual(self.parameters_of_shards(self.folder / "hooked", 2), [parameters(alone)])
        self.tenon("run", "hooked.toml", "--out", "half", "--set", "run.total_frames=512", "--set", "eval.every_frames=0")
        done = self.tenon("run", "--resume", "half", "--set", "run.total_frames=4096", "--set", "eval.every_frames=1024")
        self.assertEqual(re.findall(calls, done.stderr, re.MULTILINE), [*rounds[1], *end])
        self.assertEqual(parameters(self.folder / "half"), parameters(alone))

    def test_a_shard_that_is_killed_ends_the_run_with_one_sentence(self):
        process = self.start("run", self.ppo, "--quiet", "--out", "killed", "--set", "run.total_frames=100000000")
        self.wait_for(process, self.has_records(self.folder / "killed", 2))
        (shard,) = children_of(process.pid)
        os.kill(shard, signal.SIGKILL)
        killed = time.monotonic()
        _, said = process.communicate(timeout=PATIENCE)
        self.assertLess(time.monotonic() - killed, 5)
        self.assertEqual(process.returncode, 4)
        self.assertRegex(said, rf"^error: shard 1 of 2 \(.*, process {shard}\) was ended by SIGKILL")
        self.assertEqual(said.count("error:"), 1)
        self.assertNotIn(" --> ", said)
        self.assertIn("\nhelp: ", said)  # nobody restarts it
        self.train("--resume", self.folder / "killed", "--set", "run.total_frames=20000")

    def test_a_shard_that_dies_in_a_checkpoint_leaves_the_one_before(self):
        words = ["run", self.ppo, "--quiet", "--set", "run.total_frames=3072", "--set", "eval.every_frames=0", "--out"]
        self.tenon(*words, "whole")
        done = self.tenon(*words, "killed", code=4, die_at="write:*2048*/shard-1/optimiser.safetensors:1")
        self.assertRegex(done.stderr, r"error: shard 1 of 2 \(.*\) was ended by SIGKILL")
        self.assertEqual(sorted(path.name for path in (self.folder / "killed/checkpoints").iterdir()), ["1024", "last"])
        self.tenon("run", "--resume", "killed", "--quiet")
        self.assert_same_run(self.folder / "whole", self.folder / "killed", events=False)

    def test_a_run_with_restarts_has_the_bytes_of_one_without_a_death(self):
        words = ["run", self.ppo, "--quiet", "--set", "run.total_frames=12288", "--restarts", "2", "--out"]
        self.tenon(*words, "whole")
        process = self.start(*words, "killed")
        self.wait_for(process, self.has_records(self.folder / "killed", 3))
        (first,) = children_of(process.pid)
        (shard,) = children_of(first)
        os.kill(shard, signal.SIGKILL)
        self.wait_for(process, lambda: children_of(process.pid) not in ([], [first]))
        self.wait_for(process, self.has_records(self.folder / "killed", 12))
        (second,) = children_of(process.pid)
        os.kill(second, signal.SIGKILL)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, said)
        self.assertRegex(said, rf"error: shard 1 of 2 \(.*, process {shard}\) was ended by SIGKILL")
        self.assertRegex(said, r"info: restart 1 of 2 (begins the run|continues the run in killed): its process ended by exit code 4\n")
        self.assertIn("warning: restart 2 of 2 continues the run in killed: its process was ended by SIGKILL\n", said)
        self.assertNotIn("help: ", said)  # it continues without help
        self.assertNotIn(" --> ", said)  # no line of the manifest is wrong
        self.assert_same_run(self.folder / "whole", self.folder / "killed", events=False)
        self.tenon("run", "--restarts", "1", self.ppo, code=2)

    def test_the_end_of_the_first_shard_is_the_end_of_all(self):
        process = self.start("run", self.ppo, "--quiet", "--out", "killed", "--set", "run.total_frames=100000000",
                             "--set", "run.shards=4")  # fmt: skip
        self.wait_for(process, self.has_records(self.folder / "killed", 2))
        shards = children_of(process.pid)
        self.assertEqual(len(shards), 3)
        process.kill()
        process.communicate(timeout=PATIENCE)
        wait_until(lambda: not any(map(is_alive, shards)))

    def test_the_end_of_the_first_shard_is_the_end_of_all_before_they_have_met(self):
        process = self.start("run", self.ppo, "--quiet", "--set", "run.shards=4", "--out", self.folder / "out")
        wait_until(lambda: len(children_of(process.pid)) == 3)
        os.kill(process.pid, signal.SIGSTOP)  # so that it does not answer them
        others = children_of(process.pid)
        wait_until(lambda: all(len(os.listdir(f"/proc/{each}/task")) >= 3 for each in others))  # they wait at the meeting, with ZeroMQ's threads
        process.kill()
        wait_until(lambda: not any(map(is_alive, others)))

    def test_a_shard_that_does_not_come(self):
        process = subprocess.Popen([TENON, "run", self.ppo, "--quiet", "--out", "out"], stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                   env={**self.environment(), "TENON_WAIT": "2"})  # fmt: skip
        self.addCleanup(process.kill)
        wait_until(lambda: len(shards_of(process.pid)) == 1)
        (shard,) = shards_of(process.pid)
        os.kill(shard, signal.SIGSTOP)
        self.assertEqual(Path(f"/proc/{process.pid}/comm").read_text(), Path(f"/proc/{shard}/comm").read_text())  # what ps shows
        alone = {**self.environment(), "RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": str(self.folder / "meeting"), "TENON_WAIT": "1"}
        done = subprocess.run([TENON, "run", self.ppo, "--out", "alone"], capture_output=True, text=True, cwd=self.folder, env=alone)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"of 2 shards, number 1 has not come to ipc://{self.folder}/meeting within 1 s", done.stderr)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, said)
        self.assertIn("error: shard 1 of 2 was stopped (SIGSTOP) before the run began", said)
        wait_until(lambda: not is_alive(shard))

    def test_a_shard_that_fails_before_the_meeting_ends_all_with_its_sentence(self):
        """A launcher has started it in a folder without the manifest. The others would wait ten minutes for it."""
        (self.folder / "empty").mkdir()
        for failing in (0, 1):
            with self.subTest(failing=failing):
                places = [[], [], [], []]
                places[failing] = ["env", "-C", self.folder / "empty"]
                codes, said = self.launched(places, {"MASTER_ADDR": str(self.folder / "meeting")}, "ppo.toml", "--set", "run.shards=4", "--out", self.folder / "out")
                self.assertEqual(codes, [2] * 4, said)
                for rank, text in enumerate(said):
                    who = "" if rank == failing else rf"shard {failing} of 4 \(.*, process \d+\): "
                    self.assertRegex(text, rf"error: {who}there is no file ppo.toml")
                    self.assertEqual(text.count("error:"), 1)
                self.assertFalse((self.folder / "out").exists())

    def test_a_full_disk_of_one_shard_ends_the_run_with_one_sentence(self):
        """A limit on the size of its files, as of a quota, which only shard 1 has."""
        full = ["bash", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "bash"]
        codes, said = self.launched([[], full], {"MASTER_ADDR": str(self.folder / "meeting")}, self.ppo, "--out", "out")
        self.assertEqual(codes, [4, 4], said)
        self.assertRegex(said[0], r"error: shard 1 of 2 \(.*\): .*out/checkpoints/.*/shard-1/.*File too large")
        self.assertEqual(said[0].count("error:"), 1)
        self.assertNotIn("error:", said[1])
        self.assertEqual(list((self.folder / "out").glob("checkpoints/*")), [])  # no half of one is left

    @unittest.skipUnless(subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0, "mount namespaces are not permitted")
    def test_another_file_system_is_named(self):
        where = {"MASTER_ADDR": str(self.folder / "meeting")}
        (self.folder / "place").mkdir()

        def apart(folder):
            return ["unshare", "-m", "bash", "-c", f'mount -t tmpfs none "{folder}" && exec "$@"', "bash"]

        codes, said = self.launched([[], apart(self.folder / "place")], where, self.ppo, "--out", self.folder / "place/out")
        self.assertEqual(codes, [4, 4], said)
        self.assertRegex(said[0], r"error: shard 1 of 2 \(.*\) does not see the run folder .*/place/out of shard 0 of 2 \(.*\): all shards need one file system; "
                                  r"without one, other machines can collect frames \(tenon collect\)")
        out = self.run_ppo("out", "--set", "run.total_frames=1024")
        codes, said = self.launched([[], apart(out / "checkpoints")], where, "--resume", out, "--set", "run.total_frames=2048")
        self.assertEqual(codes, [4, 4], said)
        self.assertRegex(said[0], r"error: shard 1 of 2 \(.*\) does not see the checkpoint .*/out/checkpoints/1024 of shard 0 of 2 \(.*\)")

    def test_a_second_group_does_not_write_the_same_run(self):
        first = self.start("run", self.ppo, "--quiet", "--out", "out", "--set", "run.total_frames=100000000")
        self.wait_for(first, lambda: (self.folder / "out/checkpoints/last").exists())
        codes, said = self.launched([[], []], {"MASTER_ADDR": str(self.folder / "meeting")}, "--resume", "out")
        self.assertEqual(codes, [2, 2], said)
        self.assertIn(f"error: another process is writing the run in out (process {first.pid})", said[0])
        self.assertNotIn("error:", said[1])
        first.send_signal(signal.SIGTERM)
        _, errors = first.communicate(timeout=PATIENCE)
        self.assertEqual((first.returncode, errors), (0, ""))

    def test_a_second_process_of_one_number_changes_nothing(self):
        """It comes when the others have met, and is refused after half of shard 0's TENON_WAIT, or 15 s."""
        where = {"MASTER_ADDR": str(self.folder / "meeting"), "TENON_WAIT": "1"}
        words = [self.ppo, "--quiet", "--out", "out", "--set", "run.total_frames=100000000"]
        started = [subprocess.Popen([TENON, "run", *words], env={**self.environment(), **where, "RANK": str(rank), "WORLD_SIZE": "2"}, text=True,
                                    cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE) for rank in (0, 1)]  # fmt: skip
        for process in started:
            self.addCleanup(process.kill)
        self.wait_for(started[0], self.has_records(self.folder / "out", 1))
        late = subprocess.run([TENON, "run", *words], capture_output=True, text=True, cwd=self.folder,
                              env={**self.environment(), **where, "TENON_WAIT": "60", "RANK": "1", "WORLD_SIZE": "2"})  # fmt: skip
        self.assertEqual(late.returncode, 2, late.stderr)
        self.assertRegex(late.stderr, rf"two processes are shard 1 of 2: .*, process {started[1].pid}, and .*, which has come to ipc://.* after the run of .* began")
        self.wait_for(started[0], self.has_records(self.folder / "out", len(records(self.folder / "out")) + 1))
        started[1].send_signal(signal.SIGTERM)
        self.assertEqual([process.communicate(timeout=PATIENCE) and process.returncode for process in started], [0, 0])

    def test_mistakes(self):
        for words, sentence in [
            (["env.lanes=9"], "env.lanes is 9, which 2 shards cannot share evenly; make it a multiple of run.shards"),
            (["train.batch=513"], "train.batch is 513, which 2 shards cannot share evenly; make it a multiple of run.shards"),
            (["train.minibatch=127"], "train.minibatch is 127, which 2 shards cannot share evenly"),
            (["collector.record='frames'"], "collector.record writes the episodes of one process, but run.shards = 2 shares"),
            (["run.stop_at_episodes=5"], "run.stop_at_episodes counts the episodes of one process, but run.shards = 2"),
            (["hooks=[{plugin='hooks/quantiles'}]"], "hooks/quantiles reads columns of one process, but run.shards = 2 shares"),
            (["hooks=[{plugin='hooks/kl_adaptive_lr'}]"], "hooks/kl_adaptive_lr moves options or writes networks in one process, but run.shards = 2"),
            (["train.episodes=8"], "train.episodes gives batches that differ in size, but run.shards = 2 shares"),
        ]:  # fmt: skip
            with self.subTest(words):
                sets = [part for word in words for part in ("--set", word)]
                done = self.tenon("validate", self.ppo, *sets, code=2)
                self.assertIn(sentence, done.stdout + done.stderr)
        done = subprocess.run([TENON, "run", self.ppo], capture_output=True, text=True, cwd=self.folder,
                              env={**self.environment(), "RANK": "0", "WORLD_SIZE": "3"})  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("the run has 2 shards, but RANK is 0 and WORLD_SIZE is 3", done.stderr)
        done = subprocess.run([TENON, "run", self.ppo], capture_output=True, text=True, cwd=self.folder,
                              env={**self.environment(), "TENON_LIBZMQ": "/nowhere/libzmq.so"})  # fmt: skip
        self.assertEqual(done.returncode, 4)
        self.assertIn("a run with shards, or with workers that connect to it, needs ZeroMQ, but /nowhere/libzmq.so cannot be loaded", done.stderr)


if __name__ == "__main__":
    unittest.main()
