# SPDX-License-Identifier: Apache-2.0
"""Runs the program as these tests do: TENON is it, FIXTURES the folder of the plugins made for tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
FIXTURES = Path(os.environ["FIXTURES"])
PLUGINS = Path(TENON).parent.parent / "lib" / "tenon" / "plugins"

LEAST = """[run]
total_frames = 64

[env]
plugin = "{env}"

[policy.actor]
plugin = "random/random"
"""


def tenon(*words, folder, search=None, **variables):
    """A finished process of the program, started in `folder`; `search` is looked into for plugins first."""
    environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"} | variables
    if search is not None:
        environment["TENON_PLUGIN_PATH"] = str(search)
    command = [TENON, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=PATIENCE)


def told(text, folder):
    """stderr without what differs from machine to machine: folders, hashes of builds, columns as a compiler counts,
    the last digits of sums."""
    text = text.replace(f"{folder}/", "").replace(str(FIXTURES), "FIXTURES").replace(str(PLUGINS), "PLUGINS")
    text = re.sub(r"its SHA-256 is [0-9a-f]{64}", "its SHA-256 is HASH", text)
    text = re.sub(r"its inputs are in \[[-+.\de]+, [-+.\de]+\]", "its inputs are in [LOW, HIGH]", text)
    text = re.sub(r"(\.hpp):\d+:\d+(?=$|: )", r"\1:LINE:COLUMN", text, flags=re.MULTILINE)  # the SDK's own lines move
    text = re.sub(r"(\.cpp):\d+\)", r"\1:LINE)", text)
    return re.sub(r"(\.[ch]pp:\d+):\d+(?=$|: )", r"\1:COLUMN", text, flags=re.MULTILINE)
