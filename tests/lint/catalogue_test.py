# SPDX-License-Identifier: Apache-2.0
"""tools/generate/catalogue.py on a small tree."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENERATOR = Path(__file__).resolve().parents[2] / "tools" / "generate" / "catalogue.py"
FILES = {
    "tests/unit/env/CMakeLists.txt": "tenon_unit_test(env SOURCES lanes_test.cpp masks_test.cpp)\n",
    "tests/e2e/async_test.py": "",
    "docs/catalogue.toml": """[sections]
"1" = "Lanes"
[[item]]
section = "1"
item = "`A|B`"
state = "works"
reason = "see [a page](a.md#x) of [others](https://x.org)"
tests = ["tests/unit/env/lanes_test.cpp: one", "tests/e2e/async_test.py: two", "tests/unit/env/masks_test.cpp: three"]
[[item]]
section = "1"
item = "C"
state = "absent"
reason = "it is not there"
[[limit]]
subject = "lanes"
limit = "few, [says a page](a.md)"
[[beyond]]
feature = "D"
tests = ["tests/e2e/async_test.py: two"]
""",
    "docs/pages/lanes.md": "# Page\n\n## Lanes\n\nProse.\n\n<!-- catalogue 1 -->\nold\n<!-- end -->\nMore.\n",
    "docs/all.md": "<!-- catalogue sections -->\n<!-- end -->\n<!-- catalogue limits -->\n<!-- end -->\n"
    "<!-- catalogue beyond -->\n<!-- end -->\n",
}
LANES = """# Page

## Lanes

Prose.

<!-- catalogue 1 -->
| TorchRL | here | shown by |
|---|---|---|
| `A\\|B` | works: see [a page](../a.md#x) of [others](https://x.org) | `test_env`: lanes_test, masks_test; `e2e.async` |
| C | no: it is not there | |
<!-- end -->
More.
"""
ALL = """<!-- catalogue sections -->
| table | works | partial | no |
|---|---|---|---|
| [Lanes](pages/lanes.md#lanes) | 1 | 0 | 1 |
| all 2 | 1 | 0 | 1 |
<!-- end -->
<!-- catalogue limits -->
| subject | limit |
|---|---|
| lanes | few, [says a page](a.md) |
<!-- end -->
<!-- catalogue beyond -->
| feature | shown by |
|---|---|
| D | `e2e.async` |
<!-- end -->
"""


class Catalogue(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        for name, text in FILES.items():
            self.put(name, text)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_with(self, *words, code=0):
        done = subprocess.run([sys.executable, GENERATOR, "--root", self.root, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_tables_are_those_of_the_catalogue(self):
        said = self.run_with("--check", code=1)
        self.assertEqual(said.splitlines(), [f"docs/{page} has an outdated table of docs/catalogue.toml" for page in ("all.md", "pages/lanes.md")])
        self.run_with()
        self.assertEqual((self.root / "docs/pages/lanes.md").read_text(), LANES)
        self.assertEqual((self.root / "docs/all.md").read_text(), ALL)
        self.assertEqual(self.run_with("--check"), "")

    def test_pages_that_are_wrong(self):
        self.put("docs/all.md", "<!-- catalogue 2 -->\n<!-- end -->\n")
        self.assertIn("docs/all.md: the catalogue has no section 2", self.run_with(code=1))
        self.put("docs/all.md", "<!-- catalogue 1 -->\n<!-- catalogue limits -->\n<!-- end -->\n")
        self.assertIn("docs/all.md: the table 1 has no end", self.run_with(code=1))
        self.put("docs/all.md", "<!-- catalogue sections -->\n<!-- end -->\n")
        self.put("docs/pages/lanes.md", LANES.replace("## Lanes", "## Rows"))
        self.assertIn("docs/all.md: pages/lanes.md has no heading 'Lanes' for the section 1", self.run_with(code=1))
        (self.root / "docs/pages/lanes.md").unlink()
        self.assertIn("docs/all.md: 0 pages have the table of the section 1", self.run_with(code=1))


if __name__ == "__main__":
    unittest.main()
