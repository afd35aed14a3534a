#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times transforms beside TorchRL's on the same shapes, by turns on one core, per frame (one lane's step), the least of some rounds.

    python3 bench/transforms.py --peer PYTHON      PYTHON has bench/requirements.txt, and torchvision beside it

Ours is what an env takes longer with the transforms than without, by `tenon bench env`. TorchRL's is a call of the transforms on
the rows of all lanes, without an env, and a copy of the result to where it is kept, as ours is written there. The pictures of
ours are CartPole's, enlarged; those of TorchRL are random.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runs import ROOT, commit, machine, tenon

VECTOR = """[env]
plugin = "classic/Pendulum-v1"

[[env.transforms]]
plugin = "standard/select_indices"
indices = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]
"""
PICTURE = """[env]
plugin = "classic/CartPole-v1"

[[env.wrappers]]
plugin = "wrap/pixels"
height = 21
width = 16
grey = false

[[env.transforms]]
plugin = "standard/resize"
height = 210
width = 160
method = "bilinear"
"""

NOISE = 0.05  # of the env's time: smaller differences are not told apart


def table(name, **options):
    return f'\n[[env.transforms]]\nplugin = "standard/{name}"\n' + "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())


RESIZE = {"height": 84, "width": 84}
# Name: lanes, the env before, our transforms, TorchRL's, the shape and type of its rows.
CASES = {
    "running normalisation": (64, VECTOR, table("observation_norm"),
                              lambda t: [t.VecNormV2(in_keys=["x"], decay=1.0, reduce_batch_dims=True)], (17,)),
    "running normalisation, one lane": (1, VECTOR, table("observation_norm"), lambda t: [t.VecNormV2(in_keys=["x"], decay=1.0)], (17,)),
    "stack of 4": (64, VECTOR, table("frame_stack"), lambda t: [t.CatFrames(N=4, dim=-1, in_keys=["x"])], (17,)),
    "grey": (16, PICTURE, table("grey"), lambda t: [t.GrayScale(in_keys=["x"])], (3, 210, 160)),
    "centre crop to 160 x 160": (16, PICTURE, table("centre_crop", height=160, width=160),
                                 lambda t: [t.CenterCrop(160, 160, in_keys=["x"])], (3, 210, 160)),
    "resize, bilinear with antialias": (16, PICTURE, table("resize", method="antialias", **RESIZE),
                                        lambda t: [t.Resize(84, 84, in_keys=["x"])], (3, 210, 160)),
    "resize by area, TorchRL as before": (16, PICTURE, table("resize", **RESIZE),
                                          lambda t: [t.Resize(84, 84, in_keys=["x"])], (3, 210, 160)),
    "grey, resize, stack of 4": (16, PICTURE, table("grey")
                                 + table("resize", method="antialias", **RESIZE)
                                 + table("frame_stack"),
                                 lambda t: [t.GrayScale(in_keys=["x"]), t.Resize(84, 84, in_keys=["x"]),
                                            t.CatFrames(N=4, dim=-3, in_keys=["x"])], (3, 210, 160)),
}


def peer(name, seconds):
    """TorchRL's time per frame, in us."""
    import torch

    torch.set_num_threads(1)
    names = torch.library.Library("torchvision", "DEF")  # torchvision's own library may want CUDA; only these names are missed
    try:
        import torchvision
    except ModuleNotFoundError:
        pass  # without it TorchRL has no resize and no grey; the others are measured
    except RuntimeError:
        for missing in ("nms", "qnms"):
            names.define(f"{missing}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    from tensordict import TensorDict
    from torchrl.envs import transforms

    lanes, _, _, made, shape = CASES[name]
    chain = made(transforms)
    data = torch.randint(0, 256, (lanes, *shape), dtype=torch.uint8) if len(shape) == 3 else torch.randn(lanes, *shape)
    keep = TensorDict({"x": data, "_reset": torch.ones(lanes, 1, dtype=torch.bool), "done": torch.zeros(lanes, 1, dtype=torch.bool)}, [lanes])

    def call(first=False):
        row = TensorDict({"x": data}, [lanes])
        for transform in chain:
            if first and isinstance(transform, transforms.CatFrames):
                transform.reset_key = "_reset"
                row = transform._reset(keep.clone(), row)
            else:
                row = transform._step(keep, row)
        row = row["x"]
        if first:
            stored.append(torch.empty_like(row, memory_format=torch.contiguous_format))
        stored[0].copy_(row)

    stored = []
    with torch.no_grad():
        call(first=True)
        for _ in range(5):
            call()
        least, until = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < until:
            began = time.perf_counter()
            for _ in range(10):
                call()
            least = min(least, time.perf_counter() - began)
    return 1e6 * least / 10 / lanes


def ours(program, lanes, manifest, seconds):
    """The time of a frame, in us. By the clock: the processor time of a command also has its start, which draws pictures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "env.toml"
        path.write_text(manifest)
        answer = tenon(program, "bench", "env", path, "--lanes", lanes, "--threads", 1, "--json", "--seconds", seconds)
    return 1e6 / answer["frames_per_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/bin/tenon", type=Path, help="the program to measure")
    parser.add_argument("--peer", default=sys.executable, help="a Python with TorchRL")
    parser.add_argument("--rounds", type=int, default=3, help="of which the least time counts")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--only", default="", help="those cases whose name has this in it")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(peer(options.case, options.seconds))
        return
    core = str(min(os.sched_getaffinity(0)))
    os.sched_setaffinity(0, {int(core)})
    print(f"{machine()}, commit {commit()}, one core, us per frame")
    for name, (lanes, before, added, _, _) in CASES.items():
        if options.only not in name:
            continue
        bare, full, other = [], [], []
        for _ in range(options.rounds):
            bare.append(ours(options.program, lanes, before, options.seconds))
            full.append(ours(options.program, lanes, before + added, options.seconds))
            answer = subprocess.run([options.peer, __file__, "--case", name, "--seconds", str(options.seconds)], capture_output=True,
                                    text=True, check=True)
            other.append(float(answer.stdout))
        mine = min(full) - min(bare)
        ratio = f"{min(other) / mine:.1f} times" if mine > NOISE * min(bare) else "too little beside the env to tell"
        print(f"{name} ({lanes} lanes): {mine:.3f} (env {min(bare):.3f}), TorchRL {min(other):.3f}, {ratio}", flush=True)


if __name__ == "__main__":
    main()
