# SPDX-License-Identifier: Apache-2.0
"""Installs the SDK into an empty folder and builds the env in --source against it, as its author would, then once more with
the flags that hurt most (-ffast-math) and looks at what came out."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command):
    # No ccache, no paths and no flags of the tree's own build.
    environment = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "TMPDIR", "LANG")}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "nm", "c-compiler", "cxx-compiler"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prefix, source = folder / "prefix", folder / "drift"
        run(arguments.cmake, "--install", arguments.build, "--component", "sdk", "--prefix", prefix)
        shutil.copytree(arguments.source, source)
        cmake_lines = (source / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
        require(len(cmake_lines) == 4, f"4 lines of CMake are promised, {len(cmake_lines)} are needed")
        for path in prefix.rglob("*"):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            require(str(arguments.source.parents[2]) not in text, f"{path.name} as installed names the tree it came from")

        for flags in ("-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror", "-O3 -ffast-math", "-fvisibility=default -g"):
            build = folder / "build"
            shutil.rmtree(build, ignore_errors=True)
            run(arguments.cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_FLAGS={flags}",
                f"-DCMAKE_C_COMPILER={arguments.c_compiler}", f"-DCMAKE_CXX_COMPILER={arguments.cxx_compiler}")
            run(arguments.cmake, "--build", build)
            plugin = build / "drift.so"
            require(plugin.exists(), f"no drift.so with {flags}")
            exported = run(arguments.nm, "--dynamic", "--defined-only", "--format=posix", plugin).split()
            require(exported[:1] == ["tn_plugin_entry_v1"] and len(exported) in (3, 4), f"with {flags} it exports {exported}")
            symbols = run(arguments.nm, plugin)
            require("set_fast_math" not in symbols, f"with {flags} loading it changes how the host treats tiny numbers")
            content = plugin.read_bytes()
            require(b'{"abi":[' in content and b'"id":"Drift-v0"' in content, f"no note with {flags}")
            require(str(source).encode() not in content, f"with {flags} it holds the path it was built in")
    print("the installed SDK builds an env elsewhere")


if __name__ == "__main__":
    main()
