# SPDX-License-Identifier: Apache-2.0
"""bench/other_frames.py --page: rows of which this machine has no results stay as the page has them."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import other_frames  # noqa: E402

FOUND = {"best": -150.0, "last": -160.0, "seconds": 3.0, "frames": 6000, "commit": "abc", "machine": "a processor, AVX2"}


class Rows(unittest.TestCase):
    def test_what_is_measured_here_is_new_and_the_others_stay(self):
        page = (other_frames.ROOT / "docs" / "results.md").read_text()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            other_frames.result_of(folder, "dagger", 3).write_text(json.dumps(FOUND))
            for row in other_frames.ROWS:
                text = other_frames.line(folder, row, [0, 3], page)
                self.assertTrue(text.startswith(other_frames.first_cell(row)), row)
                self.assertEqual(text in page.splitlines(), row != "dagger", row)
                if row == "dagger":
                    self.assertTrue(text.endswith(" | 6,000 | 1 | -150 (-150 to -150) | -160 (-160 to -160) | 3 | abc, AVX2 |"), text)
            self.assertEqual(other_frames.line(folder, "gail", [0], ""), "")


if __name__ == "__main__":
    unittest.main()
