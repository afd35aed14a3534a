# SPDX-License-Identifier: Apache-2.0
"""tools/generate/excerpts.py on small pages."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "generate"))
import excerpts  # noqa: E402

SOURCE = """// SPDX-License-Identifier: Apache-2.0
// What it is.
struct A {
    int one;
    int two;
};
"""
FILES = {
    "a.cpp": SOURCE,
    "tests/bad_input/manifests/twice.toml": "# A key twice.\n[env]\n",
    "tests/bad_input/manifests/twice.expected": "$ tenon validate twice.toml\nerror: 'a' is there twice\n --> x\n",
    "tests/bad_input/manifests/silent.toml": "# Nothing.\n",
    "tests/bad_input/manifests/silent.expected": "$ tenon validate silent.toml\n",
}


class Excerpts(unittest.TestCase):
    def rewrite(self, directive):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            page = f"Before.\n\n<!-- {directive} -->\nold\n<!-- end -->\n\nAfter.\n"
            head, tail = f"Before.\n\n<!-- {directive} -->\n", "<!-- end -->\n\nAfter.\n"
            text = excerpts.rewrite(Path(folder), page)
            self.assertTrue(text.startswith(head) and text.endswith(tail), text)
            return text[len(head) : -len(tail)]

    def test_a_file(self):
        self.assertEqual(self.rewrite("excerpt a.cpp"), "```cpp\n" + SOURCE.split("\n", 1)[1] + "```\n")

    def test_a_part_of_it(self):
        self.assertEqual(self.rewrite('excerpt a.cpp: "one" to "two"'), "```cpp\nint one;\nint two;\n```\n")
        self.assertEqual(self.rewrite('excerpt a.cpp: "two" to "};"'), "```cpp\n    int two;\n};\n```\n")

    def test_a_sentence(self):
        self.assertIn("| A key twice. | `'a' is there twice` |\n", self.rewrite("sentences twice"))

    def test_what_is_not_there(self):
        for directive in ("excerpt b.cpp", 'excerpt a.cpp: "three" to "two"', 'excerpt a.cpp: "two" to "one"',
                          "sentences once", "sentences silent", "excerpt a.cpp -->\n<!-- excerpt a.cpp"):
            with self.subTest(directive), self.assertRaises(excerpts.Wrong):
                self.rewrite(directive)


if __name__ == "__main__":
    unittest.main()
