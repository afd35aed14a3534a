# SPDX-License-Identifier: Apache-2.0
"""Makes the archive, unpacks it under another name, and uses it as somebody does who has it, a compiler and CMake: the
commands that `tenon new` prints lead to a run, and `ctest` checks the plugin. CMake takes the package where its version is the one that is asked for.

The commands are the same for every kind; a procedure and a graph follow them here, and package.KIND builds each kind."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = ["bin/tenon", "lib/tenon/tenon-worker", "lib/tenon/libtenon_cuda.so", "lib/tenon/libtenon_link_zmq.so", "lib/tenon/libtenon_torch.so", "lib/tenon/plugins/classic.so", "lib/tenon/plugins/mlp.so",
           "lib/tenon/plugins/ppo.so", "lib/tenon/plugins/replay.so", "lib/tenon/plugins/standard.so",
           "share/tenon/manifests/dqn_cartpole.toml", "share/tenon/templates/env/drift.cpp",
           "include/tenon/env.hpp", "include/tenon/abi/env.h", "lib/cmake/tenon/tenonConfig.cmake",
           "share/doc/tenon/README.md", "share/doc/tenon/LICENSE", "share/doc/tenon/docs/quickstart.md"]

# What an author begins: its kind and in which language. Two are followed to a run.
PLUGINS = {"hill": ("env",), "slope": ("env", "--lang", "c"), "held": ("wrapper",), "lane": ("transform",), "graph": ("policy",),
           "newest2": ("buffer",), "my_td": ("objective",)}
FOLLOWED = ("slope", "my_td")


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def run(*command, code=0, path="/usr/bin:/bin", **more):
    environment = {key: value for key, value in os.environ.items() if key in ("HOME", "TMPDIR", "LANG", "ASAN_OPTIONS", "TENON_STATE")}
    environment["PATH"] = path
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, **more)
    require((done.returncode == 0) == (code == 0), f"{' '.join(words)} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_licences(root, source):
    """Of what is linked into the program, where the packages it came with have them."""
    places = (Path("/usr/share/doc"), source / ".deps" / "root" / "usr" / "share" / "doc")
    for package in ("libfmt-dev", "libspdlog-dev", "libtomlplusplus-dev"):
        if any((place / package / "copyright").is_file() for place in places):
            require((root / "share" / "doc" / "tenon" / "licences" / package).is_file(), f"no licence of {package}")


def check_content(root, arguments):
    missing = [name for name in PROGRAM if not (root / name).is_file()]
    require(not missing, f"the archive has no {missing}")
    programs = sorted(path.name for path in (root / "bin").iterdir())  # a program tenon-NAME there would be the command NAME
    require(programs == ["tenon"], f"bin has {programs}, and not tenon alone")
    if arguments.sanitized:
        print("not looked at: whether files name folders of the build, which sanitizers write into all code")
    for path in (path for path in root.rglob("*") if path.is_file() and "libtorch" not in path.parts):
        content = path.read_bytes()
        for name in () if arguments.sanitized else (arguments.build, arguments.source):
            require(str(name).encode() + b"/" not in content, f"{path.relative_to(root)} names {name}")
        if content.startswith(b"\x7fELF"):
            ways = re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", run(arguments.readelf, "-d", path))
            wrong = [way for way in ":".join(ways).split(":") if way not in ("", "$ORIGIN/../libtorch/lib", "$ORIGIN/../../mujoco")]
            require(not wrong, f"{path.relative_to(root)} looks for libraries in {wrong}")


def check_versions(root, folder, arguments):
    major, minor, patch = (int(part) for part in arguments.version.split("."))
    suits = {"": True, f"{major}.{minor}": True, f"{major}.{minor}.{patch}": True, f"{major}.{minor}.{patch + 1}": False,
             f"{major}.{minor + 1}": False, f"{major + 1}.0": False}
    if minor > 0:
        suits[f"{major}.{minor - 1}"] = False
    for number, (version, fits) in enumerate(suits.items()):
        source = folder / f"version{number}"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(v NONE)\nfind_package(tenon {version} REQUIRED)\n")
        said = run(arguments.cmake, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={root}", code=0 if fits else 1)
        require(fits or f"version: {arguments.version}" in said, f"asked for {version} CMake says:\n{said}")


def follow(printed, folder, path):
    """Types what `tenon new` has printed."""
    to_a_run, its_test = printed.split("from here to a run:\n")[1].split("its test, which is `tenon check`:\n")
    commands = [line.strip() for line in to_a_run.splitlines()]
    made = commands[-1].split()[-1].removesuffix("/manifest.toml")
    require(len(commands) == 3 and re.fullmatch(r"tenon run \w+/manifest.toml", commands[-1]), f"it prints {commands}")
    script = " && ".join([*commands[:-1], f"{commands[-1]} --quiet --json --out {made}/out --set run.total_frames=2_000"])
    result = json.loads(run("sh", "-c", script, cwd=folder, path=path).splitlines()[-1])
    return result, run("sh", "-c", its_test.strip(), cwd=folder, path=path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "cpack", "readelf", "version"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sanitized", action="store_true")
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        # The format that is made for others, .tar.gz, takes eight times as long to compress libtorch.
        run(arguments.cpack, "--config", arguments.build / "CPackConfig.cmake", "-G", "TZST", "-B", folder / "made")
        (archive,) = (folder / "made").glob("*.tar.zst")
        (folder / "unpacked").mkdir()
        run(arguments.cmake, "-E", "tar", "xf", archive, cwd=folder / "unpacked")
        (unpacked,) = (folder / "unpacked").iterdir()
        require(archive.name == f"{unpacked.name}.tar.zst" and arguments.version in archive.name,
                f"{archive.name} unpacks to {unpacked.name}")
        root = unpacked.rename(folder / "a place")
        check_content(root, arguments)
        check_licences(root, arguments.source)
        check_versions(root, folder, arguments)
        path = f"{root / 'bin'}:{Path(arguments.cmake).parent}:/usr/bin:/bin"
        author = folder / "author"
        author.mkdir()
        told = set()
        for plugin, (kind, *words) in PLUGINS.items():
            printed = run("tenon", "new", kind, plugin, *words, cwd=author, path=path)
            told.add(printed.split("\n\n", 1)[1].replace(plugin, "NAME"))
            if plugin not in FOLLOWED:
                continue
            result, said = follow(printed, author, path)
            require(result["frames"] >= 2_000 and result["eval_return_mean"] is not None, f"{plugin}: {result}")
            require(f"check.{plugin}" in said and "100% tests passed" in said, f"ctest says of the plugin: {said}")
        require(len(told) == 1, f"the commands differ by kind: {told}")
        run("tenon", "eval", author / "slope" / "out", "--episodes", "2", cwd=author, path=path)
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
