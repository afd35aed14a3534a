#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/manifests.md: every manifest by its task, with what it does, what it reached, and the command; and every preset.

Usage: manifests.py [--write | --check]. What a manifest does is its first comment; what it reached are the rows of docs/results.md;
a curve is shown where docs/curves/NAME.svg is.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "manifests.md"
INTRODUCTION = """# Manifests

Made by `tools/generate/manifests.py` from [manifests](../manifests) and [results.md](results.md); do not edit. *Reached* is from
results.md, which says how it was measured: how many seeds reached the return, within how many frames, and the median of the last
evaluations with the worst seed.

    $ ./tenon run manifests/ppo_cartpole.toml

trains one of them; an installation has them in `share/tenon/manifests`. Some need a Python package or recorded frames: their first
lines say which.
"""
PRESETS = """
## Presets

`tenon run ALGORITHM ENV` chooses one of these by the environment ([start.md](start.md)). `--set` changes their values, those of a
transform by its plugin: `--set env.transforms.target_return.target=350`.

| algorithm | what it is | presets |
|---|---|---|
"""


def merged(base, over):
    for key, value in over.items():
        base[key] = merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
    return base


def read(path):
    """The manifest with those that it includes."""
    own = tomllib.loads(path.read_text(encoding="utf-8"))
    out = {}
    for name in own.pop("include", []):
        merged(out, read(path.parent / name))
    return merged(out, own)


def task_of(manifest):
    env = manifest["env"]
    return env.get("id") or env.get("game") or env.get("plugin", "").split("/")[-1]


def algorithms_of(manifest):
    objectives = manifest.get("objective", [])
    objectives = objectives if isinstance(objectives, list) else [objectives]
    return ", ".join(f"`{each['plugin']}`" for each in objectives)


def about(path):
    """The first sentence of the comment at the top."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            break
        lines.append(line[2:])
    text = " ".join(lines)
    end = re.search(r"[.:](?= [A-Z` ]|$| pip install)", text)
    return text[:end.start()].replace("|", "\\|") if end else text


def reached():
    """{manifest: sentence} of the rows of docs/results.md that change nothing in the manifest but the Python of its env."""
    out, header = {}, []
    for line in (ROOT / "docs" / "results.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if "manifest" in cells:
            header = cells
        plain = re.fullmatch(r"\[[^]]*\]\(\.\./manifests/(\S+)\.toml\)( with `env\.python = [^`]*`)?", cells[header.index("manifest")]) if len(cells) == len(header) > 0 else None
        if plain and "reached" in header:
            row = dict(zip(header, cells))
            at = "" if row["frames"] == "-" else f", at {row['frames']} frames"
            out[plain[1]] = f"{row['threshold'].split(' in ')[0]}: {row['reached']} seeds{at}; last {row['last']}"
    return out


def rows_of(paths, known):
    for path in paths:
        name = path.relative_to(ROOT / "manifests").with_suffix("").as_posix()
        curve = f"![]({Path('curves') / name}.svg)" if (ROOT / "docs" / "curves" / f"{name}.svg").exists() else ""
        manifest = read(path)
        yield task_of(manifest), f"| [{name}](../manifests/{name}.toml) | {algorithms_of(manifest)} | {about(path)} | {known.get(name, '')} {curve}|"


def presets():
    found = {}
    for path in sorted((ROOT / "manifests" / "presets").glob("*.toml")):
        preset = read(path)["preset"]
        found.setdefault(preset["algorithm"], (preset["about"], []))[1].append(f"[{path.stem}](../manifests/presets/{path.name})")
    return "".join(f"| `{name}` | {what} | {', '.join(files)} |\n" for name, (what, files) in sorted(found.items()))


def page():
    paths = [*sorted((ROOT / "manifests").glob("*.toml")), *sorted((ROOT / "manifests" / "offline").glob("*.toml"))]
    tasks = {}
    for task, row in rows_of(paths, reached()):
        tasks.setdefault(task, []).append(row)
    out = INTRODUCTION
    for task in sorted(tasks):
        out += f"\n## {task}\n\n| manifest | objective | what it does | reached |\n|---|---|---|---|\n" + "\n".join(tasks[task]) + "\n"
    return out + PRESETS + presets()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the page (the default)")
    mode.add_argument("--check", action="store_true", help="only say whether it is up to date")
    given = parser.parse_args()
    text = page()
    if not given.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        print("docs/manifests.md is outdated: manifests or docs/results.md have changed")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
