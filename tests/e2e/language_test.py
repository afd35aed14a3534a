#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models and transformers as they are shipped: how answers are drawn, that the log-probabilities that acting stores are
those that the first update computes, rewards that are learnt, and what is refused."""

import json
import math
import re
import struct
import unittest

from runs import MANIFESTS, RunCase, records

SORT = MANIFESTS / "sft_sort.toml"
GRPO = MANIFESTS / "grpo_sort.toml"
EXPERT = MANIFESTS / "expert_sort.toml"
DISTIL = MANIFESTS / "distil_sort.toml"
BRIEF = ["--set", "run.executor=compiled", "--set", "eval.every_frames=0"]
CARTPOLE = """[run]
total_frames = 128

[env]
plugin = "classic/CartPole-v1"

[policy.actor]
plugin = "transformer/language"
prompt = "observation"

[objective]
plugin = "language/sft"

[train]
batch = 64
"""
JUDGE = """[run]
executor = "compiled"
total_frames = 6_400

[env]
plugin = "small/Sort-v0"
lanes = 64
answers = 0

[policy.actor]
plugin = "random/random"

[policy.judge]
plugin = "transformer/score"
layers = 1
width = 32

[objective]
plugin = "language/reward_model"

[optimiser]
lr = 3e-3

[train]
batch = 64
minibatch = 64
epochs = 1

[log]
every_frames = 640
"""
REWARDED = """[run]
executor = "compiled"
total_frames = 512

[env]
plugin = "small/Sort-v0"
lanes = 64
answers = 0

[policy.actor]
plugin = "transformer/language"
layers = 1
width = 32

[policy.value]
plugin = "mlp/value"
in = ["prompt"]

[policy.judge]
plugin = "transformer/score"
layers = 1
width = 32
init = "judge"
freeze = true

[columns]
"next.reward" = "judge.reward"

[objective]
plugin = "ppo/ppo"
entropy = "sampled"
reference_kl = 0.1

[train]
batch = 128
minibatch = 64
epochs = 2
"""

GROUP_JUDGED = """include = [{grpo}]
[run]
total_frames = 320

[log]
every_frames = 160

[policy.judge]
plugin = "transformer/score"
group = "answers"
layers = 1
width = 32
init = "judge"
freeze = true

[columns]
"next.reward" = "judge.reward"

[objective]
filter = true
"""

FRAMES = 256


def columns(path):
    """The numbers of the frames of a file, by column: float32 and int64 ones. Its last rows have no action yet."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    out = {}
    for name, tensor in json.loads(data[8:8 + size]).items():
        letter = {"F32": "f", "I64": "q"}.get(tensor.get("dtype"))
        if letter and "/" not in name:
            begin, count = 8 + size + tensor["data_offsets"][0], FRAMES * math.prod(tensor["shape"][2:])
            out[name] = struct.unpack(f"<{count}{letter}", data[begin:begin + count * struct.calcsize(letter)])
    return out


