#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --resume and --from allow, refuse and say."""

import hashlib
import json
import shutil
import unittest

from runs import FIXTURES, RunCase, contents, parameters, ppo_tables, records

HALF = ["--set", "run.total_frames=5_000"]
ALL = ["--set", "checkpoint.keep=1000"]
AUTO = ["--set", "run.executor=auto"]  # which compares the first updates with the reference executor


class Resume(RunCase):
    def train_to(self, name, *words):
        self.train(self.manifest, "--out", self.folder / name, *words)
        return self.folder / name

    def checkpoint_names(self, run):
        return sorted((int(p.name) for p in (run / "checkpoints").iterdir() if p.name.isdigit()), reverse=True)

    def refused(self, *words, code=2):
        done = self.tenon("run", *words, code=code)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        return done.stderr


class Extended(Resume):
    SHARED = {"whole": AUTO, "half": AUTO + HALF}

    def test_a_longer_run_equals_one_that_was_longer_from_the_start(self):
        whole, out = self.shared / "whole", self.copy(self.shared / "half", "out")
        self.train("--resume", out, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, out)
        self.assertEqual((out / "manifest.lock.toml").read_text(), (whole / "manifest.lock.toml").read_text())

    def test_a_killed_extension_goes_on_to_the_new_end(self):
        whole, out = self.shared / "whole", self.copy(self.shared / "half", "out")
        self.tenon("run", "--resume", out, "--quiet", "--set", "run.total_frames=10_000", code=-9,
                   die_at="write:*/state.bin:2")
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_a_run_that_leaves_at_a_number_of_frames_or_updates_goes_on_as_if_it_had_not(self):
        result = self.train(self.manifest, "--out", "out", "--leave-at-frames", 5_000)
        self.assertEqual(result["frames"], 5_056)
        self.assertEqual(self.train("--resume", "out", "--leave-at-frames", 5_000)["frames"], 5_056)
        updates = self.train("--resume", "out", "--leave-at-updates", result["updates"] + 10)["updates"]
        self.assertLess(updates, result["updates"] + 20)
        self.train("--resume", "out")
        self.assertEqual(records(self.folder / "out")[-1]["eval/mean_reward"], records(self.shared / "whole")[-1]["eval/mean_reward"])
        self.assertEqual(parameters(self.folder / "out"), parameters(self.shared / "whole"))

    def test_a_finished_run_is_left_as_it_is(self):
        before, out = self.shared / "half", self.copy(self.shared / "half", "out")
        result = self.train("--resume", out)
        self.assert_same_run(before, out)
        self.assertEqual((out / "metrics.jsonl").read_bytes(), (before / "metrics.jsonl").read_bytes())
        self.assertIsNotNone(result["eval_return_mean"])
        self.assertIn("has finished at 5056 frames", result["notices"])
        self.assertIn("--set run.total_frames=N", result["notices"])

    def test_a_run_is_made_no_shorter_than_it_is(self):
        finished = self.copy(self.shared / "half", "finished")
        stopped = self.folder / "stopped"
        self.train(self.manifest, "--out", stopped, *AUTO, "--leave-at-frames", 2_000)
        shorter = self.put("shorter.toml", self.manifest.read_text().replace("total_frames = 10_000", "total_frames = 1_000"))
        for out, own in ((finished, 5_000), (stopped, 10_000)):
            before = contents(out)
            for words in (["--set", "run.total_frames=1_000"], [shorter]):
                self.assertEqual(self.refused("--resume", out, *AUTO, *words),
                                 f"error: the run in {out} has {self.last_frames(out)} frames; run.total_frames is 1000\n"
                                 f"help: give a larger run.total_frames; the run's own is {own}\n")
                self.assertEqual(contents(out), before)
        self.assertGreaterEqual(self.train("--resume", stopped)["frames"], 10_000)

    def test_a_run_in_which_nothing_is_done_keeps_its_manifest(self):
        out = self.copy(self.shared / "half", "out")
        before = contents(out)
        result = self.train("--resume", out, "--set", "eval.episodes=1", "--set", f"run.total_frames={self.last_frames(out)}")
        self.assertIn("has finished at 5056 frames", result["notices"])
        self.assertEqual(contents(out)["manifest.lock.toml"], before["manifest.lock.toml"])

    def test_a_return_that_was_reached_ends_the_resumed_run_too(self):
        for name, words in (("evaluated", []), ("collected", ["--set", "eval.every_frames=0"])):
            with self.subTest(name):
                out = self.train_to(name, "--set", "run.stop_at_return=9", *words)
                frames = self.last_frames(out)
                self.assertLess(frames, 10_000)
                result = self.train("--resume", out)
                self.assertEqual((result["frames"], self.last_frames(out)), (frames, frames))
                self.assertIn("run.stop_at_return is reached", result["notices"])

    def test_a_run_ends_after_its_episodes_and_goes_on_with_more(self):
        whole = self.train_to("whole", "--set", "run.stop_at_episodes=40", *ALL)
        self.assertLess(self.last_frames(whole), 5_000)
        episodes = [record["rollout/episodes"] for record in records(whole)]
        self.assertGreaterEqual(episodes[-1], 40)
        self.assertLess(episodes[-2], 40)

        out = self.train_to("out", "--set", "run.stop_at_episodes=10", *ALL)
        result = self.train("--resume", out)
        self.assertIn("training episodes have ended (run.stop_at_episodes;", result["notices"])
        result = self.train("--resume", out, "--set", "run.stop_at_episodes=40")
        self.assertEqual(result["frames"], self.last_frames(whole))
        self.assertEqual(parameters(out), parameters(whole))

    def test_a_run_whose_evaluations_get_no_better_ends_and_goes_on_with_more_patience(self):
        impatient = ["--set", "eval.patience=2"]
        whole = self.train_to("whole", *impatient, *ALL)
        scores = [record["eval/mean_reward"] for record in records(whole) if record.get("eval/mean_reward") is not None]
        best = max(range(len(scores)), key=lambda i: scores[i])
        self.assertEqual(best, len(scores) - 3)
        self.assertLess(self.last_frames(whole), 10_000)

        before_last = self.last_frames(whole) // 1_000 * 1_000 - 1_000
        out = self.train_to("out", *impatient, *ALL, "--set", f"run.total_frames={before_last}")
        self.train("--resume", out, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, out)
        result = self.train("--resume", out)
        self.assertEqual(result["frames"], self.last_frames(whole))
        self.assertIn("the return has not become better in 2 evaluations (eval.patience;", result["notices"])
        result = self.train("--resume", out, "--set", "eval.patience=100")
        self.assertGreaterEqual(result["frames"], 10_000)


