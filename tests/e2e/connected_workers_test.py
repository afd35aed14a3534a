#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers that somebody else starts, by `tenon collect --connect`, for a run with collector.listen: the bytes of workers on this
machine, and what happens when a worker or the trainer ends, when nobody comes, and when strangers do."""

import os
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from remote_workers_test import ENDLESS, PROCESSES, below
from runs import PATIENCE, TENON, RunCase, parameters, wait_until, without_time

from long import LONG  # isort: skip
from machines import connected, permitted  # isort: skip

KEY = {"TENON_KEY": "a key"}
CABLE = "tcp://10.79.0.1:5557"


class ConnectedWorkers(RunCase):
    SHARED = {"two": PROCESSES}

    def setUp(self):
        super().setUp()
        self.door = f"ipc://{self.folder / 'door'}"

    def begin(self, before, words, more):
        process = subprocess.Popen([*before, TENON, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.folder, env={**self.environment(), **(more or {})})  # fmt: skip
        for clean in (process.stderr.close, process.stdout.close, process.wait, process.kill):
            self.addCleanup(clean)
        return process

    def collect(self, *words, address=None, before=(), more=None):
        return self.begin(before, ["collect", "--connect", address or self.door, *words], more)

    def listen(self, out, *words, address=None, before=(), more=None):
        """A run that waits for two workers, in the background."""
        listen = ["--set", f'collector.listen="{address or self.door}"']
        return self.begin(before, ["run", self.manifest, "--out", out, *PROCESSES, *listen, *words], more)

    def ended(self, process, code=0):
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, errors)
        return errors

    def running(self, more=None):
        """A run that does not end by itself, with two workers."""
        out = self.folder / "out"
        trainer = self.listen(out, "--quiet", *ENDLESS, more=more)
        workers = [self.collect(), self.collect()]
        self.wait_for(trainer, self.has_records(out, 3))
        return trainer, workers, out

    def go_on(self, trainer, out):
        self.wait_for(trainer, self.has_records(out, len((out / "metrics.jsonl").read_text().splitlines()) + 3))
        trainer.send_signal(signal.SIGINT)
        return self.ended(trainer)

    def assert_same(self, out):
        self.assertEqual(parameters(out), parameters(self.shared / "two"))
        self.assertEqual(without_time(out), without_time(self.shared / "two"))

    def test_the_bytes_are_those_of_workers_here_and_a_run_resumes(self):
        """Two workers, one of them without a network; then one, by TCP with a key, which has stayed for it."""
        out = self.folder / "out"
        before = ["unshare", "-n"] if permitted() else []
        if not before:
            print("left out: this machine does not permit a network namespace")
        workers = [self.collect(), self.collect(before=before)]  # before their trainer
        self.ended(self.listen(out, "--leave-at-frames", "5000"))
        self.assertIn(f"the run at {self.door} has ended", [self.ended(worker) for worker in workers][0])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"tcp://localhost:{free.getsockname()[1]}"
        worker = self.collect("--stay", address=address, more=KEY)
        self.ended(self.begin([], ["run", "--resume", out, "--set", "collector.workers=1", "--set", f'collector.listen="{address}"'], KEY))
        self.assert_same(out)
        worker.terminate()

    def test_lost_workers_are_replaced(self):
        trainer, workers, out = self.running()
        spare = self.collect()
        self.assertIn(f"the run at {self.door} has all its workers: this one waits until one is lost", spare.stderr.readline())
        os.kill(next(number for number, words in below(workers[0].pid) if words.endswith("tenon-worker 3 collect ")), signal.SIGKILL)
        self.wait_for(trainer, lambda: below(spare.pid) or None)
        workers[1].kill()  # the first one waits again
        self.wait_for(trainer, lambda: below(workers[0].pid) or None)
        errors = self.go_on(trainer, out)
        self.assertRegex(errors, "worker [12] of 2 was ended by SIGKILL: lanes (0 to 1|2 to 3) lost a step and begin new episodes")
        self.assertRegex(errors, f"worker [12] of 2 lost its connection: .*, process {workers[1].pid} has ended")
        self.assertIn("the worker was ended by SIGKILL", self.ended(workers[0]))
        self.ended(spare)

    def test_nothing_is_left_of_a_trainer_that_is_killed(self):
        trainer, workers, _ = self.running()
        started = [number for worker in workers for number, _ in below(worker.pid)]
        self.assertEqual(len(started), 4)  # a courier and a worker, twice
        trainer.kill()
        for worker in workers:
            self.assertIn(f"error: the trainer at {self.door} has ended or cannot be reached any more", self.ended(worker, 4))
        wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in started))

    @unittest.skipUnless(permitted(), "this machine does not permit namespaces")
    def test_a_worker_that_cannot_collect_is_told_and_replaced(self):
        """Its machine does not have the folder of the run, or has another plugin."""
        (self.folder / "disk/in").mkdir(parents=True)
        out = self.folder / "out"
        trainer = self.listen(out, "--set", "collector.workers=1", before=["env", "-C", self.folder / "disk/in"])
        without = self.collect(before=["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', self.folder / "disk"])
        sentence = f"the folder {self.folder}/disk/in, in which the run was started, cannot be entered on "
        self.assertIn(f"error: {sentence}", self.ended(without, 4))
        plugin = next((Path(TENON).resolve().parents[1] / "lib/tenon/plugins").rglob("*classic.so"))
        spoil = 'cp "$0" "$1" && printf x >>"$1" && mount --bind "$1" "$0" && shift && exec "$@"'
        other = self.collect(before=["unshare", "-m", "sh", "-c", spoil, plugin, self.folder / "other.so"])
        self.assertIn(f"{plugin.name} is not the pinned file: its SHA-256 is ", self.ended(other, 3))
        self.collect()
        errors = self.ended(trainer)
        self.assertIn(f"worker 1 of 1 cannot collect: {sentence}", errors)
        self.assertIn(f"{plugin.name} is not the pinned file", errors)
        self.assert_same(out)

    def test_nobody_comes(self):
        limit = {"TENON_WAIT": "1"}
        trainer = self.listen("out", more=limit)
        worker = self.collect()
        errors = self.ended(trainer, 4)
        self.assertIn(f"workers connected to {self.door}: 1 of 2; no other has come within 1 s (TENON_WAIT)", errors)
        self.assertIn(f"help: start 1 more: `tenon collect --connect {self.door}`", errors)
        self.ended(worker)
        self.assertIn(f"error: no trainer has answered at {self.door} within 1 s (TENON_WAIT)", self.ended(self.collect(more=limit), 4))

    def test_strangers_change_nothing(self):
        out = self.folder / "out"
        trainer = self.listen(out, address="tcp://127.0.0.1:0", more=KEY)
        said = ""
        while "`tenon collect --connect " not in said:
            said += trainer.stderr.readline()
        address = said.rsplit("--connect ", 1)[1].split("`")[0]
        for more, why in (({"TENON_KEY": "b"}, "TENON_KEY is another one there, or not set"), (None, "TENON_KEY is not set here")):
            self.assertIn(f"the trainer at {address} does not accept this worker: {why}", self.ended(self.collect(address=address, more=more), 4))
        for _ in range(2):
            self.collect(address=address, more=KEY)
        said += self.ended(trainer)
        self.assertEqual(said.count(f"somebody has connected to {address} without the TENON_KEY of this run, and was refused"), 1)
        self.assert_same(out)

    def test_bad_input(self):
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        shape = "collector.listen must be tcp://HOST:PORT, such as tcp://0.0.0.0:5557, or ipc:///PATH for processes of one machine, but is "
        for words, more, code, sentence in [
            (['collector.listen="node5"'], None, 2, f"{shape}'node5'"),
            (['collector.listen="tcp://node5:70000"'], None, 2, f"{shape}'tcp://node5:70000'"),
            (['collector.listen="tcp://0.0.0.0:5557"', 'collector.via=["env"]'], None, 2,
             "collector.listen waits for workers that others start, and collector.via starts them: there can be only one"),
            (['collector.listen="tcp://0.0.0.0:5557"', 'collector.kind="async"'], None, 2,
             'collector.listen is where worker processes of other machines connect, but collector.kind = "async" has no worker processes'),
            (['collector.listen="tcp://0.0.0.0:5557"'], None, 2,
             "collector.listen is tcp://0.0.0.0:5557, which is on the network, and TENON_KEY is not set"),
            ([f'collector.listen="tcp://127.0.0.1:{port}"'], None, 4,
             f"the trainer cannot wait for workers at tcp://127.0.0.1:{port}: Address already in use"),
            (['collector.listen="tcp://no.such.host.invalid:5557"'], KEY, 4,
             "the host in tcp://no.such.host.invalid:5557 has no address that this machine can find"),
            ([f'collector.listen="{self.door}"'], {"TENON_WAIT": "soon"}, 2, "TENON_WAIT is 'soon', but must be a number of seconds"),
        ]:  # fmt: skip
            with self.subTest(sentence):
                sets = [word for each in words for word in ("--set", each)]
                self.assertIn(sentence, self.ended(self.begin([], ["run", self.manifest, "--out", "bad", *PROCESSES, *sets], more), code))

    def machines(self):
        return connected(self, "10.79.0") or self.skipTest("this machine has no veth or no `ip`")

    @unittest.skipUnless(LONG and permitted(), "it is one of .ci/long, and needs network namespaces")
    def test_workers_on_another_machine(self):
        here, there = self.machines()
        out = self.folder / "out"
        workers = [self.collect(address=CABLE, before=there, more=KEY) for _ in range(2)]
        self.ended(self.listen(out, address="tcp://0.0.0.0:5557", before=here, more=KEY))
        self.assert_same(out)
        for worker in workers:
            self.ended(worker)

    @unittest.skipUnless(LONG and permitted(), "it is one of .ci/long, and needs network namespaces")
    def test_a_cable_that_is_pulled(self):
        """Both sides notice it, and the run goes on with workers that come when the cable is there again."""
        here, there = self.machines()
        out = self.folder / "out"
        trainer = self.listen(out, "--quiet", *ENDLESS, address="tcp://0.0.0.0:5557", before=here, more=KEY)
        workers = [self.collect(address=CABLE, before=there, more=KEY) for _ in range(2)]
        self.wait_for(trainer, self.has_records(out, 3))
        subprocess.run([*here, "ip", "link", "set", "cable", "down"], check=True)
        for worker in workers:
            self.assertIn(f"the trainer at {CABLE} has ended or cannot be reached any more", self.ended(worker, 4))
        subprocess.run([*here, "ip", "link", "set", "cable", "up"], check=True)
        workers = [self.collect(address=CABLE, before=there, more=KEY) for _ in range(2)]
        self.assertRegex(self.go_on(trainer, out), "worker 1 of 2 lost its connection: .* has (said nothing for 15 s|ended or cannot be reached any more): lanes 0 to 1")

    @unittest.skipUnless(LONG, "it is one of .ci/long")
    def test_who_is_stopped(self):
        """A trainer keeps its workers; a worker is replaced, and is a spare one when it goes on."""
        trainer, workers, out = self.running(more={"TENON_WAIT": "4"})
        trainer.send_signal(signal.SIGSTOP)
        time.sleep(5)
        trainer.send_signal(signal.SIGCONT)
        workers[0].send_signal(signal.SIGSTOP)
        self.collect()
        errors = self.go_on(trainer, out)
        self.assertRegex(errors, f"worker [12] of 2 lost its connection: .*, process {workers[0].pid} has said nothing for 2 s: lanes")
        self.assertEqual(errors.count("lost its connection"), 1)


if __name__ == "__main__":
    unittest.main()
