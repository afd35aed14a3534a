#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is typed after `tenon` and makes no sense, and whether the help says what the program does."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from program import LEAST, tenon, told

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = sorted(path.parent.name for path in (ROOT / "host" / "commands").glob("*/CMakeLists.txt"))


class CommandLine(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        (self.folder / "m.toml").write_text(LEAST.format(env="classic/CartPole-v1"))

    def refused(self, code, stderr, *words):
        run = tenon(*words, folder=self.folder)
        self.assertEqual(told(run.stderr, self.folder), stderr)
        self.assertEqual((run.returncode, run.stdout), (code, ""))
        self.assertFalse((self.folder / "runs").exists())

    def refused_set(self, text, sentence, column, length, *after):
        """An override that is wrong: the caret stands under what was typed."""
        lines = [f"error: {sentence}", f" --> --set #1:1:{column}", "  |", f"1 | {text}"]
        lines += ["  | " + " " * (column - 1) + "^" * length, *after, ""]
        for command in ("validate", "run"):
            self.refused(2, "\n".join(lines), command, "m.toml", "--set", text)


class Variables(CommandLine):
    def test_a_level_that_there_is_not(self):
        sentence = "error: the environment variable TENON_LEVEL must be 'avx512', 'avx2' or 'base', but is 'AVX2'\n"
        for words in (["run", "m.toml"], ["list"], ["--version"], ["nonsense"]):
            run = tenon(*words, folder=self.folder, TENON_LEVEL="AVX2")
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", sentence))
        for level in ("avx512", "avx2", "base", ""):
            run = tenon("--version", folder=self.folder, TENON_LEVEL=level)
            self.assertEqual((run.returncode, run.stderr), (0, ""))


class Set(CommandLine):
    def test_names_that_there_are_not(self):
        self.refused_set("env.gravitiy=1", "unknown key 'env.gravitiy'; did you mean 'gravity'?", 5, 8)
        self.refused_set("trian.batch=1", "unknown table [trian]; did you mean 'train'?", 1, 5)
        self.refused_set("seed=1", "'seed' is outside of any table; it is a key of [run] and [eval]", 1, 4)
        self.refused_set("lanes=8", "'lanes' is outside of any table; it is a key of [env] and [eval]", 1, 5)
        self.refused_set("gravity=5", "'gravity' is outside of any table; it is an option of [env]", 1, 7)
        self.refused_set("policy.actor.gravity=5", "unknown key 'policy.actor.gravity'; it is an option of [env]", 14, 7)
        self.refused_set("env.tau.x=1", "env.tau must be a float, but is a table", 5, 3)
        self.refused_set("checkpoint.every=5", "unknown key 'checkpoint.every'; did you mean 'every_frames', 'every_updates' or 'every_seconds'?", 12, 5,
                         "help: the known keys are every_frames, every_updates, every_seconds, keep, best, buffer")

    def test_what_does_not_parse(self):
        form = "help: write --set table.key=VALUE"
        self.refused_set("run.seed", "a --set needs a '=' between the path and the value", 9, 1, form)
        self.refused_set("=3", "the path of a --set must be names with '.' between them", 1, 1, form)
        self.refused_set("run..seed=3", "the path of a --set must be names with '.' between them", 5, 1, form)
        self.refused_set("run.seed=[3", "run.seed must be an int, but is the text '[3'", 10, 2)
        self.refused_set("run.seed=seven", "run.seed must be an int, but is the text 'seven'", 10, 5)

    def test_values_that_do_not_fit(self):
        self.refused_set("train.minibatch=1.5", "train.minibatch must be an int, but is a float", 17, 3)
        self.refused_set("plugins.search=build", "plugins.search must be a list of strings, but is the text 'build'", 16, 5,
                         'help: write a list in brackets: ["build"]')
        self.refused_set("log.tensorboard=no", "log.tensorboard must be a bool, but is the text 'no'", 17, 2, "help: write true or false")
        self.refused_set("run.total_frames=0", "run.total_frames must be in [1,1e15], but is 0", 18, 1)
        dtypes = "run.dtype must be 'float32' or 'float64', but is 'float16'; did you mean 'float32'?"
        self.refused_set("run.dtype=float16", dtypes, 11, 7)
        for device, meant in (("cud", "cuda"), ("gpu", "cuda"), ("emulate", "emulated")):
            sentence = f"'{device}' is not a device; there are cpu, cuda, cuda:N and emulated; did you mean '{meant}'?"
            self.refused_set(f"run.device={device}", sentence, 12, len(device))

    def test_several_are_numbered(self):
        run = tenon("validate", "m.toml", "--set", "run.seed=1", "--set", "run.sead=1", folder=self.folder)
        self.assertEqual(run.stderr.splitlines()[1], " --> --set #2:1:5")
        run = tenon("run", "m.toml", "--set", "nothing", "--set", "run.seed=1", "--set", "=3", folder=self.folder)
        places = [line for line in run.stderr.splitlines() if line.startswith(" --> ")]
        self.assertEqual((run.returncode, places), (2, [" --> --set #1:1:8", " --> --set #3:1:1"]))

    def test_one_that_is_malformed_hides_no_other_mistake(self):
        (self.folder / "m.toml").write_text(LEAST.format(env="classic/CartPole-v1") + "[trian]\n")
        words = ["validate", "m.toml", "--set", "nothing", "--set", "run.sead=1", "--set", "env.tau.x.y=1"]
        run = tenon(*words, folder=self.folder)
        errors = [line for line in run.stderr.splitlines() if line.startswith("error: ")]
        self.assertEqual(
            errors,
            [
                "error: a --set needs a '=' between the path and the value",
                "error: unknown table [trian]; did you mean 'train'?",
                "error: unknown key 'run.sead'; did you mean 'seed'?",
                "error: env.tau must be a float, but is a table",
            ],
        )

    def test_what_a_component_refuses_is_shown_at_the_option_that_was_set(self):
        manifest = ROOT / "tests" / "bad_input" / "manifests" / "convnet_kernels.toml"
        text = re.sub("^(kernels|strides).*\n", "", manifest.read_text(), flags=re.MULTILINE)
        (self.folder / "m.toml").write_text(text)
        self.assertEqual(tenon("validate", "m.toml", folder=self.folder).returncode, 0)
        told = "cnn/convnet, features: filter 1 of convnet reads only one corner of 8 by 8: its stride of 50 in "
        self.refused_set("policy.trunk.strides = [1, 50, 1]", told + "'strides' is larger than the image", 24, 10)
        self.refused_set("policy.trunk.channels=[]", "cnn/convnet, features: convnet has no filters: 'channels' is empty", 23, 2)


class Files(CommandLine):
    def test_manifests_that_cannot_be_read(self):
        for command in ("validate", "run"):
            self.refused(2, "error: there is no file nothere.toml\n", command, "nothere.toml")
            self.refused(2, "error: . is a folder, not a file\n", command, ".")
            self.refused(2, "error: /dev/zero is a device, not a file\n", command, "/dev/zero")
        (self.folder / "latin.toml").write_bytes(b'[run]\nname = "caf\xe9"\n')
        run = tenon("validate", "latin.toml", folder=self.folder)
        self.assertEqual(run.returncode, 2)
        sentence, place, *_ = run.stderr.splitlines()
        self.assertEqual(sentence, "error: not valid TOML: encountered invalid utf-8 sequence")
        self.assertTrue(place.startswith(" --> latin.toml:2:"))

    def test_files_that_are_no_manifests_and_names_almost_of_one(self):
        help_line = "help: docs/manifests.md lists manifests; `tenon init ALGORITHM ENV` writes one\n"
        (self.folder / "README.md").write_text("# Mine\n\nA page with words.\n")
        (self.folder / "picture.png").write_bytes(b"\x89PNG\0")
        for name in ("README.md", "picture.png"):
            self.refused(2, f"error: {name} is not a manifest: it is not in TOML\n{help_line}", "run", name)
        (self.folder / "mine.conf").write_text((self.folder / "m.toml").read_text())
        self.assertEqual(tenon("validate", "mine.conf", folder=self.folder).returncode, 0)
        (self.folder / "deep").mkdir()
        (self.folder / "deep" / "hill_climb.toml").write_text("")
        for typed in ("deep/hil_climb.toml", "deep/hill_climb", "deep/hill_clim"):
            self.refused(2, f"error: there is no file {typed}; did you mean 'deep/hill_climb.toml'?\n", "validate", typed)
        shipped = tenon("validate", "dqn_cartpol.toml", folder=self.folder).stderr
        self.assertRegex(shipped, r"^error: there is no file dqn_cartpol\.toml; did you mean '.*/share/tenon/manifests/dqn_cartpole\.toml'\?\n$")

    def test_a_word_beside_a_manifest(self):
        alone = "error: m.toml is a file, and a manifest is named alone, without "
        for command in ("run", "validate"):
            self.refused(2, f"{alone}'4'\nhelp: write --set env.lanes=4\n",
                         command, "m.toml", "--seed", "1", "--set", "run.threads=1", "--set", "env.lanes", "4")
            self.refused(2, f"{alone}'CartPole-v1'\nhelp: an env is named after an algorithm, as in `tenon run ppo ENV`\n",
                         command, "m.toml", "CartPole-v1")

    def test_a_folder_for_the_run(self):
        (self.folder / "taken").write_text("")
        self.refused(
            2,
            "error: taken is not a folder; give the run a new folder with --out\n",
            *("run", "m.toml", "--out", "taken"),
        )
        self.refused(
            4, "error: cannot create the folder taken/below: Not a directory\n", "run", "m.toml", "--out", "taken/below"
        )
        (self.folder / "first").mkdir()
        first = tenon("run", "m.toml", "--quiet", "--out", "first", folder=self.folder)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "notes.txt").write_text("")
        mine = tenon("run", "m.toml", "--quiet", "--out", "mine", folder=self.folder)
        told = "warning: mine has other things in it (notes.txt), and now the files of the run too; to keep them apart, give --out a new folder\n"
        self.assertEqual((mine.returncode, mine.stderr), (0, told))
        before = sorted(p.name for p in (self.folder / "first").rglob("*"))
        self.refused(
            2,
            "error: first already contains a run; resume it with --resume first or give another --out\n",
            *("run", "m.toml", "--out", "first"),
        )
        self.assertEqual(sorted(p.name for p in (self.folder / "first").rglob("*")), before)

    def test_folders_without_a_run(self):
        sentence = "error: there is no run in nothere: it has no manifest.lock.toml\n"
        self.refused(2, sentence, "eval", "nothere")
        self.refused(2, sentence, "record", "nothere", "--frames", "8", "--out", "file")
        self.refused(2, sentence, "run", "--resume", "nothere")
        self.refused(2, sentence, "run", "m.toml", "--from", "nothere")
        file = "error: m.toml is a file, and a run is a folder\nhelp: `tenon run` prints its folder at the end\n"
        self.refused(2, file, "eval", "m.toml")
        self.refused(2, file, "run", "--resume", "m.toml")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["m.toml"])

    def test_data_that_there_is_not(self):
        self.refused(2, "error: data needs an action: info, head, stats, plot or convert\n", "data")
        self.refused(2, "error: data has no action 'inof'; it has info, head, stats, plot and convert; did you mean 'info'?\n",
                     "data", "inof", "file")
        self.refused(2, "error: data info needs one file: tenon data info FILE\n", "data", "info")
        self.refused(2, "error: data convert needs a source and a destination: tenon data convert SRC DST\n", "data", "convert", "a")
        missing = "error: there is no file and no folder nothere\n"
        self.refused(2, missing, "data", "info", "nothere")
        self.refused(2, missing, "data", "convert", "nothere", "there")
        for words in (("info", "m.toml"), ("convert", "m.toml", "there")):
            self.refused(2, "error: there is no folder nothere, which --plugins names\n", "data", *words, "--plugins", "nothere")
            run = tenon("data", *words, folder=self.folder)
            self.assertEqual(run.returncode, 2)
            self.assertRegex(run.stderr, "^error: m.toml is in no known format: it is no file of frames, run, checkpoint or folder of a "
                                         "buffer, and hdf5/minari, hdf5/d4rl cannot read it either\nhelp: searched for plugins: .+\n$")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["m.toml"])
        self.assertEqual(tenon("record", "m.toml", "--frames", "64", "--out", "frames", folder=self.folder).returncode, 0)
        for name in ("new/out.csv", "out.NPZ", "out.h5"):
            ending = Path(name).suffix.lower()
            self.refused(2, f"error: data convert writes no {ending}: there are --format frames, a file of safetensors, and the datasets of "
                            f"components, such as --format minari\nhelp: give the file another name: {Path(name).with_suffix('.safetensors')}\n",
                         "data", "convert", "frames", name)
        for code, more in ((2, ["new/er/set", "--format", "none"]), (4, ["new/er/"])):
            self.assertEqual(tenon("data", "convert", "frames", *more, folder=self.folder).returncode, code)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["frames", "m.toml"])

    def test_a_recording_that_fails_leaves_no_folders(self):
        (self.folder / "wrong.toml").write_text(LEAST.format(env="classic/CartPool-v1"))
        for words in (["wrong.toml"], ["m.toml", "--format", "minary"]):
            run = tenon("record", *words, "--frames", "64", "--out", "new/er/it", folder=self.folder)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.toml", "wrong.toml"])

    def test_folders_of_runs_and_runs_without_frames(self):
        run = tenon("run", "ppo", "CartPole-v1", "--set", "run.total_frames=256", "--out", "sweep/trial-1/0", folder=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        holds = "error: sweep holds runs, not frames: name one of them, sweep/trial-1/0"
        self.refused(2, f"{holds}\n", "data", "info", "sweep")
        shutil.copytree(self.folder / "sweep/trial-1", self.folder / "sweep/trial-2")
        self.refused(2, f"{holds} and 1 more\n", "data", "stats", "sweep")
        self.refused(2, "error: there is no run in sweep: it has no manifest.lock.toml\n"
                        "help: it holds runs: name one of them, sweep/trial-1/0 and 1 more\n", "eval", "sweep")
        run = tenon("data", "info", "sweep/trial-1/0", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, "warning: sweep/trial-1/0 has no frames; tenon record RUN --frames N --out FILE "
                                                           "writes frames of a run in a file\n"))

    def test_a_picture_is_written_by_its_ending(self):
        run = tenon("record", "m.toml", "--actions", "random", "--frames", "400", "--out", "it.frames", folder=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.refused(2, "error: data plot needs --out FILE.svg, or FILE.png\n", "data", "plot", "it.frames")
        self.refused(2, "error: a picture is written as .svg or .png, not as 'it.jpg'\n", "data", "plot", "it.frames", "--out", "it.jpg")
        run = tenon("data", "plot", "it.frames", "--out", "it.png", folder=self.folder, PATH="")
        self.assertEqual(run.stderr.splitlines()[0], "error: PNG needs the program rsvg-convert, which is not installed")
        self.assertEqual(tenon("data", "plot", "it.frames", "--out", "it.svg", folder=self.folder).returncode, 0)
        self.assertIn("<svg", (self.folder / "it.svg").read_text())

    def test_manifests_that_come_with_the_program(self):
        run = tenon("validate", "manifests/ppo_cartpole.toml", folder=self.folder)
        self.assertRegex(run.stderr, "^error: there is no file manifests/ppo_cartpole.toml\nhelp: the one that comes with tenon is "
                                     "/.*/share/tenon/manifests/ppo_cartpole.toml\n$")
        self.refused(2, "error: there is no file none.toml\n", "validate", "none.toml")

    def test_a_sweep_is_no_manifest_and_a_manifest_no_sweep(self):
        (self.folder / "sweep.toml").write_text('base = "m.toml"\ntrials = 2\n[space]\n"train.batch" = { values = [32, 64] }\n')
        for command in ("run", "validate", "explain"):
            self.refused(2, "error: sweep.toml is a sweep, not a manifest\nhelp: `tenon sweep sweep.toml --out DIR` runs it\n",
                         command, "sweep.toml")  # fmt: skip
        self.refused(2, 'error: m.toml is a manifest, not a sweep\nhelp: write a file with base = "m.toml" and [space] (docs/sweep.md)\n',
                     "sweep", "m.toml", "--out", "all")  # fmt: skip

    def test_checkpoints_that_there_are_not(self):
        self.assertEqual(tenon("run", "m.toml", "--quiet", "--out", "first", folder=self.folder).returncode, 0)
        self.refused(
            2,
            "error: no checkpoint in first/checkpoints is marked as the best\nhelp: evaluations mark one, and this run has had none; --checkpoint last uses the newest\n",
            *("eval", "first", "--checkpoint", "best"),
        )
        self.refused(
            2,
            "error: 'newest' is not a checkpoint: give last, best, a number of frames or the folder of a checkpoint\n",
            *("eval", "first", "--checkpoint", "newest"),
        )


class Words(CommandLine):
    def test_too_few_and_too_many(self):
        for command in ("validate", "explain"):
            self.refused(2, f"error: {command} needs a manifest, or an algorithm and an env\n", command)
        self.refused(
            2,
            "error: run needs a manifest, or an algorithm and an env, or --resume DIR\nhelp: `tenon run ppo CartPole-v1`\n",
            "run",
        )
        self.refused(2, "error: eval needs the folder of a run\n", "eval")
        self.refused(
            2,
            "error: bench needs what to measure and its name: `tenon bench env LIBRARY/COMPONENT|MANIFEST`, `tenon bench buffer LIBRARY/COMPONENT`, `tenon bench objective|update|act NAME|MANIFEST`, `tenon bench estimator NAME`, `tenon bench manifest MANIFEST`, `tenon bench abi` or `tenon bench cluster`\n",
            *("bench", "env"),
        )
        usage = "help: usage: tenon validate MANIFEST|ALGORITHM ENV [options]\n"
        self.refused(2, "error: there are too many arguments: 'm.toml'\n" + usage, "validate", "m.toml", "m.toml", "m.toml")
        set_help = "help: a value of the manifest is given without blanks, --set KEY=VALUE\n" + usage.removeprefix("help: ")
        for words in (["--set", "run.seed", "=", "3"], ["run.seed=3"]):
            word = next(word for word in words if "=" in word)
            self.refused(2, f"error: there are too many arguments: '{word}'\n" + set_help, "validate", "ppo", "CartPole-v1", *words)
        key_help = "help: keys of the manifest are given with --set, such as --set run.total_frames=10_000\n" + usage.removeprefix("help: ")
        self.refused(2, "error: there is no option '--frames'\n" + key_help, "validate", "m.toml", "--frames", "3")
        for typed in ("--sed", "--sed=3", "-sed"):
            run = tenon("run", "m.toml", typed, "3", folder=self.folder)
            self.assertEqual(run.stderr.splitlines()[0], f"error: there is no option '{typed}'; did you mean '--set' or '--seed'?")
        run = tenon("run", "m.toml", "--sedes", "3", folder=self.folder)
        self.assertEqual(run.stderr.splitlines()[0], "error: there is no option '--sedes'; did you mean '--seeds' or '--seed'?")
        run = tenon("run", "m.toml", "--seed", "0-4", folder=self.folder)
        self.assertEqual(run.stderr.splitlines()[0], "error: --seed needs an integer, not '0-4'; did you mean --seeds?")
        self.refused(2, "error: --log-level must be debug, info, warning or error, but is 'all'\n", "run", "m.toml", "--log-level", "all")
        sentence = "error: --set needs a value: --set KEY=VALUE"
        self.refused(2, sentence + "\n" + usage, "validate", "m.toml", "--set")
        self.refused(2, sentence + ", not --json\n" + usage, "validate", "m.toml", "--set", "--json")
        for word in ("x", "1.5", "1e3", "3x"):
            sentence = f"error: --seed needs an integer, not '{word}'\n"
            self.refused(2, sentence + usage, "validate", "m.toml", f"--seed={word}")
        self.refused(2, "error: --seed needs a value: --seed N\n" + usage, "validate", "m.toml", "--seed=")
        large = "9" * 30
        sentence = f"error: --seed needs a 64-bit integer, but {large} does not fit\n"
        self.refused(2, sentence + usage, "validate", "m.toml", "--seed", large)
        run = tenon("bench", "env", "classic/CartPole-v1", "--lanes", "abc", folder=self.folder)
        self.assertEqual(run.stderr.splitlines()[0], "error: --lanes needs an integer, not 'abc'")
        run = tenon("bench", "objective", "dqn", "--seconds", "1,5", folder=self.folder)
        self.assertEqual(run.stderr.splitlines()[0], "error: --seconds needs a number, not '1,5'")

    def test_bench_knows_what_it_measures(self):
        known = "help: it measures env, buffer, objective, update, act, estimator, manifest, abi, cluster\n"
        sentence = "error: bench does not measure 'updat'; did you mean 'update'?\n"
        self.refused(2, sentence + known, "bench", "updat", "dqn")
        self.refused(2, sentence + known, "bench", "updat", "--rows", "7")
        self.refused(2, "error: bench does not measure 'speed'\n" + known, "bench", "speed")

    def test_an_option_that_is_short_for_a_key_is_shown_as_it_was_typed(self):
        sentence = "error: run.executor must be 'auto', 'reference' or 'compiled', but is 'fast'\n"
        place = " --> --executor:1:1\n  |\n1 | fast\n  | ^^^^\n"
        self.refused(2, sentence + place, "bench", "update", "dqn", "--executor", "fast")
        sentence = "error: env.lanes must be in [1,65536], but is 0\n"
        self.refused(2, sentence + " --> --lanes:1:1\n  |\n1 | 0\n  | ^\n", "bench", "act", "dqn", "--lanes", "0")
        sentence = "error: run.seed must be in [0,9007199254740992], but is -1\n"
        self.refused(2, sentence + " --> --seed:1:1\n  |\n1 | -1\n  | ^^\n", "validate", "m.toml", "--seed", "-1")

    def test_options_that_exclude_each_other(self):
        sentence = "error: --resume continues in the folder of its run; it excludes --out and --from\n"
        self.refused(2, sentence, "run", "--resume", "first", "--out", "second")
        self.refused(2, sentence, "run", "--resume", "first", "--from", "second")

    def test_numbers_out_of_range(self):
        self.refused(
            2,
            "error: --episodes must be at least 1, but is 0\n",
            *("eval", "first", "--episodes", "0"),
        )
        self.refused(2, "error: --seed must be at least 0, but is -1\n", "eval", "first", "--seed", "-1")
        self.refused(
            2,
            "error: --lanes must be 1 to 65536, --threads 1 to 1024 and --workers 0 to 1024\n",
            *("bench", "env", "classic/CartPole-v1", "--lanes", "0"),
        )
        sentence = "error: --lanes and --steps must be 1 to 65536\n"
        self.refused(2, sentence, "bench", "estimator", "gae", "--steps", "0")
        sentence = "error: --dtype must be float32 or float64, not float16\n"
        self.refused(2, sentence, "bench", "estimator", "gae", "--dtype", "float16")
        sentence = "error: --executor must be auto, reference or compiled, not fast\n"
        self.refused(2, sentence, "bench", "estimator", "gae", "--executor", "fast")
        self.refused(2, "error: --seconds must be 0.01 to 3600\n", "bench", "objective", "dqn", "--seconds", "0")
        sentence = "error: --profile is not for `tenon bench act`, only for objective and estimator\n"
        self.refused(2, sentence, "bench", "act", "ppo", "--profile")
        sentence = "error: --rows is not for `tenon bench manifest`, only for buffer\n"
        self.refused(2, sentence, "bench", "manifest", "m.toml", "--rows", "7")
        self.refused(2, "error: [env] needs an env, but mlp/q_value is a policy\n", "bench", "env", "mlp/q_value")


class New(CommandLine):
    def refused_new(self, sentence, *words, code=2):
        self.refused(code, f"error: {sentence}\n", "new", *words)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name != "taken"], ["m.toml"])

    def test_too_few_words(self):
        for words in ([], ["env"]):
            self.refused_new("new needs a kind and a name\nhelp: `tenon new env hill_climb`", *words)
        self.refused_new("--out needs the folder to create", "env", "hill", "--out", "")

    def test_kinds_and_languages_that_there_are_not(self):
        kinds = "help: the kinds are buffer, dataset, env, hook, objective, policy, transform, wrapper"
        self.refused_new(f"there is no kind 'envs'; did you mean 'env'?\n{kinds}", "envs", "hill")
        self.refused_new(f"there is no kind 'loss'; did you mean 'objective'?\n{kinds}", "loss", "hill")
        self.refused_new(f"there is no kind 'world'\n{kinds}", "world", "hill")
        self.refused_new(f"there is no kind 'env_c'\n{kinds}", "env_c", "hill")
        self.refused_new("--lang must be c or c++, but is 'rust'", "env", "hill", "--lang", "rust")
        sentence = "there is no template in C for a plugin of the kind transform, only for: env; leave out --lang c"
        self.refused_new(sentence, "transform", "hill", "--lang", "c")
        sentence = "there is no template with goals for a plugin of the kind policy, only for: env; leave out --goal"
        self.refused_new(sentence, "policy", "hill", "--goal")
        sentence = "there is no template for both --lang c and --goal; leave out one of them"
        self.refused_new(sentence, "env", "hill", "--goal", "--lang", "c")

    def test_names_that_cannot_be(self):
        form = "a plugin's name has at most 64 characters: a to z, digits and '_', beginning with a letter; this is "
        for name, meant in {"Hill-Climb": "hill_climb", "hillClimb": "hill_climb", "HILL": "hill", "a b/c": "a_b_c", "_hill": "hill"}.items():
            self.refused_new(f"{form}'{name}'; did you mean '{meant}'?", "env", name)
        for name in ("", "2nd", "../", "h" * 65):
            self.refused_new(f"{form}'{name}'", "env", name)
        for name in ("class", "int", "std"):
            self.refused_new(f"'{name}' is a keyword or macro of the compiler; give the plugin another name", "buffer", name)
        self.refused_new("'test' is a reserved target of CMake; give the plugin another name", "policy", "test")

    def test_what_is_there_already(self):
        sentence = "a plugin 'ppo' already exists: PLUGINS/ppo.so; give the new one another name"
        self.refused_new(sentence, "objective", "ppo")
        sentence = "already exists; `tenon new` needs a new folder"
        (self.folder / "taken").write_text("")
        self.refused_new(f"taken {sentence}", "env", "hill", "--out", "taken")
        self.refused_new(f". {sentence}", "env", "hill", "--out", ".")
        self.refused_new("the folder taken cannot be created: Not a directory", "env", "hill", "--out", "taken/below", code=4)

    def test_without_templates(self):
        empty = self.folder / "taken"
        empty.mkdir()
        run = tenon("new", "env", "hill", folder=self.folder, TENON_HOME=str(empty))
        sentence = "error: there are no templates in taken/share/tenon/templates: the SDK is not installed with this program\n"
        self.assertEqual((run.returncode, told(run.stderr, self.folder)), (4, sentence))


