# SPDX-License-Identifier: Apache-2.0
"""Pages' curves: each picture of docs/curves that a page shows above its commands is found with these, and is small."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import page_curves  # noqa: E402

FAMILIES = ["curiosity", "decision-transformer", "groups", "imitation", "language", "planning", "self-play", "several", "transformers",
            "world-models"]  # fmt: skip
PAGE = """# A page

![a picture](curves/a-page.svg)

<!-- curve: first: ./tenon record x.toml --out runs/x -->
<!-- replay: left out: it takes a minute -->

    $ ./tenon run manifests/a.toml \\
    >   --out runs/a
    $ ./tenon compare runs/a --plot a-page.svg

more

    $ ./tenon compare runs/a --plot not-shown.svg
"""


class Curves(unittest.TestCase):
    def test_each_family_has_a_curve_which_its_commands_make(self):
        curves = page_curves.every_curve()
        self.assertEqual(sorted(curves), FAMILIES)
        for name, commands in curves.items():
            with self.subTest(name):
                self.assertTrue(all(words in "\n".join(commands) for words in ("./tenon run manifests/", " --seeds ")), commands)
                picture = page_curves.ROOT / "docs" / "curves" / f"{name}.svg"
                self.assertLess(picture.stat().st_size, 40_000)
                self.assertIn("prefers-color-scheme: dark", picture.read_text())

    def test_what_is_typed(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(PAGE)
            curves = page_curves.curves_of(page)
        self.assertEqual(list(curves), ["a-page"])
        typed = [page_curves.typed(command, "tenon", Path("/here")) for command in curves["a-page"]]
        self.assertEqual(typed, ["tenon record x.toml --out /here/x", "tenon run manifests/a.toml \\\n  --out /here/a",
                                 f"tenon compare /here/a --plot {page_curves.ROOT}/docs/curves/a-page.svg"])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
