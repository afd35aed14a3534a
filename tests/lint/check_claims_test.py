# SPDX-License-Identifier: Apache-2.0
"""tools/check_claims.py on a small tree."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_claims  # noqa: E402

PAGE = "docs/from-torchrl/losses.md"
CATALOGUE = """[sections]
"1" = "Losses"
[[item]]
section = "1"
item = "`A`"
state = "works"
tests = ["tests/unit/env/lanes_test.cpp: lanes \\"step\\""]
[[item]]
section = "1"
item = "`B`"
state = "absent"
reason = "it is not there"
[[limit]]
subject = "bees"
limit = "there are none"
items = ["1: `B`"]
"""
FILES = {
    "tests/unit/env/CMakeLists.txt": "tenon_unit_test(env SOURCES lanes_test.cpp deep/masks_test.cpp LINKS loop)\n",
    "tests/unit/env/lanes_test.cpp": 'TEST_CASE("lanes \\"step\\"",\n          "[env]") {}\nTEST_CASE_METHOD(Rig, "two "\n  "lines") {}\n',
    "tests/unit/env/deep/masks_test.cpp": "",
    "tests/unit/env/lost_test.cpp": 'TEST_CASE("nobody runs it") {}\n',
    "tests/unit/objectives/CMakeLists.txt": "tenon_unit_test(objectives SOURCES peer_test.cpp)\n",
    "tests/golden/objectives/ppo.txt": "case plain\nobjective ppo/ppo\n",
    "tests/e2e/async_test.py": 'ROWS = {\n    "pairs": (1, 2),\n}\nclass Async:\n    def test_rounds(self): "elsewhere"\n',
    "plugins/envs/gym/CMakeLists.txt": 'add_test(NAME worlds.gym COMMAND python "${CMAKE_CURRENT_SOURCE_DIR}/bridge_test.py")\nset(x)\n',
    "plugins/envs/gym/bridge_test.py": "def test_bytes(): pass\n",
    "plugins/transforms/standard/standard.cpp": 'TENON_PLUGIN("standard", "0.1.0", tenon::transform<Rename>("rename", "renames"));\n',
    "docs/catalogue.toml": CATALOGUE,
}


class CheckClaims(unittest.TestCase):
    def findings(self, **changed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**FILES, **changed}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(check_claims.findings(Path(folder)))

    def of_line(self, line, page=PAGE):
        found = self.findings(**{page: line + "\n"})
        return [finding.removeprefix(f"{page}:1: ") for finding in found]

    def of_item(self, old, new):
        self.assertIn(old, CATALOGUE)
        found = self.findings(**{"docs/catalogue.toml": CATALOGUE.replace(old, new)})
        return [finding.removeprefix("docs/catalogue.toml: ").removeprefix("'1: `A`': ") for finding in found]

    def test_what_is_there(self):
        self.assertEqual(self.findings(), [])
        for line in ("`test_env`: lanes_test, masks_test", "`e2e.async`, `worlds.gym`", "| `standard/rename` |", "`deep/masks_test.cpp`",
                     "tests/e2e/async_test.py, `worlds.py`, `env.lanes`, `kernels.cu`"):  # fmt: skip
            with self.subTest(line):
                self.assertEqual(self.of_line(line), [])
        for test in ("tests/unit/env/lanes_test.cpp: two lines", "tests/e2e/async_test.py: test_rounds", "tests/e2e/async_test.py: pairs",
                     "plugins/envs/gym/bridge_test.py: test_bytes", "tests/golden/objectives/ppo.txt: plain"):  # fmt: skip
            with self.subTest(test):
                self.assertEqual(self.of_item('tests/unit/env/lanes_test.cpp: lanes \\"step\\"', test), [])

    def test_pages_that_name_what_is_not_there(self):
        for page in ("README.md", "docs/decisions/0001.md", PAGE):
            self.assertEqual(self.of_line("`e2e.sync` shows it", page), ["there is no test e2e.sync"])
        self.assertEqual(self.of_line("`test_envs` shows it"), ["there is no test program test_envs"])
        self.assertEqual(self.of_line("`test_env`: lanes_test, mask_test"), ["test_env has no mask_test.cpp"])
        self.assertEqual(self.of_line("`lane_test.cpp` shows it"), ["there is no file lane_test.cpp"])
        self.assertEqual(self.of_line("`unit/lanes_test.cpp` shows it"), ["there is no file unit/lanes_test.cpp"])
        self.assertEqual(self.of_line("| `standard/move` |"), ["there is no component standard/move"])
        self.assertEqual(self.of_line("`e2e.sync` showed it", "CHANGELOG.md"), [])

    def test_items_that_name_what_is_not_there(self):
        case = 'tests/unit/env/lanes_test.cpp: lanes \\"step\\"'
        self.assertEqual(self.of_item(case, "tests/unit/lanes_test.cpp: lanes"), ["there is no file tests/unit/lanes_test.cpp"])
        self.assertEqual(self.of_item(case, "tests/unit/env/lanes_test.cpp: lanes"), ["tests/unit/env/lanes_test.cpp has no case 'lanes'"])
        self.assertEqual(self.of_item(case, "tests/e2e/async_test.py: elsewhere"), ["tests/e2e/async_test.py has no case 'elsewhere'"])
        self.assertEqual(self.of_item(case, "tests/golden/objectives/ppo.txt: ppo"), ["tests/golden/objectives/ppo.txt has no case 'ppo'"])
        self.assertEqual(self.of_item(case, "tests/unit/env/lost_test.cpp: nobody runs it"), ["no test runs tests/unit/env/lost_test.cpp"])
        self.assertEqual(self.of_item(case, "tests/e2e/async_test.py"), ["'tests/e2e/async_test.py' names no case: FILE: CASE"])

    def test_items_that_are_not_as_they_must_be(self):
        tests = next(line for line in CATALOGUE.splitlines() if line.startswith("tests"))
        self.assertEqual(self.of_item(tests, "tests = []"), ["it works, and no test shows it"])
        self.assertEqual(self.of_item('"works"', '"partial"'), ["it does not work, and no reason says what is missing"])
        self.assertEqual(self.of_item('"works"', '"half"')[:1], ["the state 'half' is none of works, partial, absent"])
        self.assertEqual(self.of_item('section = "1"\nitem = "`A`"', 'section = "2"\nitem = "`A`"'), ["'2: `A`': there is no section 2"])
        self.assertEqual(self.of_item('"`B`"\nstate', '"`A`"\nstate')[:1], ["'1: `A`' is there 2 times"])

    def test_features_beyond_have_tests(self):
        added = '[[beyond]]\nfeature = "honey"\ntests = ["tests/none.py: x"]\n[[limit]]'
        self.assertEqual(self.of_item("[[limit]]", added), ["'honey': there is no file tests/none.py"])

    def test_limits_of_what_is_no_limit(self):
        self.assertEqual(self.of_item('["1: `B`"]', '["1: `A`"]'), ["the limit 'bees' is of '1: `A`', which works"])
        self.assertEqual(self.of_item('["1: `B`"]', '["1: `C`"]'), ["the limit 'bees' is of '1: `C`', which is no item"])


if __name__ == "__main__":
    unittest.main()
