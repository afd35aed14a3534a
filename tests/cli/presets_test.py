#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon run ALGORITHM ENV`, and `tenon init`, which writes the manifest of it."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

TENON = os.environ["TENON"]
COMPILED = ["--set", "run.executor=compiled"]  # mapping libtorch takes longer than most of these runs


def tenon(*words, folder=None):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, cwd=folder)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def refused(self, stderr, *words):
        run = tenon(*words, folder=self.folder)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", stderr))
        self.assertEqual(list(self.folder.iterdir()), [])


class OneLine(Case):
    def test_a_run_and_what_is_written_are_the_same(self):
        sets = ["--set", "env.gravity=9.5", "--set", "run.total_frames=2_048", "--seed", 3]
        run = tenon("run", "ppo", "CartPole-v1", *sets, "--quiet", "--json", "--out", "a", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(json.loads(run.stdout)["frames"], 2048)
        written = tenon("init", "ppo", "CartPole-v1", *sets, "--out", "b.toml", folder=self.folder)
        self.assertEqual((written.returncode, written.stdout, written.stderr), (0, "", ""))
        text = (self.folder / "b.toml").read_text()
        printed = tenon("run", "ppo", "CartPole-v1", *sets, "--print", folder=self.folder)
        self.assertEqual((printed.returncode, printed.stdout), (0, text))
        manifest = tomllib.loads(text)
        self.assertEqual(manifest["env"], {"plugin": "classic/CartPole-v1", "gravity": 9.5, "lanes": 8})
        self.assertEqual(manifest["run"], {"name": "ppo-CartPole-v1", "total_frames": 2048, "seed": 3})
        again = tenon("run", "b.toml", "--quiet", "--out", "b", folder=self.folder)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        for file in ("manifest.lock.toml", "metrics.csv"):
            self.assertEqual(*(self.lines(self.folder / run / file) for run in "ab"))

    def test_folders_of_plugins_are_written_and_may_move(self):
        (self.folder / "built").mkdir()
        shutil.copy(Path(os.environ["FIXTURES"]) / "choices.so", self.folder / "built")
        words = ["dqn", "choices/Choices-v0", "--plugins", "built", "--out", "m.toml"]
        self.assertEqual(tenon("init", *words, folder=self.folder).stderr, "")
        run = tenon("run", "m.toml", "--set", "run.total_frames=64", "--set", "train.start_frames=32", *COMPILED, "--quiet", "--out", "a", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(tomllib.loads((self.folder / "m.toml").read_text())["plugins"], {"search": ["built"]})
        (self.folder / "mine").mkdir()
        for more, search in (("", []), ('[plugins]\nsearch = ["mine"]\n', ["mine"])):
            (self.folder / "env.toml").write_text('[env]\nplugin = "choices/Choices-v0"\n' + more)
            written = tenon("init", "dqn", "env.toml", "--plugins", "built", folder=self.folder)
            self.assertEqual(tomllib.loads(written.stdout)["plugins"], {"search": [str(self.folder / "built"), *search]})
        (self.folder / "built").rename(self.folder / "moved")
        gone = tenon("eval", "a", "--episodes", 1, folder=self.folder)
        self.assertEqual(gone.returncode, 2)
        self.assertIn(f"error: there is no folder {self.folder}/built, which plugins.search names\n", gone.stderr)
        self.assertIn("help: if it was moved, name it with --plugins DIR\n", gone.stderr)
        found = tenon("eval", "a", "--episodes", 1, "--plugins", "moved", folder=self.folder)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        told = tenon("validate", "a", folder=self.folder).stderr
        self.assertEqual(told, "error: a is the folder of a run, not a manifest\nhelp: its manifest is a/manifest.lock.toml\n")

    @staticmethod
    def lines(file):
        """Without the columns of metrics.csv that are times."""
        rows = [line.split(",") for line in file.read_text().splitlines()]
        kept = [at for at, name in enumerate(rows[0]) if not name.startswith("time/")]
        return rows if file.suffix == ".toml" else [[row[at] for at in kept] for row in rows]

    def test_the_runs_folder_has_both_names(self):
        run = tenon("run", "dqn", "classic/CartPole-v1", "--quiet", "--json", "--set", "run.total_frames=1_100", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(json.loads(run.stdout)["out"], "runs/dqn-CartPole-v1-1")

    def test_an_env_of_a_manifest(self):
        (self.folder / "pole.toml").write_text(
            '[env]\nplugin = "classic/CartPole-v1"\ngravity = 5\n[[env.transforms]]\nplugin = "standard/reward_scale"\nfactor = 2.0\n'
            '[objective]\nplugin = "no/such"\n')
        printed = tenon("run", "ppo", "pole.toml", "--print", folder=self.folder)
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        manifest = tomllib.loads(printed.stdout)
        self.assertEqual(manifest["env"]["transforms"], [{"plugin": "standard/reward_scale", "factor": 2.0}])
        self.assertEqual((manifest["env"]["gravity"], manifest["objective"]["plugin"]), (5, "ppo/ppo"))
        self.assertEqual(manifest["run"]["name"], "ppo-pole")

    def test_help_lists_the_algorithms(self):
        for command in ("run", "init"):
            self.assertIn("\n  ppo         proximal policy optimisation\n", tenon(command, "--help").stdout)


class Presets(Case):
    """Every algorithm is wired with each kind of env that it is for, and some train for a moment."""

    ENVS = ["CartPole-v1", "Pendulum-v1", "small/Breakout-v0", "small/Spread-v0", "small/Sort-v0", "small/Balance-v0"]
    ASKED = {"bc": "buffer.init", "awr": "buffer.init", "iql": "buffer.init", "cql": "buffer.init", "td3_bc": "buffer.init", "dt": "buffer.init",
             "act": "buffer.init", "diffusion": "buffer.init", "gail": "buffer.expert.init", "airl": "buffer.expert.init", "dagger": "policy.expert.init"}
    # A pair that has no preset is refused; a typo in a preset must not make one of these of it.
    PAIRS = 73
    TRAINED = {("ppo", "CartPole-v1"), ("a2c", "small/Breakout-v0"), ("sac", "Pendulum-v1"), ("bc", "Pendulum-v1"),
               ("qmix", "small/Spread-v0"), ("grpo", "small/Sort-v0"), ("gail", "CartPole-v1"), ("dt", "Pendulum-v1"), ("maddpg", "small/Balance-v0"),
               ("dagger", "Pendulum-v1")}

    def recorded(self, algorithm, env):
        out = self.folder / f"{env}.frames"
        if not out.exists():
            run = self.folder / env
            tenon("run", algorithm, env, "--quiet", *COMPILED, "--set", "env.lanes=1", "--set", "run.total_frames=256", "--set",
                  "train.batch=64", "--set", "train.minibatch=64", "--set", "train.start_frames=0", "--out", run)
            made = tenon("record", run, "--frames", "1000", "--out", out)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
        return out

    def test_all_pairs(self):
        frames = {"CartPole-v1": self.recorded("dqn", "CartPole-v1"), "Pendulum-v1": self.recorded("sac", "Pendulum-v1")}
        listing = tenon("init", "--help").stdout.split("Algorithms:\n")[1].split("\n\n")[0]
        algorithms = [line.split()[0] for line in listing.splitlines()]
        fine = []
        for algorithm in algorithms:
            for env in self.ENVS:
                asked = ["--set", f"{self.ASKED[algorithm]}={frames[env]}"] if algorithm in self.ASKED and env in frames else []
                asked = ["--set", f"policy.expert.init={self.folder / env}"] if (algorithm, env) == ("dagger", "Pendulum-v1") else asked
                asked += ["--set", "env.transforms.target_return.target=100"] if algorithm == "dt" else []
                checked = tenon("validate", algorithm, env, *asked, "--set", "eval.max_steps=5_000")  # Breakout has no limit
                if "has no preset for" in checked.stderr:
                    continue
                self.assertEqual((checked.returncode, checked.stderr, checked.stdout), (0, "", f"{algorithm} {env}: fine\n"))
                fine.append((algorithm, env))
                if (algorithm, env) in self.TRAINED:
                    self.train(algorithm, env, asked)
            self.assertIn(algorithm, {pair[0] for pair in fine})
        self.assertEqual(len(fine), self.PAIRS, fine)
        self.assertLessEqual(self.TRAINED, set(fine))

    def test_agents_that_come_and_go_without_a_state_of_all(self):
        for algorithm in ("dqn", "mappo", "masac", "ppo", "qmix", "sac", "vdn"):
            checked = tenon("validate", algorithm, "small/Shifts-v0")
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), algorithm)

    def train(self, algorithm, env, asked):
        short = ["--set", "eval.episodes=1", "--set", "log.tensorboard=false"]
        short += ["--set", "train.total_updates=5"] if "buffer.init" in str(asked) else ["--set", "run.total_frames=300"]
        if "start_frames" in tenon("init", algorithm, env, *asked).stdout:
            short += ["--set", "train.start_frames=200"]
        run = tenon("run", algorithm, env, *asked, *short, *COMPILED, "--quiet", "--json", "--out", self.folder / algorithm)
        self.assertEqual((run.returncode, run.stderr), (0, ""), algorithm)

    def test_vectors_beside_a_picture(self):
        """The picture says nothing; what counts is in another column. Random actions return 5 of 20."""
        (self.folder / "built").mkdir()
        shutil.copy(Path(os.environ["FIXTURES"]) / "choices.so", self.folder / "built")
        (self.folder / "large.toml").write_text('[env]\nplugin = "choices/Orders-v0"\nsizes = [48, 48, 3]\n')
        words = ["--plugins", "built"]
        for algorithm, env, networks in (("ppo", "large.toml", 2), ("a2c", "large.toml", 2), ("dqn", "large.toml", 1), ("ppo", "choices/Orders-v0", 2),
                                         ("a2c", "choices/Orders-v0", 2), ("dqn", "choices/Orders-v0", 1), ("c51", "choices/Orders-v0", 1),
                                         ("qr", "choices/Orders-v0", 1)):
            checked = tenon("validate", algorithm, env, *words, folder=self.folder)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            policies = tomllib.loads(tenon("init", algorithm, env, *words, folder=self.folder).stdout)["policy"]
            self.assertEqual(policies.pop("trunk")["in"], ["image"])
            self.assertEqual([policy["in"] for policy in policies.values()], [["trunk.features", "order"]] * networks)
        run = tenon("run", "ppo", "choices/Orders-v0", *words, "--quiet", "--json", "--seed", 0, "--set", "run.total_frames=8_192",
                    "--set", "run.executor=compiled", "--set", "eval.actions=mode", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertGreater(json.loads(run.stdout)["eval_return_mean"], 19)

    def test_what_a_preset_asks(self):
        self.refused("error: 'bc' needs recorded frames or a dataset to learn from\nhelp: name it: --set buffer.init=FILE\n",
                     "run", "bc", "CartPole-v1")
        self.refused("error: 'dt' needs recorded frames or a dataset to learn from\nhelp: name it: --set buffer.init=FILE\n"
                     "error: 'dt' needs the return to ask for, one that recorded episodes have (tenon data info FILE shows them)\n"
                     "help: give it: --set env.transforms.target_return.target=VALUE\n", "run", "dt", "CartPole-v1")

    def test_planning_in_equations_of_ones_own(self):
        env = "classic/MountainCarContinuous-v0"
        self.refused("error: 'cem' needs the env's equations, a policy of your own with the functions step and reward (docs/planning.md); 'pets' learns "
                     "them\nhelp: give it: --set policy.model.plugin=VALUE\n", "run", "cem", env)
        for algorithm in ("cem", "mppi"):
            run = tenon("validate", algorithm, env, "--set", "policy.model.plugin=model/pendulum", folder=self.folder)
            self.assertRegex(run.stderr, "^error: model/pendulum, step: it is a model of the 3 numbers that Pendulum-v1 observes, but .* has 2\n")

    def test_a_central_network_reads_the_state_or_what_all_agents_observe(self):
        for algorithm, role in (("mappo", "value"), ("qmix", "mixer")):
            for env, columns in (("small/Spread-v0", ["state"]), ("small/Shifts-v0", ["agents.observation", "agents.present"])):
                written = tomllib.loads(tenon("init", algorithm, env).stdout)
                self.assertEqual(written["policy"][role]["in"], columns)
        self.train("qmix", "small/Shifts-v0", [])

    def test_set_reaches_into_the_presets_lists(self):
        (self.folder / "x.toml").write_text('[run]\ntotal_frames = 100\n[env]\nplugin = "classic/CartPole-v1"\n[policy.a]\nplugin = "random/random"\n')
        tenon("record", "x.toml", "--frames", 100, "--out", "x.frames", folder=self.folder)
        words = ["run", "dt", "CartPole-v1", "--print", "--set", "buffer.init=x.frames", "--set"]
        for name in ("target_return", '"standard/target_return"', "0"):
            run = tenon(*words, f"env.transforms.{name}.target=350.0", folder=self.folder)
            self.assertEqual(run.stderr, "")
            self.assertEqual(tomllib.loads(run.stdout)["env"]["transforms"],
                             [{"plugin": "standard/target_return", "target": 350.0}, {"plugin": "standard/previous_action"}])
        wrong = tenon(*words, "env.transforms.target.target=1", folder=self.folder)
        self.assertEqual((wrong.returncode, wrong.stderr.splitlines()[0]),
                         (2, "error: 'target' is not an element of env.transforms, which has the elements 0 to 1; did you mean 'target_return'?"))


class Mistakes(Case):
    def test_an_algorithm_that_there_is_not(self):
        run = tenon("init", "pp0", "CartPole-v1")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, r"^error: there is no algorithm 'pp0'; did you mean 'ppo'\?\nhelp: there are: a2c, .*sac,.*\n$")
        self.assertRegex(tenon("init", "SAC", "Pendulum-v1").stderr, r"^error: there is no algorithm 'SAC'; did you mean 'sac'\?\n")

    def test_an_env_that_there_is_not(self):
        self.refused("error: no env 'CartPol-v1'; did you mean 'CartPole-v1'?\nhelp: `tenon list env` shows all envs; an env in "
                     "Python is named with its library: gym/CartPol-v1, gym_embedded/CartPol-v1, open_spiel/CartPol-v1\n", "run", "ppo", "CartPol-v1")
        run = tenon("run", "ppo", "classic/CartPol-v1")
        self.assertEqual(run.stderr.splitlines()[0], "error: the plugin 'classic' has no component 'CartPol-v1'; did you mean 'CartPole-v1'?")
        self.assertEqual(run.returncode, 2)

    def test_an_env_of_several_libraries(self):
        plugins = self.folder / "plugins"
        plugins.mkdir()
        for name in ("sound", "counts_loads"):
            shutil.copy(Path(os.environ["FIXTURES"]) / f"{name}.so", plugins)
        run = tenon("run", "ppo", "Count-v1", "--plugins", plugins, folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (2, "error: several envs are named 'Count-v1'\nhelp: name one of them: "
                                                           "counts_loads/Count-v1, sound/Count-v1\n"))

    def test_an_example_leaves_its_short_name_to_another_library(self):
        self.assertIn("an example", tenon("list", "classic_c").stdout)
        for name, plugin in (("MountainCar-v0", "classic/MountainCar-v0"), ("classic_c/MountainCar-v0", "classic_c/MountainCar-v0")):
            printed = tenon("run", "dqn", name, "--print", folder=self.folder)
            self.assertEqual((printed.returncode, printed.stderr), (0, ""))
            self.assertEqual(tomllib.loads(printed.stdout)["env"]["plugin"], plugin)

    def test_an_env_without_an_algorithm(self):
        for word, stderr in [
            ("CartPole-v1", "error: 'CartPole-v1' is an env, and needs an algorithm before it\nhelp: for example `tenon run ppo CartPole-v1`\n"),
            ("gym/Taxi-v4", "error: 'gym/Taxi-v4' is an env, and needs an algorithm before it\nhelp: for example `tenon run ppo gym/Taxi-v4`\n"),
            ("cartpole", "error: 'cartpole' is neither a manifest nor an env; did you mean 'classic/CartPole-v1'?\n"
                         "help: an env needs an algorithm before it: `tenon run ppo ENV`\n"),
            ("gym:Taxi-v4", "error: 'gym:Taxi-v4' is neither a manifest nor an env; did you mean 'gym/Taxi-v4'?\n"
                            "help: an env needs an algorithm before it: `tenon run ppo ENV`\n"),
            ("Taxi-v4", "error: 'Taxi-v4' is neither a manifest nor an env; did you mean 'gym/Taxi-v4', 'gym_embedded/Taxi-v4'?\n"
                        "help: an env needs an algorithm before it: `tenon run ppo ENV`\n"),
            ("runs/Taxi-v4", "error: there is no file runs/Taxi-v4\n"),
            ("taxi", "error: there is no file taxi\n"),
        ]:
            self.refused(stderr, "run", word)
        run = tenon("run", "dqn", "mountaincar", folder=self.folder)
        self.assertEqual(run.stderr.splitlines()[0], "error: no env 'mountaincar'; did you mean 'classic/MountainCar-v0'?")
        self.refused("error: no env 'gym:Taxi-v4'; did you mean 'gym/Taxi-v4'?\nhelp: `tenon list env` shows all envs\n",
                     "run", "dqn", "gym:Taxi-v4")
        self.refused("error: no env 'Taxi-v4'; did you mean 'gym/Taxi-v4', 'gym_embedded/Taxi-v4'?\nhelp: `tenon list env` shows all envs\n",
                     "run", "dqn", "Taxi-v4")
        run = tenon("run", "dqn", "chess", folder=self.folder)
        self.assertIn("an env in Python is named with its library: gym/chess, gym_embedded/chess, open_spiel/chess", run.stderr)

    def test_another_kind_of_component(self):
        self.refused("error: [env] needs an env, but mlp/value is a policy\n", "run", "ppo", "mlp/value")

    def test_an_env_that_the_algorithm_is_not_for(self):
        run = tenon("run", "dqn", "Pendulum-v1", folder=self.folder)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        kinds = ["grid", "grid_and_vectors", "matrix", "picture", "picture", "picture_and_vectors", "vector", "vector"]
        ends = ["", "", "", "", " of atari/*", "", "", " of several agents"]
        told = "; ".join(f"{kind} observations with discrete actions{end}" for kind, end in zip(kinds, ends, strict=True))
        self.assertRegex(run.stderr, "^error: 'dqn' has no preset for classic/Pendulum-v1, which has vectors as observations and "
                                     f"continuous actions\nhelp: 'dqn' is for {re.escape(told)}\nfor this env there are: .*sac.*\n$")

    def test_several_groups(self):
        self.refused("error: 'ppo' has no preset for small/Hunt-v0, in which several groups act\nhelp: write a manifest with a policy and an "
                     "objective for each group, as docs/groups.md shows\n", "run", "ppo", "small/Hunt-v0", "--set", 'env.prey="learnt"')

    def test_half_of_what_is_needed(self):
        self.refused("error: the algorithm 'ppo' needs an env\nhelp: for example `tenon run ppo CartPole-v1`\n", "run", "ppo")
        self.refused("error: init needs an algorithm and an env\nhelp: `tenon init ppo CartPole-v1`\n", "init", "ppo")
        self.refused("error: --print shows the manifest that an algorithm and an env give; name both\n", "run", "m.toml", "--print")
        self.refused("error: there are too many arguments: 'c'\nhelp: usage: tenon init ALGORITHM ENV [options]\n", "init", "a", "b", "c")

    def test_a_key_that_there_is_not(self):
        self.refused("error: unknown key 'objective.gama'; did you mean 'gamma'?\n --> --set #1:1:11\n  |\n1 | objective.gama=1\n"
                     "  |           ^^^^\n", "init", "ppo", "CartPole-v1", "--set", "objective.gama=1", "--out", "m.toml")

    def test_a_file_that_is_there(self):
        (self.folder / "m.toml").write_text("mine")
        run = tenon("init", "ppo", "CartPole-v1", "--out", "m.toml", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (2, "error: m.toml exists; name another file, or remove it\n"))
        self.assertEqual((self.folder / "m.toml").read_text(), "mine")

    def test_resuming_with_an_algorithm(self):
        run = tenon("run", "ppo", "CartPole-v1", "--resume", "x", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr),
                         (2, "error: --resume continues with the manifest of its run; name no algorithm and env\n"))


if __name__ == "__main__":
    unittest.main()
