#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how PPO learns Pong, beside CleanRL at the same frames: docs/curves/ppo_pong.svg and the section of docs/results.md.

    build/release/bin/tenon run manifests/ppo_pong.toml --set env.python=.deps/python/bin/python --out runs/pong
    bench/pong.py runs/pong         the run may still learn, or have been stopped

A run of all 10,000,000 frames takes hours on two cores; what a shorter one has learnt counts, because the frames are compared.
"""

import argparse
import json
import re
import sys
import tomllib
from pathlib import Path

from curves import HEIGHT, LEFT, RIGHT, WIDTH, axes, label, steps, text
from runs import ROOT, commit, machine

# CleanRL's ppo_atari.py on PongNoFrameskip-v4, the mean of its seeds with drawn actions: the red line of
# docs/rl-algorithms/ppo/PongNoFrameskip-v4.png in its repository at fe8d8a03, read off its pixels. Its steps are our frames.
CLEANRL = [(250_000, -20.5), (500_000, -19.6), (750_000, -15.0), (1_000_000, -8.9), (1_250_000, -3.6), (1_500_000, 4.9),
           (1_750_000, 9.5), (2_000_000, 12.6), (2_500_000, 16.1), (3_000_000, 17.1), (3_500_000, 18.2), (4_000_000, 19.2),
           (5_000_000, 19.5), (6_000_000, 19.7), (8_000_000, 20.3), (10_000_000, 20.6)]  # fmt: skip
WINDOW = 100  # episodes, of which a record has the mean
HEADING = "## Pong"


def curve_of(records):
    """(frames, mean return): each mean of the latest episodes where half of them had ended, not where the last one had."""
    ended = [(record["frames"], record["rollout/episodes"]) for record in records]
    out, at = [], 0
    for record in records:
        episodes = record["rollout/episodes"]
        if episodes < WINDOW or record["rollout/ep_rew_mean"] is None:
            continue
        while ended[at][1] < episodes - WINDOW // 2:
            at += 1
        out.append((ended[at][0], record["rollout/ep_rew_mean"]))
    return out


def value_at(curve, frames):
    """Between the two points around it; None beyond the last."""
    behind = next((i for i, point in enumerate(curve) if point[0] >= frames), None)
    if not behind:
        return None
    (x0, y0), (x1, y1) = curve[behind - 1], curve[behind]
    return y0 + (y1 - y0) * (frames - x0) / max(x1 - x0, 1)


def drawing(curve):
    most = curve[-1][0]
    theirs = [point for point in CLEANRL if point[0] <= most] or CLEANRL[:1]
    beyond = CLEANRL[len(theirs)] if len(theirs) < len(CLEANRL) else None
    if beyond and theirs[-1][0] < most:
        theirs = [*theirs, (most, value_at(CLEANRL, most))]

    x, y, line = axes(most, -22, 22)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
             'font-family="sans-serif" font-size="10" fill="#444">',
             "<title>PPO on Pong: mean returns of episodes by frames, one seed, beside CleanRL's mean</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             text(LEFT, 14, "start", "PPO on Pong-v5, 1 seed; dashed: CleanRL")]  # fmt: skip
    for value in (-20, -10, 0, 10, 20):
        parts += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>',
                  text(LEFT - 6, y(value) + 3, "end", label(value))]  # fmt: skip
    parts += [text(x(at), HEIGHT - 14, "middle", label(at)) for at in steps(0, most, 4)]
    parts.append(text(WIDTH - RIGHT, HEIGHT - 3, "end", "frames"))
    parts.append(line([(0, -20.7), *theirs], 'stroke="#b35900" stroke-dasharray="4 3"'))
    every = max(len(curve) // 150, 1)
    parts.append(line([*curve[::every], curve[-1]], 'stroke="#2a6fb0" stroke-width="2"'))
    return "\n".join(parts) + "\n</svg>\n"


def section(curve, records, seed, of):
    rows = [(at, value, value_at(curve, at)) for at, value in CLEANRL]
    table = "\n".join(f"| {at:,} | {ours:.1f} | {theirs:.1f} |" for at, theirs, ours in rows if ours is not None)
    last = records[-1]
    played = [record for record in records if record.get("eval/mean_reward") is not None]
    evaluated = "".join(f" Mode actions returned {record['eval/mean_reward']:.1f} after {record['frames']:,} frames." for record in played[-1:])
    return f"""{HEADING}

`bench/pong.py` writes this part from a run of [ppo_pong](../manifests/ppo_pong.toml), whose settings are those of CleanRL's
`ppo_atari.py`: one run, seed {seed}, {last["frames"]:,} of its 10,000,000 frames, commit {of}, {machine()}. A return is the mean of
{WINDOW} episodes with drawn actions, at the frame at which half of them had ended. CleanRL's are the mean of its seeds, read off
the plot of its documentation (PongNoFrameskip-v4, fe8d8a03).{evaluated}

| frames | return | CleanRL |
|---|---|---|
{table}

![](curves/ppo_pong.svg)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("--commit", default=commit(), help="what it is a run of; this commit if not given")
    given = parser.parse_args()
    records = [json.loads(line) for line in (given.run / "metrics.jsonl").read_text().splitlines() if line.endswith("}")]
    curve = curve_of(records)
    if not curve or curve[-1][0] < CLEANRL[0][0]:
        sys.exit(f"{given.run} has not come to {CLEANRL[0][0]:,} frames yet; go on with: tenon run --resume {given.run}")
    seed = tomllib.loads((given.run / "manifest.lock.toml").read_text())["run"]["seed"]
    (ROOT / "docs" / "curves" / "ppo_pong.svg").write_text(drawing(curve))
    page = ROOT / "docs" / "results.md"
    parts = re.split(r"\n(?=## )", page.read_text())
    now = section(curve, records, seed, given.commit).rstrip("\n") + "\n"
    at = next((i for i, part in enumerate(parts) if part.startswith(HEADING)), None)
    if at is None:
        at = next(i for i, part in enumerate(parts) if part.startswith("## Environments of others")) + 1
        parts.insert(at, now)
    else:
        parts[at] = now
    page.write_text("\n".join(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
