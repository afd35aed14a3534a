# SPDX-License-Identifier: Apache-2.0
"""Runs `tenon check`: TENON is the program, FIXTURES the folder of the plugins that are made for tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
FIXTURES = Path(os.environ["FIXTURES"])
SANITIZED = os.environ.get("SANITIZED") == "1"


def tenon_check(*words, **variables):
    environment = os.environ | variables
    return subprocess.run([TENON, "check", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, env=environment)


def checked(*words, **variables):
    """The exit code and the object that `tenon check --json` prints last; `variables` of the environment."""
    run = tenon_check(*words, "--json", **variables)
    assert run.stdout, f"nothing came of {words}: {run.stderr}"
    return run.returncode, json.loads(run.stdout.splitlines()[-1])


def failures(report):
    """Name of a check -> (sentence, what it breaks)."""
    return {row["check"]: (row["sentence"], row["breaks"]) for row in report["checks"] if row["outcome"] == "fail"}
