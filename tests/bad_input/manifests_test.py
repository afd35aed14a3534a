#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every manifests/NAME.toml is wrong, and NAME.expected is what the program says of it: the command as one would type
it, then stderr, then the exit code. `--update` writes these files anew, to be read before they are committed."""

import sys
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

from program import FIXTURES, tenon, told

MANIFESTS = Path(__file__).resolve().parent / "manifests"
ONLY_A_RUN = "run_"  # names of manifests that are fine as far as `validate` can see


def command_of(manifest):
    words = ["run", manifest.name, "--quiet", "--out", "OUT"]
    return words if manifest.name.startswith(ONLY_A_RUN) else ["validate", manifest.name]


def transcript(words, out):
    typed = [str(out) if word == "OUT" else word for word in words]
    if words[1].startswith(ONLY_A_RUN):
        typed += ["--set", "run.executor=compiled"]  # mapping libtorch takes longer than the rest
    run = tenon(*typed, folder=MANIFESTS, search=FIXTURES)
    stderr = told(run.stderr, MANIFESTS).replace(str(out), "OUT")
    return f"$ tenon {' '.join(words)}\n{stderr}[exit {run.returncode}]\n", run


@lru_cache(maxsize=None)
def said_once(manifest):
    """The transcript, what went to stdout, and whether the run left a folder; several tests ask for it."""
    with tempfile.TemporaryDirectory() as holder:
        out = Path(holder) / "run"
        text, run = transcript(command_of(manifest), out)
        return text, run.stdout, out.exists()


class Manifests(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.out = Path(holder.name) / "run"

    def test_each_gets_its_sentences_and_exit_code(self):
        manifests = sorted(MANIFESTS.glob("*.toml"))
        self.assertGreater(len(manifests), 125)
        for manifest in manifests:
            with self.subTest(manifest.name):
                text, output, _ = said_once(manifest)
                self.assertEqual(text, manifest.with_suffix(".expected").read_text())
                self.assertEqual(output, "")

    def test_what_validate_finds_run_finds_and_leaves_nothing(self):
        for manifest in sorted(MANIFESTS.glob("*.toml")):
            if manifest.name.startswith(ONLY_A_RUN):
                continue
            with self.subTest(manifest.name):
                validated, _, _ = said_once(manifest)
                ran, _ = transcript(["run", manifest.name, "--quiet", "--out", "OUT"], self.out)
                self.assertEqual(ran.splitlines()[1:], validated.splitlines()[1:])
                self.assertFalse(self.out.exists())

    def test_a_run_that_fails_before_its_first_record_leaves_nothing(self):
        for manifest in MANIFESTS.glob(f"{ONLY_A_RUN}*.toml"):
            if "abort" not in manifest.name:  # after which nobody can tidy up
                _, _, is_left = said_once(manifest)
                self.assertFalse(is_left, manifest.name)

    def test_expectations_without_a_manifest(self):
        for expected in MANIFESTS.glob("*.expected"):
            self.assertTrue(expected.with_suffix(".toml").exists(), expected.name)

    def test_every_problem_has_a_place(self):
        for expected in MANIFESTS.glob("*.expected"):
            lines = expected.read_text().splitlines()[1:]
            for line, after in zip(lines, lines[1:]):
                if line.startswith("error: "):
                    self.assertTrue(after.startswith(" --> "), f"{expected.name}: {line}")


def update():
    with tempfile.TemporaryDirectory() as holder:
        for manifest in sorted(MANIFESTS.glob("*.toml")):
            text, _ = transcript(command_of(manifest), Path(holder) / manifest.stem)
            manifest.with_suffix(".expected").write_text(text)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