class Help(CommandLine):
    def help_of(self, command):
        run = tenon("help", command, folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return re.sub(r"\s+", " ", run.stdout)

    def test_commands_and_exit_codes(self):
        text = tenon("--help", folder=self.folder).stdout
        self.assertEqual(sorted(re.findall(r"^  (\w+)  ", text, flags=re.MULTILINE)), COMMANDS)
        for said in ("0 success, 2 wrong input, 3 a plugin failed", "130 ", "TENON_PLUGIN_PATH", "TENON_LEVEL", "NO_COLOR"):
            self.assertIn(said, text)
        for command in COMMANDS:
            self.assertIn(f"Usage: tenon {command} ", self.help_of(command))

    def test_what_the_readme_types_is_in_the_help(self):
        readme = (ROOT / "README.md").read_text()
        typed = [line.split("#")[0].split() for line in readme.splitlines() if re.match(r"    (\$ )?\./tenon ", line)]
        self.assertGreater(len(typed), 4)
        for words in typed:
            words = words[words.index("./tenon") + 1 :]
            text = self.help_of(words[0])
            for option in (word for word in words if word.startswith("--")):
                self.assertIn(f" {option} ", text, f"tenon {words[0]}")

    def test_the_readmes_mistake_is_answered_as_it_says(self):
        readme = (ROOT / "README.md").read_text()
        block = re.search(r"    \$ \./tenon (validate .*)\n((?:    .*\n)+)", readme)
        said = "".join(line[4:] + "\n" for line in block[2].splitlines())
        run = tenon(*block[1].split(), folder=ROOT)
        self.assertEqual((run.returncode, run.stderr), (2, said))

    def test_json_holds_the_keys_that_the_help_lists(self):
        more = ["--set", "eval.every_frames=64", "--set", "eval.episodes=1"]
        cases = {
            "run": ["m.toml", "--quiet", "--out", "first", "--json", *more],
            "eval": ["first", "--episodes", "1", "--json"],
            "list": ["--json"],
            "bench": ["env", "classic/CartPole-v1", "--json", "--seconds", "0.05"],
        }
        for command, words in cases.items():
            run = tenon(command, *words, folder=self.folder)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            listed = re.search(r"--json one JSON object[^:]*: ([\w, ]+?) *(?=--|;|\.|$)", self.help_of(command))[1]
            self.assertEqual(list(json.loads(run.stdout.splitlines()[-1])), listed.split(", "), command)


if __name__ == "__main__":
    unittest.main()
