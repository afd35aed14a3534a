#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A language model over `tenon serve` and in `tenon play --tokens`: prompts go in as tokens, answers come out as tokens, and both
commands and the recorded frames have the same ones; `--names` prints them as text."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_test import Server, make_run  # noqa: E402

TENON = os.environ["TENON"]
MANIFEST = """
[run]
executor = "compiled"
total_frames = 2_048

[env]
plugin = "small/Sort-v0"
lanes = 64
length = 4
symbols = 5
answers = {answers}

[policy.actor]
plugin = "transformer/language"
layers = 1
width = 32
{group}

[objective]
plugin = "language/{objective}"
{group}

[optimiser]
lr = 3e-3

[train]
batch = 64
minibatch = 64
epochs = 1

[eval]
every_frames = 0
"""


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.alone, cls.grouped = cls.folder / "alone", cls.folder / "grouped"
        make_run(cls.alone, MANIFEST.format(answers=0, group="", objective="sft\"\nanswer = \"target"))
        make_run(cls.grouped, MANIFEST.format(answers=2, group='group = "answers"', objective="grpo"))

    def play(self, run, *words, code=0):
        done = subprocess.run([TENON, "play", run, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def steps(self, run, *words):
        return json.loads(self.play(run, "--tokens", "--json", *words).stdout)["steps"]

    def test_an_answer_is_that_of_the_played_episode_whoever_asks(self):
        steps = self.steps(self.alone, "--episodes", 20)
        self.assertEqual(len(steps), 20)
        server = Server(self.alone)
        self.addCleanup(server.end)
        prompts = [step["prompt"] for step in steps]
        answers = server.act(prompts)
        self.assertEqual(answers, [step["action"] for step in steps])
        self.assertEqual(server.act(prompts[3]), answers[3])
        self.assertGreater(len({tuple(answer) for answer in answers}), 5)
        for step in steps:
            hits = sum(one == other for one, other in zip(step["action"], sorted(step["prompt"])))
            self.assertAlmostEqual(step["reward"], hits / 4, places=6)
        told = server.refused({"observation": [1, 2, 3, 5]})
        self.assertIn("the observation 'prompt' has 5 as number 4 of a row, but its categories are 0 to 4", str(told))

    def events(self, server, body):
        """Name and data of each event of a streamed answer."""
        status, text = server.ask("POST", "/act", body | {"stream": True})
        self.assertEqual(status, 200, text)
        blocks = [block.splitlines() for block in text.split("\n\n") if "event: " in block]
        return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]

    def test_a_streamed_answer_has_its_tokens_one_by_one(self):
        server = Server(self.alone, "--window", 20_000)
        self.addCleanup(server.end)
        prompts = [step["prompt"] for step in self.steps(self.alone, "--episodes", 6)]
        answers = server.act(prompts)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:  # several of them in one call of the policy
            told = list(pool.map(lambda prompt: self.events(server, {"observation": prompt}), prompts))
        for events, answer in zip(told, answers):
            self.assertEqual(events, [("token", token) for token in answer] + [("answer", {"action": answer})])
        drawn = self.events(server, {"observation": prompts[0], "mode": "sample"})
        self.assertEqual([data for name, data in drawn if name == "token"], drawn[-1][1]["action"])
        self.assertIn("a streamed request has one observation", str(server.refused({"observation": prompts, "stream": True})))
        self.assertIn("'stream' is true or false", str(server.refused({"observation": prompts[0], "stream": 1})))

    def test_answers_of_a_group_have_their_own_rewards(self):
        for step in self.steps(self.grouped, "--episodes", 5, "--actions", "sample"):
            target = sorted(step["prompt"])
            self.assertEqual(len(step["answers.action"]), 2)
            for answer, reward in zip(step["answers.action"], step["reward"]):
                self.assertAlmostEqual(reward, sum(one == other for one, other in zip(answer, target)) / 4, places=6)

    def test_tokens_are_printed_as_numbers_and_as_text(self):
        names = self.folder / "names"
        names.write_text("a\nb\n \\n\nd\n")
        (step,) = self.steps(self.alone)
        shown = self.play(self.alone, "--tokens").stdout.splitlines()
        self.assertEqual(shown[0], "prompt  " + " ".join(map(str, step["prompt"])))
        self.assertTrue(shown[1].startswith("action  " + " ".join(map(str, step["action"])) + "  reward "))
        self.assertTrue(re.match(r"return [\d.]+", shown[2]))
        text = self.play(self.alone, "--names", names).stdout.splitlines()[0]
        known = ["a", "b", " \\n", "d", "<4>"]
        self.assertEqual(text, "prompt  " + "".join(known[token] for token in step["prompt"]))

    def test_what_cannot_be_shown_is_said(self):
        self.assertIn("takes no --video or --watch", self.play(self.alone, "--tokens", "--watch", code=2).stderr)
        empty = self.folder / "empty"
        empty.write_text("")
        self.assertIn("names no tokens", self.play(self.alone, "--names", empty, code=2).stderr)
        cartpole = self.folder / "cartpole.toml"
        cartpole.write_text('[run]\ntotal_frames = 64\n[env]\nplugin = "classic/CartPole-v1"\n[policy.actor]\nplugin = "random/random"\n')
        run = self.folder / "cartpole"
        subprocess.run([TENON, "run", cartpole, "--out", run], check=True, capture_output=True)
        self.assertIn("has no action that is a row of tokens", self.play(run, "--tokens", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
