#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon new`: what it makes and what it says. tests/package builds and runs it."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
PREFIX = Path(TENON).resolve().parent.parent


class New(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def new(self, *words, **variables):
        run = subprocess.run([TENON, "new", *words], capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE,
                             env={**os.environ, **variables})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def texts(self, name):
        return {path.name: path.read_text(encoding="utf-8") for path in (self.folder / name).iterdir()}

    def test_a_plugin_of_that_name(self):
        for kind, component in {"env": "HillClimb-v0", "wrapper": "hill_climb", "transform": "hill_climb", "policy": "q_value", "buffer": "hill_climb",
                                "objective": "hill_climb", "hook": "hill_climb"}.items():
            with self.subTest(kind):
                self.new(kind, "hill_climb", "--out", kind)
                texts = self.texts(kind)
                self.assertEqual(sorted(texts), ["CMakeLists.txt", "hill_climb.cpp", "manifest.toml"])
                self.assertIn("project(hill_climb LANGUAGES CXX)", texts["CMakeLists.txt"])
                self.assertIn("tenon_add_plugin(hill_climb hill_climb.cpp)", texts["CMakeLists.txt"])
                self.assertIn("struct HillClimb {", texts["hill_climb.cpp"])
                self.assertRegex(texts["hill_climb.cpp"], r'TENON_PLUGIN\("hill_climb", "0\.1\.0", tenon::\w+<HillClimb>')
                self.assertIn(f'plugin = "hill_climb/{component}"', texts["manifest.toml"])
                self.assertNotIn("SPDX", "".join(texts.values()))  # it is its author's

    def test_in_c(self):
        self.new("env", "hill", "--lang", "c")
        texts = self.texts("hill")
        self.assertEqual(sorted(texts), ["CMakeLists.txt", "hill.c", "manifest.toml"])
        self.assertIn('TENON_PLUGIN("hill", "0.1.0", components,', texts["hill.c"])
        self.assertIn('.id = "Hill-v0"', texts["hill.c"])
        self.assertIn('plugin = "hill/Hill-v0"', texts["manifest.toml"])

    def test_with_goals(self):
        self.new("env", "hill", "--goal")
        texts = self.texts("hill")
        self.assertEqual(sorted(texts), ["CMakeLists.txt", "hill.cpp", "manifest.toml"])
        self.assertIn("judge(const tenon::GoalRow& row)", texts["hill.cpp"])
        self.assertIn('plugin = "hill/Hill-v0"', texts["manifest.toml"])
        self.assertIn('relabel_by = "env"', texts["manifest.toml"])

    def test_with_agents(self):
        self.new("env", "hill", "--group")
        texts = self.texts("hill")
        self.assertEqual(sorted(texts), ["CMakeLists.txt", "hill.cpp", "manifest.toml"])
        self.assertIn('tenon::of_group("agents", kAgents', texts["hill.cpp"])
        self.assertIn('group = "agents"', texts["manifest.toml"])

    def test_on_policy(self):
        self.new("objective", "mine", "--on-policy")
        texts = self.texts("mine")
        self.assertEqual(sorted(texts), ["CMakeLists.txt", "manifest.toml", "mine.cpp"])
        self.assertIn("void prepare(const tenon::Graph& g) const", texts["mine.cpp"])
        self.assertNotIn("[buffer]", texts["manifest.toml"])

    def test_a_dataset_has_episodes(self):
        self.new("dataset", "hill")
        texts = self.texts("hill")
        self.assertEqual(sorted(texts), ["CMakeLists.txt", "cartpole.log", "hill.cpp", "manifest.toml"])
        self.assertIn('tenon::dataset<Hill>("hill"', texts["hill.cpp"])
        self.assertIn('init = "cartpole.log"', texts["manifest.toml"])

    def test_with_kernels(self):
        for kind, more in {"env": "rules.hpp", "buffer": "choice.hpp"}.items():
            with self.subTest(kind):
                self.new(kind, "hill_climb", "--device", "cuda", "--out", kind)
                texts = self.texts(kind)
                self.assertEqual(sorted(texts), sorted(["CMakeLists.txt", "hill_climb.cpp", "kernels.cpp", "kernels.cu", "manifest.toml", more]))
                self.assertIn("tenon_add_kernels(hill_climb kernels.cu kernels.cpp)", texts["CMakeLists.txt"])
                self.assertIn('TENON_KERNELS(load_kernels, "hill_climb", ', texts["kernels.cpp"])
                self.assertRegex(texts["hill_climb.cpp"], r"struct HillClimb (: Rules )?{")
                self.assertIn('device = "emulated"', texts["manifest.toml"])

    def test_a_type_that_the_template_has_already(self):
        self.new("transform", "lane")
        text = self.texts("lane")["lane.cpp"]
        self.assertIn("struct LaneTransform {", text)
        self.assertIn("    struct Lane {", text)
        self.assertIn("tenon::transform<LaneTransform>(\"lane\"", text)

    def test_it_says_how_to_go_on(self):
        said = self.new("env", "hill", "--out", "my worlds/hill/")
        self.assertEqual(said.splitlines()[0], "my worlds/hill: CMakeLists.txt hill.cpp manifest.toml")
        commands = [shlex.split(line) for line in said.splitlines() if line.startswith("    ")]
        self.assertEqual(commands[0][:5], ["cmake", "-S", "my worlds/hill", "-B", "my worlds/hill/build"])
        self.assertEqual(commands[0][-1], f"-DCMAKE_PREFIX_PATH={PREFIX}")
        self.assertTrue((PREFIX / "lib" / "cmake" / "tenon" / "tenonConfig.cmake").is_file())
        self.assertEqual(commands[1:], [["cmake", "--build", "my worlds/hill/build"], [TENON, "run", "my worlds/hill/manifest.toml"],
                                        ["ctest", "--test-dir", "my worlds/hill/build", "--output-on-failure"]])

    def test_the_program_has_the_name_that_was_typed(self):
        for number, word in enumerate(("./tenon", "tenon", "my clone/tenon")):
            done = subprocess.run([word, "new", "env", f"hill{number}"], executable=TENON, cwd=self.folder,
                                  capture_output=True, text=True, check=True)  # fmt: skip
            self.assertIn(f"    {shlex.quote(word)} run hill{number}/manifest.toml\n", done.stdout)

    def test_json(self):
        made = json.loads(self.new("buffer", "newest", "--json"))
        self.assertEqual(made, {"out": "newest", "files": ["CMakeLists.txt", "manifest.toml", "newest.cpp"], "prefix": str(PREFIX)})

    def test_nothing_else_is_left(self):
        self.new("policy", "mine")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine"])

    def test_what_the_template_says_about_others_stays(self):
        self.new("policy", "mine")
        text = self.texts("mine")["mine.cpp"]
        self.assertFalse(re.search("Dueling|dueling", text))
        self.assertIn("(Wang et al. 2016)", text)


if __name__ == "__main__":
    unittest.main()
