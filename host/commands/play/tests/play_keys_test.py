#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon play --keys` through a pseudo-terminal: keys change the actions, and the terminal is as before however it ends."""

import fcntl
import itertools
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
RIGHT, LEFT, UP = "\x1b[C", "\x1b[D", "\x1b[A"


class Played:
    """The program in a terminal of its own, which is the one that a person types into."""

    def __init__(self, folder, *words):
        self.person, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.seen = ""
        self.process = subprocess.Popen([TENON, "play", *words, "--keys"], cwd=folder, stdin=self.theirs, stdout=self.theirs,
                                        stderr=self.theirs, start_new_session=True, env={**os.environ, "NO_COLOR": "1"})

    def read(self, seconds):
        if select.select([self.person], [], [], seconds)[0]:
            self.seen += os.read(self.person, 65536).decode("utf-8", "replace")

    def until(self, pattern):
        """Waits for new output like that and forgets what came before."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen)):
            assert time.monotonic() < end and (self.process.poll() is None or select.select([self.person], [], [], 0)[0]), (
                pattern, self.process.poll(), self.seen[-600:])
            self.read(0.2)
        self.seen = self.seen[found.end():]

    def press(self, keys):
        os.write(self.person, keys.encode())

    def end(self):
        """The exit code, when all output has been read."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self.read(0.1)
        while select.select([self.person], [], [], 0)[0]:
            self.read(0)
        after = termios.tcgetattr(self.theirs)
        os.close(self.person)
        os.close(self.theirs)
        assert after == self.before, "the terminal is not as before"
        assert "\x1b[?25h" in self.seen, "the cursor is hidden"
        return self.process.returncode


