# SPDX-License-Identifier: Apache-2.0
"""The program in a pseudo-terminal, for tests that press keys."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from patience import PATIENCE


class InTerminal:
    """The program in a terminal of its own, which is the one that a person types into."""

    def __init__(self, folder, *words):
        self.person, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.seen = ""
        self.process = subprocess.Popen([os.environ["TENON"], *map(str, words)], cwd=folder, stdin=self.theirs, stdout=self.theirs,
                                        stderr=self.theirs, start_new_session=True, env={**os.environ, "NO_COLOR": "1"})

    def read(self, seconds):
        if select.select([self.person], [], [], seconds)[0]:
            self.seen += os.read(self.person, 65536).decode("utf-8", "replace")

    def until(self, pattern):
        """Waits for new output like that and forgets what came before."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen)):
            assert time.monotonic() < end and (self.process.poll() is None or select.select([self.person], [], [], 0)[0]), (
                pattern, self.process.poll(), self.seen[-600:])
            self.read(0.2)
        self.seen = self.seen[found.end():]

    def press(self, keys):
        os.write(self.person, keys.encode())

    def end(self):
        """The exit code, when all output has been read."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self.read(0.1)
        while select.select([self.person], [], [], 0)[0]:
            self.read(0)
        after = termios.tcgetattr(self.theirs)
        os.close(self.person)
        os.close(self.theirs)
        assert after == self.before, "the terminal is not as before"
        assert "\x1b[?25h" in self.seen, "the cursor is hidden"
        return self.process.returncode
