# SPDX-License-Identifier: Apache-2.0
"""The program inside this package, and the console script that becomes it."""

import os
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent
PROGRAM = HOME / "bin" / "tenon"


def main():
    """Replaces this process by the program, so that signals and exit codes are its own."""
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


def manifests():
    """The folder of the example manifests."""
    return HOME / "share" / "tenon" / "manifests"
