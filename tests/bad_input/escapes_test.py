#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stands in files, names and plugins is printed, but a terminal does not obey it: control characters, and those that
turn the direction of the text, are escaped."""

import json
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

from program import FIXTURES, LEAST, tenon

TITLE = "\x1b]0;title\x07"  # would set the title of the window
SHOWN = r"\x1b]0;title\x07"
CODES = TITLE + "\x1b[2J\r\x7f\x9b2J\u202eé€"
CODES_SHOWN = SHOWN + r"\x1b[2J\x0d\x7f\u{9b}2J\u{202e}é€"


def safetensors(header, body):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


class Escapes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        (self.folder / "m.toml").write_text(LEAST.format(env="classic/CartPole-v1"))

    def printed(self, code, *words):
        run = tenon(*words, folder=self.folder)
        text = run.stdout + run.stderr
        self.assertEqual(run.returncode, code, text)
        self.assertEqual([c for c in text if not c.isprintable() and c not in "\n\t"], [], text)
        return text

    def test_a_manifest(self):
        (self.folder / "esc.toml").write_text(f"[{json.dumps(CODES)}]\nx = 1\n")
        self.assertIn(CODES_SHOWN, self.printed(2, "validate", "esc.toml"))
        plugin = json.dumps("classic/" + CODES)
        self.assertIn(CODES_SHOWN, self.printed(2, "validate", "m.toml", "--set", f"env.plugin={plugin}"))

    def test_an_excerpt_keeps_its_columns(self):
        (self.folder / "esc.toml").write_bytes("[run]\nname = 'a\u202eb\u009b' = 1\n".encode())
        lines = self.printed(2, "validate", "esc.toml").splitlines()
        excerpt = next(line for line in lines if line.startswith("2 | "))
        self.assertEqual(excerpt, "2 | name = 'a?b?' = 1")

    def test_words_of_the_command_line(self):
        self.assertIn(CODES_SHOWN, self.printed(2, CODES))
        self.assertIn(CODES_SHOWN, self.printed(2, "validate", f"{CODES}.toml"))

    def test_weights(self):
        tensor = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
        (self.folder / "esc.safetensors").write_bytes(safetensors({CODES: tensor}, bytes(16)))
        self.assertIn(CODES_SHOWN, self.printed(2, "import", "esc.safetensors", "--manifest", "m.toml", "--out", "x"))

    def test_recorded_frames(self):
        self.printed(0, "record", "m.toml", "--frames", "64", "--out", "it.frames")
        data = (self.folder / "it.frames").read_bytes()
        (size,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8 : 8 + size])
        header["__metadata__"][TITLE] = CODES
        (self.folder / "esc.frames").write_bytes(safetensors(header, data[8 + size :]))
        self.assertIn(f"{SHOWN} = {CODES_SHOWN}\n", self.printed(0, "data", "info", "esc.frames"))
        # JSON has its own escapes, and reads back.
        self.assertEqual(json.loads(self.printed(0, "data", "info", "esc.frames", "--json"))["about"][TITLE], CODES)

    def test_a_plugin(self):
        library = (FIXTURES / "beast.so").read_bytes()
        changed = library.replace(b"what goes wrong", rb"what\u001b[2J X")
        self.assertNotEqual(changed, library)
        (self.folder / "beast.so").write_bytes(changed)
        self.assertIn(r"what\x1b[2J X", self.printed(0, "inspect", self.folder / "beast.so"))

    def test_the_folder_of_a_run(self):
        name = f"a{TITLE}"
        self.assertIn(f"run folder: a{SHOWN}", self.printed(0, "run", "m.toml", "--quiet", "--out", name))
        self.assertIn(SHOWN, self.printed(2, "eval", name, "--checkpoint", TITLE))
        self.assertIn(SHOWN, self.printed(0, "top", "--once", "."))
        shutil.rmtree(self.folder / name)


if __name__ == "__main__":
    unittest.main()
