#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-Z, or a batch system that stops a process for a while: the same bytes, and speeds that do not count the pause."""

import json
import signal
import time
import unittest

from runs import RunCase

PAUSE_S = 1.5


class Pause(RunCase):
    def test_changes_nothing_and_is_not_counted(self):
        whole, out = self.folder / "whole", self.folder / "out"
        self.train(self.manifest, "--out", whole)
        process = self.start("run", self.manifest, "--quiet", "--json", "--out", out)
        paused_s = 0
        for records in (4, 12):
            self.wait_for(process, self.has_records(out, records))
            process.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            time.sleep(PAUSE_S)
            process.send_signal(signal.SIGCONT)
            paused_s += time.monotonic() - began
        output, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assert_same_run(whole, out)
        result = json.loads(output)
        # The clock of the run goes on, as a person's does; what it took to collect and learn does not.
        self.assertGreater(result["seconds"], paused_s)
        self.assertLess(result["frames"] / result["frames_per_s"], result["seconds"] - 0.9 * paused_s)
        for line in (out / "metrics.jsonl").read_text().splitlines():
            self.assertGreater(json.loads(line)["time/fps"], 0)


if __name__ == "__main__":
    unittest.main()
