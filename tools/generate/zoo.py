#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/zoo.md, the list of misbehaving plugins and how each ends, from tests/zoo/zoo.toml; --check compares."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "zoo"))
import zoo

PAGE = ROOT / "docs" / "zoo.md"
INTRODUCTION = """# A zoo of plugins that misbehave

Made by `tools/generate/zoo.py` from `tests/zoo/zoo.toml`, whose rows `zoo_test.py` there runs; do not edit. Each plugin does
one thing that the headers forbid. A row shows how `tenon run` ends: its exit code (3: a plugin failed) and its sentence, below
which a run prints the manifest's line. If a run goes on unharmed, or cannot notice the plugin, the row shows `tenon check`.
FIXTURES is the folder of the files. A process cannot notice the system call below `_exit` in itself ([faults.md](faults.md)
says what notices it). Plugins may fork to start another program.
A plugin in a separate process ([isolation.md](isolation.md)) may restart as often as `isolation.restarts` says, and the
run goes on; here that is once, and the plugin fails again.

Once a run has begun, what goes wrong in one lane parks that lane alone ([faults.md](faults.md)); here all lanes go wrong.
"""


def cell(text):
    return text.replace("|", "\\|")


def page():
    rows = zoo.rows()
    isolated = any(row.isolated for row in rows)
    out, group = [INTRODUCTION], None
    for row in rows:
        if row.group != group:
            group = row.group
            out.append(f"\n## {group}\n\n| the plugin | made as | command | exit code | what is said |" + " in a process of its own |" * isolated)
            out.append("|---|---|---|---|---|" + "---|" * isolated)
        made = f"[{Path(row.made).name}](../{row.made})" + "".join(f" {value}" for value in row.options.values())
        name = row.plugin.split("/")[0] if row.made.endswith("hostile.c") and row.command != "check" else ""
        name = Path(row.plugin).stem if row.made.endswith("hostile.c") and row.command == "check" else name
        out.append(f"| {cell(row.does)} | {made}{' ' * bool(name)}{name} | `{row.command}` | {row.code} | {cell(row.says) or 'nothing'} |"
                   + f" {cell(row.isolated)} |" * isolated)  # fmt: skip
    return "\n".join([*out, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true", help="the default")
    made = page()
    if not parser.parse_args().check:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        sys.exit("docs/zoo.md is not what tests/zoo/zoo.toml says")


if __name__ == "__main__":
    main()
