#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that is full or may not be written: exit code 4, one sentence, nothing half-written, and a run that goes on
once there is room."""

import os
import resource
import subprocess
import unittest

from runs import RunCase, contents


def limit_files(size):
    """For a child: no file grows beyond so many bytes, as on a disk that is full."""
    # SIGXFSZ, which would end the program, is as in a shell: Python ignores it, and restores it for a child.
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}


class Disk(RunCase):
    def refused(self, *words, **more):
        """The sentence of a run that could not begin."""
        done = self.tenon("run", "--quiet", *words, code=4, **more)
        self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), done.stderr)
        return done.stderr

    def broken_off(self, *words, **more):
        """The sentence of one that could not go on, and what it says is saved."""
        done = self.tenon("run", "--quiet", *words, code=4, **more)
        self.assertEqual(done.stdout, "")
        sentence, saved = done.stderr.splitlines()
        return sentence, saved

    def test_a_folder_that_cannot_be_made(self):
        self.assertIn("cannot create the folder /proc/tenon-run: ", self.refused(self.manifest, "--out", "/proc/tenon-run"))

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written(self):
        out = self.folder / "out"
        out.mkdir(mode=0o555)
        self.assertIn(f"{out}", self.refused(self.manifest, "--out", out))
        self.assertEqual(list(out.iterdir()), [])

    def test_no_room_for_the_manifest(self):
        out = self.folder / "new" / "out"
        self.assertIn("cannot write ", self.refused(self.manifest, "--out", out, **limit_files(100)))
        self.assertFalse((self.folder / "new").exists())

    def test_no_room_for_a_checkpoint(self):
        whole, out = self.folder / "whole", self.folder / "out"
        self.train(self.manifest, "--out", whole)
        sizes = [p.stat().st_size for p in (whole / "checkpoints").glob("*/frames.safetensors")]
        # Room for the metrics and for the first checkpoints, since the buffer grows.
        text, saved = self.broken_off(self.manifest, "--out", out, **limit_files(max(sizes) // 2))
        self.assertRegex(text, "^error: cannot write .*/frames.safetensors: File too large$")
        self.assertEqual(saved, f"help: the run is saved up to frame {self.last_frames(out)}; fix the cause, then continue "
                         f"from there: tenon run --resume {out}")
        kept = contents(out / "checkpoints")
        self.assertIn("last", kept)
        self.assertEqual([name for name in kept if ".tmp-" in name], [])
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_no_room_for_a_record(self):
        whole, out = self.folder / "whole", self.folder / "out"
        never = ["--set", "checkpoint.every_frames=0", "--set", "eval.every_frames=0"]
        never += ["--set", "log.tensorboard=false"]  # its files are longer
        self.train(self.manifest, "--out", whole, *never)
        text, saved = self.broken_off(self.manifest, "--out", out, *never, **limit_files(6_000))
        self.assertEqual(saved, "help: nothing was saved: the run had not reached its first checkpoint")
        self.assertIn("cannot write ", text)
        self.assertIn("metrics.jsonl: File too large", text)
        self.assertTrue((out / "metrics.jsonl").read_bytes().endswith(b"}\n"))
        self.train("--resume", out)
        self.assert_same_run(whole, out, events=False)

    def test_a_disk_that_is_full(self):
        mount = self.folder / "small"
        mount.mkdir()
        script = 'mount -t tmpfs -o size=400k none "$1" && exec "$0" run "$2" --quiet --out "$1/out"'
        probe = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", mount], capture_output=True, check=False)
        if probe.returncode != 0:
            self.skipTest("no file system of one's own here: " + probe.stderr.decode().strip())
        # The namespace goes with the process, so that it looks at what is left itself.
        script = script.replace("exec ", "").replace('"$0" run', '{ "$0" run') + \
            '; code=$?; find "$1/out" -name "*.tmp-*"; "$0" eval "$1/out" --checkpoint last --episodes 1; exit $code; }'
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, os.environ["TENON"], mount, self.manifest],
                              capture_output=True, text=True, env=self.environment(), check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"^error: cannot write .*: No space left on device\nhelp: the run is saved up to frame \d+; ")
        self.assertRegex(done.stdout, "^return [^\n]* over 1 episode [^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
