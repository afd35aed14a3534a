#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with gym/env: the bytes of a plain Python loop, every kind of space, faults, and no process left behind."""

import json
import signal
import struct
import subprocess
import sys
from pathlib import Path

from worlds_case import HERE, PYTHON, TENON, Frames, WorldsCase, main, workers

sys.path.insert(0, str(HERE.parents[2] / "tests" / "support"))

from animated_png import frames_of
from long import LONG
from patience import wait_until

SUITE = """
import worlds
ALL_TASKS = [("cheetah", "run"), ("ball_in_cup", "catch_2")]
def load(domain, task, task_kwargs):
    assert (domain, task) == ALL_TASKS[1]
    return worlds.DmSteps(task_kwargs.pop("random", 0) + task_kwargs.pop("more", 0), **task_kwargs)
"""
MANIFEST = HERE.parents[2] / "manifests" / "gym_cartpole.toml"


class Bridge(WorldsCase):
    def test_cartpole_equals_a_plain_loop(self):
        self.equals_a_plain_loop("CartPole-v1")

    def test_frozen_lake_equals_a_plain_loop(self):
        self.equals_a_plain_loop("FrozenLake-v1", {"is_slippery": True, "map_name": "8x8"})

    def test_taxi_equals_a_plain_loop(self):
        self.equals_a_plain_loop("Taxi-v4", action_mask="none", frames=2400)

    def test_a_vector_of_single_environments_equals_a_plain_loop(self):
        self.equals_a_plain_loop("MountainCarContinuous-v0", vector="make_vec", frames=3600)

    def test_a_vector_environment_that_begins_late_equals_a_plain_loop(self):
        self.equals_a_plain_loop("CartPole-v1", vector="make_vec", loop="late")
        said = self.tenon("validate", self.manifest("CartPole-v1", vector="make_vec"))
        self.assertIn("begins episodes a step late (its autoreset mode is NEXT_STEP), so each lane has a vector", said)

    def test_a_vector_environment_refuses_steps_of_single_lanes(self):
        manifest = self.manifest("MountainCar-v0", lanes=4, workers=1, vector="make_vec", frames=256)
        manifest.write_text(manifest.read_text() + '[[env.wrappers]]\nplugin = "wrap/noop_reset"\n')
        said = self.tenon("run", manifest, "--out", self.folder / "out", "--quiet", code=3)
        self.assertIn("a wrapper steps some lanes without the others, which a vector environment cannot do", said)

    def test_a_vector_environment_that_begins_single_lanes_when_told(self):
        file = self.folder / "frames.safetensors"
        manifest = self.manifest("worlds:ManyLanes", lanes=2, workers=1, vector="make_vec", infos=["elapsed_step"])
        self.tenon("record", manifest, "--frames", 24, "--actions", "random", "--out", file)
        column = Frames(file).numbers
        pairs = list(zip(column("observation")[::2], column("observation")[1::2]))
        for lane, limit in ((0, 3), (1, 4)):
            self.assertEqual(pairs[lane:24:2], [(step % limit, 1 + step // limit) for step in range(12)])
            self.assertEqual(column("terminated")[lane:24:2], [step % limit == limit - 1 for step in range(12)])
        self.assertEqual(column("reward")[:24], column("action")[:24])
        finals = column("observation/final")
        self.assertEqual(sorted(zip(finals[::2], finals[1::2])), sorted((limit, 1 + e) for limit in (3, 4) for e in range(12 // limit)))

    def test_answers_of_a_group_have_their_own_rewards(self):
        file = self.folder / "frames.safetensors"
        more = {"infos": ["rewards"], "group": "answers"}
        self.tenon("record", self.manifest("worlds:Answers", lanes=2, **more), "--frames", 32, "--actions", "random", "--out", file)
        column = Frames(file).numbers
        prompts, answers = column("observation"), column("answers.action")
        for frame in range(32):
            prompt = prompts[2 * frame:2 * frame + 2]
            for answer in range(3 * frame, 3 * frame + 3):
                right = sum(one == other for one, other in zip(answers[2 * answer:2 * answer + 2], prompt)) / 2
                self.assertEqual(column("answers.reward")[answer], right)
            self.assertEqual(column("reward")[frame], sum(column("answers.reward")[3 * frame:3 * frame + 3]))
        self.assertEqual(set(column("answers.reward")[:96]), {0, 0.5, 1})
        for id, given, sentence in (
                ("worlds:Answers", {"group": "answers"}, "with group, the info 'rewards' is an array with a number for each agent"),
                ("worlds:Answers", more | {"kwargs": "{ rewards = 4 }"}, "with a row for each of the 4 agents that the info 'rewards' counts, all alike"),
                ("worlds:Answers", more | {"kwargs": "{ odd = true }"}, "with a row for each of the 3 agents")):
            self.assertIn(sentence, self.tenon("validate", self.manifest(id, **given), code=2))

    def test_an_environment_of_dm_env(self):
        file = self.folder / "frames.safetensors"
        manifest = self.manifest("worlds:DmSteps", lanes=2, seed_offset=40)
        self.tenon("record", manifest, "--frames", 32, "--actions", "random", "--out", file)
        column = Frames(file).numbers
        self.assertEqual(column("observation.count")[::2][:9], [0, 1, 2, 3, 0, 1, 2, 3, 0])
        self.assertEqual(column("observation.place/final"), [0.5, 4.0] * 8)
        self.assertEqual(column("terminated")[::2][:8], [False] * 3 + [True] + [False] * 4)
        self.assertEqual(column("truncated")[::2][:8], [False] * 7 + [True])
        self.assertEqual(column("reward")[:4], [40, 41, 40, 41])

    def test_a_task_of_dm_controls_suite_by_its_name(self):
        # The tests' Python lacks what dm_control needs: a suite of the same interface takes its place.
        (self.folder / "dm_control").mkdir()
        (self.folder / "dm_control" / "__init__.py").touch()
        (self.folder / "dm_control" / "suite.py").write_text(SUITE)
        file, path = self.folder / "frames.safetensors", {"PYTHONPATH": f"{self.folder}:{HERE}"}
        manifest = self.manifest("dm_control:ball_in_cup-catch_2", lanes=2, seed_offset=40, kwargs="{ more = 3 }")
        self.tenon("record", manifest, "--frames", 32, "--actions", "random", "--out", file, **path)
        column = Frames(file).numbers
        self.assertEqual(column("observation.count")[::2][:9], [0, 1, 2, 3, 0, 1, 2, 3, 0])
        self.assertEqual(column("reward")[:4], [43, 44, 43, 44])  # lane i has the seed 40 + i
        said = self.tenon("validate", self.manifest("dm_control:ball_in_cup-cach_2"), code=2, **path)
        self.assertIn("dm_control's suite has no task 'ball_in_cup-cach_2'; did you mean 'ball_in_cup-catch_2'?", said)

    def test_pictures_are_those_of_render(self):
        manifest = self.manifest("worlds:Drawn", frames=64)
        manifest.write_text(manifest.read_text() + "\n[eval]\nevery_frames = 64\nepisodes = 2\n")
        out = self.folder / "out"
        self.tenon("run", manifest, "--out", out, "--quiet")
        told = json.loads(self.tenon("play", out, "--video", "a.png", "--episodes", 2, "--json"))
        self.assertEqual(told["frames"], 12)
        pixels, _ = frames_of(self.folder / "a.png")
        self.assertEqual(pixels, [bytes([40 * (step % 6)]) * 72 for step in range(12)])

    def test_a_policy_sees_pictures(self):
        manifest = self.manifest("worlds:Drawn", frames=64)
        wrapped = manifest.read_text().replace("[policy.any]", "[[env.wrappers]]\nplugin = \"wrap/pixels\"\n\n[policy.any]")
        manifest.write_text(wrapped)
        self.assertIn("finished", self.tenon("run", manifest, "--out", self.folder / "out", "--quiet"))

    def test_what_cannot_be_drawn_is_said_before_anything_runs(self):
        for more, said in [
            (dict(id="worlds:Base"), "'worlds:Base' draws no pictures: it has no function render"),
            (dict(id="worlds:Drawn", kwargs='{ frame = "floats" }'), "returned float64 (4, 6, 3) and no array"),
            (dict(id="worlds:Drawn", kwargs='{ frame = "error" }'), "cannot draw: RuntimeError: the paint is dry ("),
            (dict(id="worlds:Drawn", kwargs='{ render_mode = "human" }'),
             "render() of 'worlds:Drawn' returned NoneType and no array [height, width, 3] of uint8"),
            (dict(id="worlds:DmSteps"), "worlds of dm_env draw only if they have the physics of dm_control"),
            (dict(id="MountainCarContinuous-v0", vector="make_vec"), "a vector environment draws no pictures here"),
        ]:
            with self.subTest(said):
                manifest = self.manifest(**more)
                manifest.write_text(manifest.read_text() + "\n[eval]\nevery_frames = 8\nvideo = true\n")
                self.assertIn(said, self.tenon("validate", manifest, code=4))

    def test_the_contract_holds_for_one_that_draws_and_judges(self):
        # Each check starts a Python process. worlds.gym_embedded has them all, and .ci/long has them for workers, too.
        few = ("draws complete pictures", "steps that end later", "judges steps by other goals", "equal state gives equal bytes",
               "continues after loading", "does not depend on other lanes")
        said = self.tenon("check", "gym/env", "--set", 'id="worlds:DrawnReach"', "--set", "workers=1", "--set", f'python="{PYTHON}"',
                          *(word for text in few if not LONG for word in ("--only", text)))
        self.assertRegex(said, "pass +draws complete pictures and does not change a lane by drawing")
        self.assertRegex(said, "pass +steps that end later are those of step")
        self.assertRegex(said, "pass +judges steps by other goals as it would have stepped")

    def test_the_manifest_learns(self):
        best = []
        for seed in (0, 1):
            said = self.tenon("run", MANIFEST, "--out", self.folder / str(seed), "--quiet", "--json", "--seed", seed,
                              "--set", "run.total_frames=60_000", "--set", "run.stop_at_return=195", "--set",
                              f'env.python="{PYTHON}"')
            best.append(json.loads(said.splitlines()[-1])["best_return_mean"])
            if best[-1] >= 195:
                return
        self.fail(f"the best returns are {best}")

    def test_every_space(self):
        self.assertIn("finished", self.play("worlds:Spaces"))
        said = self.tenon("explain", self.manifest("worlds:Spaces"))
        for key in ("observation.z", "observation.inner.gear", "observation.pair.1", "observation.one.which",
                    "action.dial.0", "action.knobs", "action.whole"):
            self.assertIn(key, said)

    def test_parts_that_no_column_can_hold_are_left_out_with_a_warning(self):
        said = self.play("worlds:Mission")
        self.assertIn("finished", said)
        for key, kind in (("observation.mission", "Sequence"), ("observation.inner.net", "Graph")):
            self.assertEqual(said.count(
                f"warning: gym/env: '{key}' is left out, because a space of the type {kind} has no fixed number of elements; "
                f'leave_out = ["{key}"] leaves it out without this warning\n'), 1, said)
        self.assertNotIn("warning", self.play("worlds:Mission", leave_out=["observation.mission", "observation.inner"]))

    def test_an_observation_needs_a_part_with_columns(self):
        for leave_out, why in ((["observation.image"], "the part 'observation.mission' of the observation space is Sequence("),
                               (["observation.image", "observation.mission", "observation.inner"], "leave_out leaves no observation")):
            self.assertIn(why, self.tenon("validate", self.manifest("worlds:Mission", leave_out=leave_out), code=2))

    def test_a_one_line_start_leaves_them_out_too(self):
        said = self.tenon("validate", "ppo", "gym/worlds:Mission", "--set", f'env.python="{PYTHON}"')
        self.assertEqual(said.count("'observation.mission' is left out"), 1, said)
        self.assertIn("fine", said)

    def test_masks_and_infos(self):
        self.assertIn("finished", self.play("worlds:Masked", infos=["score", "wet"]))
        self.assertIn("finished", self.play("worlds:MaskInObservation"))
        self.assertIn("is not allowed", self.play("worlds:Masked", action_mask="none", code=3))
        self.assertIn("there is no info 'speed' after a reset and a step; there are: action_mask, score, wet",
                      self.play("worlds:Masked", infos=["speed"], code=2))

    def test_the_same_bytes_each_time_and_for_any_workers(self):
        files = []
        for number, workers_count in enumerate((1, 2, 4, 4)):
            file = self.folder / f"{number}.safetensors"
            manifest = self.manifest("CartPole-v1", lanes=4, workers=workers_count)
            self.tenon("record", manifest, "--frames", 400, "--actions", "random", "--out", file)
            data = file.read_bytes()
            files.append(data[8 + struct.unpack("<Q", data[:8])[0] :])  # the header has the manifest's hash
        self.assertEqual(len(set(files)), 1)

    def test_a_traceback_names_the_users_lines(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "raise", lane = 1 }', seed_offset=0)
        self.assertRegex(text, r"worlds\.py:\d+ in deeper, .*worlds\.py:\d+ in do_raise, .*worlds\.py:\d+ in step\)")

    def test_the_users_lines_come_before_those_of_libraries(self):
        for what in ("shapeless", "constructor-shapeless"):
            with self.subTest(what):
                code = 2 if what.startswith("constructor") else 0
                text = self.play("worlds:Faulty", kwargs=f'{{ what = "{what}", lane = 1 }}', seed_offset=0, code=code)
                self.assertRegex(text, r"LinAlgError: .* \([^() ]*worlds\.py:\d+ in do_shapeless, .*, [^ ]*site-packages/numpy/[^ ]*:\d+ in \w+\)")

    def test_a_worker_that_ends_is_started_again(self):
        for what, said in [("hard-exit", "ended by itself with exit code 7 in step; its last output: out of coffee"),
                           ("crash", "was ended by SIGSEGV in step; it was in "),
                           ("hang", "did not come back from step within 1 s; it was in ")]:
            with self.subTest(what):
                once = self.folder / what
                text = self.play("worlds:Faulty", kwargs=f'{{ what = "{what}", once = "{once}" }}', workers=2, time_limit=1 if "within 1 s" in said else 30)
                self.assertIn(said, text)
                self.assertRegex(text, r"restarts left: [34]")  # both workers may end before one has told the other
                self.assertNotIn("frozen", text)
                self.assertNotIn("parked", text)
                self.assertIn("finished", text)

    def test_a_worker_that_is_killed_while_it_starts_is_started_again(self):
        places = self.folder / "places"
        for at, left in (("first more", 3), ("step first more", 2)):
            with self.subTest(at):
                places.write_text(at)
                text = self.play("worlds:Fragile", kwargs=f'{{ places = "{places}" }}', workers=1)
                self.assertIn(f"lanes 0 to 1 was ended by SIGKILL; it is started again (restarts left: {left})", text)
                self.assertEqual(places.read_text(), "")
                self.assertNotIn("parked", text)
                self.assertIn("finished", text)

    def test_too_many_ends_while_it_starts_end_the_run(self):
        places = self.folder / "places"
        for at in ("first first", "step more"):
            with self.subTest(at):
                places.write_text(at)
                text = self.play("worlds:Fragile", kwargs=f'{{ places = "{places}" }}', workers=1, restarts=1, code=3)
                self.assertIn("its worker process with lanes 0 to 1 was ended by SIGKILL; no restart is left", text)

    def test_bytes_that_are_no_answer_start_it_again(self):
        once = self.folder / "once"
        text = self.play("worlds:Faulty", kwargs=f'{{ what = "stray", once = "{once}" }}', frames=256, workers=1)
        said = "sent bytes that are no answer: its code writes to a file descriptor that it has not opened"
        self.assertIn(f"the worker process of 'worlds:Faulty', {PYTHON}, {said}", text)
        self.assertIn(said + "; the lanes lost this step and begin new episodes (restarts left: 4)", text)
        self.assertIn("finished", text)

    def test_low_descriptors_are_not_those_of_the_worker(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "low-descriptors" }', frames=256)
        self.assertNotIn("warning", text)
        self.assertIn("finished", text)

    def test_one_that_does_not_answer_is_waited_for_as_long_as_a_step(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "never-pickles" }', frames=64, workers=1, time_limit=0.5)
        self.assertIn("cannot be saved, so that a resumed run begins new episodes: the worker process of 'worlds:Faulty', "
                      f"{PYTHON}, did not answer within 0.5 s; it was in ", text)
        self.assertIn("finished", text)

    def test_a_worker_that_keeps_ending_ends_the_run(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "hard-exit" }', restarts=2, code=3)
        self.assertIn("no restart is left", text)

    def test_workers_that_end_in_the_same_step_are_all_told(self):
        text = self.play("worlds:Faulty", kwargs='{ what = "hard-exit" }', restarts=2, workers=2, code=3)
        self.assertRegex(text, "warning: gym/env: its worker process with lane 0 ended .*; its worker process with lane 1 ended ")

    def test_modules_are_found_beside_the_manifest(self):
        nested = self.folder / "nested"
        nested.mkdir()
        (nested / "mine.py").write_text("import gymnasium\n\n\ndef cart():\n    return gymnasium.make('CartPole-v1')\n")
        self.tenon("validate", self.manifest("mine:cart").rename(nested / "m.toml"))
        self.tenon("validate", self.manifest("mine:cart", folder="nested"))
        self.tenon("validate", self.manifest("mine:cart"), "--set", "env.folder=nested")
        self.assertIn("needs the module mine", self.tenon("validate", self.manifest("mine:cart"), code=2))

    def test_a_storm_of_prints_blocks_nothing(self):
        self.assertIn("finished", self.play("worlds:Faulty", kwargs='{ what = "storm" }'))
        log = (self.folder / "out" / "log.txt").read_text()
        self.assertRegex(log, r"gym/env: \(\d+ bytes more are left out here\)\n")

    def test_what_environments_print_is_in_the_log_of_the_run(self):
        printed = "gym/env: the mill turns\ngym/env:   and turns\n"
        self.assertNotIn("mill", self.play("worlds:Chatty"))
        self.assertIn(printed, (self.folder / "out" / "log.txt").read_text())
        self.assertIn("info: gym/env: the mill turns\ninfo: gym/env:   and turns\n", self.play("worlds:Chatty", output=True))
        self.assertIn(printed, (self.folder / "out" / "log.txt").read_text())

    def test_what_can_be_known_before_is_said_by_validate(self):
        broken = self.folder / "python"
        broken.write_text("#!/bin/sh\necho nothing here\n")
        broken.chmod(0o755)
        cases = [
            (dict(id="worlds:Nothing"), "has no class Nothing"),
            (dict(id="no_such_module:Thing-v0"), "needs the module no_such_module"),
            (dict(id="worlds:Faulty", folder="no/such/folder"), f"there is no folder {self.folder}/no/such/folder"),
            (dict(id="worlds:Spaces", leave_out=["observation.inner.gaer"]),
             "leave_out names 'observation.inner.gaer', but observation.inner has no 'gaer'; did you mean 'gear'?"),
            (dict(id="worlds:Faulty", kwargs='{ what = "constructor" }'), "failed: ValueError: no wheels (/"),
            (dict(id="worlds:Forgets", max_episode_steps=5), "option 'id': Forgets.reset takes no seed (/"),
            (dict(id="worlds:Faulty", kwargs='{ what = "space" }'),
             "the part 'observation.a' of the observation space is Sequence"),
            (dict(id="CartPole-v1", workers=2, envs_per_worker=3, lanes=8),
             "2 workers with 3 environments each are fewer than the 8 lanes"),
            (dict(id="CartPole-v1", python="/nowhere/python"), "/nowhere/python is no program"),
        ]
        for more, said in cases:
            with self.subTest(said):
                self.assertIn(said, self.tenon("validate", self.manifest(**more), code=2))
        missing = "needs the module no_such_module", "-m pip install no_such_module', or name its folder"
        for option, more, *sentences in [
                ("id", dict(id="CartPole-v9"), "there is no environment 'CartPole-v9' in gymnasium", "did you mean 'CartPole-v1'"),
                ("id", dict(id="no_such_module:Thing"), *missing),
                ("kwargs", dict(id="CartPole-v1", kwargs="{ wheels = 3 }"), "the constructor of 'CartPole-v1' refuses its kwargs"),
                ("python", dict(id="CartPole-v1", python="python9"), "there is no python9 in the PATH"),
                ("infos", dict(id="CartPole-v1", infos=["speed"])),
                ("leave_out", dict(id="CartPole-v1", leave_out=["observation.x"]))]:
            with self.subTest(option):
                manifest = self.manifest(**more)
                lines = manifest.read_text().split("\n")
                number = next(i for i, line in enumerate(lines) if line.startswith(option + " = ")) + 1
                said = self.tenon("validate", manifest, code=2)
                self.assertIn(f"m.toml:{number}:{len(option) + 4}\n", said)
                for sentence in (f"option '{option}': ", *sentences):
                    self.assertIn(sentence, said)
        text = self.tenon("validate", self.manifest("CartPole-v1", python=str(broken)), code=2)
        self.assertIn("ended by itself with exit code 0; its last output: nothing here", text)

    def test_a_python_without_gymnasium_gets_the_line_that_brings_it(self):
        bare = self.folder / "bare"
        python = self.make_bare(bare)
        text = self.tenon("validate", self.manifest("CartPole-v1", python=python), code=2)
        self.assertIn(f"install it with '{python} -m pip install gymnasium'", text)
        active = self.tenon("validate", self.manifest("CartPole-v1", python=""), code=2, VIRTUAL_ENV=str(bare))
        self.assertIn(f"{python} has no package", active)
        packages = next((bare / "lib").glob("python3.*/site-packages"))
        for name in ("numpy", "numpy.libs"):  # which many have without gymnasium
            found = next(Path(PYTHON).parents[1].glob(f"lib/python3.*/site-packages/{name}"))
            (packages / name).symlink_to(found)
        text = self.tenon("validate", self.manifest("CartPole-v1", python=python), code=2)
        self.assertIn(f"has no package gymnasium: install it with '{python} -m pip install gymnasium'", text)

    def test_a_python_that_the_system_manages_gets_the_lines_of_a_virtual_environment(self):
        python = self.make_bare(self.folder / "bare")
        system = self.folder / "system"  # stands for the folder of the standard library
        system.mkdir()
        (self.folder / "sitecustomize.py").write_text(
            f'import sys\nimport sysconfig\nsys.base_prefix = sys.prefix\npath = sysconfig.get_path\n'
            f'sysconfig.get_path = lambda name, *more: {str(system)!r} if name == "stdlib" else path(name, *more)\n')
        manifest = self.manifest("CartPole-v1", python=python)
        text = self.tenon("validate", manifest, code=2, PYTHONPATH=str(self.folder))
        self.assertIn(f"install it with '{python} -m pip install gymnasium'", text)
        (system / "EXTERNALLY-MANAGED").touch()
        text = self.tenon("validate", manifest, code=2, PYTHONPATH=str(self.folder))
        self.assertIn(f"make one with '{python} -m venv venv && venv/bin/pip install gymnasium', and name its interpreter with "
                      'python = "venv/bin/python"', text)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        self.resumes()

    def test_a_resumed_run_of_an_environment_of_ezpickle_equals_one_that_never_stopped(self):
        self.resumes("worlds:Remade", workers=1)

    def test_what_cannot_be_pickled_begins_anew_and_says_so(self):
        self.resumes_anew()

    def test_no_process_outlives_a_run_that_is_killed(self):
        manifest = self.manifest("worlds:Slow", frames=1_000_000, lanes=4, workers=2)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            run = subprocess.Popen([TENON, "run", manifest, "--out", self.folder / str(number), "--quiet"],
                                   env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: len(workers()) == 2, every=0.05)
            run.send_signal(number)
            run.wait(self.patience)
            wait_until(lambda: not workers(), every=0.05)

    def test_what_an_environment_has_forked_ends_with_a_killed_run(self):
        manifest = self.manifest("worlds:Forks", frames=1_000_000, workers=1)
        run = subprocess.Popen([TENON, "run", manifest, "--out", self.folder / "out", "--quiet"], env=self.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: len(workers()) == 4, every=0.05)  # one for each environment: of the description, and of two lanes
        run.kill()
        run.wait(self.patience)  # tearDown finds those that live on


if __name__ == "__main__":
    main()