class Differences(Resume):
    SHARED = {"whole": [], "half": HALF}

    def test_keys_that_are_named_may_change(self):
        out = self.copy(self.shared / "half", "out")
        words = ["--resume", out, "--set", "objective.gamma=0.9", "--set", "optimiser.lr=1e-2", "--set", "run.total_frames=5_500"]
        text = self.refused(*words, "--change", "optimiser")
        self.assertIn("objective.gamma was 0.99 and is now 0.9", text)
        self.assertNotIn("optimiser.lr", text)
        self.train(*words, "--change", "optimiser", "--change", "objective.gamma")
        self.assertIn("gamma = 0.9\n", (out / "manifest.lock.toml").read_text())
        self.assertEqual(self.train("--resume", out, "--set", "run.total_frames=6_000")["notices"], "")
        text = self.refused("--resume", out, "--set", "policy.qvalue.hidden=[8]", "--change", "policy")
        self.assertIn("parameters.safetensors", text)
        self.assertIn(f"help: if a value that --change allows does not fit the checkpoint, restore it, or begin a new run with the old one's weights: --from {out}\n", text)
        self.assertIn("--change", self.refused(self.manifest, "--change", "optimiser.lr"))
        text = self.refused(*words, "--change", "objective.gama")
        self.assertIn("error: --change names 'objective.gama', which is no key of the run; did you mean 'objective.gamma'?\n"
                      "help: write it with its table, as after --set: objective.gamma\n", text)

    def test_what_decides_the_run_may_not_differ(self):
        before, out = self.shared / "half", self.copy(self.shared / "half", "out")
        text = self.refused("--resume", out, "--set", "objective.gamma=0.98", "--set", "env.lanes=8",
                            "--set", "checkpoint.keep=7")
        self.assertIn(f"the run in {out} cannot be resumed with a different manifest", text)
        self.assertIn("env.lanes was 4 and is now 8", text)
        self.assertIn("objective.gamma was 0.99 and is now 0.98", text)
        self.assertIn(f"--from {out}", text)
        self.assertIn("name with --change KEY those that leave networks and storage as they are", text)
        self.assertNotIn("keep", text)
        self.assert_same_run(before, out)
        self.assertEqual((out / "manifest.lock.toml").read_text(), (before / "manifest.lock.toml").read_text())

    def test_another_manifest_is_compared_too(self):
        out = self.copy(self.shared / "half", "out")
        other = self.put("other.toml", self.manifest.read_text().replace("lr = 3e-3", "lr = 1e-3"))
        text = self.refused("--resume", out, other)
        self.assertIn("optimiser.lr was 0.003 and is now 0.001", text)
        self.assertIn(str(other), text)

    def test_threads_evaluation_log_and_checkpoints_may(self):
        whole, out = self.shared / "whole", self.copy(self.shared / "half", "out")
        self.train("--resume", out, "--set", "run.total_frames=10_000", "--set", "run.threads=2",
                   "--set", "eval.episodes=3", "--set", "eval.every_frames=2_000", "--set", "log.every_frames=600",
                   "--set", "checkpoint.every_frames=3_000", "--set", "checkpoint.keep=1")
        for name in ("parameters", "target", "optimiser"):
            file = f"checkpoints/last/{name}.safetensors"
            self.assertEqual((out / file).read_bytes(), (whole / file).read_bytes())
        self.assertLess(len(self.checkpoint_names(out)), len(self.checkpoint_names(whole)))

    def test_no_run_there(self):
        self.assertEqual(self.refused("--resume", self.folder / "none"),
                         f"error: there is no run in {self.folder / 'none'}: it has no manifest.lock.toml\n")

    def test_resume_goes_with_neither_out_nor_from(self):
        for option in ("--out", "--from"):
            text = self.refused("--resume", self.folder, option, self.folder / "other")
            self.assertIn("excludes --out and --from", text)


