# SPDX-License-Identifier: Apache-2.0
"""Plugins as they were built with the SDK of each release: this host runs them, and they do what they did then.

With --update RELEASE the values are written that they are held against from now on; done once for each release.
"""

import hashlib
import json
import platform
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from kept import RELEASED, act, check, learn, record, tenon

LIBRARIES = {"drift_c": "env", "smooth": "transform", "recent": "buffer", "dueling": "policy", "td": "objective"}


def releases():
    return sorted(path for path in RELEASED.iterdir() if path.is_dir())


class Released(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        if platform.machine() != "x86_64":
            self.skipTest(f"the plugins that are kept are for x86_64, this machine is {platform.machine()}")
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def test_they_are_the_files_that_were_built(self):
        for release in releases():
            built = (release / "built.txt").read_text().splitlines()[2:]
            self.assertEqual(len(built), len(list(release.glob("*.so"))))
            for line in built:
                digest, name = line.split()
                self.assertEqual(hashlib.sha256((release / name).read_bytes()).hexdigest(), digest, name)

    def test_they_say_what_they_are(self):
        for release in releases():
            for library, kind in LIBRARIES.items():
                shown = json.loads(tenon("inspect", release / f"{library}.so", "--json", plugins=release).stdout)
                self.assertEqual(".".join(map(str, shown["abi"])), release.name)
                self.assertEqual([component["kind"] for component in shown["components"]], [kind])

    def test_they_do_what_they_did(self):
        for release in releases():
            with self.subTest(release.name):
                check(self, release, self.folder, release)


def update(release):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record(release, release / "frames.safetensors")
        if not (release / "parameters.safetensors").exists():
            text = (RELEASED / "learnt.toml").read_text().replace("FOLDER", str(release))
            begin = folder / "begin.toml"
            begin.write_text("".join(line for line in text.splitlines(True) if "parameters.safetensors" not in line))
            tenon("run", begin, "--quiet", "--set", "train.total_updates=1", "--set", "optimiser.lr=1e-300", "--out", folder / "begin",
                  plugins=release)  # fmt: skip
            shutil.copy(folder / "begin" / "checkpoints" / "last" / "parameters.safetensors", release)
        (release / "expected.json").write_text(json.dumps(learn(release, folder, "reference", release), indent=1) + "\n")
        (release / "act.txt").write_text(act(release, folder))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(RELEASED / sys.argv[2])
    else:
        unittest.main()
