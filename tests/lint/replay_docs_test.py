# SPDX-License-Identifier: Apache-2.0
"""tools/replay_docs on small pages."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("replay_docs", str(ROOT / "tools" / "replay_docs"))
replay_docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("replay_docs", loader))
loader.exec_module(replay_docs)

PAGE = """# Page

<!-- replay: file greeting.txt -->
```text
hello in 3 s
```

    $ mkdir deep && cd deep && export WHO=you
    $ for file in ../greeting.txt; do
    >   cat $file; echo $WHO
    > done
    hello in 12.5 s
    you

<!-- replay: left out: it needs a screen -->

    $ false

<!-- replay: needs no_such_program -->

    $ false

<!-- replay: needs linked -->

    $ ls ../linked/page.md
    ../linked/page.md

<!-- replay: "1000" -> "10" -->

    $ echo 1000 frames
    3 frames

    $ printf 'half\\rwhole\\n'; echo two; echo three
    whole
    ...

<!-- replay: Ctrl-C after 0.1 s -->

    $ sleep 30

    $ echo error: no; false
    error: no

<!-- replay: first: echo before >$HOME/before -->
<!-- replay: in the background -->

    $ echo ready; exec sleep 100

    $ cat $HOME/before
    before
"""


class ReplayDocs(unittest.TestCase):
    def replay(self, text):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            page = Path(folder).resolve() / "page.md"
            page.write_text(text, encoding="utf-8")
            wrong = replay_docs.replay(page, Path(sys.executable).resolve(), links={"linked": folder})
        return [sentence.replace(str(page), "page.md") for sentence in wrong], said.getvalue().replace(str(page), "page.md")

    def test_a_page_that_is_true(self):
        wrong, said = self.replay(PAGE)
        self.assertEqual(wrong, [])
        self.assertIn("page.md:17: left out: it needs a screen\n", said)
        self.assertIn("left out: there is no no_such_program\n", said)
        self.assertIn("page.md: 10 commands in ", said)
        began = time.monotonic()
        self.assertIn("has ended, or printed nothing", self.replay("<!-- replay: in the background -->\n\n    $ exit 0\n")[0][0])
        self.assertLess(time.monotonic() - began, 20)

    def test_other_output(self):
        for shown, sentence in (("hello", "the page shows 'hello', and there is 'hullo'"),
                                ("hullo\n    more", "the page shows 'more', and there is 'nothing more'"),
                                ("...\n    hello", "the page shows 'hello', and there is 'hullo'")):  # fmt: skip
            with self.subTest(shown):
                wrong, _ = self.replay(f"# A\n\n    $ echo hullo\n    {shown}\n")
                self.assertIn(sentence, wrong[0])
        self.assertIn("the page ends, and there is 'b'", self.replay("# A\n\n    $ echo a; echo b\n    a\n")[0][0])

    def test_times_in_a_table(self):
        page = "# A\n\n    $ printf 'seed  seconds\\n   0      3.5\\n   1     10.5\\n'\n    seed  seconds\n       0        1\n       {}        2\n"
        self.assertEqual(self.replay(page.format(1))[0], [])
        self.assertIn("the page shows '2 #', and there is '1 #'", self.replay(page.format(2))[0][0])

    def test_other_ends(self):
        self.assertIn("page.md:3: 'exit 3' ended with 3", self.replay("# A\n\n    $ exit 3\n")[0][0])
        self.assertIn("'echo error: a' ended with 0", self.replay("# A\n\n    $ echo error: a\n    error: a\n")[0][0])

    def test_directives_that_mean_nothing(self):
        for text, sentence in (("<!-- replay: perhaps -->\n\n    $ true\n", "line 1: 'perhaps' is no directive"),
                               ("    $ true\n\n<!-- replay: needs x -->\n", "line 3: 'needs x' has no block after it"),
                               ('<!-- replay: "a" -> "b" -->\n\n    $ true\n', "line 1: the block has no 'a'"),
                               ("<!-- replay: needs sh -->\n\n    text\n", "neither a prompt nor a file's name"),
                               ("<!-- replay: file a -->\n\n    a\n\n    $ true\n", "line 3: the file a has a prompt in it"),
                               ("no commands\n", "no command was replayed")):  # fmt: skip
            with self.subTest(text):
                self.assertIn(sentence, self.replay(text)[0][0])

    def test_what_is_masked(self):
        mask = replay_docs.masked
        self.assertEqual(mask("  frames  100,  in 24.8 s (4093 frames/s)", True), "frames 100, in # s (# frames/s)")
        self.assertEqual(mask("50%  10/20 frames  3 frames/s  eta 1m5s", True), "50% 10/20 frames # frames/s eta # s")
        self.assertEqual(mask("in 2 min 38 s (650 frames/s), of 24.8 s, 3 min", True), "in # s (# frames/s), of # s, # s")
        self.assertEqual(mask("policy  0.009 s   0.7 %   750x", True), "policy # s # % 750x")
        self.assertEqual(mask("return 421.8 of -1e-3 and nan", False), "return # of # and #")
        self.assertEqual(mask("Pendulum-v1 and 4 seeds", True), "Pendulum-v1 and 4 seeds")


if __name__ == "__main__":
    os.environ.pop("TENON_LEVEL", None)
    unittest.main()
