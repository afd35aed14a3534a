#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon collect: what it refuses before it connects. What it does for a run is in tests/e2e/connected_workers_test.py."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
SHAPE = "--connect must be tcp://HOST:PORT, such as tcp://node5:5557, or ipc:///PATH for processes of one machine, but is "


class Collect(unittest.TestCase):
    def test_what_it_refuses(self):
        for words, more, code, sentence in [
            ([], {}, 2, "collect needs the address of a trainer: tenon collect --connect tcp://node5:5557"),
            (["--connect", "node5"], {}, 2, f"{SHAPE}'node5'"),
            (["--connect", "tcp://node5:0"], {}, 2, f"{SHAPE}'tcp://node5:0'"),
            (["--connect", "tcp://node5:5557"], {}, 2, "--connect is tcp://node5:5557, which is on the network, and TENON_KEY is not set"),
            (["--connect", "tcp://127.0.0.1:1"], {"TENON_WAIT": "never"}, 2, "TENON_WAIT is 'never', but must be a number of seconds, 1 to 1000000"),
            (["--connect", "tcp://no.such.host.invalid:5557"], {"TENON_KEY": "k", "TENON_WAIT": "1"}, 4,
             "the host in tcp://no.such.host.invalid:5557 has no address that this machine can find"),
        ]:  # fmt: skip
            with self.subTest(sentence):
                plain = {name: value for name, value in os.environ.items() if name not in ("TENON_KEY", "TENON_WAIT")}
                done = subprocess.run([TENON, "collect", *words], capture_output=True, text=True, timeout=PATIENCE, env={**plain, **more})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main()
