# SPDX-License-Identifier: Apache-2.0
"""tools/check_declared.py on a small tree, in which an #include is missing."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_declared.py"
FILES = {
    "plugin_api/include/tenon/abi/env.h": "typedef struct tn_env { int size; } tn_env;\n#define TN_MOST 4\n",
    "core/base/error/result.hpp": "#include <string>\nnamespace tenon {\nstruct Problem { int line() const; };\n"
                                  "Problem input_problem(int at);\ninline constexpr int kLimit = 3;\n}\n",
    "core/base/file/read.hpp": '#include "base/error/result.hpp"\nnamespace tenon { int read_file(Problem& problem); }\n',
    "core/base/data/use.cpp": "INCLUDES\nnamespace tenon {\nint use() { BODY }\n}\n",
}


class Declared(unittest.TestCase):
    def findings(self, includes, body, extra=""):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                lines = "\n".join(f"#include {include}" for include in includes)
                path.write_text(text.replace("INCLUDES", lines + extra).replace("BODY", body), encoding="utf-8")
            done = subprocess.run([sys.executable, SCRIPT, "--root", folder], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0 if lines[-1].startswith("each name is declared") else 1, done.stderr)
        return lines if done.returncode else []

    def test_what_is_included_is_declared(self):
        self.assertEqual(self.findings(['"base/error/result.hpp"'], "Problem p = input_problem(kLimit); return 0;"), [])
        through = ['"base/file/read.hpp"']
        self.assertEqual(self.findings(through, "Problem p = input_problem(1); return read_file(p) + kLimit;"), [])

    def test_what_is_not_included_is_found(self):
        for body, name, header in (
            ("Problem p; return 0;", "Problem", "core/base/error/result.hpp"),
            ("return input_problem(1).line();", "input_problem", "core/base/error/result.hpp"),
            ("return kLimit;", "kLimit", "core/base/error/result.hpp"),
            ("return TN_MOST;", "TN_MOST", "plugin_api/include/tenon/abi/env.h"),
            ("std::vector<int> v; return 0;", "std::vector", "vector"),
            ("return std::ranges::max(1, 2);", "std::max", "algorithm"),
        ):
            with self.subTest(body):
                line = f"core/base/data/use.cpp: {name} is declared in {header}, which it does not include"
                self.assertEqual(self.findings(["<cmath>"], body), [line])

    def test_what_the_file_has_itself_is_no_finding(self):
        for body, extra in (("return Problem().at;", "\nstruct Problem { int at = 0; };"),
                            ("return kLimit;", "\nconstexpr int kLimit = 1;"),
                            ("return input_problem(1);", "\nint input_problem(int at);"),
                            ("return other.input_problem(1);", ""),
                            ("return Other::Problem(1);", ""),
                            ('return size("Problem");  // Problem', "")):  # fmt: skip
            with self.subTest(body):
                self.assertEqual(self.findings(["<cmath>"], body, extra), [])


if __name__ == "__main__":
    unittest.main()
