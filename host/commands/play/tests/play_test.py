#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon play`: videos of a checkpoint, as animated PNG, through ffmpeg and in the terminal. A stand-in for ffmpeg keeps the
frames that it gets, which are what an animated PNG must show."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))

from patience import PATIENCE  # noqa: E402
from animated_png import frames_of

TENON = os.environ["TENON"]
ACTS = """
[run]
total_frames = 64

[env]
plugin = "{env}"

[policy.actor]
plugin = "random/random"

[eval]
every_frames = 64
"""
# Its mode actions depend on the observation alone, so that an episode is the same in whichever lane it is played.
LEARNS = """
[run]
executor = "compiled"
total_frames = 512

[env]
plugin = "classic/CartPole-v1"

[policy.actor]
plugin = "mlp/categorical"

[policy.value]
plugin = "mlp/value"

[objective]
plugin = "ppo/ppo"

[eval]
every_frames = 512
"""
KEEPS = """#!/bin/sh
for last; do :; done
printf '%s\\n' "$@" > "${last#file:}.words"
exec cat > "${last#file:}"
"""
FAILS = """#!/bin/sh
echo 'Unable to choose an output format for it' >&2
exit 1
"""
HEIGHT, WIDTH = 200, 300  # of CartPole's pictures


class Play(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def tenon(self, *words, path="/usr/bin:/bin", status=0):
        done = subprocess.run([TENON, *words], cwd=self.folder, env={**os.environ, "PATH": path, "NO_COLOR": "1"},
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def watched(self, meanwhile, *words):
        """In a terminal: the exit code, what it shows and what is said on stderr. meanwhile: called with the process and what is
        shown so far."""
        person, theirs = pty.openpty()
        with open(self.folder / "said", "w+") as said:
            process = subprocess.Popen([TENON, *words], cwd=self.folder, stdout=theirs, stderr=said)
            self.addCleanup(lambda: (process.kill(), process.wait()))
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # the terminal is closed when the process ends
                while block := os.read(person, 65536):
                    shown += block
                    meanwhile(process, shown.decode("utf-8", "replace"))
            os.close(person)
            status = process.wait(timeout=PATIENCE)
            said.seek(0)
            return status, shown.decode("utf-8", "replace"), said.read()

    def run_of(self, env):
        self.run_by(ACTS.replace("{env}", env))

    def run_by(self, manifest):
        (self.folder / "m.toml").write_text(manifest)
        self.tenon("run", "m.toml", "--quiet", "--out", "run")

    def program(self, text):
        """A PATH in which ffmpeg is this text."""
        folder = self.folder / "programs"
        folder.mkdir(exist_ok=True)
        (folder / "ffmpeg").write_text(text)
        (folder / "ffmpeg").chmod(0o755)
        return f"{folder}:/usr/bin:/bin"

    def nothing(self):
        """A PATH without ffmpeg."""
        folder = self.folder / "nothing"
        folder.mkdir(exist_ok=True)
        return str(folder)

    def test_an_animated_png_and_ffmpeg_get_the_same_pictures_and_eval_the_same_score(self):
        self.run_by(LEARNS)
        told = json.loads(self.tenon("play", "run", "--video", "a.png", "--episodes", "2", "--json").stdout)
        frames, rate = frames_of(self.folder / "a.png")
        self.assertEqual(rate, 20)
        self.assertEqual(told["frames"], len(frames))
        self.assertEqual(told["frames"], round((told["length_mean"] + 1) * told["episodes"]))
        self.assertEqual(told["video"], "a.png")

        self.tenon("play", "run", "--video", "b.mp4", "--episodes", "2", path=self.program(KEEPS))
        self.assertEqual((self.folder / "b.mp4").read_bytes(), b"".join(frames))
        words = (self.folder / "b.mp4.words").read_text().split("\n")
        self.assertEqual(words[words.index("-s") + 1], f"{WIDTH}x{HEIGHT}")
        self.assertEqual(words[words.index("-r") + 1], "50")

        scored = json.loads(self.tenon("eval", "run", "--episodes", "2", "--json").stdout)
        self.assertEqual({key: told[key] for key in scored}, scored)

    def test_the_last_picture_is_the_end_of_the_episode(self):
        self.run_of("small/Catch-v0")
        told = json.loads(self.tenon("play", "run", "--video", "a.png", "--json").stdout)
        frames = frames_of(self.folder / "a.png")[0]
        self.assertEqual(len(frames), told["length_mean"] + 1)
        self.assertEqual(len(set(frames)), len(frames), "the ball falls in every picture")

    def test_a_pole_stands_on_a_cart_in_the_first_picture(self):
        self.run_of("classic/CartPole-v1")
        self.tenon("play", "run", "--video", "a.png")
        first = frames_of(self.folder / "a.png")[0][0]
        colours = {first[at:at + 3] for at in range(0, len(first), 3)}
        for colour in ((255, 255, 255), (40, 40, 40), (202, 152, 101), (129, 132, 203)):
            self.assertIn(bytes(colour), colours)

    def test_every_env_that_draws_can_be_played(self):
        for env in ("classic/Pendulum-v1", "classic/Acrobot-v1", "classic/MountainCar-v0",
                    "classic/MountainCarContinuous-v0", "small/Breakout-v0", "small/Catch-v0", "small/TMaze-v0",
                    "small/BitFlip-v0"):
            with self.subTest(env):
                self.run_of(env)
                self.tenon("play", "run", "--video", "a.png")
                frames = frames_of(self.folder / "a.png")[0]
                self.assertGreater(len(set(frames)), 1, "nothing moves")
                subprocess.run(["rm", "-r", "run"], cwd=self.folder, check=True)

    def test_without_ffmpeg_the_video_is_an_animated_png_and_it_says_so(self):
        self.run_of("classic/CartPole-v1")
        done = self.tenon("play", "run", "--video", "a.mp4", path=self.nothing())
        self.assertIn("there is no ffmpeg in PATH, so the video is an animated PNG", done.stderr)
        self.assertIn("pictures in a.png", done.stdout)
        self.assertTrue(frames_of(self.folder / "a.png")[0])
        self.assertFalse((self.folder / "a.mp4").exists())

    def test_without_ffmpeg_another_file_is_not_replaced(self):
        self.run_of("small/Catch-v0")
        (self.folder / "a.png").write_text("a drawing")
        done = self.tenon("play", "run", "--video", "a.mp4", path=self.nothing(), status=2)
        self.assertIn("there is no ffmpeg in PATH, so the video would be an animated PNG, and a.png exists", done.stderr)
        self.assertEqual((self.folder / "a.png").read_text(), "a drawing")
        self.tenon("play", "run", "--video", "a.mp4", path=self.program(KEEPS))
        self.tenon("play", "run", "--video", "a.png", path=self.nothing())
        self.assertTrue(frames_of(self.folder / "a.png")[0])

    def test_what_ffmpeg_says_is_passed_on(self):
        self.run_of("classic/CartPole-v1")
        done = self.tenon("play", "run", "--video", "a.xyz", path=self.program(FAILS), status=4)
        self.assertIn("ffmpeg could not write a.xyz: Unable to choose an output format for it", done.stderr)
        self.assertIn("name a file that ends in .mp4", done.stderr)

    def test_an_env_in_a_separate_process_draws_no_pictures_and_the_message_says_why(self):
        self.run_by(ACTS.replace("{env}", 'classic/CartPole-v1"\nisolation = "process'))
        done = self.tenon("play", "run", "--video", "a.png", status=2)
        self.assertIn("draws no pictures: it runs in a separate process", done.stderr)
        self.assertIn('set isolation = "inproc"', done.stderr)

    def test_a_run_films_the_evaluations_that_it_keeps(self):
        (self.folder / "m.toml").write_text(LEARNS + "video = true\n")
        self.tenon("run", "m.toml", "--quiet", "--out", "run", path=self.nothing())
        film = self.folder / "run/checkpoints/best/video.png"
        self.tenon("play", "run", "--video", "a.png", "--checkpoint", "best")
        self.assertEqual(frames_of(film)[0], frames_of(self.folder / "a.png")[0])
        self.assertEqual(self.frames_in_tensorboard(), frames_of(film)[0][::4])

    def frames_in_tensorboard(self):
        (events,) = (self.folder / "run/tensorboard").iterdir()
        _, picture = events.read_bytes().split(b"eval/video")  # of the only evaluation
        end = b"IEND\xaeB`\x82"
        (self.folder / "strip.png").write_bytes(picture[picture.index(b"\x89PNG") : picture.index(end) + len(end)])
        return frames_of(self.folder / "strip.png")[0]

    def test_a_run_whose_env_cannot_be_filmed_does_not_begin(self):
        (self.folder / "m.toml").write_text(ACTS.replace("{env}", "small/Bandit-v0") + "video = true\n")
        done = self.tenon("validate", "m.toml", status=2)
        self.assertIn("small/Bandit-v0 draws no pictures", done.stderr)
        self.assertIn("help: a native env draws by its functions picture and draw (docs/write-a-plugin/env.md)", done.stderr)
        self.assertIn("m.toml:13:9", done.stderr)

    def test_a_video_needs_its_folder(self):
        self.run_of("small/Catch-v0")
        done = self.tenon("play", "run", "--video", "none/a.png", status=2)
        self.assertIn("there is no folder none for the video none/a.png", done.stderr)

    def test_the_terminal_shows_half_blocks(self):
        self.run_of("small/Catch-v0")
        status, shown, _ = self.watched(lambda process, shown: None, "play", "run", "--watch")
        self.assertEqual(status, 0)
        self.assertIn("▀", shown)
        self.assertIn("return", shown)

    def test_a_pipe_is_no_terminal(self):
        self.run_of("small/Catch-v0")
        done = self.tenon("play", "run", "--watch", status=2)
        self.assertIn("play --watch draws in a terminal, but the output is redirected", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_an_interrupted_one_says_how_many_episodes_were_shown(self):
        self.run_of("small/Catch-v0")
        sent = []

        def interrupt(process, shown):
            if not sent and shown.count("\x1b[H") >= 40:
                sent.append(process.send_signal(signal.SIGINT))

        status, out, said = self.watched(interrupt, "play", "run", "--watch", "--video", "a.png", "--episodes", "500")
        self.assertEqual(status, 0, said)
        ended = int(re.search(r"stopped after (\d+) of 500 episodes; the last pictures are those of another one", said)[1])
        self.assertRegex(out, rf"over {ended} episodes")
        self.assertGreaterEqual(len(frames_of(self.folder / "a.png")[0]), 10 * ended)

    def test_what_cannot_be_shown_is_said(self):
        self.run_of("small/Bandit-v0")
        self.assertIn("draws no pictures", self.tenon("play", "run", "--video", "a.png", status=2).stderr)
        self.assertIn("play needs --video FILE, --watch or --tokens, or --keys for a person who plays", self.tenon("play", "run", status=2).stderr)
        told = self.tenon("play", "classic/CartPole-v1", "--video", "a.png", status=2).stderr
        self.assertIn("help: without --keys, play shows a checkpoint of a run: name the run's folder", told)
        self.assertIn("play needs the folder of a run", self.tenon("play", status=2).stderr)
        self.assertIn("play takes --set only with --keys",
                      self.tenon("play", "run", "--watch", "--set", "env.lanes=2", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
