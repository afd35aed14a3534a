#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers that a command such as ssh starts (collector.via): the bytes of workers on this machine, and what happens when a
worker, the way to it or the trainer ends."""

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from runs import MANIFESTS, TENON, RunCase, parameters, wait_until, without_time

from long import LONG  # isort: skip

PROCESSES = ["--set", 'collector.kind="processes"']
ENDLESS = ["--set", "run.total_frames=100_000_000"]


# Never answers, and says what asks it to end.
SILENT = """#!/bin/bash
trap 'echo $SLURM_UNBUFFEREDIO >>asked; kill $!; exit' TERM
sleep 1000 &
wait
"""


def below(parent):
    """The processes that this one has started, and theirs, as (id, command line)."""
    children = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = status.read_text().rsplit(") ", 1)
            words = (status.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # it has ended
        children.setdefault(int(rest.split()[1]), []).append((int(name.split()[0]), words))
    found, todo = [], [parent]
    while todo:
        mine = children.get(todo.pop(), [])
        found += mine
        todo += [number for number, _ in mine]
    return found


class RemoteWorkers(RunCase):
    SHARED = {"two": PROCESSES, "async": ["--set", 'collector.kind="async"']}

    def setUp(self):
        super().setUp()
        self.ssh = self.fake_ssh()

    def via(self, *hosts):
        return [*PROCESSES, "--set", "collector.via=[" + ",".join(f'"{self.ssh} {host}"' for host in hosts) + "]"]

    def long_run(self, out, *words):
        process = self.start("run", self.manifest, "--quiet", "--out", out, *ENDLESS, *words)
        self.wait_for(process, self.has_records(out, 3))
        return process

    def workers(self, process):
        return sorted(number for number, words in below(process.pid) if words.endswith("tenon-worker 3 collect "))

    def go_on(self, process, out):
        self.wait_for(process, self.has_records(out, len((out / "metrics.jsonl").read_text().splitlines()) + 3))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def test_frames_are_those_of_workers_on_this_machine(self):
        self.assert_same_run(self.shared / "two", self.run_to("out", *self.via("a", "b")))

    def test_any_number_of_workers_makes_the_frames_of_async(self):
        commands = ["env"]
        if subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode == 0:
            commands.append("unshare -n")  # without any network
        else:
            print("left out: this machine does not permit a network namespace")
        for count, command in enumerate(commands, 1):
            with self.subTest(command):
                out = self.run_to(f"by_{count}", *PROCESSES, "--set", f"collector.workers={2 * count}", "--set", f'collector.via=["{command}"]')
                self.assertEqual(parameters(out), parameters(self.shared / "async"))
                self.assertEqual(without_time(out), without_time(self.shared / "async"))

    def test_whole_batches_and_what_transforms_learn_travel(self):
        self.manifest = MANIFESTS / "ppo_cartpole.toml"
        few = [*PROCESSES, "--set", 'run.executor="compiled"', "--set", "run.total_frames=2_048", "--set", "eval.every_frames=1_024",
               "--set", 'env.transforms=[{plugin="standard/observation_norm"}]']  # fmt: skip
        here = self.run_to("here", *few, "--set", "collector.workers=4")
        there = self.run_to("there", *few, "--set", f'collector.via=["{self.ssh} a","{self.ssh} b"]')
        self.assertEqual(parameters(there), parameters(here))
        self.assertEqual(without_time(there), without_time(here))

    def test_a_run_goes_on_with_other_machines(self):
        self.run_to("out", *self.via("a", "b"), "--leave-at-frames", "5000")
        self.train("--resume", self.folder / "out", "--set", f'collector.via=["{self.ssh} c"]')
        self.assertEqual(parameters(self.folder / "out"), parameters(self.shared / "two"))

    def test_a_worker_that_is_killed_is_started_again(self):
        out = self.folder / "out"
        process = self.long_run(out, *self.via("a", "b"))
        os.kill(self.workers(process)[0], signal.SIGKILL)
        self.wait_for(process, lambda: len(self.workers(process)) == 2)
        self.assertRegex(self.go_on(process, out), "worker [12] of 2 was ended by SIGKILL: lanes (0 to 1|2 to 3) lost a step and begin new episodes")

    def test_the_next_machine_takes_the_place_of_one_that_is_lost(self):
        out = self.folder / "out"
        process = self.long_run(out, *self.via("a", "b", "gone", "d"))  # the second worker has b, and a time later d
        courier = next(number for number, words in below(process.pid) if words == f"tenon-worker 3 courier {self.ssh} b ")
        remote = next(number for number, words in below(courier) if words.split()[0].endswith("/tenon-worker"))
        os.kill(remote, signal.SIGKILL)
        self.wait_for(process, lambda: any(f"{self.ssh} d " in words for _, words in below(process.pid)))
        errors = self.go_on(process, out)
        self.assertRegex(errors, f"worker 2 of 2 lost its connection: '{self.ssh} b' ended by exit code 137: lanes 2 to 3 lost a step")
        self.assertRegex(errors, f"worker 2 of 2 was not reached: '{self.ssh} gone' ended by exit code 255")

    def test_who_is_stopped_is_replaced(self):
        """The worker, the courier at its side, and the command; each is waited for half of TENON_WAIT, or 10 to 15 s."""
        for who, sentence in ([
            ("tenon-worker 3 collect ", "worker [12] of 2 was stopped \\(SIGSTOP\\): lanes"),
            (" remote ", "worker [12] of 2 lost its connection: '.*' has said nothing for 1 s: lanes"),
            ("tenon-worker 3 courier ", "worker [12] of 2 was stopped \\(SIGSTOP\\): lanes"),
        ])[: 3 if LONG else 1]:  # fmt: skip
            with self.subTest(who):
                out = self.folder / who.split()[-1]
                os.environ["TENON_WAIT"] = "2"
                self.addCleanup(os.environ.pop, "TENON_WAIT", None)
                process = self.long_run(out, *PROCESSES, "--set", 'collector.via=["env"]')
                os.kill(next(number for number, words in below(process.pid) if who in words), signal.SIGSTOP)
                self.assertRegex(self.go_on(process, out), sentence)

    def test_nothing_is_left_of_a_trainer_that_is_killed(self):
        process = self.long_run(self.folder / "out", *self.via("a", "b"))
        started = [number for number, _ in below(process.pid)]
        self.assertGreaterEqual(len(started), 8)  # a courier, a command, a courier and a worker, twice
        process.send_signal(signal.SIGKILL)
        process.wait()
        end = time.monotonic() + self.patience
        while (left := [number for number in started if Path(f"/proc/{number}").exists()]) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(left, [])

    def test_bad_input(self):
        for words, code, sentence in [
            (self.via("gone"), 4, f"worker 1 of 2 was not reached: '{self.ssh} gone' ended by exit code 255"),
            ([*PROCESSES, "--set", 'collector.via=["no-such-command a"]'], 4, "collector.via starts processes by 'no-such-command', which is not on the PATH"),
            ([*PROCESSES, "--set", "collector.via=[\"ssh 'a\"]"], 2, "collector.via has a quotation mark without its second one: ssh 'a"),
            ([*PROCESSES, "--set", 'collector.via=[""]'], 2, "collector.via has an empty command"),
            (["--set", 'collector.kind="async"', "--set", 'collector.via=["ssh a"]'], 2,
             'collector.via starts processes that collect on other machines, but collector.kind = "async" has no worker processes'),
        ]:  # fmt: skip
            with self.subTest(sentence):
                self.assertIn(sentence, self.tenon("run", self.manifest, "--out", "bad", *words, code=code).stderr)

    def test_commands_that_print_or_never_answer(self):
        banner, silent, empty, other, asks, half = (self.folder / name for name in ("banner", "silent", "empty", "other", "asks", "half"))
        other.write_text("#!/usr/bin/env python3\nimport subprocess, sys\nhead = sys.stdin.buffer.read(16)\n"
                         "body = bytearray(sys.stdin.buffer.read(int.from_bytes(head[8:], 'little')))\nbody[8] ^= 1  # of the build's id\n"
                         "with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE) as child:\n    child.communicate(head + body)\n")  # fmt: skip
        empty.write_text('#!/bin/sh\nexec sh -c "/nowhere/tenon-worker remote"\n')
        worker = Path(TENON).resolve().parents[1] / "lib/tenon/tenon-worker"
        banner.write_text('#!/bin/bash\necho "Welcome to node7, be kind to it"\nexec "$@"\n')
        silent.write_text(SILENT)
        asks.write_text("#!/bin/bash\nprintf Password:\nexec sleep 1000\n")
        half.write_text('#!/bin/bash\n"$@" | (head -c 100; exec sleep 1000)\n')  # as where a cable is cut
        for command, limit, sentence in [
            (banner, 60, f"worker 1 of 2 was not reached: '{banner}' prints 'Welcome to node7...' to its standard output, which must carry nothing but frames"),
            (empty, 60, f"worker 1 of 2 was not reached: '{empty}' ended by exit code 127, as if there were no {worker} on that machine"),
            (other, 60, "is another build than the trainer's (in worker 1 of 2)"),
            (asks, 2, f"worker 1 of 2 was not reached: '{asks}' prints 'Password:...' to its standard output, which must carry nothing but frames"),
            (half, 3, "worker 1 of 2 lost its connection: half a message has come, and nothing more"),
            (silent, 1, f"worker 1 of 2 was not reached within 1 s (TENON_WAIT) by '{silent}', which must not ask for a password"),
        ]:  # fmt: skip
            command.chmod(0o755)
            with self.subTest(sentence):
                done = subprocess.run([TENON, "run", self.manifest, "--out", self.folder / "bad", *PROCESSES, "--set", f'collector.via=["{command}"]'],
                                      capture_output=True, text=True, cwd=self.folder, env={**self.environment(), "TENON_WAIT": str(limit)})  # fmt: skip
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(sentence, done.stderr)
                self.assertFalse([words for _, words in below(os.getpid()) if "sleep 1000" in words])
        self.assertEqual(set((self.folder / "asked").read_text().split()), {"1"})  # the silent one

    def test_a_command_is_asked_to_end_when_its_trainer_is_killed(self):
        """Such as srun, which tells Slurm that it does not need its node any more."""
        silent = self.folder / "silent"
        silent.write_text(SILENT)
        silent.chmod(0o755)
        process = self.start("run", self.manifest, "--quiet", "--out", "out", *PROCESSES, "--set", f'collector.via=["{silent}"]')
        self.wait_for(process, lambda: sum(words == "sleep 1000 " for _, words in below(process.pid)) == 2)
        started = [number for number, _ in below(process.pid)]
        process.kill()
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in started))
        self.assertEqual((self.folder / "asked").read_text(), "1\n" * 2)

    @unittest.skipUnless(LONG, "it is one of .ci/long")
    def test_a_worker_whose_connection_stays_ends_with_its_trainer(self):
        """As when the trainer's machine has lost its power: no end of file comes, and no byte."""
        stays = self.folder / "stays"
        stays.write_text("#!/bin/bash\nexec setsid bash -c '(cat; exec sleep 1000) | exec \"$@\"' bash \"$@\"\n")
        stays.chmod(0o755)
        os.environ["TENON_WAIT"] = "4"
        self.addCleanup(os.environ.pop, "TENON_WAIT", None)
        process = self.long_run(self.folder / "out", *PROCESSES, "--set", "collector.workers=1", "--set", f'collector.via=["{stays}"]')
        started = below(process.pid)
        group = os.getpgid(next(number for number, words in started if words.startswith("bash -c (cat;")))
        workers = [number for number, words in started if "tenon-worker" in words.split()[0]]
        self.assertGreaterEqual(len(workers), 3)
        process.kill()
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in workers))
        os.killpg(group, signal.SIGKILL)  # the sleep

    @unittest.skipUnless(subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0, "mount namespaces are not permitted")
    def test_a_machine_without_the_folder(self):
        place, via = self.folder / "place", self.folder / "apart"
        place.mkdir()
        via.write_text(f'#!/bin/bash\nexec unshare -m bash -c \'mount -t tmpfs none "{self.folder}" && exec "$@"\' bash "$@"\n')
        via.chmod(0o755)
        done = subprocess.run([TENON, "run", self.manifest, "--out", "bad", *PROCESSES, "--set", f'collector.via=["{via}"]'],
                              capture_output=True, text=True, cwd=place, env=self.environment())  # fmt: skip
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"error: the folder {place}, in which the run was started, cannot be entered on ", done.stderr)
        self.assertIn("\nhelp: make it there; it may be empty", done.stderr)

    def test_a_wait_that_is_no_number_is_told(self):
        done = subprocess.run([TENON, "run", self.manifest, "--out", self.folder / "bad", *PROCESSES, "--set", 'collector.via=["sleep 1000"]'],
                              capture_output=True, text=True, cwd=self.folder, env={**self.environment(), "TENON_WAIT": "soon"})  # fmt: skip
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("was not reached: TENON_WAIT is 'soon', but must be a number of seconds, 1 to 1000000", done.stderr)


if __name__ == "__main__":
    unittest.main()
