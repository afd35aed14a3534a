#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products and sums of the kernels stay two instructions, which the CPU's bits need: the PTX has no fused ones. Without the
option there are some, so that the test sees them."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def fused(*options):
    """How many fused instructions nvcc makes of the kernels."""
    with tempfile.TemporaryDirectory(prefix="tenon-ptx-") as folder:
        output = f"{folder}/kernels.ptx"
        command = [os.environ["NVCC"], "-ptx", "-std=c++20", "-arch=compute_90", *options, f"-I{ROOT}/plugin_api/include",
                   f"-I{ROOT}/sdk/include", "-o", output, str(HERE / "kernels.cu")]  # fmt: skip
        subprocess.run(command, check=True, timeout=120)
        ptx = Path(output).read_text()
    assert ".entry replay_prioritise" in ptx
    return len(re.findall(r"\bfma\.", ptx))


class Ptx(unittest.TestCase):
    def test_no_fused_instructions(self):
        self.assertEqual(fused("-fmad=false"), 0)
        self.assertGreater(fused(), 0)

    def test_the_build_has_the_option(self):
        self.assertIn("-fmad=false", (HERE / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main()