class Language(RunCase):
    def draws(self, name, *sets):
        manifest = self.put(f"{name}.toml", "\n".join([f"include = [{json.dumps(str(SORT))}]", 'run.executor = "compiled"',
                                                  *(["policy.actor.draws = true"] if "policy.actor.draws=false" not in sets else []), *sets]))
        file = self.folder / f"{name}.frames"
        self.tenon("record", manifest, "--frames", FRAMES, "--out", file)
        return columns(file)["action"]

    def test_the_likeliest_token_alone_is_that_of_the_mode(self):
        mode = self.draws("mode", "policy.actor.top_k=1")
        self.assertEqual(self.draws("cold", "policy.actor.temperature=1e-6"), mode)
        self.assertEqual(self.draws("nucleus", "policy.actor.top_p=1e-6"), mode)
        self.assertNotEqual(self.draws("free"), mode)

    def test_answers_that_nobody_reads_are_left_out(self):
        self.assertEqual(set(self.draws("zeros", "policy.actor.draws=false")), {0})
        losses = []
        for draws in ("true", "false"):
            self.train(SORT, "--out", self.folder / draws, "--set", f"policy.actor.draws={draws}", "--set", "run.total_frames=256", "--set",
                       "log.every_frames=64", *BRIEF)  # fmt: skip
            losses.append([record["train/loss/sft"] for record in records(self.folder / draws) if "train/loss/sft" in record])
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(len(losses[0]), 4)

    def test_few_likely_tokens_are_drawn_from(self):
        for name, sets in (("two", ["policy.actor.top_k=2"]), ("all", [])):
            actions = self.draws(name, "env.length=1", "policy.actor.temperature=100", *sets)
            firsts = {}
            for prompt, action in zip(self.prompts(name), actions):
                firsts.setdefault(prompt, set()).add(action)
            most = max(len(each) for each in firsts.values())
            self.assertEqual(most, 2) if name == "two" else self.assertGreater(most, 4)

    def prompts(self, name):
        return columns(self.folder / f"{name}.frames")["prompt"]

    def test_after_the_token_that_stops_an_answer_nothing_counts(self):
        actions = self.draws("stops", "policy.actor.stop=3")
        answers = [actions[i:i + 6] for i in range(0, len(actions), 6)]
        stopped = [answer for answer in answers if 3 in answer[:-1]]
        self.assertGreater(len(stopped), 10)
        for answer in stopped:
            after = answer[answer.index(3):]
            self.assertEqual(set(after), {3})

    def gaps(self, manifest, *sets):
        words = [word for each in sets for word in ("--set", each)]
        out = self.folder / f"gap{len(list(self.folder.glob('gap*')))}"
        self.train(manifest, "--out", out, *BRIEF, *words)
        return [record for record in records(out) if "train/n_updates" in record]

    def test_acting_and_the_first_update_have_the_same_log_probabilities_to_the_bit(self):
        # With one update a batch, every ratio is that of unchanged weights; this clip range counts all that are not 1.
        found = self.gaps(MANIFESTS / "ppo_cartpole.toml", "env.lanes=16", "train.batch=512", "train.minibatch=512", "train.epochs=1", "log.every_frames=512",
                          "run.total_frames=8_192", "objective.clip_epsilon=1e-9")
        self.assertGreater(len(found), 4)
        self.assertEqual({record["train/clip_fraction"] for record in found}, {0})

    def test_ppo_records_the_gap_of_log_probabilities_also_of_a_transformer(self):
        for manifest, sets in (("ppo_cartpole.toml", ["env.lanes=16", "train.batch=512", "train.minibatch=128"]), ("ppo_transformer_tmaze.toml", [])):
            found = self.gaps(MANIFESTS / manifest, *sets, "log.every_frames=1_024", "run.total_frames=4_096", "objective.logprob_gap=true")
            self.assertEqual({record["train/logprob_gap"] for record in found}, {0}, manifest)
        found = self.gaps(MANIFESTS / "ppo_cartpole.toml", "env.lanes=1", "train.batch=128", "train.minibatch=64", "log.every_frames=512",
                          "run.total_frames=2_048", "objective.logprob_gap=true")
        self.assertTrue(all(0 < record["train/logprob_gap"] < 1e-6 for record in found))  # one row at a time adds in another order

    def test_of_whole_answers_the_first_ratio_is_1_to_the_bit(self):
        found = self.gaps(GRPO, "run.total_frames=640", "log.every_frames=160", "objective.logprob_gap=true",
                          'policy.actor.log_prob="whole"')
        self.assertGreater(len(found), 2)
        self.assertEqual({record["train/logprob_gap"] for record in found}, {0})

    def test_token_by_token_and_whole_answers_have_the_same_log_probabilities(self):
        found = self.gaps(GRPO, "run.total_frames=640", "log.every_frames=160", "objective.logprob_gap=true")
        self.assertGreater(len(found), 3)
        self.assertLess(max(record["train/logprob_gap"] for record in found), 2e-6)
        self.assertGreater(max(record["train/logprob_gap"] for record in found), 0)

    def test_a_reward_is_learnt_from_pairs_and_stands_in_for_the_env(self):
        self.train(self.put("judge.toml", JUDGE), "--out", self.folder / "judge")
        learnt = [record["train/accuracy"] for record in records(self.folder / "judge") if "train/accuracy" in record]
        self.assertLess(learnt[0], 0.7)
        self.assertGreater(sum(learnt[-3:]) / 3, 0.84)  # of new pairs; 0.82 if the score is that of the last token
        result = self.train(self.put("rewarded.toml", REWARDED), "--out", self.folder / "rewarded")
        self.assertGreater(result["updates"], 0)
        judged = self.put("judged.toml", GROUP_JUDGED.format(grpo=json.dumps(str(GRPO))))
        result = self.train(judged, "--out", self.folder / "judged", *BRIEF)
        self.assertGreater(result["updates"], 0)
        kept = [record["train/kept"] for record in records(self.folder / "judged") if "train/kept" in record]
        # A judge scores answers equally only if they are the same, while rewards of the env often are equal.
        self.assertGreater(min(kept), 0.98)

    def test_a_policy_follows_a_teacher_of_another_size(self):
        """Whose weights are those of the actor of another run, the only network there."""
        small = ["--set", "policy.actor.layers=1", "--set", "policy.actor.width=32", *BRIEF]
        self.train(SORT, "--out", self.folder / "taught", "--set", "run.total_frames=1_280", *BRIEF)
        taught = ["--set", f"policy.teacher.init={json.dumps(str(self.folder / 'taught'))}"]
        self.train(DISTIL, "--out", self.folder / "pupil", "--set", "run.total_frames=3_200", "--set", "log.every_frames=640", *small,
                   *taught)  # fmt: skip
        gaps = [record["train/teacher_gap"] for record in records(self.folder / "pupil") if "train/teacher_gap" in record]
        self.assertLess(gaps[-1], 0.6 * gaps[0])
        done = self.tenon("validate", DISTIL, *taught, "--set", "policy.teacher.layers=3", code=2)
        self.assertIn("does not fit: no tensor 'actor/block2.norm1.weight'", done.stderr)

    def test_the_best_answers_of_a_model_improve_it(self):
        self.train(EXPERT, "--out", self.folder / "expert", "--set", "run.total_frames=1_280", "--set", "log.every_frames=320", *BRIEF)
        returns = [record["rollout/ep_rew_mean"] for record in records(self.folder / "expert") if "rollout/ep_rew_mean" in record]
        self.assertGreater(returns[-1], returns[0] + 0.2)

    def test_prompts_of_several_lengths_are_learnt(self):
        sets = ["--set", "env.length=3", "--set", "env.shortest=2"]
        result = self.train(SORT, "--out", self.folder / "lengths", *sets, "--set", "run.executor=compiled",
                            "--set", "run.total_frames=6_400", "--set", "eval.every_frames=6400", "--set", "eval.episodes=100")
        self.assertGreater(result["eval_return_mean"], 0.85)

    def test_a_file_of_examples_is_learnt_packed_or_not(self):
        (self.folder / "letters.jsonl").write_text("".join(f'{{"q": "{c}{c}", "answer": "{c.upper()}"}}\n' for c in "abcdefgh"))
        sets = ["--set", f"env.file={self.folder / 'letters.jsonl'}", "--set", "env.prompt_key=q", "--set", "run.executor=compiled", "--set",
                "policy.actor.width=32", "--set", "policy.actor.layers=1", "--set", "eval.every_frames=0", "--set", "checkpoint.every_frames=0"]  # fmt: skip
        for name, more in (("rows", ["--set", "run.total_frames=6_400"]),
                           ("packed", ["--set", "env.pack=64", "--set", "objective.packed=packed", "--set", "run.total_frames=1_920"])):  # fmt: skip
            self.train(MANIFESTS / "sft_text.toml", "--out", self.folder / name, *sets, *more)
            done = self.tenon("play", self.folder / name, "--names", "bytes", "--episodes", "12", code=0)
            pairs = re.findall(r"^prompt  (\w)\1\naction  (\w)  reward 1$", done.stdout, re.M)
            self.assertGreaterEqual(sum(q.upper() == a for q, a in pairs), 10, done.stdout)
        self.refused("packed rows say themselves which tokens count", "env.pack=64", 'objective.packed="packed"', "objective.stop=256",
                     f'env.file="{self.folder / "letters.jsonl"}"', "env.prompt_key=q", manifest=MANIFESTS / "sft_text.toml")  # fmt: skip
        self.refused("packed = \"packed\", but there is no column 'packed'; texts/file has the column 'packed' if env.pack is above 0",
                     'objective.packed="packed"', manifest=MANIFESTS / "sft_text.toml")  # fmt: skip
        told = self.tenon("validate", MANIFESTS / "sft_text.toml", "--set", "env.pack=64", code=0).stderr
        self.assertIn('nothing reads the env\'s rows of several examples: set objective.packed = "packed", or env.pack = 0', told)
        self.refused("letters.jsonl, line 1 has no text 'prompt'; it has answer, q", f'env.file="{self.folder / "letters.jsonl"}"',
                     manifest=MANIFESTS / "sft_text.toml")  # fmt: skip

    def test_examples_in_a_row_do_not_see_each_other(self):
        (self.folder / "one.jsonl").write_text('{"prompt": "abc", "answer": "dcba"}\n')
        losses = []
        for name, more in (("alone", []), ("row", ["--set", "env.pack=40", "--set", "objective.packed=packed"])):
            self.train(MANIFESTS / "sft_text.toml", "--out", self.folder / name, "--set", f"env.file={self.folder / 'one.jsonl'}", "--set",
                       "run.dtype=float64", "--set", "run.total_frames=128", "--set", "log.every_frames=64", *BRIEF, *more)  # fmt: skip
            losses.append([record["train/loss/sft"] for record in records(self.folder / name) if "train/loss/sft" in record])
        self.assertEqual(len(losses[0]), 2)
        for alone, row in zip(*losses):
            self.assertAlmostEqual(alone, row, delta=1e-9 * alone)

    def test_long_answers_of_many_lanes_are_drawn_in_shares(self):
        # 32 lanes would carry 8 MB; the shares have the log-probabilities that the update computes, to the bit
        self.train(GRPO, "--out", self.folder / "long", "--set", "env.length=32", "--set", "policy.actor.log_prob=whole", "--set",
                   "objective.logprob_gap=true", "--set", "run.total_frames=64", *BRIEF)  # fmt: skip
        gaps = [record["train/logprob_gap"] for record in records(self.folder / "long") if "train/logprob_gap" in record]
        self.assertEqual(set(gaps), {0})

    def test_a_second_answer_learns_to_read_what_was_said_to_the_first(self):
        self.train(MANIFESTS / "ppo_guess.toml", "--out", self.folder / "guess", "--set", "run.total_frames=4_608",
                   "--set", "log.every_frames=512", *BRIEF)  # fmt: skip
        returns = [record["rollout/ep_rew_mean"] for record in records(self.folder / "guess") if "rollout/ep_rew_mean" in record]
        self.assertLess(returns[0], 0.75)  # 0.67 without the marks, whatever the answers
        self.assertGreater(sum(returns[-3:]) / 3, 0.85)

    def refused(self, sentence, *sets, manifest=GRPO):
        words = [word for each in sets for word in ("--set", each)]
        done = self.tenon("validate", manifest, *words, code=2)
        self.assertIn(sentence, done.stderr)

    def test_what_does_not_fit_is_said(self):
        self.refused("a width of 30 cannot be split into 4 heads of equal size", "policy.actor.width=30")
        self.refused("stop is 10, but the tokens of an answer are 0 to 9", "policy.actor.stop=10")
        self.refused("stop is 10, but the tokens of 'action' are 0 to 9", "objective.stop=10")
        self.refused("without an end all answers are as long: set stop to the token that ends one", "objective.overlong=2")
        self.refused("vocabulary is 5, but 'prompt' is made of 10 tokens", "policy.actor.vocabulary=5")
        self.refused("context is 11, but a prompt with its answer has 12 tokens", "policy.actor.context=11")
        cartpole = self.put("cartpole.toml", CARTPOLE)
        self.refused("it reads tokens, but 'observation' is not a row of choices among the same number of tokens", manifest=cartpole)
        self.refused("it compares the answers to a prompt, but there is only one for each", "env.answers=1")
        self.refused("it keeps the best 8 answers to a prompt, but there are 8 for each", "objective.best=8", manifest=EXPERT)
        self.refused("the shortest prompts have 7 digits, but the longest 6", "env.shortest=7")


if __name__ == "__main__":
    unittest.main()
