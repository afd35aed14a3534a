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

ROOT = Path(__file__).resolve().parents[2]
KERNELS = sorted([*ROOT.glob("plugins/*/*/kernels.cu"), *ROOT.glob("core/engines/cuda/**/kernels.cu")])

# CUDA's sin, cos and fmod have fused instructions of their own, which is why they may differ from the C library's
# (docs/cuda.md), and products of updates ask for them, as those of the CPU do. There are more where sums and products are
# contracted, too.
WITH_LIBRARY = ("plugins/envs/classic", "core/engines/cuda")


def fused(kernels, *options):
    """How many fused instructions nvcc makes of the kernels."""
    with tempfile.TemporaryDirectory(prefix="tenon-ptx-") as folder:
        output = f"{folder}/kernels.ptx"
        command = [os.environ["NVCC"], "-ptx", "-std=c++20", "--expt-relaxed-constexpr", "-arch=compute_90", *options,
                   f"-I{ROOT}/plugin_api/include", f"-I{ROOT}/sdk/include", f"-I{ROOT}/core", "-o", output, str(kernels)]  # fmt: skip
        subprocess.run(command, check=True, timeout=600)
        ptx = Path(output).read_text()
    assert ".entry" in ptx
    return len(re.findall(r"\bfma\.", ptx))


class Ptx(unittest.TestCase):
    def test_no_fused_instructions(self):
        self.assertGreaterEqual(len(KERNELS), 5)
        for kernels in KERNELS:
            folder = str(kernels.parent.relative_to(ROOT))
            with self.subTest(folder):
                own = fused(kernels, "-fmad=false")
                if folder in WITH_LIBRARY:
                    self.assertLess(own, fused(kernels))
                else:
                    self.assertEqual(own, 0)
        self.assertGreater(fused(ROOT / "plugins/buffers/replay_cuda/kernels.cu"), 0)

    def test_the_build_has_the_option(self):
        self.assertIn("-fmad=false", (ROOT / "sdk/cmake/TenonPlugin.cmake").read_text())


if __name__ == "__main__":
    unittest.main()
