# SPDX-License-Identifier: Apache-2.0
"""Plugins as they were built with an earlier SDK, under names that this host ships, too: they have priority, and the shipped
ones are reached by "shipped:". The files are those of tests/abi/released with another name written into them, and, for the
kinds that have none there, copies of shipped ones."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

from kept import RELEASED, TENON

PLUGINS = Path(TENON).parents[1] / "lib" / "tenon" / "plugins"
RELEASE = RELEASED / "0.1"
NAMES = {"drift_c": "classic", "smooth": "random", "recent": "replay", "dueling": "explore", "td": "bc"}
COPIES = {"small": "env", "wrap": "wrapper", "hooks": "hook", "hdf5": "dataset"}


def renamed(image, name, other):
    """The file of a plugin with another name of the same length in its note and in its code."""
    for before, after in ((f'"{name}"', f'"{other}"'), (f"{name}\0", f"{other}\0")):
        before, after = before.encode(), after.encode()
        assert before in image
        if len(name) < 4:  # short ones are also the ends of other words
            image = image.replace(b"\0" + before, b"\0" + after) if before.endswith(b"\0") else image.replace(before, after)
        else:
            image = image.replace(before, after)
    return image


def tenon(*words, code=0, plugins=None):
    environment = {key: value for key, value in os.environ.items() if key != "TENON_PLUGIN_PATH"}
    if plugins is not None:
        environment["TENON_PLUGIN_PATH"] = str(plugins)
    done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, env=environment, timeout=120, check=False)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))} ends with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done


class ShippedNames(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name).resolve()
        cls.mine = cls.folder / "mine"
        cls.mine.mkdir()
        for name, other in NAMES.items():
            (cls.mine / f"{other}.so").write_bytes(renamed((RELEASE / f"{name}.so").read_bytes(), name, other))
        for name in COPIES:
            if (PLUGINS / f"{name}.so").exists():
                shutil.copy(PLUGINS / f"{name}.so", cls.mine)
        text = (RELEASED / "learnt.toml").read_text().replace("FOLDER", str(RELEASE)).replace("seed = 7", 'seed = 7\nexecutor = "compiled"')
        cls.before = cls.folder / "before.toml"
        cls.before.write_text(text)
        cls.manifest = cls.folder / "now.toml"
        for name, other in NAMES.items():
            text = re.sub(rf'plugin = "{name}/(\w+)', lambda found: f'plugin = "{other}/{found[1].replace(name, other)}', text)
        cls.manifest.write_text(text)

    def told(self, done):
        """The names of the plugins whose priority a command has told."""
        told = re.findall(r"^info: the plugin '(\w+)' is (.*); the shipped one, (.*), is named 'shipped:(\w+)'$", done.stderr, re.MULTILINE)
        for name, path, other, again in told:
            self.assertEqual((path, other, again), (str(self.mine / f"{name}.so"), str(PLUGINS / f"{name}.so"), name))
        self.assertEqual(len(set(told)), len(told), "each once")
        return {name for name, *_ in told}

    def parameters(self, out):
        return (out / "checkpoints" / "last" / "parameters.safetensors").read_bytes()

    def test_kinds_without_an_old_binary(self):
        found = {}
        for record in map(json.loads, tenon("list", "--plugins", self.mine, "--json").stdout.splitlines()):
            found.setdefault(record["plugin"], record)
        for name, kind in COPIES.items():
            if (self.mine / f"{name}.so").exists():
                self.assertEqual((found[name]["kind"], found[name]["path"]), (kind, str(self.mine / f"{name}.so")))
                self.assertEqual(found[f"shipped:{name}"]["path"], str(PLUGINS / f"{name}.so"))

    def test_old_binaries_do_what_they_did_under_their_own_names(self):
        old, new = self.folder / "old", self.folder / "new"
        tenon("run", self.before, "--quiet", "--out", old, plugins=RELEASE)
        done = tenon("run", self.manifest, "--out", new, "--plugins", self.mine)
        self.assertEqual(self.told(done), set(NAMES.values()))
        self.assertEqual(self.parameters(old), self.parameters(new))

        # The run finds them again, wherever it goes on.
        lock = tomllib.loads((new / "manifest.lock.toml").read_text())
        self.assertEqual(lock["plugins"]["search"], [str(self.mine)])
        files = tomllib.loads((new / "plugins.toml").read_text())
        self.assertEqual({files[name]["path"] for name in NAMES.values()}, {str(self.mine / f"{name}.so") for name in NAMES.values()})
        again = self.folder / "again"
        tenon("run", new / "manifest.lock.toml", "--out", again)
        self.assertEqual(self.parameters(again), self.parameters(new))
        longer = self.folder / "longer"
        tenon("run", self.before, "--quiet", "--out", longer, "--set", "train.total_updates=8", plugins=RELEASE)
        done = tenon("run", "--resume", new, "--set", "train.total_updates=8")
        self.assertEqual(self.told(done), set(NAMES.values()))
        self.assertEqual(self.parameters(longer), self.parameters(new))
        done = tenon("eval", new, "--checkpoint", "last", "--episodes", 1)
        self.assertNotIn("another build", done.stderr)

        # With another file it does not go on.
        other_folder = self.folder / "elsewhere"
        self.mine.rename(other_folder)
        self.addCleanup(other_folder.rename, self.mine)
        done = tenon("run", "--resume", new, "--set", "train.total_updates=9", code=2)
        self.assertIn(f"error: there is no folder {self.mine}, which plugins.search names\n", done.stderr)
        tenon("run", "--resume", new, "--set", "train.total_updates=9", "--plugins", other_folder)

    def test_explain_has_both_paths(self):
        done = tenon("explain", self.manifest, "--plugins", self.mine, "--json")
        self.assertEqual(self.told(done), set(NAMES.values()))
        plugins = {each["plugin"]: (each["path"], each["in_place_of"]) for each in json.loads(done.stdout)["plugins"]}
        self.assertEqual(plugins, {name: (str(self.mine / f"{name}.so"), str(PLUGINS / f"{name}.so")) for name in NAMES.values()})
        text = tenon("explain", self.manifest, "--plugins", self.mine).stdout
        self.assertRegex(text, rf"(?m)^classic +{self.mine}/classic.so +{PLUGINS}/classic.so$")

    def test_in_separate_processes(self):
        out = self.folder / "apart"
        done = tenon("run", self.manifest, "--plugins", self.mine, "--set", "plugins.isolation=process", "--out", out)
        self.assertEqual(self.told(done), set(NAMES.values()))
        old = self.folder / "together"
        tenon("run", self.manifest, "--quiet", "--plugins", self.mine, "--out", old)
        self.assertEqual(self.parameters(out), self.parameters(old))

    def test_processes_that_collect_do_not_repeat_it(self):
        manifest = self.folder / "processes.toml"
        manifest.write_text(
            '[run]\ntotal_frames = 64\nexecutor = "compiled"\n[env]\nplugin = "classic/DriftC-v0"\nlanes = 4\n'
            '[policy.qvalue]\nplugin = "explore/q_value"\nwidth = 8\n[buffer]\nplugin = "replay/replay"\ncapacity = 100\n'
            '[objective]\nplugin = "bc/bc"\n[train]\nbatch = 32\nminibatch = 16\n[collector]\nkind = "processes"\n')
        done = tenon("run", manifest, "--plugins", self.mine, "--out", self.folder / "processes")
        self.assertEqual(self.told(done), {"classic", "explore", "replay", "bc"})

    def test_shipped_ones_by_their_own_name(self):
        pole = "shipped:classic/CartPole-v1"
        manifest = self.folder / "pole.toml"
        manifest.write_text(f'[run]\ntotal_frames = 256\nexecutor = "compiled"\n[env]\nplugin = "{pole}"\n[policy.actor]\n'
                            'plugin = "mlp/categorical"\n[policy.value]\nplugin = "mlp/value"\n[objective]\nplugin = "ppo/ppo"\n'
                            f'[train]\nbatch = 128\n[eval]\nepisodes = 1\n[plugins]\nsearch = ["{self.mine}"]\n')  # fmt: skip
        out = self.folder / "pole"
        done = tenon("run", manifest, "--out", out)
        self.assertEqual(self.told(done), set())
        self.assertIn(f'plugin = "{pole}"\n', (out / "manifest.lock.toml").read_text())
        files = tomllib.loads((out / "plugins.toml").read_text())
        self.assertEqual(files["shipped:classic"]["path"], str(PLUGINS / "classic.so"))
        # The name stays, also where nothing else has it.
        done = tenon("run", "--resume", out, "--set", "run.total_frames=384", "--set", "plugins.search=[]")
        done = tenon("eval", out, "--episodes", 1, plugins=self.mine)
        self.assertNotIn("another build", done.stderr)
        # Both in one run: each has its hash.
        done = tenon("validate", manifest, "--set", "env.plugin=classic/DriftC-v0", "--set", f'eval.env.plugin="{pole}"', code=2)
        self.assertEqual(self.told(done), {"classic"})

    def test_shipped_ones_wherever_a_command_takes_a_name(self):
        given = ("--plugins", self.mine)
        pole = "shipped:classic/CartPole-v1"
        for words in (("bench", "env", pole, "--lanes", 2, "--seconds", 0.01), ("inspect", pole), ("init", "ppo", pole),
                      ("bench", "buffer", "shipped:replay/uniform", "--frames", 1000, "--seconds", 0.01)):  # fmt: skip
            with self.subTest(words=words):
                done = tenon(*words, *given)
                self.assertEqual(self.told(done), set())
        # By its last part alone, an env is the one that has priority.
        self.assertIn('plugin = "small/GridWorld-v0"', tenon("init", "a2c", "GridWorld-v0", *given).stdout)

    def test_checks_are_of_the_file_that_is_named(self):
        wired = "builds the same graph each time"

        def outcomes(*words):
            checked = json.loads(tenon("check", *words, "--json").stdout.splitlines()[-1])
            return checked["path"], {row["check"]: row["outcome"] for row in checked["checks"]}[wired]

        mine = self.mine / "bc.so"
        self.assertEqual(outcomes(mine, "--manifest", self.manifest, "--plugins", self.mine), (str(mine), "pass"))
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "ppo.so").write_text("text")
        self.assertEqual(outcomes("shipped:ppo/ppo", "--plugins", broken), (str(PLUGINS / "ppo.so"), "pass"))

    def test_two_that_are_named_are_an_error(self):
        second = self.folder / "second"
        second.mkdir()
        shutil.copy(self.mine / "classic.so", second)
        done = tenon("validate", self.manifest, "--plugins", self.mine, "--set", f'plugins.search=["{second}"]', code=2)
        self.assertIn(f"error: two plugins have the name 'classic': {self.mine}/classic.so and {second}/classic.so\n", done.stderr)
        self.assertEqual(self.told(done), set(NAMES.values()) - {"classic"})


if __name__ == "__main__":
    unittest.main()
