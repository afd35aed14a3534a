#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over what ships, except what includes libtorch, and remembers what was clean. Tests are left to the
compiler's warnings, which are errors: here they would cost two fifths of the time.

A file is run again only when it, a header of ours that it includes, .clang-tidy, its compile command
or the version of clang-tidy changes. Files run together (clang_tidy_batches.py); where something is found, each half of them does, down
to single files. With --each, each runs by itself.
Usage: clang_tidy.py [--each] [--jobs N] CLANG_TIDY BUILD_DIR CACHE_DIR
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clang_tidy_batches import BATCH_ONLY, SIZE, batches, command_of, halves

ROOT = Path(__file__).resolve().parent.parent


def ours(path):
    """A file of this repository, not one that was brought or built."""
    try:
        parts = Path(path).resolve().relative_to(ROOT).parts
    except ValueError:
        return False
    return parts[0] not in (".deps", "build")


INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


class Includes:
    """The headers of ours that a file reads, found in its text."""

    def __init__(self):
        self.direct = {}

    def of(self, file, folders):
        """All of them, those that headers include as well; `folders` as the compiler looks through them."""
        found, left = set(), [Path(file)]
        while left:
            for header in self.named_in(left.pop(), folders):
                if header not in found:
                    found.add(header)
                    left.append(header)
        return found

    def named_in(self, file, folders):
        key = (file, folders)
        if key not in self.direct:
            names = INCLUDE.findall(file.read_text(encoding="utf-8"))
            places = [[folder / name for folder in (file.parent, *folders)] for name in names]
            found = [next((path for path in paths if path.is_file()), None) for paths in places]
            self.direct[key] = [path.resolve() for path in found if path is not None]
        return self.direct[key]


def folders_of(command):
    """Where a command looks for headers of ours; those of others come as -isystem."""
    words = shlex.split(command["command"])
    named = [word[2:] or following for word, following in zip(words, [*words[1:], ""]) if word.startswith("-I")]
    return tuple(Path(folder) for folder in named)


def blocks(findings):
    """A finding each, with the lines that explain it."""
    found = []
    for line in findings.splitlines():
        if re.match(r"\S+:\d+:\d+: (error|warning):", line) or not found:
            found.append(line)
        else:
            found[-1] += "\n" + line
    return found


class Hashes:
    """The hash of each file, read once."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            data = path.read_bytes() if path.is_file() else b"gone"
            self.known[path] = hashlib.sha256(data).hexdigest()
        return self.known[path]


def key_of(command, headers, shared, hashes):
    """What the result depends on."""
    parts = [shared, command["command"]]
    for path in sorted({Path(command["file"]), *headers}):
        parts += [path.relative_to(ROOT).as_posix(), hashes.of(path)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_test(file):
    return "tests" in Path(file).relative_to(ROOT).parts or file.endswith("_test.cpp")


def select(commands):
    """One command for each file that is ours, no test, and compiled without libtorch, whose headers take minutes."""
    chosen = {}  # a source built in many variants is checked in the first
    for command in commands:
        if ours(command["file"]) and not is_test(command["file"]) and "torch/csrc/api/include" not in command["command"]:
            chosen.setdefault(command["file"], command)
    return list(chosen.values())


def write_commands(commands, folder):
    """The compile commands as clang takes them: without what only gcc knows."""
    gcc_only = re.compile(r' -(-param \S+|fno-gnu-unique\b|fpch-preprocess\b|Winvalid-pch\b|include (?:"[^"]*"|\S+)|fconstexpr-ops-limit=\d+)')
    ours_only = [{**command, "command": gcc_only.sub("", command["command"])} for command in commands]
    (folder / "compile_commands.json").write_text(json.dumps(ours_only), encoding="utf-8")


# Evaluating one constant may take so many steps. The note of a plugin with many options needs more than Clang allows.
STEPS = 100_000_000
# Options that only gcc knows, and warnings about deprecated features that libstdc++ uses.
SILENT = ("unknown-warning-option", "ignored-optimization-argument", "unknown-pragmas", "ignored-attributes",
          "deprecated-declarations")


def check(clang_tidy, commands_dir, command, *options):
    """clang-tidy's findings on one file; an empty text when there are none."""
    done = subprocess.run(
        [clang_tidy, "--quiet", "-p", str(commands_dir), *(f"--extra-arg=-Wno-{name}" for name in SILENT),
         f"--extra-arg=-fconstexpr-steps={STEPS}", *options, command["file"]],
        capture_output=True, text=True, check=False,
    )
    if done.returncode == 0:
        return ""
    return done.stdout.replace(f"{ROOT}/", "") or done.stderr


def files_of(batch):
    return tuple(command["file"] for command in batch)


def check_batch(clang_tidy, commands_dir, batch, wholes):
    """The findings on each file; `wholes`: the command of several files as one, by their names."""
    whole = wholes.get(files_of(batch))
    if whole and not check(clang_tidy, commands_dir, whole, *BATCH_ONLY):
        return [""] * len(batch)
    if len(batch) == 1:
        return [check(clang_tidy, commands_dir, batch[0])]
    middle = len(batch) // 2
    return [found for half in (batch[:middle], batch[middle:]) for found in check_batch(clang_tidy, commands_dir, half, wholes)]


def read_options():
    parser = argparse.ArgumentParser(description="Runs clang-tidy where something changed.")
    parser.add_argument("--each", action="store_true", help="each file by itself")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("clang_tidy", type=Path)
    parser.add_argument("build_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    return parser.parse_args()


def main():
    options = read_options()
    start = time.monotonic()
    build_dir = options.build_dir.resolve()
    commands = json.loads((build_dir / "compile_commands.json").read_text(encoding="utf-8"))
    chosen = select(commands)
    includes = Includes()
    hashes = Hashes()
    version = subprocess.run([options.clang_tidy, "--version"], capture_output=True, text=True, check=True)
    shared = version.stdout + hashes.of(ROOT / ".clang-tidy")
    together = options.cache_dir.resolve() / "batches"
    together.mkdir(parents=True, exist_ok=True)
    keys = {}

    def headers_of(command):
        return includes.of(command["file"], folders_of(command))

    for command in chosen:
        # What ran in a batch counts as clean, but not where each file is to run by itself.
        key = key_of(command, headers_of(command), shared, hashes)
        keys[command["file"]] = f"{key}-each" if options.each else key
    stamps = {file: options.cache_dir / key for file, key in keys.items()}
    work = batches([command for command in chosen if not stamps[command["file"]].exists()], 1 if options.each else SIZE, headers_of)
    wholes = {}
    for batch in work:
        for part in halves(batch):
            wholes[files_of(part)] = command_of(part, together / f"{len(wholes)}{Path(part[0]['file']).suffix}")
    write_commands([*chosen, *wholes.values()], options.cache_dir)

    failed = 0
    told = set()  # a header's finding comes with every file that includes it
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda batch: check_batch(options.clang_tidy, options.cache_dir, batch, wholes), work)
        for batch, findings in zip(work, results):
            for command, found in zip(batch, findings):
                if not found:
                    stamps[command["file"]].touch()
                    continue
                failed += 1
                new = [block for block in blocks(found) if block not in told]
                told.update(new)
                if new:
                    print("\n".join(new), flush=True)
    seconds = time.monotonic() - start
    run = sum(map(len, work))
    print(f"clang-tidy: {len(chosen)} files, {run} of them run in {len(work)} batches, {failed} with findings, {seconds:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
