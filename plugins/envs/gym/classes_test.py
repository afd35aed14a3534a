#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a class of the user's, and in the id that names it: the sentence about each."""

import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from tenon_worker.classes import check_seed, make_class, near_module
from tenon_worker.make import no_module
from tenon_worker.sentences import Refusal, check_reset, sentence_of

MODULE = """
import sys

number = 3


class Warehouse:
    observation_space = action_space = None

    def __init__(self, size=4, *, floor=1, render_mode=None):
        self.given = (size, floor, render_mode)

    def reset(self, seed=None, options=None):
        pass

    def step(self, action):
        pass


class Fleet(Warehouse):
    def __init__(self, robots):
        pass


class Forgets(Warehouse):
    def reset(self):
        pass


class NoSpaces:
    reset = step = None


def anything(**kwargs):
    return Warehouse(**kwargs)


def nothing():
    pass


def integer():
    return 3
"""
OTHERS = """
class Functional:
    observation_spec = property(lambda self: object())
    action_spec = property(lambda self: object())
    reset = step = None


def make():
    return Functional()
"""


class Classes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        sys.path.insert(0, cls.folder)
        cls.addClassCleanup(sys.path.remove, cls.folder)
        for name, text in [("my_world", MODULE), ("others", OTHERS), ("torn", "def f(:\n"), ("leaves", "import sys\nsys.exit(4)\n"),
                           ("divides", "def half(x):\n    return 1 / x\n\n\nhalf(0)\n")]:
            Path(cls.folder, name + ".py").write_text(text)

    def refusal(self, id, lanes=None, **kwargs):
        with self.assertRaises(Refusal) as caught:
            make_class(*id.split(":"), lanes, kwargs, {})
        return caught.exception

    def test_what_is_right_is_made(self):
        self.assertEqual(make_class("my_world", "Warehouse", None, {"floor": 2}, {}).given, (4, 2, None))
        self.assertEqual(make_class("my_world", "anything", None, {"size": 5}, {}).given, (5, 1, None))
        drawn = make_class("my_world", "Warehouse", None, {}, {"render_mode": "rgb_array"})
        self.assertEqual(drawn.given, (4, 1, "rgb_array"))

    def test_each_mistake_has_a_sentence(self):
        file = str(Path(self.folder, "my_world.py"))
        for id, more, option, said in [
            ("my_world:Warehous", {}, "id", f"the module my_world ({file}) has no class Warehous; did you mean 'Warehouse'?"),
            ("my_world:Car", {}, "id", f"the module my_world ({file}) has no class Car; it has Warehouse, Fleet, Forgets, NoSpaces"),
            ("my_world:number", {}, "id", "'my_world:number' is an int, and should be a class or a function"),
            ("my_world:nothing", {}, "id",
             "'my_world:nothing' made None, which is no environment: it lacks observation_space, action_space, reset, step"),
            ("my_world:integer", {}, "id",
             "'my_world:integer' made an int, which is no environment: it lacks observation_space, action_space, reset, step"),
            ("my_world:NoSpaces", {}, "id",
             "'my_world:NoSpaces' made a NoSpaces, which is no environment: it lacks observation_space, action_space"),
            ("others:make", {}, "id",
             "'others:make' took its kwargs {} and made a Functional, which has neither Gymnasium's interface nor dm_env's: its "
             "observation_spec is no method; jumanji.wrappers.JumanjiToGymWrapper gives an environment of Jumanji Gymnasium's"),
            ("my_world.py:Warehouse", {}, "id", "'my_world.py:Warehouse' names a file: write 'my_world:Warehouse'"),
            ("./worlds/my_world:Warehouse", {}, "id",
             "'./worlds/my_world:Warehouse' names a file: write 'my_world:Warehouse', and folder = \"./worlds\""),
            ("my_world:Warehouse", {"sise": 3}, "kwargs",
             "the constructor of 'my_world:Warehouse' refuses its kwargs {'sise': 3}: there is no 'sise'; did you mean 'size'?"),
            ("my_world:Warehouse", {"colour": 3}, "kwargs",
             "the constructor of 'my_world:Warehouse' refuses its kwargs {'colour': 3}: there is no 'colour'; it takes size, floor"),
            ("my_world:Fleet", {}, "id", "the constructor of 'my_world:Fleet' needs robots: kwargs = { robots = ... }"),
            ("my_world:Warehouse", {"lanes": 2}, "vector",
             "the constructor of 'my_world:Warehouse' takes no num_envs, so it makes single environments: leave out vector"),
            ("torn:Warehouse", {}, "id", "the module torn cannot be imported: SyntaxError: invalid syntax ("
             + str(Path(self.folder, "torn.py")) + ":1)"),
            ("leaves:Warehouse", {}, "id", "the module leaves cannot be imported: it called sys.exit(4) ("),
            ("divides:Warehouse", {}, "id", "the module divides cannot be imported: ZeroDivisionError: division by zero ("
             + str(Path(self.folder, "divides.py")) + ":2 in half, "),
        ]:
            with self.subTest(said):
                refusal = self.refusal(id, **more)
                self.assertTrue(str(refusal).startswith(said), str(refusal))
                self.assertNotIn("frozen", str(refusal))
                self.assertEqual(refusal.option, option)

    def test_a_reset_without_a_seed(self):
        check_seed(make_class("my_world", "Warehouse", None, {}, {}))
        env = make_class("my_world", "Forgets", None, {}, {})
        with self.assertRaises(Refusal) as caught:
            check_seed(env)
        line = MODULE[: MODULE.index("    def reset(self):")].count("\n") + 1
        self.assertEqual(str(caught.exception), f"Forgets.reset takes no seed ({Path(self.folder, 'my_world.py')}:{line}): "
                                                "its signature has to be reset(self, *, seed=None, options=None)")
        env.reset = lambda **given: None
        check_seed(env)
        # Gymnasium's wrappers pass it on, those of others may not.
        del env.reset
        for module, is_refused in (("gymnasium.wrappers.common", True), ("other.wrappers", False)):
            wrapper = type("Wrapper", (), {"__module__": module, "reset": lambda self, *, seed=None, options=None: None})()
            wrapper.env = env
            with self.subTest(module):
                if is_refused:
                    self.assertRaises(Refusal, check_seed, wrapper)
                else:
                    check_seed(wrapper)

    def test_a_module_beside_the_manifest_may_be_meant(self):
        self.assertEqual(near_module({"folder": self.folder}, "my_wrld"), "; did you mean 'my_world'?")
        self.assertEqual(near_module({"folder": self.folder}, "pybullet_envs"), "")
        self.assertEqual(near_module({"folder": ""}, "my_wrld"), "")

    def test_an_adapter_needs_its_package_and_brings_the_modules_of_it(self):
        told = {"folder": self.folder, "name": "dm_control:cheetah-run"}
        self.assertEqual(no_module(dict(told, id="dm_control:cheetah-run"), "dm_env"),
                         f"'dm_control:cheetah-run' needs the module dm_env, which {sys.executable} does not find: install it "
                         f"with '{sys.executable} -m pip install dm_control'")
        self.assertTrue(no_module(dict(told, id="my_wrld:Warehouse"), "my_wrld").endswith("; did you mean 'my_world'?"))

    def test_what_resets_and_steps_of_old_interfaces_return(self):
        self.assertEqual(check_reset((1, {})), (1, {}))
        for result in (1, (1, 2), (1, {}, 3), [1, {}]):
            with self.assertRaisesRegex(Refusal, "^reset returned no pair of an observation and infos"):
                check_reset(result)
        # A wrapper of Gymnasium takes the result of step apart.
        code = compile("def step(env, action):\n    a, b, c, d, e = env(action)\n", "/x/gymnasium/core.py", "exec")
        wrapper = types.ModuleType("wrapper")
        exec(code, wrapper.__dict__)
        for result, said in [((1, 2, 3, 4), "step returned no (observation, reward, terminated, truncated, info)"),
                             (None, "TypeError: cannot unpack")]:
            try:
                wrapper.step(lambda action, result=result: result, 0)
            except Exception as error:
                self.assertIn(said, sentence_of(error))
            else:
                self.fail("nothing was raised")


if __name__ == "__main__":
    unittest.main()