COUNTING = """
[run]
total_frames = 512

[plugins]
search = ["plugins"]

[env]
plugin = "wrong_envs/Counter-v0"

[policy.anything]
plugin = "random/random"
"""


class Plugins(Resume):
    """Plugin files that have changed between a run and its resumption, though the manifest has not."""

    def setUp(self):
        super().setUp()
        self.plugin = self.folder / "plugins" / "wrong_envs.so"
        self.plugin.parent.mkdir()
        shutil.copy(FIXTURES / "wrong_envs.so", self.plugin)
        self.out = self.folder / "out"
        self.train(self.put("counting.toml", COUNTING), "--out", self.out)
        self.more = ["--resume", self.out, "--set", "run.total_frames=1_024"]

    def test_another_file_is_refused(self):
        self.plugin.write_bytes(self.plugin.read_bytes() + b"\0")
        self.assertEqual(
            self.refused(*self.more),
            f"error: the run in {self.out} cannot be resumed, because plugin files have changed since it began: "
            f"{self.plugin} (0.1.0)\n --> {self.out}/plugins.toml\n"
            "help: restore the files with these sha256, or begin a new run with the old one's weights: --from "
            f"{self.out}\n")
        warning = (f"warning: plugin files are of another build than those of the run in {self.out}, so results may differ: "
                   f"{self.plugin} (0.1.0)\n")
        self.assertIn(warning, self.warnings_of_eval())
        self.assertIn(warning, self.tenon("record", self.out, "--frames", "8", "--out", self.folder / "frames").stderr)
        shutil.copy(FIXTURES / "wrong_envs.so", self.plugin)
        self.assertNotIn("another build", self.warnings_of_eval())
        self.assertEqual(self.train(*self.more)["frames"], 1_024)

    def warnings_of_eval(self, *more):
        return self.tenon("eval", self.out, "--episodes", "1", *more).stderr

    def test_a_component_of_another_library_is_named(self):
        self.assertEqual(
            self.refused(*self.more, "--change", "env.plugin", "--set", "env.plugin=classic/CartPole-v1"),
            f'error: the run in {self.out} cannot be resumed with another component: env.plugin was "wrong_envs/Counter-v0" and is now '
            f'"classic/CartPole-v1"\n --> {self.out}/manifest.lock.toml\n'
            f"help: name the old component again, or begin a new run with the old one's weights: --from {self.out}\n")

    def test_the_same_file_elsewhere_is_not(self):
        other_folder = self.folder / "elsewhere"
        self.plugin.parent.rename(other_folder)
        self.assertNotIn("another build", self.warnings_of_eval("--plugins", other_folder))
        self.assertEqual(self.train(*self.more, "--set", f"plugins.search=['{other_folder}']")["frames"], 1_024)


