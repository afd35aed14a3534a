# SPDX-License-Identifier: Apache-2.0
"""Golden pictures of Gymnasium's AtariPreprocessing and FrameStackObservation, for plugins/envs/atari/golden.

    python3 -m venv v && v/bin/pip install gymnasium==1.4.0 ale-py==0.12.1 opencv-python-headless==5.0.0.93
    WORLDS_PYTHON=v/bin/python TENON=build/release/bin/tenon v/bin/python tests/golden/generate/atari.py

The actions are those that `tenon record` draws with the manifest of plugins/envs/atari/atari_test.py."""

import json
import sys
import zlib
from pathlib import Path

import ale_py
import cv2
import gymnasium

ATARI = Path(__file__).resolve().parents[3] / "plugins" / "envs" / "atari"
sys.path.insert(0, str(ATARI))
import atari_test  # noqa: E402

STEPS = 300
SEED = 5


def recorded_actions(game):
    test = atari_test.Atari()
    test.setUp()
    more = "repeat_action_probability = 0.0\nseed_offset = %d" % SEED
    frames = test.record(STEPS, game=game, more=more, tail=atari_test.NOOPS.format(most=1) + atari_test.CHAIN)
    test.doCleanups()
    return frames.numbers("action")[:STEPS]


def play(game, actions):
    env = gymnasium.make("ALE/%s-v5" % game, frameskip=1, repeat_action_probability=0.0)
    env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=1, frame_skip=4, screen_size=84, grayscale_obs=True)
    env = gymnasium.wrappers.FrameStackObservation(env, 4)
    observation, _ = env.reset(seed=SEED)
    out = {"observations": [zlib.crc32(observation.tobytes())], "rewards": [], "ends": []}
    for t, action in enumerate(actions):
        observation, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            out["ends"].append(t)
            observation, _ = env.reset()
        out["observations"].append(zlib.crc32(observation.tobytes()))
        out["rewards"].append(float(reward))
    return out


gymnasium.register_envs(ale_py)
made_by = "ale-py %s, gymnasium %s, OpenCV %s" % (ale_py.__version__, gymnasium.__version__, cv2.__version__)
(ATARI / "golden").mkdir(exist_ok=True)
for game in ("Pong", "Breakout"):
    actions = recorded_actions(game)
    golden = {"by": made_by, "actions": "".join(map(str, actions)), **play(game, actions)}
    (ATARI / "golden" / ("%s.json" % game.lower())).write_text(json.dumps(golden) + "\n")
