#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/curves/NAME.svg from the results that bench/learning.py keeps: the evaluations of all seeds, their median, and the threshold.

    bench/curves.py                          every row of learning.toml with results in runs/learning
    bench/curves.py --folder runs/learning   results elsewhere

A row without results keeps the curve that it has. tools/generate/manifests.py shows the curves on docs/manifests.md.
"""

import argparse
import json
import statistics
from pathlib import Path

from learning import rows_of
from runs import ROOT

WIDTH, HEIGHT = 360, 200
LEFT, RIGHT, TOP, BOTTOM = 52, 24, 24, 30  # margins of the axes


def steps(low, high, count):
    """Round numbers from low to high, about that many."""
    raw = (high - low) / count
    size = 10.0 ** len(str(int(raw))) / 10 if raw >= 1 else 10.0 ** -len(str(int(1 / raw)))
    step = next(size * by for by in (1, 2, 5, 10) if size * by >= raw)
    first = int(-(-low // step))
    return [at * step for at in range(first, int(high // step) + 1)]


def label(value):
    if abs(value) >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}"


def text(at_x, at_y, anchor, words):
    return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}">{words}</text>'


def axes(most, low, high):
    """From frames and values to places of the drawing, and a line through points of these."""

    def x(at):
        return LEFT + (WIDTH - LEFT - RIGHT) * at / most

    def y(value):
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    def line(points, style):
        path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in points)
        return f'<polyline points="{path}" fill="none" {style}/>'

    return x, y, line


def curve_of(row, results):
    curves = [[tuple(point) for point in result["curve"]] for result in results]
    frames = [at for at, _ in curves[0]]
    returns = [value for curve in curves for _, value in curve] + [row["threshold"]]
    low, high = min(returns), max(returns)
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)

    x, y, line = axes(max(row["frames"], frames[-1]), low, high)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
             'font-family="sans-serif" font-size="10" fill="#444">',
             f'<title>{row["algorithm"]} on {row["task"]}: returns of evaluations by frames, of {len(results)} seeds</title>',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             text(LEFT, 14, "start", f'{row["algorithm"]} on {row["task"]}, {len(results)} seeds')]
    for value in steps(low, high, 4):
        parts += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>',
                  text(LEFT - 6, y(value) + 3, "end", label(value))]
    parts += [text(x(at), HEIGHT - 14, "middle", label(at)) for at in steps(0, row["frames"], 4)]
    parts.append(text(WIDTH - RIGHT, HEIGHT - 3, "end", "frames"))
    parts.append(line([(0, row["threshold"]), (row["frames"], row["threshold"])], 'stroke="#b35900" stroke-dasharray="4 3"'))
    parts += [line(curve, 'stroke="#2a6fb0" stroke-opacity="0.3"') for curve in curves]
    medians = [(at, statistics.median(curve[i][1] for curve in curves)) for i, at in enumerate(frames)]
    parts.append(line(medians, 'stroke="#2a6fb0" stroke-width="2"'))
    return "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "learning")
    given = parser.parse_args()
    out = ROOT / "docs" / "curves"
    for row in rows_of(ROOT / "bench" / "learning.toml"):
        results = [json.loads(file.read_text()) for file in sorted(given.folder.glob(f"{row['name']}-*.json"))]
        results = [result for result in results if len(result["curve"]) == len(results[0]["curve"])]
        if results and not row["set"]:
            out.mkdir(exist_ok=True)
            (out / f"{row['name']}.svg").write_text(curve_of(row, results))
            print(f"docs/curves/{row['name']}.svg: {len(results)} seeds")


if __name__ == "__main__":
    main()
