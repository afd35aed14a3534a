# SPDX-License-Identifier: Apache-2.0
"""The two sides of a comparison: another framework in a process of its own, and our program."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Peer:
    """Another framework in a process of its own, which waits while it is not asked."""

    def __init__(self, python, cores, program, environment=None):
        self.name = program
        environment = os.environ | (environment or {})
        self.process = subprocess.Popen([str(python), str(HERE / program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.pin(cores)

    def measure(self, wish):
        answer = self.ask(wish)
        if answer is None:
            sys.exit(f"bench/{self.name} ended while it measured {wish}")
        return answer

    def ask(self, wish, patience=None):
        """None: it has ended, or did not answer within so many seconds."""
        try:
            self.process.stdin.write(json.dumps(wish) + "\n")
            self.process.stdin.flush()
            told = select.select([self.process.stdout], [], [], patience)[0]
            answer = self.process.stdout.readline() if told else ""
        except BrokenPipeError:
            answer = ""
        return json.loads(answer) if answer else None

    def pin(self, cores):
        os.sched_setaffinity(self.process.pid, cores)

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def stop(self):
        """Ends one that may be busy."""
        self.process.kill()
        self.process.wait()


def ask_tenon(tenon, pinned, *words):
    """The answer of `tenon bench`, or none and what it said."""
    done = subprocess.run([*pinned, str(tenon), "bench", *words, "--json"], capture_output=True, text=True)
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)


def run_tenon(tenon, pinned, *words):
    answer, said = ask_tenon(tenon, pinned, *words)
    sys.stderr.write(said)
    if answer is None:
        sys.exit(1)
    return answer
