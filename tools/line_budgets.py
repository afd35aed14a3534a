#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what authors write stays short: the lines of a plugin's own source that are neither blank nor comment."""

import argparse
import re
import sys
from pathlib import Path

# File, the counted lines (all, or those of one struct), and the maximum.
BUDGETS = [
    ("sdk/templates/env/drift.cpp", None, 40),
    ("sdk/templates/env_goal/reach.cpp", None, 45),
    ("sdk/templates/env_group/flock.cpp", None, 60),
    ("sdk/templates/dataset/logbook.cpp", None, 60),
    ("sdk/templates/wrapper/hold.cpp", None, 35),
    ("sdk/templates/transform/smooth.cpp", None, 45),
    ("sdk/templates/buffer/recent.cpp", None, 45),
    ("sdk/templates/env_cuda/drift.cpp", None, 40),
    ("sdk/templates/buffer_cuda/recent.cpp", None, 45),
    ("sdk/templates/objective/td.cpp", None, 45),
    ("sdk/templates/objective_on_policy/surrogate.cpp", None, 45),
    ("sdk/templates/hook/halt.cpp", None, 30),
    ("sdk/templates/policy/dueling.cpp", None, 45),
    ("sdk/include/tenon/heads/tanh_normal.hpp", "TanhNormal", 31),
    ("plugins/policies/mlp/continuous.hpp", "TanhNormal", 12),
    ("plugins/envs/classic/cartpole.hpp", None, 60),
    ("plugins/envs/wrappers/frame_skip.hpp", None, 15),
    ("plugins/envs/wrappers/max_frame_skip.hpp", None, 50),
    ("plugins/buffers/replay/uniform.hpp", None, 45),
    ("plugins/losses/ppo/ppo.cpp", None, 45),
    ("plugins/losses/sac/sac.cpp", None, 40),
    ("plugins/hooks/hooks/curriculum.hpp", None, 65),
    ("plugins/hooks/hooks/early_stop.hpp", None, 65),
    ("plugins/hooks/hooks/kl_adaptive_lr.hpp", None, 50),
]

# A literal, which is kept, or a comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text):
    return TOKEN.sub(lambda match: " " if match.group().startswith("/") else match.group(), text)


def struct_body(text, name):
    """The text of a struct from its head to its closing brace, or None."""
    head = re.search(rf"^struct {name}\b", text, re.MULTILINE)
    if head is None:
        return None
    end = re.compile(r"^\};", re.MULTILINE).search(text, head.start())
    return text[head.start() : end.end()] if end else None


def count_lines(text):
    return sum(1 for line in text.split("\n") if line.strip())


def findings(root, budgets):
    for name, struct, most in budgets:
        path = root / name
        if not path.is_file():
            yield f"{name}: there is no such file; mend the table in tools/line_budgets.py"
            continue
        text = without_comments(path.read_text(encoding="utf-8"))
        if struct is not None:
            text = struct_body(text, struct)
            if text is None:
                yield f"{name}: there is no struct {struct} in it; mend the table in tools/line_budgets.py"
                continue
        lines = count_lines(text)
        if lines > most:
            yield f"{name}: {lines} lines{' of ' + struct if struct else ''}, and {most} are promised"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    found = list(findings(parser.parse_args().root, BUDGETS))
    for finding in found:
        print(finding)
    if not found:
        print(f"{len(BUDGETS)} line budgets are respected")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
