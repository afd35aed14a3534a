# SPDX-License-Identifier: Apache-2.0
"""Installs the host as a library, builds programs with a loop and with a buffer of their own elsewhere, and lets them
learn."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, **variables):
    environment = {key: value for key, value in os.environ.items() if key in ("HOME", "TMPDIR", "LANG", "ASAN_OPTIONS", "TENON_STATE")}
    environment.update(PATH="/usr/bin:/bin", **variables)
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "build", "source", "cxx-compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sanitize", default="", help="what the library was built with, as -fsanitize takes it")
    arguments = parser.parse_args()
    flags = "-Wall -Wextra -Wpedantic -Werror" + (f" -fsanitize={arguments.sanitize}" if arguments.sanitize else "")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        prefix, source = folder / "prefix", folder / "loop"
        for component in ("sdk", "core"):
            run(arguments.cmake, "--install", arguments.build, "--component", component, "--prefix", prefix)
        shutil.copytree(Path(arguments.source) / "tests" / "package" / "loop", source)
        run(arguments.cmake, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={flags}",
            f"-DCMAKE_CXX_COMPILER={arguments.cxx_compiler}")
        run(arguments.cmake, "--build", source / "build")
        # The modules and plugins are those of the build: only the library is what this is about.
        said = run(source / "build" / "loop", source / "dqn.toml", TENON_HOME=arguments.build)
        print(said.strip())
        if float(said.split()[0]) < 60:
            sys.exit("it has learnt nothing: a random player returns 22")
        said = run(source / "build" / "buffer", TENON_HOME=arguments.build)
        print(said.strip())
        if "batch [4, 50]" not in said or abs(float(said.splitlines()[-1].split()[0]) - 0.9**5) > 0.01:
            sys.exit("the table of the corridor's values is wrong")


if __name__ == "__main__":
    main()
