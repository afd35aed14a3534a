# SPDX-License-Identifier: Apache-2.0
"""tools/check_claims.py on a small tree."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_claims  # noqa: E402

FILES = {
    "tests/unit/env/CMakeLists.txt": "tenon_unit_test(env SOURCES lanes_test.cpp deep/masks_test.cpp LINKS loop)\n",
    "tests/e2e/async_test.py": "",
    "plugins/envs/gym/CMakeLists.txt": "add_test(NAME worlds.gym COMMAND x)\nset_tests_properties(x PROPERTIES LABELS worlds)\n",
    "plugins/transforms/standard/standard.cpp": 'TENON_PLUGIN("standard", "0.1.0", tenon::transform<Rename>("rename", "renames"));\n',
}
HEAD = "| TorchRL | here | shown by |\n|---|---|---|\n"


class CheckClaims(unittest.TestCase):
    def findings(self, row, page=check_claims.PAGE):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**FILES, check_claims.PAGE: HEAD, page: HEAD + row + "\n"}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return [finding.removeprefix(f"{page}:3: ") for finding in check_claims.findings(Path(folder))]

    def test_what_is_there(self):
        for shown in ("`test_env`: lanes_test, masks_test", "`e2e.async`, `worlds.gym`", "`worlds`: equal to the byte"):
            with self.subTest(shown):
                self.assertEqual(self.findings(f"| `A` | works: `standard/rename` | {shown} |"), [])
        self.assertEqual(self.findings("| `A` | no: a reason | |"), [])

    def test_pages_of_the_page(self):
        row = "| `A` | works | `e2e.sync` |"
        self.assertEqual(self.findings(row, f"{check_claims.PAGES}/losses.md"), ["there is no test e2e.sync"])

    def test_what_is_not_there(self):
        self.assertEqual(self.findings("| `A` | works | `test_envs` |"), ["there is no test program test_envs"])
        self.assertEqual(self.findings("| `A` | works | `test_env`: lanes_test, mask_test |"), ["test_env has no mask_test.cpp"])
        self.assertEqual(self.findings("| `A` | works | `e2e.sync` |"), ["there is no test e2e.sync"])
        self.assertEqual(self.findings("| `A` | `standard/move` | `e2e.async` |"), ["there is no component standard/move"])
        self.assertEqual(self.findings("| `A` | works: it does | |"), ["it works, and no test shows it"])


if __name__ == "__main__":
    unittest.main()
