# SPDX-License-Identifier: Apache-2.0
"""tools/check_links.py on small pages."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_links  # noqa: E402

OTHER = """# Other

## Twice, `in code`
## Twice, in code
## A [link](a.cpp) in it

```
## Not a heading
```
"""


class CheckLinks(unittest.TestCase):
    def findings(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "pages"
            (root / "docs" / "deep").mkdir(parents=True)
            (root / "docs" / "other.md").write_text(OTHER, encoding="utf-8")
            (root / "docs" / "a.cpp").write_text("", encoding="utf-8")
            (Path(folder) / "outside.md").write_text("", encoding="utf-8")
            (root / "docs" / "deep" / "page.md").write_text(f"# Page\n\n{text}\n", encoding="utf-8")
            return [finding.removeprefix("docs/deep/page.md:") for finding in check_links.findings(root)]

    def test_what_is_there(self):
        for target in ("../other.md", "..", "../a.cpp", "#page", "../other.md#twice-in-code", "../other.md#twice-in-code-1",
                       "../other.md#a-link-in-it", "https://example.org/nowhere.md"):
            with self.subTest(target):
                self.assertEqual(self.findings(f"See [it `there`]({target})."), [])

    def test_what_is_not_there(self):
        self.assertEqual(self.findings("See\n[it](../others.md)."), ["4: ../others.md leads nowhere"])
        self.assertEqual(self.findings("![it](../../picture.svg)"), ["3: ../../picture.svg leads nowhere"])
        self.assertEqual(self.findings("[it](../../../outside.md)"),
                         ["3: ../../../outside.md leads out of the pages' folder"])

    def test_headings_that_are_not_there(self):
        for target in ("../other.md#not-a-heading", "../other.md#twice-in-code-2", "../a.cpp#page", "#pages"):
            with self.subTest(target):
                (finding,) = self.findings(f"[it]({target})")
                self.assertIn(f"3: {target} names a heading that ", finding)

    def test_code_has_no_links(self):
        for text in ("`values[i](x)`", "```cpp\nauto f = [&](x);\n```", "    a[i](nowhere)"):
            with self.subTest(text):
                self.assertEqual(self.findings(text), [])


if __name__ == "__main__":
    unittest.main()
