#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon list`, `tenon inspect` and the frame around all commands, from outside: output, sentences, exit codes.

TENON is the program, FIXTURES the folder of tests/fixtures/plugins as built."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE, processor_time  # noqa: E402

TENON = os.environ["TENON"]
FIXTURES = Path(os.environ["FIXTURES"])
PLUGINS = Path(TENON).parents[1] / "lib" / "tenon" / "plugins"


def tenon(*words, **variables):
    environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"}
    environment.update(variables)
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, env=environment, timeout=PATIENCE)


class Cli(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def put(self, *names):
        for name in names:
            shutil.copy(FIXTURES / f"{name}.so", self.folder)

    def refused(self, code, sentence, *words, **variables):
        run = tenon(*words, **variables)
        self.assertEqual(run.stderr.splitlines()[0], f"error: {sentence}")
        self.assertEqual((run.returncode, run.stdout), (code, ""))
        return run


class Frame(Cli):
    def test_help_lists_the_commands(self):
        for words in (["--help"], ["-h"], ["help"]):
            run = tenon(*words)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("\n  list ", run.stdout)
            self.assertIn("\n  inspect ", run.stdout)

    def test_help_of_a_command(self):
        for words in (["help", "list"], ["list", "--help"], ["list", "-h"]):
            run = tenon(*words)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith("Usage: tenon list [KIND | LIBRARY | LIBRARY/BEGINNING]... [options]\n"))
            self.assertIn("--plugins DIR", run.stdout)

    def test_version(self):
        self.assertRegex(tenon("--version").stdout, r"^tenon \d+\.\d+\.\d+ \(plugin ABI \d+\.\d+\)\n$")

    def test_wrong_words(self):
        self.refused(2, "tenon needs a command")
        self.refused(2, "there is no command 'lisst'; did you mean 'list'?", "lisst")
        self.refused(2, "there is no command 'train'; did you mean 'run'?", "train", "manifest.toml")
        self.refused(2, "no plugin 'CartPole-v1'; did you mean 'classic/CartPole-v1'?", "inspect", "CartPole-v1")
        self.refused(2, "there is no command 'inspct'; did you mean 'inspect'?", "help", "inspct")
        self.refused(2, "there is no option '--jsn'; did you mean '--json'?", "list", "--jsn")
        self.refused(2, "there is no option '--js'; did you mean '--json'?", "list", "--js")
        self.refused(2, "there are too many arguments: 'surplus'", "inspect", "ppo", "surplus")
        self.refused(2, "there are too many arguments", "doctor", "surplus")
        self.refused(2, "no component is of the kind or library 'polcy'; did you mean 'policy'?", "list", "polcy")
        self.refused(2, "--plugins needs a value: --plugins DIR", "list", "--plugins")
        self.refused(2, "there is no folder nothere, which --plugins names", "list", "drift", "--plugins", "nothere")
        for command in ("inspect", "check"):
            self.refused(2, f"{self.folder} is a folder, not a file", command, self.folder)

    def test_results_that_cannot_be_written_are_a_failure(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([TENON, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual((run.returncode, run.stderr), (4, "error: the results could not be written to stdout\n"))

    def test_a_reader_that_leaves_early_is_no_failure(self):
        for sigpipe_is_ignored in (False, True):
            reader, writer = os.pipe()
            os.close(reader)
            run = subprocess.run([TENON, "completion", "bash"], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                                 restore_signals=not sigpipe_is_ignored)
            os.close(writer)
            self.assertEqual((run.returncode, run.stderr), (0 if sigpipe_is_ignored else -signal.SIGPIPE, ""))


class List(Cli):
    def test_one_object_a_component(self):
        self.put("sound", "aborts")
        run = tenon("list", "--plugins", self.folder, "--json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        records = [r for r in map(json.loads, run.stdout.splitlines()) if r["path"].startswith(str(self.folder))]
        self.assertEqual([list(r) for r in records], [["plugin", "component", "kind", "version", "path", "devices", "quarantine", "refused", "in_place_of"]] * 2)
        self.assertEqual([r["plugin"] for r in records], ["aborts", "sound"])
        self.assertEqual(
            records[1],
            {
                "plugin": "sound",
                "component": "Count-v1",
                "kind": "env",
                "version": "1.2.3",
                "path": str(self.folder / "sound.so"),
                "devices": ["cpu"],
                "quarantine": None,
                "refused": None,
                "in_place_of": None,
            },
        )

    def test_who_says_cuda_has_kernels_for_gpus(self):
        magic = bytes.fromhex("50ed55ba")  # with which an image of nvcc begins
        run = tenon("list", "--plugins", FIXTURES.parent / "contract", "--json")
        has = {}
        for record in map(json.loads, run.stdout.splitlines()):
            if record["devices"] != ["cpu"]:
                has[record["plugin"]] = magic in Path(record["path"]).read_bytes()
                device = "cuda" if has[record["plugin"]] else "emulated"
                self.assertIn(record["devices"], (["cpu", device], [device]))
        self.assertEqual(set(has), {"classic", "small", "replay_cuda", "broken_kernels"})
        self.assertFalse(has["broken_kernels"])

    def test_table(self):
        self.put("sound")
        run = tenon("list", "--plugins", self.folder)
        self.assertEqual(run.returncode, 0)
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["COMPONENT", "KIND", "DEVICES", "WHAT", "IT", "IS"])
        self.assertIn(["sound/Count-v1", "env", "cpu"], [x.split()[:3] for x in lines])

    def test_a_newcomer_sees_the_small_world_first(self):
        rows = [line.split() for line in tenon("list").stdout.splitlines()[1:]]
        kinds = list(dict.fromkeys(row[1] for row in rows))
        self.assertEqual(kinds, ["env", "wrapper", "transform", "policy", "buffer", "objective", "hook", "dataset"][: len(kinds)])
        self.assertEqual(rows[0][0], "classic/CartPole-v1")
        names = [row[0] for row in rows]
        self.assertLess(names.index("small/Catch-v0"), names.index("atari/*"))
        self.assertIn("104 components: tenon list atari", tenon("list").stdout)
        self.assertLess(len(rows), 200)  # large libraries are one row

    def test_words_choose_components(self):
        chosen = [line.split()[:2] for line in tenon("list", "classic_c", "atari/Pon", "hook").stdout.splitlines()[1:]]
        self.assertEqual(chosen[:2], [["atari/Pong-v5", "env"], ["classic_c/MountainCar-v0", "env"]])
        self.assertEqual({kind for _, kind in chosen[2:]}, {"hook"})
        self.assertEqual(len(tenon("list", "atari").stdout.splitlines()), 105)
        self.assertEqual(len(tenon("list", "atari", "--json").stdout.splitlines()), 104)

    def test_bad_files_are_named_with_their_reason(self):
        self.put("sound", "no_note", "newer_major")
        run = tenon("list", "--plugins", self.folder, "--json")
        self.assertEqual(run.returncode, 0)
        self.assertIn(f"warning: {self.folder}/no_note.so is not a Tenon plugin: it is a shared library without", run.stderr)
        self.assertIn(f"warning: {self.folder}/newer_major.so was built for a newer plugin ABI: it needs 9.0", run.stderr)
        self.assertIn('"plugin":"sound"', run.stdout)
        self.assertNotIn("no_note", run.stdout)

    def test_duplicates_name_both_files(self):
        self.put("sound")
        second = self.folder / "second"
        second.mkdir()
        shutil.copy(FIXTURES / "sound.so", second)
        run = tenon("list", "--plugins", self.folder, "--plugins", second)
        self.assertIn(
            f"warning: two plugins have the name 'sound': {self.folder}/sound.so and {second}/sound.so\n", run.stderr
        )
        self.assertNotIn("sound/Count-v1", run.stdout)

    def test_a_plugin_with_the_name_of_a_shipped_one(self):
        shipped, mine = PLUGINS / "hooks.so", self.folder / "hooks.so"
        shutil.copy(shipped, mine)
        run = tenon("list", "hook", "--plugins", self.folder, "--json")
        self.assertEqual(run.returncode, 0)
        rows = [row for row in map(json.loads, run.stdout.splitlines()) if row["plugin"].endswith("hooks")]
        found = {(row["plugin"], row["path"], row["in_place_of"]) for row in rows}
        self.assertEqual(found, {("hooks", str(mine), str(shipped)), ("shipped:hooks", str(shipped), None)})
        table = tenon("list", "hooks", "--plugins", self.folder).stdout
        self.assertTrue(table.splitlines()[1].endswith(f"in place of {shipped}"), table)
        for place in ({"words": ("--plugins", self.folder)}, {"words": (), "TENON_PLUGIN_PATH": str(self.folder)}):
            words, variables = place.pop("words"), place
            rows = tenon("list", "shipped:hooks", *words, **variables).stdout.splitlines()[1:]
            self.assertEqual({row.split("/")[0] for row in rows}, {"shipped:hooks"})
            run = tenon("inspect", "hooks", *words, **variables)
            self.assertIn(str(mine), run.stdout)
            self.assertEqual(run.stderr, f"info: the plugin 'hooks' is {mine}; the shipped one, {shipped}, is named 'shipped:hooks'\n")
            for name in ("shipped:hooks", "shipped:" + rows[0].split()[0].removeprefix("shipped:")):
                run = tenon("inspect", name, *words, **variables)
                self.assertIn(str(shipped), run.stdout)
                self.assertEqual(run.stderr, "")
        self.assertEqual(tenon("list", "shipped:hooks").stdout, tenon("list", "hooks").stdout)
        self.refused(2, "no plugin 'shipped:hoks'; did you mean 'shipped:hooks'?", "inspect", "shipped:hoks", "--plugins", self.folder)

    def test_environment_variable(self):
        self.put("sound")
        self.assertIn("sound/Count-v1", tenon("list", TENON_PLUGIN_PATH=f":{self.folder}").stdout)
        run = tenon("list", TENON_PLUGIN_PATH=f"{self.folder}/none")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr, f"error: there is no folder {self.folder}/none, which TENON_PLUGIN_PATH names\n")

    def test_missing_folder(self):
        run = tenon("list", "--plugins", self.folder / "none")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr, f"error: there is no folder {self.folder}/none, which --plugins names\n")


class Inspect(Cli):
    def test_everything_in_the_note_even_if_the_constructor_aborts(self):
        run = tenon("inspect", FIXTURES / "aborts.so", "--json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        plugin = json.loads(run.stdout)
        self.assertEqual((plugin["plugin"], plugin["version"], plugin["abi"]), ("aborts", "1.2.3", [0, 1]))
        self.assertEqual(len(plugin["sha256"]), 64)
        (component,) = plugin["components"]
        self.assertEqual((component["component"], component["kind"]), ("Count-v1", "env"))
        options = {o["name"]: o for o in component["options"]}
        self.assertEqual(list(options), ["limit", "scale", "mode", "weights", "tags"])
        self.assertEqual(
            options["limit"],
            {
                "name": "limit",
                "type": "int",
                "default": 10,
                "range": "[1,1000]",
                "choices": [],
                "live": False,
                "help": "steps in an episode",
            },
        )
        self.assertIs(options["scale"]["live"], True)
        self.assertEqual(options["mode"]["choices"], ["up", "down"])
        self.assertEqual(options["weights"]["default"], [0.5, 2.0])

    def test_text(self):
        run = tenon("inspect", FIXTURES / "sound.so")
        self.assertEqual(run.returncode, 0)
        self.assertIn("sound/Count-v1  (env)  counts its steps\n", run.stdout)
        self.assertRegex(run.stdout, r"\n +limit +int +[=] 10 +in \[1,1000\] +steps in an episode\n")
        self.assertRegex(run.stdout, r'\n +mode +string += "up" +up \| down\n')

    def test_by_name(self):
        self.put("sound")
        for word in ("sound", "sound/Count-v1"):
            run = tenon("inspect", word, "--plugins", self.folder)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(str(self.folder / "sound.so"), run.stdout)
        self.refused(2, "no plugin 'sond'; did you mean 'sound'?", "inspect", "sond", "--plugins", self.folder)
        self.refused(
            2,
            "the plugin 'sound' has no component 'Cont-v1'; did you mean 'Count-v1'?",
            *("inspect", "sound/Cont-v1", "--plugins", self.folder),
        )

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "sanitizers are slow to start")
    def test_it_takes_less_than_20_ms(self):
        times = []
        for _ in range(15):
            start = processor_time()
            tenon("inspect", FIXTURES / "aborts.so")
            times.append(processor_time() - start)
        self.assertLess(min(times), 0.02)

    def test_a_file_under_another_name_than_its_note_s_is_warned_of(self):
        path = FIXTURES / "misnamed.so"
        run = tenon("inspect", path)
        self.assertEqual(run.returncode, 0)
        self.assertIn("\n  proper/Count-v1  (env)", run.stdout)
        self.assertEqual(
            run.stderr,
            f"warning: {path} is the plugin 'proper'; rename the file to proper.so, or the plugin in its source, "
            "because plugins are found by their file names\n",
        )
        shutil.copy(path, self.folder / "proper.so")
        (self.folder / "link.so").symlink_to("proper.so")
        for name in ("proper.so", "link.so"):
            self.assertEqual(tenon("inspect", self.folder / name).stderr, "")
        (self.folder / "proper.so").rename(self.folder / "other.so")
        (self.folder / "proper.so").symlink_to("other.so")  # the file's own name counts, as it does in a search
        self.assertIn("is the plugin 'proper'", tenon("inspect", self.folder / "proper.so").stderr)

    def test_what_is_no_plugin(self):
        odd = self.folder / "odd.so"
        self.refused(2, f"there is no file {odd}", "inspect", odd)
        self.refused(2, f"{self.folder} is a folder, not a file", "inspect", self.folder)
        odd.write_bytes(b"")
        self.refused(3, f"{odd} is empty", "inspect", odd)
        odd.write_bytes(b"hello")
        self.refused(3, f"{odd} is not a shared library: it has no ELF header", "inspect", odd)
        odd.write_bytes((FIXTURES / "sound.so").read_bytes()[:2000])
        self.refused(3, f"{odd} is cut off: its headers name parts beyond its end", "inspect", odd)
        for name, sentence in (
            ("no_note", "is not a Tenon plugin: it is a shared library without a Tenon note"),
            ("newer_major", "was built for a newer plugin ABI: it needs 9.0, but this host has 0.1"),
            ("newer_minor", "needs plugin ABI 0.99 or a later minor, but this host has 0.1"),
        ):
            path = FIXTURES / f"{name}.so"
            self.refused(3, f"{path} {sentence}", "inspect", path)
        self.refused(2, "inspect needs the name of a plugin or component, or a file", "inspect")


if __name__ == "__main__":
    unittest.main()