class Executors(Resume):
    SHARED = {"half": AUTO + HALF}

    def test_auto_means_the_one_that_began_the_run(self):
        out = self.copy(self.shared / "half", "out")
        folder = out / "checkpoints" / str(self.last_frames(out))
        # The same length, so that only the hash in the list of files has to follow.
        state = (folder / "state.bin").read_bytes()
        self.assertEqual(state.count(b"compiled"), 1)
        (folder / "state.bin").write_bytes(state.replace(b"compiled", b"tomorrow"))
        listed = json.loads((folder / "complete.json").read_text())
        for file in listed["files"]:
            file["sha256"] = hashlib.sha256((folder / file["name"]).read_bytes()).hexdigest()
        (folder / "complete.json").write_text(json.dumps(listed))
        for words in (["run", "--resume", out], ["eval", out, "--checkpoint", "last"]):
            text = self.tenon(*words, code=2).stderr
            self.assertEqual(text.splitlines()[0], "error: the run used the executor 'tomorrow', which this program does not have")


class Damage(Resume):
    SHARED = {"whole": ALL, "half": ALL + HALF}

    def setUp(self):
        super().setUp()
        self.whole = self.shared / "whole"
        self.out = self.copy(self.shared / "half", "out")
        self.newest, self.before = self.checkpoint_names(self.out)[:2]
        self.files = self.out / "checkpoints"

    def flip(self, path):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)

    def assert_taken_before(self, fault):
        result = self.train("--resume", self.out, "--set", "run.total_frames=10_000")
        self.assertIn(f"checkpoint {self.newest} is damaged: {self.files / str(self.newest)}/{fault}",
                      result["notices"])
        self.assertIn(f"; using instead: checkpoint {self.before}\n", result["notices"])
        self.assert_same_run(self.whole, self.out)

    def test_a_flipped_bit(self):
        for name in ("state.bin", "frames.safetensors", "parameters.safetensors"):
            with self.subTest(name):
                self.flip(self.files / str(self.newest) / name)
                self.assert_taken_before(f"{name} has been changed since it was written (its sha256 differs)")
                shutil.rmtree(self.out)
                self.copy(self.shared / "half", "out")

    def test_a_truncated_file(self):
        path = self.files / str(self.newest) / "state.bin"
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.truncate(size // 2)
        self.assert_taken_before(f"state.bin has {size // 2} bytes instead of {size}")

    def test_a_missing_file(self):
        (self.files / str(self.newest) / "target.safetensors").unlink()
        self.assert_taken_before("target.safetensors is missing")

    def test_all_of_them(self):
        for frames in self.checkpoint_names(self.out):
            self.flip(self.files / str(frames) / "state.bin")
        text = self.refused("--resume", self.out)
        self.assertIn(f"no checkpoint in {self.files} can be used: checkpoint {self.newest} is damaged", text)
        self.assertIn(f"checkpoint {self.before} is damaged", text)
        self.assertEqual(len(text.splitlines()), 1)

    def test_metrics_that_lost_records(self):
        path = self.out / "metrics.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
        text = self.refused("--resume", self.out)
        self.assertIn("metrics.jsonl' has 3 records, but the checkpoint was written when it had 20", text)
        self.assertIn(f"--from {self.out}", text)

    def test_a_component_without_a_name(self):
        lock = self.out / "manifest.lock.toml"
        lock.write_text(lock.read_text().replace('plugin = "replay/uniform"', 'plugin = ""'))
        for words in (["run", "--resume", self.out], ["eval", self.out], ["serve", self.out], ["export", self.out, "--out", "policy.c"],
                      ["record", self.out, "--frames", 4, "--out", "frames.safetensors"]):
            with self.subTest(words[0]):
                text = self.tenon(*words, code=2).stderr
                self.assertRegex(text, f"^error: buffer.plugin is empty\n --> {lock}:\\d+:10\n")
                self.assertEqual(text.count("error: "), 1)


SAME_POLICIES = ("help: --from reads the weights of all networks of the new run, so its [policy] tables must be as in the old one; "
                 "policy.NAME.init = \"DIR\" reads those of one network\n")
TWO_NETWORKS = """
[run]
total_frames = 512

[env]
plugin = "classic/CartPole-v1"
""" + ppo_tables()


class From(Resume):
    SHARED = {"old": HALF}
    # Nothing is learnt, so that the weights stay as they began.
    IDLE = ["--set", "run.total_frames=256", "--set", "train.start_frames=1_000_000", "--seed", "9"]

    def test_begins_a_new_run_with_the_old_weights(self):
        old, fresh = self.shared / "old", self.train_to("fresh", *self.IDLE)
        new = self.train_to("new", "--from", old, *self.IDLE)
        parameters, target = (f"checkpoints/last/{name}.safetensors" for name in ("parameters", "target"))
        self.assertEqual((new / parameters).read_bytes(), (old / parameters).read_bytes())
        self.assertNotEqual((fresh / parameters).read_bytes(), (old / parameters).read_bytes())
        # Targets begin as copies.
        self.assertEqual((new / target).read_bytes(), (new / parameters).read_bytes())

    def test_init_of_a_policy_does_the_same(self):
        old = self.shared / "old"
        new = self.train_to("new", "--set", f"policy.qvalue.init={old}", *self.IDLE)
        for name in ("parameters", "target"):
            self.assertEqual((new / f"checkpoints/last/{name}.safetensors").read_bytes(),
                             (old / "checkpoints/last/parameters.safetensors").read_bytes())

    def test_what_cannot_be_taken_leaves_nothing_behind(self):
        out = self.folder / "new"
        text = self.refused(self.manifest, "--out", out, "--from", self.folder / "none")
        self.assertIn(f"there is no run in {self.folder / 'none'}", text)
        old = self.shared / "old"
        text = self.refused(self.manifest, "--out", out, "--from", old, "--set", "policy.qvalue.hidden=[16]")
        self.assertIn("parameters.safetensors", text)
        self.assertIn("qvalue/", text)
        self.assertIn(SAME_POLICIES, text)
        text = self.refused(self.put("two.toml", TWO_NETWORKS), "--out", out, "--from", old)
        self.assertIn("has no tensor 'actor/0.weight'; its networks are: qvalue\n", text)
        self.assertIn(SAME_POLICIES, text)
        self.assertFalse(out.exists())


class Checkpoints(Resume):
    SHARED = {"half": HALF, "all": ALL}

    def test_the_newest_are_kept_and_the_best(self):
        for keep in (1, 2):
            with self.subTest(keep=keep):
                out = self.train_to(f"keep-{keep}", "--set", f"checkpoint.keep={keep}")
                names = self.checkpoint_names(out)
                best = int((out / "checkpoints" / "best").readlink().name)
                self.assertEqual(self.last_frames(out), names[0])
                self.assertIn(best, names)
                self.assertEqual(len(set(names) - {best} | {names[0]}), keep)
        self.assertEqual(len(self.checkpoint_names(self.shared / "all")), 10)

    def test_best_is_the_checkpoint_of_the_best_evaluation(self):
        # Evaluations fall between checkpoints: the best one gets a checkpoint of its own.
        out = self.folder / "out"
        result = self.train(self.manifest, "--out", out, "--set", "checkpoint.every_frames=4_000",
                            "--set", "eval.every_frames=700")
        for which, mean in (("best", result["best_return_mean"]), ("last", result["eval_return_mean"])):
            score = json.loads(self.tenon("eval", out, "--checkpoint", which, "--episodes", 4, "--json").stdout)
            self.assertEqual(score["return_mean"], mean)

    def test_the_last_evaluation_may_be_the_best(self):
        out = self.folder / "out"
        result = self.train(self.manifest, "--out", out, "--set", "eval.every_frames=1_000_000")
        self.assertEqual(result["best_return_mean"], result["eval_return_mean"])
        self.assertEqual((out / "checkpoints" / "best").readlink().name, str(result["frames"]))

    def test_without_the_buffer(self):
        out = self.folder / "out"
        result = self.train(self.manifest, "--out", out, "--set", "checkpoint.buffer=false", *HALF)
        self.assertIn("checkpoint.buffer = false: a resumed run begins without the collected frames and is not identical",
                      result["notices"])
        whole = self.shared / "half"
        self.assertTrue((whole / "checkpoints/last/frames.safetensors").exists())
        self.assertFalse((out / "checkpoints/last/frames.safetensors").exists())
        more = self.train("--resume", out, "--set", "run.total_frames=6_000")
        self.assertIn("the checkpoint has no buffer", more["notices"])
        self.assertGreater(more["updates"], result["updates"])
        # What is left out of a checkpoint is the only difference that the key makes.
        parameters = "checkpoints/{}/parameters.safetensors".format(result["frames"])
        self.assertEqual((out / parameters).read_bytes(), (whole / parameters).read_bytes())


if __name__ == "__main__":
    unittest.main()
