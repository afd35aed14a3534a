#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon sweep: trials as runs with other values, halving, populations, several bases, going on after kill -9, failures, and
mistakes in SWEEP.toml."""

import json
import signal
import unittest

from runs import MANIFESTS, PATIENCE, RunCase

SWEEP = """
base = "small.toml"
search = "grid"
seeds = "1"

[space]
"optimiser.lr" = { values = [3e-3, 1e-3] }
"""
LR = '[space]\n"optimiser.lr" = { min = 1e-5, max = 1e-2, scale = "log" }\n'
TPE = 'base = "small.toml"\ntrials = 2\n'


class Sweep(RunCase):
    SHORT = ["--seed", "1", "--set", "run.total_frames=5000"]
    SHARED = {"first": SHORT, "second": [*SHORT, "--set", "optimiser.lr=1e-3"]}

    def shorten(self, frames):
        self.put("small.toml", self.manifest.read_text().replace("total_frames = 10_000", f"total_frames = {frames}"))

    def sweep(self, text, *words, code=0):
        file = self.put("sweep.toml", text)
        return self.tenon("sweep", file, "--out", "all", "--jobs", "2", *words, code=code)

    def test_a_killed_sweep_goes_on_and_each_trial_is_the_run_with_its_values(self):
        self.shorten(5_000)
        process = self.start("sweep", self.put("sweep.toml", SWEEP), "--out", "all")
        trials = [self.folder / "all" / f"trial-{i}" / "1" for i in range(2)]
        self.wait_for(process, self.has_records(trials[1], 6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        journal = self.folder / "all" / "journal.jsonl"
        kept = journal.read_text().splitlines()
        self.assertEqual(len(kept), 2)  # what the sweep is, and the first trial
        result = json.loads(self.sweep(SWEEP, "--json").stdout)
        self.assertEqual(journal.read_text().splitlines()[:2], kept)
        scores = [self.results[name]["eval_return_mean"] for name in ("first", "second")]
        self.assertEqual([trial["score"] for trial in result["trials"]], scores)
        self.assertEqual([trial["values"] for trial in result["trials"]], [{"optimiser.lr": "0.003"}, {"optimiser.lr": "0.001"}])
        for name, trial in zip(("first", "second"), trials):
            self.assert_same_run(self.shared / name, trial)
        self.assertEqual(result["best"], scores.index(max(scores)))
        best = (self.folder / "all" / "best.toml").read_text()
        self.assertIn('include = ["../small.toml"]\noptimiser.lr = ' + ("0.003", "0.001")[result["best"]], best)
        self.tenon("validate", "all/best.toml")
        self.assertEqual(json.loads(self.sweep(SWEEP, "--json").stdout), result)
        changed = self.sweep(SWEEP.replace("1e-3", "2e-3"), code=2)
        self.assertIn("the folder holds another sweep", changed.stderr)

    def test_values_of_an_element_of_a_list(self):
        """best.toml, which cannot change it alone, includes the trial's manifest."""
        self.shorten(2_000)
        small = (self.folder / "small.toml").read_text()
        self.put("small.toml", small.replace("[objective]\n", '[[objective]]\nname = "q"\n'))
        self.sweep(SWEEP.replace("optimiser.lr", "objective.q.gamma").replace("3e-3, 1e-3", "0.5, 0.75"))
        best = (self.folder / "all" / "best.toml").read_text()
        self.assertRegex(best, r'include = \["trial-[01]/1/manifest.lock.toml"\]\n# objective.q.gamma = 0.(5|75)\n$')
        self.tenon("run", "all/best.toml", "--quiet", "--out", "again")
        self.assertIn(f"gamma = {best.split()[-1]}\n", (self.folder / "again" / "manifest.lock.toml").read_text())

    def test_a_trial_fails_and_the_others_go_on(self):
        self.shorten(2_000)
        (self.folder / "all" / "trial-0").mkdir(parents=True)
        (self.folder / "all" / "trial-0" / "1").write_text("no folder")
        done = self.sweep(SWEEP)
        self.assertIn("trial 0: the run with seed 1 failed: ", done.stderr)
        self.assertRegex(done.stdout, r"0 +0.003 +- .*failed\n +1 +0.001 +\d.*best\n")

    def test_a_metric_that_no_run_records(self):
        self.shorten(2_000)
        done = self.sweep('metric = "eval/mean_rewad"' + SWEEP, "--quiet", code=2)
        self.assertIn("no run records the metric 'eval/mean_rewad'; did you mean 'eval/mean_reward'?", done.stderr)
        self.assertIn("sweep.toml:1:10", done.stderr)

    def test_tpe_goes_on_after_ctrl_c_with_the_same_trials(self):
        self.shorten(2_000)
        text = 'base = "small.toml"\ntrials = 3\nbatch = 2\n[space]\n"optimiser.lr" = { min = 1e-4, max = 1e-2, scale = "log" }\n'
        process = self.start("sweep", self.put("sweep.toml", text), "--out", "all")
        self.wait_for(process, self.has_records(self.folder / "all" / "trial-0" / "0", 1))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("the same command goes on", errors)
        result = json.loads(self.sweep(text, "--json").stdout)
        other = json.loads(self.tenon("sweep", "sweep.toml", "--out", "other", "--json").stdout)
        for key in ("values", "scores"):
            self.assertEqual([trial[key] for trial in result["trials"]], [trial[key] for trial in other["trials"]])
        self.assertEqual(len({trial["values"]["optimiser.lr"] for trial in result["trials"]}), 3)

    def test_one_that_is_stopped_before_a_trial_has_ended_says_so(self):
        self.shorten(100_000_000)
        process = self.start("sweep", self.put("sweep.toml", SWEEP), "--out", "all", "--quiet")
        self.wait_for(process, self.has_records(self.folder / "all" / "trial-0" / "1", 1))
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
        self.assertEqual((process.returncode, output, errors), (0, "no trial has ended\n", "stopped; the same command goes on\n"))

    def lines(self, folder):
        """Those of a journal, without seconds."""
        lines = [json.loads(line) for line in (self.folder / folder / "journal.jsonl").read_text().splitlines()]
        return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]

    def killed_sweep(self, text, folder, records, *words):
        """A sweep that was killed when the run in `folder` had so many records, and then ended."""
        process = self.start("sweep", self.put("sweep.toml", text), "--out", "all", *words)
        self.wait_for(process, self.has_records(self.folder / "all" / folder, records))
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = self.lines("all")
        result = json.loads(self.tenon("sweep", "sweep.toml", "--out", "all", "--json", *words).stdout)
        self.assertEqual(self.lines("all")[: len(kept)], kept)
        return result

    def test_halving_stops_trials_at_a_rung_and_resumes_the_better_ones(self):
        self.shorten(2_000)
        text = 'base = "small.toml"\nsearch = "cost"\ntrials = 2\nhalving = { frames = [1_000], factor = 2 }\n' + LR
        result = self.killed_sweep(text, "trial-1/0", 2)
        legs = [(line.get("trial", line.get("begun")), line.get("leg", 0), "trial" in line) for line in self.lines("all")[1:]]
        best = result["best"]
        self.assertEqual(sorted(legs), sorted((trial, leg, ended) for ended in (True, False)
                                              for trial, leg in ((0, 0), (1, 0), (best, 1))))
        self.assertEqual([trial["reached"] for trial in result["trials"]], ["end" if i == best else "1000 frames" for i in range(2)])
        self.assertTrue(result["front"])
        lr = result["trials"][best]["values"]["optimiser.lr"]
        self.assert_same_run(self.run_to("whole", "--set", f"optimiser.lr={lr}"), self.folder / "all" / f"trial-{best}" / "0")

    def test_a_rung_before_the_first_value_is_found_before_anything_runs(self):
        text = 'base = "small.toml"\nsearch = "random"\ntrials = 1\nhalving = { frames = [500] }\n' + LR
        done = self.sweep(text, code=2)
        self.assertIn("error: trials are compared at 500 frames, but small.toml has no value of eval/mean_reward before 1000\n"
                      " --> ", done.stderr)  # fmt: skip
        self.assertIn("sweep.toml:4:22", done.stderr)
        self.assertIn("help: begin later, or let eval.every_frames be smaller", done.stderr)
        early = text.replace("[500]", "[200]").replace("trials", 'metric = "rollout/ep_rew_mean"\ntrials')
        self.assertIn("has no value of rollout/ep_rew_mean before 250", self.sweep(early, code=2).stderr)
        self.put("small.toml", self.manifest.read_text().replace("[eval]\nevery_frames = 1_000", "[eval]\nevery_frames = 0"))
        self.assertIn("small.toml has no evaluations, so no trial has a value of eval/mean_reward", self.sweep(text, code=2).stderr)
        self.assertFalse((self.folder / "all").exists())

    def test_a_population_copies_better_members_and_goes_on_after_a_kill(self):
        self.shorten(2_000)
        text = 'base = "small.toml"\ntrials = 2\npopulation = { interval = 1_000, share = 0.5 }\n[space]\n' + (
            '"optimiser.lr" = { min = 1e-5, max = 1e-2, scale = "log" }\n"objective.gamma" = { values = [0.9, 0.98, 0.99] }\n')
        other = self.start("sweep", self.put("sweep.toml", text), "--out", "other", "--quiet", "--jobs", "2")  # runs wait for the disk
        result = self.killed_sweep(text, "trial-1/1", 3, "--jobs", "2")
        _, errors = other.communicate(timeout=PATIENCE)
        self.assertEqual(other.returncode, 0, errors)
        self.assertEqual(self.lines("all"), self.lines("other"))
        copies = [line for line in self.lines("all") if "from" in line]
        self.assertTrue(copies)
        for line in copies:
            member = self.folder / "all" / f"trial-{line['trial']}-{line['leg']}" / str(line["trial"])
            self.assertIn(f"seed = {line['trial']}", (member / "manifest.lock.toml").read_text())
        self.assertTrue(any("from" in trial["lineage"] for trial in result["trials"]))
        self.assertEqual([trial["reached"] for trial in result["trials"]], ["end", "end"])
        self.assertIn("and others before", (self.folder / "all" / "best.toml").read_text())

    def test_bases_compete_and_an_option_that_one_lacks_is_told(self):
        self.shorten(1_000)
        self.put("wide.toml", self.manifest.with_name("small.toml").read_text().replace("[32]", "[64]"))
        text = 'base = ["small.toml", "wide.toml"]\nsearch = "grid"\n[space]\n"optimiser.lr" = { values = [1e-3] }\n'
        result = json.loads(self.sweep(text, "--json").stdout)
        self.assertEqual([trial["values"]["base"] for trial in result["trials"]], ['"small.toml"', '"wide.toml"'])
        hidden = [(self.folder / "all" / f"trial-{i}" / "0" / "manifest.lock.toml").read_text() for i in range(2)]
        self.assertIn("hidden = [32]", hidden[0])
        self.assertIn("hidden = [64]", hidden[1])
        best = ("small.toml", "wide.toml")[result["best"]]
        self.assertIn(f'include = ["../{best}"]\noptimiser.lr = 0.001', (self.folder / "all" / "best.toml").read_text())
        self.put("ppo.toml", (MANIFESTS / "ppo_cartpole.toml").read_text())
        lacking = text.replace("wide", "ppo").replace('"optimiser.lr" = { values = [1e-3] }', '"objective.clip_epsilon" = { values = [0.1] }')
        done = self.sweep(lacking, code=2)
        self.assertIn("with base small.toml: unknown key 'objective.clip_epsilon'", done.stderr)
        self.assertIn("sweep.toml:4:1", done.stderr)

    def test_mistakes_have_their_places(self):
        self.put("scheduled.toml", 'include = ["small.toml"]\n[schedule]\n"optimiser.lr" = { from = 1e-3, to = 0.0, fraction = 1.0 }\n')
        self.put("listed.toml", 'include = ["small.toml"]\n[schedule]\n"optimiser.lr" = [{ from = 1e-3, to = 0.0, fraction = 1.0 }]\n')
        space = '[space]\n"optimiser.lr" = '
        for text, sentence, place in [
            ("tirals = 2\n" + TPE + space + "{ values = [1] }", "unknown key 'tirals'; did you mean 'trials'?", "1:1"),
            (TPE + '[space]\n"objective.gama" = { values = [0.9] }', "did you mean 'gamma'?", "4:1"),
            (TPE + 'goal = "most"\n' + space + "{ values = [1] }", 'goal must be "maximise" or "minimise"', "3:8"),
            (TPE + 'search = "grid"\n' + space + "{ min = 1, max = 2 }", "is a range, but a grid needs values", "5:1"),
            (TPE + space + "{ min = 0, max = 1, scale = \"log\" }", "needs a min above 0", "4:26"),
            (TPE + space + "{ min = 2, max = 1 }", "needs a min below its max", "4:26"),
            (TPE + space + "{ max = 1 }", "needs values, or min and max", "4:1"),
            (TPE + space + "{ values = [] }", "needs a list of values that is not empty", "4:29"),
            (TPE + space + "{ values = [1, 1] }", "has the value 1 twice", "4:33"),
            (TPE, "[space] must be a table with the keys to vary", "sweep.toml"),
            (TPE + "seeds = 2\n" + space + "{ values = [1] }", 'seeds must be a text: "2" is the seed 2, "0-4" are five seeds', "3:9"),
            ('base = "small.toml"\nsearch = "bayes"\n' + space + "{ values = [1] }", 'or "cost", but is "bayes"', "2:10"),
            (TPE + '[space]\n"train.batch" = { min = 32, max = 64 }', "train.batch must be an int, but is a float", "4:1"),
            (TPE + 'seeds = "4-1"\n' + space + "{ values = [1] }", "the range of seeds 4-1 begins after its end", "3:9"),
            ('base = "none.toml"\ntrials = 1\n' + space + "{ values = [1] }", "none.toml", "1:8"),
            ('base = "small.toml"\n' + space + "{ values = [1] }", "trials must be given", "sweep.toml"),
            (TPE + '[space]\n"env.transforms.0.k" = { values = [1] }', "env.transforms must be a list of tables, but is a table", "4:1"),
            (TPE + "halving = { frames = [10_000] }\n" + LR, "the last rung of [halving], 10000, is not before the end of small.toml, run.total_frames = 10000", "3:22"),
            (TPE + "population = { interval = 20_000 }\n" + LR, "the interval of [population], 20000, is not before the end of small.toml", "3:27"),
            (TPE + "population = { interval = 500 }\n[space]\n" + '"policy.qvalue.hidden" = { values = [[8], [16]] }',
             "policy.qvalue.hidden changes the shapes of networks", "5:1"),
            (TPE.replace("small", "scheduled") + LR, "optimiser.lr has no effect: [schedule] of scheduled.toml gives it its values from the start", "4:1"),
            (TPE.replace("small", "scheduled") + LR, "help: vary 'schedule.\"optimiser.lr\".from' instead\n", "4:1"),
            (TPE.replace("small", "listed") + LR, "help: let listed.toml have no schedule.\"optimiser.lr\"\n", "4:1"),
        ]:
            with self.subTest(text):
                done = self.sweep(text, code=2)
                self.assertIn(sentence, done.stderr)
                self.assertIn(place, done.stderr)
        self.assertFalse((self.folder / "all").exists())
        run = self.shared / "first"
        done = self.tenon("sweep", self.put("sweep.toml", TPE + LR), "--out", run, code=2)
        self.assertIn(f"error: {run} is the folder of a run; give several runs another --out\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
