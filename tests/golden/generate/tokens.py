#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small byte-level vocabulary of GPT-2's form, trained by the package tokenizers, and what it makes of some texts:

    vocab.json, merges.txt    as the package stores them
    cases.jsonl               on each line a text as prompt, and its tokens as text

Made with tokenizers 0.23.3. Command, from the root of the repository:
    python tests/golden/generate/tokens.py
"""

import json
from pathlib import Path

import tokenizers
from tokenizers import ByteLevelBPETokenizer

FOLDER = Path(__file__).resolve().parents[3] / "plugins" / "envs" / "texts" / "golden"
TEXTS = [
    "The tenon is the piece of a joint that slots into a frame without glue. It's there, they're here; we've 12 of them in 2026!",
    "Don't  mix   blanks\n\n  and\tlines \n", "   leading", "trailing   ", " ", "", "x=1;y=22;;z==333", "naïve café, Straße, Ωμέγα и Привет",
    "數字 １２３ and ½ ²", "emoji 😀😀 and \u00a0no-break\u2003blanks", "'s 'S 're'll'd", "a\r\nb\x00c\x7f\u00ad", "<|endoftext|> is no text here",
]  # fmt: skip

print("tokenizers", tokenizers.__version__)
tokenizer = ByteLevelBPETokenizer()
tokenizer.train_from_iterator(TEXTS * 3, vocab_size=420, min_frequency=2, special_tokens=["<|endoftext|>"], show_progress=False)
FOLDER.mkdir(exist_ok=True)
tokenizer.save_model(str(FOLDER))
plain = ByteLevelBPETokenizer(str(FOLDER / "vocab.json"), str(FOLDER / "merges.txt"))
with open(FOLDER / "cases.jsonl", "w", encoding="utf-8") as file:
    for text in TEXTS:
        file.write(json.dumps({"prompt": text, "answer": " ".join(map(str, plain.encode(text).ids))}) + "\n")
