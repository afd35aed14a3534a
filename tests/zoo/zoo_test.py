# SPDX-License-Identifier: Apache-2.0
"""Each row of zoo.toml: the exit code, and the one sentence that is said.

With --show: what the program says today.
"""

import os
import re
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import zoo

TENON, FIXTURES = os.environ["TENON"], Path(os.environ["FIXTURES"])
SANITIZED = os.environ.get("SANITIZED") == "1"
STATE = tempfile.TemporaryDirectory()  # empty: every file is loaded for the first time


def one(row):
    with tempfile.TemporaryDirectory() as folder:
        return zoo.tried(row, Path(folder), FIXTURES, TENON, STATE.name)


def one_apart(row):
    with tempfile.TemporaryDirectory() as folder:
        return zoo.tried(zoo.apart(row), Path(folder), FIXTURES, TENON, STATE.name, zoo.words_apart(row))


def possible(rows):
    """Those that end as they say in this build; the others are named."""
    for row in rows:
        if SANITIZED and not row.sanitized:
            print(f"a sanitizer answers in its place, not tried: {row.does}")
    return [row for row in rows if row.sanitized or not SANITIZED]


def pattern(says):
    """A sentence with "..." where it may go on in any way."""
    return "^" + re.escape(says).replace(re.escape("..."), ".*") + "$"


class Zoo(unittest.TestCase):
    maxDiff = None

    def test_rows(self):
        rows = possible(zoo.rows())
        self.assertGreater(len(rows), 40)
        with ThreadPoolExecutor(2) as pool:
            for row, (code, found, text) in zip(rows, pool.map(one, rows)):
                with self.subTest(f"{row.does} ({row.plugin} {row.options})"):
                    self.assertEqual(code, row.code, text)
                    if not row.says:
                        self.assertEqual(found, [])
                    else:
                        self.assertTrue(any(re.match(pattern(row.says), line) for line in found), text)
                        self.assertTrue(row.command == "check" or len(found) == 1, text)
                    self.assertTrue(all(len(line) < 5000 for line in text.splitlines()))

    def test_rows_in_processes_of_their_own(self):
        rows = [row for row in zoo.rows() if row.isolated]
        self.assertGreater(len(rows), 5)
        rows = possible(rows)
        with ThreadPoolExecutor(2) as pool:
            for row, (code, found, text) in zip(rows, pool.map(one_apart, rows)):
                with self.subTest(f"{row.does} ({row.plugin} {row.options})"):
                    self.assertEqual(code, 3, text)
                    self.assertTrue(any(re.match(pattern(row.isolated), line) for line in found), text)

    def test_every_row_says_what_it_does(self):
        rows = zoo.rows()
        named = [(row.does, row.command) for row in rows]
        self.assertEqual(len(named), len(set(named)))
        self.assertTrue(all(row.does and (row.says or row.code in (0, 7)) for row in rows))


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        for shown in zoo.rows():
            exit_code, sentences, _ = one(shown)
            print(f"{shown.does}: {exit_code} {[line[:300] for line in sentences]}")
    else:
        unittest.main()