class PlayKeys(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def play(self, *words):
        played = Played(self.folder, *words)
        self.addCleanup(lambda: (played.process.kill(), played.process.wait()))
        return played

    def test_arrows_choose_one_of_two_and_the_world_goes_on_by_itself(self):
        played = self.play("classic/CartPole-v1", "--seed", "3")
        played.until("q: leave; left: 0, right: 1")
        played.until("action: 0  step [1-9]")
        played.press(RIGHT)
        played.until("action: 1")
        played.press("a")
        played.until("action: 0")
        played.press("q")
        self.assertEqual(played.end(), 0)
        self.assertRegex(played.seen, "no episode has ended|return [0-9]+")

    def test_three_choices_have_one_in_the_middle(self):
        played = self.play("classic/MountainCar-v0")
        played.until("q: leave; left: 0, space: 1, right: 2")
        played.until("action: 1")
        for key, action in ((RIGHT, 2), (" ", 1), ("0", 0)):
            played.press(key)
            played.until(f"action: {action}")
        played.press("q")
        self.assertEqual(played.end(), 0)

    def test_numbers_go_up_and_down_in_tenths_of_their_range(self):
        played = self.play("classic/Pendulum-v1", "--set", "env.max_episode_steps=1000")
        played.until("q: leave; left/right: number 1, space: none")
        for key, action in ((RIGHT, "0.4"), (UP, "0.8"), (LEFT, "0.4"), (LEFT, "0 "), (RIGHT * 9, "2 "), (" ", "0 ")):
            played.press(key)
            played.until(f"action: {action}")
        played.press("q")
        self.assertEqual(played.end(), 0)

    def test_a_world_without_a_clock_waits_for_a_key_and_episodes_are_scored(self):
        played = self.play("small/BitFlip-v0", "--episodes", "1")
        played.until("q: leave; digits choose, left and right go to the next of 0 to 7")
        for step in range(8):
            played.until(f"step {step} ")
            time.sleep(0.1)
            played.read(0.1)
            self.assertNotIn(f"step {step + 1} ", played.seen)
            played.press("1" if step % 2 else "9" + "0")  # there is no 9
        played.until("step 8 ")  # the end is shown until a key is pressed
        played.press("0")
        self.assertEqual(played.end(), 0)
        self.assertRegex(played.seen, r"return -?[0-9.]+ .* over 1 episode of 8 steps")

    def test_the_env_may_be_that_of_a_manifest_or_of_a_run(self):
        text = '[env]\nplugin = "small/BitFlip-v0"\nbits = 3\n[run]\ntotal_frames = 8\n[policy.any]\nplugin = "random/random"\n'
        (self.folder / "m.toml").write_text(text)
        subprocess.run([TENON, "run", "m.toml", "--quiet", "--out", "run"], cwd=self.folder, check=True, capture_output=True)
        for source in ("m.toml", "run"):
            played = self.play(source)
            played.until("space: 1, right: 2")
            played.press("q")
            self.assertEqual(played.end(), 0)

    def untrained(self, env, *policies):
        table = lambda name, group: f'[policy.{name}]\nplugin = "mlp/categorical"\nhidden = [4]\n' + (f'group = "{group}"\n' if group else "")
        text = f"[env]\n{env}\n[run]\ntotal_frames = 8\n" + "".join(table(*policy) for policy in policies)
        (self.folder / "m.toml").write_text(text)
        subprocess.run([TENON, "run", "m.toml", "--quiet", "--out", "run"], cwd=self.folder, check=True, capture_output=True)

    def refuses(self, words, said):
        done = subprocess.run([TENON, "play", "run", "--keys", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(said, done.stderr)

    def plays_a_game(self, side, moves):
        """Fills the squares one after the other, whoever takes which, and sees the end."""
        played = self.play("run", "--side", side, "--episodes", "1", "--actions", "sample")
        played.until("q: leave; digits choose, left and right go to the next of 0 to 8")
        squares, end = itertools.cycle("012345678"), time.monotonic() + PATIENCE
        while played.process.poll() is None and time.monotonic() < end:
            shown = len(played.seen)
            played.read(0.1)
            if len(played.seen) == shown:  # it waits for the person
                played.press(next(squares))
        self.assertEqual(played.end(), 0)
        self.assertRegex(played.seen, r"return -?[01].* over 1 episode of [%s] steps" % moves)

    def test_a_person_takes_one_side_and_the_policy_the_other(self):
        self.untrained('plugin = "small/TicTacToe-v0"\nopponent = "learnt"', ("player", "player"), ("opponent", "opponent"))
        self.plays_a_game("opponent", "5-9")
        played = self.play("run", "--side", "player")
        played.until("action: ")
        played.press("q")
        self.assertEqual(played.end(), 0)

    def test_a_person_takes_the_turns_of_one_side(self):
        self.untrained('plugin = "small/TicTacToe-v0"\nopponent = "self"', ("any", ""))
        self.plays_a_game("1", "5-9")
        for words, said in ((("--side", "2"), "--side is '2', which is no side of small/TicTacToe-v0 (sides: 0, 1)"),
                            (("--side", "1", "--set", "env.opponent=random"), "play --side takes no --set")):
            self.refuses(words, said)

    def test_an_env_of_one_side_has_none_for_a_person(self):
        self.untrained('plugin = "small/BitFlip-v0"', ("any", ""))
        self.refuses(("--side", "player"), "a person cannot take a side of small/BitFlip-v0: it has neither")

    def test_signals_leave_the_terminal_as_it_was(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT):
            with self.subTest(number):
                played = self.play("classic/CartPole-v1")
                played.until("action: ")
                self.assertNotEqual(termios.tcgetattr(played.theirs), played.before)
                played.process.send_signal(number)
                self.assertNotEqual(played.end(), 0)

    def test_ctrl_c_ends_it(self):
        played = self.play("small/BitFlip-v0")
        played.until("action: ")
        played.process.send_signal(signal.SIGINT)
        self.assertIn(played.end(), (-signal.SIGINT, 130))

    def test_what_it_does_not_take_is_said(self):
        for words, said in ((("classic/CartPole-v1",), "play --keys needs a terminal"),
                            (("classic/CartPole-v1", "--video", "a.png"), "play --keys takes no --video"),
                            ((), "play --keys needs the name of an env, a manifest, or the folder of a run")):
            done = subprocess.run([TENON, "play", *words, "--keys"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        played = self.play("small/Bandit-v0")
        self.assertEqual(played.end(), 2)
        self.assertIn("small/Bandit-v0 draws no pictures", played.seen)


if __name__ == "__main__":
    unittest.main()
