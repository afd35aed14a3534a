# SPDX-License-Identifier: Apache-2.0
"""What the plugins of tests/abi/released do, and what they did when they were built: frames byte for byte, the graph as
text, losses and parameters to rounding."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
HERE = Path(__file__).resolve().parent
RELEASED = HERE / "released"
TOLERANCE = 1e-9  # relative, of float64 numbers: another host may sum in another order


def tenon(*words, plugins, code=0):
    """A finished run of the program that finds its plugins in `plugins` first."""
    environment = os.environ | {"TENON_PLUGIN_PATH": str(plugins)}
    done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))} ends with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done


def tensors(file):
    """{name: (dtype, shape, bytes)} of a safetensors file."""
    image = file.read_bytes()
    (length,) = struct.unpack("<Q", image[:8])
    header = json.loads(image[8 : 8 + length])
    header.pop("__metadata__", None)
    data = image[8 + length :]
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])]) for name, t in header.items()}


def numbers(file):
    """{name: its float64 numbers}"""
    found = {}
    for name, (dtype, _, data) in tensors(file).items():
        assert dtype == "F64", f"{name} is {dtype}"
        found[name] = list(struct.unpack(f"<{len(data) // 8}d", data))
    return found


def record(plugins, out):
    """The frames that env and transform make of random actions."""
    tenon("record", RELEASED / "recorded.toml", "--actions", "random", "--frames", 400, "--out", out, plugins=plugins)


def act(plugins, folder):
    """The graph of the policy's that acts."""
    tenon("run", RELEASED / "recorded.toml", "--quiet", "--set", "run.executor=compiled", "--out", folder / "played", "--dump-graph",
          folder / "graphs", plugins=plugins)  # fmt: skip
    return author_part(next((folder / "graphs").glob("act-*.txt")).read_text())


def learn(plugins, folder, executor, release):
    """What six updates give: losses and the like, and the parameters after them."""
    manifest = folder / "learnt.toml"
    manifest.write_text((RELEASED / "learnt.toml").read_text().replace("FOLDER", str(release)))
    out = folder / f"run_{executor}"
    tenon("run", manifest, "--quiet", "--set", f"run.executor={executor}", "--out", out, plugins=plugins)
    records = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    metrics = [{key: record[key] for key in ("train/loss/q", "train/td_error", "train/grad_norm/update")} for record in records]
    return {"metrics": metrics, "parameters": numbers(out / "checkpoints" / "last" / "parameters.safetensors")}


def author_part(text):
    """Of a dumped program the graph, without what follows from it and without places in headers."""
    lines = text.split("\n# ")[0].splitlines()
    return "".join(f"{line.split('  # ')[0]}\n" for line in lines if line and not line.startswith("#"))


def differences(before, now, where=""):
    """A sentence for each number that is another one."""
    if isinstance(before, dict):
        if sorted(before) != sorted(now):
            return [f"{where}: {sorted(before)} was, {sorted(now)} is"]
        return [each for key in before for each in differences(before[key], now[key], f"{where}/{key}")]
    if isinstance(before, list):
        if len(before) != len(now):
            return [f"{where}: {len(before)} values were, {len(now)} are"]
        return [each for i, pair in enumerate(zip(before, now)) for each in differences(*pair, f"{where}[{i}]")]
    close = before == now or (None not in (before, now) and abs(before - now) <= TOLERANCE * max(1.0, abs(before)))
    return [] if close else [f"{where} was {before} and is {now}"]


def check(case, plugins, folder, release):
    """The plugins in `plugins` do what those of the release did; `case` is a unittest.TestCase."""
    expected = json.loads((release / "expected.json").read_text())
    record(plugins, folder / "now.safetensors")
    stored, now = tensors(release / "frames.safetensors"), tensors(folder / "now.safetensors")
    case.assertEqual(sorted(stored), sorted(now))
    for name, tensor in stored.items():
        case.assertEqual(tensor, now[name], f"'{name}' of the recorded frames has changed")
    for executor in ("compiled", "reference"):
        case.assertEqual(differences(expected, learn(plugins, folder, executor, release), executor), [])
    case.assertEqual((release / "act.txt").read_text(), act(plugins, folder))
