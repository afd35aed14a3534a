# SPDX-License-Identifier: Apache-2.0
"""What the benches share: the program from outside, what it ran on, the options of a bench that trains, several runs at a time."""

import argparse
import functools
import json
import os
import platform
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OTHER_EPISODES = 100
OTHER_SEED = 12345


def tenon(program, *words):
    """What it answers, and under "cpu_seconds" the processor time that it took, which does not tell what else the machine did."""
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complaint:
        process = subprocess.Popen([program, *map(str, words)], stdout=said, stderr=complaint, env={**os.environ, "NO_COLOR": "1"})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        complaint.seek(0)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}\n{complaint.read()[-2000:]}")
        return {**json.loads(said.read().splitlines()[-1]), "cpu_seconds": used.ru_utime + used.ru_stime}


def train(program, manifest, out, settings, *words):
    """A run with the settings, a table of keys of the manifest, and what it printed."""
    sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    return tenon(program, "run", manifest, "--out", out, "--quiet", "--json", *words, *sets)


def other_return(program, folder, checkpoint, episodes=OTHER_EPISODES):
    """What a checkpoint returns on episodes that no evaluation of its run has played."""
    words = ["--checkpoint", checkpoint, "--episodes", episodes, "--seed", OTHER_SEED, "--json"]
    return tenon(program, "eval", folder, *words)["return_mean"]


def evaluations(folder):
    """(frames, mean return) of each evaluation of a run."""
    records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [(record["frames"], record["eval/mean_reward"]) for record in records if record.get("eval/mean_reward") is not None]


def machine():
    """The processor, how many there are, and the instructions by which results may differ in their last bits."""
    told = Path("/proc/cpuinfo").read_text()
    names = [line.split(":")[1].strip() for line in told.splitlines() if line.startswith("model name")]
    level = "AVX-512" if " avx512f" in told else "AVX2" if " avx2" in told else "no AVX2"
    return f"{names[0] if names else platform.processor()}, {len(names)} processors, {level}"


@functools.cache
def commit():
    try:
        git = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    except FileNotFoundError:  # a machine to which only the program was carried
        return ""
    return git.stdout.strip()


def at_a_time(jobs, one, wanted):
    """What one(x) gives of each x, `jobs` of them at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, wanted))


def put_part(page, text, before=None):
    """Writes the part of a page that begins with the same heading anew; a new one comes before the part `before`, or last."""
    heading = text.splitlines()[0]
    parts = [part.strip("\n") + "\n" for part in re.split(r"\n(?=## )", page.read_text())]
    at = next((i for i, part in enumerate(parts) if part.splitlines()[0] == heading), None)
    if at is not None:
        parts[at] = text
    else:
        at = next((i for i, part in enumerate(parts) if part.splitlines()[0] == before), len(parts))
        parts.insert(at, text)
    page.write_text("\n".join(parts))


def seeds_of(text):
    """0-3,11: from 0 to 3, and 11."""
    ends = [part.split("-") for part in text.split(",")]
    return [seed for each in ends for seed in range(int(each[0]), int(each[-1]) + 1)]


def options(doc, only, folder, page, seeds):
    """The options of a bench that trains; the arguments say what --only chooses, where --folder is, what --page writes."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help=f"{only} has this in it")
    parser.add_argument("--seeds", type=seeds_of, default=seeds, help=f"such as 0-3,11; {seeds} if not given")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / folder, help="where results are kept")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tenon"), help="the program that trains")
    parser.add_argument("--executor", default="auto", help="run.executor of every run")
    parser.add_argument("--page", action="store_true", help=f"train nothing, write {page}")
    return parser
