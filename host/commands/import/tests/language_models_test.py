#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon import --layout gpt2` and `llama`: tiny models of the package transformers (tests/golden/generate/language_weights.py), in
float32 and bfloat16, give torch's log-probabilities; a manifest of other sizes is told all that differs."""

import json
import math
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

TENON = os.environ["TENON"]
GOLDEN = Path(__file__).resolve().parents[4] / "tests/golden"
TOKENS, LENGTH, ANSWERS = 4, 3, 4
MANIFEST = """[run]
executor = "compiled"
total_frames = 64

[env]
plugin = "small/Sort-v0"
lanes = 64
length = 3
symbols = 4
answers = 4

[policy.actor]
plugin = "transformer/language"
group = "answers"
layers = 2
width = 16
heads = 4
log_prob = "{log_prob}"
{shape}

[objective]
plugin = "language/grpo"
group = "answers"

[train]
batch = 64
"""
SHAPES = {"gpt2": 'activation = "gelu_tanh"\ncontext = 8',
          "llama": 'inner = 20\nglu = true\nbiases = false\nnorm = "rms"\nnorm_eps = 1e-6\npositions = "rotary"\n'
                   'rotary_base = 500_000.0\nkey_heads = 2\nvocabulary = 7\ntied = false'}  # fmt: skip


def tensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    out = {}
    for name, tensor in json.loads(data[8:8 + size]).items():
        letter = {"F32": "f", "I64": "q"}.get(tensor.get("dtype"))
        if letter:
            begin, end = (8 + size + offset for offset in tensor["data_offsets"])
            out[name] = struct.unpack(f"<{(end - begin) // struct.calcsize(letter)}{letter}", data[begin:end])
    return out


def place(tokens):
    """Of these tokens among all that are as many."""
    return sum(token * TOKENS**i for i, token in enumerate(reversed(tokens)))


def log_softmax(numbers, at):
    most = max(numbers)
    return numbers[at] - most - math.log(sum(math.exp(number - most) for number in numbers))


class LanguageModels(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-import-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def tenon(self, *words, code=0):
        done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def manifest(self, name, shape, log_prob="drawn"):
        path = self.folder / f"{name}.toml"
        path.write_text(MANIFEST.format(shape=shape, log_prob=log_prob))
        return path

    def recorded(self, name, kind, file, log_prob):
        manifest = self.manifest(name, SHAPES[kind], log_prob)
        self.tenon("import", GOLDEN / file, "--layout", kind, "--manifest", manifest, "--out", self.folder / name)
        frames = self.folder / f"{name}.frames"
        self.tenon("record", self.folder / name, "--frames", 128, "--out", frames)
        return tensors(frames)

    def check(self, kind):
        logits = tensors(GOLDEN / f"tiny_{kind}_logits.safetensors")["logits"]
        seen = set()
        for log_prob in ("drawn", "whole"):
            frames = self.recorded(f"{kind}_{log_prob}", kind, f"tiny_{kind}.safetensors", log_prob)
            for frame in range(128):
                prompt = frames["prompt"][frame * LENGTH:(frame + 1) * LENGTH]
                for answer in range(frame * ANSWERS, (frame + 1) * ANSWERS):
                    tokens = frames["answers.action"][answer * LENGTH:(answer + 1) * LENGTH]
                    for i, token in enumerate(tokens):
                        row = place(prompt) * 21 + (0, 1, 5)[i] + place(tokens[:i])
                        expected = log_softmax(logits[row * TOKENS:(row + 1) * TOKENS], token)
                        self.assertAlmostEqual(frames["answers.log_prob"][answer * LENGTH + i], expected, delta=1e-5)
                        seen.add((row, token))
        self.assertGreater(len(seen), 500)
        self.assertEqual(self.recorded(f"{kind}_bf16", kind, f"tiny_{kind}_bf16.safetensors", "whole"), frames)

    def test_gpt2_computes_what_it_did(self):
        self.check("gpt2")

    def test_llama_computes_what_it_did(self):
        self.check("llama")

    def refused(self, layout, shape, *sentences):
        done = self.tenon("import", GOLDEN / f"tiny_{layout}.safetensors", "--layout", layout, "--manifest",
                          self.manifest("other", shape), "--out", self.folder / "other", code=2)  # fmt: skip
        for sentence in sentences:
            self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("error:"), len(sentences))
        self.assertFalse((self.folder / "other").exists())

    def test_a_manifest_of_other_sizes_is_told_all_that_differs(self):
        wrong = SHAPES["llama"].replace("inner = 20", "inner = 24").replace("vocabulary = 7", "vocabulary = 8")
        told = [("model.embed_tokens", "[7, 16]", "tokens", "[8, 16]"), ("lm_head", "[7, 16]", "head", "[8, 16]")]
        for i in range(2):
            for name, has, needs in (("up", "[20, 16]", "[24, 16]"), ("gate", "[20, 16]", "[24, 16]"), ("down", "[16, 20]", "[16, 24]")):
                told.append((f"model.layers.{i}.mlp.{name}_proj", has, f"block{i}.{name}", needs))
        self.refused("llama", wrong, *(f"the tensor {name}.weight is F32 {has}, but actor/{ours}.weight is F32 {needs}"
                                       for name, has, ours, needs in told))
        self.refused("gpt2", SHAPES["gpt2"] + "\nglu = true", *(
            f"has no tensor for actor/block{i}.gate.{part}, which is" for i in range(2) for part in ("weight", "bias")))

    def test_sizes_that_cannot_be(self):
        for shape, sentence in (("context = 5", "context is 5, but a prompt with its answer has 6 tokens"),
                                ("vocabulary = 3", "vocabulary is 3, but 'prompt' is made of 4 tokens"),
                                ("key_heads = 3", "4 heads cannot share 3 heads of keys: heads is no multiple of key_heads")):
            done = self.tenon("validate", self.manifest("wrong", shape), code=2)
            self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main()
