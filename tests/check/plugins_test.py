#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every plugin of this repository keeps to the contract: PLUGINS is the folder that they are built into."""

import os
import unittest
from pathlib import Path

from checked import checked, failures


class Plugins(unittest.TestCase):
    def test_all_pass(self):
        plugins = sorted(Path(os.environ["PLUGINS"]).glob("*.so"))
        self.assertGreater(len(plugins), 10)
        for plugin in plugins:
            with self.subTest(plugin.stem):
                code, report = checked(plugin)
                self.assertEqual((code, failures(report)), (0, {}))
                self.assertGreater(report["passed"], 0)
                print(f"{plugin.stem}: {report['passed']} passed, {report['skipped']} skipped, {report['seconds']:.2f} s")


if __name__ == "__main__":
    unittest.main()
